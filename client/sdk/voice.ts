import { getTranscribeToken, reportVoiceUsage, speakText, transcribeAudio } from '../../generated/routes.ts';
import type { SpeechProvider, Transcript, VoiceTokenProvider } from '../../generated/types.ts';
import { asGuideError, GuideError } from './errors.ts';
import { type Bytes, readBytes } from './event-stream.ts';
import type { Guide } from './guide.ts';
import { abortable, anySignal, type CallOptions, readJson } from './http.ts';
import { type GuideInternals, getInternals } from './session.ts';
import {
  type Browser,
  browser,
  nextEvent,
  type Player,
  requireFeature,
  type Sound,
  type SoundBuffer,
} from './speech-input/browser.ts';
import {
  createBrowserRecognizer,
  joinText,
  openMicrophone,
  type Recognizer,
  type VoiceToken,
} from './speech-input/recognizer.ts';
import {
  createUploadRecognizer,
  recognizeByWebRtc,
  recognizeByWebSocket,
} from './speech-input/transports.ts';

export type { Sound, SpeechProvider, VoiceToken };
export type SpeechText = Transcript;
export type TokenProvider = VoiceTokenProvider;

export type SpeakOptions = CallOptions & {
  /** A voice of the provider; by default that of the workspace. */
  voiceId?: string | undefined;
  provider?: SpeechProvider | undefined;
};

/** Speech as it is generated. Read the stream or play it, once. The signal ends both. */
export type Speech = {
  /** The speech provider; empty when it is hidden from the page. */
  provider: string;
  /** `audio/mpeg` from every provider, `audio/wav` from the built-in voice. */
  mime: string;
  stream: Bytes;
  /** Plays it, if possible while it arrives, and resolves at its end. Absent outside of a browser. */
  play?: () => Promise<void>;
};

export type ListenOptions = CallOptions & {
  /** Called with the whole final text whenever it grows. */
  onText?: ((text: string) => void) | undefined;
  /** Called with everything heard so far, including the part that may still change. */
  onPartial?: ((text: string) => void) | undefined;
  provider?: TokenProvider | undefined;
  /** The sound to listen to; by default the device's microphone. */
  sound?: Sound | undefined;
  /** The spoken language, for the browser's own speech recognition; by default that of the browser. */
  locale?: string | undefined;
  /** True when the browser's own speech recognition must not send sound to its vendor. */
  deviceOnly?: boolean | undefined;
};

/** An open microphone. */
export type Listening = {
  provider: VoiceToken['provider'];
  transport: VoiceToken['transport'];
  /** Closes the microphone, and resolves as `done`. */
  stop(): Promise<string>;
  /** Resolves with everything heard; rejects when listening was interrupted. */
  done: Promise<string>;
};

export type Voice = {
  /** Transcribes a recording, such as one of `MediaRecorder`. `text` is empty when there is no speech. */
  transcribe(recording: Blob, options?: CallOptions): Promise<SpeechText>;
  /** Turns text into speech. Resolves when the speech starts to arrive. */
  speak(text: string, options?: SpeakOptions): Promise<Speech>;
  /**
   * Opens the microphone and listens until it is stopped, the guide is closed, the page is left, or the reserved seconds are
   * used up. Call it when the visitor asks for it, such as in a click. Rejects with `microphone` without access to one.
   */
  listen(options?: ListenOptions): Promise<Listening>;
};

/** Uploading and transcribing a recording take longer than other calls. */
const TRANSCRIBE_SECONDS = 120;
const SPEECH_IDLE_MILLIS = 30_000;
const SILENCE: Sound = { getTracks: () => [], getAudioTracks: () => [] };
/** For tokens that reserve no seconds. */
const DEFAULT_LISTENING_SECONDS = 120;

/** Adds voice to a guide of `createGuide` and returns the same guide. Pages that do not import it do not load it. */
export function withVoice(guide: Guide): Guide & Voice {
  const internals = getInternals(guide);
  const transcribe: Voice['transcribe'] = (recording, { signal } = {}) => {
    const body = new FormData();
    body.append('audio', recording);
    return internals.call<SpeechText>(signal, {
      route: transcribeAudio,
      body,
      deadlineSeconds: TRANSCRIBE_SECONDS,
      read: readJson,
    });
  };
  return Object.assign(guide, {
    transcribe,
    speak: (text: string, options: SpeakOptions = {}) => speak(internals, text, options),
    listen: (options: ListenOptions = {}) => listen(internals, transcribe, options),
  });
}

