import type {
  ArticleEdit,
  DeleteTenantQuery,
  ListArticlesQuery,
  ListAuditQuery,
  ListConsentDirectivesQuery,
  ListFeedbackQuery,
  ListImagesQuery,
  ListInboxQuery,
  ListReviewQueueQuery,
  ListSourceRunItemsQuery,
  ListTenantConversationsQuery,
  ReadAnalyticsQuery,
  RegionStrictness,
  SearchKnowledgeQuery,
  TenantConversation,
  TenantTranscript,
  TranslationEdit,
  Tenant as WireTenant,
} from '../../generated/types.ts';
import type { CallOptions } from './http.ts';
import type { QueryInput } from './operations.ts';

export type {
  AliasSuggestion,
  Analytics,
  ApiKey,
  ApiKeyCreated,
  ApiKeyRotation,
  ArchiveRow,
  Article,
  ArticleRevision,
  ArticleSummary,
  AuditRow,
  AutomationArea,
  AutomationSession,
  AutomationSessionCreated,
  ConsentDirectives,
  DismissedAlias,
  FeedbackReason,
  FilesSettings,
  Image,
  InboxAskAgain,
  InboxChange,
  InboxGroup,
  InboxKind,
  InboxPage,
  InboxQuestion,
  InboxState,
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
  NewAutomationSession,
  NewInvitation,
  NewSource,
  NewTranslation,
  Preview,
  PreviewQuestion,
  RegionDirective,
  RegionStrictness,
  ReviewDecision,
  ReviewQueuePage,
  ReviewTask,
  ReviewTaskKind,
  SessionState,
  SetUpRequest as SetUpDetails,
  SetupLink,
  SignedInDevice,
  Source,
  SourceChange,
  SourceConflict,
  SourceConflictChoice,
  SourceRefusal,
  SourceRun,
  SourceRunItem,
  SourceUpload,
  TenantChange as TenantSettingsChange,
  TenantFeedback as Feedback,
  TenantUsage,
  Translation,
  TranslationDetail,
  WebsiteSettings,
} from '../../generated/types.ts';

/** A workspace with its settings. */
export type TenantSettings = WireTenant;
/** The complete content of an article. Fields that are left out are cleared. */
export type ArticleContent = Omit<ArticleEdit, 'baseRevision'>;
/** The complete text of a translation. Fields that are left out are cleared. */
export type TranslationContent = Omit<TranslationEdit, 'baseRevision' | 'sourceRevision'>;

export type Conversation = TenantConversation;
/** A conversation with all its turns. */
export type Transcript = TenantTranscript;

export type ArticleFilters = Filters<ListArticlesQuery>;
export type ImageFilters = Filters<ListImagesQuery>;
export type SearchOptions = Filters<Omit<SearchKnowledgeQuery, 'q'>>;
export type ConversationFilters = Filters<ListTenantConversationsQuery>;
export type FeedbackFilters = Filters<ListFeedbackQuery>;
export type AuditFilters = Filters<ListAuditQuery>;
export type InboxFilters = Filters<ListInboxQuery>;
export type SourceItemFilters = Filters<ListSourceRunItemsQuery>;
export type ReviewQueueFilters = Filters<ListReviewQueueQuery>;
/** Which directives to list, and settings to use instead of the saved ones. */
export type DirectiveOptions = Filters<Omit<ListConsentDirectivesQuery, 'byRegion'>> & {
  /** Instead of the saved `consentStrictnessByRegion`. */
  byRegion?: readonly RegionStrictness[] | undefined;
};
export type AnalyticsOptions = Filters<ReadAnalyticsQuery>;
export type ListOptions = CallOptions & {
  /** Rows per page: 1 to 200, 50 by default. */
  limit?: number | undefined;
};
/** The name of the workspace, typed by the user to confirm its deletion. */
export type ConfirmName = DeleteTenantQuery['confirmName'];

/** Query parameters without the cursor. Times may be a `Date`. */
type Filters<Query> = CallOptions & Omit<QueryInput<Query>, 'cursor'>;
