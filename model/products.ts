import { growMemory, openKernel } from './open-kernel.ts';

/** Vectors are multiplied in batches of about this many bytes, which stay in the cache of the processor. */
const BATCH_BYTES = 256 * 1024;
const NUMBER_BYTES = 4;

/** Multiplies the query with each of the vectors, whose numbers lie behind each other. Five times as fast as JavaScript. */
type MultiplyBytes = (query: Int8Array, vectors: Int8Array) => Int32Array;

let opened: MultiplyBytes | undefined;

export const multiplyBytes: MultiplyBytes = (query, vectors) => {
  opened ??= openProducts();
  return opened(query, vectors);
};

function openProducts(): MultiplyBytes {
  const kernel = openKernel();
  return (query, vectors) => {
    const dimensions = query.length;
    const count = Math.floor(vectors.length / dimensions);
    const batch = Math.max(1, Math.min(count, Math.floor(BATCH_BYTES / dimensions)));
    const out = kernel.getFreeMemory();
    const queryAt = out + batch * NUMBER_BYTES;
    const vectorsAt = queryAt + dimensions;
    growMemory(kernel, vectorsAt + batch * dimensions);
    const memory = new Int8Array(kernel.memory.buffer);
    memory.set(query, queryAt);
    const products = new Int32Array(count);
    for (let from = 0; from < count; from += batch) {
      const size = Math.min(batch, count - from);
      memory.set(vectors.subarray(from * dimensions, (from + size) * dimensions), vectorsAt);
      kernel.multiplyBytes(queryAt, vectorsAt, size, dimensions, out);
      products.set(new Int32Array(kernel.memory.buffer, out, size), from);
    }
    return products;
  };
}
