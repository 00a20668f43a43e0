import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import proxyAddr from 'proxy-addr';
import { boot } from '../contract/boot.ts';
import { chat } from '../contract/chat.ts';
import { consent } from '../contract/consent.ts';
import { visitor } from '../contract/visitor.ts';
import { createAdmission } from './boot/admission.ts';
import { bootHandlers } from './boot/boot.ts';
import { cached } from './cache.ts';
import { chatHandlers } from './chat/chat.ts';
import { createLiveTurns, type LiveTurns } from './chat/live-turn.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { consentHandlers } from './consent/consent.ts';
import { openGeoDatabase } from './consent/geo-database.ts';
import type { Engine } from './engine/engine.ts';
import { createExtractiveEngine } from './engine/extractive.ts';
import { mountFiles } from './http/files.ts';
import type { Exchange } from './http/handler.ts';
import { mountHealth } from './http/health.ts';
import { openLimiter } from './http/limiter.ts';
import { attachExchange, createCorridor, type Door, mountLastDoors } from './http/mount.ts';
import { createTraffic } from './http/traffic.ts';
import { newId } from './ids.ts';
import { createRetriever } from './knowledge/retrieve.ts';
import { type Log, openLog } from './log.ts';
import { publicFiles } from './public-files.ts';
import { openSqlite } from './storage/sqlite/open.ts';
import type { Store } from './storage/store.ts';
import { openKeyRing } from './tokens/key-ring.ts';
import { createVisitorIds } from './tokens/visitor-id.ts';
import { createVisitorTokens } from './tokens/visitor-token.ts';
import { visitorHandlers } from './visitor/visitor.ts';

/** The only file that knows adapters and front doors together. */
export type Service = {
  readonly server: Server;
  /** Where browsers reach the service; known once it listens. */
  readonly baseUrl: () => string;
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  /** Listens and answers with the port. */
  listen(): Promise<number>;
  /** Does what is due: retention, rate windows, key rotation. Runs by itself; tests call it. */
  tick(): Promise<void>;
  /** Stops taking requests, tells open streams, stores what is waiting, closes. */
  close(): Promise<void>;
};

/** What tests put in place of the real thing. */
export type Overrides = { readonly clock?: Clock; readonly log?: Log; readonly engine?: Engine };

const LOCALES_CACHE_MILLIS = 5000;
const KILL_SWITCH_CACHE_MILLIS = 250;
const TICK_MILLIS = 1000;
const SWEEP_EVERY_TICKS = 60;

