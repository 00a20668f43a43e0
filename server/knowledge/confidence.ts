/** Whether the best article answers the question at all. */

/** Fitted on the dev split of six languages together (bench/retrieval): one formula and one threshold for all. */
const weights = { bias: -4.78, score: 1.72, gap: 4.64, gapToThird: 7.1, overRest: 0.97, covered: 4.56 };

/** Kept for 90 of 100 questions that have an answer. */
export const answerThreshold = 0.35;

export interface Evidence {
  /** Scores of different articles, best first. */
  readonly scores: readonly number[];
  /** How much of the question one sentence of the best article speaks of, 0..1. */
  readonly covered: number;
}

/** What the confidence is computed from: how good the best article is, and by how much better than the others. */
export function features({ scores, covered }: Evidence) {
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
export function confidenceOf(evidence: Evidence): number {
  if (evidence.scores.length === 0) return 0;
  const values = features(evidence);
  let sum = weights.bias;
  for (const name of Object.keys(values) as (keyof typeof values)[]) sum += weights[name] * values[name];
  return 1 / (1 + Math.exp(-sum));
}
