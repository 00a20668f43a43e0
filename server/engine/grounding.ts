import { evictLeastUsed } from '../base/cache.ts';
import { isFunctionWord } from '../base/guide-languages.ts';
import { hasUnspacedLetters, normalizeForSearch, UNSPACED_LETTERS } from '../base/text.ts';
import type { EnginePassage } from './engine.ts';

/**
 * Finds where the words of a model stand in its sources. Words are compared without case, punctuation, emphasis, list
 * numbers, and kinds of quotation marks and dashes.
 */

/** A published passage, or without one the page that the visitor is on. */
export type Source = { text: string; passage?: EnginePassage };

/** The words of a source that support a statement, verbatim. */
export type Grounds = { source: Source; quote: string };

type Words = { words: readonly string[]; starts: readonly number[]; ends: readonly number[] };
/** A run of words: the index of the first, and their number. */
type Run = { at: number; length: number };

const WORD = new RegExp(
  `[${UNSPACED_LETTERS}]\\p{M}*|(?:(?![${UNSPACED_LETTERS}])[\\p{L}\\p{N}\\p{M}])+`,
  'gu',
);
const LIST_NUMBER = /(?<=^|[\n.!?…;]\s*)\d{1,2}[.)](?=\s)/g;

function readWords(text: string): Words {
  const unnumbered = text.replace(LIST_NUMBER, (number) => ' '.repeat(number.length));
  const matches = [...unnumbered.matchAll(WORD)];
  return {
    words: matches.map(([word]) => normalizeForSearch(word, 'und')),
    starts: matches.map(({ index }) => index),
    ends: matches.map(({ index, 0: word }) => index + word.length),
  };
}

/** The words of a text, to compare statements with. */
type IndexedWords = Words & {
  positions: ReadonlyMap<string, readonly number[]>;
  sentences: readonly Run[];
  bytes: number;
};

const SENTENCE_END = /[.!?…。！？]\s|[。！？\n]/;

export function indexWords(text: string): IndexedWords {
  const read = readWords(text);
  const positions = Map.groupBy(read.words.keys(), (at) => read.words[at]!);
  const sentences: Run[] = [];
  let first = 0;
  for (let at = 0; at < read.words.length; at++) {
    const isLast = at + 1 === read.words.length;
    if (!isLast && !SENTENCE_END.test(text.slice(read.ends[at], read.starts[at + 1]))) continue;
    sentences.push({ at: first, length: at + 1 - first });
    first = at + 1;
  }
  return { ...read, positions, sentences, bytes: read.words.length * BYTES_PER_WORD };
}

const BYTES_PER_WORD = 80;
const INDEX_BYTES_MAX = 16_000_000;

/** The words of recent passages, which many answers share. Pages are not kept. */
const indexes = new Map<string, IndexedWords>();

function indexSource({ text, passage }: Source): IndexedWords {
  if (!passage) return indexWords(text);
  const index = indexes.get(text) ?? indexWords(text);
  indexes.delete(text);
  indexes.set(text, index);
  evictLeastUsed(indexes, INDEX_BYTES_MAX, (key) => indexes.delete(key));
  return index;
}

const QUOTE_CHARS_MIN = 8;
/** The minimum for scripts in which a character is a word. */
const UNSPACED_CHARS_MIN = 3;

/** Finds the quoted words one after another in the first source that has them. Words may be left out where the quote has an ellipsis. */
export function findQuote(quoted: string, sources: readonly Source[]): Grounds | undefined {
  const parts = quoted.split(/…|\.\.\./).sort((a, b) => b.length - a.length);
  for (const part of parts) {
    const wanted = readWords(part);
    const charsMin = hasUnspacedLetters(part) ? UNSPACED_CHARS_MIN : QUOTE_CHARS_MIN;
    if (wanted.words.join(' ').length < charsMin) continue;
    for (const source of sources) {
      const found = indexSource(source);
      const run = findLongestRun(wanted.words, found);
      if (run.length === wanted.words.length) return { source, quote: cutQuote(source.text, found, run) };
    }
  }
  return undefined;
}

const RUN_WORDS_MIN = 8;
const SENTENCE_SHARE_MIN = 0.6;
const SHARED_WORDS_MIN = 3;

