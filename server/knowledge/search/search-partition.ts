import type { Candidate, Partition, Passages, WeightedTerm } from '../../storage/passages.ts';
import { decodeNormalized, type Folded } from './chunks.ts';
import { getQueryWords, type QueryWord } from './match.ts';
import { rank, rarity, type Scale, type Scored } from './rank.ts';

/** Searches one workspace in one locale: which words are worth asking for, the candidates, their ranking. */

/** An article as it was found in one locale, by its best window. */
export interface Found {
  readonly articleId: string;
  readonly locale: string;
  readonly passageId: number;
  readonly score: number;
  readonly window: Folded;
  readonly ordinal: number;
  readonly scored: Scored;
  readonly scale: Scale;
}

export interface PartitionSearch {
  /** One entry an article, best first. */
  readonly found: readonly Found[];
  /** Whether the first one answers the question, 0..1. */
  readonly confidence: number;
}

/** The question's words in one partition, each with the number of windows that hold it. */
export interface PartitionQuery {
  readonly partition: Partition;
  readonly words: readonly { readonly word: QueryWord; readonly chunks: number }[];
  /** The part of the question that the partition knows at all, by the words' worth, 0..1. */
  readonly known: number;
}

/** More words than these are a story; its rarest words stand for it. */
const wordsMax = 32;
const candidatesMax = 50;
/** Words in a larger part of the windows choose no candidates while there are others. */
const tellingPart = 0.25;
/** A question of words that all stand in a larger part of the windows asks for nothing. */
const askingPart = 0.5;
const fewWindows = 4;
/** A question that repeats a whole label reaches about 0.75. */
const namedLabelMin = 0.65;
/** How many entries of the word index one search may read: what bounds its time in a large partition. */
const postingsBudget = 30_000;

/** Questions may be thousands of characters; this many are read. */
const questionCharactersMax = 4_000;

export async function prepareQueries(
  passages: Passages,
  question: string,
  partitions: readonly Partition[],
): Promise<PartitionQuery[]> {
  const read = question.slice(0, questionCharactersMax);
  const known: PartitionQuery[] = [];
  for (const partition of partitions) {
    const asked = getQueryWords(read, partition.locale);
    const counts = new Map<number, number>();
    const hashes = asked.map((word) => word.hash);
    for (const { term, chunks } of await passages.termCounts(partition.locale, hashes)) {
      counts.set(term, chunks);
    }
    const words = asked.map((word) => ({ word, chunks: counts.get(word.hash) ?? 0 }));
    known.push({ partition, words: rarestOf(words), known: partKnown(words, partition) });
  }
  return known;
}

function rarestOf(words: PartitionQuery['words']): PartitionQuery['words'] {
  if (words.length <= wordsMax) return words;
  return words
    .filter(({ chunks }) => chunks > 0)
    .sort((a, b) => a.chunks - b.chunks)
    .slice(0, wordsMax);
}

function partKnown(words: PartitionQuery['words'], partition: Partition): number {
  let all = 0;
  let known = 0;
  for (const { chunks } of words) {
    const worth = rarity(partition.chunks, chunks);
    all += worth;
    if (chunks > 0) known += worth;
  }
  return all === 0 ? 0 : known / all;
}

export async function searchPartition(
  passages: Passages,
  { partition, words }: PartitionQuery,
): Promise<PartitionSearch> {
  const telling = words.filter(({ chunks }) => standsIn(chunks, partition, tellingPart));
  const terms = withinBudget(telling.length > 0 ? telling : words, partition);
  const candidates = await passages.candidates(partition.locale, terms, candidatesMax);
  const chunks = candidates.map((candidate) => decodeNormalized(candidate.normalized));
  const asked = words.map(({ word, chunks: count }) => ({ word, rarity: worthOf(word, count, partition) }));
  const ranking = rank(
    asked,
    candidates.map((candidate, at) => ({ window: chunks[at]!, titles: decodeNormalized(candidate.titles) })),
    usualOf(partition),
  );
  const found = bestWindows(ranking.scored, candidates).map(
    ([scored, candidate]): Found => ({
      articleId: candidate.articleId,
      locale: partition.locale,
      passageId: candidate.passageId,
      score: scored.score,
      window: chunks[scored.candidate]!,
      ordinal: candidate.ordinal,
      scored,
      scale: ranking.scale,
    }),
  );
  const asks = words.some(({ chunks: count }) => standsIn(count, partition, askingPart)) || isNamed(found);
  return { found, confidence: asks ? computeConfidence(getConfidenceInput(found)) : 0 };
}

