import { getLanguage } from '../../text.ts';
import type { Alternative, Dictionary } from './dictionary.ts';
import { selectBest } from './translations.ts';
import type { WordTable } from './word-table.ts';

export type DictionaryTable = { readonly from: string; readonly to: string; readonly table: WordTable };

/**
 * Looks words up in the tables of a workspace. Translations from one translation to another go
 * through the languages that both are connected with, usually the one of the articles.
 */
export function openDictionary(tables: readonly DictionaryTable[]): Dictionary {
  const byLocales = new Map(tables.map(({ from, to, table }) => [toKey(from, to), table]));
  const locales = [...new Set(tables.map(({ from }) => from))];
  const find = (from: string, to: string) => byLocales.get(toKey(from, to));

  /** The locale itself, else one of the same language. */
  function resolve(locale: string): string | undefined {
    if (locales.includes(locale)) return locale;
    const language = getLanguage(locale);
    return locales.find((one) => getLanguage(one) === language);
  }

  const findPivots = (from: string, to: string) =>
    locales.filter((one) => one !== from && one !== to && find(from, one) && find(one, to));

  function lookUpThrough(pivots: readonly string[], from: string, to: string, word: number): Alternative[] {
    const weights = new Map<number, number>();
    for (const pivot of pivots) {
      for (const between of find(from, pivot)!.lookUp(word)) {
        for (const { hash, weight } of find(pivot, to)!.lookUp(between.hash)) {
          weights.set(hash, (weights.get(hash) ?? 0) + between.weight * weight);
        }
      }
    }
    return selectBest([...weights].map(([hash, weight]) => ({ hash, weight })));
  }

  return {
    lookUp(wantedFrom, wantedTo, word) {
      const [from, to] = [resolve(wantedFrom), resolve(wantedTo)];
      if (from === undefined || to === undefined) return [];
      const direct = find(from, to);
      if (direct || from === to) return direct?.lookUp(word) ?? [];
      return lookUpThrough(findPivots(from, to), from, to, word);
    },
    has(wantedFrom, wantedTo) {
      const [from, to] = [resolve(wantedFrom), resolve(wantedTo)];
      if (from === undefined || to === undefined) return false;
      return find(from, to) !== undefined || (from !== to && findPivots(from, to).length > 0);
    },
  };
}

const toKey = (from: string, to: string) => `${from} ${to}`;
