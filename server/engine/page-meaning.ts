/** What the vectors of messages and labels say about the part of a page that a visitor wants. */
import fits from './page-fit.json' with { type: 'json' };

type Vector = readonly number[];

/** What `make fit` wrote for an embedding model. */
export type StoredPageFit = {
  /** Whether a message wants a part of the page. */
  readonly wish: { readonly bias: number; readonly weights: PackedVector };
  /** How a message and a label are compared. */
  readonly comparison: StoredComparison;
  /** Whether the label with the best score is wanted. */
  readonly choice: { readonly bias: number; readonly weights: { readonly score: number } };
};

export type StoredComparison = {
  readonly messageMean: PackedVector;
  readonly labelMean: PackedVector;
  /** Directions, orthogonal and of length 1, that say how a message asks and in what language rather than what for. */
  readonly manners: readonly PackedVector[];
};

/** One signed byte per number, in Base64. */
export type PackedVector = { readonly factor: number; readonly numbers: string };

const NUMBER_MAX = 127;

export function packVector(vector: Vector): PackedVector {
  const factor = Number((Math.max(...vector.map(Math.abs)) / NUMBER_MAX).toPrecision(6));
  const numbers = Int8Array.from(vector, (number) => Math.round(number / factor));
  return { factor, numbers: Buffer.from(numbers.buffer).toString('base64') };
}

function unpackVector({ factor, numbers }: PackedVector): Vector {
  return Array.from(new Int8Array(Buffer.from(numbers, 'base64')), (number) => number * factor);
}

export type PageFit = {
  /** Returns the logarithm of the odds that a message wants a part of the page. */
  getWishOdds(message: Vector): number;
  /** Returns a function that computes the cosine of labels with the message, both without their mean and manners. */
  compareWith(message: Vector): (label: Vector) => number;
  /** Returns the likelihood, 0..1, that a label with the best score of its page is wanted. */
  getLikelihood(score: number): number;
};

const opened = new Map<string, PageFit>();

/** Returns undefined for a model without a fit: what its cosines mean is unknown. */
export function findPageFit(model: string): PageFit | undefined {
  const stored = (fits.models as Readonly<Record<string, StoredPageFit>>)[model];
  if (!stored) return undefined;
  const fit = opened.get(model) ?? openPageFit(stored);
  opened.set(model, fit);
  return fit;
}

export function openPageFit({ wish, comparison, choice }: StoredPageFit): PageFit {
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

const multiply = (a: Vector, b: Vector) => a.reduce((sum, number, at) => sum + number * b[at]!, 0);
