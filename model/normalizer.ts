import { readFileSync } from 'node:fs';
import { type Trie, visitPrefixes } from './trie.ts';

/** Applies the rules of sentencepiece's `nmt_nfkc`: NFKC, with control characters dropped and all white space as spaces. */
export type Normalize = (text: string) => Uint8Array;

const UNCHANGED = /^[\x20-\x7e]*$/;

/** The file has the bytes of the trie, the trie, and the replacements, each ending with a zero. */
export function openNormalizer(file: URL): Normalize {
  const content = readFileSync(file);
  const trieEnd = 4 + content.readUInt32LE(0);
  const trie: Trie = new Uint32Array(
    content.buffer.slice(content.byteOffset + 4, content.byteOffset + trieEnd),
  );
  const replacements = content.subarray(trieEnd);
  const encoder = new TextEncoder();

  return (text) => {
    const bytes = encoder.encode(text);
    if (UNCHANGED.test(text)) return bytes;
    const parts: Uint8Array[] = [];
    let unchangedFrom = 0;
    let at = 0;
    while (at < bytes.length) {
      let end = 0;
      let replacement = 0;
      visitPrefixes(trie, bytes, at, bytes.length, (matchEnd, value) => {
        end = matchEnd;
        replacement = value;
      });
      if (end === 0) {
        at += getCharacterBytes(bytes[at]!);
        continue;
      }
      parts.push(bytes.subarray(unchangedFrom, at));
      parts.push(replacements.subarray(replacement, replacements.indexOf(0, replacement)));
      at = end;
      unchangedFrom = end;
    }
    parts.push(bytes.subarray(unchangedFrom));
    return Buffer.concat(parts);
  };
}

/** Length of a character of UTF-8, by its first byte. */
export function getCharacterBytes(firstByte: number): number {
  if (firstByte < 0x80) return 1;
  if (firstByte < 0xe0) return 2;
  return firstByte < 0xf0 ? 3 : 4;
}
