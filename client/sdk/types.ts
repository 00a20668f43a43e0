import type {
  ArticleEdit,
  DeleteTenantQuery,
  ListArticlesQuery,
  ListAuditQuery,
  ListConsentDirectivesQuery,
  ListFeedbackQuery,
  ListTenantConversationsQuery,
  ListWaitingQuery,
  ReadAnalyticsQuery,
  RegionStrictness,
  SearchKnowledgeQuery,
  TenantConversation,
  TenantTranscript,
  TranslationEdit,
  Tenant as WireTenant,
} from '../../generated/types.ts';
import type { CallOptions } from './guide.ts';

/** What the dashboard's part of the contract speaks of, by the names that this client gives it. */

export type {
  Analytics,
  ApiKey,
  ApiKeyCreated,
  ArchiveLine,
  Article,
  ArticleRevision,
  ArticleSummary,
  AuditRow,
  ConsentDirectives,
  Installation,
  Invitation,
  InvitationCreated,
  InvitationLink,
  InvitationView,
  KnowledgeCoverage,
  KnowledgeHit,
  KnowledgeSearch,
  Member,
  MemberRole,
  NewApiKey,
  NewArticle,
  NewInvitation,
  NewTranslation,
  Preview,
  PreviewQuestion,
  RegionDirective,
  RegionStrictness,
  ReviewDecision,
  SessionState,
  SetUpRequest as SetUpDetails,
  SetupLink,
  SignedInDevice,
  TenantChange as TenantSettingsChange,
  TenantFeedback as Feedback,
  TenantUsage,
  Translation,
  TranslationDetail,
  WaitingKind,
  WaitingPage,
  WaitingTranslation,
} from '../../generated/types.ts';

/** A workspace with its settings. */
export type TenantSettings = WireTenant;
/** The whole content of an article: what is left out is not kept. */
export type ArticleContent = Omit<ArticleEdit, 'baseRevision'>;
/** The whole text of a translation: what is left out is not kept. */
export type TranslationContent = Omit<TranslationEdit, 'baseRevision'>;

export type Conversation = TenantConversation;
/** A conversation with everything that was said in it. */
export type Transcript = TenantTranscript;

export type ArticleFilters = Filters<ListArticlesQuery>;
export type SearchOptions = Filters<Omit<SearchKnowledgeQuery, 'q'>>;
export type ConversationFilters = Filters<ListTenantConversationsQuery>;
export type FeedbackFilters = Filters<ListFeedbackQuery>;
export type AuditFilters = Filters<ListAuditQuery>;
export type WaitingFilters = Filters<ListWaitingQuery>;
/** Whose directives, and with which settings in place of those that are saved. */
export type DirectiveOptions = Filters<Omit<ListConsentDirectivesQuery, 'byRegion'>> & {
  /** In place of the `consentStrictnessByRegion` that is saved. */
  readonly byRegion?: readonly RegionStrictness[] | undefined;
};
export type AnalyticsOptions = Filters<ReadAnalyticsQuery>;
export type ListOptions = CallOptions & {
  /** How many rows to fetch at once: 1 to 200, 50 when omitted. */
  readonly limit?: number | undefined;
};
/** What a person types to have a workspace deleted. */
export type ConfirmName = DeleteTenantQuery['confirmName'];

/** What the query of a route may hold, but for the cursor. Moments may be given as a `Date`, and what is true or false as such. */
type Filters<Query> = CallOptions & {
  readonly [K in keyof Query as Exclude<K, 'cursor'>]?:
    | (Query[K] extends 'true' | 'false' | undefined ? boolean : Query[K])
    | (K extends 'from' | 'to' ? Date : never)
    | undefined;
};
