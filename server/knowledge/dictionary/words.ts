import { normalizeForSearch } from '../../base/text.ts';
import { isPageMark } from '../answer/lines.ts';
import { getFunctionWords } from '../search/match.ts';
import { createTermBuffer, hashTerms, splitSentences, tokenize } from '../search/tokenize.ts';
import type { Vocabulary } from './synonyms.ts';

export type Sentence = {
  /** Length in UTF-16 code units. */
  units: number;
  /** Word hashes, in order. */
  words: readonly number[];
};

/** Hashes words as the search index does, and remembers how each was written. */
export type WordReader = Vocabulary & {
  /** Splits a text into lines of sentences. Lines without words are left out. */
  readLines(text: string): Sentence[][];
  readWords(text: string): number[];
};

/** Words beyond this number are hashed each time they occur. */
const CACHED_WORDS_MAX = 50_000;

const LINE_BREAKS = /[\n\r\u2028\u2029]+/;

export function createWordReader(locale: string): WordReader {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  const hash = createWordHash(locale);
  const functionWords = getFunctionWords(locale);
  const spellings = new Map<number, { text: string; lead: number }>();

  /** Keeps a word's most frequent spelling by majority vote (Boyer and Moore 1981), with one candidate per word. */
  function countSpelling(word: number, text: string): void {
    const current = spellings.get(word);
    if (current?.text === text) current.lead += 1;
    else if (current && current.lead > 0) current.lead -= 1;
    else spellings.set(word, { text, lead: 1 });
  }

  function readWords(text: string): number[] {
    const words: number[] = [];
    for (const { segment, isWordLike } of segmenter.segment(text)) {
      if (!isWordLike) continue;
      const spelling = segment.toLocaleLowerCase(locale);
      const hashes = hash(spelling);
      words.push(...hashes);
      if (hashes.length === 1) countSpelling(hashes[0]!, spelling);
    }
    return words;
  }

  function readLine(line: string): Sentence[] {
    return splitSentences(line, locale)
      .map(({ start, end }) => ({ units: end - start, words: readWords(line.slice(start, end)) }))
      .filter(({ words }) => words.length > 0);
  }

  return {
    readLines: (text) =>
      text
        .split(LINE_BREAKS)
        .filter((line) => !isPageMark(line))
        .map(readLine)
        .filter((line) => line.length > 0),
    readWords,
    spell: (word) => spellings.get(word)?.text,
    isFunctionWord(word) {
      const spelling = spellings.get(word)?.text;
      return spelling !== undefined && functionWords.has(normalizeForSearch(spelling, locale));
    },
  };
}

/** Creates a function that hashes a word; several hashes if it is indexed with and without diacritics. */
function createWordHash(locale: string): (word: string) => readonly number[] {
  const buffer = createTermBuffer();
  const cache = new Map<string, readonly number[]>();
  return (word) => {
    const known = cache.get(word);
    if (known) return known;
    const units = tokenize(word, locale);
    hashTerms(buffer, units, 0, units.length);
    const hashes = [...buffer.words.subarray(0, buffer.wordCount)];
    if (cache.size < CACHED_WORDS_MAX) cache.set(word, hashes);
    return hashes;
  };
}
