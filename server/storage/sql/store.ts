import type { Passages } from '../passages.ts';
import type { Store, WorkspaceStore } from '../store.ts';
import { sqlApiKeyLookup, sqlApiKeys } from './api-keys.ts';
import { sqlArticles, sqlDismissedAliases } from './articles.ts';
import { sqlAudit } from './audit.ts';
import { sqlAutomationSessions } from './automation-sessions.ts';
import { sqlExpiredReservations, sqlTokenMonths, sqlVoiceReservations } from './caps.ts';
import { sqlCollections } from './collections.ts';
import { sqlConsentPolicies, sqlConsents } from './consents.ts';
import { sqlConversations } from './conversations.ts';
import type { SqlDatabase } from './database.ts';
import { sqlDictionaries, sqlDictionaryBuilds } from './dictionaries.ts';
import { sqlEmbeddingIndex, sqlEmbeddings } from './embeddings.ts';
import { sqlErasedVisitors, sqlInterruptRunning, sqlSweep, sqlVisitors } from './erasure.ts';
import { type EventWrites, eventWrites, type Restriction, sqlEvents } from './events.ts';
import { sqlIdempotencyKeys } from './idempotency.ts';
import { sqlImages, sqlPublicImages } from './images.ts';
import { sqlInbox, sqlInboxes } from './inbox.ts';
import { sqlInvitationLinks, sqlInvitations, sqlMembers, sqlMemberships } from './members.ts';
import {
  sqlFeatureFlags,
  sqlInstallations,
  sqlKeyRingId,
  sqlRateWindows,
  sqlSealedKeys,
  sqlWorkspaceInstallations,
} from './operations.ts';
import type { PassageWrites } from './passages.ts';
import { embeddingMonths, tokenMonths } from './schema.ts';
import { sqlAllSources, sqlSources } from './sources.ts';
import { lazy, lazyObject } from './statements.ts';
import { type ChunkStorage, sqlStoredData } from './stored-data.ts';
import { sqlTranslations } from './translations.ts';
import { sqlSessions, sqlUsers } from './users.ts';
import { sqlWorkspaceExport } from './workspace-export.ts';
import { sqlWorkspaceImports } from './workspace-import.ts';
import { type PurgeEngine, sqlWorkspacePurge } from './workspace-purge.ts';
import { sqlWorkspaces } from './workspaces.ts';

type Factories<T> = { readonly [part in keyof T]: () => T[part] };

/** Engine-specific parts. Each is created on first use. */
export type Engine = {
  database: SqlDatabase;
  passages: (workspaceId: string) => Passages;
  passageWrites: PassageWrites;
  /** How the engine stores the chunks of the search index. */
  chunkStorage: ChunkStorage;
  purge: () => PurgeEngine;
  operation: Factories<
    Pick<Store, 'passageIndex' | 'usedBytes' | 'ready' | 'problems' | 'check' | 'backup' | 'close'>
  > &
    Partial<Factories<Pick<Store, 'connections' | 'replicaLagSeconds'>>>;
};

const CACHED_WORKSPACES_MAX = 1_000;

export function createStore(engine: Engine): Store {
  const { database } = engine;
  const restriction: Restriction = { workspaceIds: new Set(), conversationMillis: 0 };
  const events = eventWrites(restriction);
  return lazyObject<Store>({
    workspaces: () => ({
      ...sqlWorkspaces(database),
      ...sqlWorkspacePurge(database, engine.purge()),
    }),
    users: () => sqlUsers(database),
    sessions: () => sqlSessions(database),
    memberships: () => sqlMemberships(database),
    invitations: () => sqlInvitationLinks(database),
    apiKeys: () => sqlApiKeyLookup(database),
    featureFlags: () => sqlFeatureFlags(database),
    rateWindows: () => sqlRateWindows(database),
    consentPolicies: () => sqlConsentPolicies(database),
    workspaceImports: () => sqlWorkspaceImports(database, engine.passageWrites),
    dictionaryBuilds: () => sqlDictionaryBuilds(database),
    embeddingIndex: () => sqlEmbeddingIndex(database),
    expiredReservations: () => sqlExpiredReservations(database),
    installations: () => sqlInstallations(database),
    images: () => sqlPublicImages(database),
    inboxes: () => sqlInboxes(database),
    sources: () => sqlAllSources(database),
    in: () => cacheRecent(createWorkspaceStore(engine, events)),
    listErasedVisitors: () => sqlErasedVisitors(database),
    interruptRunning: () => sqlInterruptRunning(database),
    sweep: () => sqlSweep(database, events),
    restrict: () => (workspaceIds, conversationMillis) => {
      Object.assign(restriction, { workspaceIds, conversationMillis });
    },
    keyRingId: () => sqlKeyRingId(database),
    sealedKeys: () => sqlSealedKeys(database),
    ...engine.operation,
  });
}

function createWorkspaceStore(
  { database, passages, passageWrites, chunkStorage }: Engine,
  events: EventWrites,
): (workspaceId: string) => WorkspaceStore {
  const parts = {
    consents: lazy(() => sqlConsents(database, events)),
    conversations: lazy(() => sqlConversations(database, events)),
    events: lazy(() => sqlEvents(database, events)),
    inbox: lazy(() => sqlInbox(database)),
    members: lazy(() => sqlMembers(database)),
    invitations: lazy(() => sqlInvitations(database)),
    apiKeys: lazy(() => sqlApiKeys(database)),
    automationSessions: lazy(() => sqlAutomationSessions(database)),
    idempotencyKeys: lazy(() => sqlIdempotencyKeys(database)),
    articles: lazy(() => sqlArticles(database, passageWrites)),
    collections: lazy(() => sqlCollections(database)),
    translations: lazy(() => sqlTranslations(database, passageWrites)),
    images: lazy(() => sqlImages(database)),
    sources: lazy(() => sqlSources(database)),
    passages: () => passages,
    dismissedAliases: lazy(() => sqlDismissedAliases(database)),
    dictionaries: lazy(() => sqlDictionaries(database)),
    embeddings: lazy(() => sqlEmbeddings(database)),
    audit: lazy(() => sqlAudit(database)),
    storedData: lazy(() => sqlStoredData(database, events, chunkStorage)),
    workspaceExport: lazy(() => sqlWorkspaceExport(database)),
    voiceReservations: lazy(() => sqlVoiceReservations(database, events)),
    tokenMonths: lazy(() => sqlTokenMonths(database, tokenMonths)),
    embeddingMonths: lazy(() => sqlTokenMonths(database, embeddingMonths)),
    installations: lazy(() => sqlWorkspaceInstallations(database)),
    eraseVisitor: lazy(() => sqlVisitors(database, events)),
  } satisfies { [Part in keyof WorkspaceStore]: () => (workspaceId: string) => WorkspaceStore[Part] };
  return (workspaceId) =>
    lazyObject<WorkspaceStore>(
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