/**
 * Finds the words that a statement takes from a source: eight in order, or three fifths of its content words from one sentence.
 * Its numbers must stand there too. Between equals, the first source wins, so those after a perfect one are not read.
 */
export function findGrounds(statement: string, sources: readonly Source[]): Grounds | undefined {
  const { words } = readWords(statement);
  const content = new Set(words.filter((word) => !isFunctionWord(word)));
  const numbers = words.filter((word) => /^\p{N}+$/u.test(word));
  let best: { share: number; grounds: Grounds } | undefined;
  for (const source of sources) {
    if (best?.share === 1) break;
    const index = indexSource(source);
    if (!numbers.every((number) => index.positions.has(number))) continue;
    const longest = findLongestRun(words, index);
    const isLong = weigh(index.words.slice(longest.at, longest.at + longest.length)) >= RUN_WORDS_MIN;
    const { run, share } = isLong ? { run: longest, share: 1 } : findNearestSentence(content, numbers, index);
    if (share < SENTENCE_SHARE_MIN || share <= (best?.share ?? 0)) continue;
    best = { share, grounds: { source, quote: cutQuote(source.text, index, run) } };
  }
  return best?.grounds;
}

function findNearestSentence(
  content: ReadonlySet<string>,
  numbers: readonly string[],
  { words, sentences }: IndexedWords,
): { run: Run; share: number } {
  let nearest = { run: { at: 0, length: 0 }, share: 0 };
  for (const run of sentences) {
    const sentence = new Set(words.slice(run.at, run.at + run.length));
    const shared = [...content].filter((word) => sentence.has(word));
    const share = shared.length / content.size;
    const isEnough = weigh(shared) >= SHARED_WORDS_MIN && numbers.every((number) => sentence.has(number));
    if (isEnough && share > nearest.share) nearest = { run, share };
  }
  return nearest;
}

/** Counts words; a character of a script without spaces counts as half of one. */
const weigh = (words: readonly string[]) =>
  words.reduce((sum, word) => sum + (hasUnspacedLetters(word) ? 0.5 : 1), 0);

const RUN_WORDS_READ = 400;

/** Returns the longest run of words in the index that the given words contain in the same order. */
function findLongestRun(words: readonly string[], { words: all, positions }: IndexedWords): Run {
  let longest = { at: 0, length: 0 };
  for (const [from, word] of words.slice(0, RUN_WORDS_READ).entries()) {
    for (const at of positions.get(word) ?? []) {
      // Counted already, from the word before.
      if (from > 0 && at > 0 && words[from - 1] === all[at - 1]) continue;
      let length = 1;
      while (from + length < words.length && words[from + length] === all[at + length]) length += 1;
      if (length > longest.length) longest = { at, length };
    }
  }
  return longest;
}

/** Cuts a run out of a text, with the quotation marks and brackets around it. */
function cutQuote(text: string, { starts, ends }: Words, { at, length }: Run): string {
  const before = /[\p{Pi}\p{Ps}"']*$/u.exec(text.slice(0, starts[at]))![0];
  const end = ends[at + length - 1]!;
  const after = /^[\p{Pf}\p{Pe}"']*/u.exec(text.slice(end, end + 8))![0];
  return text.slice(starts[at]! - before.length, end + after.length);
}

const ECHO_SHARE_MIN = 0.85;

/** Whether a statement repeats a text: nearly all of it stands there in the same order. */
export function repeats(statement: string, text: IndexedWords, wordsMin: number): boolean {
  const { words } = readWords(statement);
  const { length } = findLongestRun(words, text);
  return length >= wordsMin && length >= words.length * ECHO_SHARE_MIN;
}

/** Whether a statement contains eight words of a text in the same order. */
export function takesFrom(statement: string, text: IndexedWords): boolean {
  return findLongestRun(readWords(statement).words, text).length >= RUN_WORDS_MIN;
}

/** Whether two texts share a content word. */
export function sharesWords(text: string, other: string): boolean {
  const words = new Set(readWords(other).words);
  return readWords(text).words.some((word) => !isFunctionWord(word) && words.has(word));
}
