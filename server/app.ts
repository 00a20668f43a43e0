import { createHmac, type KeyObject } from 'node:crypto';
import type { Server } from 'node:http';
import type { Express } from 'express';
import { type Contract, contract } from '../contract/index.ts';
import { WORKSPACE_LIMITS } from '../contract/limits/workspace.ts';
import { apiKeyHandlers } from './accounts/api-keys.ts';
import { automationSessionHandlers } from './accounts/automation-sessions.ts';
import { emailChangeHandlers } from './accounts/email-changes.ts';
import { identityProviderHandlers } from './accounts/identity-providers.ts';
import { memberHandlers } from './accounts/members.ts';
import { passwordResetHandlers } from './accounts/password-resets.ts';
import { createProviderClient } from './accounts/provider-client.ts';
import { providerSignInHandlers } from './accounts/provider-sign-in.ts';
import { createDomainRechecks } from './accounts/recheck-domains.ts';
import { secondFactorHandlers } from './accounts/second-factors.ts';
import { sessionHandlers } from './accounts/session.ts';
import { openStore } from './backup/open-store.ts';
import { createRegularBackups } from './backup/regular-backups.ts';
import { createNamedServers, type ResolveName } from './base/address-guard.ts';
import { PUBLIC } from './base/audience.ts';
import { memoizeWithTtl } from './base/cache.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { type ResolveTexts, resolveTexts } from './base/domain-proof.ts';
import { createFolder } from './base/files.ts';
import { CHAT_TAGS } from './base/guide-languages.ts';
import { HELP_PATH } from './base/help-paths.ts';
import { type Log, openLog } from './base/log.ts';
import { PACKAGE_ROOT } from './base/package-root.ts';
import { chatHandlers } from './chat/chat.ts';
import { detectLanguage } from './chat/intent/detect-language.ts';
import { knowsIntents } from './chat/intent/predict-intent.ts';
import { previewHandlers } from './chat/preview.ts';
import type { Coordination } from './coordination/coordination.ts';
import { openMemoryCoordination } from './coordination/memory/memory.ts';
import { DEMO_APP_ID, DEMO_VECTORS_FILE } from './demo/demo.ts';
import type { Engine } from './engine/engine.ts';
import { createExtractiveEngine } from './engine/extractive.ts';
import { openEngines } from './engine/open-engines.ts';
import { createHelpAddresses, toBaseUrl } from './help/addresses.ts';
import { createHelpDomains } from './help/domains.ts';
import { createHelpCentre } from './help/help-centre.ts';
import { helpDomainHandlers } from './help/help-domains.ts';
import { createProofFileReader } from './help/proof-file.ts';
import { addPublicUrls } from './help/public-urls.ts';
import { createHelpSites } from './help/sites.ts';
import type { ConsumeRateLimit, Handlers } from './http/handler.ts';
import { mountHealth, mountSecurityTxt } from './http/health.ts';
import { mountHelpDomains } from './http/help-domains.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions } from './http/http-server.ts';
import { mountInboundMail } from './http/inbound-mail.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { mountPages } from './http/pages.ts';
import { createLimiter } from './http/rate-limit.ts';
import { createResourceLimits, type ResourceLimits } from './http/resource-limits.ts';
import { createApp, createOverloadRule, mountContract, mountFallbacks } from './http/router.ts';
import { mountDashboard, mountEntrance, mountFiles, mountGuide, mountImages } from './http/static.ts';
import { TurnQueue } from './http/turn-queue.ts';
import { mountUnsubscribe } from './http/unsubscribe.ts';
import { analyticsHandlers, createRateLimitRecorder } from './insights/analytics.ts';
import { answerTestHandlers } from './insights/answer-tests.ts';
import { createInboxCollector } from './insights/collector.ts';
import { conversationNoteHandlers } from './insights/conversation-notes.ts';
import { exportHandlers } from './insights/export.ts';
import { inboxHandlers } from './insights/inbox.ts';
import { createAnswerTestRunner, type RunTestDeps } from './insights/run-answer-tests.ts';
import { createSearchCounter } from './insights/search-counter.ts';
import { KILL_SWITCH_CACHE_MILLIS, renewIndexInBackground, startJobs } from './jobs.ts';
import { articlesHandlers } from './knowledge/articles.ts';
import { bulkArticlesHandlers } from './knowledge/bulk-articles.ts';
import { collectionsHandlers } from './knowledge/collections.ts';
import { createDictionaryBuilder } from './knowledge/dictionary/builder.ts';
import { createLoadedDictionaries } from './knowledge/dictionary/dictionary.ts';
import { openEmbeddings } from './knowledge/embeddings/open-embeddings.ts';
import type { EmbedMessages } from './knowledge/embeddings/similarity.ts';
import { findTextHandlers } from './knowledge/find-text.ts';
import { helpArticleHandlers } from './knowledge/help-articles.ts';
import { imageHandlers } from './knowledge/images/images.ts';
import { reviewQueueHandlers } from './knowledge/review-queue.ts';
import { createScheduledPublisher } from './knowledge/schedules.ts';
import { createIndexing } from './knowledge/search/indexing.ts';
import { createRetriever } from './knowledge/search/retrieve.ts';
import { traceRetriever } from './knowledge/search/traced-retriever.ts';
import { translationsHandlers } from './knowledge/translations.ts';
import { mcpHandlers } from './mcp/mcp.ts';
import { type ComposeMail, createComposer } from './people/compose-mail.ts';
import { customerHandlers } from './people/customers.ts';
import { createWebhookJob } from './people/deliver-webhooks.ts';
import {
  createDigestJob,
  createUnsubscribeLinks,
  createUnsubscriber,
  digestHandlers,
} from './people/digest.ts';
import { handoverHandlers } from './people/handovers.ts';
import { createMailReceiver } from './people/inbound-mail.ts';
import { createMailSender } from './people/mail-sender.ts';
import { createReplyAddresses } from './people/reply-address.ts';
import { renderUnsubscribePage } from './people/unsubscribe-page.ts';
import { createUserTokens } from './people/user-token.ts';
import { createWebhookSender } from './people/webhook-sender.ts';
import { webhookHandlers } from './people/webhooks.ts';
import { listPublicFiles } from './public/public-files.ts';
import type { Config } from './settings/config.ts';
import { type AddressCheck, createAddressCheck } from './sources/public-addresses.ts';
import { createSourceRunner, type ReadSource } from './sources/runs.ts';
import { createTokenOpener } from './sources/settings.ts';
import { siteCheckHandlers } from './sources/site-checks.ts';
import { sourceConflictHandlers, sourceHandlers, sourceRunHandlers } from './sources/sources.ts';
import { openSpeech } from './speech/open-speech.ts';
import type { Speech } from './speech/speech.ts';
import { traceSpeech } from './speech/traced-speech.ts';
import { lockDataFolder } from './storage/sqlite/server-lock.ts';
import type { Store } from './storage/store.ts';
import type { Workspace } from './storage/workspaces.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { KeyRing } from './tokens/key-ring.ts';
import { openRing } from './tokens/open-ring.ts';
import { createSecretBox, type SecretBox, toKeyOwner } from './tokens/sealed-text.ts';
import { createDevices } from './tokens/session-cookie.ts';
import { createVisitorIds, createVisitorTokens } from './tokens/visitor-token.ts';
import { archiveHandlers } from './transfer/archive.ts';
import { bootHandlers, createWorkspaceResolver, previewBootHandlers } from './visitors/boot.ts';
import { consentHandlers } from './visitors/consent/consent.ts';
import { consentPolicyPreviewHandlers } from './visitors/consent/consent-policy-preview.ts';
import { openGeoDatabase } from './visitors/consent/geo-database.ts';
import { createFirstQuestions } from './visitors/first-questions.ts';
import { createInstallationTracker, installationHandlers } from './visitors/installation.ts';
import { createEraseVisitor, openErasedVisitors, visitorHandlers } from './visitors/visitor.ts';
import { voiceHandlers } from './voice/voice.ts';
import { createAuditTrail } from './workspaces/audit-trail.ts';
import { modelHandlers } from './workspaces/model.ts';
import { createStorageMeter } from './workspaces/storage-meter.ts';
import { createTokenBudget } from './workspaces/token-budget.ts';
import { usageHandler } from './workspaces/usage.ts';
import { workspaceHandlers } from './workspaces/workspace.ts';

