/** A trie as a double array, in the units that derive/double_array.py describes. */
export type Trie = Uint32Array;

/** The highest bit marks a leaf, which is found by its offset only and never by a byte. */
const LEAF = 0x8000_0000;
const LABEL = LEAF | 0xff;
const ENDS_KEY = 1 << 8;

/** Bit 9 tells that the offset is larger than its bits, by a factor of 256. */
const getOffset = (unit: number) => (unit >>> 10) << ((unit & (1 << 9)) >>> 6);

/** Calls back for each key that the bytes from `start` begin with, shortest first. */
export function visitPrefixes(
  trie: Trie,
  bytes: Uint8Array,
  start: number,
  end: number,
  visit: (end: number, value: number) => void,
): void {
  let node = getOffset(trie[0]!);
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!;
    node ^= byte;
    const unit = trie[node]!;
    if ((unit & LABEL) !== byte) return;
    node ^= getOffset(unit);
    if (unit & ENDS_KEY) visit(at + 1, trie[node]! & ~LEAF);
  }
}
