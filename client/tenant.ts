import {
  changeTenant,
  deleteTenant,
  exportTenant,
  listAudit,
  listTenantConversations,
  readAnalytics,
  readTenant,
  readTenantConversation,
  searchKnowledge,
} from '../generated/routes.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './guide.ts';
import { type Articles, openArticles, openTranslations, type Translations } from './knowledge.ts';
import type { RowList } from './pages.ts';
import {
  type ApiKeys,
  type Invitations,
  type Members,
  openApiKeys,
  openInvitations,
  openMembers,
} from './people.ts';
import type {
  Analytics,
  AnalyticsOptions,
  ArchiveLine,
  AuditRow,
  ConfirmName,
  Conversation,
  ConversationFilters,
  KnowledgeSearch,
  ListOptions,
  SearchOptions,
  TenantSettings,
  TenantSettingsChange,
  Transcript,
} from './records.ts';

/**
 * One workspace, as a member of it works with it. Every method rejects with a `GuideError`: `session/unauthorized` when
 * nobody is signed in, `tenant/not_found` when the person does not belong to the workspace, `tenant/role_required` when
 * their role does not allow it.
 */
export type Tenant = {
  readonly id: string;
  readonly settings: Settings;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly apiKeys: ApiKeys;
  readonly articles: Articles;
  readonly translations: Translations;
  readonly conversations: Conversations;
  /** What a visitor of this locale would be served, best first: 10 articles unless `limit` says otherwise, at most 50. */
  search(question: string, options?: SearchOptions): Promise<KnowledgeSearch>;
  /**
   * Figures for each day or hour from `from` until before `to`, beside the equally long time before: the last 28 days
   * when nothing is asked for, at most 400 days, at most 31 of them in hours.
   */
  analytics(options?: AnalyticsOptions): Promise<Analytics>;
  /** Who did what, newest first. */
  audit(options?: ListOptions): RowList<AuditRow>;
  /**
   * Everything that the workspace owns, line by line, at any size; the request is sent when the first line is asked for.
   * Leaving the loop ends it. The last line has the type `end`; a download that breaks off before it rejects with
   * `network`, and one that falls silent with `timeout`.
   */
  export(options?: CallOptions): AsyncGenerator<ArchiveLine, void, void>;
};

export type Settings = {
  read(options?: CallOptions): Promise<TenantSettings>;
  /** Changes what is named and leaves the rest. Visitors see it within five seconds. */
  change(change: TenantSettingsChange, options?: CallOptions): Promise<TenantSettings>;
  /**
   * Deletes the workspace and everything in it, which only an owner may whose password was given within ten minutes.
   * `confirmName` is its name as the person typed it; another one rejects with `tenant/name_mismatch`. It is never sent
   * twice: after a 503 or a `timeout` the service goes on deleting by itself.
   */
  delete(confirmName: ConfirmName, options?: CallOptions): Promise<void>;
};

/** Conversations of visitors who allowed that they are kept. */
export type Conversations = {
  /** Newest first. A page can be empty though more follow. */
  list(filters?: ConversationFilters): RowList<Conversation>;
  read(conversationId: string, options?: CallOptions): Promise<Transcript>;
};

export function openTenant(connection: Connection, tenantId: string): Tenant {
  const { ask, list, lines } = connection;
  const parameters = { tenantId };
  return {
    id: tenantId,
    settings: {
      read: (options) => ask(readTenant, { parameters }, options),
      change: (body, options) => ask(changeTenant, { parameters, body }, options),
      delete: async (confirmName, options) =>
        void (await ask(deleteTenant, { parameters, query: { confirmName }, once: true }, options)),
    },
    members: openMembers(connection, tenantId),
    invitations: openInvitations(connection, tenantId),
    apiKeys: openApiKeys(connection, tenantId),
    articles: openArticles(connection, tenantId),
    translations: openTranslations(connection, tenantId),
    conversations: {
      list: ({ signal, ...query } = {}) => list(listTenantConversations, { parameters, query }, { signal }),
      read: (conversationId, options) =>
        ask(readTenantConversation, { parameters: { tenantId, conversationId } }, options),
    },
    search: (q, { signal, ...query } = {}) =>
      ask(searchKnowledge, { parameters, query: { ...query, q } }, { signal }),
    analytics: ({ signal, ...query } = {}) => ask(readAnalytics, { parameters, query }, { signal }),
    audit: ({ signal, limit } = {}) => list(listAudit, { parameters, query: { limit } }, { signal }),
    export: (options) => lines(exportTenant, { parameters }, options),
  };
}
