import { createHmac, type KeyObject } from 'node:crypto';
import { WORKSPACE_LIMITS } from '../contract/limits/workspace.ts';
import { createProviderClient } from './accounts/provider-client.ts';
import { createDomainRechecks } from './accounts/recheck-domains.ts';
import { openStore } from './backup/open-store.ts';
import { createRegularBackups } from './backup/regular-backups.ts';
import { createNamedServers, type ResolveName } from './base/address-guard.ts';
import { PUBLIC } from './base/audience.ts';
import { memoizeWithTtl } from './base/cache.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { type ResolveTexts, resolveTexts } from './base/domain-proof.ts';
import { CHAT_TAGS } from './base/guide-languages.ts';
import { type Log, openLog } from './base/log.ts';
import { detectLanguage } from './chat/intent/detect-language.ts';
import { knowsIntents } from './chat/intent/predict-intent.ts';
import type { Coordination } from './coordination/coordination.ts';
import { openMemoryCoordination } from './coordination/memory/memory.ts';
import { DEMO_VECTORS_FILE } from './demo/demo.ts';
import type { Engine } from './engine/engine.ts';
import { createExtractiveEngine } from './engine/extractive.ts';
import { openEngines } from './engine/open-engines.ts';
import { createHelpAddresses, toBaseUrl } from './help/addresses.ts';
import { createHelpDomains } from './help/domains.ts';
import { createProofFileReader } from './help/proof-file.ts';
import { addPublicUrls } from './help/public-urls.ts';
import { createHelpSites } from './help/sites.ts';
import type { ConsumeRateLimit } from './http/handler.ts';
import type { HttpServer, HttpServerOptions } from './http/http-server.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { createLimiter } from './http/rate-limit.ts';
import { createResourceLimits, type ResourceLimits } from './http/resource-limits.ts';
import { TurnQueue } from './http/turn-queue.ts';
import { createRateLimitRecorder } from './insights/analytics.ts';
import { createInboxCollector } from './insights/collector.ts';
import { createAnswerTestRunner, type RunTestDeps } from './insights/run-answer-tests.ts';
import { createSearchCounter } from './insights/search-counter.ts';
import { KILL_SWITCH_CACHE_MILLIS } from './jobs.ts';
import { createDictionaryBuilder } from './knowledge/dictionary/builder.ts';
import { createLoadedDictionaries } from './knowledge/dictionary/dictionary.ts';
import { openEmbeddings } from './knowledge/embeddings/open-embeddings.ts';
import type { EmbedMessages } from './knowledge/embeddings/similarity.ts';
import { createScheduledPublisher } from './knowledge/schedules.ts';
import { createIndexing } from './knowledge/search/indexing.ts';
import { createRetriever } from './knowledge/search/retrieve.ts';
import { traceRetriever } from './knowledge/search/traced-retriever.ts';
import { type ComposeMail, createComposer } from './people/compose-mail.ts';
import { createWebhookJob } from './people/deliver-webhooks.ts';
import { createDigestJob, createUnsubscribeLinks } from './people/digest.ts';
import { createMailSender } from './people/mail-sender.ts';
import { createReplyAddresses } from './people/reply-address.ts';
import { createUserTokens } from './people/user-token.ts';
import { createWebhookSender } from './people/webhook-sender.ts';
import type { Config } from './settings/config.ts';
import { type AddressCheck, createAddressCheck } from './sources/public-addresses.ts';
import { createSourceRunner, type ReadSource } from './sources/runs.ts';
import { createTokenOpener } from './sources/settings.ts';
import { openSpeech } from './speech/open-speech.ts';
import type { Speech } from './speech/speech.ts';
import { traceSpeech } from './speech/traced-speech.ts';
import type { Store } from './storage/store.ts';
import type { Workspace } from './storage/workspaces.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { KeyRing } from './tokens/key-ring.ts';
import { openRing } from './tokens/open-ring.ts';
import { createSecretBox, type SecretBox, toKeyOwner } from './tokens/sealed-text.ts';
import { createDevices } from './tokens/session-cookie.ts';
import { createVisitorIds, createVisitorTokens } from './tokens/visitor-token.ts';
import { createWorkspaceResolver } from './visitors/boot.ts';
import { openGeoDatabase } from './visitors/consent/geo-database.ts';
import { createFirstQuestions } from './visitors/first-questions.ts';
import { createInstallationTracker } from './visitors/installation.ts';
import { createEraseVisitor, openErasedVisitors } from './visitors/visitor.ts';
import { createAuditTrail } from './workspaces/audit-trail.ts';
import { createStorageMeter } from './workspaces/storage-meter.ts';
import { createTokenBudget } from './workspaces/token-budget.ts';

