import {
  type ActionEvent,
  type AnyGuideError,
  type BootReply,
  type FeedbackRating,
  type Guide,
  type GuideMessage,
  isGuideError,
  type Suggestion,
  type VisitorHandover,
} from '@guidepost/client';

/** The state that a guide shows. Plain data, never changed in place: unchanged objects need no rendering. */
export type GuideState = {
  /** `unavailable` when the last boot failed; `failure` says why, and `retry()` boots again. */
  status: 'booting' | 'ready' | 'unavailable';
  failure: GuideFailure | undefined;
  /** The reply to the last boot: features, settings and texts of the workspace. Undefined before the first. */
  boot: BootReply | undefined;
  consent: ConsentState;
  /** Questions and answers, oldest first. */
  messages: readonly Message[];
  /** True from `send()` until the answer is complete, stopped or failed. */
  isAnswering: boolean;
  /** Questions to offer: first ones of the workspace, then those of the last answer. */
  suggestions: readonly Suggestion[];
  /** Proposed actions of the last answer that the visitor has not decided on. */
  actions: readonly ActionEvent[];
  /** What the visitor asked the team, oldest first, with the replies. */
  handovers: readonly ShownHandover[];
  /** The text in the composer. */
  draft: string;
  voice: VoiceState;
};

export type ShownHandover = {
  handover: VisitorHandover;
  /** The `key` of the message above it; empty if there was none. */
  above: string;
};

export type ConsentState = {
  /** `needed` until the visitor decides; `unknown` before the first boot. The guide answers in every state. */
  state: 'unknown' | 'needed' | 'granted' | 'denied';
  /** True when the browser's Global Privacy Control signal has decided: there is nothing to choose. */
  isByBrowser: boolean;
  isSaving: boolean;
  /** True when the last decision could not be recorded. */
  hasFailed: boolean;
};

export type VoiceState = {
  /** True when the page passed `voice` and the workspace has voice. */
  isAvailable: boolean;
  listening: 'off' | 'opening' | 'on';
  /** The message that is being read aloud. */
  speaking: string | undefined;
  failure: GuideFailure | undefined;
};

export type VoiceControl = {
  /** Opens the microphone and appends what it hears to the draft. Call it in a click. */
  listen(): Promise<void>;
  /** Closes the microphone and keeps what was said. */
  stopListening(): Promise<void>;
  /** Reads a text aloud, one at a time. `key` is what `speaking` then contains, by default the text. */
  speak(text: string, key?: string): Promise<void>;
  /** Stops reading aloud. */
  silence(): void;
  /** Stops recording and playback. Speech that is recognized later is dropped. */
  close(): void;
};

export type OpenVoice = (deps: VoiceDeps) => VoiceControl;

export type VoiceDeps = {
  /** Returns the current guide; creates it when there is none. */
  open: () => Guide;
  get: () => GuideState;
  change: (voice: Partial<VoiceState>) => void;
  write: (draft: string) => void;
};

export type Message = Question | Answer;

export type Question = {
  role: 'visitor';
  /** Identifies the message on this page, for React. */
  key: string;
  text: string;
};

export type Answer = Omit<GuideMessage, 'state' | 'error'> & {
  role: 'guide';
  /** Identifies the message on this page, for React. `id` is the service's, to rate it. */
  key: string;
  /** `stopped` by the visitor; `failed` with a `failure`. `done`, `stopped` and `failed` are final. */
  state: GuideMessage['state'] | 'stopped';
  failure?: GuideFailure | undefined;
  rating?: FeedbackRating | undefined;
  /** Outcomes of its actions, by `action_id`. */
  outcomes: Readonly<Record<string, ActionOutcome>>;
};

/** `expired` when the visitor agreed too late. */
export type ActionOutcome = 'done' | 'target_missing' | 'failed' | 'declined' | 'expired';

export type GuideFailure = {
  /** A code of `GuideError`, such as `network`, or of the service's error codes. */
  code: string;
  /** For developers. Visitors get `labels.failure`. */
  message: string;
  retryable: boolean;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
};

/** The state before the first boot, also used on a server and while hydrating. */
export const INITIAL: GuideState = {
  status: 'booting',
  failure: undefined,
  boot: undefined,
  consent: { state: 'unknown', isByBrowser: false, isSaving: false, hasFailed: false },
  messages: [],
  isAnswering: false,
  suggestions: [],
  actions: [],
  handovers: [],
  draft: '',
  voice: { isAvailable: false, listening: 'off', speaking: undefined, failure: undefined },
};

export const isAnswer = (message: Message | undefined): message is Answer => message?.role === 'guide';

/**
 * Recomputes the fields that depend on the boot reply and the messages. Returns `state` itself when neither has
 * changed.
 */
export function derive(before: GuideState, state: GuideState): GuideState {
  const isBootNew = state.boot !== before.boot;
  if (!isBootNew && state.messages === before.messages) return state;
  const last = state.messages.at(-1);
  const actions = isAnswer(last) ? last.actions.filter((action) => !last.outcomes[action.action_id]) : [];
  const firstQuestions = state.boot?.config.mount.suggestions ?? [];
  const suggestions = isAnswer(last)
    ? last.suggestions
    : firstQuestions.map((title) => ({ suggestion_id: title, title, message: title }));
  return {
    ...state,
    suggestions: isBootNew || last ? suggestions : state.suggestions,
    actions: actions.length === 0 ? INITIAL.actions : actions,
    consent: isBootNew && state.boot ? toConsentState(state.boot) : state.consent,
  };
}

function toConsentState({ consent_directive: { ask, purposes, gpc } }: BootReply): ConsentState {
  const decision = purposes.retention === 'granted' ? 'granted' : 'denied';
  return { ...INITIAL.consent, state: ask ? 'needed' : decision, isByBrowser: gpc.honored };
}

/** Error codes for which trying again cannot help. */
const FINAL = ['bot', 'unsupported', 'request/invalid'];

export function toFailure(error: unknown): GuideFailure {
  if (!isGuideError(error)) return { code: 'internal', message: String(error), retryable: true };
  const { code, message, status, retryAfterSeconds, requestId }: AnyGuideError = error;
  const retryable = status !== 403 && !FINAL.includes(code);
  return { code, message, retryable, retryAfterSeconds, requestId };
}
