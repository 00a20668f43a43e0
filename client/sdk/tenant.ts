import {
  changeTenant,
  deleteTenant,
  exportTenant,
  listAudit,
  listConsentDirectives,
  listFeedback,
  listTenantConversations,
  previewAnswer,
  readAnalytics,
  readInstallation,
  readTenant,
  readTenantConversation,
  readUsage,
  searchKnowledge,
} from '../../generated/routes.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './guide.ts';
import type { Answer } from './http.ts';
import { type Articles, openArticles, openTranslations, type Translations } from './knowledge.ts';
import {
  type ApiKeys,
  type Invitations,
  type Members,
  openApiKeys,
  openInvitations,
  openMembers,
} from './members.ts';
import type { RowList } from './pages.ts';
import type {
  Analytics,
  AnalyticsOptions,
  ArchiveLine,
  AuditFilters,
  AuditRow,
  ConfirmName,
  ConsentDirectives,
  Conversation,
  ConversationFilters,
  DirectiveOptions,
  Feedback,
  FeedbackFilters,
  Installation,
  KnowledgeSearch,
  Preview,
  PreviewQuestion,
  SearchOptions,
  TenantSettings,
  TenantSettingsChange,
  TenantUsage,
  Transcript,
} from './types.ts';

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
  search(question: string, options?: SearchOptions): Answer<KnowledgeSearch>;
  /**
   * Figures for each day or hour from `from` until before `to`, beside the equally long time before: the last 28 days
   * when nothing is asked for, at most 400 days, at most 31 of them in hours.
   */
  analytics(options?: AnalyticsOptions): Answer<Analytics>;
  /**
   * Asks the guide as a visitor of this locale and region would, and tells what the answer stands on. Nothing is stored or
   * counted but the tokens of a language model. Takes up to a minute; aborting ends it. Rejects with
   * `chat/answer_broke_off` when no answer came.
   */
  preview(question: PreviewQuestion, options?: CallOptions): Answer<Preview>;
  /** For each allowed origin, when the guide booted there last; and which other origins have asked in vain. */
  installation(options?: CallOptions): Answer<Installation>;
  /** How much of its voice and of its tokens the workspace has used this month. */
  usage(options?: CallOptions): Answer<TenantUsage>;
  /** What visitors thought of answers, newest first. A page can be empty though more follow. */
  feedback(filters?: FeedbackFilters): RowList<Feedback>;
  /** Who did what, newest first. A page can be empty though more follow. */
  audit(filters?: AuditFilters): RowList<AuditRow>;
  /**
   * Everything that the workspace owns, line by line, at any size; the request is sent when the first line is asked for.
   * Leaving the loop ends it. The last line has the type `end`; a download that breaks off before it rejects with
   * `network`, and one that falls silent with `timeout`.
   */
  export(options?: CallOptions): AsyncGenerator<ArchiveLine, void, void>;
};

export type Settings = {
  read(options?: CallOptions): Answer<TenantSettings>;
  /** Changes what is named and leaves the rest. Visitors see it within five seconds. */
  change(change: TenantSettingsChange, options?: CallOptions): Answer<TenantSettings>;
  /**
   * How consent works for a visitor who decided nothing yet, in each region; with `strictness` and `byRegion` as it would if
   * these were saved.
   */
  directives(options?: DirectiveOptions): Answer<ConsentDirectives>;
  /**
   * Deletes the workspace and everything in it, which only an owner may whose password was given within ten minutes.
   * `confirmName` is its name as the person typed it; another one rejects with `tenant/name_mismatch`. It is never sent
   * twice: after a 503 or a `timeout` the service goes on deleting by itself.
   */
  delete(confirmName: ConfirmName, options?: CallOptions): Answer<void>;
};

/** Conversations of visitors who allowed that they are kept. */
export type Conversations = {
  /** Newest first. A page can be empty though more follow. */
  list(filters?: ConversationFilters): RowList<Conversation>;
  read(conversationId: string, options?: CallOptions): Answer<Transcript>;
};

/** Somewhat longer than the service gives an answer. */
const PREVIEW_SECONDS = 75;

export function openTenant(connection: Connection, tenantId: string): Tenant {
  const { ask, tell, list, lines } = connection;
  const parameters = { tenantId };
  return {
    id: tenantId,
    settings: {
      read: (options) => ask(readTenant, { parameters }, options),
      change: (body, options) => ask(changeTenant, { parameters, body }, options),
      directives: ({ signal, byRegion, ...query } = {}) => {
        const rules = byRegion?.map(({ region, strictness }) => `${region}:${strictness}`).join();
        return ask(
          listConsentDirectives,
          { parameters, query: { ...query, byRegion: rules === '' ? 'none' : rules } },
          { signal },
        );
      },
      delete: (confirmName, options) =>
        tell(deleteTenant, { parameters, query: { confirmName }, once: true }, options),
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
    preview: (body, options) =>
      ask(previewAnswer, { parameters, body, deadlineSeconds: PREVIEW_SECONDS }, options),
    installation: (options) => ask(readInstallation, { parameters }, options),
    usage: (options) => ask(readUsage, { parameters }, options),
    feedback: ({ signal, ...query } = {}) => list(listFeedback, { parameters, query }, { signal }),
    audit: ({ signal, ...query } = {}) => list(listAudit, { parameters, query }, { signal }),
    export: (options) => lines(exportTenant, { parameters }, options),
  };
}
