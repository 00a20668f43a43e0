import { getTranscribeToken, reportVoiceUsage, speakText, transcribeAudio } from '../../generated/routes.ts';
import type { SpeechProvider, Transcript, VoiceTokenProvider } from '../../generated/types.ts';
import { browser, type Sound } from '../speech-input/browser.ts';
import { byRecognition } from '../speech-input/recognition.ts';
import { moment, openMicrophone, type VoiceToken, type WayToListen } from '../speech-input/recognizer.ts';
import { byUpload } from '../speech-input/upload.ts';
import { byWebRtc } from '../speech-input/webrtc.ts';
import { byWebSocket } from '../speech-input/websocket.ts';
import { canPlay, play } from './audio-player.ts';
import { type Bytes, bytesOf } from './bytes.ts';
import { GuideError } from './errors.ts';
import type { CallOptions, Guide } from './guide.ts';
import { abortable, readJson } from './http.ts';
import { type GuideLine, lineOf, linkedTo } from './internals.ts';

export type { Sound, SpeechProvider, VoiceToken };
export type SpeechText = Transcript;
export type TokenProvider = VoiceTokenProvider;

export type SpeakOptions = CallOptions & {
  /** A voice of the provider; that of the workspace when omitted. */
  readonly voiceId?: string | undefined;
  readonly provider?: SpeechProvider | undefined;
};

/** Speech as it is made. It is taken once: read from the stream, or played. The signal ends either. */
export type Speech = {
  /** Who speaks; empty where the page may not know. */
  readonly provider: string;
  /** `audio/mpeg` from every provider, `audio/wav` from the built-in voice. */
  readonly mime: string;
  readonly stream: Bytes;
  /** Plays it, as it arrives where the browser can, and resolves at its end. Absent where nothing can be played. */
  readonly play?: () => Promise<void>;
};

export type ListenOptions = CallOptions & {
  /** Told whenever more of what was heard is settled, with all of it so far. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Told all that was heard so far, also what may still change. */
  readonly onPartial?: ((text: string) => void) | undefined;
  readonly provider?: TokenProvider | undefined;
  /** What to listen to; the microphone of the device when omitted. */
  readonly sound?: Sound | undefined;
  /** The language that is spoken, for a browser that recognises speech by itself; its own when omitted. */
  readonly locale?: string | undefined;
  /** True where a browser that recognises speech by itself must not send sound to its maker. */
  readonly deviceOnly?: boolean | undefined;
};

/** A microphone that is open. */
export type Listening = {
  readonly provider: VoiceToken['provider'];
  readonly transport: VoiceToken['transport'];
  /** Closes the microphone, and resolves as `done`. */
  stop(): Promise<string>;
  /** Everything that was heard, once it ended; rejects when it broke off. */
  readonly done: Promise<string>;
};

export type Voice = {
  /** The words of a recording, such as one of `MediaRecorder`; `text` is empty when nobody speaks. */
  transcribe(recording: Blob, options?: CallOptions): Promise<SpeechText>;
  /** Resolves as soon as somebody speaks. */
  speak(text: string, options?: SpeakOptions): Promise<Speech>;
  /**
   * Opens the microphone and listens until it is stopped, the guide is closed, the page is left, or the seconds are over that
   * were set aside for it. Call it when the visitor has asked for it.
   */
  listen(options?: ListenOptions): Promise<Listening>;
};

/** A recording may take a while to get there, and to be listened to. */
const RECORDING_SECONDS_MAX = 120;
const SPEECH_IDLE_MILLIS = 30_000;
const SILENCE: Sound = { getTracks: () => [], getAudioTracks: () => [] };
/** For ways to listen that nothing is set aside for. */
const DEFAULT_LISTENING_SECONDS = 120;

/** Gives a guide of `createGuide` a voice, and returns the same guide. A page that does not ask for it does not load it. */
export function withVoice(guide: Guide): Guide & Voice {
  const line = lineOf(guide);
  const transcribe: Voice['transcribe'] = (recording, { signal } = {}) => {
    const form = new FormData();
    form.append('audio', recording);
    const deadlineSeconds = RECORDING_SECONDS_MAX;
    return line.call<SpeechText>(signal, { route: transcribeAudio, form, deadlineSeconds, read: readJson });
  };
  return Object.assign(guide, {
    transcribe,
    speak: (text: string, options: SpeakOptions = {}) => speak(line, text, options),
    listen: (options: ListenOptions = {}) => listen(line, transcribe, options),
  });
}

