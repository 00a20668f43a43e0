/** Searches one workspace in one locale: selects terms, fetches candidates, ranks them and estimates the confidence. */
import type { Candidate, Partition, Passages, WeightedTerm } from '../../storage/passages.ts';
import { decodeNormalized, type NormalizedText } from './chunks.ts';
import { getQueryWords, type QueryWord } from './match.ts';
import { type AverageLengths, getIdf, rank, type ScoredCandidate, type WeightedQuery } from './rank.ts';

/** An article found in one locale, by its best chunk. */
export interface ArticleMatch {
  readonly articleId: string;
  readonly locale: string;
  readonly passageId: number;
  readonly score: number;
  readonly chunk: NormalizedText;
  /** Position of the chunk in the answer. */
  readonly ordinal: number;
  readonly scored: ScoredCandidate;
  readonly query: WeightedQuery;
}

export interface PartitionSearch {
  /** One entry per article, best first. */
  readonly found: readonly ArticleMatch[];
  /** Likelihood that the first article answers the question, 0..1. */
  readonly confidence: number;
}

type CountedWord = {
  readonly word: QueryWord;
  /** Number of chunks that contain the word. */
  readonly chunks: number;
};

/** A question prepared for one partition. */
export interface PartitionQuery {
  readonly partition: Partition;
  readonly words: readonly CountedWord[];
  /** Share of the question's weight whose words occur in the partition, 0..1. */
  readonly knownShare: number;
}

/** Longer questions are cut to this length. */
const QUESTION_CHARS_MAX = 4_000;
/** Longer questions are represented by their rarest words. */
const WORDS_MAX = 32;
const CANDIDATES_MAX = 50;
/** The background vocabulary counts as this many texts. */
const BACKGROUND_TEXTS = 30;
/** Share of texts in which a function word, or another word, usually occurs. */
const FUNCTION_WORD_SHARE = 0.5;
const CONTENT_WORD_SHARE = 0.005;
/** "What" is rare in help articles, but says no more there. Fitted on XQuAD and GNOME help together with the shares. */
const FUNCTION_WORD_DAMPING = 0.4;
/** A question in which every word is more frequent than this has no content to search for. */
const CONTENT_SHARE = 0.5;
/** Up to this many chunks, every word counts as rare. */
const FEW_CHUNKS = 4;
/** A question that repeats a whole title scores about 0.75. */
const TITLE_MATCH_MIN = 0.65;
/** Maximum number of index entries read per search; bounds the time in large partitions. */
const POSTINGS_MAX = 30_000;

export async function prepareQueries(
  passages: Passages,
  question: string,
  partitions: readonly Partition[],
): Promise<PartitionQuery[]> {
  const text = question.slice(0, QUESTION_CHARS_MAX);
  const queries: PartitionQuery[] = [];
  for (const partition of partitions) {
    const queryWords = getQueryWords(text, partition.locale);
    const hashes = queryWords.map((word) => word.hash);
    const termCounts = await passages.termCounts(partition.locale, hashes);
    const counts = new Map(termCounts.map(({ term, chunks }) => [term, chunks]));
    const words = queryWords.map((word) => ({ word, chunks: counts.get(word.hash) ?? 0 }));
    queries.push({ partition, words: keepRarest(words), knownShare: getKnownShare(words, partition) });
  }
  return queries;
}

function keepRarest(words: readonly CountedWord[]): readonly CountedWord[] {
  if (words.length <= WORDS_MAX) return words;
  return words
    .filter(({ chunks }) => chunks > 0)
    .sort((a, b) => a.chunks - b.chunks)
    .slice(0, WORDS_MAX);
}

function getKnownShare(words: readonly CountedWord[], partition: Partition): number {
  let total = 0;
  let known = 0;
  for (const { word, chunks } of words) {
    const idf = weighWord({ word, chunks }, partition);
    total += idf;
    if (chunks > 0) known += idf;
  }
  return total === 0 ? 0 : known / total;
}

export async function searchPartition(
  passages: Passages,
  { partition, words }: PartitionQuery,
): Promise<PartitionSearch> {
  const terms = selectTerms(words, partition);
  const candidates = await passages.candidates(partition.locale, terms, CANDIDATES_MAX);
  const chunks = candidates.map((candidate) => decodeNormalized(candidate.normalized));
  const { scored, query } = rank(
    words.map((one) => ({ ...one.word, weight: weighWord(one, partition), alternatives: [] })),
    candidates.map(({ titles }, at) => ({ chunk: chunks[at]!, titles: decodeNormalized(titles) })),
    getAverageLengths(partition),
  );
  const found = keepBestChunks(scored, candidates).map(
    ([one, candidate]): ArticleMatch => ({
      articleId: candidate.articleId,
      locale: partition.locale,
      passageId: candidate.passageId,
      score: one.score,
      chunk: chunks[one.candidate]!,
      ordinal: candidate.ordinal,
      scored: one,
      query,
    }),
  );
  const hasContent = words.some((one) => isRare(one, partition, CONTENT_SHARE)) || isTitleMatch(found);
  return { found, confidence: hasContent ? computeConfidence(getConfidenceInput(found)) : 0 };
}

