import { readFileSync } from 'node:fs';
import { getCharacterBytes, type Normalize, openNormalizer } from './normalizer.ts';
import { type Trie, visitPrefixes } from './trie.ts';

/** Splits text into pieces of the vocabulary like sentencepiece: at most `limit` of them. */
type Tokenize = (text: string, limit: number) => number[];

export const START = 0;
export const END = 2;
const UNKNOWN = 3;
const SPACE = 0x20;
/** U+2581, which stands for the space before a word. */
const WORD_START = [0xe2, 0x96, 0x81];

type Vocabulary = { trie: Trie; scores: Float32Array };

export function openTokenizer(weights: URL): Tokenize {
  const normalize = openNormalizer(new URL('charsmap.bin', weights));
  const segment = createSegmenter(readVocabulary(new URL('vocabulary.bin', weights)));
  return (text, limit) => {
    const tokens: number[] = [];
    for (const word of listWords(text, normalize)) {
      segment(word, tokens);
      if (tokens.length >= limit) break;
    }
    return tokens.slice(0, limit);
  };
}

/** The file has the number of units of the trie, the trie, and the scores of all pieces. */
function readVocabulary(file: URL): Vocabulary {
  const { buffer, byteOffset } = readFileSync(file);
  const units = new DataView(buffer, byteOffset).getUint32(0, true);
  const trie = new Uint32Array(buffer, byteOffset + 4, units);
  return { trie, scores: new Float32Array(buffer, trie.byteOffset + trie.byteLength) };
}

/** No piece has a space inside, so each word can be split on its own. */
function* listWords(text: string, normalize: Normalize): Generator<Uint8Array> {
  const bytes = normalize(text);
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] === SPACE) {
      at += 1;
      continue;
    }
    const space = bytes.indexOf(SPACE, at);
    const end = space < 0 ? bytes.length : space;
    const word = new Uint8Array(WORD_START.length + end - at);
    word.set(WORD_START);
    word.set(bytes.subarray(at, end), WORD_START.length);
    yield word;
    at = end;
  }
}

/** Finds the pieces with the largest sum of scores (Viterbi). Characters in a row that no piece has are one unknown token. */
function createSegmenter({ trie, scores }: Vocabulary) {
  return (word: Uint8Array, tokens: number[]): void => {
    const length = word.length;
    const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const pieces = new Int32Array(length + 1);
    const starts = new Int32Array(length + 1);
    best[0] = 0;
    let start = 0;
    let hasCharacter = false;
    let characterEnd = 0;

    const offer = (end: number, piece: number) => {
      if (end === characterEnd) hasCharacter = true;
      const score = best[start]! + scores[piece]!;
      if (score <= best[end]!) return;
      best[end] = score;
      pieces[end] = piece;
      starts[end] = start;
    };
    while (start < length) {
      hasCharacter = false;
      characterEnd = start + getCharacterBytes(word[start]!);
      visitPrefixes(trie, word, start, length, offer);
      if (!hasCharacter) offer(characterEnd, UNKNOWN);
      start = characterEnd;
    }

    const found: number[] = [];
    for (let end = length; end > 0; end = starts[end]!) {
      if (pieces[end] !== UNKNOWN || found.at(-1) !== UNKNOWN) found.push(pieces[end]!);
    }
    for (let index = found.length - 1; index >= 0; index -= 1) tokens.push(found[index]!);
  };
}
