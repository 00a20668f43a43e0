/** What a run of folded words is matched by: hashes of shortened words, and of the letter groups inside them. */
import { marker } from './tokenize.ts';

const shortenedUnits = 5;
/** Of Korean, where one unit is a syllable of two or three letters and particles follow the noun at once. */
const shortenedSyllables = 2;
const pad = 0x5f;
const wordSeed = 0x2f0b4a97;
const gramSeed = 0x51ed270b;

/** Filled again and again: a search hashes tens of thousands of terms, too many to allocate or call back for. */
export interface TermBuffer {
  words: Int32Array;
  wordCount: number;
  grams: Int32Array;
  gramCount: number;
}

export function termBuffer(): TermBuffer {
  return { words: new Int32Array(1_024), wordCount: 0, grams: new Int32Array(1_024), gramCount: 0 };
}

/**
 * Fills the buffer with every word (its first five letters) and every gram of `units[from, to)`, in order. A dense word
 * looks at the units before and after it, even beyond `from` and `to`.
 */
export function hashTerms(buffer: TermBuffer, units: Uint16Array, from: number, to: number): void {
  if (buffer.words.length < to - from) {
    buffer.words = new Int32Array((to - from) * 2);
    buffer.grams = new Int32Array((to - from) * 2);
  }
  buffer.wordCount = 0;
  buffer.gramCount = 0;
  let at = from;
  while (at < to) {
    const start = at + 1;
    let end = start;
    while (end < to && units[end]! > marker.denseNext) end += 1;
    hashWord(buffer, units, start, end);
    at = end;
  }
}

function hashWord(buffer: TermBuffer, units: Uint16Array, start: number, end: number): void {
  const mark = units[start - 1]!;
  if (mark !== marker.gramsOnly) buffer.words[buffer.wordCount++] = wordHash(units, start, end);
  if (mark === marker.spaced || mark === marker.gramsOnly) {
    paddedGrams(buffer, units, start, end);
  } else if (mark === marker.unspaced) {
    plainGrams(buffer, units, start, end, 3);
  } else if (mark === marker.dense) {
    if (end - start > 1 || units[end] !== marker.denseNext) plainGrams(buffer, units, start, end, 2);
  } else if (mark === marker.denseNext) {
    buffer.grams[buffer.gramCount++] = mixed(step(step(gramSeed, units[start - 2]!), units[start]!));
    if (end - start > 1) plainGrams(buffer, units, start, end, 2);
  }
}

function wordHash(units: Uint16Array, from: number, end: number): number {
  const start = units[from]! >> 8 === 0x06 ? afterArabicArticle(units, from, end) : from;
  const stop = Math.min(end, start + (isHangul(units[from]!) ? shortenedSyllables : shortenedUnits));
  let hash = wordSeed;
  for (let at = start; at < stop; at += 1) hash = step(hash, units[at]!);
  return mixed(hash);
}

const isHangul = (unit: number) => unit >= 0xac00 && unit < 0xd7b0;

const alef = 0x0627;
const lam = 0x0644;
const and = [0x0648, 0x0641];
const withOrLike = [0x0628, 0x0643];

/** Arabic script writes "and", "with" and "the" onto the word, where they would use up the letters that count. */
function afterArabicArticle(units: Uint16Array, from: number, end: number): number {
  let at = from;
  if (and.includes(units[at]!)) at += 1;
  if (withOrLike.includes(units[at]!)) at += 1;
  if (units[at] === alef && units[at + 1] === lam && end - at >= 5) return at + 2;
  return units[from] === lam && units[from + 1] === lam && end - from >= 5 ? from + 2 : from;
}

/** Groups of four over `_word_`. */
function paddedGrams(buffer: TermBuffer, units: Uint16Array, start: number, end: number): void {
  const { grams } = buffer;
  let count = buffer.gramCount;
  if (end - start < 3) {
    let hash = step(gramSeed, pad);
    for (let at = start; at < end; at += 1) hash = step(hash, units[at]!);
    grams[count++] = mixed(step(hash, pad));
  } else {
    let a = pad;
    let b = units[start]!;
    let c = units[start + 1]!;
    for (let at = start + 2; at <= end; at += 1) {
      const d = at < end ? units[at]! : pad;
      grams[count++] = fourMixed(a, b, c, d);
      a = b;
      b = c;
      c = d;
    }
  }
  buffer.gramCount = count;
}

function plainGrams(buffer: TermBuffer, units: Uint16Array, start: number, end: number, size: number): void {
  const width = Math.min(size, end - start);
  for (let at = start; at + width <= end; at += 1) {
    let hash = gramSeed;
    for (let next = at; next < at + width; next += 1) hash = step(hash, units[next]!);
    buffer.grams[buffer.gramCount++] = mixed(hash);
  }
}

/** Two independent products instead of a chain of four: this is the innermost loop of every search. */
function fourMixed(a: number, b: number, c: number, d: number): number {
  return mixed((Math.imul(a | (b << 16), 0x2c1b3c6d) + Math.imul(c | (d << 16), 0x297a2d39)) | 0);
}

function step(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** Spreads a hash over all 32 bits, so that its low ones can choose a place in a table. */
function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x7feb352d);
  h ^= h >>> 15;
  return h | 0;
}
