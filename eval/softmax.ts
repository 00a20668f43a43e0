/** Multinomial logistic regression over vectors. */

export type Row = {
  vector: Float32Array;
  /** Index of the class. */
  label: number;
  /** How many examples the row counts as. */
  weight: number;
};

export type Softmax = { weights: readonly Float64Array[]; biases: Float64Array };

/** Regularization, in examples, of weights of features with a spread of 1. */
const REGULARIZATION = 15;
const ROUNDS = 120;
const POWER_ROUNDS = 20;

/** Fits by accelerated gradient descent, with the features centered and scaled to a spread of 1. */
export function fitSoftmax(rows: readonly Row[], classes: number): Softmax {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const means = addScaled(rows.map(({ vector, weight }) => [vector, weight / total]));
  const spread = Math.sqrt(
    rows.reduce((sum, { vector, weight }) => sum + (weight / total) * getDistance(vector, means), 0) /
      means.length,
  );
  const examples = rows.map(({ vector, label, weight }) => ({
    values: Float64Array.from(vector, (x, at) => (x - means[at]!) / spread),
    label,
    share: weight / total,
  }));
  const step = 1 / (0.5 * Math.max(1, getLargestEigenvalue(examples)) + REGULARIZATION / total);
  const start = (): Softmax => ({
    weights: Array.from({ length: classes }, () => new Float64Array(means.length)),
    biases: new Float64Array(classes),
  });
  let [current, ahead] = [start(), start()];
  let momentum = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    const slopes = getSlopes(ahead, examples);
    const next: Softmax = {
      weights: ahead.weights.map((row, label) =>
        row.map((x, at) => x - step * (slopes.weights[label]![at]! + (REGULARIZATION / total) * x)),
      ),
      biases: ahead.biases.map((x, label) => x - step * slopes.biases[label]!),
    };
    const nextMomentum = (1 + Math.sqrt(1 + 4 * momentum ** 2)) / 2;
    const push = (momentum - 1) / nextMomentum;
    ahead = {
      weights: next.weights.map((row, label) =>
        row.map((x, at) => x + push * (x - current.weights[label]![at]!)),
      ),
      biases: next.biases.map((x, label) => x + push * (x - current.biases[label]!)),
    };
    [current, momentum] = [next, nextMomentum];
  }
  const weights = current.weights.map((row) => row.map((x) => x / spread));
  const biases = current.biases.map((x, label) => x - getProduct(weights[label]!, means));
  return { weights, biases };
}

type Example = { values: Float64Array; label: number; share: number };

function getSlopes({ weights, biases }: Softmax, examples: readonly Example[]): Softmax {
  const slopes = { weights: weights.map((row) => new Float64Array(row.length)), biases: biases.map(() => 0) };
  for (const { values, label, share } of examples) {
    const odds = weights.map((row, of) => biases[of]! + getProduct(row, values));
    for (const [of, likelihood] of toShares(odds).entries()) {
      const error = share * (likelihood - (of === label ? 1 : 0));
      slopes.biases[of]! += error;
      const row = slopes.weights[of]!;
      for (let at = 0; at < row.length; at += 1) row[at]! += error * values[at]!;
    }
  }
  return slopes;
}

function toShares(odds: readonly number[]): number[] {
  const largest = Math.max(...odds);
  const powers = odds.map((x) => Math.exp(x - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Bounds the curvature, and so the step. */
function getLargestEigenvalue(examples: readonly Example[]): number {
  let direction: Float64Array = examples[0]!.values.map(() => 1);
  let length = 1;
  for (let round = 0; round < POWER_ROUNDS; round += 1) {
    const image = addScaled(
      examples.map(({ values, share }) => [values, share * getProduct(values, direction)]),
    );
    length = Math.sqrt(getProduct(image, image));
    direction = image.map((x) => x / length);
  }
  return length;
}

type Numbers = Float32Array | Float64Array;

function addScaled(terms: readonly (readonly [Numbers, number])[]): Float64Array {
  const sum = new Float64Array(terms[0]![0].length);
  for (const [values, factor] of terms)
    for (let at = 0; at < sum.length; at += 1) sum[at]! += factor * values[at]!;
  return sum;
}

function getProduct(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}

/** Returns the squared distance. */
function getDistance(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at]! - b[at]!) ** 2;
  return sum;
}