/** Replacements for tests. */
export type Overrides = {
  clock?: Clock;
  log?: Log;
  engine?: Engine;
  speech?: Speech;
  timeouts?: HttpServerOptions['timeouts'];
  /** Resolves the host names of websites that are read as sources, of workspaces' models, and of webhooks. */
  resolveName?: ResolveName;
  /** Reads the TXT records that prove domains. */
  resolveTexts?: ResolveTexts;
  /** Replaces the address of Notion's API, and the pause between requests to services that are read as sources. */
  services?: { notionUrl?: string; intervalMillis?: number };
};

const LOCALES_CACHE_MILLIS = 5000;

export type Core = {
  clock: Clock;
  log: Log;
  store: Store;
  metrics: Metrics;
  ring: KeyRing;
  resourceLimits: ResourceLimits;
  turnQueue: TurnQueue;
  telemetry: Telemetry | undefined;
};

/** Opens storage, keys, clock, log and metrics, on which everything else depends. */
export async function openCore(config: Config, overrides: Overrides): Promise<Core> {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? openLog(config.logLevel);
  const store = await openStore(config.database, log);
  try {
    await assertUndamaged(store, config.database.file);
    const ring = await openRing(store, config, clock.now());
    const metrics = createMetrics(log);
    metrics.observeStorage(store.problems);
    if (store.connections) metrics.observeConnections(store.connections);
    if (store.replicaLagSeconds && config.database.postgres?.readUrl !== undefined)
      metrics.observeReplica(store.replicaLagSeconds);
    const telemetry = await openTelemetry(config, metrics, log);
    return {
      clock,
      log,
      store,
      metrics,
      ring,
      telemetry,
      resourceLimits: openResourceLimits(config, metrics),
      turnQueue: new TurnQueue(),
    };
  } catch (error) {
    await store.close();
    log.flush();
    throw error;
  }
}

/** Loads the exporters only if telemetry is configured: most installations export nothing. */
async function openTelemetry({ telemetry }: Config, { registry }: Metrics, log: Log) {
  if (telemetry === undefined) return undefined;
  const adapter = await import('./telemetry/open-telemetry.ts');
  return adapter.openTelemetry(telemetry, registry, log);
}

/** Throws if an earlier run found damage that is still there: serving would lose more data. */
async function assertUndamaged(store: Store, file: string): Promise<void> {
  if (!store.problems().includes('corrupt')) return;
  await store.check();
  if (!store.problems().includes('corrupt')) return;
  throw new Error(`${file} is damaged. Restore a backup: \`guidepost restore FILE --force\``);
}

/**
 * A workspace may hold up to four fifths of the streams and body bytes, a network half of everything, and a visitor a
 * third of the body bytes.
 */
function openResourceLimits(
  { connectionsMax, bodyBytesMax, streamsMax }: Config,
  { resourceLimits: metrics }: Metrics,
) {
  const resourceLimits = createResourceLimits(
    {
      connections: { total: connectionsMax, ownerFactors: { network: 1 } },
      body_bytes: { total: bodyBytesMax, ownerFactors: { network: 1, visitor: 0.5, workspace: 4 } },
      streams: { total: streamsMax, ownerFactors: { network: 1, workspace: 4 } },
    },
    metrics.recordExceeded,
  );
  metrics.observe(resourceLimits);
  return resourceLimits;
}

function openVoiceProviders(
  { speech: settings }: Config,
  overrides: Overrides,
  { clock, metrics, telemetry }: Core,
) {
  const speech = overrides.speech ?? openSpeech(settings, { clock, observe: metrics.voice.observeProvider });
  return telemetry ? traceSpeech(speech, telemetry) : speech;
}

export type Deps = Awaited<ReturnType<typeof openDeps>>;

