export type Vector = readonly number[];

/** Returns the product of two vectors of equal length: their cosine, if both have length 1. */
export const multiply = (a: Vector, b: Vector): number =>
  a.reduce((sum, number, at) => sum + number * b[at]!, 0);

/** One signed byte per number, in Base64. */
export type PackedVector = { factor: number; numbers: string };

const NUMBER_MAX = 127;

export function packVector(vector: Vector): PackedVector {
  const factor = Number((Math.max(...vector.map(Math.abs)) / NUMBER_MAX).toPrecision(6));
  const numbers = Int8Array.from(vector, (number) => Math.round(number / factor));
  return { factor, numbers: Buffer.from(numbers.buffer).toString('base64') };
}

export function unpackVector({ factor, numbers }: PackedVector): Vector {
  return Array.from(new Int8Array(Buffer.from(numbers, 'base64')), (number) => number * factor);
}
