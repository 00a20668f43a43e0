export type { BootReply } from '../contract/boot.ts';
export type { CaptureContext, CaptureTarget, ViewportScreenshot } from '../contract/capture.ts';
export type { ChatEvent, ChatEventType, FallbackReason, FinishReason } from '../contract/chat-event.ts';
export type { ConsentDecision } from '../contract/consent.ts';
export type { BucketName } from '../contract/limits.ts';
export type { RefusalCode } from '../contract/refusals.ts';
export { GuideError, type GuideErrorCode, type GuideErrorDetails, isGuideError } from './errors.ts';
export { type EventStreamOptions, parseEventStream, type ServerSentEvent } from './event-stream.ts';
export {
  type CallOptions,
  type ConsentDetails,
  createGuide,
  type Guide,
  type GuideOptions,
} from './guide.ts';
export type { RetryOptions } from './http.ts';
export type { GuideStorage } from './memory.ts';
export type { ChatTurn } from './turn.ts';
