import { identity, memoize } from '../../base/cache.ts';
import { listFunctionWords } from '../../base/guide-languages.ts';
import type { Alternative } from '../dictionary/dictionary.ts';
import type { NormalizedText } from './chunks.ts';
import {
  addLongStems,
  createTermBuffer,
  eachWord,
  hashTerms,
  MARKER,
  readWord,
  tokenize,
} from './tokenize.ts';

/** Finds a question's words and n-grams in tokenized text, and computes how much of the question a text contains. */

/** One distinct word of the question, with its n-grams. */
export interface QueryWord {
  hash: number;
  ngrams: readonly number[];
  longStems: ReadonlySet<number>;
  /** Its normalized form. */
  text: string;
  /** Whether it is a function word, such as "the". */
  isFunction: boolean;
}

/** A question word as it is searched in one partition. */
export interface SearchWord extends QueryWord {
  /** Importance in the question. */
  weight: number;
  /** Words that can replace the word, each with a share of its weight. */
  alternatives: readonly Alternative[];
}

const buffer = createTermBuffer();

/** Returns the question's distinct words, in order. */
export function getQueryWords(question: string, locale: string): QueryWord[] {
  const tokens = tokenize(question, locale, true);
  const functionWords = getFunctionWords(locale);
  const words = new Map<number, { text: string; ngrams: Set<number>; longStems: Set<number> }>();
  let current = new Set<number>();
  for (const [from, to] of eachWord(tokens)) {
    hashTerms(buffer, tokens, from, to);
    if (buffer.wordCount > 0) {
      const hash = buffer.words[0]!;
      const text = readWord(tokens, from, to);
      const earlier = words.get(hash);
      current = earlier?.ngrams ?? new Set();
      const longStems = earlier?.longStems ?? new Set();
      addLongStems(tokens.subarray(from, to), longStems);
      // A stem's longest form says whether it is a function word: "here" is one, "heredity" is not.
      words.set(hash, {
        text: earlier && earlier.text.length >= text.length ? earlier.text : text,
        ngrams: current,
        longStems,
      });
    }
    for (let at = 0; at < buffer.ngramCount; at += 1) current.add(buffer.ngrams[at]!);
  }
  return Array.from(words, ([hash, { text, ngrams, longStems }]) => ({
    hash,
    ngrams: [...ngrams],
    longStems,
    text,
    isFunction: functionWords.has(text),
  }));
}

/** The function words of a locale's language, normalized; empty for a language that is not listed. */
export const getFunctionWords = memoize(
  (locale: string): ReadonlySet<string> => new Set(readWords(listFunctionWords(locale).join(' '), locale)),
  identity,
);

/** Returns the share of a text's words that are function words of the language, 0..1. */
export function getFunctionShare(text: string, locale: string): number {
  const functionWords = getFunctionWords(locale);
  const words = readWords(text, locale);
  return words.length === 0 ? 0 : words.filter((word) => functionWords.has(word)).length / words.length;
}

function readWords(text: string, locale: string): string[] {
  const tokens = tokenize(text, locale, true);
  return Array.from(eachWord(tokens)).flatMap(([from, to]) =>
    tokens[from] === MARKER.ngramsOnly ? [] : [readWord(tokens, from, to)],
  );
}

/**
 * Maps a hash to a term number. Uses open addressing for speed: every term of every candidate is
 * looked up.
 */
interface HashTable {
  mask: number;
  keys: Int32Array;
  /** -1 marks a free slot. */
  numbers: Int16Array;
}

/** The question's terms by number: words first, then their alternatives, then n-grams. */
export interface QueryTerms {
  wordCount: number;
  /** Number of words and alternatives; also the term number of the first n-gram. */
  ngramsFrom: number;
  termCount: number;
  /** The word that each term belongs to. An n-gram of several words belongs to the one with the most weight. */
  wordByTerm: Uint16Array;
  /** The weight of an occurrence of the term for its word: 1 for words and n-grams. */
  shareByTerm: Float64Array;
  /** How many n-grams are inside each word. */
  ngramCounts: Uint16Array;
  /** The words that each n-gram is inside, by its term number less `ngramsFrom`. */
  wordsByNgram: readonly (readonly number[])[];
  wordTable: HashTable;
  ngramTable: HashTable;
}