/** The running service. This file alone connects adapters, handlers and the HTTP server. */
export type Service = {
  server: Server;
  /** Where browsers reach the service; known once it listens. */
  baseUrl: () => string;
  store: Store;
  log: Log;
  clock: Clock;
  composeMail: ComposeMail;
  /** Returns the port. */
  listen(): Promise<number>;
  /** Runs the background jobs that are due. Called every second; tests call it themselves. */
  tick(): Promise<void>;
  /** Stops accepting requests, ends open streams, stores what is buffered and closes. */
  close(): Promise<void>;
};

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

/** Opens the service. @throws FolderInUse while another server runs on the same data folder. */
export async function openService(config: Config, overrides: Overrides = {}): Promise<Service> {
  createFolder(config.dataDir);
  const unlock = lockDataFolder(config.dataDir);
  try {
    return await openLocked(config, overrides, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLocked(config: Config, overrides: Overrides, unlock: () => void): Promise<Service> {
  const core = await openCore(config, overrides);
  const app = createApp();
  const http = createHttpServer(app, { ...config, timeouts: overrides.timeouts }, core);
  const deps = await openDeps(config, overrides, core, http);
  mountRoutes(app, config, deps, http);
  const isHelpDomain = (domain: string) => deps.helpDomains.table.findAppId(domain) !== undefined;
  http.serve(deps.metrics, createOverloadRule(contract, isHelpDomain));
  const indexRenewal = renewIndexInBackground(deps);
  const { store, log, clock } = deps;
  // Show readers at once that a crash interrupted these turns. With several nodes, other nodes may be running them.
  if (deps.coordination.state() === 'single') {
    await store
      .interruptRunning(clock.now())
      .catch((error) => log.error({ err: error }, 'could not mark the turns that a crash interrupted'));
  }
  const jobs = startJobs(deps);

  return {
    server: http.server,
    baseUrl: http.baseUrl,
    store,
    log,
    clock,
    composeMail: deps.composeMail,
    tick: jobs.tick,
    listen: http.listen,
    async close() {
      jobs.stop();
      await http.drain(deps.liveTurns.shutDown);
      await deps.backups?.stop();
      await Promise.all([
        indexRenewal.stop(),
        deps.dictionaryBuilder.stop(),
        deps.inboxCollector.stop(),
        deps.answerTestRunner.stop(),
        deps.sourceRunner.stop(),
        deps.webhookJob.stop(),
        deps.domainRechecks.stop(),
        deps.scheduledPublisher.stop(),
        deps.mailSender?.stop(),
      ]);
      deps.webhookSender.close();
      deps.providerClient.close();
      await deps.embeddings.close();
      await deps.coordination.rateLimits
        .save()
        .catch((error) => log.error({ err: error }, 'could not store rate windows'));
      await deps.installations
        .save(true)
        .catch((error) => log.error({ err: error }, 'could not store installation checks'));
      await deps.audit.save(true).catch((error) => log.error({ err: error }, 'could not store audit rows'));
      deps.engines.close();
      await deps.telemetry?.close();
      await deps.coordination.close();
      await store.close();
      unlock();
      log.flush();
    },
  };
}

type Core = {
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
async function openCore(config: Config, overrides: Overrides): Promise<Core> {
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

type Deps = Awaited<ReturnType<typeof openDeps>>;

/** Opens everything that handlers, the pipeline and background jobs depend on. */
async function openDeps(config: Config, overrides: Overrides, core: Core, http: HttpServer) {
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

/** Mounts the help centres before the contract's many routes, each of which a request tries, and the fallbacks last. */
function mountRoutes(app: Express, config: Config, deps: Deps, http: HttpServer) {
  const { metrics, store, coordination } = deps;
  const pipelineDeps = {
    ...deps,
    bodySilenceMillis: config.bodySilenceMillis,
    isShuttingDown: http.isShuttingDown,
  };
  mountHelpDomains(app, {
    readDomains: deps.helpDomains.read,
    serviceHost: () => new URL(http.baseUrl()).hostname,
    isOn: async (domain) => (await deps.helpSites.findByDomain(domain)) !== undefined,
  });
  mountPages(app, HELP_PATH, createHelpCentre(deps), deps);
  mountContract(app, contract, createHandlers(deps), pipelineDeps);
  const { registry } = metrics;
  const { dataDir, metricsToken } = config;
  mountHealth(app, {
    store,
    coordination,
    dataDir,
    registry,
    metricsToken,
    isShuttingDown: http.isShuttingDown,
  });
  const receiveMail = createMailReceiver(config.mail?.from.address ?? '', deps);
  mountInboundMail(app, config.mail?.inbound?.secret, receiveMail, pipelineDeps);
  mountUnsubscribe(app, { unsubscribe: createUnsubscriber(deps), render: renderUnsubscribePage });
  mountSecurityTxt(app, config.securityContacts, deps.clock, http.baseUrl);
  mountFiles(app, listPublicFiles(config, http.baseUrl));
  mountImages(app, store.images);
  mountEntrance(app, async () =>
    config.demo && (await store.workspaces.findByAppId(DEMO_APP_ID)) ? 'demo' : 'dashboard',
  );
  mountGuide(app, new URL('dist/', PACKAGE_ROOT));
  mountDashboard(app, new URL('dist/dashboard/', PACKAGE_ROOT));
  mountFallbacks(app, pipelineDeps);
}

/** Creates the handlers of each router. A missing or superfluous handler does not compile. */
function createHandlers(deps: Deps): { readonly [R in keyof Contract]: Handlers<Contract[R]> } {
  const { log, metrics, recordLimitHit } = deps;
  return {
    boot: bootHandlers({
      ...deps,
      onUncounted: (error) => log.error({ err: error }, 'could not store a boot event'),
    }),
    chat: chatHandlers({
      ...deps,
      onTurnFinish(finishReason, { actions, ...others }) {
        metrics.chat.turns.inc({ finish_reason: finishReason });
        metrics.chat.droppedActions.inc(actions);
        for (const [what, count] of Object.entries(others)) metrics.chat.droppedOutput.inc({ what }, count);
      },
    }),
    consent: consentHandlers(deps),
    visitor: visitorHandlers(deps),
    handovers: handoverHandlers(deps),
    helpArticles: helpArticleHandlers(deps),
    voice: voiceHandlers({
      ...deps,
      onUse: metrics.voice.recordUse,
      onCap(visitor) {
        metrics.voice.capExceeded.inc();
        recordLimitHit('voice/cap', visitor);
      },
    }),
    session: sessionHandlers(deps),
    helpDomains: helpDomainHandlers(deps),
    identityProviders: { ...identityProviderHandlers(deps), ...providerSignInHandlers(deps) },
    secondFactors: secondFactorHandlers(deps),
    passwordResets: passwordResetHandlers(deps),
    emailChanges: emailChangeHandlers(deps),
    automationSessions: automationSessionHandlers(deps),
    apiKeys: apiKeyHandlers(deps),
    members: memberHandlers(deps),
    workspace: {
      ...workspaceHandlers(deps),
      ...usageHandler({
        ...deps,
        readEmbeddingUsage: deps.embeddings.readEmbeddingUsage,
      }),
    },
    models: modelHandlers({ ...deps, ...deps.engines }),
    webhooks: webhookHandlers(deps),
    customers: customerHandlers(deps),
    digest: digestHandlers(deps),
    articles: articlesHandlers(deps),
    findText: findTextHandlers(deps),
    collections: collectionsHandlers(deps),
    bulkArticles: bulkArticlesHandlers(deps),
    translations: translationsHandlers(deps),
    images: imageHandlers(deps),
    sources: sourceHandlers({
      ...deps,
      readFile: async (file, options) =>
        (await import('./sources/files/read-file.ts')).readFile(file, options),
    }),
    sourceRuns: sourceRunHandlers(deps),
    sourceConflicts: sourceConflictHandlers(deps),
    analytics: analyticsHandlers(deps),
    conversationNotes: conversationNoteHandlers(deps),
    installation: installationHandlers(deps),
    siteChecks: siteCheckHandlers(deps),
    reviewQueue: reviewQueueHandlers(deps),
    inbox: inboxHandlers(deps),
    answerTests: answerTestHandlers(deps),
    preview: previewHandlers(deps),
    bootPreview: previewBootHandlers(deps),
    directives: consentPolicyPreviewHandlers(deps),
    archive: archiveHandlers(deps),
    export: exportHandlers(deps),
    mcp: mcpHandlers(deps),
  };
}

/** Derives a secret from a key that outlives rotations, so cursors and stored rate windows survive a restart. */
function deriveSecret(purpose: string, key: KeyObject): string {
  return createHmac('sha256', key).update(purpose).digest('base64url');
}
