import type {
  ArticleEdit,
  DeleteTenantQuery,
  RegionStrictness,
  TenantConversation,
  TenantTranscript,
  TranslationEdit,
  Tenant as WireTenant,
} from '../../generated/types.ts';
import type { Filters } from './operations.ts';

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
  CustomerAttribute,
  CustomerKey,
  CustomerKeyCreated,
  DismissedAlias,
  FeedbackReason,
  FilesSettings,
  HelpAddress,
  IdentityProviderChange,
  IdentityProviderTrial as ProviderTrial,
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
  ModelInUse,
  ModelTest,
  NewApiKey,
  NewArticle,
  NewAutomationSession,
  NewCustomerKey,
  NewInvitation,
  NewPasskey,
  NewSource,
  NewTranslation,
  NewWebhook,
  Passkey,
  PasskeyCreation,
  PasskeyRequest,
  PasskeySignature,
  Preview,
  PreviewQuestion,
  RegionDirective,
  RegionStrictness,
  ReviewDecision,
  ReviewQueuePage,
  ReviewTask,
  ReviewTaskKind,
  SecondFactorProof,
  SecondFactors,
  SecondStep,
  SessionState,
  SetUpRequest as SetUpDetails,
  SetupLink,
  SignedInDevice,
  SignInSettings,
  Source,
  SourceChange,
  SourceConflict,
  SourceConflictChoice,
  SourceReasonCounts,
  SourceRefusal,
  SourceRun,
  SourceRunItem,
  SourceRunText,
  SourceUpload,
  TenantChange as TenantSettingsChange,
  TenantFeedback as Feedback,
  TenantUsage,
  Translation,
  TranslationDetail,
  UserTokenCheck,
  Webhook,
  WebhookChange,
  WebhookChosenType,
  WebhookDelivery,
  WebhookEventType,
  WebhookRotation,
  WebhookWithSecret,
  WebsiteSettings,
  WorkspaceModelChange,
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

export type ArticleFilters = Filters<'listArticles'>;
export type ImageFilters = Filters<'listImages'>;
export type SearchOptions = Omit<Filters<'searchKnowledge'>, 'q'>;
export type ConversationFilters = Filters<'listTenantConversations'>;
export type FeedbackFilters = Filters<'listFeedback'>;
export type AuditFilters = Filters<'listAudit'>;
export type HandoverFilters = Filters<'listHandovers'>;
export type InboxFilters = Filters<'listInbox'>;
export type SourceItemFilters = Filters<'listSourceRunItems'>;
export type ReviewQueueFilters = Filters<'listReviewQueue'>;
/** Which directives to list, and settings to use instead of the saved ones. */
export type DirectiveOptions = Omit<Filters<'listConsentDirectives'>, 'byRegion'> & {
  /** Instead of the saved `consentStrictnessByRegion`. */
  byRegion?: readonly RegionStrictness[] | undefined;
};
/** The visitor to boot as. */
export type PreviewBootOptions = Filters<'previewBoot'>;
export type AnalyticsOptions = Filters<'readAnalytics'>;
/** The name of the workspace, typed by the user to confirm its deletion. */
export type ConfirmName = DeleteTenantQuery['confirmName'];
