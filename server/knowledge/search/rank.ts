/**
 * Scores candidates against a question. Every part of a score is a share of the question's total
 * weight, so scores are comparable across questions and partitions of any size.
 */
import type { NormalizedText } from './chunks.ts';
import {
  coverSentences,
  coverWords,
  findMatches,
  type Matches,
  type QueryTerms,
  type SearchWord,
  toQueryTerms,
  weighCoverage,
} from './match.ts';

/** Average lengths in a partition, for length normalization. */
export interface AverageLengths {
  chunkWords: number;
  chunkNgrams: number;
  sentenceWords: number;
  sentenceNgrams: number;
}

/** The question with the weight of each word and the sums over its words and n-grams. */
export interface WeightedQuery {
  terms: QueryTerms;
  weights: Float64Array;
  /** Weight of the n-grams that each word owns. */
  ngramWeights: Float64Array;
  /** What each term adds to a score at most. */
  limits: Float64Array;
  wordsWeight: number;
  ngramsWeight: number;
  averages: AverageLengths;
}

export interface ScoredCandidate {
  /** Index in the list of candidates. */
  candidate: number;
  /** 0..1 */
  score: number;
  /** Score of the best title or alias, 0..1. */
  titleScore: number;
  /** Position of that title or alias. */
  title: number;
  matches: Matches;
  titleMatches: Matches;
}

interface Ranking {
  /** Best first. */
  scored: readonly ScoredCandidate[];
  query: WeightedQuery;
}

/** Computes the inverse document frequency, as in BM25. */
export function getIdf(texts: number, withTerm: number): number {
  return Math.log(1 + (texts - withTerm + 0.5) / (withTerm + 0.5));
}

interface RankedText {
  articleId: string;
  ordinal: number;
  chunk: NormalizedText;
  /** Title first, then aliases. */
  titles: NormalizedText;
}

/** Scores candidates, best first. Sorts ties by article and chunk, so that the index's order does not matter. */
export function rank(
  words: readonly SearchWord[],
  candidates: readonly RankedText[],
  averages: AverageLengths,
): Ranking {
  const query = weighTerms(words, averages);
  const scored = candidates.map(({ chunk, titles }, candidate) =>
    score(candidate, findMatches(chunk, query.terms), findMatches(titles, query.terms), query),
  );
  const isBefore = (a: RankedText, b: RankedText) =>
    a.articleId === b.articleId ? a.ordinal < b.ordinal : a.articleId < b.articleId;
  scored.sort(
    (a, b) => b.score - a.score || (isBefore(candidates[a.candidate]!, candidates[b.candidate]!) ? -1 : 1),
  );
  return { scored, query };
}

/** Weighs the terms. An n-gram weighs as much as its word, since the index does not count n-grams. */
function weighTerms(words: readonly SearchWord[], averages: AverageLengths): WeightedQuery {
  const terms = toQueryTerms(words);
  const weights = Float64Array.from(words, ({ weight }) => weight);
  const ngramWeights = new Float64Array(words.length);
  for (let term = terms.ngramsFrom; term < terms.termCount; term += 1) {
    const word = terms.wordByTerm[term]!;
    ngramWeights[word]! += weights[word]!;
  }
  const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0) || 1;
  const [wordsWeight, ngramsWeight] = [sum(weights), sum(ngramWeights)];
  const limits = Float64Array.from(terms.wordByTerm, (word, term) => {
    if (term >= terms.ngramsFrom) return (NGRAM_WEIGHT * weights[word]!) / ngramsWeight;
    const ofWord = (WORD_WEIGHT * weights[word]!) / wordsWeight;
    return term < terms.wordCount ? ofWord : ofWord + (NGRAM_WEIGHT * ngramWeights[word]!) / ngramsWeight;
  });
  return { terms, weights, ngramWeights, limits, wordsWeight, ngramsWeight, averages };
}

const WORD_WEIGHT = 0.5;
const NGRAM_WEIGHT = 1;
/** Sums of rounded numbers may exceed their limit by this factor. */
const ROUNDING = 1 + 1e-9;
/** Runs of this many sentences are scored beside the whole chunk. */
const RUN_LENGTHS = [1, 2, 3];
const RUN_WEIGHT = 0.4;
const COVERAGE_WEIGHT = 0.1;
/** Sum of all parts of the score for a perfect text. */
const PERFECT_SCORE = (WORD_WEIGHT + NGRAM_WEIGHT) * (1 + RUN_LENGTHS.length * RUN_WEIGHT) + COVERAGE_WEIGHT;

