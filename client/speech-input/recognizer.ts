import type { VoiceToken } from '../../generated/types.ts';
import { GuideError } from '../sdk/errors.ts';
import { pause } from '../sdk/http.ts';
import { browser, needed, type Sound } from './browser.ts';

export type { VoiceToken };

/** What a way to listen is opened with. */
export type Ear = {
  readonly token: VoiceToken;
  readonly sound: Sound;
  /** The language that is spoken, where the way to listen cannot know. */
  readonly locale: string | undefined;
  /** Tells all that was heard so far: what stays, and what may still change. */
  readonly heard: (settled: string, partial: string) => void;
  /** Tells that sound is on its way; until then nothing has begun. */
  readonly opened: () => void;
  /** Resolves when it is enough. */
  readonly stopping: Promise<void>;
  /** Ends everything, whether it is complete or not. */
  readonly signal: AbortSignal;
};

/** Listens until it is told to stop, and resolves with everything that was heard. */
export type WayToListen = (ear: Ear) => Promise<string>;

/** How long a provider may take to open a session, and to say its last words. */
export const OPENING_MILLIS = 10_000;
export const LAST_WORDS_MILLIS = 5_000;

export async function openMicrophone(): Promise<Sound> {
  const devices = needed(browser.navigator?.mediaDevices, 'microphone for this page');
  return devices.getUserMedia({ audio: true }).catch((cause) => {
    throw new GuideError('microphone', 'There is no microphone, or it may not be used.', { cause });
  });
}

/** Several pieces of speech as one text. */
export function joined(pieces: Iterable<string>): string {
  return Array.from(pieces, (piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join(' ');
}

/** Something that happens once, and whoever waits for it. */
export function moment(): { readonly happened: Promise<void>; readonly happen: () => void } {
  let happen = () => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen };
}

/** The promise, unless it takes too long. */
export async function before<T>(millis: number, promise: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = pause(millis, over.signal).then(() => {
    throw new GuideError('timeout', 'The provider of voice did not answer in time.');
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}

/** What a provider says; nothing, where it says nothing that can be read. */
export function messageIn<T>(data: unknown): Partial<T> {
  try {
    return Object(JSON.parse(String(data)));
  } catch {
    return {};
  }
}
