/** Finds a question's words and grams in the folded form of texts. */

import type { Folded } from './chunks.ts';
import { createTermBuffer, hashTerms, marker, tokenize } from './tokenize.ts';

/** One of the question's distinct words, with the grams inside it. */
export interface QueryWord {
  readonly hash: number;
  readonly ngrams: readonly number[];
  /** Of at most four letters, in a script that parts words by spaces: more often a function word than a matter. */
  readonly short: boolean;
}

const buffer = createTermBuffer();
const shortUnits = 4;

/** The question's distinct words in the order in which they come. */
export function getQueryWords(question: string, locale: string): QueryWord[] {
  const run = tokenize(question, locale, true);
  const words = new Map<number, Set<number>>();
  const short = new Set<number>();
  let current = new Set<number>();
  let from = 0;
  while (from < run.length) {
    let to = from + 1;
    while (to < run.length && run[to]! > marker.denseNext) to += 1;
    hashTerms(buffer, run, from, to);
    if (buffer.wordCount > 0) {
      const hash = buffer.words[0]!;
      current = words.get(hash) ?? new Set();
      words.set(hash, current);
      if (run[from]! <= marker.spaced && to - from <= 1 + shortUnits) short.add(hash);
    }
    for (let at = 0; at < buffer.gramCount; at += 1) current.add(buffer.ngrams[at]!);
    from = to;
  }
  return Array.from(words, ([hash, ngrams]) => ({ hash, ngrams: [...ngrams], short: short.has(hash) }));
}

/** From a hash to a term's number: open addressing, since every term of every candidate is looked up. */
interface Table {
  readonly mask: number;
  readonly keys: Int32Array;
  /** -1 where a place is free. */
  readonly numbers: Int16Array;
}

/** The question's terms by number: its words first, then its grams. */
export interface Probe {
  readonly words: number;
  readonly terms: number;
  /** The numbers of the grams inside each word. */
  readonly gramsOf: readonly (readonly number[])[];
  readonly wordTable: Table;
  readonly gramTable: Table;
}

export function probeFor(words: readonly QueryWord[]): Probe {
  const ngrams = [...new Set(words.flatMap((word) => word.ngrams))];
  const numbers = new Map(ngrams.map((gram, at) => [gram, words.length + at]));
  return {
    words: words.length,
    terms: words.length + ngrams.length,
    gramsOf: words.map((word) => word.ngrams.map((gram) => numbers.get(gram)!)),
    wordTable: tableOf(
      words.map((word) => word.hash),
      0,
    ),
    gramTable: tableOf(ngrams, words.length),
  };
}

function tableOf(hashes: readonly number[], first: number): Table {
  let size = 64;
  while (size < hashes.length * 8) size *= 2;
  const mask = size - 1;
  const keys = new Int32Array(size);
  const numbers = new Int16Array(size).fill(-1);
  hashes.forEach((hash, place) => {
    let at = hash & mask;
    while (numbers[at] !== -1) at = (at + 1) & mask;
    keys[at] = hash;
    numbers[at] = first + place;
  });
  return { mask, keys, numbers };
}

/** Where a question's terms occur in the sentences of a window, or in labels. */
export interface Matches {
  /** Term numbers; those of sentence i end at hitEnds[i]. A term that occurs twice is there twice. */
  readonly hits: Uint16Array;
  readonly hitEnds: Uint32Array;
  /** The length of each sentence. */
  readonly words: Uint16Array;
  readonly ngrams: Uint16Array;
}

let hitBuffer = new Uint16Array(8_192);

export function matchesOf(normalized: Folded, probe: Probe): Matches {
  const sentences = normalized.ends.length;
  if (hitBuffer.length < normalized.units.length * 2)
    hitBuffer = new Uint16Array(normalized.units.length * 2);
  const hitEnds = new Uint32Array(sentences);
  const words = new Uint16Array(sentences);
  const ngrams = new Uint16Array(sentences);
  let hits = 0;
  let from = 0;
  for (let at = 0; at < sentences; at += 1) {
    hashTerms(buffer, normalized.units, from, normalized.ends[at]!);
    from = normalized.ends[at]!;
    hits = lookUp(buffer.words, buffer.wordCount, probe.wordTable, hits);
    hits = lookUp(buffer.ngrams, buffer.gramCount, probe.gramTable, hits);
    hitEnds[at] = hits;
    words[at] = buffer.wordCount;
    ngrams[at] = buffer.gramCount;
  }
  return { hits: hitBuffer.slice(0, hits), hitEnds, words, ngrams };
}

/** Appends the numbers of the hashes that the table knows to the hit buffer; returns its new length. */
function lookUp(hashes: Int32Array, count: number, table: Table, from: number): number {
  const { mask, keys, numbers } = table;
  const out = hitBuffer;
  let hits = from;
  for (let at = 0; at < count; at += 1) {
    const hash = hashes[at]!;
    let place = hash & mask;
    let number = numbers[place]!;
    while (number >= 0 && keys[place] !== hash) {
      place = (place + 1) & mask;
      number = numbers[place]!;
    }
    if (number >= 0) out[hits++] = number;
  }
  return hits;
}
