import type { VoiceToken } from '../../generated/types.ts';
import { GuideError } from '../sdk/errors.ts';
import { pause } from '../sdk/http.ts';
import { browser, requireFeature, type Sound } from './browser.ts';

export type { VoiceToken };

/** One listening session, as each transport sees it. */
export type SpeechSession = {
  readonly token: VoiceToken;
  readonly sound: Sound;
  /** The spoken language, for transports that cannot detect it. */
  readonly locale: string | undefined;
  /** Reports everything heard so far: the final text, and the part that may still change. */
  readonly onHeard: (final: string, partial: string) => void;
  /** Reports that sound is being sent; the listening time starts here. */
  readonly onOpen: () => void;
  /** Resolves when listening should stop. */
  readonly stopping: Promise<void>;
  /** Ends the session at once. */
  readonly signal: AbortSignal;
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
  const late = pause(millis, done.signal).then(() => {
    throw new GuideError('timeout', 'The speech provider did not respond in time.');
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
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
