import type { ParallelArticle, ParallelText, StoredDictionary } from '../../storage/dictionaries.ts';
import { tokenizerVersion } from '../search/tokenize.ts';
import { alignSentences, type Sentence } from './align.ts';
import { createSentencePairs, type SentencePairs } from './sentence-pairs.ts';
import { encodeSpelledSynonyms } from './spelled-synonyms.ts';
import { findSynonyms, type Partner, toAlternatives } from './synonyms.ts';
import { type LearnedPair, learnTranslations } from './translations.ts';
import { encodeWordTable } from './word-table.ts';
import { createWordReader, type WordReader } from './words.ts';

/** Learns a workspace's dictionaries from its articles and their translations. */

/** Stored with what was learned. When it changes, all dictionaries are learned again. */
export const trainingVersion = `1/${tokenizerVersion}`;

export type Trainer = {
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
  const reader = (locale: string) => getOrCreate(readers, locale, () => createWordReader(locale));
  const pairOf = (a: string, b: string) =>
    getOrCreate(pairs, [a, b].sort().join(' '), () => createSentencePairs(linksMax));

  function addPair(source: Reading, translation: Reading): void {
    const pair = pairOf(source.locale, translation.locale);
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
      const wanted = translations.filter(({ locale }) => !pairOf(source.locale, locale).isFull());
      if (wanted.length === 0) return;
      const ours = readText(source, reader(source.locale));
      for (const text of wanted) addPair(ours, readText(text, reader(text.locale)));
    },
    finish() {
      const wordsMax = Math.min(WORDS_PER_TABLE_MAX, Math.ceil(WORDS_MAX / (pairs.size * 2)));
      const learned = new Map<string, LearnedPair>();
      for (const [key, pair] of pairs) {
        learned.set(key, learnTranslations(pair, wordsMax));
        // Frees the sentences before the next pair takes its space.
        pairs.delete(key);
      }
      return toTables(learned, reader);
    },
  };
}

type Reading = {
  readonly locale: string;
  readonly lines: readonly (readonly Sentence[])[];
  readonly title: readonly number[];
  readonly aliases: readonly number[];
};

const readText = ({ locale, title, answer, aliases }: ParallelText, reader: WordReader): Reading => ({
  locale,
  lines: reader.readLines(answer),
  title: reader.readWords(title),
  aliases: aliases.flatMap(reader.readWords),
});

function toTables(
  learned: ReadonlyMap<string, LearnedPair>,
  reader: (locale: string) => WordReader,
): StoredDictionary[] {
  const tables: StoredDictionary[] = [];
  const partners = new Map<string, Partner[]>();
  for (const [key, { leftToRight, rightToLeft }] of learned) {
    const [left, right] = key.split(' ') as [string, string];
    tables.push({ from: left, to: right, content: encodeWordTable(leftToRight) });
    tables.push({ from: right, to: left, content: encodeWordTable(rightToLeft) });
    getOrCreate(partners, left, () => []).push({ locale: right, there: leftToRight, back: rightToLeft });
    getOrCreate(partners, right, () => []).push({ locale: left, there: rightToLeft, back: leftToRight });
  }
  for (const [locale, others] of partners) {
    const entries = findSynonyms(others, reader(locale));
    const words = entries.map(({ word, synonyms }) => ({ word, alternatives: toAlternatives(synonyms) }));
    const spellings = encodeSpelledSynonyms(entries, reader(locale));
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
