import { sqlApiKeyRing, sqlApiKeys } from '../sql/api-keys.ts';
import { sqlArticles, sqlDismissedAliases } from '../sql/articles.ts';
import { sqlAudit } from '../sql/audit.ts';
import { sqlConsentPolicies, sqlConsents } from '../sql/consents.ts';
import { sqlConversations } from '../sql/conversations.ts';
import { sqlDictionaries, sqlDictionaryBuilds } from '../sql/dictionaries.ts';
import { sqlEmbeddingIndex, sqlEmbeddings } from '../sql/embeddings.ts';
import { sqlErasedVisitors, sqlInterruptRunning, sqlSweep, sqlVisitors } from '../sql/erasure.ts';
import { type EventWrites, eventWrites, type Restriction, sqlEvents } from '../sql/events.ts';
import { sqlHoldings } from '../sql/holdings.ts';
import { sqlInvitationLinks, sqlInvitations } from '../sql/invitations.ts';
import { lazy, lazyObject } from '../sql/lazy.ts';
import { sqlMembers, sqlMemberships } from '../sql/members.ts';
import {
  sqlFeatureFlags,
  sqlInstallations,
  sqlKeyRingId,
  sqlRateWindows,
  sqlSealedKeys,
  sqlWorkspaceInstallations,
} from '../sql/operations.ts';
import { embeddingMonths, tokenMonths } from '../sql/schema.ts';
import { sqlSessions } from '../sql/sessions.ts';
import { sqlTokenMonths } from '../sql/token-months.ts';
import { sqlTranslations } from '../sql/translations.ts';
import { sqlUsers } from '../sql/users.ts';
import { sqlExpiredReservations, sqlVoiceReservations } from '../sql/voice-reservations.ts';
import { sqlWorkspaceExport } from '../sql/workspace-export.ts';
import { sqlWorkspaceImports } from '../sql/workspace-import.ts';
import { sqlWorkspacePurge } from '../sql/workspace-purge.ts';
import { sqlWorkspaces } from '../sql/workspaces.ts';
import type { StorageProblem, Store, WorkspaceStore } from '../store.ts';
import { sqliteBackup } from './backup.ts';
import { type Connections, type DatabaseOptions, openConnections } from './connections.ts';
import { sqliteDamageCheck } from './damage-check.ts';
import type { ProblemObserver } from './file-guard.ts';
import { SEARCH_SOURCES, sqliteUsedBytes } from './holdings.ts';
import { passageWrites, sqlitePassageIndex, sqlitePassages } from './passages.ts';
import { sqliteReadiness } from './readiness.ts';
import { sqlitePurge } from './workspace-purge.ts';

const BOUND_WORKSPACES_MAX = 1_000;

type SqliteLog = Record<'info' | 'error', (fields: object, message: string) => void>;

export type SqliteOptions = Omit<DatabaseOptions, 'observer'> & { readonly log?: SqliteLog };

/**
 * Opens or creates a database file. Several processes may do so at once.
 * @throws IncompatibleDatabase when another version wrote the file, or a table is missing.
 * @throws StorageUnavailable when the file cannot be written.
 */
export function openSqlite({ log, ...options }: SqliteOptions): Store {
  const connections = openConnections({ ...options, ...(log ? { observer: logProblems(log) } : {}) });
  for (const migration of connections.applied) log?.info({ migration }, 'database migrated');
  reportMissingCommits(connections, options.file, log);
  const restriction: Restriction = { workspaceIds: new Set(), conversationMillis: 0 };
  const events = eventWrites(restriction);
  const { check, stopCheck } = sqliteDamageCheck(connections, options.file);
  return lazyObject<Store>({
    workspaces: () => ({
      ...sqlWorkspaces(connections.database),
      ...sqlWorkspacePurge(connections.database, sqlitePurge(connections, options)),
    }),
    users: () => sqlUsers(connections.database),
    sessions: () => sqlSessions(connections.database),
    memberships: () => sqlMemberships(connections.database),
    invitations: () => sqlInvitationLinks(connections.database),
    apiKeys: () => sqlApiKeyRing(connections.database),
    featureFlags: () => sqlFeatureFlags(connections.database),
    rateWindows: () => sqlRateWindows(connections.database),
    consentPolicies: () => sqlConsentPolicies(connections.database),
    workspaceImports: () =>
      sqlWorkspaceImports(connections.database, passageWrites(connections.writer.$client)),
    dictionaryBuilds: () => sqlDictionaryBuilds(connections.database),
    embeddingIndex: () => sqlEmbeddingIndex(connections.database),
    passageIndex: () => sqlitePassageIndex(connections),
    expiredReservations: () => sqlExpiredReservations(connections.database),
    installations: () => sqlInstallations(connections.database),
    in: () => bounded(sqliteWorkspaceStore(connections, events)),
    listErasedVisitors: () => sqlErasedVisitors(connections.database),
    interruptRunning: () => sqlInterruptRunning(connections.database),
    sweep: () => sqlSweep(connections.database, events),
    restrict: () => (workspaceIds, conversationMillis) => {
      Object.assign(restriction, { workspaceIds, conversationMillis });
    },
    usedBytes: () => sqliteUsedBytes(connections),
    ready: () => sqliteReadiness(connections),
    keyRingId: () => sqlKeyRingId(connections.database),
    sealedKeys: () => sqlSealedKeys(connections.database),
    problems: () => () => listProblems(connections),
    check: () => check,
    backup: () => sqliteBackup(options),
    close: () => async () => {
      await stopCheck();
      await connections.close();
    },
  });
}

