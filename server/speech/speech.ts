/**
 * The speech port: what a third party, or the mock in its place, does for voice. An adapter sees the words or the audio of one
 * request and nothing else: no visitor, no workspace, no cap. `test/speech/speech.suite.ts` defines it: an adapter is correct
 * when it passes.
 */
export type SpeechProviderName = 'provider_a' | 'provider_b' | 'provider_c' | 'mock';

/** Who can be asked for what, each list in the order in which `auto` tries them. What isn't configured isn't listed. */
export type Speech = {
  readonly minting: readonly TokenMint[];
  readonly transcribing: readonly Transcriber[];
  readonly speaking: readonly Speaker[];
  /** Stops what still runs; whoever waits for it gets a failure. */
  close(): Promise<void>;
};

export type TokenKind = 'realtime' | 'batch';

/** Gives a browser what it needs to open one session by itself. */
export type TokenMint = {
  readonly name: SpeechProviderName;
  readonly kinds: readonly TokenKind[];
  mint(ask: TokenAsk, signal: AbortSignal): Promise<MintedToken>;
};

export type TokenAsk = {
  readonly kind: TokenKind;
  /** BCP 47; the language that is most likely spoken. */
  readonly locale?: string;
};

export type MintedToken = {
  readonly token: string;
  /** Milliseconds since 1970, after which no session can be opened with it. One that is open goes on. */
  readonly expiresAt: number;
  readonly mode: 'realtime' | 'batch' | 'mock';
  readonly transport: 'webrtc' | 'websocket' | 'upload' | 'mock';
  /** Where the browser opens the session. Absent for `upload` and `mock`, which stay with this service. */
  readonly url?: string;
};

export type Transcriber = {
  readonly name: SpeechProviderName;
  transcribe(audio: RecordedAudio, signal: AbortSignal): Promise<Transcript>;
};

/** Checked to be audio by its bytes; `mime` and `extension` say what was found, never what a client claimed. */
export type RecordedAudio = {
  readonly bytes: Uint8Array;
  /** As in `audio/webm`. */
  readonly mime: string;
  /** Without a dot, as in `webm`. */
  readonly extension: string;
  /** BCP 47; the language that is most likely spoken. */
  readonly locale?: string;
};

export type Transcript = {
  /** Empty when nobody speaks. */
  readonly text: string;
  readonly model: string;
  /** How long the provider says that the audio is; it is what the provider bills. */
  readonly seconds?: number;
};

export type Speaker = {
  readonly name: SpeechProviderName;
  /** By its form: whether this can be one of the provider's voices. Whoever falls back leaves out a voice that is another's. */
  canBeVoice(voiceId: string): boolean;
  /** Resolves with the first bytes at hand: until then another provider can be asked instead. */
  speak(ask: SpeechAsk, signal: AbortSignal): Promise<SpokenAudio>;
};

export type SpeechAsk = {
  readonly text: string;
  /** The provider's own usual voice when absent. */
  readonly voiceId?: string;
  /** BCP 47. */
  readonly locale?: string;
};

export type SpokenAudio = {
  readonly mime: 'audio/mpeg' | 'audio/wav';
  /** Can be read once. Throws a SpeechFailure when it breaks off; leaving it early hangs up on the provider. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Turns bytes that were sent into seconds that were spoken. Absent when the encoding doesn't say. */
  readonly bytesPerSecond?: number;
};

/**
 * `credentials`: the provider doesn't accept ours. `busy`: too much at once, for them or for our quota. `upstream`: an answer
 * that makes no sense, or none. `timeout`: no answer in time. `aborted`: our caller hung up. `refused`: the provider
 * doesn't accept what was asked, such as a voice that it doesn't have; another provider may.
 */
export type SpeechFailureKind = 'credentials' | 'busy' | 'upstream' | 'timeout' | 'aborted' | 'refused';

/** Everything that an adapter throws. Its message is ours, for the log; nothing that a provider sent stands in it. */
export class SpeechFailure extends Error {
  override readonly name = 'SpeechFailure';
  readonly kind: SpeechFailureKind;
  readonly provider: SpeechProviderName;
  /** Whole seconds after which a busy provider wants to be asked again, when it says so. */
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

/** Called once for each answer of a provider, good or bad. For `speak` the time is until the first bytes. */
export type SpeechObserver = (asked: {
  readonly provider: SpeechProviderName;
  readonly operation: SpeechOperation;
  readonly outcome: 'ok' | SpeechFailureKind;
  readonly millis: number;
}) => void;
