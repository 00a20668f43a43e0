import { createHmac, type KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { boot } from '../contract/boot.ts';
import { chat } from '../contract/chat.ts';
import { consent } from '../contract/consent.ts';
import { exporting } from '../contract/export.ts';
import { visitor } from '../contract/visitor.ts';
import { voice } from '../contract/voice.ts';
import { createLimitHits } from './analytics/rate-limit-events.ts';
import { bootHandlers } from './boot/boot.ts';
import { createSightings } from './boot/installation-checks.ts';
import { createWorkspaceResolver } from './boot/workspace-resolver.ts';
import { memoizeWithTtl } from './cache.ts';
import { chatHandlers } from './chat/chat.ts';
import { createLiveTurns } from './chat/turn-broadcast.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { consentHandlers } from './consent/consent.ts';
import { openGeoDatabase } from './consent/geo-database.ts';
import type { Engine } from './engine/engine.ts';
import { openEngine } from './engine/open-engine.ts';
import { withAiDisclosure } from './engine/with-ai-disclosure.ts';
import { exportHandlers } from './export/export.ts';
import { HttpRequestContext } from './http/context.ts';
import { mountDashboard } from './http/dashboard-app.ts';
import { mountFiles } from './http/files.ts';
import { mountGuide } from './http/guide-files.ts';
import { mountHealth } from './http/health.ts';
import { baseUrlOf, drain, listen } from './http/http-server.ts';
import { createLlmMetrics } from './http/llm-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { createApp, mountFallbacks } from './http/mount.ts';
import { attachContext, type RouteGroup } from './http/pipeline.ts';
import { openLimiter } from './http/rate-limit.ts';
import { shortPath } from './http/short-path.ts';
import { createUploadBudget } from './http/upload-budget.ts';
import { newId } from './ids.ts';
import { createIndexing } from './knowledge/search/indexing.ts';
import { rebuildIndex } from './knowledge/search/reindex.ts';
import { createRetriever } from './knowledge/search/retrieve.ts';
import { type Log, openLog } from './log.ts';
import { listPublicFiles } from './public-files.ts';
import { openSpeech } from './speech/open-speech.ts';
import type { Speech } from './speech/speech.ts';
import { openSqlite } from './storage/sqlite/open.ts';
import type { Store } from './storage/store.ts';
import { tenantDoors } from './tenant-doors.ts';
import { openKeyRing } from './tokens/key-ring.ts';
import { createVisitorIds } from './tokens/visitor-id.ts';
import { createVisitorTokens } from './tokens/visitor-token.ts';
import { purgeRemoved } from './transfer/removal.ts';
import { visitorHandlers } from './visitor/visitor.ts';
import { settleOverdue } from './voice/reservations.ts';
import { voiceHandlers } from './voice/voice.ts';

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
export type Overrides = {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly engine?: Engine;
  readonly speech?: Speech;
};

const LOCALES_CACHE_MILLIS = 5000;
const KILL_SWITCH_CACHE_MILLIS = 250;
const TICK_MILLIS = 1000;
const SWEEP_MILLIS = 60_000;

export async function openService(config: Config, overrides: Overrides = {}): Promise<Service> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? openLog(config.logLevel);
  const store = openSqlite(config.database);
  const metrics = createMetrics(log);
  const llmMetrics = createLlmMetrics(metrics.registry);
  const answering = await openEngine(config.llm, {
    now: clock.now,
    onFirstText: llmMetrics.firstText,
    onUsage: llmMetrics.used,
    onFailure(trouble, error) {
      llmMetrics.failed(trouble);
      log.warn({ err: error, trouble }, 'the language model failed');
    },
    onFallback: llmMetrics.fellBack,
  });
  const ring = openKeyRing(config.dataDir, config.tokenKeys, clock.now());
  const tokens = createVisitorTokens(ring, clock);
  const geo =
    config.geoDatabaseFile === undefined ? undefined : openGeoDatabase(config.geoDatabaseFile, clock.now());
  if (geo?.warning) log.warn(geo.warning);
  const workspaceResolver = createWorkspaceResolver({
    workspaces: store.workspaces,
    rollout: config.rollout,
    clock,
  });
  const limitHits = createLimitHits({ store, clock, log });
  const limiter = await openLimiter(
    store.rateWindows,
    clock,
    secretFor('rate windows', ring.visitorIdKey),
    limitHits,
  );
  const speech = overrides.speech ?? openSpeech(config.speech, { clock, observe: metrics.providerAnswered });
  const liveTurns = createLiveTurns((open) => metrics.openStreams.set(open));
  const killSwitch = memoizeWithTtl(clock, KILL_SWITCH_CACHE_MILLIS, () =>
    store.featureFlags.isOn('kill_switch'),
  );
  const getLocales = memoizeWithTtl(clock, LOCALES_CACHE_MILLIS, async (workspaceId) =>
    (await store.in(workspaceId).passages.partitions()).map(({ locale }) => locale).sort(),
  );
  const retriever = createRetriever({ passages: (workspaceId) => store.in(workspaceId).passages });
  const indexing = createIndexing();
  const engine = withAiDisclosure(overrides.engine ?? answering.engine);
  const installations = createSightings({ store, clock });
  const routeGroups: RouteGroup[] = [
    {
      router: boot,
      handlers: bootHandlers({
        store,
        clock,
        workspaceResolver,
        tokens,
        visitorIds: createVisitorIds(ring.visitorIdKey),
        getLocales,
        edgeProvider: config.edgeProvider,
        geo,
        installations,
        onUncounted: (error) => log.error({ err: error }, 'a boot was not counted'),
      }),
    },
    {
      router: chat,
      handlers: chatHandlers({
        store,
        clock,
        log,
        engine,
        retriever,
        liveTurns,
        getLocales,
        streamsMax: config.streamsMax,
        onTurnFinish: (finishReason, { actions, ...others }) => {
          metrics.turns.inc({ finish_reason: finishReason });
          metrics.droppedActions.inc(actions);
          for (const [what, count] of Object.entries(others)) metrics.droppedOutput.inc({ what }, count);
        },
      }),
    },
    { router: consent, handlers: consentHandlers({ store, clock }) },
    { router: visitor, handlers: visitorHandlers({ store }) },
    {
      router: voice,
      handlers: voiceHandlers({
        store,
        clock,
        log,
        speech,
        onUse: metrics.voiceUsed,
        onCap: (who) => {
          metrics.voiceCapExceeded.inc();
          limitHits('voice/cap', who);
        },
      }),
    },
    ...tenantDoors({
      store,
      clock,
      engine,
      retriever,
      indexing,
      getLocales,
      installations,
      consumeRateLimit: limiter.consumeRateLimit,
      baseUrl: () => baseUrlOf(config, server),
    }),
    {
      router: exporting,
      handlers: exportHandlers({
        store,
        clock,
        cursorSecret: secretFor('export cursors', ring.visitorIdKey),
      }),
    },
  ];
  let draining = false;
  const pipelineDeps = {
    workspaceResolver,
    store,
    tokens,
    limiter,
    clock,
    log,
    metrics,
    uploads: createUploadBudget(config.uploads, (held) => metrics.uploadBytes.set(held)),
    isDraining: () => draining,
    isKilled: async () => config.killSwitch || (await killSwitch('')),
  };
  const app = createApp(routeGroups, pipelineDeps);
  const takesShortPath = shortPath(routeGroups, pipelineDeps);
  mountHealth(app, {
    store,
    dataDir: config.dataDir,
    registry: metrics.registry,
    metricsToken: config.metricsToken,
    isDraining: () => draining,
  });
  mountFiles(
    app,
    listPublicFiles(config, () => baseUrlOf(config, server)),
  );
  mountGuide(app, new URL('../dist/', import.meta.url));
  mountDashboard(app, new URL('../dist/dashboard/', import.meta.url));
  mountFallbacks(app, pipelineDeps);

  const stopping = new AbortController();
  const renewal = rebuildIndex({
    passageIndex: store.passageIndex,
    indexing,
    log,
    signal: stopping.signal,
  }).catch((error) => log.warn({ err: error }, 'the search index could not be renewed'));

  let requestsOpen = 0;
  // A header that came twice is one value that fits nowhere, instead of one of the two.
  const server = createServer({ joinDuplicateHeaders: true }, (request, response) => {
    requestsOpen += 1;
    response.on('close', () => {
      requestsOpen -= 1;
    });
    const ctx = new HttpRequestContext(newId('req'), request, response, config.trustsProxy, config.publicUrl);
    attachContext(request, ctx);
    metrics.observe(request, response, ctx.id);
    if (draining) response.setHeader('connection', 'close');
    if (!takesShortPath(request, response)) app(request as never, response as never);
  });

  let sweptAt = Number.NEGATIVE_INFINITY;
  const sweep = async () => {
    while ((await store.sweep(clock.now())).more);
    await settleOverdue({ store, clock, onUse: metrics.voiceUsed });
  };
  let removing: Promise<unknown> | undefined;
  // It may take longer than until the next tick.
  const remove = () => {
    removing ??= purgeRemoved({ store, clock }).finally(() => {
      removing = undefined;
    });
    return removing;
  };
  const tick = async () => {
    const isSweepDue = clock.now() - sweptAt >= SWEEP_MILLIS;
    if (isSweepDue) sweptAt = clock.now();
    // Each step is on its own: what has to be deleted is deleted whatever becomes of the others.
    const steps = [
      async () => ring.refresh(),
      limiter.save,
      () => installations.save(),
      remove,
      ...(isSweepDue ? [sweep] : []),
    ];
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
      await drain(server, liveTurns.shutDown, () => requestsOpen, config.shutdownMillis);
      stopping.abort();
      await renewal;
      await limiter.save().catch((error) => log.error({ err: error }, 'rate windows were not stored'));
      await installations.save(true).catch((error) => log.error({ err: error }, 'sightings were not stored'));
      answering.close();
      await store.close();
      log.flush();
    },
  };
}

/** A secret for each purpose, made of the key that outlives rotations, so that what it names outlives a restart. */
function secretFor(purpose: string, key: KeyObject): string {
  return createHmac('sha256', key).update(purpose).digest('base64url');
}