/** What speaks for the first of the articles. */
export function getConfidenceInput(found: readonly Found[]): ConfidenceInput {
  return { scores: found.map(({ score }) => score), covered: found[0]?.scored.covered ?? 0 };
}

/** Whether a word is known, and in no more than this part of the windows; in a handful of articles any word may be. */
function standsIn(count: number, { chunks }: Partition, part: number): boolean {
  return count > 0 && count <= Math.max(chunks * part, fewWindows);
}

/** Whether the question is the first article's title or alias: then it may consist of common words. */
function isNamed(found: readonly Found[]): boolean {
  return (found[0]?.scored.label ?? 0) > namedLabelMin;
}

/** A few articles don't know all the small words of a language, so that being unknown to them says little. */
function worthOf(word: QueryWord, count: number, { chunks }: Partition): number {
  const trust = count > 0 || !word.short ? 1 : chunks / (chunks + 30);
  return trust * rarity(chunks, count);
}

/** Rarest first, while the budget lasts; one in any case. */
function withinBudget(words: PartitionQuery['words'], { chunks }: Partition): WeightedTerm[] {
  const terms: WeightedTerm[] = [];
  let postings = 0;
  for (const { word, chunks: count } of words.toSorted((a, b) => a.chunks - b.chunks)) {
    postings += count;
    if (count === 0) continue;
    if (terms.length > 0 && postings > postingsBudget) break;
    terms.push({ term: word.hash, weight: rarity(chunks, count) });
  }
  return terms;
}

function usualOf(partition: Partition) {
  return {
    windowWords: partition.words / partition.chunks,
    windowGrams: partition.ngrams / partition.chunks,
    sentenceWords: partition.words / partition.sentences,
    sentenceGrams: partition.ngrams / partition.sentences,
  };
}

function bestWindows(scored: readonly Scored[], candidates: readonly Candidate[]): [Scored, Candidate][] {
  const best = new Map<string, [Scored, Candidate]>();
  for (const one of scored) {
    const candidate = candidates[one.candidate]!;
    if (!best.has(candidate.articleId)) best.set(candidate.articleId, [one, candidate]);
  }
  return [...best.values()];
}

/** Whether the best article answers the question at all. */

/** Fitted on the dev split of six languages together (bench/retrieval): one formula and one threshold for all. */
const weights = { bias: -4.78, score: 1.72, gap: 4.64, gapToThird: 7.1, overRest: 0.97, covered: 4.56 };

/** Kept for 90 of 100 questions that have an answer. */
export const ANSWER_THRESHOLD = 0.35;

export interface ConfidenceInput {
  /** Scores of different articles, best first. */
  readonly scores: readonly number[];
  /** How much of the question one sentence of the best article speaks of, 0..1. */
  readonly covered: number;
}

/** What the confidence is computed from: how good the best article is, and by how much better than the others. */
export function getFeatures({ scores, covered }: ConfidenceInput) {
  const best = scores[0] ?? 0;
  const others = scores.slice(1);
  const mean = others.length === 0 ? 0 : others.reduce((sum, score) => sum + score, 0) / others.length;
  return {
    score: best,
    gap: best - (scores[1] ?? 0),
    gapToThird: best - (scores[2] ?? 0),
    overRest: Math.log((best + 0.02) / (mean + 0.02)),
    covered,
  };
}

/** 0..1; from `answerThreshold` on, the article is worth quoting. */
export function computeConfidence(evidence: ConfidenceInput): number {
  if (evidence.scores.length === 0) return 0;
  const values = getFeatures(evidence);
  let sum = weights.bias;
  for (const name of Object.keys(values) as (keyof typeof values)[]) sum += weights[name] * values[name];
  return 1 / (1 + Math.exp(-sum));
}
