import { type Grants, PUBLIC } from '../base/audience.ts';
import { once } from '../base/cache.ts';
import { sqlAllAnswerTests, sqlAnswerTests } from './answer-tests.ts';
import { sqlApiKeyLookup, sqlApiKeys } from './api-keys.ts';
import { type HelpUrls, sqlArticleAddresses, withAddresses } from './article-addresses.ts';
import { sqlArticles, sqlDismissedAliases } from './articles.ts';
import { sqlAudit } from './audit.ts';
import { sqlAutomationSessions } from './automation-sessions.ts';
import type { ConnectionStats, StorageProblem } from './availability.ts';
import { sqlExpiredReservations, sqlTokenMonths, sqlVoiceReservations } from './caps.ts';
import { sqlCollections } from './collections.ts';
import { sqlConsentPolicies, sqlConsents } from './consents.ts';
import { sqlConversationNotes } from './conversation-notes.ts';
import { sqlConversations } from './conversations.ts';
import { sqlCustomerKeys } from './customer-keys.ts';
import type { SqlDatabase } from './database.ts';
import { sqlDictionaries, sqlDictionaryBuilds } from './dictionaries.ts';
import { sqlDigests, sqlMemberWorkspace } from './digests.ts';
import { sqlEmbeddingIndex, sqlEmbeddings } from './embeddings.ts';
import { sqlErasedVisitors, sqlInterruptRunning, sqlSweep, sqlVisitors } from './erasure.ts';
import { type EventWrites, eventWrites, type Restriction, sqlEvents } from './events.ts';
import { sqlFactors } from './factors.ts';
import { sqlHandovers, sqlHandoverWorkspace } from './handovers.ts';
import { sqlHelpDomain, sqlProvedHelpDomains } from './help-domains.ts';
import { sqlHelpPages } from './help-pages.ts';
import { sqlHelpTexts } from './help-texts.ts';
import { sqlIdempotencyKeys } from './idempotency.ts';
import { sqlIdentities } from './identities.ts';
import { sqlIdentityProviders, sqlSignInDomains } from './identity-providers.ts';
import { sqlImages, sqlPublicImages } from './images.ts';
import { sqlInbox, sqlInboxes } from './inbox.ts';
import { sqlMails } from './mails.ts';
import { sqlInvitationLinks, sqlInvitations, sqlMembers, sqlMemberships } from './members.ts';
import {
  sqlFeatureFlags,
  sqlInstallations,
  sqlKeyRingId,
  sqlRateWindows,
  sqlSealedKeys,
  sqlWorkspaceInstallations,
} from './operations.ts';
import type { PassageWrites, PublicationWrites } from './passage-writes.ts';
import type { PassageIndex, Passages } from './passages.ts';
import { sqlPasswordResets } from './password-resets.ts';
import { sqlAllSchedules, sqlSchedules } from './schedules.ts';
import { embeddingMonths, tokenMonths } from './schema/index.ts';
import { sqlAllSources, sqlSources } from './sources.ts';
import { lazyObject } from './statements.ts';
import { type ChunkStorage, sqlStoredData } from './stored-data.ts';
import { sqlStoredTexts } from './stored-texts.ts';
import { sqlTranslations } from './translations.ts';
import { sqlSessions, sqlUsers } from './users.ts';
import { sqlDueDeliveries, sqlWebhooks } from './webhooks.ts';
import { sqlWorkspaceExport } from './workspace-export.ts';
import { sqlWorkspaceImports } from './workspace-import.ts';
import { sqlWorkspaceModels } from './workspace-models.ts';
import { type PurgeEngine, sqlWorkspacePurge } from './workspace-purge.ts';
import { sqlWorkspaces } from './workspaces.ts';

type Factories<T> = { readonly [part in keyof T]: () => T[part] };

