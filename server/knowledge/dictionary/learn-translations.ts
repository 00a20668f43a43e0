import { type Alternative, selectBest, type WordEntry } from './dictionary.ts';

/** The translations of words in both directions, estimated by IBM Model 1. */
export type LearnedPair = {
  leftToRight: readonly WordEntry[];
  rightToLeft: readonly WordEntry[];
};

const SCORE_MIN = 0.03;

type Scored = { left: number; right: number; score: number };

/** @param wordsMax how many words to keep per direction, the most frequent ones */
export function learnTranslations({ left, right }: SentencePairs, wordsMax: number): LearnedPair {
  const [leftSide, rightSide] = [left.toSide(), right.toSide()];
  const scored = symmetrize(
    estimate(leftSide, rightSide),
    estimate(rightSide, leftSide),
    rightSide.vocabulary,
  );
  const toEntries = (side: Side, hashes: readonly number[], others: readonly number[], swap: boolean) => {
    const byWord = new Map<number, Alternative[]>();
    for (const pair of scored) {
      const [word, other] = swap ? [pair.right, pair.left] : [pair.left, pair.right];
      const alternative = { hash: others[other]!, weight: pair.score };
      const alternatives = byWord.get(word);
      if (alternatives) alternatives.push(alternative);
      else byWord.set(word, [alternative]);
    }
    return selectFrequent([...byWord.keys()], side, wordsMax).map((word) => ({
      word: hashes[word]!,
      alternatives: selectBest(byWord.get(word)!),
    }));
  };
  return {
    leftToRight: toEntries(leftSide, left.hashes, right.hashes, false),
    rightToLeft: toEntries(rightSide, right.hashes, left.hashes, true),
  };
}

/** Combines both directions as sqrt(p(right | left) * p(left | right)), which is high only if both agree. */
function symmetrize(forward: Probabilities, backward: Probabilities, rightWords: number): Scored[] {
  const reversed = reverse(backward, rightWords, forward.starts.length - 2);
  const byRight = new Float32Array(rightWords);
  const scored: Scored[] = [];
  // Leaves out the empty word, which is the last one on either side.
  for (let left = 0; left + 2 < forward.starts.length; left += 1) {
    const [from, to] = [reversed.starts[left]!, reversed.starts[left + 1]!];
    for (let at = from; at < to; at += 1) byRight[reversed.rights[at]!] = reversed.values[at]!;
    for (let at = forward.starts[left]!; at < forward.starts[left + 1]!; at += 1) {
      const right = forward.rights[at]!;
      const score = Math.sqrt(forward.values[at]! * byRight[right]!);
      if (score >= SCORE_MIN) scored.push({ left, right, score });
    }
    for (let at = from; at < to; at += 1) byRight[reversed.rights[at]!] = 0;
  }
  return scored;
}

/** Orders the entries p(left | right) by left word. */
function reverse({ starts, rights: lefts, values }: Probabilities, rightWords: number, leftWords: number) {
  const ends = starts[rightWords]!;
  const reversed = new Int32Array(leftWords + 1);
  for (let at = 0; at < ends; at += 1) reversed[lefts[at]! + 1]! += 1;
  for (let word = 0; word < leftWords; word += 1) reversed[word + 1]! += reversed[word]!;
  const next = reversed.slice();
  const rights = new Int32Array(ends);
  const reversedValues = new Float32Array(ends);
  for (let right = 0; right < rightWords; right += 1) {
    for (let at = starts[right]!; at < starts[right + 1]!; at += 1) {
      const slot = next[lefts[at]!]!++;
      rights[slot] = right;
      reversedValues[slot] = values[at]!;
    }
  }
  return { starts: reversed, rights, values: reversedValues };
}

function selectFrequent(
  words: number[],
  { words: occurrences, vocabulary }: Side,
  wordsMax: number,
): number[] {
  if (words.length <= wordsMax) return words;
  const counts = new Int32Array(vocabulary);
  for (const word of occurrences) counts[word]! += 1;
  return words.sort((a, b) => counts[b]! - counts[a]!).slice(0, wordsMax);
}

