import {
  type Browser,
  browser,
  nextEvent,
  type Player,
  requireFeature,
  type SoundBuffer,
} from '../speech-input/browser.ts';
import type { Bytes } from './downloads.ts';
import { asGuideError, GuideError } from './errors.ts';
import { abortable } from './http.ts';

/** False outside of a browser. */
export const canPlay = (): boolean => browser.Audio !== undefined;

/** Plays speech as it arrives if the browser supports that for its type, else once it is complete. Resolves at the end. */
export async function play(speech: Bytes, mime: string, signal: AbortSignal): Promise<void> {
  const player: Player = new (requireFeature(browser.Audio, 'sound'))();
  const { MediaSource } = browser;
  const ended = nextEvent<{ readonly type: string }>(player, 'ended', 'error');
  const sound = MediaSource?.isTypeSupported(mime)
    ? streamInto(MediaSource, speech, mime)
    : { source: await readAll(speech, mime, signal), fed: Promise.resolve() };
  player.src = URL.createObjectURL(sound.source as Blob);
  try {
    // Without all of the data the player would wait forever.
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