async function speak(line: GuideLine, text: string, options: SpeakOptions): Promise<Speech> {
  const { voiceId, provider } = options;
  const body = { text, ...(voiceId ? { voice_id: voiceId } : {}), ...(provider ? { provider } : {}) };
  const { signal, unlink } = linkedTo(line.closing, options.signal);
  try {
    const response = await line.call(signal, { route: speakText, body, read: async (answer) => answer });
    const { headers, status } = response;
    const mime = headers.get('content-type') ?? '';
    if (!mime.startsWith('audio/')) throw new GuideError('protocol', 'The answer is no speech.', { status });
    let isPlayed = false;
    const stream = bytesOf(response, { idleMillis: SPEECH_IDLE_MILLIS, signal }, () => {
      if (!isPlayed) unlink();
    });
    const playOnce = () => {
      isPlayed = true;
      return play(stream, mime, signal).finally(unlink);
    };
    return {
      provider: headers.get('x-service-tts-provider') ?? '',
      mime,
      stream,
      ...(canPlay() ? { play: playOnce } : {}),
    };
  } catch (error) {
    unlink();
    throw error;
  }
}

async function listen(
  line: GuideLine,
  transcribe: Voice['transcribe'],
  options: ListenOptions,
): Promise<Listening> {
  const { provider, onText, onPartial, locale, deviceOnly = false } = options;
  const leaving = new AbortController();
  const { signal, unlink } = linkedTo(line.closing, options.signal, leaving.signal);
  const enough = moment();
  const opening = moment();
  let openedAt: number | undefined;
  let token: VoiceToken | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settledBefore = '';
  let isReported = false;

  // Before anything is set aside: a question that nobody answers would hold it.
  const asking = options.sound || provider === 'mock' ? undefined : openMicrophone();
  const ours = await abortable(Promise.resolve(asking), signal).catch((error) => {
    asking?.then(release, () => {});
    unlink();
    throw error;
  });
  const sound = options.sound ?? ours ?? SILENCE;

  /** What nobody reports is used up in full. */
  function report(send: 'call' | 'lastCall'): void {
    if (!token?.reserved_seconds || isReported) return;
    isReported = true;
    const elapsed = openedAt === undefined ? 0 : (performance.now() - openedAt) / 1000;
    const body = { token: token.token, elapsed_seconds: elapsed };
    const usage = { route: reportVoiceUsage, body, keepalive: true, harmlessAgain: true, read: readJson };
    const sending = send === 'call' ? line.call(undefined, usage) : line.lastCall(usage);
    sending.catch(() => {});
  }

  /** The page goes, and what is sent now is the last that can be. */
  function leave(): void {
    report('lastCall');
    leaving.abort();
  }

  async function run(): Promise<string> {
    token = await line.call<VoiceToken>(signal, {
      route: getTranscribeToken,
      query: { provider },
      // A token that was lost on its way would hold seconds beside the next one.
      harmlessAgain: false,
      read: readJson,
    });
    const { transport, reserved_seconds, url } = token;
    const ways: Record<VoiceToken['transport'], WayToListen> = {
      webrtc: byWebRtc,
      websocket: byWebSocket,
      upload: byUpload(async (recording, until) => (await transcribe(recording, { signal: until })).text),
      mock: byRecognition(deviceOnly),
    };
    const isElsewhere = transport === 'webrtc' || transport === 'websocket';
    if (!ways[transport] || (isElsewhere && !url))
      throw new GuideError('protocol', 'The token does not say how to listen.');
    // A browser that listens by itself opens the microphone by itself.
    if (transport === 'mock') release(ours);
    return ways[transport]({
      token,
      sound,
      locale,
      stopping: enough.happened,
      signal,
      heard(settled, partial) {
        if (settled !== settledBefore) onText?.(settled);
        settledBefore = settled;
        onPartial?.([settled, partial].filter((text) => text !== '').join(' '));
      },
      opened() {
        openedAt = performance.now();
        timer = setTimeout(enough.happen, (reserved_seconds || DEFAULT_LISTENING_SECONDS) * 1000);
        opening.happen();
      },
    });
  }

  browser.addEventListener?.('pagehide', leave);
  const done = run().finally(() => {
    clearTimeout(timer);
    browser.removeEventListener?.('pagehide', leave);
    release(ours);
    report(line.closing.aborted ? 'lastCall' : 'call');
    unlink();
  });
  // Whoever waits for it is told; for anybody else there is nothing to be told.
  done.catch(() => {});
  await Promise.race([opening.happened, done]);
  const { provider: issuer, transport } = token!;
  return {
    provider: issuer,
    transport,
    done,
    stop() {
      enough.happen();
      return done;
    },
  };
}

function release(sound: Sound | undefined): void {
  for (const track of sound?.getTracks() ?? []) track.stop();
}
