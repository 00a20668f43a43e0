import type { Alternative } from './dictionary.ts';

/** Words with their alternatives, in the form in which they are stored: arrays in one block of bytes. */
export type WordTable = {
  readonly words: number;
  readonly bytes: number;
  lookUp(word: number): readonly Alternative[];
};

export type WordEntry = { readonly word: number; readonly alternatives: readonly Alternative[] };

const HEADER_BYTES = 8;
const WEIGHT_MAX = 65_535;
const NOTHING: readonly Alternative[] = [];

/**
 * Layout: number of words, number of alternatives, words in ascending order, the end of each word's
 * alternatives, their hashes, their weights in 1/65,535.
 */
export function encodeWordTable(entries: readonly WordEntry[]): Uint8Array {
  const sorted = entries.toSorted((a, b) => a.word - b.word);
  const count = sorted.reduce((sum, { alternatives }) => sum + alternatives.length, 0);
  const content = new Uint8Array(HEADER_BYTES + sorted.length * 8 + count * 6);
  new Int32Array(content.buffer, 0, 2).set([sorted.length, count]);
  const { words, ends, hashes, weights } = toArrays(content);
  let end = 0;
  for (const [at, { word, alternatives }] of sorted.entries()) {
    for (const { hash, weight } of alternatives) {
      hashes[end] = hash;
      weights[end] = Math.floor(weight * WEIGHT_MAX);
      end += 1;
    }
    words[at] = word;
    ends[at] = end;
  }
  return content;
}

export function decodeWordTable(content: Uint8Array): WordTable {
  // The arrays need an aligned start.
  const { words, ends, hashes, weights } = toArrays(content.byteOffset % 4 === 0 ? content : content.slice());
  return {
    words: words.length,
    bytes: content.byteLength,
    lookUp(word) {
      const at = findIndex(words, word);
      if (at === undefined) return NOTHING;
      const alternatives: Alternative[] = [];
      for (let entry = at === 0 ? 0 : ends[at - 1]!; entry < ends[at]!; entry += 1) {
        alternatives.push({ hash: hashes[entry]!, weight: weights[entry]! / WEIGHT_MAX });
      }
      return alternatives;
    },
  };
}

function toArrays({ buffer, byteOffset }: Uint8Array) {
  const [wordCount, count] = new Int32Array(buffer, byteOffset, 2) as unknown as [number, number];
  const start = byteOffset + HEADER_BYTES;
  return {
    words: new Int32Array(buffer, start, wordCount),
    ends: new Int32Array(buffer, start + wordCount * 4, wordCount),
    hashes: new Int32Array(buffer, start + wordCount * 8, count),
    weights: new Uint16Array(buffer, start + wordCount * 8 + count * 4, count),
  };
}

function findIndex(sorted: Int32Array, value: number): number | undefined {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sorted[middle]!;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
