export type { ActionEvent, BootReply, CitationEvent, FeedbackRating, Suggestion } from '@guidepost/client';
export type { ConsentControls, GuideControls, GuideSource, HandoverForm } from './controls.ts';
export type { GuideLabels } from './labels.ts';
export { Microphone } from './microphone.tsx';
/** The parts of a chat. A namespace, so that server components can use `Guide.Root` too. */
export * as Guide from './parts.tsx';
export type {
  ActionOutcome,
  Answer,
  ConsentState,
  GuideFailure,
  GuideState,
  Message,
  Question,
  ShownHandover,
  VoiceControl,
  VoiceState,
} from './state.ts';
export type { GuideSettings } from './store.ts';
export { type GuideHandle, useGuide } from './use-guide.ts';
export { voice } from './voice.ts';
