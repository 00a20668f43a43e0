/**
 * The speech port: session tokens, transcription and speech from a third party or the mock. An adapter sees the text or
 * audio of one request and nothing else: no visitor, no workspace, no cap. `test/speech/speech.suite.ts` is its
 * contract suite.
 */

import { CJK_LETTERS } from '../base/text.ts';
export type SpeechProviderName = 'provider_a' | 'provider_b' | 'provider_c' | 'mock';

/** The configured providers of each capability, in the order in which `auto` tries them. */
export type Speech = {
  minters: readonly TokenMinter[];
  transcribers: readonly Transcriber[];
  speakers: readonly Speaker[];
};

export type TokenKind = 'realtime' | 'batch';

/** Issues tokens that let a browser open one transcription session directly at the provider. */
export type TokenMinter = {
  name: SpeechProviderName;
  kinds: readonly TokenKind[];
  mint(input: MintInput, signal: AbortSignal): Promise<MintedToken>;
};

export type MintInput = {
  kind: TokenKind;
  /** BCP 47; the expected language. */
  locale?: string;
};

export type MintedToken = {
  token: string;
  /** Milliseconds since 1970. Sessions must be opened before this time; open sessions continue. */
  expiresAt: number;
  mode: 'realtime' | 'batch' | 'mock';
  transport: 'webrtc' | 'websocket' | 'upload' | 'mock';
  /** Where the browser opens the session. Absent for `upload` and `mock`, which need no provider. */
  url?: string;
};

export type Transcriber = {
  name: SpeechProviderName;
  transcribe(audio: RecordedAudio, signal: AbortSignal): Promise<Transcript>;
};

/** A recording. `mime` and `extension` are detected from its bytes, never taken from the client. */
export type RecordedAudio = {
  bytes: Uint8Array;
  /** For example `audio/webm`. */
  mime: string;
  /** Without the dot, for example `webm`. */
  extension: string;
  /** BCP 47; the expected language. */
  locale?: string;
};

export type Transcript = {
  /** Empty when the recording contains no speech. */
  text: string;
  model: string;
  /** Duration as the provider bills it. */
  seconds?: number;
};

export type Speaker = {
  name: SpeechProviderName;
  /** Whether an id has the form of this provider's voices. A fallback provider that lacks the voice uses its own. */
  supportsVoice(voiceId: string): boolean;
  /** Resolves once the first bytes have arrived, so a caller can still fall back to another provider before that. */
  speak(input: SpeakInput, signal: AbortSignal): Promise<SpokenAudio>;
};

export type SpeakInput = {
  text: string;
  /** The provider's default voice when absent. */
  voiceId?: string;
  /** BCP 47. */
  locale?: string;
};

export type SpokenAudio = {
  mime: 'audio/mpeg' | 'audio/wav';
  /** Can be read once. Throws a SpeechFailure when interrupted. Leaving the loop early closes the connection. */
  body: AsyncIterable<Uint8Array>;
  /** Converts bytes sent into seconds spoken. Absent when the encoding does not reveal it. */
  bytesPerSecond?: number;
};

/**
 * `credentials`: the provider rejects our key. `busy`: rate limit or quota reached. `upstream`: an invalid reply, or
 * none. `timeout`: no reply in time. `aborted`: the caller disconnected. `refused`: the provider rejects this request,
 * for example an unknown voice; another provider may accept it.
 */
export type SpeechFailureKind = 'credentials' | 'busy' | 'upstream' | 'timeout' | 'aborted' | 'refused';

/** The only error that adapters throw. Its message is safe to log: it contains nothing that the provider sent. */
export class SpeechFailure extends Error {
  override readonly name = 'SpeechFailure';
  readonly kind: SpeechFailureKind;
  readonly provider: SpeechProviderName;
  /** Whole seconds, when a busy provider says when to retry. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    provider: SpeechProviderName,
    kind: SpeechFailureKind,
    reason: string,
    retryAfterSeconds?: number,
  ) {
    super(`${provider}: ${reason}`);
    this.provider = provider;
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export type SpeechOperation = 'token' | 'transcribe' | 'speak';

/** Called once per call to a provider. For `speak`, `millis` is the time to the first bytes. */
export type SpeechObserver = (call: {
  provider: SpeechProviderName;
  operation: SpeechOperation;
  outcome: 'ok' | SpeechFailureKind;
  millis: number;
}) => void;

const LETTERS_PER_SECOND = 15;
/** Speaking rate of scripts in which a character is a syllable or a word. */
const SYLLABLES_PER_SECOND = 4;
const SYLLABLES = new RegExp(`[${CJK_LETTERS}]`, 'gu');

/** Estimates how long it takes to speak a text. */
export function estimateSpokenSeconds(text: string): number {
  const syllables = text.match(SYLLABLES)?.length ?? 0;
  const letters = [...text].length - syllables;
  return Math.ceil(letters / LETTERS_PER_SECOND + syllables / SYLLABLES_PER_SECOND);
}