/** What an engine does in its own way. */
type EngineOperations = {
  passageIndex: PassageIndex;
  /** Returns the size of the stored data; free space within the file does not count. */
  usedBytes(): Promise<number>;
  /**
   * Resolves when reading works and rejects otherwise. Reports the applied migration and whether writing works. Writes
   * only if the last write failed, or none was tried yet.
   */
  ready(): Promise<{ migration: string; writable: boolean }>;
  /** Problems with the stored data; empty when none are known. */
  problems(): readonly StorageProblem[];
  /** Looks for damage in the background. Clears damage that was reported before if there is none any more. */
  check(): Promise<void>;
  /** Writes a consistent copy while the service runs, and verifies it. */
  backup(file: string, tryOut?: (copy: Store) => Promise<void>): Promise<{ bytes: number; pages: number }>;
  /** Writes deferred data, checkpoints and closes. */
  close(): Promise<void>;
  /** The connections to a database server; absent where the database is a file. */
  connections?: () => ConnectionStats;
  /** Returns the replica's lag in seconds; undefined while it cannot be reached, or without a replica. */
  replicaLagSeconds?: () => Promise<number | undefined>;
};

/** The parts of the store that engines implement. Each is created on first use. */
export type Engine = {
  database: SqlDatabase;
  passages: (workspaceId: string, reader: Grants) => Passages;
  passageWrites: PassageWrites;
  /** How the engine stores the chunks of the search index. */
  chunkStorage: ChunkStorage;
  purge: () => PurgeEngine;
  operation: Factories<EngineOperations>;
};

/**
 * Every method is atomic and durable when its promise resolves; no transaction spans an await. Methods return records,
 * `undefined` or a word such as 'conflict'; business rules and API errors are the caller's. Any method rejects with
 * `StorageUnavailable` while writing is impossible (disk full, locked). `test/storage/store.suite.ts` defines the behaviour.
 */
export type Store = ReturnType<typeof createRepositories> & EngineOperations;
export type Workspaces = Store['workspaces'];
/** The data of one workspace, isolated from all others. */
export type WorkspaceStore = ReturnType<ReturnType<typeof createWorkspaceStore>>;

const CACHED_WORKSPACES_MAX = 1_000;

export function createStore(engine: Engine): Store {
  return Object.defineProperties(
    createRepositories(engine),
    Object.getOwnPropertyDescriptors(lazyObject(engine.operation)),
  ) as Store;
}

function createRepositories(engine: Engine) {
  const { database } = engine;
  const restriction: Restriction = { workspaceIds: new Set(), conversationMillis: 0 };
  const events = eventWrites(restriction);
  const help: HelpUrls = {};
  const passageWrites = withAddresses(engine.passageWrites, help);
  return lazyObject({
    workspaces: () => ({
      ...sqlWorkspaces(database),
      ...sqlWorkspacePurge(database, engine.purge()),
    }),
    users: () => sqlUsers(database),
    sessions: () => sqlSessions(database),
    factors: () => sqlFactors(database),
    memberships: () => sqlMemberships(database),
    invitations: () => sqlInvitationLinks(database),
    identities: () => sqlIdentities(database),
    provedHelpDomains: () => sqlProvedHelpDomains(database),
    signInDomains: () => sqlSignInDomains(database),
    mails: () => sqlMails(database),
    passwordResets: () => sqlPasswordResets(database),
    apiKeys: () => sqlApiKeyLookup(database),
    featureFlags: () => sqlFeatureFlags(database),
    rateWindows: () => sqlRateWindows(database),
    consentPolicies: () => sqlConsentPolicies(database),
    workspaceImports: () => sqlWorkspaceImports(database, passageWrites),
    dictionaryBuilds: () => sqlDictionaryBuilds(database),
    embeddingIndex: () => sqlEmbeddingIndex(database),
    expiredReservations: () => sqlExpiredReservations(database),
    installations: () => sqlInstallations(database),
    images: () => sqlPublicImages(database),
    inboxes: () => sqlInboxes(database),
    answerTests: () => sqlAllAnswerTests(database),
    sources: () => sqlAllSources(database),
    listDueDeliveries: () => sqlDueDeliveries(database),
    findMemberWorkspace: () => sqlMemberWorkspace(database),
    findHandoverWorkspace: () => sqlHandoverWorkspace(database),
    schedules: () => sqlAllSchedules(database),
    in: () => cacheRecent(createWorkspaceStore({ ...engine, passageWrites }, events)),
    listErasedVisitors: () => sqlErasedVisitors(database),
    interruptRunning: () => sqlInterruptRunning(database),
    sweep: () => sqlSweep(database, events),
    /**
     * From now on, this process stores no event rows of these workspaces, and deletes their new conversations after
     * `conversationMillis`.
     */
    restrict: () => (workspaceIds: ReadonlySet<string>, conversationMillis: number) => {
      Object.assign(restriction, { workspaceIds, conversationMillis });
    },
    /** From now on, events have the public addresses of articles without a URL of their own. */
    setHelpUrl: () => (findBaseUrl: HelpUrls['findBaseUrl']) => {
      help.findBaseUrl = findBaseUrl;
    },
    keyRingId: () => sqlKeyRingId(database),
    sealedKeys: () => sqlSealedKeys(database),
  });
}

