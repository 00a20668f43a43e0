/** Computes the likelihood that the best article answers the question. */
import { measureCoverage } from './match.ts';
import type { ArticleMatch } from './search-partition.ts';

/** Chosen by hand, near what bench/retrieval/fit-confidence.ts prints; docs/retrieval.md compares the two. */
const WEIGHTS: Readonly<Record<keyof Features, number>> = {
  title: 1.57,
  score: 4.99,
  lead: 6.28,
  gapToThird: 0.9,
  content: 1.32,
  information: 0.65,
  size: -0.28,
};
const BIAS = -5.67;

/** Articles below this confidence are not quoted. */
export const ANSWER_THRESHOLD = 0.4;
/** Articles below this confidence are not offered as choices. */
export const LIKELY_THRESHOLD = 0.2;

/** Features that distinguish right answers from wrong ones, in workspaces and languages of every kind. */
export type Features = {
  /** Share of the question, 0..1, that the title contains. */
  readonly title: number;
  readonly score: number;
  /** The margin of the best article over the second. */
  readonly lead: number;
  /** The margin of the best article over the third, as a share of its score. */
  readonly gapToThird: number;
  /** Logarithm of the number of content words in the question. */
  readonly content: number;
  /** Logarithm of the weight of the question's words that the best article contains. */
  readonly information: number;
  /** Logarithm of the number of chunks in the partition. */
  readonly size: number;
};

/** Returns undefined when the question has no content words, so that no article can answer it. */
export function getFeatures(matches: readonly ArticleMatch[]): Features | undefined {
  const best = matches[0];
  if (!best) return undefined;
  const { words, partition } = best.partitionQuery;
  const content = words.filter(({ isFunction }) => !isFunction).length;
  if (content === 0 && best.scored.titleScore < TITLE_MATCH_MIN) return undefined;
  const coverage = measureCoverage(best.scored, best.query);
  return {
    title: coverage.title,
    score: best.score,
    lead: best.score - (matches[1]?.score ?? 0),
    gapToThird: 1 - (matches[2]?.score ?? 0) / best.score,
    content: Math.log1p(content),
    information: Math.log1p(coverage.chunk * best.query.wordsWeight),
    size: Math.log(partition.chunks),
  };
}

/** Title score from which a question of function words alone can be answered, since it may be a title. */
const TITLE_MATCH_MIN = 0.65;

/** Returns the likelihood that the first article answers the question, 0..1. */
export function computeConfidence(matches: readonly ArticleMatch[]): number {
  const features = getFeatures(matches);
  if (!features) return 0;
  let sum = BIAS;
  for (const name of Object.keys(WEIGHTS) as (keyof Features)[]) sum += WEIGHTS[name] * features[name];
  return 1 / (1 + Math.exp(-sum));
}
