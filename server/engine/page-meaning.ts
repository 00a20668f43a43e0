/** What the vectors of messages and labels say about the part of a page that a visitor wants. */
import { identity, memoize } from '../base/cache.ts';
import { multiply, type PackedVector, unpackVector, type Vector } from '../base/vector.ts';
import fits from './page-fit.json' with { type: 'json' };

/** What `make fit` wrote for an embedding model. */
export type StoredPageFit = {
  /** Whether a message wants a part of the page. */
  wish: { bias: number; weights: PackedVector };
  /** How a message and a label are compared. */
  comparison: StoredComparison;
  /** Whether the label with the best score is wanted. */
  choice: { bias: number; weights: { score: number } };
};

export type StoredComparison = {
  messageMean: PackedVector;
  labelMean: PackedVector;
  /** Directions, orthogonal and of length 1, that say how a message asks and in what language rather than what for. */
  manners: readonly PackedVector[];
};

export type PageFit = {
  /** Returns the logarithm of the odds that a message wants a part of the page. */
  getWishOdds(message: Vector): number;
  /** Returns a function that computes the cosine of labels with the message, both without their mean and manners. */
  compareWith(message: Vector): (label: Vector) => number;
  /** Returns the likelihood, 0..1, that a label with the best score of its page is wanted. */
  getLikelihood(score: number): number;
};

/** Returns undefined for a model without a fit: what its cosines mean is unknown. */
export const findPageFit = memoize((model: string): PageFit | undefined => {
  const stored = (fits.models as Readonly<Record<string, StoredPageFit>>)[model];
  return stored && openPageFit(stored);
}, identity);

function openPageFit({ wish, comparison, choice }: StoredPageFit): PageFit {
  const weights = unpackVector(wish.weights);
  return {
    getWishOdds: (message) => multiply(weights, message) + wish.bias,
    compareWith: openComparison(comparison),
    getLikelihood: (score) => 1 / (1 + Math.exp(-(choice.bias + choice.weights.score * score))),
  };
}

export function openComparison(stored: StoredComparison): PageFit['compareWith'] {
  const [messageMean, labelMean] = [unpackVector(stored.messageMean), unpackVector(stored.labelMean)];
  const manners = stored.manners.map(unpackVector);
  return (message) => {
    const wanted = reduce(message, messageMean, manners);
    return (label) => multiply(wanted, reduce(label, labelMean, manners));
  };
}

/** Subtracts the mean and the part in the directions, and scales to length 1. */
function reduce(vector: Vector, mean: Vector, directions: readonly Vector[]): Vector {
  let rest: Vector = vector.map((number, at) => number - mean[at]!);
  for (const direction of directions) {
    const share = multiply(rest, direction);
    rest = rest.map((number, at) => number - share * direction[at]!);
  }
  const length = Math.hypot(...rest) || 1;
  return rest.map((number) => number / length);
}
