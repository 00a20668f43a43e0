import type { VoiceToken } from '../../../generated/types.ts';
import { GuideError, type GuideErrorCode } from '../errors.ts';
import { abortable, pause } from '../http.ts';
import { browser, type RecognitionConstructor, requireFeature, type Sound } from './browser.ts';

export type { VoiceToken };

/** One listening session, as each transport sees it. */
export type SpeechSession = {
  token: VoiceToken;
  sound: Sound;
  /** The spoken language, for transports that cannot detect it. */
  locale: string | undefined;
  /** Reports everything heard so far: the final text, and the part that may still change. */
  onHeard: (final: string, partial: string) => void;
  /** Reports that sound is being sent; the listening time starts here. */
  onOpen: () => void;
  /** Resolves when listening should stop. */
  stopping: Promise<void>;
  /** Ends the session at once. */
  signal: AbortSignal;
};

/** Listens until the session is stopping, and resolves with everything heard. */
export type Recognizer = (session: SpeechSession) => Promise<string>;

/** How long a provider may take to open a session, and to return its last words. */
export const OPENING_MILLIS = 10_000;
export const LAST_WORDS_MILLIS = 5_000;

export async function openMicrophone(): Promise<Sound> {
  const devices = requireFeature(browser.navigator?.mediaDevices, 'microphone access on this page');
  return devices.getUserMedia({ audio: true }).catch((cause) => {
    throw new GuideError('microphone', 'There is no microphone, or access to it was denied.', { cause });
  });
}

/** Joins parts of speech with spaces. */
export function joinText(parts: Iterable<string>): string {
  return Array.from(parts, (part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}

/** Rejects with `timeout` when the promise takes too long. */
export async function withTimeout<T>(millis: number, promise: Promise<T>): Promise<T> {
  const done = new AbortController();
  const timeout = pause(millis, done.signal).then(() => {
    throw new GuideError('timeout', 'The speech provider did not respond in time.');
  });
  timeout.catch(() => {});
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    done.abort();
  }
}

/** Parses a message of a provider; empty when it is not JSON. */
export function parseMessage<T>(data: unknown): Partial<T> {
  try {
    return Object(JSON.parse(String(data)));
  } catch {
    return {};
  }
}

type Result = {
  isFinal: boolean;
  length: number;
  [at: number]: { transcript: string };
};

/** Maps browser error codes to ours. Other codes, such as `no-speech`, only end the session. */
const ERROR_CODES: Readonly<Record<string, GuideErrorCode>> = {
  'not-allowed': 'microphone',
  'service-not-allowed': 'microphone',
  'audio-capture': 'microphone',
  network: 'network',
  'language-not-supported': 'unsupported',
};

/** The browser's own speech recognition: on the device if it can, else at its vendor. */
export const createBrowserRecognizer =
  (deviceOnly: boolean): Recognizer =>
  async ({ locale, onHeard, onOpen, stopping, signal }) => {
    const Recognition = requireFeature(
      browser.SpeechRecognition ?? browser.webkitSpeechRecognition,
      'speech recognition; type instead',
    );
    const recognition = new Recognition();
    recognition.lang = locale ?? browser.navigator?.language ?? '';
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.processLocally = await isAvailableOnDevice(Recognition, recognition.lang);
    if (deviceOnly && !recognition.processLocally)
      throw new GuideError('unsupported', 'This browser cannot recognize speech on the device.');
    let final = '';
    const ended = new Promise<void>((resolve, reject) => {
      recognition.addEventListener('result', ({ results }: { results: ArrayLike<Result> }) => {
        const all = Array.from(results);
        const collect = (isFinal: boolean) =>
          joinText(
            all.filter((result) => result.isFinal === isFinal).map((result) => result[0]?.transcript ?? ''),
          );
        final = collect(true);
        onHeard(final, collect(false));
      });
      recognition.addEventListener('error', ({ error }: { error: string }) => {
        const code = ERROR_CODES[error];
        if (code) reject(new GuideError(code, `The browser could not listen: ${error}.`));
      });
      recognition.addEventListener('end', () => resolve());
    });
    recognition.addEventListener('start', onOpen);
    ended.catch(() => {});
    try {
      recognition.start();
      stopping.then(() => recognition.stop());
      await abortable(ended, signal);
      return final;
    } finally {
      recognition.abort();
    }
  };

async function isAvailableOnDevice(Recognition: RecognitionConstructor, lang: string): Promise<boolean> {
  const available = Recognition.available?.({ langs: [lang], processLocally: true });
  return (await available?.catch(() => '')) === 'available';
}