export async function openService(config: Config, overrides: Overrides = {}): Promise<Service> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? openLog(config.logLevel);
  const store = openSqlite({
    file: config.databaseFile,
    ...(config.databaseBytesMax === undefined ? {} : { bytesMax: config.databaseBytesMax }),
  });
  const traffic = createTraffic(log);
  const ring = openKeyRing(config.dataDir, config.tokenKeys, clock.now());
  const tokens = createVisitorTokens(ring, clock);
  const geo =
    config.geoDatabaseFile === undefined ? undefined : openGeoDatabase(config.geoDatabaseFile, clock.now());
  if (geo?.warning) log.warn(geo.warning);
  const admission = createAdmission({ workspaces: store.workspaces, rollout: config.rollout, clock });
  const limiter = await openLimiter(store.rateWindows, clock);
  const liveTurns = createLiveTurns((open) => traffic.openStreams.set(open));
  const killSwitch = cached(clock, KILL_SWITCH_CACHE_MILLIS, () => store.switches.isOn('kill_switch'));
  const localesOf = cached(clock, LOCALES_CACHE_MILLIS, async (workspaceId) =>
    (await store.in(workspaceId).passages.partitions()).map(({ locale }) => locale).sort(),
  );
  const doors: Door[] = [
    {
      surface: boot,
      handlers: bootHandlers({
        store,
        clock,
        admission,
        tokens,
        visitorIds: createVisitorIds(ring.visitorIdKey),
        localesOf,
        edgeProvider: config.edgeProvider,
        geo,
      }),
    },
    {
      surface: chat,
      handlers: chatHandlers({
        store,
        clock,
        log,
        engine: overrides.engine ?? createExtractiveEngine(),
        retriever: createRetriever({ passages: (workspaceId) => store.in(workspaceId).passages }),
        liveTurns,
        localesOf,
        streamsMax: config.streamsMax,
        onTurnFinish: (finishReason, droppedActions) => {
          traffic.turns.inc({ finish_reason: finishReason });
          traffic.droppedActions.inc(droppedActions);
        },
      }),
    },
    { surface: consent, handlers: consentHandlers({ store, clock }) },
    { surface: visitor, handlers: visitorHandlers({ store }) },
  ];
  let draining = false;
  const corridor = {
    admission,
    tokens,
    limiter,
    clock,
    log,
    traffic,
    isDraining: () => draining,
    isKilled: async () => config.killSwitch || (await killSwitch('')),
  };
  const app = createCorridor(doors, corridor);
  mountHealth(app, {
    store,
    dataDir: config.dataDir,
    registry: traffic.registry,
    metricsToken: config.metricsToken,
    isDraining: () => draining,
  });
  mountFiles(
    app,
    publicFiles(config, () => baseUrlOf(config, server)),
  );
  mountLastDoors(app, corridor);

  let requestsOpen = 0;
  const server = createServer((request, response) => {
    requestsOpen += 1;
    response.on('close', () => {
      requestsOpen -= 1;
    });
    const exchange = exchangeOf(request, response, config, clock);
    attachExchange(request, exchange);
    traffic.began(request, response, exchange.id);
    if (draining) response.setHeader('connection', 'close');
    app(request as never, response as never);
  });

  let ticks = 0;
  const tick = async () => {
    ring.refresh();
    await limiter.save();
    if (ticks++ % SWEEP_EVERY_TICKS === 0) while ((await store.sweep(clock.now())).more);
  };
  const timer = setInterval(
    () => tick().catch((error) => log.warn({ err: error }, 'a background step failed')),
    TICK_MILLIS,
  );
  timer.unref();

  return {
    server,
    baseUrl: () => baseUrlOf(config, server),
    store,
    log,
    clock,
    tick,
    listen: () => listen(server, config),
    async close() {
      draining = true;
      clearInterval(timer);
      await drain(server, liveTurns, () => requestsOpen, config.shutdownMillis);
      await limiter.save().catch((error) => log.error({ err: error }, 'rate windows were not stored'));
      await store.close();
      log.flush();
    },
  };
}

/** Id, address and hang-up signal of a request; the signal is made only for those who listen to it. */
function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  config: Config,
  clock: Clock,
): Exchange {
  const peer = request.socket.remoteAddress ?? '';
  const trusted = config.trustsProxy?.(peer, 0) ?? false;
  let hangUp: AbortController | undefined;
  return {
    id: newId('req'),
    headers: request.headers,
    clientAddress: trusted && config.trustsProxy ? proxyAddr(request, config.trustsProxy) : peer,
    peerTrusted: trusted,
    receivedAt: clock.now(),
    get signal() {
      if (!hangUp) {
        const controller = new AbortController();
        if (response.destroyed) controller.abort();
        response.on('close', () => controller.abort());
        hangUp = controller;
      }
      return hangUp.signal;
    },
  };
}

function baseUrlOf(config: Config, server: Server): string {
  if (config.publicUrl) return config.publicUrl;
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `http://${host}:${port}`;
}

function listen(server: Server, config: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : config.port);
    });
  });
}

const DRAIN_CHECK_MILLIS = 50;

/** New connections are refused, streams are told and end, what still hangs after the grace is cut. */
async function drain(
  server: Server,
  liveTurns: LiveTurns,
  requestsOpen: () => number,
  graceMillis: number,
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await liveTurns.shutDown();
  const cut = setTimeout(() => server.closeAllConnections(), graceMillis);
  // Browsers open connections ahead of need; one that has asked nothing must not hold up the end.
  let quiet = 0;
  const check = setInterval(() => {
    quiet = requestsOpen() === 0 ? quiet + 1 : 0;
    if (quiet > 2) server.closeAllConnections();
    else server.closeIdleConnections();
  }, DRAIN_CHECK_MILLIS);
  await closed;
  clearTimeout(cut);
  clearInterval(check);
}
