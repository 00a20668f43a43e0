import { createNumbers, type Numbers, type Side } from './model1.ts';

/** The aligned sentences of two languages, as word numbers. */
export type SentencePairs = {
  readonly isFull: () => boolean;
  add(left: readonly number[], right: readonly number[]): void;
  readonly left: CollectedSide;
  readonly right: CollectedSide;
};

export type CollectedSide = {
  toSide(): Side;
  /** Word hashes by word number. */
  readonly hashes: readonly number[];
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
