import type { Store, WorkspaceStore } from '../store.ts';
import { sqliteApiKeys } from './api-keys.ts';
import { sqliteArticles } from './articles.ts';
import { auditWrites, sqliteAudit } from './audit.ts';
import { sqliteBackup } from './backup.ts';
import { type Connections, openConnections, type Place } from './connections.ts';
import { sqliteConsentPolicies, sqliteConsents } from './consents.ts';
import { sqliteConversations } from './conversations.ts';
import { eventWrites, sqliteEvents } from './events.ts';
import { sqliteMembers } from './members.ts';
import { sqlitePassages } from './passages.ts';
import { sqliteRateWindows } from './rate-windows.ts';
import { sqliteReadiness } from './readiness.ts';
import { sqliteSweep } from './sweep.ts';
import { sqliteSwitches } from './switches.ts';
import { sqliteVisitors } from './visitors.ts';
import { sqliteWorkspaces } from './workspaces.ts';

const BOUND_WORKSPACES_MAX = 1_000;

export type SqliteOptions = Place & {
  readonly log?: { readonly info: (fields: object, message: string) => void };
};

/**
 * Opens or creates a database file; several processes may do so at once.
 * @throws MigrationRefused when a newer version of the program has used the file.
 * @throws StorageUnavailable when the file cannot be written.
 */
export function openSqlite({ log, ...place }: SqliteOptions): Store {
  const connections = openConnections(place);
  for (const migration of connections.applied) log?.info({ migration }, 'database migrated');
  const events = eventWrites(connections.writer);
  return {
    workspaces: sqliteWorkspaces(connections),
    members: sqliteMembers(connections),
    apiKeys: sqliteApiKeys(connections),
    switches: sqliteSwitches(connections),
    rateWindows: sqliteRateWindows(connections),
    consentPolicies: sqliteConsentPolicies(connections),
    in: bounded(sqliteWorkspaceStore(connections, events)),
    sweep: sqliteSweep(connections, events),
    ready: sqliteReadiness(connections),
    backup: sqliteBackup(place),
    close: connections.close,
  };
}

function sqliteWorkspaceStore(
  connections: Connections,
  events: ReturnType<typeof eventWrites>,
): (workspaceId: string) => WorkspaceStore {
  const insertAudit = auditWrites(connections.writer);
  const consents = sqliteConsents(connections, events);
  const conversations = sqliteConversations(connections, events);
  const eventsIn = sqliteEvents(connections, events);
  const articles = sqliteArticles(connections, insertAudit);
  const audit = sqliteAudit(connections, insertAudit);
  const visitors = sqliteVisitors(connections, events);
  // A search reads much, and on a connection of its own every commit would empty the page cache that it reads from.
  const passages = { read: connections.writer.$client };
  return (workspaceId) => ({
    consents: consents(workspaceId),
    conversations: conversations(workspaceId),
    events: eventsIn(workspaceId),
    articles: articles(workspaceId),
    passages: sqlitePassages(passages, workspaceId),
    audit: audit(workspaceId),
    ...visitors(workspaceId),
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
