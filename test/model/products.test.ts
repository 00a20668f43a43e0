import { multiplyBytes } from 'guidepost-model';
import { expect, it } from 'vitest';

/** Numbers that look random, from -127 to 127. */
const makeBytes = (length: number, seed: number) =>
  Int8Array.from({ length }, (_, index) => (((index + seed) * 7919) % 255) - 127);

function multiplySlowly(query: Int8Array, vectors: Int8Array): number[] {
  return Array.from({ length: vectors.length / query.length }, (_, index) =>
    query.reduce((sum, number, at) => sum + number * vectors[index * query.length + at]!, 0),
  );
}

it.each([
  { dimensions: 384, count: 2_000, of: 'several batches' },
  { dimensions: 100, count: 3, of: 'a length that is no multiple of 16' },
  { dimensions: 7, count: 5, of: 'a length below 16' },
  { dimensions: 16_384, count: 40, of: 'the longest vectors' },
  { dimensions: 384, count: 0, of: 'no vectors' },
])('multiplies vectors of bytes: $of', ({ dimensions, count }) => {
  const [query, vectors] = [makeBytes(dimensions, 3), makeBytes(dimensions * count, 11)];
  expect([...multiplyBytes(query, vectors)]).toStrictEqual(multiplySlowly(query, vectors));
});
