/** What a run of folded words is matched by: hashes of shortened words, and of the letter groups inside them. */
import { marker } from './analyse.ts';

const shortenedUnits = 5;
const pad = 0x5f;
const wordSeed = 0x2f0b4a97;
const gramSeed = 0x51ed270b;

type OnTerm = (hash: number) => void;

/** Calls back for every word (its first five letters) and every gram in `units[from, to)`, in order. */
export function eachTerm(
  units: ArrayLike<number>,
  from: number,
  to: number,
  onWord: OnTerm,
  onGram: OnTerm,
): void {
  let at = from;
  while (at < to) {
    const mark = units[at]!;
    const start = at + 1;
    let end = start;
    while (end < to && units[end]! > marker.denseNext) end += 1;
    if (mark !== marker.gramsOnly) onWord(wordHash(units, start, end));
    if (mark === marker.spaced || mark === marker.gramsOnly) paddedGrams(units, start, end, onGram);
    else if (mark === marker.unspaced) plainGrams(units, start, end, 3, onGram);
    else if (mark === marker.dense) {
      const goesOn = end < to && units[end] === marker.denseNext;
      if (end - start > 1 || !goesOn) plainGrams(units, start, end, 2, onGram);
    } else if (mark === marker.denseNext) {
      onGram(mixed(step(step(gramSeed, units[start - 2]!), units[start]!)));
      if (end - start > 1) plainGrams(units, start, end, 2, onGram);
    }
    at = end;
  }
}

function wordHash(units: ArrayLike<number>, from: number, end: number): number {
  const start = units[from]! >> 8 === 0x06 ? afterArabicArticle(units, from, end) : from;
  const stop = Math.min(end, start + shortenedUnits);
  let hash = wordSeed;
  for (let at = start; at < stop; at += 1) hash = step(hash, units[at]!);
  return mixed(hash);
}

const alef = 0x0627;
const lam = 0x0644;
const and = [0x0648, 0x0641];
const withOrLike = [0x0628, 0x0643];

/** Arabic script writes "and", "with" and "the" onto the word, where they would use up the letters that count. */
function afterArabicArticle(units: ArrayLike<number>, from: number, end: number): number {
  let at = from;
  if (and.includes(units[at]!)) at += 1;
  if (withOrLike.includes(units[at]!)) at += 1;
  if (units[at] === alef && units[at + 1] === lam && end - at >= 5) return at + 2;
  return units[from] === lam && units[from + 1] === lam && end - from >= 5 ? from + 2 : from;
}

/** Groups of four over `_word_`. */
function paddedGrams(units: ArrayLike<number>, start: number, end: number, onGram: OnTerm): void {
  if (end - start < 3) {
    let hash = step(gramSeed, pad);
    for (let at = start; at < end; at += 1) hash = step(hash, units[at]!);
    onGram(mixed(step(hash, pad)));
    return;
  }
  const last = end - 3;
  for (let at = start - 1; at <= last; at += 1) {
    let hash = step(gramSeed, at < start ? pad : units[at]!);
    hash = step(hash, units[at + 1]!);
    hash = step(hash, units[at + 2]!);
    onGram(mixed(step(hash, at === last ? pad : units[at + 3]!)));
  }
}

function plainGrams(
  units: ArrayLike<number>,
  start: number,
  end: number,
  size: number,
  onGram: OnTerm,
): void {
  const width = Math.min(size, end - start);
  for (let at = start; at + width <= end; at += 1) {
    let hash = gramSeed;
    for (let next = at; next < at + width; next += 1) hash = step(hash, units[next]!);
    onGram(mixed(hash));
  }
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
