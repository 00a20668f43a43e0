/** Finds a question's words and n-grams in tokenized text. */
import type { NormalizedText } from './chunks.ts';
import { createTermBuffer, hashTerms, MARKER, tokenize } from './tokenize.ts';

/** One distinct word of the question, with its n-grams. */
export interface QueryWord {
  readonly hash: number;
  readonly ngrams: readonly number[];
  /** At most four letters, in a script with spaces between words: probably a function word. */
  readonly short: boolean;
}

const buffer = createTermBuffer();
const SHORT_WORD_UNITS = 4;

/** Returns the question's distinct words, in order. */
export function getQueryWords(question: string, locale: string): QueryWord[] {
  const tokens = tokenize(question, locale, true);
  const words = new Map<number, Set<number>>();
  const short = new Set<number>();
  let current = new Set<number>();
  let from = 0;
  while (from < tokens.length) {
    let to = from + 1;
    while (to < tokens.length && tokens[to]! > MARKER.denseNext) to += 1;
    hashTerms(buffer, tokens, from, to);
    if (buffer.wordCount > 0) {
      const hash = buffer.words[0]!;
      current = words.get(hash) ?? new Set();
      words.set(hash, current);
      if (tokens[from]! <= MARKER.spaced && to - from <= 1 + SHORT_WORD_UNITS) short.add(hash);
    }
    for (let at = 0; at < buffer.ngramCount; at += 1) current.add(buffer.ngrams[at]!);
    from = to;
  }
  return Array.from(words, ([hash, ngrams]) => ({ hash, ngrams: [...ngrams], short: short.has(hash) }));
}

/**
 * Maps a hash to a term number. Uses open addressing for speed: every term of every candidate is
 * looked up.
 */
interface Table {
  readonly mask: number;
  readonly keys: Int32Array;
  /** -1 marks a free slot. */
  readonly numbers: Int16Array;
}

/** The question's terms by number: words first, then n-grams. */
export interface QueryTerms {
  readonly wordCount: number;
  readonly termCount: number;
  /** Term numbers of the n-grams inside each word. */
  readonly ngramsByWord: readonly (readonly number[])[];
  readonly wordTable: Table;
  readonly ngramTable: Table;
}

export function toQueryTerms(words: readonly QueryWord[]): QueryTerms {
  const ngrams = [...new Set(words.flatMap((word) => word.ngrams))];
  const numbers = new Map(ngrams.map((ngram, at) => [ngram, words.length + at]));
  const hashes = words.map((word) => word.hash);
  return {
    wordCount: words.length,
    termCount: words.length + ngrams.length,
    ngramsByWord: words.map((word) => word.ngrams.map((ngram) => numbers.get(ngram)!)),
    wordTable: buildTable(hashes, 0),
    ngramTable: buildTable(ngrams, words.length),
  };
}

function buildTable(hashes: readonly number[], firstNumber: number): Table {
  let size = 64;
  while (size < hashes.length * 8) size *= 2;
  const mask = size - 1;
  const keys = new Int32Array(size);
  const numbers = new Int16Array(size).fill(-1);
  hashes.forEach((hash, index) => {
    let slot = hash & mask;
    while (numbers[slot] !== -1) slot = (slot + 1) & mask;
    keys[slot] = hash;
    numbers[slot] = firstNumber + index;
  });
  return { mask, keys, numbers };
}

/** Where the question's terms occur in the sentences of a chunk, or in titles. */
export interface Matches {
  /** Term numbers, repeated for each occurrence; those of sentence i end at hitEnds[i]. */
  readonly hits: Uint16Array;
  readonly hitEnds: Uint32Array;
  /** Number of words of each sentence. */
  readonly words: Uint16Array;
  /** Number of n-grams of each sentence. */
  readonly ngrams: Uint16Array;
}

let hitBuffer = new Uint16Array(8_192);

export function findMatches(text: NormalizedText, terms: QueryTerms): Matches {
  const sentences = text.ends.length;
  if (hitBuffer.length < text.units.length * 2) hitBuffer = new Uint16Array(text.units.length * 2);
  const hitEnds = new Uint32Array(sentences);
  const words = new Uint16Array(sentences);
  const ngrams = new Uint16Array(sentences);
  let hits = 0;
  let from = 0;
  for (let at = 0; at < sentences; at += 1) {
    hashTerms(buffer, text.units, from, text.ends[at]!);
    from = text.ends[at]!;
    hits = lookUp(buffer.words, buffer.wordCount, terms.wordTable, hits);
    hits = lookUp(buffer.ngrams, buffer.ngramCount, terms.ngramTable, hits);
    hitEnds[at] = hits;
    words[at] = buffer.wordCount;
    ngrams[at] = buffer.ngramCount;
  }
  return { hits: hitBuffer.slice(0, hits), hitEnds, words, ngrams };
}

/** Appends the term numbers of known hashes to the hit buffer and returns its new length. */
function lookUp(hashes: Int32Array, count: number, table: Table, from: number): number {
  const { mask, keys, numbers } = table;
  const out = hitBuffer;
  let hits = from;
  for (let at = 0; at < count; at += 1) {
    const hash = hashes[at]!;
    let slot = hash & mask;
    let number = numbers[slot]!;
    while (number >= 0 && keys[slot] !== hash) {
      slot = (slot + 1) & mask;
      number = numbers[slot]!;
    }
    if (number >= 0) out[hits++] = number;
  }
  return hits;
}
