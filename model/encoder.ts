import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { growMemory, type Kernel, openKernel } from './open-kernel.ts';
import { openTable, ROW_BYTES } from './table.ts';

export const DIMENSIONS = 384;
export const TOKENS_MAX = 512;
const LAYERS = 12;

/** Bytes of one row of activations, or of one vector. */
const VECTOR_BYTES = DIMENSIONS * 4;
const ALIGNMENT = 64;

/** A text on its way through the layers. */
export type Run = {
  /** Runs one layer; returns the vector, of length 1, after the last one. */
  step(): Float32Array | undefined;
};

type Encoder = {
  /**
   * Starts a text of up to `TOKENS_MAX` tokens. Each lane holds one text at a time: while the text in one lane waits
   * between two layers, the other lane may run.
   */
  start(tokens: readonly number[], lane: 0 | 1): Run;
  close(): void;
};

export function openEncoder(weights: URL): Encoder {
  const kernel = openKernel();
  const table = openTable(weights);
  const memory = layOutMemory(kernel, new URL('encoder.bin', weights));
  const bytes = new Uint8Array(kernel.memory.buffer);

  function embedTokens(tokens: readonly number[], x: number): void {
    tokens.forEach((token, index) => {
      bytes.set(table.read(token), memory.row);
      kernel.embedToken(memory.row, memory.positions + index * VECTOR_BYTES, x + index * VECTOR_BYTES);
    });
    kernel.normalizeInput(x, tokens.length, memory.inputNorm);
  }

  return {
    start(tokens, lane) {
      const x = memory.lanes[lane];
      embedTokens(tokens, x);
      let layer = 0;
      return {
        step() {
          kernel.runLayer(memory.layers + layer * kernel.getLayerBytes(), x, tokens.length, memory.scratch);
          layer += 1;
          if (layer < LAYERS) return undefined;
          kernel.pool(x, tokens.length, memory.out);
          return new Float32Array(kernel.memory.buffer.slice(memory.out, memory.out + VECTOR_BYTES));
        },
      };
    },
    close: () => table.close(),
  };
}

/** Addresses in the memory of the kernel. */
type Memory = {
  positions: number;
  inputNorm: number;
  layers: number;
  lanes: readonly [number, number];
  row: number;
  out: number;
  scratch: number;
};

/** Reads the encoder into the memory, and places everything else behind it. */
function layOutMemory(kernel: Kernel, encoderFile: URL): Memory {
  const file = openSync(encoderFile, 'r');
  try {
    const { size } = fstatSync(file);
    let end = kernel.getFreeMemory();
    const take = (length: number) => {
      const start = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
      end = start + length;
      return start;
    };
    const positions = take(size);
    const inputNorm = positions + TOKENS_MAX * VECTOR_BYTES;
    const layers = inputNorm + 2 * VECTOR_BYTES;
    if (layers + LAYERS * kernel.getLayerBytes() !== end) {
      throw new Error('the encoder of the embedding model has another size than the kernel expects');
    }
    const memory: Memory = {
      ...{ positions, inputNorm, layers },
      lanes: [take(TOKENS_MAX * VECTOR_BYTES), take(TOKENS_MAX * VECTOR_BYTES)],
      row: take(ROW_BYTES),
      out: take(VECTOR_BYTES),
      scratch: take(kernel.getScratchBytes(TOKENS_MAX)),
    };
    growMemory(kernel, end);
    readSync(file, new Uint8Array(kernel.memory.buffer), positions, size, 0);
    return memory;
  } finally {
    closeSync(file);
  }
}