/** Opens everything that handlers, the pipeline and background jobs depend on. */
export async function openDeps(config: Config, overrides: Overrides, core: Core, http: HttpServer) {
  const { clock, log, store, ring } = core;
  const recordLimitHit = createRateLimitRecorder({ store, clock, log });
  const coordination = await openCoordination(config, core);
  const { announcements } = coordination;
  const visitorIds = createVisitorIds(ring.visitorIdKey);
  const erasedVisitors = await openErasedVisitors(store, clock, announcements);
  const isSwitchOn = memoizeWithTtl(clock, KILL_SWITCH_CACHE_MILLIS, () =>
    store.featureFlags.isOn('kill_switch'),
  );
  const limiter = createLimiter(coordination.rateLimits, recordLimitHit);
  const knowledge = openKnowledge(config, core, announcements);
  const { embedMessages } = knowledge.embeddings;
  const secrets = createSecretBox(ring.visitorIdKey);
  const engines = await openAnswering(config, overrides, core, embedMessages, secrets);
  const storageMeter = openStorageMeter(config, core);
  const tokenBudget = createTokenBudget({ store, clock, ...config.modelLimits });
  const quoting = createExtractiveEngine();
  const testing: RunTestDeps = {
    ...{ store, clock, tokenBudget },
    ...{ embedMessages: knowledge.embedMessages, search: knowledge.unhurriedSearch },
    engines: { get: async () => ({ engine: quoting, isOwn: false }) },
  };
  const sources = openSources(config, overrides, secrets);
  const webhookSender = createWebhookSender({
    ...{ networks: config.webhookNetworks, proxy: config.proxy, resolve: overrides.resolveName },
  });
  const keySetServers = createNamedServers({ ...sources.network, setting: 'SOURCE_NETWORKS' });
  const workspaceResolver = createWorkspaceResolver({
    workspaces: store.workspaces,
    rollout: config.rollout,
    clock,
  });
  const mail = openMail(config, core, secrets, http.baseUrl);
  const help = openHelp(config, core, http.baseUrl, workspaceResolver.isServed, sources.addressCheck);
  return {
    ...core,
    ...knowledge,
    ...help,
    retriever: addPublicUrls(knowledge.retriever, help.helpAddresses),
    storageMeter,
    secrets,
    addressCheck: sources.addressCheck,
    network: sources.network,
    sourceRunner: createSourceRunner({
      ...{ store, clock, log, storageMeter },
      readers: sources.readers,
      indexing: knowledge.indexing,
      isLeader: coordination.isLeader,
    }),
    webhookSender,
    webhookJob: createWebhookJob({
      ...mail,
      store,
      clock,
      log,
      secrets,
      webhookSender,
      baseUrl: http.baseUrl,
    }),
    scheduledPublisher: createScheduledPublisher({ store, clock, log, indexing: knowledge.indexing }),
    ...mail,
    engines,
    coordination,
    limiter,
    consumeRateLimit: (async (buckets, subject, ctx) =>
      ctx.rateLimits.remember(await limiter.consume(buckets, subject))) as ConsumeRateLimit,
    audit: createAuditTrail({ store, clock, log }),
    backups: openBackups(config, core),
    workspaceResolver,
    tokens: createVisitorTokens(ring, clock, visitorIds),
    keySetServers,
    userTokens: createUserTokens({ store, clock, secrets, keySetServers }),
    eraseVisitor: createEraseVisitor({ store, clock, erasedVisitors }),
    devices: createDevices(deriveSecret('device cookies', ring.visitorIdKey)),
    ...openProviders(config, overrides, { ...core, ...mail, baseUrl: http.baseUrl }, sources.addressCheck),
    visitorIds,
    erasedVisitors,
    isKilled: async () => config.killSwitch || (await isSwitchOn('')),
    cursorSecret: deriveSecret('export cursors', ring.visitorIdKey),
    geo: openGeo(config, core),
    edgeProvider: config.edgeProvider,
    speech: openVoiceProviders(config, overrides, core),
    liveTurns: coordination.liveTurns,
    installations: createInstallationTracker({ store, clock }),
    searchCounter: createSearchCounter({ store, clock, log, erasedVisitors }),
    tokenBudget,
    testing,
    answerTestRunner: createAnswerTestRunner({ ...testing, store, log }),
    monthlyTokensMax: config.modelLimits.monthlyTokensMax,
    baseUrl: http.baseUrl,
    recordLimitHit,
  };
}

/** Opens what talks to identity providers. */
function openProviders(
  { oidc, proxy, sourceNetworks: networks }: Config,
  overrides: Overrides,
  core: Core & { composeMail: ComposeMail; baseUrl: () => string },
  addressCheck: AddressCheck,
) {
  const { clock, ring } = core;
  const proofs = {
    domainKey: ring.visitorIdKey,
    resolveTexts: overrides.resolveTexts ?? resolveTexts,
  };
  return {
    oidc,
    isProviderRequired: oidc?.isRequired ?? false,
    providerClient: createProviderClient({ addressCheck, networks, proxy, clock }),
    ...proofs,
    domainRechecks: createDomainRechecks({ ...core, ...proofs }),
  };
}

