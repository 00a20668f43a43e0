import type { Speech, Voice } from '../sdk/voice.ts';
import type { Announcer } from './announcer.ts';
import { button } from './element.ts';
import type { Texts } from './texts.ts';

export type ReadingAloud = {
  readonly button: (text: string) => HTMLElement;
  readonly stop: () => void;
};

/** The service takes only so much at once, and the first words are there sooner when it is less. */
const PART_CHARS_MAX = 400;

export function readingOf(voice: Voice, texts: Texts, announcer: Announcer): ReadingAloud {
  let running: AbortController | undefined;

  async function read(text: string, signal: AbortSignal): Promise<void> {
    const parts = partsOf(text);
    const speak = (at: number) => {
      const part = parts[at];
      const speech = part === undefined ? undefined : voice.speak(part, { signal });
      speech?.catch(() => {});
      return speech;
    };
    let next: Promise<Speech> | undefined = speak(0);
    for (let at = 0; next; at += 1) {
      const speech: Speech = await next;
      if (!speech.play) throw new TypeError('Nothing can be played here.');
      // Asked for while this one plays, so that there is no gap.
      next = speak(at + 1);
      await speech.play();
    }
  }

  function makeButton(text: string): HTMLElement {
    const toggle = button(texts.readAloud, { class: 'rate' }, async () => {
      const isOn = toggle.hasAttribute('data-on');
      running?.abort();
      if (isOn) return;
      const own = new AbortController();
      running = own;
      toggle.setAttribute('data-on', '');
      toggle.textContent = texts.stopReading;
      try {
        await read(text, own.signal);
      } catch {
        if (!own.signal.aborted) announcer.say(texts.voiceFailed);
      } finally {
        // The next part may be on its way, for nobody.
        own.abort();
        toggle.removeAttribute('data-on');
        toggle.textContent = texts.readAloud;
      }
    });
    toggle.setAttribute('part', 'read-aloud');
    return toggle;
  }

  return { button: makeButton, stop: () => running?.abort() };
}

/** Whole sentences, several at once while they are short; one that is too long is cut between its words. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    for (const piece of segment.length > PART_CHARS_MAX ? cut(segment) : [segment]) {
      if (part !== '' && part.length + piece.length > PART_CHARS_MAX) {
        parts.push(part.trim());
        part = '';
      }
      part += piece;
    }
  }
  return [...parts, part.trim()].filter((one) => one !== '');
}

function cut(sentence: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(sentence)) {
    if (piece.length + segment.length > PART_CHARS_MAX) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}
