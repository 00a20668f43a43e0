import { closeSync, openSync, readSync } from 'node:fs';

/** The vectors of the pieces, as 4-bit blocks: 54 MB, of which a service needs a few thousand rows. */
export type Table = {
  /** The row of a piece, which the caller must not change. */
  read(piece: number): Uint8Array;
  close(): void;
};

export const ROW_BYTES = 216;
const ROWS_PER_FILE = 125_001;
const FILES = ['table-0.bin', 'table-1.bin'];
const ROWS_CACHED_MAX = 8_192;

/** Reads rows from the files when they are needed, and keeps the last used ones. */
export function openTable(weights: URL): Table {
  const files = FILES.map((name) => openSync(new URL(name, weights), 'r'));
  /** Least recently used first. */
  const cache = new Map<number, Uint8Array>();

  function load(piece: number): Uint8Array {
    const row = new Uint8Array(ROW_BYTES);
    const file = files[Math.floor(piece / ROWS_PER_FILE)]!;
    if (readSync(file, row, 0, ROW_BYTES, (piece % ROWS_PER_FILE) * ROW_BYTES) !== ROW_BYTES) {
      throw new Error('the table of the embedding model ends early');
    }
    return row;
  }

  return {
    read(piece) {
      const row = cache.get(piece) ?? load(piece);
      cache.delete(piece);
      cache.set(piece, row);
      if (cache.size > ROWS_CACHED_MAX) cache.delete(cache.keys().next().value!);
      return row;
    },
    close: () => {
      for (const file of files) closeSync(file);
    },
  };
}