/** Opens what finds the public pages of workspaces. */
function openHelp(
  { helpDomains: given, proxy }: Config,
  { store, clock }: Core,
  baseUrl: () => string,
  isServed: (workspace: Workspace) => boolean,
  addressCheck: AddressCheck,
) {
  const helpDomains = createHelpDomains({ ...store, clock, given, baseUrl });
  store.setHelpUrl((appId, proved) => toBaseUrl(helpDomains.findPlace(appId, proved)));
  const helpSites = createHelpSites({ ...store, clock, helpDomains, isServed });
  return {
    ...{ helpDomains, helpSites, helpAddresses: createHelpAddresses({ store, helpSites }) },
    readProofFile: createProofFileReader(addressCheck, proxy),
  };
}

/** Opens what queues mails, and what sends them. */
function openMail(
  { mail: settings }: Config,
  { store, clock, log, ring }: Core,
  secrets: SecretBox,
  baseUrl: () => string,
) {
  const composeMail = createComposer({ secrets, clock, isOn: settings !== undefined });
  const unsubscribeLinks = createUnsubscribeLinks(deriveSecret('unsubscribe links', ring.visitorIdKey));
  return {
    ...{ composeMail, unsubscribeLinks, sendsMail: settings !== undefined },
    digestJob: settings && createDigestJob({ store, clock, composeMail, baseUrl, unsubscribeLinks }),
    mailSender: settings && createMailSender({ store, secrets, clock, log, baseUrl, settings }),
    replyAddresses:
      settings?.inbound &&
      createReplyAddresses(settings.inbound.domain, deriveSecret('reply addresses', ring.visitorIdKey)),
  };
}

/** Opens what reads sources. Their tokens are sealed under a key of the ring, which is not in the database. */
function openSources(
  { sourceNetworks: networks }: Config,
  { resolveName, services: { notionUrl, intervalMillis } = {} }: Overrides,
  secrets: SecretBox,
) {
  const network = { networks, ...(resolveName && { resolve: resolveName }) };
  const service = { ...network, ...(intervalMillis !== undefined && { intervalMillis }) };
  const openToken = createTokenOpener(secrets);
  return {
    network,
    addressCheck: createAddressCheck(network),
    readers: {
      website: loadReader(async () => {
        const { createWebsiteReader } = await import('./sources/website/read-website.ts');
        return createWebsiteReader(network);
      }),
      zendesk: loadReader(async () => {
        const { createZendeskReader } = await import('./sources/zendesk.ts');
        return createZendeskReader(service, openToken);
      }),
      notion: loadReader(async () => {
        const { createNotionReader } = await import('./sources/notion/read-notion.ts');
        return createNotionReader({ ...service, ...(notionUrl && { apiUrl: notionUrl }) }, openToken);
      }),
    },
  };
}

/** Loads what reads a kind of source when a run needs it. */
function loadReader(load: () => Promise<ReadSource>): ReadSource {
  return async function* readSource(input) {
    yield* (await load())(input);
  };
}

function openStorageMeter({ workspaceBytesMax, database }: Config, { store, clock, log }: Core) {
  const limits = { workspaceBytesMax, databaseBytesMax: database.bytesMax };
  return createStorageMeter({ store, clock, log, limits });
}

