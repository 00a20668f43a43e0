import { randomUUID } from 'node:crypto';
import { type LiveTurns, type StreamSlot, type TurnFrame, TurnLost, type TurnRun } from '../coordination.ts';
import { LocalTurns, type TurnBroadcast } from '../memory/live-turns.ts';
import { type Link, script } from './link.ts';

/** How long a vanished node still counts as running its turns. */
const LEASE_MILLIS = 6_000;
const RENEW_MILLIS = 2_000;
/** Maximum delay of frames, so that several are sent to Redis together. */
const BATCH_MILLIS = 30;
/** How long frames outlive the node that wrote them, so that the next attempt can continue their numbers. */
const FRAMES_MILLIS = 60_000;
/** Messages wake readers. A missed message delays a reader by this time, after which it looks by itself. */
const LOOK_AGAIN_MILLIS = 1_000;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** KEYS slots, lease. ARGV slot, maximum of slots, milliseconds, attempt. The slot identifies the run in the lease. */
const RESERVE = script(`${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if tonumber(redis.call('HGET', KEYS[2], 'attempt') or '0') < tonumber(ARGV[4]) then
  redis.call('HSET', KEYS[2], 'attempt', ARGV[4], 'run', ARGV[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return 1
`);

/** KEYS slots. ARGV slot, milliseconds. */
const KEEP_SLOT = script(`${NOW}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** KEYS slots, lease. ARGV slot. Deletes the lease only if it belongs to this run. */
const RELEASE = script(`
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('HGET', KEYS[2], 'run') == ARGV[1] then redis.call('DEL', KEYS[2]) end
return 0
`);

/**
 * KEYS lease, frames. ARGV attempt, slot, milliseconds of the lease, milliseconds of the frames, position of the first
 * frame, position after the last frame, frames, '1' if the turn has ended. Returns 0 when a later attempt has begun, -1
 * when Redis has lost earlier frames. An entry's id is the position after its last frame, so Redis rejects a repeated
 * entry.
 */
const APPEND = script(`
if tonumber(redis.call('HGET', KEYS[1], 'attempt') or '0') > tonumber(ARGV[1]) then return 0 end
if tonumber(ARGV[5]) > 0 and redis.call('EXISTS', KEYS[2]) == 0 then return -1 end
if ARGV[6] ~= ARGV[5] then redis.pcall('XADD', KEYS[2], '1-' .. ARGV[6], 'frames', ARGV[7]) end
if ARGV[8] == '1' then
  redis.pcall('XADD', KEYS[2], '2-0', 'end', '1')
  redis.call('DEL', KEYS[1])
else
  redis.call('HSET', KEYS[1], 'attempt', ARGV[1], 'run', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
if ARGV[6] ~= ARGV[5] or ARGV[8] == '1' then redis.call('PUBLISH', KEYS[1], '') end
return 1
`);

/** KEYS lease, readers. ARGV reader, milliseconds. Registers the reader and returns the running attempt, or nothing. */
const READ = script(`
local attempt = redis.call('HGET', KEYS[1], 'attempt')
if not attempt then return false end
${NOW}
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return attempt
`);

/** KEYS readers. */
const COUNT_READERS = script(`${NOW}
return redis.call('ZCOUNT', KEYS[1], now, '+inf')
`);

type RedisLiveTurnDeps = {
  link: Link;
  prefix: string;
  /** Derives a name from a visitor id without revealing it. */
  digestVisitor: (visitorId: string) => string;
  onOpenTurns: (open: number) => void;
};

type Keys = ReturnType<typeof createKeys>;

function createKeys(prefix: string) {
  return {
    lease: (messageId: string) => `${prefix}t:${messageId}`,
    frames: (messageId: string, attempt: number) => `${prefix}f:${messageId}:${attempt}`,
    readers: (messageId: string) => `${prefix}r:${messageId}`,
    slots: (visitor: string) => `${prefix}s:${visitor}`,
  };
}

/** Turns run in their node's memory. Redis knows which node runs a turn, and has its frames for readers elsewhere. */
export function createRedisLiveTurns(deps: RedisLiveTurnDeps): LiveTurns & { close(): void } {
  const { link } = deps;
  const keys = createKeys(deps.prefix);
  const turns = new LocalTurns(deps.onOpenTurns);
  const sharedTurns = new Set<SharedTurn>();
  /** Releases under way: each sends the last frames of a run to Redis and frees its slot. */
  const releases = new Set<Promise<void>>();
  const renewal = setInterval(() => {
    if (link.isUp) for (const turn of sharedTurns) turn.renew();
  }, RENEW_MILLIS);
  renewal.unref();

  return {
    async follow(messageId, from, disconnected) {
      const localTurn = turns.find(messageId);
      if (localTurn) return localTurn.subscribe(from, disconnected);
      const reader = randomUUID();
      const attempt = await readLease(link, keys, messageId, reader);
      return attempt === undefined
        ? undefined
        : followElsewhere({ link, keys, messageId, attempt, reader, disconnected }, from);
    },

    async reserve(run, slotsMax, onRelease) {
      const sharedTurn = new SharedTurn(run, keys.slots(deps.digestVisitor(run.visitorId)), link, keys);
      let isGranted = false;
      const free = () => {
        sharedTurns.delete(sharedTurn);
        const release = sharedTurn.release().finally(() => releases.delete(release));
        releases.add(release);
        if (isGranted) onRelease();
      };
      const slot = turns.reserve(run, slotsMax, free, sharedTurn);
      isGranted = slot !== undefined && (await sharedTurn.reserve(slotsMax));
      if (!slot || !isGranted) {
        slot?.release();
        return undefined;
      }
      return {
        ...slot,
        open(earlierFrames) {
          const turn = slot.open(earlierFrames) as TurnBroadcast;
          sharedTurn.open(turn);
          sharedTurns.add(sharedTurn);
          return turn;
        },
      } satisfies StreamSlot;
    },

    recover: (run) => readFramesBeforeError(link, keys, run),

    pause: () => turns.stopAll('paused'),
    async shutDown() {
      await turns.shutDown();
      await Promise.all(releases);
    },
    close: () => clearInterval(renewal),
  };
}

/** Returns the frames before an error, which the next attempt continues; none if Redis has lost them. */
async function readFramesBeforeError(
  link: Link,
  keys: Keys,
  { messageId, attempt }: Pick<TurnRun, 'messageId' | 'attempt'>,
): Promise<readonly TurnFrame[]> {
  if (!link.isUp) return [];
  try {
    const { frames } = await readFrames(link, keys.frames(messageId, attempt), messageId, 0);
    const errorAt = frames.findIndex(({ event }) => event === 'error');
    return errorAt === -1 ? frames : frames.slice(0, errorAt);
  } catch {
    return [];
  }
}

/** One run of a turn at this node, and its copy in Redis. */
class SharedTurn {
  readonly #run: TurnRun;
  readonly #slotsKey: string;
  readonly #link: Link;
  readonly #keys: Keys;
  readonly #slot = randomUUID();
  #turn: TurnBroadcast | undefined;
  /** Number of frames that Redis has. */
  #sent = 0;
  #isEnded = false;
  #isEndSent = false;
  #isLookingForReaders = false;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: TurnRun, slotsKey: string, link: Link, keys: Keys) {
    this.#run = run;
    this.#slotsKey = slotsKey;
    this.#link = link;
    this.#keys = keys;
  }

  /** Takes a slot in Redis. Without Redis, only the slots of this node count. */
  async reserve(slotsMax: number): Promise<boolean> {
    if (!this.#link.isUp) return true;
    const { messageId, attempt } = this.#run;
    const keys = [this.#slotsKey, this.#keys.lease(messageId)];
    const args = [this.#slot, slotsMax, LEASE_MILLIS, attempt];
    try {
      return (await this.#link.run(RESERVE, keys, args)) === 1;
    } catch {
      return true;
    }
  }

  async release(): Promise<void> {
    const keys = [this.#slotsKey, this.#keys.lease(this.#run.messageId)];
    // Send the last frames before the lease ends: without a lease, readers treat the turn as lost.
    await this.flush();
    if (this.#link.isUp) await this.#link.run(RELEASE, keys, [this.#slot]).catch(ignore);
  }

  open(turn: TurnBroadcast): void {
    this.#turn = turn;
    if (turn.frames.length > 0) this.onFrame();
  }

  readonly onFrame = (): void => {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, BATCH_MILLIS);
  };

  readonly onEnd = (): void => {
    this.#isEnded = true;
    void this.flush();
  };

  /** Readers at other nodes keep the turn running too. */
  readonly onUnread = (turn: TurnBroadcast): void => {
    if (!this.#link.isUp) turn.stop('disconnected');
    else if (!this.#isLookingForReaders) void this.#stopWhenUnread(turn);
  };

  async #stopWhenUnread(turn: TurnBroadcast): Promise<void> {
    this.#isLookingForReaders = true;
    while (!turn.isRead && !this.#isEnded) {
      const readers = await this.#countReaders();
      if (turn.isRead || this.#isEnded) break;
      if (readers === 0) turn.stop('disconnected');
      if (turn.signal.aborted) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MILLIS));
    }
    this.#isLookingForReaders = false;
  }

  async #countReaders(): Promise<number> {
    try {
      return (await this.#link.run(COUNT_READERS, [this.#keys.readers(this.#run.messageId)], [])) as number;
    } catch {
      return 0;
    }
  }

  renew(): void {
    this.#link.run(KEEP_SLOT, [this.#slotsKey], [this.#slot, LEASE_MILLIS]).catch(ignore);
    this.flush(true).catch(ignore);
  }

  /** Sends the frames that Redis lacks, in one call at a time, so that they stay in order. */
  async flush(isRenewal = false): Promise<void> {
    while (this.#flushing) await this.#flushing;
    if (!this.#turn || this.#isEndSent || !this.#link.isUp) return;
    const isDone = this.#isEnded;
    if (this.#sent === this.#turn.frames.length && !isDone && !isRenewal) return;
    this.#flushing = this.#append(this.#turn, isDone).finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  async #append(turn: TurnBroadcast, isDone: boolean): Promise<void> {
    const { messageId, attempt } = this.#run;
    const frameCount = turn.frames.length;
    const texts = turn.frames.slice(this.#sent).map(({ data }) => data);
    try {
      const outcome = await this.#link.run(
        APPEND,
        [this.#keys.lease(messageId), this.#keys.frames(messageId, attempt)],
        [
          ...[attempt, this.#slot, LEASE_MILLIS, FRAMES_MILLIS],
          ...[this.#sent, frameCount, JSON.stringify(texts), isDone ? '1' : '0'],
        ],
      );
      if (outcome === -1) {
        this.#sent = 0;
        return await this.#append(turn, isDone);
      }
      this.#sent = frameCount;
      this.#isEndSent = isDone || outcome === 0;
    } catch {
      // The frames are sent again with the next ones, or when the lease is renewed.
    }
  }
}

type Following = {
  link: Link;
  keys: Keys;
  messageId: string;
  attempt: number;
  reader: string;
  disconnected: AbortSignal;
};

/** Registers the reader. Returns the running attempt, or undefined when no node runs the turn. */
async function readLease(
  link: Link,
  keys: Keys,
  messageId: string,
  reader: string,
): Promise<number | undefined> {
  if (!link.isUp) return undefined;
  const args = [reader, LEASE_MILLIS];
  const attempt = await link
    .run(READ, [keys.lease(messageId), keys.readers(messageId)], args)
    .catch(() => null);
  return attempt === null ? undefined : Number(attempt);
}

async function* followElsewhere(
  { link, keys, messageId, attempt, reader, disconnected }: Following,
  from: number,
): AsyncGenerator<TurnFrame, void, undefined> {
  let wake = () => {};
  const onAbort = () => wake();
  disconnected.addEventListener('abort', onAbort, { once: true });
  let wasNotified = false;
  const unsubscribe = link.subscribe(keys.lease(messageId), () => {
    wasNotified = true;
    wake();
  });
  let renewAt = performance.now() + RENEW_MILLIS;
  let isLeased = true;
  try {
    for (let at = from; ; ) {
      wasNotified = false;
      const { frames, isEnded } = await readFrames(link, keys.frames(messageId, attempt), messageId, at);
      yield* frames;
      at += frames.length;
      if (isEnded || disconnected.aborted) return;
      if (!isLeased) throw new TurnLost('the node of the turn went away');
      if (!wasNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LOOK_AGAIN_MILLIS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (performance.now() < renewAt) continue;
      renewAt = performance.now() + RENEW_MILLIS;
      // The end may have been written meanwhile, so read frames once more.
      isLeased = (await readLease(link, keys, messageId, reader)) === attempt;
    }
  } finally {
    disconnected.removeEventListener('abort', onAbort);
    unsubscribe();
    link.send(['ZREM', keys.readers(messageId), reader]).catch(ignore);
  }
}

type Entry = [id: string, fields: string[]];

/** Returns the frames from this position on. @throws TurnLost while Redis is away. */
async function readFrames(
  link: Link,
  key: string,
  messageId: string,
  from: number,
): Promise<{ frames: TurnFrame[]; isEnded: boolean }> {
  const entries = (await link.send(['XRANGE', key, `(1-${from}`, '+']).catch((error) => {
    throw new TurnLost('Redis went away', { cause: error });
  })) as Entry[];
  const frames: TurnFrame[] = [];
  let isEnded = false;
  for (const [id, [field, value]] of entries) {
    if (field === 'end') isEnded = true;
    else {
      const texts = JSON.parse(value!) as string[];
      const first = Number(id.slice('1-'.length)) - texts.length;
      texts.forEach((data, index) => {
        if (first + index === from + frames.length) frames.push(toFrame(messageId, first + index, data));
      });
    }
  }
  return { frames, isEnded };
}

function toFrame(messageId: string, seq: number, data: string): TurnFrame {
  return { id: `${messageId}:${seq}`, event: (JSON.parse(data) as { type: string }).type, data };
}

const ignore = () => {};
