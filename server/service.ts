import { createHmac, type KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
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
import { HttpExchange } from './http/exchange.ts';
import { mountFiles } from './http/files.ts';
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
const SWEEP_MILLIS = 60_000;

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
  const limiter = await openLimiter(store.rateWindows, clock, windowSecret(ring.visitorIdKey));
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
  // A header that came twice is one value that fits nowhere, instead of one of the two.
  const server = createServer({ joinDuplicateHeaders: true }, (request, response) => {
    requestsOpen += 1;
    response.on('close', () => {
      requestsOpen -= 1;
    });
    const exchange = new HttpExchange(newId('req'), request, response, config.trustsProxy);
    attachExchange(request, exchange);
    traffic.began(request, response, exchange.id);
    if (draining) response.setHeader('connection', 'close');
    app(request as never, response as never);
  });

  let sweptAt = Number.NEGATIVE_INFINITY;
  const sweep = async () => {
    while ((await store.sweep(clock.now())).more);
  };
  const tick = async () => {
    const isSweepDue = clock.now() - sweptAt >= SWEEP_MILLIS;
    if (isSweepDue) sweptAt = clock.now();
    // Each step is on its own: what has to be deleted is deleted whatever becomes of the others.
    const steps = [async () => ring.refresh(), limiter.save, ...(isSweepDue ? [sweep] : [])];
    for (const outcome of await Promise.allSettled(steps.map((step) => step()))) {
      if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'a background step failed');
    }
  };
  const timer = setInterval(tick, TICK_MILLIS);
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
  const cut = setTimeout(() => server.closeAllConnections(), graceMillis);
  server.closeIdleConnections();
  // An engine that does not stop when it is told to must not keep the process alive.
  await Promise.race([liveTurns.shutDown(), closed]);
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

/** Names rate windows. Made of the key that outlives rotations, so that windows outlive a restart. */
function windowSecret(key: KeyObject): string {
  return createHmac('sha256', key).update('rate windows').digest('base64url');
}