async function speak(internals: GuideInternals, text: string, options: SpeakOptions): Promise<Speech> {
  const { voiceId, provider } = options;
  const body = { text, ...(voiceId ? { voice_id: voiceId } : {}), ...(provider ? { provider } : {}) };
  const signal = anySignal(internals.closing, options.signal);
  const response = await internals.call(signal, { route: speakText, body, read: async (answer) => answer });
  const { headers, status } = response;
  const mime = headers.get('content-type') ?? '';
  if (!mime.startsWith('audio/')) throw new GuideError('protocol', 'The response is not audio.', { status });
  const stream = readBytes(response, { idleMillis: SPEECH_IDLE_MILLIS, signal });
  return {
    provider: headers.get('x-service-tts-provider') ?? '',
    mime,
    stream,
    ...(canPlay() ? { play: () => play(stream, mime, signal) } : {}),
  };
}

async function listen(internals: GuideInternals, transcribe: Voice['transcribe'], options: ListenOptions) {
  const leaving = new AbortController();
  const signal = anySignal(internals.closing, options.signal, leaving.signal);
  const stopping = createDeferred();
  const opening = createDeferred();
  const usage = trackUsage(internals);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let token: VoiceToken | undefined;

  // Ask for the microphone first: waiting for permission must not hold reserved seconds.
  const ownSound = await openOwnSound(options, signal);

  async function run(): Promise<string> {
    token = await requestToken(internals, options.provider, signal);
    usage.reserve(token);
    const { transport, reserved_seconds } = token;
    // The browser's own speech recognition opens the microphone itself.
    if (transport === 'mock') release(ownSound);
    const recognize = selectRecognizer(token, transcribe, options);
    return recognize({
      token,
      sound: options.sound ?? ownSound ?? SILENCE,
      locale: options.locale,
      stopping: stopping.promise,
      signal,
      onHeard: createTextListener(options),
      onOpen() {
        usage.start();
        timer = setTimeout(stopping.resolve, (reserved_seconds || DEFAULT_LISTENING_SECONDS) * 1000);
        opening.resolve();
      },
    });
  }

  /** Reports the usage while the page can still send a request. */
  function leave(): void {
    usage.report('lastCall');
    leaving.abort();
  }

  browser.addEventListener?.('pagehide', leave);
  const done = run().finally(() => {
    clearTimeout(timer);
    browser.removeEventListener?.('pagehide', leave);
    release(ownSound);
    usage.report(internals.closing.aborted ? 'lastCall' : 'call');
  });
  // Callers that do not wait for `done` must not cause an unhandled rejection.
  done.catch(() => {});
  await Promise.race([opening.promise, done]);
  const { provider, transport } = token!;
  const stop = () => {
    stopping.resolve();
    return done;
  };
  return { provider, transport, done, stop };
}

/** Opens the microphone unless the page brings its own sound. */
async function openOwnSound(
  { sound, provider }: ListenOptions,
  signal: AbortSignal,
): Promise<Sound | undefined> {
  const opening = sound || provider === 'mock' ? undefined : openMicrophone();
  return abortable(Promise.resolve(opening), signal).catch((error) => {
    opening?.then(release, () => {});
    throw error;
  });
}

function requestToken(
  { call }: GuideInternals,
  provider: TokenProvider | undefined,
  signal: AbortSignal,
): Promise<VoiceToken> {
  return call<VoiceToken>(signal, {
    route: getTranscribeToken,
    query: { provider },
    // Retrying after a lost response would reserve seconds a second time.
    idempotent: false,
    read: readJson,
  });
}

