export type {
  BootReply,
  BucketName,
  CaptureContext,
  CaptureTarget,
  ChatEvent,
  ConsentReply,
  ErasureReply,
  ErrorCode,
  FallbackReason,
  FeedbackRating,
  FeedbackReply,
  FinishReason,
  ViewportScreenshot,
  VisitorDecision as ConsentDecision,
} from '../../generated/types.ts';
export {
  type Account,
  type AccountOptions,
  createAccount,
  createTenant,
  type TenantOptions,
} from './account.ts';
export { type Conflict, isConflict } from './conflicts.ts';
export {
  type AnyGuideError,
  GuideError,
  type GuideErrorCode,
  type GuideErrorDetails,
  type GuideErrorOf,
  isGuideError,
} from './errors.ts';
export { type EventStreamOptions, parseEventStream, type ServerSentEvent } from './event-stream.ts';
export type { ExportPage, ExportRows, ExportStream } from './export-rows.ts';
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
  type Moment,
  type Paging,
} from './exporter.ts';
export {
  type CallOptions,
  type ConsentDetails,
  createGuide,
  type Guide,
  type GuideOptions,
} from './guide.ts';
export type { Answer, RetryOptions } from './http.ts';
export type { Articles, SeenArticle, SeenTranslation, Translations, Waiting } from './knowledge.ts';
export type { ApiKeys, Invitations, Members } from './members.ts';
export type { Page, RowList } from './pages.ts';
export type { Conversations, Settings, Tenant } from './tenant.ts';
export type { ChatTurn } from './turn.ts';
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
