import type { Sound } from './wav.ts';

const SAMPLES_PER_SECOND = 16_000;
const HERTZ = 440;
const LOUDNESS = 0.25 * 32_767;
const FADE_SECONDS = 0.05;
const CHARS_PER_SECOND = 15;
const SECONDS_MIN = 0.5;
/** Nobody wants to hear it for as long as it would take to read a long text out. */
const SECONDS_MAX = 20;

/** A tone that lasts about as long as somebody would speak the text: what is heard where nothing can speak it. */
export function toneFor(text: string): Sound {
  const seconds = Math.min(Math.max(text.length / CHARS_PER_SECOND, SECONDS_MIN), SECONDS_MAX);
  const count = Math.round(seconds * SAMPLES_PER_SECOND);
  const samples = Buffer.alloc(2 * count);
  for (let index = 0; index < count; index += 1) {
    const toEnd = Math.min(index, count - 1 - index) / SAMPLES_PER_SECOND;
    const fade = Math.min(1, toEnd / FADE_SECONDS);
    const wave = Math.sin((2 * Math.PI * HERTZ * index) / SAMPLES_PER_SECOND);
    samples.writeInt16LE(Math.round(LOUDNESS * fade * wave), 2 * index);
  }
  return { samplesPerSecond: SAMPLES_PER_SECOND, samples };
}
