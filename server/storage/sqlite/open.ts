import type { Store, WorkspaceStore } from '../store.ts';
import { sqliteApiKeyRing, sqliteApiKeys } from './api-keys.ts';
import { sqliteArticles } from './articles.ts';
import { auditWrites, type InsertAudit, sqliteAudit } from './audit.ts';
import { sqliteBackup } from './backup.ts';
import { type Connections, openConnections, type Place } from './connections.ts';
import { sqliteConsentPolicies, sqliteConsents } from './consents.ts';
import { sqliteConversations } from './conversations.ts';
import { eventWrites, sqliteEvents } from './events.ts';
import { sqliteFeatureFlags } from './feature-flags.ts';
import { sqliteInstallations, sqliteWorkspaceInstallations } from './installations.ts';
import { sqliteInvitationLinks, sqliteInvitations } from './invitations.ts';
import { once, onDemand } from './lazy.ts';
import { sqliteMembers } from './members.ts';
import { sqliteMemberships } from './memberships.ts';
import { sqlitePassageIndex } from './passage-index.ts';
import { sqlitePassages } from './passages.ts';
import { sqliteRateWindows } from './rate-windows.ts';
import { sqliteReadiness } from './readiness.ts';
import { sqliteSessions } from './sessions.ts';
import { sqliteSweep } from './sweep.ts';
import { sqliteTokenMonths } from './token-months.ts';
import { sqliteTranslations } from './translations.ts';
import { sqliteUsers } from './users.ts';
import { sqliteVisitors } from './visitors.ts';
import { sqliteExpiredReservations, sqliteVoiceReservations } from './voice-reservations.ts';
import { sqliteWorkspaceExport } from './workspace-export.ts';
import { sqliteWorkspaceImports } from './workspace-import.ts';
import { sqliteWorkspaceRemoval } from './workspace-removal.ts';
import { workspaceWrites } from './workspace-writes.ts';
import { sqliteWorkspaces } from './workspaces.ts';

const BOUND_WORKSPACES_MAX = 1_000;

export type SqliteOptions = Place & {
  readonly log?: { readonly info: (fields: object, message: string) => void };
};

/**
 * Opens or creates a database file; several processes may do so at once.
 * @throws IncompatibleDatabase when another version wrote the file.
 * @throws StorageUnavailable when the file cannot be written.
 */
export function openSqlite({ log, ...place }: SqliteOptions): Store {
  const connections = openConnections(place);
  for (const migration of connections.applied) log?.info({ migration }, 'database migrated');
  const events = once(() => eventWrites(connections));
  const insertAudit = once(() => auditWrites(connections.writer));
  const workspaces = once(() => workspaceWrites(connections.writer));
  return onDemand<Store>({
    workspaces: () => ({
      ...sqliteWorkspaces(connections, insertAudit(), workspaces()),
      ...sqliteWorkspaceRemoval(connections, place),
    }),
    users: () => sqliteUsers(connections, insertAudit(), workspaces()),
    sessions: () => sqliteSessions(connections),
    memberships: () => sqliteMemberships(connections, insertAudit(), workspaces()),
    invitations: () => sqliteInvitationLinks(connections, insertAudit()),
    apiKeys: () => sqliteApiKeyRing(connections),
    featureFlags: () => sqliteFeatureFlags(connections),
    rateWindows: () => sqliteRateWindows(connections),
    consentPolicies: () => sqliteConsentPolicies(connections),
    workspaceImports: () => sqliteWorkspaceImports(connections, workspaces()),
    passageIndex: () => sqlitePassageIndex(connections),
    expiredReservations: () => sqliteExpiredReservations(connections),
    installations: () => sqliteInstallations(connections),
    in: () => bounded(sqliteWorkspaceStore(connections, events, insertAudit)),
    sweep: () => sqliteSweep(connections, events()),
    ready: () => sqliteReadiness(connections),
    backup: () => sqliteBackup(place),
    close: () => connections.close,
  });
}

function sqliteWorkspaceStore(
  connections: Connections,
  events: () => ReturnType<typeof eventWrites>,
  insertAudit: () => InsertAudit,
): (workspaceId: string) => WorkspaceStore {
  const consents = once(() => sqliteConsents(connections, events()));
  const conversations = once(() => sqliteConversations(connections, events()));
  const eventsIn = once(() => sqliteEvents(connections, events()));
  const members = once(() => sqliteMembers(connections, insertAudit()));
  const invitations = once(() => sqliteInvitations(connections, insertAudit()));
  const apiKeys = once(() => sqliteApiKeys(connections, insertAudit()));
  const articles = once(() => sqliteArticles(connections, insertAudit()));
  const translations = once(() => sqliteTranslations(connections, insertAudit()));
  const audit = once(() => sqliteAudit(connections, insertAudit()));
  const workspaceExport = once(() => sqliteWorkspaceExport(connections));
  const voiceReservations = once(() => sqliteVoiceReservations(connections, events()));
  const tokenMonths = once(() => sqliteTokenMonths(connections));
  const installations = once(() => sqliteWorkspaceInstallations(connections));
  const visitors = once(() => sqliteVisitors(connections, events()));
  // A search reads much, and on a connection of its own every commit would empty the page cache that it reads from.
  const passages = { read: connections.writer.$client };
  return (workspaceId) =>
    onDemand<WorkspaceStore>({
      consents: () => consents()(workspaceId),
      conversations: () => conversations()(workspaceId),
      events: () => eventsIn()(workspaceId),
      members: () => members()(workspaceId),
      invitations: () => invitations()(workspaceId),
      apiKeys: () => apiKeys()(workspaceId),
      articles: () => articles()(workspaceId),
      translations: () => translations()(workspaceId),
      passages: () => sqlitePassages(passages, workspaceId),
      audit: () => audit()(workspaceId),
      workspaceExport: () => workspaceExport()(workspaceId),
      voiceReservations: () => voiceReservations()(workspaceId),
      tokenMonths: () => tokenMonths()(workspaceId),
      installations: () => installations()(workspaceId),
      eraseVisitor: () => visitors()(workspaceId).eraseVisitor,
    });
}

/** Remembers what was made for the latest keys; making it again is right, only dearer. */
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
