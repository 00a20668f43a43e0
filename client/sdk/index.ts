export type {
  ActionEvent,
  BootReply,
  BucketName,
  CaptureContext,
  CaptureTarget,
  ChatEvent,
  CitationEvent,
  ConsentReply,
  ConversationTurn,
  ErasureReply,
  ErrorCode,
  ErrorEvent,
  FallbackReason,
  FeedbackRating,
  FeedbackReason,
  FeedbackReply,
  FinishReason,
  HelpArticle,
  HelpArticleText,
  HelpCollection,
  HelpPage,
  HelpSearch,
  NewHandover,
  NoticeEvent,
  PageCitationEvent,
  Suggestion,
  TokenUsage,
  ViewportScreenshot,
  VisitorDecision as ConsentDecision,
  VisitorHandover,
  VisitorHandovers,
} from '../../generated/types.ts';
export {
  type Account,
  type AccountOptions,
  createAccount,
  createTenant,
  type TenantOptions,
} from './account.ts';
export type {
  Articles,
  ReadTranslation,
  ReviewQueue,
  SeenArticle,
  SeenTranslation,
  Translations,
} from './articles.ts';
export type { Page, RowList } from './connection.ts';
export {
  type AnyGuideError,
  type Conflict,
  GuideError,
  type GuideErrorCode,
  type GuideErrorDetails,
  type GuideErrorOf,
  isConflict,
  isGuideError,
} from './errors.ts';
export { type EventStreamOptions, parseEventStream, type ServerSentEvent } from './event-stream.ts';
export {
  createExporter,
  type EventFilters,
  type ExportAnalyticsOptions,
  type ExportedAnalytics,
  type ExportedConversation,
  type ExportedEvent,
  type ExportedEventType,
  type ExportedTranscript,
  type Exporter,
  type ExporterOptions,
  type ExportFilters,
  type ExportPage,
  type ExportRows,
  type ExportStream,
  type Moment,
  type Paging,
} from './exporter.ts';
export {
  type ArticlesOptions,
  type ChatTurn,
  type ConsentDetails,
  createGuide,
  type Guide,
  type GuideOptions,
} from './guide.ts';
export type { Answer, CallOptions, RequestOptions, RetryOptions } from './http.ts';
export { accumulate, type GuideMessage, snapshots, toMessage } from './message.ts';
export type { Sources } from './sources.ts';
export type {
  ApiKeys,
  Conversations,
  Invitations,
  Members,
  Settings,
  Tenant,
  Webhooks,
} from './tenant.ts';
export type * from './types.ts';
export type { GuideStorage } from './visitor-storage.ts';
export {
  type Listening,
  type ListenOptions,
  type Sound,
  type SpeakOptions,
  type Speech,
  type SpeechProvider,
  type SpeechText,
  type TokenProvider,
  type Voice,
  type VoiceToken,
  withVoice,
} from './voice.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhooks.ts';