export function toQueryTerms(words: readonly SearchWord[]): QueryTerms {
  const byHash = new Map(words.map(({ hash }, at) => [hash, { word: at, share: 1 }]));
  words.forEach(({ alternatives }, word) => {
    for (const { hash, weight } of alternatives) {
      if ((byHash.get(hash)?.share ?? 0) < weight) byHash.set(hash, { word, share: weight });
    }
  });
  const ngramOwners = new Map<number, number>();
  words.forEach(({ ngrams, weight }, word) => {
    for (const ngram of ngrams) {
      const owner = ngramOwners.get(ngram);
      if (owner === undefined || words[owner]!.weight < weight) ngramOwners.set(ngram, word);
    }
  });
  const hashes = [...byHash.keys()];
  const ngrams = [...ngramOwners.keys()];
  const wordsByNgram = new Map(ngrams.map((ngram) => [ngram, [] as number[]]));
  words.forEach((word, at) => {
    for (const ngram of word.ngrams) wordsByNgram.get(ngram)!.push(at);
  });
  return {
    wordCount: words.length,
    ngramsFrom: hashes.length,
    termCount: hashes.length + ngrams.length,
    wordByTerm: Uint16Array.from([
      ...Array.from(byHash.values(), ({ word }) => word),
      ...ngramOwners.values(),
    ]),
    shareByTerm: Float64Array.from([
      ...Array.from(byHash.values(), ({ share }) => share),
      ...ngrams.map(() => 1),
    ]),
    ngramCounts: Uint16Array.from(words, (word) => word.ngrams.length),
    wordsByNgram: [...wordsByNgram.values()],
    wordTable: buildTable(hashes, 0),
    ngramTable: buildTable(ngrams, hashes.length),
  };
}

function buildTable(hashes: readonly number[], firstNumber: number): HashTable {
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
  hits: Uint16Array;
  hitEnds: Uint32Array;
  /** Number of words of each sentence. */
  words: Uint16Array;
  /** Number of n-grams of each sentence. */
  ngrams: Uint16Array;
  /** Part of the text that each sentence belongs to. */
  parts: Uint8Array;
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
  return { hits: hitBuffer.slice(0, hits), hitEnds, words, ngrams, parts: text.parts };
}

/** Appends the term numbers of known hashes to the hit buffer and returns its new length. */
function lookUp(hashes: Int32Array, count: number, table: HashTable, from: number): number {
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

/** Coverage of each word: 1 if it occurs, else the weight of an alternative that occurs or the share of its n-grams. */
type WordCoverage = Float64Array;

/** Share of n-grams that unrelated words have in common by coincidence. */
const CHANCE_OVERLAP = 0.2;

/** Computes the coverage of each question word in each sentence, in one array that the next sentence overwrites. */
export function coverSentences(
  matches: Matches,
  terms: QueryTerms,
  use: (coverage: WordCoverage) => void,
): void {
  const lastSentenceWith = new Int32Array(terms.termCount).fill(-1);
  const found = new Uint16Array(terms.wordCount);
  const coverage = new Float64Array(terms.wordCount);
  let from = 0;
  for (let sentence = 0; sentence < matches.hitEnds.length; sentence += 1) {
    coverage.fill(0);
    const to = matches.hitEnds[sentence]!;
    for (let at = from; at < to; at += 1) {
      const term = matches.hits[at]!;
      if (lastSentenceWith[term] === sentence) continue;
      lastSentenceWith[term] = sentence;
      if (term >= terms.ngramsFrom) {
        for (const word of terms.wordsByNgram[term - terms.ngramsFrom]!) found[word]! += 1;
      } else {
        const word = terms.wordByTerm[term]!;
        coverage[word] = Math.max(coverage[word]!, terms.shareByTerm[term]!);
      }
    }
    from = to;
    for (let word = 0; word < terms.wordCount; word += 1) {
      if (found[word] === 0) continue;
      const share = (found[word]! / terms.ngramCounts[word]! - CHANCE_OVERLAP) / (1 - CHANCE_OVERLAP);
      if (share > coverage[word]!) coverage[word] = share;
      found[word] = 0;
    }
    use(coverage);
  }
}

/** Computes the coverage of each question word in each sentence. */
export function coverWords(matches: Matches, terms: QueryTerms): WordCoverage[] {
  const all: WordCoverage[] = [];
  coverSentences(matches, terms, (coverage) => all.push(coverage.slice()));
  return all;
}

/** Returns the share of the question's word weight that is covered, 0..1. */
export function weighCoverage(
  coverage: WordCoverage,
  query: { weights: Float64Array; wordsWeight: number },
): number {
  let sum = 0;
  for (let word = 0; word < coverage.length; word += 1) sum += coverage[word]! * query.weights[word]!;
  return sum / query.wordsWeight;
}

interface Coverage {
  /** Share of the question that the title and the whole chunk contain, 0..1. */
  chunk: number;
  /** Share of the question that the title contains, 0..1. */
  title: number;
}

type ScoredText = { matches: Matches; titleMatches: Matches; title: number };

export function measureCoverage(
  { matches, titleMatches, title }: ScoredText,
  query: { terms: QueryTerms; weights: Float64Array; wordsWeight: number },
): Coverage {
  const titleCoverage =
    coverWords(titleMatches, query.terms)[title] ?? new Float64Array(query.terms.wordCount);
  return {
    chunk: weighCoverage(coverWords(matches, query.terms).reduce(joinCoverage, titleCoverage), query),
    title: weighCoverage(titleCoverage, query),
  };
}

function joinCoverage(a: WordCoverage, b: WordCoverage): WordCoverage {
  return a.map((part, word) => Math.max(part, b[word]!));
}