function logProblems(log: SqliteLog): ProblemObserver {
  return {
    began: (message) => log.error({}, message),
    ended: (message) => log.info({}, message),
  };
}

function reportMissingCommits({ missingSince }: Connections, file: string, log: SqliteLog | undefined): void {
  if (!missingSince) return;
  const message =
    `${file} lacks commits that were acknowledged before ${missingSince.at}: its write-ahead log was cut, ` +
    'or an older copy was put in its place. Everything else in it is kept.';
  log?.error({}, message);
}

function listProblems({ guard, missingSince }: Connections): readonly StorageProblem[] {
  return [
    ...(guard.isReplaced ? (['file_replaced'] as const) : []),
    ...(guard.isCorrupt ? (['corrupt'] as const) : []),
    ...(missingSince ? (['commits_missing'] as const) : []),
  ];
}

function sqliteWorkspaceStore(
  connections: Connections,
  events: EventWrites,
): (workspaceId: string) => WorkspaceStore {
  // Searches read from the writing connection: on another one, each commit would empty the page
  // cache that they use.
  const passages = { db: connections.writer.$client, read: connections.readOnWriter };
  const index = passageWrites(connections.writer.$client);
  const parts = {
    consents: lazy(() => sqlConsents(connections.database, events)),
    conversations: lazy(() => sqlConversations(connections.database, events)),
    events: lazy(() => sqlEvents(connections.database, events)),
    members: lazy(() => sqlMembers(connections.database)),
    invitations: lazy(() => sqlInvitations(connections.database)),
    apiKeys: lazy(() => sqlApiKeys(connections.database)),
    articles: lazy(() => sqlArticles(connections.database, index)),
    translations: lazy(() => sqlTranslations(connections.database, index)),
    passages: lazy(() => (workspaceId: string) => sqlitePassages(passages, workspaceId)),
    dismissedAliases: lazy(() => sqlDismissedAliases(connections.database)),
    dictionaries: lazy(() => sqlDictionaries(connections.database)),
    embeddings: lazy(() => sqlEmbeddings(connections.database)),
    audit: lazy(() => sqlAudit(connections.database)),
    holdings: lazy(() => sqlHoldings(connections.database, events, SEARCH_SOURCES)),
    workspaceExport: lazy(() => sqlWorkspaceExport(connections.database)),
    voiceReservations: lazy(() => sqlVoiceReservations(connections.database, events)),
    tokenMonths: lazy(() => sqlTokenMonths(connections.database, tokenMonths)),
    embeddingMonths: lazy(() => sqlTokenMonths(connections.database, embeddingMonths)),
    installations: lazy(() => sqlWorkspaceInstallations(connections.database)),
    eraseVisitor: lazy(() => sqlVisitors(connections.database, events)),
  } satisfies { [Part in keyof WorkspaceStore]: () => (workspaceId: string) => WorkspaceStore[Part] };
  return (workspaceId) =>
    lazyObject<WorkspaceStore>(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, () => part()(workspaceId)]),
      ) as never,
    );
}

/** Caches the value of the most recent keys. Evicted values are simply recreated. */
function bounded<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known) return known;
    const oldest = made.size >= BOUND_WORKSPACES_MAX ? made.keys().next().value : undefined;
    if (oldest !== undefined) made.delete(oldest);
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}