function createWorkspaceStore(
  { database, passages, passageWrites, chunkStorage }: Engine & { passageWrites: PublicationWrites },
  events: EventWrites,
) {
  const parts = {
    consents: once(() => sqlConsents(database, events)),
    conversations: once(() => sqlConversations(database, events)),
    events: once(() => sqlEvents(database, events)),
    conversationNotes: once(() => sqlConversationNotes(database)),
    handovers: once(() => sqlHandovers(database)),
    digests: once(() => sqlDigests(database)),
    inbox: once(() => sqlInbox(database)),
    answerTests: once(() => sqlAnswerTests(database)),
    members: once(() => sqlMembers(database)),
    invitations: once(() => sqlInvitations(database)),
    apiKeys: once(() => sqlApiKeys(database)),
    automationSessions: once(() => sqlAutomationSessions(database)),
    idempotencyKeys: once(() => sqlIdempotencyKeys(database)),
    articles: once(() => sqlArticles(database, passageWrites)),
    helpTexts: once(() => sqlHelpTexts(database)),
    addresses: once(() => sqlArticleAddresses(database)),
    helpPages: once(() => sqlHelpPages(database)),
    schedules: once(() => sqlSchedules(database)),
    collections: once(() => sqlCollections(database)),
    texts: once(() => sqlStoredTexts(database)),
    translations: once(() => sqlTranslations(database, passageWrites)),
    images: once(() => sqlImages(database)),
    sources: once(() => sqlSources(database)),
    /** What everyone sees. */
    passages: () => (workspaceId: string) => passages(workspaceId, PUBLIC),
    /** What a reader with these grants sees. */
    passagesFor: () => (workspaceId: string) => (reader: Grants) => passages(workspaceId, reader),
    dismissedAliases: once(() => sqlDismissedAliases(database)),
    dictionaries: once(() => sqlDictionaries(database)),
    embeddings: once(() => sqlEmbeddings(database)),
    audit: once(() => sqlAudit(database)),
    storedData: once(() => sqlStoredData(database, events, chunkStorage)),
    workspaceExport: once(() => sqlWorkspaceExport(database)),
    voiceReservations: once(() => sqlVoiceReservations(database, events)),
    /** Tokens of the language model. */
    tokenMonths: once(() => sqlTokenMonths(database, tokenMonths)),
    /** Tokens of texts that were embedded. */
    embeddingMonths: once(() => sqlTokenMonths(database, embeddingMonths)),
    model: once(() => sqlWorkspaceModels(database)),
    webhooks: once(() => sqlWebhooks(database)),
    helpDomain: once(() => sqlHelpDomain(database)),
    identityProvider: once(() => sqlIdentityProviders(database)),
    customerKeys: once(() => sqlCustomerKeys(database)),
    /** Installation checks by domain; may include domains that are no longer allowed. */
    installations: once(() => sqlWorkspaceInstallations(database)),
    /** Erases all data of a visitor, unlinks their consent records and keeps the tombstone. */
    eraseVisitor: once(() => sqlVisitors(database, events)),
  };
  type Parts = { [Part in keyof typeof parts]: ReturnType<ReturnType<(typeof parts)[Part]>> };
  return (workspaceId: string) =>
    lazyObject<Parts>(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, () => part()(workspaceId)]),
      ) as never,
    );
}

/** Caches the value of the most recent keys. Evicted values are simply recreated. */
function cacheRecent<T>(make: (key: string) => T): (key: string) => T {
  const cache = new Map<string, T>();
  return (key) => {
    const cached = cache.get(key);
    if (cached) return cached;
    const oldest = cache.size >= CACHED_WORKSPACES_MAX ? cache.keys().next().value : undefined;
    if (oldest !== undefined) cache.delete(oldest);
    const created = make(key);
    cache.set(key, created);
    return created;
  };
}
