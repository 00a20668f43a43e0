import { CJK_LETTERS } from '../../base/text.ts';
import type { Alternative, WordEntry } from './dictionary.ts';

/** Finds words of a language that share translations: word -> other languages -> words. */

/** A pivot language, with the tables to it and back. */
export type Partner = {
  locale: string;
  toPivot: readonly WordEntry[];
  fromPivot: readonly WordEntry[];
};

/** The known words of a language. */
export type Vocabulary = {
  /** How the word is written, in lower case; undefined if that is unknown. */
  spell(word: number): string | undefined;
  /** Whether the word says nothing about a subject, such as "the". */
  isFunctionWord(word: number): boolean;
};

type Synonym = {
  word: number;
  probability: number;
  /** The languages that suggest it. */
  evidence: readonly string[];
};

/** A word with its synonyms, most probable first. */
type SynonymEntry = { word: number; synonyms: readonly Synonym[] };

const SYNONYMS_MAX = 5;
const PROBABILITY_MIN = 0.01;
/** Minimum number of languages to divide probabilities by, so that chance alignments of one or two weigh less. */
const LANGUAGES_EXPECTED = 3;

export function findSynonyms(partners: readonly Partner[], vocabulary: Vocabulary): SynonymEntry[] {
  const maps = partners.map(({ locale, toPivot: there, fromPivot: back }) => ({
    locale,
    toPivot: toMap(there),
    fromPivot: toMap(back),
  }));
  const words = new Set(maps.flatMap(({ toPivot: there }) => [...there.keys()]));
  return [...words].flatMap((word) => {
    if (vocabulary.isFunctionWord(word)) return [];
    const synonyms = findThroughPivots(word, maps)
      .filter((synonym) => isSynonym(word, synonym, vocabulary))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, SYNONYMS_MAX);
    return synonyms.length === 0 ? [] : [{ word, synonyms }];
  });
}

const toMap = (entries: readonly WordEntry[]) =>
  new Map(entries.map(({ word, alternatives }) => [word, alternatives]));

type TableMap = ReturnType<typeof toMap>;

/** Finds synonyms with their mean probability over the languages that know the word, counted as at least three. */
function findThroughPivots(
  word: number,
  partners: readonly { locale: string; toPivot: TableMap; fromPivot: TableMap }[],
): Synonym[] {
  const synonyms = new Map<number, { probability: number; evidence: string[] }>();
  const partnersWithWord = partners.filter(({ toPivot: there }) => there.has(word));
  const languages = Math.max(LANGUAGES_EXPECTED, partnersWithWord.length);
  for (const { locale, toPivot: there, fromPivot: back } of partnersWithWord) {
    for (const between of there.get(word)!) {
      for (const { hash, weight } of back.get(between.hash) ?? []) {
        const synonym = synonyms.get(hash) ?? { probability: 0, evidence: [] };
        synonym.probability += (between.weight * weight) / languages;
        if (synonym.evidence.at(-1) !== locale) synonym.evidence.push(locale);
        synonyms.set(hash, synonym);
      }
    }
  }
  return [...synonyms].map(([synonym, rest]) => ({ word: synonym, ...rest }));
}

function isSynonym(word: number, synonym: Synonym, { spell, isFunctionWord }: Vocabulary): boolean {
  if (synonym.word === word || synonym.probability < PROBABILITY_MIN) return false;
  return !isFunctionWord(synonym.word) && !shareStem(spell(word), spell(synonym.word));
}

/** Whether the words share their first four letters, or one begins with the other. Equal stems of five share a hash. */
function shareStem(a = '', b = ''): boolean {
  const length = Math.min(a.length, b.length, 4);
  return length > 0 && a.slice(0, length) === b.slice(0, length);
}

const WEIGHT_FACTOR = 2;
const WEIGHT_MAX = 0.7;

/** Converts synonyms for the search, where the word itself weighs 1. Their weights sum to at most 1. */
export function toAlternatives(synonyms: readonly Synonym[]): Alternative[] {
  const weights = synonyms.map(({ probability }) => Math.min(WEIGHT_MAX, probability * WEIGHT_FACTOR));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return synonyms.map(({ word }, at) => ({ hash: word, weight: weights[at]! / Math.max(1, sum) }));
}

/**
 * Synonyms as people read them, for suggestions. Stored as lines that can be searched without
 * parsing all of them: the languages, then a word per line with its synonyms, each followed by the
 * indexes of the languages that suggest it, separated by tabs.
 */
type SpelledSynonym = { spelling: string; evidence: readonly string[] };

/** Synonyms from fewer languages, or with less probability, are too often wrong to be suggested. */
const SUGGESTED_EVIDENCE_MIN = 2;
const SUGGESTED_PROBABILITY_MIN = 0.02;
const SUGGESTED_MAX = 3;

/** A number or a single letter is no alias; a single Chinese character may be. */
const ALIAS = new RegExp(`\\p{L}{2}|[${CJK_LETTERS}]`, 'u');

export function encodeSpelledSynonyms(entries: readonly SynonymEntry[], { spell }: Vocabulary): string {
  const languages = [
    ...new Set(entries.flatMap(({ synonyms }) => synonyms.flatMap(({ evidence }) => evidence))),
  ];
  const lines = entries.flatMap(({ word, synonyms }) => {
    const fields = synonyms
      .filter(
        ({ evidence, probability }) =>
          evidence.length >= SUGGESTED_EVIDENCE_MIN && probability >= SUGGESTED_PROBABILITY_MIN,
      )
      .flatMap((synonym) => {
        const spelling = spell(synonym.word);
        if (spelling === undefined || !ALIAS.test(spelling)) return [];
        return [[spelling, synonym.evidence.map((locale) => languages.indexOf(locale)).join(' ')]];
      })
      .slice(0, SUGGESTED_MAX);
    return fields.length === 0 ? [] : [[word, ...fields.flat()].join('\t')];
  });
  return [languages.join(' '), ...lines, ''].join('\n');
}

export function findSpelledSynonyms(encoded: string, word: number): SpelledSynonym[] {
  const from = encoded.indexOf(`\n${word}\t`);
  if (from === -1) return [];
  const languages = encoded.slice(0, encoded.indexOf('\n')).split(' ');
  const fields = encoded.slice(from + 1, encoded.indexOf('\n', from + 1)).split('\t');
  const synonyms: SpelledSynonym[] = [];
  for (let at = 1; at + 1 < fields.length; at += 2) {
    const evidence = fields[at + 1]!.split(' ').map((index) => languages[Number(index)]!);
    synonyms.push({ spelling: fields[at]!, evidence });
  }
  return synonyms;
}
