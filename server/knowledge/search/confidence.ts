/** How likely it is that the best article answers the question. */
import { measureCoverage } from './coverage.ts';
import type { ArticleMatch } from './search-partition.ts';

/**
 * Logistic regression (bench/retrieval/fit-confidence.ts), fitted on whole questions, short ones,
 * paraphrases, near misses and other subjects, over 4 to 276 articles in several languages.
 */
const WEIGHTS: Readonly<Record<keyof Features, number>> = {
  title: 1.45,
  score: 6.43,
  gap: 2.61,
  gapToThird: 0.93,
  content: 1.34,
  information: 0.76,
  size: -0.3,
};
const BIAS = -6.47;

/** Articles below this confidence are not quoted. */
export const ANSWER_THRESHOLD = 0.45;
/** Articles below this confidence are not offered as choices. */
export const LIKELY_THRESHOLD = 0.15;

/** What tells right answers from wrong ones, in workspaces and languages of every kind. */
export type Features = {
  /** Share of the question, 0..1, that the title contains. */
  readonly title: number;
  readonly score: number;
  /** By how much the best article beats the second and the third, as shares of its score. */
  readonly gap: number;
  readonly gapToThird: number;
  /** Logarithm of the number of content words. */
  readonly content: number;
  /** Logarithm of the weight of what the best article contains of the question. */
  readonly information: number;
  /** Logarithm of the number of chunks. */
  readonly size: number;
};

/** @returns undefined where the question has no content, so that nothing can answer it */
export function getFeatures(found: readonly ArticleMatch[]): Features | undefined {
  const best = found[0];
  if (!best) return undefined;
  const { words, partition } = best.asked;
  const content = words.filter(({ isFunction }) => !isFunction).length;
  if (content === 0 && best.scored.titleScore < TITLE_MATCH_MIN) return undefined;
  const coverage = measureCoverage(best.scored, best.query);
  const getGap = (at: number) => 1 - (found[at]?.score ?? 0) / best.score;
  return {
    title: coverage.title,
    score: best.score,
    gap: getGap(1),
    gapToThird: getGap(2),
    content: Math.log1p(content),
    information: Math.log1p(coverage.chunk * best.query.wordsWeight),
    size: Math.log(partition.chunks),
  };
}

/** A question of function words alone may still be a title. */
const TITLE_MATCH_MIN = 0.65;

/** 0..1 */
export function computeConfidence(found: readonly ArticleMatch[]): number {
  const features = getFeatures(found);
  if (!features) return 0;
  let sum = BIAS;
  for (const name of Object.keys(WEIGHTS) as (keyof Features)[]) sum += WEIGHTS[name] * features[name];
  return 1 / (1 + Math.exp(-sum));
}