/** Combines the whole chunk, its best runs of one to three sentences, and its best title. */
function score(candidate: number, chunk: Matches, titles: Matches, query: WeightedQuery): ScoredCandidate {
  let sum = scoreDocument(chunk, titles, query);
  for (const length of RUN_LENGTHS) sum += RUN_WEIGHT * scoreBestRun(chunk, length, query);
  let coverage = 0;
  coverSentences(chunk, query.terms, (words) => {
    coverage = Math.max(coverage, weighCoverage(words, query));
  });
  const text = (sum + COVERAGE_WEIGHT * coverage) / PERFECT_SCORE;
  const title = scoreTitles(titles, query);
  return {
    candidate,
    score: 1 - (1 - text) * (1 - title.score),
    titleScore: title.score,
    title: title.best,
    matches: chunk,
    titleMatches: titles,
  };
}

/**
 * Weight of an occurrence in each part of an article, as in BM25F. Fitted on help articles, with
 * summaries and short questions as queries.
 */
const TITLE_COUNT = 3;
const PART_COUNTS: readonly number[] = [1, 1.5, 1.5];

function scoreDocument(chunk: Matches, titles: Matches, query: WeightedQuery): number {
  const { averages, terms } = query;
  const counter = startCounting(terms);
  let [words, ngrams] = [0, 0];
  for (let at = 0; at < chunk.hitEnds.length; at += 1) {
    words += chunk.words[at]!;
    ngrams += chunk.ngrams[at]!;
    count(counter, chunk, at, PART_COUNTS[chunk.parts[at]!]!);
  }
  for (let at = 0; at < titles.hitEnds.length; at += 1) count(counter, titles, at, TITLE_COUNT);
  return finishCounting(counter, query, words / averages.chunkWords, ngrams / averages.chunkNgrams);
}

function scoreBestRun(chunk: Matches, length: number, query: WeightedQuery): number {
  let best = 0;
  const sentences = chunk.hitEnds.length;
  for (let from = 0; from < sentences; from += 1) {
    const run = scoreSentenceRun(chunk, from, Math.min(sentences, from + length), length, query, best);
    if (run > best) best = run;
  }
  return best;
}

/** Scores sentences [from, to) as a text that usually has `length` sentences; 0 if that would be less than `least`. */
function scoreSentenceRun(
  chunk: Matches,
  from: number,
  to: number,
  length: number,
  query: WeightedQuery,
  least = 0,
): number {
  const counter = startCounting(query.terms);
  let [words, ngrams] = [0, 0];
  for (let at = from; at < to; at += 1) {
    words += chunk.words[at]!;
    ngrams += chunk.ngrams[at]!;
    count(counter, chunk, at, 1);
  }
  if (getLimit(counter, query) < least) return forgetCounts(counter);
  const { sentenceWords, sentenceNgrams } = query.averages;
  return finishCounting(counter, query, words / (sentenceWords * length), ngrams / (sentenceNgrams * length));
}

const AVERAGE_TITLE_WORDS = 6;
const AVERAGE_TITLE_NGRAMS = 30;
/** Maximum share of its score that a title loses for n-grams that the question does not contain. */
const TITLE_EXCESS = 0.3;

/** Weight of a title that the question contains completely, relative to one with an additional word. */
const WHOLE_TITLE = 1.1;

/** Scores each title and alias as a short text of its own, and returns the best. */
function scoreTitles(titles: Matches, query: WeightedQuery): { best: number; score: number } {
  let [best, highest] = [0, 0];
  for (let at = 0; at < titles.hitEnds.length; at += 1) {
    const counter = startCounting(query.terms);
    count(counter, titles, at, 1);
    const lengths = [
      titles.words[at]! / AVERAGE_TITLE_WORDS,
      titles.ngrams[at]! / AVERAGE_TITLE_NGRAMS,
    ] as const;
    const span = finishCounting(counter, query, ...lengths);
    // The question may contain a title's words in other forms, which have the same stems.
    const overlap = containsWords(titles, at, query) ? 1 : getTitleOverlap(titles, at, query);
    const wholeTitleFactor = overlap === 1 ? WHOLE_TITLE : 1;
    const score = wholeTitleFactor * span * (1 - TITLE_EXCESS + TITLE_EXCESS * overlap);
    if (score > highest) [best, highest] = [at, score];
  }
  return { best, score: Math.min(1, highest / (WORD_WEIGHT + NGRAM_WEIGHT)) };
}

/** Returns the share of a title's n-grams that the question contains, 0..1. */
function getTitleOverlap(titles: Matches, at: number, { terms }: WeightedQuery): number {
  const ngrams = new Set<number>();
  for (let hit = at > 0 ? titles.hitEnds[at - 1]! : 0; hit < titles.hitEnds[at]!; hit += 1) {
    if (titles.hits[hit]! >= terms.ngramsFrom) ngrams.add(titles.hits[hit]!);
  }
  return Math.min(1, ngrams.size / (titles.ngrams[at]! || 1));
}

/** Whether the question contains every word of a title. */
function containsWords(titles: Matches, at: number, { terms }: WeightedQuery): boolean {
  const words = new Set<number>();
  for (let hit = at > 0 ? titles.hitEnds[at - 1]! : 0; hit < titles.hitEnds[at]!; hit += 1) {
    if (titles.hits[hit]! < terms.wordCount) words.add(titles.hits[hit]!);
  }
  return words.size > 0 && words.size >= titles.words[at]!;
}

