import type { z } from 'zod';
import type { analytics } from '../contract/analytics.ts';
import type { apiKey, apiKeyCreated, newApiKey } from '../contract/api-keys.ts';
import type { archive } from '../contract/archive.ts';
import type { ArchiveLine as LineOfArchive } from '../contract/archive-line.ts';
import type {
  article,
  articleRevision,
  articleSummary,
  searchHit,
  searchReply,
} from '../contract/article-record.ts';
import type { articleEdit, articles, newArticle } from '../contract/articles.ts';
import type { insight } from '../contract/insight.ts';
import type {
  invitation,
  invitationCreated,
  invitationView,
  member,
  newInvitation,
} from '../contract/members.ts';
import type { sessionState, setUpRequest, signedInDevice } from '../contract/session.ts';
import type { reviewDecision, translation, translationDetail } from '../contract/translation-record.ts';
import type { newTranslation, translationEdit } from '../contract/translations.ts';
import type { auditRow, tenant, tenantChange } from '../contract/workspace.ts';
import type { CallOptions } from './guide.ts';

/** What the dashboard's part of the contract speaks of, by the names that this client gives it. */

/** Who is signed in, until when, and in which workspaces. */
export type SessionState = z.output<typeof sessionState>;
/** One session of the person: where they are signed in. */
export type SignedInDevice = z.output<typeof signedInDevice>;
export type SetUpDetails = z.input<typeof setUpRequest>;

/** A workspace with its settings. */
export type TenantSettings = z.output<typeof tenant>;
/** The settings to change; the rest stays. */
export type TenantSettingsChange = z.input<typeof tenantChange>;
export type AuditRow = z.output<typeof auditRow>;

export type Member = z.output<typeof member>;
export type MemberRole = Member['role'];
export type Invitation = z.output<typeof invitation>;
/** An invitation with its link, which is shown this once. */
export type InvitationCreated = z.output<typeof invitationCreated>;
/** What an invitation is for, as its holder sees it. */
export type InvitationView = z.output<typeof invitationView>;
export type NewInvitation = z.input<typeof newInvitation>;

export type ApiKey = z.output<typeof apiKey>;
/** An API key with its secret, which is shown this once. */
export type ApiKeyCreated = z.output<typeof apiKeyCreated>;
export type NewApiKey = z.input<typeof newApiKey>;

export type Article = z.output<typeof article>;
/** An article without its text. */
export type ArticleSummary = z.output<typeof articleSummary>;
export type ArticleRevision = z.output<typeof articleRevision>;
export type NewArticle = z.input<typeof newArticle>;
/** The whole content of an article: what is left out is not kept. */
export type ArticleContent = Omit<z.input<typeof articleEdit>, 'baseRevision'>;

export type Translation = z.output<typeof translation>;
/** A translation with its newest revisions. */
export type TranslationDetail = z.output<typeof translationDetail>;
export type NewTranslation = z.input<typeof newTranslation>;
/** The whole text of a translation: what is left out is not kept. */
export type TranslationContent = Omit<z.input<typeof translationEdit>, 'baseRevision'>;
export type ReviewDecision = z.output<typeof reviewDecision>;

/** What a visitor who asks this would be served, and whether the guide would answer from it. */
export type KnowledgeSearch = z.output<typeof searchReply>;
export type KnowledgeHit = z.output<typeof searchHit>;

export type Conversation = RowOf<Reply<Insight['listTenantConversations']>>;
/** A conversation with everything that was said in it. */
export type Transcript = Reply<Insight['readTenantConversation']>;
export type Analytics = z.output<typeof analytics>;

/** A line of the export; `type` says what it is about. */
export type ArchiveLine = LineOfArchive;

export type ArticleFilters = Filters<(typeof articles)['listArticles']>;
export type SearchOptions = Omit<Filters<(typeof articles)['searchKnowledge']>, 'q'>;
export type ConversationFilters = Omit<Filters<Insight['listTenantConversations']>, 'answered'> & {
  /** Only conversations in which every question got an answer, or in which one did not. */
  readonly answered?: boolean | undefined;
};
export type AnalyticsOptions = Filters<Insight['readAnalytics']>;
export type ListOptions = CallOptions & {
  /** How many rows to fetch at once: 1 to 200, 50 when omitted. */
  readonly limit?: number | undefined;
};
/** What a person types to have a workspace deleted. */
export type ConfirmName = z.input<(typeof archive)['deleteTenant']['query']>['confirmName'];

type Insight = typeof insight;
type Reply<R extends { metadata: { answers: { 200: z.ZodType } } }> = z.output<R['metadata']['answers'][200]>;
type RowOf<P extends { data: readonly unknown[] }> = P['data'][number];

/** What the query of a route may hold, but for the cursor. Moments may be given as a `Date`. */
type Filters<R extends { query: z.ZodType }> = CallOptions & {
  readonly [K in Exclude<keyof z.output<R['query']>, 'cursor'>]?:
    | z.output<R['query']>[K]
    | (K extends 'from' | 'to' ? Date : never)
    | undefined;
};