/** The aligned sentences of two languages, as word numbers. */
export type SentencePairs = {
  isFull: () => boolean;
  add(left: readonly number[], right: readonly number[]): void;
  left: CollectedSide;
  right: CollectedSide;
};

type CollectedSide = {
  toSide(): Side;
  /** Word hashes by word number. */
  hashes: readonly number[];
};

/** Longer sentences say little about single words. */
const WORDS_PER_SENTENCE_MAX = 100;
/** Longer sentences with the same words on both sides were not translated. */
const NAME_WORDS_MAX = 2;

/** @param linksMax how many pairs of words within sentences may be collected, which bounds memory and time */
export function createSentencePairs(linksMax: number): SentencePairs {
  const left = createCollectedSide();
  const right = createCollectedSide();
  let links = 0;
  return {
    left,
    right,
    isFull: () => links >= linksMax,
    add(ours, theirs) {
      if (ours.length === 0 || theirs.length === 0 || links >= linksMax) return;
      if (Math.max(ours.length, theirs.length) > WORDS_PER_SENTENCE_MAX) return;
      if (ours.length > NAME_WORDS_MAX && areEqual(ours, theirs)) return;
      links += (ours.length + 1) * (theirs.length + 1);
      left.add(ours);
      right.add(theirs);
    },
  };
}

const areEqual = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((word, at) => word === b[at]);

function createCollectedSide(): CollectedSide & { add(sentence: readonly number[]): void } {
  const numbers = new Map<number, number>();
  const hashes: number[] = [];
  const words: Numbers = createNumbers();
  const starts: Numbers = createNumbers();
  starts.push(0);
  return {
    hashes,
    add(sentence) {
      for (const hash of sentence) {
        const number = numbers.get(hash) ?? hashes.length;
        if (number === hashes.length) {
          numbers.set(hash, number);
          hashes.push(hash);
        }
        words.push(number);
      }
      starts.push(words.length);
    },
    toSide: () => ({ words: words.toArray(), starts: starts.toArray(), vocabulary: hashes.length }),
  };
}

/**
 * IBM Model 1 (Brown et al. 1993): estimates from sentence pairs how probably one word translates
 * another. Pairs of words that occur together are numbered, so each pass runs over typed arrays.
 */

/** The sentences of one language as word numbers. */
export type Side = {
  /** All sentences in a row. */
  words: Int32Array;
  /** Where each sentence starts in `words`, and the end of the last. */
  starts: Int32Array;
  /** Number of distinct words. */
  vocabulary: number;
};

/** Entries by left word: entry `at` in `starts[left]..starts[left + 1]` is p(rights[at] | left). */
type Probabilities = {
  starts: Int32Array;
  rights: Int32Array;
  values: Float32Array;
};

const ITERATIONS = 5;

/**
 * Estimates p(right | left). The last left word, numbered `left.vocabulary`, is the empty word, to
 * which right words without a counterpart belong.
 */
export function estimate(left: Side, right: Side): Probabilities {
  const { starts, rights, links, linkStarts } = linkWords(left, right);
  const values = new Float32Array(rights.length).fill(1);
  const counts = new Float32Array(rights.length);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    counts.fill(0);
    for (let sentence = 0; sentence + 1 < right.starts.length; sentence += 1) {
      const width = right.starts[sentence + 1]! - right.starts[sentence]!;
      countSentence(values, counts, links.subarray(linkStarts[sentence]!, linkStarts[sentence + 1]!), width);
    }
    normalize(starts, counts, values);
  }
  return { starts, rights, values };
}

/** Distributes each right word over the left words of its sentence. */
function countSentence(values: Float32Array, counts: Float32Array, links: Int32Array, width: number): void {
  for (let column = 0; column < width; column += 1) {
    let sum = 0;
    for (let at = column; at < links.length; at += width) sum += values[links[at]!]!;
    if (sum === 0) continue;
    for (let at = column; at < links.length; at += width) {
      const entry = links[at]!;
      counts[entry]! += values[entry]! / sum;
    }
  }
}