/** Occurrences of the question's terms in the text that is being scored. Reused by all calls. */
type Counter = {
  counts: Float64Array;
  touched: number[];
  /** By word: occurrences of the word and its alternatives, of the alternatives alone, and the n-grams' sum. */
  words: Float64Array;
  alternatives: Float64Array;
  ngrams: Float64Array;
};

const sharedCounter: Counter = {
  counts: new Float64Array(1_024),
  touched: [],
  words: new Float64Array(64),
  alternatives: new Float64Array(64),
  ngrams: new Float64Array(64),
};

function startCounting({ termCount, wordCount }: QueryTerms): Counter {
  if (sharedCounter.counts.length < termCount) sharedCounter.counts = new Float64Array(termCount * 2);
  if (sharedCounter.words.length < wordCount) {
    sharedCounter.words = new Float64Array(wordCount * 2);
    sharedCounter.alternatives = new Float64Array(wordCount * 2);
    sharedCounter.ngrams = new Float64Array(wordCount * 2);
  }
  return sharedCounter;
}

function count({ counts, touched }: Counter, matches: Matches, sentence: number, weight: number): void {
  const stop = matches.hitEnds[sentence]!;
  for (let at = sentence > 0 ? matches.hitEnds[sentence - 1]! : 0; at < stop; at += 1) {
    const term = matches.hits[at]!;
    if (counts[term] === 0) touched.push(term);
    counts[term]! += weight;
  }
}

/** Returns what a text scores at most. */
function getLimit({ touched }: Counter, { limits }: WeightedQuery): number {
  let limit = 0;
  for (const term of touched) limit += limits[term]!;
  return limit * ROUNDING;
}

function forgetCounts({ counts, touched }: Counter): 0 {
  for (const term of touched) counts[term] = 0;
  touched.length = 0;
  return 0;
}

/** BM25's k1 with full length normalization: repeated terms add less each time, long texts need more repetition. */
const SATURATION = 0.6;

/**
 * Computes a BM25-like score: words and n-grams as weighted shares of the question's weight. Resets
 * the counter.
 * @param wordLength number of words, relative to the average
 * @param ngramLength number of n-grams, relative to the average
 */
function finishCounting(
  counter: Counter,
  query: WeightedQuery,
  wordLength: number,
  ngramLength: number,
): number {
  const { counts, touched, words, alternatives, ngrams } = counter;
  const { terms, weights, ngramWeights } = query;
  const ngramSaturation = SATURATION * (ngramLength || 0);
  for (const term of touched) {
    const occurrences = counts[term]!;
    const word = terms.wordByTerm[term]!;
    counts[term] = 0;
    if (term >= terms.ngramsFrom)
      ngrams[word]! += (weights[word]! * occurrences) / (occurrences + ngramSaturation);
    else words[word]! += occurrences * terms.shareByTerm[term]!;
    if (term >= terms.wordCount && term < terms.ngramsFrom)
      alternatives[word]! += occurrences * terms.shareByTerm[term]!;
  }
  touched.length = 0;
  const wordSaturation = SATURATION * (wordLength || 0);
  let [wordSum, ngramSum] = [0, 0];
  for (let word = 0; word < terms.wordCount; word += 1) {
    const occurrences = words[word]!;
    if (occurrences > 0) wordSum += (weights[word]! * occurrences) / (occurrences + wordSaturation);
    const alternativeCount = alternatives[word]!;
    // An alternative shares no n-grams with its word, so it also stands for them.
    const alternativeNgrams =
      alternativeCount > 0
        ? (ngramWeights[word]! * alternativeCount) / (alternativeCount + wordSaturation)
        : 0;
    ngramSum += Math.max(ngrams[word]!, alternativeNgrams);
    words[word] = 0;
    alternatives[word] = 0;
    ngrams[word] = 0;
  }
  return (WORD_WEIGHT * wordSum) / query.wordsWeight + (NGRAM_WEIGHT * ngramSum) / query.ngramsWeight;
}

const SENTENCE_COVERAGE_WEIGHT = 0.5;
const NEIGHBOUR_WEIGHT = 0.25;

/** Scores how much of the question each sentence of a chunk answers; good neighbouring sentences add a little. */
export function scoreSentences(matches: Matches, query: WeightedQuery): number[] {
  const scores = coverWords(matches, query.terms).map(
    (words, at) =>
      scoreSentenceRun(matches, at, at + 1, 1, query) +
      SENTENCE_COVERAGE_WEIGHT * weighCoverage(words, query),
  );
  return scores.map(
    (value, at) => value + NEIGHBOUR_WEIGHT * Math.max(scores[at - 1] ?? 0, scores[at + 1] ?? 0),
  );
}
