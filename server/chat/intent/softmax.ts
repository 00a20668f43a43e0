import { multiply, type PackedVector, unpackVector, type Vector } from '../../base/vector.ts';

/** A multinomial logistic regression over vectors. */
export type Softmax = {
  labels: readonly string[];
  biases: readonly number[];
  /** One for each label. */
  weights: readonly PackedVector[];
};

/** Returns a function that computes the likelihood of each label, 0..1. */
export function openSoftmax({ biases, weights }: Softmax): (vector: Vector) => number[] {
  const unpacked = weights.map(unpackVector);
  return (vector) => {
    const odds = unpacked.map((ofLabel, at) => biases[at]! + multiply(ofLabel, vector));
    const largest = Math.max(...odds);
    const powers = odds.map((x) => Math.exp(x - largest));
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => power / total);
  };
}
