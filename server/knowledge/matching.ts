/** Finds a question's words and grams in the folded form of texts. */
import { foldedWords } from './analyse.ts';
import type { Folded } from './index-passage.ts';
import { eachTerm } from './terms.ts';

/** One of the question's distinct words, with the grams inside it. */
export interface AskedWord {
  readonly hash: number;
  readonly grams: readonly number[];
}

/** The question's distinct words in the order in which they come. */
export function askedWords(question: string, locale: string): AskedWord[] {
  const run = foldedWords(question, locale, true);
  const words = new Map<number, Set<number>>();
  let grams = new Set<number>();
  const onWord = (word: number) => {
    grams = words.get(word) ?? new Set();
    words.set(word, grams);
  };
  eachTerm(run, 0, run.length, onWord, (gram) => grams.add(gram));
  return Array.from(words, ([hash, all]) => ({ hash, grams: [...all] }));
}

/** The question's terms by number: its words first, then its grams. */
export interface Probe {
  readonly words: number;
  readonly terms: number;
  /** The numbers of the grams inside each word. */
  readonly gramsOf: readonly (readonly number[])[];
  /** The number of a word's or a gram's hash, or -1. */
  readonly findWord: (hash: number) => number;
  readonly findGram: (hash: number) => number;
}

export function probeFor(words: readonly AskedWord[]): Probe {
  const grams = [...new Set(words.flatMap((word) => word.grams))];
  const findGram = lookup(grams, words.length);
  return {
    words: words.length,
    terms: words.length + grams.length,
    gramsOf: words.map((word) => word.grams.map(findGram)),
    findWord: lookup(
      words.map((word) => word.hash),
      0,
    ),
    findGram,
  };
}

/** Open addressing, since every word of every candidate asks. */
function lookup(hashes: readonly number[], first: number): (hash: number) => number {
  let size = 16;
  while (size < hashes.length * 4) size *= 2;
  const mask = size - 1;
  const keys = new Int32Array(size);
  const numbers = new Int16Array(size).fill(-1);
  hashes.forEach((hash, place) => {
    let at = hash & mask;
    while (numbers[at] !== -1) at = (at + 1) & mask;
    keys[at] = hash;
    numbers[at] = first + place;
  });
  return (hash) => {
    let at = hash & mask;
    while (numbers[at] !== -1) {
      if (keys[at] === hash) return numbers[at]!;
      at = (at + 1) & mask;
    }
    return -1;
  };
}

/** Where a question's terms occur in the sentences of a window, or in labels. */
export interface Matches {
  /** Term numbers in order of occurrence; those of sentence i end at hitEnds[i]. */
  readonly hits: Uint16Array;
  readonly hitEnds: Uint32Array;
  /** The length of each sentence. */
  readonly words: Uint16Array;
  readonly grams: Uint16Array;
}

export function matchesOf(folded: Folded, probe: Probe): Matches {
  const sentences = folded.ends.length;
  const hits: number[] = [];
  const hitEnds = new Uint32Array(sentences);
  const words = new Uint16Array(sentences);
  const grams = new Uint16Array(sentences);
  let wordCount = 0;
  let gramCount = 0;
  const onWord = (hash: number) => {
    wordCount += 1;
    const term = probe.findWord(hash);
    if (term >= 0) hits.push(term);
  };
  const onGram = (hash: number) => {
    gramCount += 1;
    const term = probe.findGram(hash);
    if (term >= 0) hits.push(term);
  };
  let from = 0;
  for (let at = 0; at < sentences; at += 1) {
    wordCount = 0;
    gramCount = 0;
    eachTerm(folded.units, from, folded.ends[at]!, onWord, onGram);
    from = folded.ends[at]!;
    hitEnds[at] = hits.length;
    words[at] = wordCount;
    grams[at] = gramCount;
  }
  return { hits: Uint16Array.from(hits), hitEnds, words, grams };
}