function normalize(starts: Int32Array, counts: Float32Array, values: Float32Array): void {
  for (let word = 0; word + 1 < starts.length; word += 1) {
    let sum = 0;
    for (let entry = starts[word]!; entry < starts[word + 1]!; entry += 1) sum += counts[entry]!;
    for (let entry = starts[word]!; entry < starts[word + 1]!; entry += 1) {
      values[entry] = sum === 0 ? 0 : counts[entry]! / sum;
    }
  }
}

/**
 * Numbers the pairs of words that occur together. `links` has, for each sentence, a row per left
 * word and a last row for the empty word, with the number of the pair in each column.
 */
function linkWords(left: Side, right: Side) {
  const linkStarts = findLinkStarts(left, right);
  const links = new Int32Array(linkStarts.at(-1)!);
  const starts = new Int32Array(left.vocabulary + 2);
  const rights = createNumbers();
  const lastLeft = new Int32Array(right.vocabulary).fill(-1);
  const entries = new Int32Array(right.vocabulary);
  const occurrences = findOccurrences(left);
  for (let word = 0; word <= left.vocabulary; word += 1) {
    for (let at = occurrences.starts[word]!; at < occurrences.starts[word + 1]!; at += 1) {
      const sentence = occurrences.sentences[at]!;
      const from = right.starts[sentence]!;
      const width = right.starts[sentence + 1]! - from;
      const row = linkStarts[sentence]! + occurrences.rows[at]! * width;
      for (let column = 0; column < width; column += 1) {
        const other = right.words[from + column]!;
        if (lastLeft[other] !== word) {
          lastLeft[other] = word;
          entries[other] = rights.length;
          rights.push(other);
        }
        links[row + column] = entries[other]!;
      }
    }
    starts[word + 1] = rights.length;
  }
  return { starts, rights: rights.toArray(), links, linkStarts };
}

function findLinkStarts(left: Side, right: Side): Int32Array {
  const starts = new Int32Array(left.starts.length);
  for (let sentence = 0; sentence + 1 < left.starts.length; sentence += 1) {
    const rows = left.starts[sentence + 1]! - left.starts[sentence]! + 1;
    const width = right.starts[sentence + 1]! - right.starts[sentence]!;
    starts[sentence + 1] = starts[sentence]! + rows * width;
  }
  return starts;
}

/** Finds where each word occurs: its sentences, and its rows in them. */
function findOccurrences({ words, starts: sentenceStarts, vocabulary }: Side) {
  const sentenceCount = sentenceStarts.length - 1;
  const starts = new Int32Array(vocabulary + 2);
  for (const word of words) starts[word + 1]! += 1;
  starts[vocabulary + 1] = sentenceCount;
  for (let word = 0; word <= vocabulary; word += 1) starts[word + 1]! += starts[word]!;
  const next = starts.slice();
  const sentences = new Int32Array(words.length + sentenceCount);
  const rows = new Int32Array(words.length + sentenceCount);
  for (let sentence = 0; sentence < sentenceCount; sentence += 1) {
    const from = sentenceStarts[sentence]!;
    const size = sentenceStarts[sentence + 1]! - from;
    for (let row = 0; row <= size; row += 1) {
      const at = next[row === size ? vocabulary : words[from + row]!]!++;
      sentences[at] = sentence;
      rows[at] = row;
    }
  }
  return { starts, sentences, rows };
}

type Numbers = { length: number; push(value: number): void; toArray(): Int32Array };

/** A growing array of 32-bit integers. */
export function createNumbers(): Numbers {
  let values = new Int32Array(1_024);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const grown = new Int32Array(length * 2);
        grown.set(values);
        values = grown;
      }
      values[length] = value;
      length += 1;
    },
    toArray: () => values.slice(0, length),
  };
}
