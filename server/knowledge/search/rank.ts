/**
 * Scores candidates and their sentences against a question. Every part of a score is a share of the question's total
 * weight, so scores are comparable across questions, languages and partitions of any size.
 */
import type { NormalizedText } from './chunks.ts';
import { findMatches, type Matches, type QueryTerms, type QueryWord, toQueryTerms } from './match.ts';

/** Average lengths in a partition, for length normalisation. */
export interface AverageLengths {
  readonly chunkWords: number;
  readonly chunkNgrams: number;
  readonly sentenceWords: number;
  readonly sentenceNgrams: number;
}

/** The question with the weight of each term and their sums. */
export interface WeightedQuery {
  readonly terms: QueryTerms;
  readonly weights: Float64Array;
  readonly wordsWeight: number;
  readonly ngramsWeight: number;
  readonly averages: AverageLengths;
}

export interface ScoredCandidate {
  /** Index in the list of candidates. */
  readonly candidate: number;
  /** 0..1 */
  readonly score: number;
  /** Share of the question that the best single sentence covers, 0..1. */
  readonly coverage: number;
  /** Score of the best title or alias, 0..1. */
  readonly titleScore: number;
  readonly matches: Matches;
}

export interface Ranking {
  /** Best first. */
  readonly scored: readonly ScoredCandidate[];
  readonly query: WeightedQuery;
}

/** Inverse document frequency, as in BM25. */
export function getIdf(texts: number, withTerm: number): number {
  return Math.log(1 + (texts - withTerm + 0.5) / (withTerm + 0.5));
}

/**
 * @param words the question's words, each with its inverse document frequency in the partition
 * @param candidates chunk and titles (title first, then aliases) of each
 */
export function rank(
  words: readonly { readonly word: QueryWord; readonly idf: number }[],
  candidates: readonly { readonly chunk: NormalizedText; readonly titles: NormalizedText }[],
  averages: AverageLengths,
): Ranking {
  const terms = toQueryTerms(words.map(({ word }) => word));
  const found = candidates.map(({ chunk, titles }) => ({
    chunk: findMatches(chunk, terms),
    titles: findMatches(titles, terms),
  }));
  const idfs = words.map(({ idf }) => idf);
  const chunks = found.map(({ chunk }) => chunk);
  const query = weighTerms(terms, idfs, chunks, averages);
  const scored = found.map(({ chunk, titles }, candidate) => score(candidate, chunk, titles, query));
  return { scored: scored.sort((a, b) => b.score - a.score), query };
}

/**
 * Counts n-gram frequencies among the candidates only: an index of all n-grams would improve
 * ranking little and take the most space.
 */
function weighTerms(
  terms: QueryTerms,
  idfs: readonly number[],
  chunks: readonly Matches[],
  averages: AverageLengths,
): WeightedQuery {
  const chunksWith = new Uint32Array(terms.termCount);
  const lastSeen = new Int32Array(terms.termCount).fill(-1);
  chunks.forEach(({ hits }, at) => {
    for (const term of hits) {
      if (lastSeen[term] !== at) chunksWith[term]! += 1;
      lastSeen[term] = at;
    }
  });
  const weights = new Float64Array(terms.termCount);
  let wordsWeight = 0;
  let ngramsWeight = 0;
  for (let term = 0; term < terms.termCount; term += 1) {
    if (term < terms.wordCount) {
      weights[term] = idfs[term]!;
      wordsWeight += weights[term]!;
    } else {
      weights[term] = getIdf(chunks.length, chunksWith[term]!);
      ngramsWeight += weights[term]!;
    }
  }
  return { terms, weights, wordsWeight: wordsWeight || 1, ngramsWeight: ngramsWeight || 1, averages };
}

const WORD_WEIGHT = 0.5;
const NGRAM_WEIGHT = 1;
/** Runs of this many sentences are scored beside the whole chunk. */
const RUN_LENGTHS = [1, 2, 3];
const RUN_WEIGHT = 0.4;
const COVERAGE_WEIGHT = 0.1;
/** The sum of all parts for a perfect text. */
const PERFECT_SCORE = (WORD_WEIGHT + NGRAM_WEIGHT) * (1 + RUN_LENGTHS.length * RUN_WEIGHT) + COVERAGE_WEIGHT;
const AVERAGE_TITLE_WORDS = 6;
const AVERAGE_TITLE_NGRAMS = 30;

/** Combines the whole chunk, its best runs of one to three sentences, and its best title. */
function score(candidate: number, chunk: Matches, titles: Matches, query: WeightedQuery): ScoredCandidate {
  const { averages } = query;
  const sentences = chunk.hitEnds.length;
  let sum = scoreSpan(chunk, 0, sentences, averages.chunkWords, averages.chunkNgrams, query);
  for (const length of RUN_LENGTHS) {
    const [words, ngrams] = [averages.sentenceWords * length, averages.sentenceNgrams * length];
    let best = 0;
    for (let from = 0; from < sentences; from += 1) {
      const run = scoreSpan(chunk, from, Math.min(sentences, from + length), words, ngrams, query);
      if (run > best) best = run;
    }
    sum += RUN_WEIGHT * best;
  }
  const coverage = Math.max(0, ...getWordCoverage(chunk, query).map((words) => weighCoverage(words, query)));
  const text = (sum + COVERAGE_WEIGHT * coverage) / PERFECT_SCORE;
  const titleScore = scoreTitles(titles, query);
  return { candidate, score: 1 - (1 - text) * (1 - titleScore), coverage, titleScore, matches: chunk };
}

