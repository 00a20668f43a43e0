/** A multinomial logistic regression over vectors, encoded in a few kilobytes. */
export type EncodedRegression = {
  readonly labels: readonly string[];
  readonly biases: readonly number[];
  /** The unit of each label's weights. */
  readonly units: readonly number[];
  /** Signed bytes in base64, one row per label. */
  readonly weights: string;
};

/** Returns the likelihood of each label, 0..1. */
export function computeShares(
  { biases, units, weights }: EncodedRegression,
  vector: readonly number[],
): number[] {
  const bytes = Buffer.from(weights, 'base64');
  const odds = biases.map((bias, label) => {
    let sum = 0;
    for (const [at, x] of vector.entries()) sum += x * bytes.readInt8(label * vector.length + at);
    return bias + units[label]! * sum;
  });
  const largest = Math.max(...odds);
  const powers = odds.map((x) => Math.exp(x - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