function selectRecognizer(
  { transport, url }: VoiceToken,
  transcribe: Voice['transcribe'],
  { deviceOnly = false }: ListenOptions,
): Recognizer {
  const recognizers: Record<VoiceToken['transport'], Recognizer> = {
    webrtc: recognizeByWebRtc,
    websocket: recognizeByWebSocket,
    upload: createUploadRecognizer(
      async (recording, signal) => (await transcribe(recording, { signal })).text,
    ),
    mock: createBrowserRecognizer(deviceOnly),
  };
  const needsUrl = transport === 'webrtc' || transport === 'websocket';
  if (!recognizers[transport] || (needsUrl && !url))
    throw new GuideError('protocol', 'The token names no supported transport.');
  return recognizers[transport];
}

function createTextListener({ onText, onPartial }: ListenOptions) {
  let lastFinal = '';
  return (final: string, partial: string) => {
    if (final !== lastFinal) onText?.(final);
    lastFinal = final;
    onPartial?.(joinText([final, partial]));
  };
}

/** Reports the seconds used, once. Seconds that are never reported are charged in full. */
function trackUsage(internals: GuideInternals) {
  let token: VoiceToken | undefined;
  let startedAt: number | undefined;
  return {
    reserve(reserved: VoiceToken): void {
      if (reserved.reserved_seconds) token = reserved;
    },
    start(): void {
      startedAt = performance.now();
    },
    report(send: 'call' | 'lastCall'): void {
      if (!token) return;
      const elapsed = startedAt === undefined ? 0 : (performance.now() - startedAt) / 1000;
      const body = { token: token.token, elapsed_seconds: elapsed };
      token = undefined;
      const usage = { route: reportVoiceUsage, body, keepalive: true, idempotent: true, read: readJson };
      const sending = send === 'call' ? internals.call(undefined, usage) : internals.lastCall(usage);
      sending.catch(() => {});
    },
  };
}

function release(sound: Sound | undefined): void {
  for (const track of sound?.getTracks() ?? []) track.stop();
}

function createDeferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** False outside of a browser. */
const canPlay = (): boolean => browser.Audio !== undefined;

/** Plays speech as it arrives if the browser supports that for its type, else once it is complete. Resolves at the end. */
async function play(speech: Bytes, mime: string, signal: AbortSignal): Promise<void> {
  const player: Player = new (requireFeature(browser.Audio, 'sound'))();
  const { MediaSource } = browser;
  const ended = nextEvent<{ type: string }>(player, 'ended', 'error');
  const sound = MediaSource?.isTypeSupported(mime)
    ? streamInto(MediaSource, speech, mime)
    : { source: await readAll(speech, mime, signal), fed: Promise.resolve() };
  player.src = URL.createObjectURL(sound.source as Blob);
  try {
    // Rejects when loading the audio fails, because the player would wait for the missing data forever. Never resolves.
    const failed = sound.fed.then(() => new Promise<never>(() => {}));
    await abortable(Promise.race([player.play().catch(throwAutoplayError), failed]), signal);
    const { type } = await abortable(Promise.race([ended, failed]), signal);
    if (type === 'error')
      throw new GuideError('unsupported', 'The browser cannot play this audio.', { cause: player.error });
  } finally {
    player.pause();
    URL.revokeObjectURL(player.src);
  }
}

/** Appends each chunk as it arrives; `fed` rejects when that fails. */
function streamInto(MediaSource: NonNullable<Browser['MediaSource']>, speech: Bytes, mime: string) {
  const source = new MediaSource();
  const feed = async () => {
    await nextEvent(source, 'sourceopen');
    const buffer: SoundBuffer = source.addSourceBuffer(mime);
    const reader = speech.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        // Playback has been stopped.
        if (source.readyState !== 'open') return;
        if (done) return source.endOfStream();
        const appended = nextEvent(buffer, 'updateend');
        buffer.appendBuffer(value);
        await appended;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  };
  const fed = feed().catch((cause) => {
    throw asGuideError(cause);
  });
  fed.catch(() => {});
  return { source, fed };
}

async function readAll(speech: Bytes, mime: string, signal: AbortSignal): Promise<Blob> {
  // Browsers replace the error of a stream with one of their own.
  const bytes = await abortable(new Response(speech).arrayBuffer(), signal).catch((cause) => {
    throw asGuideError(cause);
  });
  return new Blob([bytes], { type: mime });
}

function throwAutoplayError(cause: unknown): never {
  const message = 'Browsers play sound only after the visitor has interacted with the page.';
  throw new GuideError('unsupported', message, { cause });
}