/**
 * A title that the question repeats completely counts twice as much as one with a single shared
 * n-gram.
 */
function scoreTitles(titles: Matches, query: WeightedQuery): number {
  let best = 0;
  for (let at = 0; at < titles.hitEnds.length; at += 1) {
    const span = scoreSpan(titles, at, at + 1, AVERAGE_TITLE_WORDS, AVERAGE_TITLE_NGRAMS, query);
    const one = span * (0.5 + 0.5 * getTitleOverlap(titles, at, query));
    if (one > best) best = one;
  }
  return best / (WORD_WEIGHT + NGRAM_WEIGHT);
}

/** Share of a title's n-grams that the question contains, 0..1. */
function getTitleOverlap(titles: Matches, at: number, { terms }: WeightedQuery): number {
  const ngrams = new Set<number>();
  for (let hit = at > 0 ? titles.hitEnds[at - 1]! : 0; hit < titles.hitEnds[at]!; hit += 1) {
    if (titles.hits[hit]! >= terms.wordCount) ngrams.add(titles.hits[hit]!);
  }
  return Math.min(1, ngrams.size / (titles.ngrams[at]! || 1));
}

/** BM25's k1 with full length normalisation: repeated terms add less each time, long texts need more repetition. */
const SATURATION = 0.6;

/** BM25-like score of sentences [from, to): words and n-grams as weighted shares of the question's weight. */
function scoreSpan(
  matches: Matches,
  from: number,
  to: number,
  averageWords: number,
  averageNgrams: number,
  query: WeightedQuery,
): number {
  let words = 0;
  let ngrams = 0;
  for (let at = from; at < to; at += 1) {
    words += matches.words[at]!;
    ngrams += matches.ngrams[at]!;
  }
  const wordSaturation = (SATURATION * words) / (averageWords || 1);
  const ngramSaturation = (SATURATION * ngrams) / (averageNgrams || 1);
  const { counts, touched } = countTerms(matches, from, to, query.terms.termCount);
  let wordSum = 0;
  let ngramSum = 0;
  for (const term of touched) {
    const count = counts[term]!;
    counts[term] = 0;
    if (term < query.terms.wordCount) wordSum += (query.weights[term]! * count) / (count + wordSaturation);
    else ngramSum += (query.weights[term]! * count) / (count + ngramSaturation);
  }
  touched.length = 0;
  return (WORD_WEIGHT * wordSum) / query.wordsWeight + (NGRAM_WEIGHT * ngramSum) / query.ngramsWeight;
}

/** Shared by all calls; `scoreSpan` resets the counters to zero. */
let counters = new Uint16Array(1_024);
const touchedTerms: number[] = [];

function countTerms(matches: Matches, from: number, to: number, termCount: number) {
  if (counters.length < termCount) counters = new Uint16Array(termCount * 2);
  const stop = to > 0 ? matches.hitEnds[to - 1]! : 0;
  for (let at = from > 0 ? matches.hitEnds[from - 1]! : 0; at < stop; at += 1) {
    const term = matches.hits[at]!;
    if (counters[term] === 0) touchedTerms.push(term);
    counters[term]! += 1;
  }
  return { counts: counters, touched: touchedTerms };
}

/** Unrelated words share about this many of their n-grams by coincidence. */
const CHANCE_OVERLAP = 0.2;

/** Coverage of each question word in each sentence: 1 where the word occurs, else by the share of its n-grams. */
function getWordCoverage(matches: Matches, { terms }: WeightedQuery): Float64Array[] {
  const seen = new Int32Array(terms.termCount).fill(-1);
  const all: Float64Array[] = [];
  let from = 0;
  for (let sentence = 0; sentence < matches.hitEnds.length; sentence += 1) {
    const to = matches.hitEnds[sentence]!;
    for (let at = from; at < to; at += 1) seen[matches.hits[at]!] = sentence;
    from = to;
    const coverage = new Float64Array(terms.wordCount);
    for (let word = 0; word < terms.wordCount; word += 1) {
      coverage[word] =
        seen[word] === sentence ? 1 : getNgramCoverage(terms.ngramsByWord[word]!, seen, sentence);
    }
    all.push(coverage);
  }
  return all;
}

function getNgramCoverage(ngrams: readonly number[], seen: Int32Array, sentence: number): number {
  if (ngrams.length === 0) return 0;
  let count = 0;
  for (const ngram of ngrams) if (seen[ngram] === sentence) count += 1;
  return Math.max(0, count / ngrams.length - CHANCE_OVERLAP) / (1 - CHANCE_OVERLAP);
}

/** Share of the question's word weight that is covered, 0..1. */
function weighCoverage(coverage: ArrayLike<number>, query: WeightedQuery): number {
  let sum = 0;
  for (let word = 0; word < query.terms.wordCount; word += 1) sum += coverage[word]! * query.weights[word]!;
  return sum / query.wordsWeight;
}

const SENTENCE_COVERAGE_WEIGHT = 0.5;
const NEIGHBOUR_WEIGHT = 0.25;

/** How much of the question each sentence of a chunk answers; a good neighbour counts a little. */
export function scoreSentences(matches: Matches, query: WeightedQuery): number[] {
  const { averages } = query;
  const own = getWordCoverage(matches, query).map(
    (words, at) =>
      scoreSpan(matches, at, at + 1, averages.sentenceWords, averages.sentenceNgrams, query) +
      SENTENCE_COVERAGE_WEIGHT * weighCoverage(words, query),
  );
  return own.map((value, at) => value + NEIGHBOUR_WEIGHT * Math.max(own[at - 1] ?? 0, own[at + 1] ?? 0));
}
