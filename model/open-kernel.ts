import { readFileSync } from 'node:fs';

/** What kernel/kernel.ts exports; numbers are addresses unless they are counts. */
export type Kernel = {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  getFreeMemory(): number;
  getLayerBytes(): number;
  getScratchBytes(tokens: number): number;
  embedToken(row: number, position: number, x: number): void;
  normalizeInput(x: number, tokens: number, weights: number): void;
  runLayer(layer: number, x: number, tokens: number, scratch: number): void;
  pool(x: number, tokens: number, out: number): void;
  multiplyBytes(query: number, vectors: number, count: number, dimensions: number, out: number): void;
};

const PAGE_BYTES = 65_536;

/** TypeScript has the types of this only with those of a browser. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

/** Opens the kernel with a memory of its own. */
export function openKernel(): Kernel {
  const module = new WebAssembly.Module(readFileSync(new URL('kernel.wasm', getFolder())));
  return new WebAssembly.Instance(module).exports as Kernel;
}

/** Lets the memory end at this address or behind it; buffers that were taken before are then empty. */
export function growMemory({ memory }: Kernel, end: number): void {
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
}

/** The folder of this package; this file itself may be part of a bundle. */
export function getFolder(): string {
  return import.meta.resolve('guidepost-model/package.json');
}
