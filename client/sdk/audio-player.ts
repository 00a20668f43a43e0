import {
  type Browser,
  browser,
  needed,
  nextEvent,
  type Player,
  type SoundBuffer,
} from '../speech-input/browser.ts';
import type { Bytes } from './bytes.ts';
import { asGuideError, GuideError } from './errors.ts';
import { abortable } from './http.ts';

/** True where there is anything to play with. */
export const canPlay = (): boolean => browser.Audio !== undefined;

/** Plays speech as it arrives where the browser can do that with its kind, else once it is whole. Resolves at its end. */
export async function play(speech: Bytes, mime: string, signal: AbortSignal): Promise<void> {
  const player: Player = new (needed(browser.Audio, 'sound'))();
  const { MediaSource } = browser;
  const ended = nextEvent<{ readonly type: string }>(player, 'ended', 'error');
  const sound = MediaSource?.isTypeSupported(mime)
    ? arriving(MediaSource, speech, mime)
    : { source: await whole(speech, mime), fed: Promise.resolve() };
  player.src = URL.createObjectURL(sound.source as Blob);
  try {
    // What cannot be fed cannot be played to its end either.
    const failed = sound.fed.then(() => new Promise<never>(() => {}));
    await abortable(Promise.race([player.play().catch(refused), failed]), signal);
    const { type } = await abortable(Promise.race([ended, failed]), signal);
    if (type === 'error')
      throw new GuideError('unsupported', 'The browser cannot play this.', { cause: player.error });
  } finally {
    player.pause();
    URL.revokeObjectURL(player.src);
  }
}

/** Appends each piece as it comes; `fed` rejects with what went wrong on the way. */
function arriving(MediaSource: NonNullable<Browser['MediaSource']>, speech: Bytes, mime: string) {
  const source = new MediaSource();
  const feed = async () => {
    await nextEvent(source, 'sourceopen');
    const buffer: SoundBuffer = source.addSourceBuffer(mime);
    const reader = speech.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        // Whoever stopped listening has let go of the source.
        if (source.readyState !== 'open') return;
        if (done) return source.endOfStream();
        const added = nextEvent(buffer, 'updateend');
        buffer.appendBuffer(value);
        await added;
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

async function whole(speech: Bytes, mime: string): Promise<Blob> {
  const bytes = await new Response(speech).arrayBuffer().catch((cause) => {
    throw asGuideError(cause);
  });
  return new Blob([bytes], { type: mime });
}

function refused(cause: unknown): never {
  throw new GuideError('unsupported', 'The browser plays nothing before the visitor has touched the page.', {
    cause,
  });
}