/** Opens search, indexing and learning from articles. Drops caches when another node learns or embeds something. */
function openKnowledge(
  config: Config,
  { store, clock, log, metrics, telemetry }: Core,
  announcements: Coordination['announcements'],
) {
  const dictionaries = createLoadedDictionaries(store.in);
  const embeddings = openEmbeddings(config.embeddings, {
    ...{ store, clock, log, telemetry, metrics: metrics.embeddings },
    shippedVectors: config.demo ? DEMO_VECTORS_FILE : undefined,
    onIndexed: (workspaceId) => announcements.announce({ kind: 'texts_embedded', workspaceId }),
  });
  announcements.listen((announcement) => {
    if (!announcement || announcement.kind === 'dictionaries_learned')
      dictionaries.drop(announcement?.workspaceId);
    if (!announcement || announcement.kind === 'texts_embedded')
      embeddings.outdate(announcement?.workspaceId);
  });
  const search: Parameters<typeof createRetriever>[0] = {
    passages: (workspaceId, reader = PUBLIC) => store.in(workspaceId).passagesFor(reader),
    dictionaries: dictionaries.get,
    detectLanguage: (question, expected) => detectLanguage(question, CHAT_TAGS, expected),
  };
  const retriever = createRetriever({ ...search, findSimilar: embeddings.findSimilar });
  const unhurriedSearch = { ...search, findSimilar: embeddings.findSimilarUnhurried };
  const signatures = {
    ...{ passages: search.passages, dictionaries: dictionaries.get, embedQuestion: embeddings.embedQuestion },
    retriever: createRetriever(unhurriedSearch),
  };
  return {
    embeddings,
    signatures,
    // Vectors of other models would be computed in vain.
    embedMessages: knowsIntents(embeddings.model) ? embeddings.embedMessages : undefined,
    indexing: createIndexing(),
    getLocales: memoizeWithTtl(clock, LOCALES_CACHE_MILLIS, async (workspaceId) =>
      (await store.in(workspaceId).passages.partitions()).map(({ locale }) => locale).sort(),
    ),
    suggestFirst: createFirstQuestions(clock, LOCALES_CACHE_MILLIS, store),
    unhurriedSearch,
    retriever: telemetry ? traceRetriever(retriever, telemetry) : retriever,
    inboxCollector: createInboxCollector({ ...signatures, store, clock, log }),
    dictionaryBuilder: createDictionaryBuilder({
      ...{ store, clock, log },
      onBuilt(workspaceId) {
        dictionaries.drop(workspaceId);
        announcements.announce({ kind: 'dictionaries_learned', workspaceId });
      },
    }),
  };
}

/** Opens coordination over Redis if it is configured for several nodes, else in memory. */
async function openCoordination(
  { redisUrl }: Config,
  { clock, log, store, metrics, ring }: Core,
): Promise<Coordination> {
  const deps = {
    clock,
    secret: deriveSecret('rate windows', ring.visitorIdKey),
    onOpenTurns: (open: number) => metrics.chat.openStreams.set(open),
  };
  if (redisUrl === undefined) return openMemoryCoordination({ ...deps, stored: store.rateWindows });
  // Most installations have a single node and never load the client.
  const { openRedisCoordination } = await import('./coordination/redis/redis.ts');
  const coordination = await openRedisCoordination({ ...deps, log, url: redisUrl, installationId: ring.id });
  metrics.observeCoordination(coordination.state);
  return coordination;
}

function openAnswering(
  config: Config,
  { engine, resolveName }: Overrides,
  { store, clock, log, telemetry, metrics: { llm } }: Core,
  embedMessages: EmbedMessages | undefined,
  secrets: SecretBox,
) {
  return openEngines({
    ...config,
    ...{ store, clock, engine, resolveName },
    openKey: (sealed, workspaceId, baseUrl) => secrets.open(sealed, toKeyOwner(workspaceId, baseUrl)),
    cacheMillis: WORKSPACE_LIMITS.workspaceCacheMillis,
    observe: (workspaceId) => ({
      telemetry,
      embedTexts: embedMessages,
      now: clock.now,
      onUsage: llm.recordUsage,
      // Operators are alerted by the failures of their own model alone.
      ...(workspaceId === undefined && { onFirstText: llm.recordFirstText, onFallback: llm.recordFallback }),
      onFailure(reason, error) {
        if (workspaceId === undefined) llm.recordFailure(reason);
        log.warn({ err: error, reason, workspaceId }, 'the language model failed');
      },
      onRefusedField(field) {
        log.warn(
          { field, workspaceId },
          'the server of the language model does not take a field, which is left out from now on',
        );
      },
    }),
  });
}

function openBackups(config: Config, { clock, log, metrics }: Core) {
  const backups = createRegularBackups(config, { clock, log });
  if (backups) metrics.observeBackups(backups.newestAt);
  return backups;
}

function openGeo({ geoDatabaseFile }: Config, { clock, log }: Core) {
  const geo = geoDatabaseFile === undefined ? undefined : openGeoDatabase(geoDatabaseFile, clock.now());
  if (geo?.warning) log.warn(geo.warning);
  return geo;
}

/** Derives a secret from a key that outlives rotations, so cursors and stored rate windows survive a restart. */
function deriveSecret(purpose: string, key: KeyObject): string {
  return createHmac('sha256', key).update(purpose).digest('base64url');
}
