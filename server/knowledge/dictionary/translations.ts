import type { Alternative } from './dictionary.ts';
import { estimate, type Probabilities, type Side } from './model1.ts';
import type { SentencePairs } from './sentence-pairs.ts';
import type { WordEntry } from './word-table.ts';

/** The translations of words in both directions, from IBM Model 1 in both directions. */
export type LearnedPair = {
  readonly leftToRight: readonly WordEntry[];
  readonly rightToLeft: readonly WordEntry[];
};

const ALTERNATIVES_MAX = 6;
const SCORE_MIN = 0.03;

type Scored = { readonly left: number; readonly right: number; readonly score: number };

/** @param wordsMax how many words to keep per direction, the most frequent ones */
export function learnTranslations({ left, right }: SentencePairs, wordsMax: number): LearnedPair {
  const [ours, theirs] = [left.toSide(), right.toSide()];
  const scored = symmetrize(estimate(ours, theirs), estimate(theirs, ours), theirs.vocabulary);
  const toEntries = (side: Side, hashes: readonly number[], others: readonly number[], swap: boolean) => {
    const byWord = new Map<number, Alternative[]>();
    for (const one of scored) {
      const [word, other] = swap ? [one.right, one.left] : [one.left, one.right];
      const alternative = { hash: others[other]!, weight: one.score };
      const known = byWord.get(word);
      if (known) known.push(alternative);
      else byWord.set(word, [alternative]);
    }
    return selectFrequent([...byWord.keys()], side, wordsMax).map((word) => ({
      word: hashes[word]!,
      alternatives: selectBest(byWord.get(word)!),
    }));
  };
  return {
    leftToRight: toEntries(ours, left.hashes, right.hashes, false),
    rightToLeft: toEntries(theirs, right.hashes, left.hashes, true),
  };
}

/** Combines both directions as sqrt(p(right | left) * p(left | right)), which no single direction can raise. */
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
      const to = next[lefts[at]!]!++;
      rights[to] = right;
      reversedValues[to] = values[at]!;
    }
  }
  return { starts: reversed, rights, values: reversedValues };
}

/** The best alternatives; their weights sum to 1. */
export function selectBest(alternatives: readonly Alternative[]): Alternative[] {
  const best = alternatives.toSorted((a, b) => b.weight - a.weight).slice(0, ALTERNATIVES_MAX);
  const sum = best.reduce((total, { weight }) => total + weight, 0);
  return best.map(({ hash, weight }) => ({ hash, weight: weight / sum }));
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