/** Whether the word occurs, and in at most this share of the chunks. */
function isRare({ chunks: count }: CountedWord, { chunks }: Partition, share: number): boolean {
  return count > 0 && count <= Math.max(chunks * share, FEW_CHUNKS);
}

/** A question that repeats a title or alias may consist of common words only. */
function isTitleMatch(found: readonly ArticleMatch[]): boolean {
  return (found[0]?.scored.titleScore ?? 0) > TITLE_MATCH_MIN;
}

/**
 * Inverse document frequency, as if the partition had some more texts of the language at large: few
 * articles do not tell how rare a word is.
 */
function weighWord({ word, chunks: count }: CountedWord, { chunks }: Partition): number {
  const share = word.isFunction ? FUNCTION_WORD_SHARE : CONTENT_WORD_SHARE;
  const idf = getIdf(chunks + BACKGROUND_TEXTS, count + BACKGROUND_TEXTS * share);
  return word.isFunction ? FUNCTION_WORD_DAMPING * idf : idf;
}

/**
 * Takes the content words, rarest first, until the limit is reached; function words only when there
 * is nothing else. Always at least one.
 */
function selectTerms(words: readonly CountedWord[], partition: Partition): WeightedTerm[] {
  const known = words.filter(({ chunks }) => chunks > 0);
  const content = known.filter(({ word }) => !word.isFunction);
  const terms: WeightedTerm[] = [];
  let postings = 0;
  for (const one of (content.length > 0 ? content : known).toSorted((a, b) => a.chunks - b.chunks)) {
    postings += one.chunks;
    if (terms.length > 0 && postings > POSTINGS_MAX) break;
    terms.push({ term: one.word.hash, weight: weighWord(one, partition) });
  }
  return terms;
}

function getAverageLengths({ words, ngrams, chunks, sentences }: Partition): AverageLengths {
  return {
    chunkWords: words / chunks,
    chunkNgrams: ngrams / chunks,
    sentenceWords: words / sentences,
    sentenceNgrams: ngrams / sentences,
  };
}

function keepBestChunks(
  scored: readonly ScoredCandidate[],
  candidates: readonly Candidate[],
): [ScoredCandidate, Candidate][] {
  const best = new Map<string, [ScoredCandidate, Candidate]>();
  for (const one of scored) {
    const candidate = candidates[one.candidate]!;
    if (!best.has(candidate.articleId)) best.set(candidate.articleId, [one, candidate]);
  }
  return [...best.values()];
}

/** Logistic regression, fitted on the dev split of six languages together (bench/retrieval/fit-confidence.ts). */
const CONFIDENCE_WEIGHTS = {
  bias: -4.78,
  score: 1.72,
  gap: 4.64,
  gapToThird: 7.1,
  overRest: 0.97,
  coverage: 4.56,
};

/** Articles below this confidence are not quoted. Keeps 90 of 100 questions that have an answer. */
export const ANSWER_THRESHOLD = 0.35;

export interface ConfidenceInput {
  /** Scores of distinct articles, best first. */
  readonly scores: readonly number[];
  /** Share of the question that one sentence of the best article covers, 0..1. */
  readonly coverage: number;
}

export function getConfidenceInput(found: readonly ArticleMatch[]): ConfidenceInput {
  return { scores: found.map(({ score }) => score), coverage: found[0]?.scored.coverage ?? 0 };
}

/** How good the best article is, and by how much it beats the others. */
export function getFeatures({ scores, coverage }: ConfidenceInput) {
  const best = scores[0] ?? 0;
  const others = scores.slice(1);
  const mean = others.length === 0 ? 0 : others.reduce((sum, score) => sum + score, 0) / others.length;
  return {
    score: best,
    gap: best - (scores[1] ?? 0),
    gapToThird: best - (scores[2] ?? 0),
    overRest: Math.log((best + 0.02) / (mean + 0.02)),
    coverage,
  };
}

/** 0..1 */
function computeConfidence(input: ConfidenceInput): number {
  if (input.scores.length === 0) return 0;
  const values = getFeatures(input);
  let sum = CONFIDENCE_WEIGHTS.bias;
  for (const name of Object.keys(values) as (keyof typeof values)[])
    sum += CONFIDENCE_WEIGHTS[name] * values[name];
  return 1 / (1 + Math.exp(-sum));
}
