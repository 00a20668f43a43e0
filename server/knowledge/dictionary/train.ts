import type { ParallelArticle, ParallelText, StoredDictionary } from '../../storage/dictionaries.ts';
import { tokenizerVersion } from '../search/tokenize.ts';
import { encodeWordTable } from './dictionary.ts';
import {
  createSentencePairs,
  type LearnedPair,
  learnTranslations,
  type SentencePairs,
} from './learn-translations.ts';
import { encodeSpelledSynonyms, findSynonyms, type Partner, toAlternatives } from './synonyms.ts';
import { createWordReader, type Sentence, type WordReader } from './words.ts';

/** Learns a workspace's dictionaries from its articles and their translations. */

/** Stored with the dictionaries. When it changes, all of them are learned again. */
export const trainingVersion = `1/${tokenizerVersion}`;

type Trainer = {
  add(article: ParallelArticle): void;
  /** Whether more articles would change nothing. */
  isFull(): boolean;
  finish(): StoredDictionary[];
};

/**
 * Pairs of words within sentences: about 35,000 sentences per pair of locales. Learning from them
 * takes about 50 MB and three seconds.
 */
const LINKS_PER_PAIR_MAX = 8_000_000;
const LINKS_MAX = 80_000_000;
/** Bounds what is stored per direction to 0.9 MB, and per workspace to 18 MB. */
const WORDS_PER_TABLE_MAX = 20_000;
const WORDS_MAX = 400_000;

/** @param pairCount how many pairs of locales to expect, which share the space */
export function createTrainer(pairCount: number): Trainer {
  const linksMax = Math.min(LINKS_PER_PAIR_MAX, Math.ceil(LINKS_MAX / Math.max(1, pairCount)));
  const readers = new Map<string, WordReader>();
  const pairs = new Map<string, SentencePairs>();
  const getReader = (locale: string) => getOrCreate(readers, locale, () => createWordReader(locale));
  const getPair = (a: string, b: string) =>
    getOrCreate(pairs, [a, b].sort().join(' '), () => createSentencePairs(linksMax));

  function addPair(source: SegmentedText, translation: SegmentedText): void {
    const pair = getPair(source.locale, translation.locale);
    const isSourceLeft = source.locale < translation.locale;
    const add = (ours: readonly number[], theirs: readonly number[]) =>
      isSourceLeft ? pair.add(ours, theirs) : pair.add(theirs, ours);
    for (const [ours, theirs] of alignSentences(source.lines, translation.lines)) add(ours, theirs);
    add(source.title, translation.title);
    if (source.aliases.length > 0 && translation.aliases.length > 0) {
      add([...source.title, ...source.aliases], [...translation.title, ...translation.aliases]);
    }
  }

  return {
    isFull: () => pairs.size >= pairCount && [...pairs.values()].every((pair) => pair.isFull()),
    add({ source, translations }) {
      const wanted = translations.filter(({ locale }) => !getPair(source.locale, locale).isFull());
      if (wanted.length === 0) return;
      const ours = readText(source, getReader(source.locale));
      for (const text of wanted) addPair(ours, readText(text, getReader(text.locale)));
    },
    finish() {
      const wordsMax = Math.min(WORDS_PER_TABLE_MAX, Math.ceil(WORDS_MAX / (pairs.size * 2)));
      const learned = new Map<string, LearnedPair>();
      for (const [key, pair] of pairs) {
        learned.set(key, learnTranslations(pair, wordsMax));
        // Frees the sentences before the next pair takes its space.
        pairs.delete(key);
      }
      return toTables(learned, getReader);
    },
  };
}

type SegmentedText = {
  locale: string;
  lines: readonly (readonly Sentence[])[];
  title: readonly number[];
  aliases: readonly number[];
};

const readText = ({ locale, title, answer, aliases }: ParallelText, reader: WordReader): SegmentedText => ({
  locale,
  lines: reader.readLines(answer),
  title: reader.readWords(title),
  aliases: aliases.flatMap(reader.readWords),
});

