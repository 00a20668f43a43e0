import type { Alternative } from './dictionary.ts';
import type { WordEntry } from './word-table.ts';

/** Finds words of a language that share translations: word -> other languages -> words. */

/** A language between, with the tables to it and back. */
export type Partner = {
  readonly locale: string;
  readonly there: readonly WordEntry[];
  readonly back: readonly WordEntry[];
};

/** A synonym as owners see it: its spelling, and the languages that suggest it. */
export type SpelledSynonym = { readonly spelling: string; readonly evidence: readonly string[] };

/** By word hash. */
export type SpelledSynonyms = Readonly<Record<string, readonly SpelledSynonym[]>>;

const SYNONYMS_MAX = 5;
const PROBABILITY_MIN = 0.01;
const WEIGHT_FACTOR = 2;
const WEIGHT_MAX = 0.7;
/** With fewer languages, chance alignments weigh less. */
const LANGUAGES_EXPECTED = 3;

type Found = { probability: number; readonly evidence: string[] };

export function findSynonyms(
  partners: readonly Partner[],
  spell: (word: number) => string | undefined,
): { readonly entries: readonly WordEntry[]; readonly spellings: string } {
  const maps = partners.map(({ locale, there, back }) => ({
    locale,
    there: toMap(there),
    back: toMap(back),
  }));
  const words = new Set(maps.flatMap(({ there }) => [...there.keys()]));
  const entries: WordEntry[] = [];
  const spelled: Record<string, SpelledSynonym[]> = {};
  for (const word of words) {
    const best = selectBest(word, pivot(word, maps), spell);
    if (best.length === 0) continue;
    entries.push({ word, alternatives: toAlternatives(best) });
    spelled[word] = best.flatMap(([synonym, { evidence }]) => {
      const spelling = spell(synonym);
      return spelling === undefined ? [] : [{ spelling, evidence }];
    });
  }
  return { entries, spellings: JSON.stringify(spelled) };
}

const toMap = (entries: readonly WordEntry[]) =>
  new Map(entries.map(({ word, alternatives }) => [word, alternatives]));

type TableMap = ReturnType<typeof toMap>;

/** The mean over the languages that know the word, at least three. */
function pivot(
  word: number,
  partners: readonly { readonly locale: string; readonly there: TableMap; readonly back: TableMap }[],
): Map<number, Found> {
  const found = new Map<number, Found>();
  const knowing = partners.filter(({ there }) => there.has(word));
  const languages = Math.max(LANGUAGES_EXPECTED, knowing.length);
  for (const { locale, there, back } of knowing) {
    for (const between of there.get(word)!) {
      for (const { hash, weight } of back.get(between.hash) ?? []) {
        const known = found.get(hash) ?? { probability: 0, evidence: [] };
        known.probability += (between.weight * weight) / languages;
        if (known.evidence.at(-1) !== locale) known.evidence.push(locale);
        found.set(hash, known);
      }
    }
  }
  return found;
}

function selectBest(
  word: number,
  found: ReadonlyMap<number, Found>,
  spell: (word: number) => string | undefined,
): [number, Found][] {
  return [...found]
    .filter(
      ([synonym, { probability }]) =>
        probability >= PROBABILITY_MIN && synonym !== word && !shareStem(spell(word), spell(synonym)),
    )
    .sort(([, a], [, b]) => b.probability - a.probability)
    .slice(0, SYNONYMS_MAX);
}

/** Words of five letters have the same hash if they share their stem; this is for shorter ones. */
function shareStem(a = '', b = ''): boolean {
  const length = Math.min(a.length, b.length, 4);
  return length > 0 && a.slice(0, length) === b.slice(0, length);
}

/** Weights that sum to at most 1. */
function toAlternatives(best: readonly [number, Found][]): Alternative[] {
  const weights = best.map(([, { probability }]) => Math.min(WEIGHT_MAX, probability * WEIGHT_FACTOR));
  const sum = Math.max(
    1,
    weights.reduce((total, weight) => total + weight, 0),
  );
  return best.map(([hash], at) => ({ hash, weight: weights[at]! / sum }));
}
