import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Log } from '../../base/log.ts';

/** A script that Redis runs atomically. */
export type Script = { source: string; sha: string };

export const script = (source: string): Script => ({
  source,
  sha: createHash('sha1').update(source).digest('hex'),
});

/** Thrown while Redis is unreachable. */
class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/**
 * The connection to Redis. It goes down when a command fails or Redis does not answer a heartbeat (`beat`) in time, and
 * up again once Redis answers the next one. While it is down, commands fail at once, so that no request waits for
 * Redis.
 */
export type Link = {
  isUp: boolean;
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  send(command: readonly string[]): Promise<unknown>;
  /** Calls back for each message until the returned function is called. Messages may be missed. */
  subscribe(channel: string, onMessage: (message: string) => void): () => void;
  /** Calls back when Redis becomes available or unavailable. */
  onChange(callback: (isUp: boolean) => void): void;
  close(): Promise<void>;
};

type LinkDeps = {
  url: string;
  log: Log;
  /** Must write, so that a read-only Redis counts as unavailable. */
  beat: (run: Link['run']) => Promise<void>;
};

const BEAT_MILLIS = 500;
/** Heartbeats that may stay unanswered before the link reconnects. */
const LATE_BEATS_MAX = 6;
const CONNECT_MILLIS = 2_000;
const RECONNECT_MILLIS_MAX = 1_000;

type Client = ReturnType<typeof openClient>;

function openClient(url: string) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // Redis 6.2 and Valkey know both versions of the protocol.
    RESP: 2,
    socket: {
      connectTimeout: CONNECT_MILLIS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, RECONNECT_MILLIS_MAX),
    },
  });
  // Each failed attempt emits an error; the link reports the first.
  client.on('error', () => {});
  return client;
}

/** Opens one client for commands and one for messages. Subscriptions survive `reconnect`. */
function openClients(url: string) {
  const subscriptions = new Map<(message: string) => void, string>();
  let [client, subscriber] = connect();

  function connect(): [Client, Client] {
    const clients: [Client, Client] = [openClient(url), openClient(url)];
    for (const connection of clients) connection.connect().catch(() => {});
    for (const [onMessage, channel] of subscriptions) listen(clients[1], channel, onMessage);
    return clients;
  }

  function listen(connection: Client, channel: string, onMessage: (message: string) => void): void {
    const start = () => void connection.subscribe(channel, onMessage).catch(() => {});
    if (connection.isReady) start();
    // From then on, the client subscribes again by itself when it reconnects.
    else connection.once('ready', start);
  }

  const close = () => {
    for (const connection of [client, subscriber]) if (connection.isOpen) connection.destroy();
  };

  return {
    get client() {
      return client;
    },
    subscribe(channel: string, onMessage: (message: string) => void) {
      subscriptions.set(onMessage, channel);
      listen(subscriber, channel, onMessage);
      return () => {
        subscriptions.delete(onMessage);
        void subscriber.unsubscribe(channel, onMessage).catch(() => {});
      };
    },
    /** Subscribes to all channels again, because a subscription may have failed meanwhile. */
    resubscribe() {
      for (const [onMessage, channel] of subscriptions) listen(subscriber, channel, onMessage);
    },
    reconnect() {
      close();
      [client, subscriber] = connect();
    },
    close,
  };
}

async function evaluate(
  client: Client,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
) {
  const rest = [String(keys.length), ...keys, ...args.map(String)];
  try {
    return await client.sendCommand(['EVALSHA', script.sha, ...rest]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return await client.sendCommand(['EVAL', script.source, ...rest]);
  }
}

/** Whether the link is up. When it goes down, commands under way fail at once. */
function createStatus(log: Log, onUp: () => void) {
  const pending = new Set<(error: Error) => void>();
  const callbacks: ((isUp: boolean) => void)[] = [];
  let isUp = false;
  let hasReported = false;
  let isClosed = false;

  function failPending(error: Error): void {
    for (const reject of [...pending]) reject(error);
  }

  function set(isNowUp: boolean, error?: unknown): void {
    if (isClosed || (isNowUp === isUp && hasReported)) return;
    isUp = isNowUp;
    hasReported = true;
    if (isUp) {
      log.info('limits, turns and jobs are shared through Redis');
      onUp();
    } else {
      log.warn(
        { err: error },
        'Redis is away: this node has its own limits, turns and jobs until it is back',
      );
      failPending(new RedisAway('Redis went away', { cause: error }));
    }
    for (const callback of callbacks) callback(isUp);
  }

  return {
    isUp: () => isUp,
    set,
    onChange: (callback: (isUp: boolean) => void) => void callbacks.push(callback),

    /** Sends a command. Rejects when the command fails, or when the link goes down first. */
    async guard<T>(send: () => Promise<T>): Promise<T> {
      if (!isUp) throw new RedisAway('Redis is away');
      try {
        return await new Promise<T>((resolve, reject) => {
          pending.add(reject);
          send()
            .then(resolve, reject)
            .finally(() => pending.delete(reject));
        });
      } catch (error) {
        set(false, error);
        throw error instanceof RedisAway ? error : new RedisAway('a command failed', { cause: error });
      }
    },

    close() {
      isClosed = true;
      failPending(new RedisAway('this node stops'));
      isUp = false;
    },
  };
}

/** Opens the link. Resolves after the first heartbeat or soon without one: the service also starts without Redis. */
export async function openLink({ url, log, beat }: LinkDeps): Promise<Link> {
  const clients = openClients(url);
  const status = createStatus(log, clients.resubscribe);
  const run: Link['run'] = (script, keys, args) => evaluate(clients.client, script, keys, args);
  let isBeating = false;
  let lateBeats = 0;

  async function tick(): Promise<void> {
    // After this process was paused, the reply may be waiting in the socket.
    if (isBeating) await yieldToEventLoop();
    if (isBeating) {
      lateBeats += 1;
      status.set(false, new Error('Redis does not answer'));
      if (lateBeats % LATE_BEATS_MAX === 0) clients.reconnect();
      return;
    }
    isBeating = true;
    try {
      await beat(run);
      lateBeats = 0;
      status.set(true);
    } catch (error) {
      status.set(false, error);
    } finally {
      isBeating = false;
    }
  }

  const timer = setInterval(() => void tick(), BEAT_MILLIS);
  timer.unref();
  await whenReady(clients.client);
  await tick();

  return {
    get isUp() {
      return status.isUp();
    },
    run: (script, keys, args) => status.guard(() => run(script, keys, args)),
    send: (command) => status.guard(() => clients.client.sendCommand([...command])),
    subscribe: clients.subscribe,
    onChange: status.onChange,
    async close() {
      clearInterval(timer);
      status.close();
      clients.close();
    },
  };
}

/** Resolves once the client is connected, its first attempt has failed, or CONNECT_MILLIS have passed. */
function whenReady(client: Client): Promise<void> {
  return new Promise((resolve) => {
    if (client.isReady) return resolve();
    client.once('ready', resolve);
    client.once('error', () => resolve());
    setTimeout(resolve, CONNECT_MILLIS).unref();
  });
}
