/** Logistic regression with few features. */

export type Row = {
  features: Readonly<Record<string, number>>;
  isTrue: boolean;
  /** How many examples the row counts as; 1 by default. */
  weight?: number;
};

export type Regression = { bias: number; weights: Readonly<Record<string, number>> };

/** Regularization, in examples: keeps weights small where data is scarce. */
const REGULARIZATION = 2;
const ROUNDS = 12;
const DIGITS = 3;

/** Fits by Newton's method, with the features scaled to the same spread. */
export function fitRegression(rows: readonly Row[]): Regression {
  const names = Object.keys(rows[0]!.features);
  const columns = names.map((name) => rows.map(({ features }) => features[name]!));
  const means = columns.map(getMean);
  const spreads = columns.map(
    (column, at) => Math.sqrt(getMean(column.map((x) => (x - means[at]!) ** 2))) || 1,
  );
  const examples = rows.map(({ features, isTrue, weight = 1 }) => ({
    // The feature of the bias is always 1.
    values: [...names.map((name, at) => (features[name]! - means[at]!) / spreads[at]!), 1],
    isTrue,
    weight,
  }));
  let weights = [...names.map(() => 0), 0];
  for (let round = 0; round < ROUNDS; round += 1) weights = improve(weights, examples);
  const raw = names.map((_, at) => weights[at]! / spreads[at]!);
  const bias = raw.reduce((sum, weight, at) => sum - weight * means[at]!, weights.at(-1)!);
  return {
    bias: round(bias),
    weights: Object.fromEntries(names.map((name, at) => [name, round(raw[at]!)])),
  };
}

export function predict({ bias, weights }: Regression, features: Row['features']): number {
  return toShare(
    Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * features[name]!, bias),
  );
}

type Example = { values: readonly number[]; isTrue: boolean; weight: number };

/** Makes one step; the last weight is the bias, which is not regularized. */
function improve(weights: readonly number[], examples: readonly Example[]): number[] {
  const last = weights.length - 1;
  const slopes = weights.map((weight, at) => (at < last ? REGULARIZATION * weight : 0));
  const curvature = weights.map((_, at) =>
    weights.map((__, other) => (at === other && at < last ? REGULARIZATION : 0)),
  );
  for (const { values, isTrue, weight } of examples) {
    const share = toShare(values.reduce((sum, x, at) => sum + x * weights[at]!, 0));
    const error = weight * (share - (isTrue ? 1 : 0));
    for (const [at, x] of values.entries()) {
      slopes[at]! += error * x;
      for (const [other, y] of values.entries())
        curvature[at]![other]! += weight * share * (1 - share) * x * y;
    }
  }
  const step = solve(curvature, slopes);
  return weights.map((weight, at) => weight - step[at]!);
}

/** Solves linear equations with a positive definite matrix. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, values[at]!]);
  for (const [at, pivot] of rows.entries()) {
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const factor = row[at]! / pivot[at]!;
      for (let column = at; column < row.length; column += 1) row[column]! -= factor * pivot[column]!;
    }
  }
  return rows.map((row, at) => row.at(-1)! / row[at]!);
}

const toShare = (odds: number) => 1 / (1 + Math.exp(-odds));
const getMean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
const round = (value: number) => Number(value.toFixed(DIGITS));
