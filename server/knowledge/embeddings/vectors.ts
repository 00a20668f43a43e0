import { multiplyBytes } from 'guidepost-model';

/**
 * Vectors as one signed byte per number: a quarter of the size, with nearly the same results. Each
 * vector starts with the factor that its numbers were divided by (32 bits).
 */

const FACTOR_BYTES = 4;
const NUMBER_MAX = 127;

export const getVectorBytes = (dimensions: number) => FACTOR_BYTES + dimensions;

/** Scales each vector to length 1 and encodes them one after the other. */
export function encodeVectors(vectors: readonly (readonly number[])[]): Uint8Array {
  const dimensions = vectors[0]?.length ?? 0;
  const bytes = new Uint8Array(vectors.length * getVectorBytes(dimensions));
  const view = new DataView(bytes.buffer);
  vectors.forEach((vector, index) => {
    const start = index * getVectorBytes(dimensions);
    const length = Math.hypot(...vector) || 1;
    const largest = vector.reduce((max, number) => Math.max(max, Math.abs(number)), 0) / length;
    const factor = largest / NUMBER_MAX || 1;
    view.setFloat32(start, factor, true);
    vector.forEach((number, at) => {
      view.setInt8(start + FACTOR_BYTES + at, Math.round(number / length / factor));
    });
  });
  return bytes;
}

/** Vectors of equal length in one piece of memory. */
export type VectorBlock = {
  dimensions: number;
  factors: Float32Array;
  numbers: Int8Array;
};

/** Joins what `encodeVectors` returned for several texts. */
export function joinVectors(encoded: readonly Uint8Array[], dimensions: number): VectorBlock {
  const size = getVectorBytes(dimensions);
  const count = encoded.reduce((sum, { byteLength }) => sum + Math.floor(byteLength / size), 0);
  const factors = new Float32Array(count);
  const numbers = new Int8Array(count * dimensions);
  let index = 0;
  for (const bytes of encoded) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let start = 0; start + size <= bytes.byteLength; start += size) {
      factors[index] = view.getFloat32(start, true);
      numbers.set(
        new Int8Array(bytes.buffer, bytes.byteOffset + start + FACTOR_BYTES, dimensions),
        index * dimensions,
      );
      index += 1;
    }
  }
  return { dimensions, factors, numbers };
}

/** Returns the cosine of the first vector of `query` with each vector of the block. */
export function compareVectors(
  { numbers: query, factors: [queryFactor] }: VectorBlock,
  { factors, numbers }: VectorBlock,
): Float32Array {
  const products = multiplyBytes(query, numbers);
  return factors.map((factor, index) => products[index]! * queryFactor! * factor);
}