function toTables(
  learned: ReadonlyMap<string, LearnedPair>,
  getReader: (locale: string) => WordReader,
): StoredDictionary[] {
  const tables: StoredDictionary[] = [];
  const partners = new Map<string, Partner[]>();
  for (const [key, { leftToRight, rightToLeft }] of learned) {
    const [left, right] = key.split(' ') as [string, string];
    tables.push({ from: left, to: right, content: encodeWordTable(leftToRight) });
    tables.push({ from: right, to: left, content: encodeWordTable(rightToLeft) });
    getOrCreate(partners, left, () => []).push({
      locale: right,
      toPivot: leftToRight,
      fromPivot: rightToLeft,
    });
    getOrCreate(partners, right, () => []).push({
      locale: left,
      toPivot: rightToLeft,
      fromPivot: leftToRight,
    });
  }
  for (const [locale, others] of partners) {
    const entries = findSynonyms(others, getReader(locale));
    const words = entries.map(({ word, synonyms }) => ({ word, alternatives: toAlternatives(synonyms) }));
    const spellings = encodeSpelledSynonyms(entries, getReader(locale));
    tables.push({ from: locale, to: locale, content: encodeWordTable(words), spellings });
  }
  return tables;
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** Pairs the sentences of a text with those of its translation, by position and length. */

/** The words of a sentence or two, and of their translation. */
type AlignedWords = readonly [source: readonly number[], translation: readonly number[]];

/** Longer texts whose lines do not correspond are left out. */
const CELLS_MAX = 2_000_000;

/** How sentences are paired, with -log of Gale and Church's frequencies (1993). */
const BEADS = [
  { source: 1, translation: 1, cost: 0.12 },
  { source: 1, translation: 0, cost: 5.3 },
  { source: 0, translation: 1, cost: 5.3 },
  { source: 2, translation: 1, cost: 3.1 },
  { source: 1, translation: 2, cost: 3.1 },
] as const;

/** Variance of the length of a translation per character of the source, from the same paper. */
const LENGTH_VARIANCE = 6.8;

/**
 * Aligns texts given as lines of sentences: line by line if there are equally many lines, else over
 * the whole text.
 */
export function alignSentences(
  source: readonly (readonly Sentence[])[],
  translation: readonly (readonly Sentence[])[],
): AlignedWords[] {
  if (source.length !== translation.length) return alignByLength(source.flat(), translation.flat());
  return source.flatMap((line, at) => {
    const other = translation[at]!;
    if (line.length !== other.length) return alignByLength(line, other);
    return line.map((sentence, index): AlignedWords => [sentence.words, other[index]!.words]);
  });
}

/** Finds the cheapest path through both lists of sentences. */
function alignByLength(source: readonly Sentence[], translation: readonly Sentence[]): AlignedWords[] {
  const columns = translation.length + 1;
  if ((source.length + 1) * columns > CELLS_MAX) return [];
  const ratio = measure(translation, 0, translation.length) / Math.max(1, measure(source, 0, source.length));
  const costs = new Float64Array((source.length + 1) * columns).fill(Number.POSITIVE_INFINITY);
  const steps = new Uint8Array(costs.length);
  costs[0] = 0;
  for (let cell = 1; cell < costs.length; cell += 1) {
    const i = Math.floor(cell / columns);
    const j = cell % columns;
    for (const [step, bead] of BEADS.entries()) {
      if (bead.source > i || bead.translation > j) continue;
      const costBefore = costs[cell - bead.source * columns - bead.translation]!;
      const expected = measure(source, i - bead.source, i) * ratio;
      const cost =
        costBefore + bead.cost + compareLengths(expected, measure(translation, j - bead.translation, j));
      if (cost >= costs[cell]!) continue;
      costs[cell] = cost;
      steps[cell] = step;
    }
  }
  return followSteps(source, translation, steps);
}

function measure(sentences: readonly Sentence[], from: number, to: number): number {
  let units = 0;
  for (let at = from; at < to; at += 1) units += sentences[at]!.units;
  return units;
}

/** Returns -log of the normal density of the standardized difference, without its constant. */
function compareLengths(expected: number, actual: number): number {
  if (expected === 0 || actual === 0) return 0;
  return (actual - expected) ** 2 / (LENGTH_VARIANCE * (expected + actual));
}

function followSteps(
  source: readonly Sentence[],
  translation: readonly Sentence[],
  steps: Uint8Array,
): AlignedWords[] {
  const pairs: AlignedWords[] = [];
  let i = source.length;
  let j = translation.length;
  while (i > 0 || j > 0) {
    const bead = BEADS[steps[i * (translation.length + 1) + j]!]!;
    const ours = source.slice(i - bead.source, i);
    const theirs = translation.slice(j - bead.translation, j);
    if (ours.length > 0 && theirs.length > 0) pairs.push([joinWords(ours), joinWords(theirs)]);
    i -= bead.source;
    j -= bead.translation;
  }
  return pairs.reverse();
}

const joinWords = (sentences: readonly Sentence[]) => sentences.flatMap(({ words }) => words);
