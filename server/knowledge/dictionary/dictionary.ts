import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { evictLeastUsed } from '../../base/cache.ts';
import { getLanguage } from '../../base/text.ts';
import type { Dictionaries } from '../../storage/dictionaries.ts';

/** A word of another language, or a synonym, that stands for a word; learned from the workspace's translations. */
export type Alternative = {
  /** Word hash of `hashTerms`. */
  hash: number;
  /** Between 0 and 1; the alternatives of a word sum to at most 1. */
  weight: number;
};

export type Dictionary = {
  /**
   * Returns alternatives in locale `to` for a word, by its hash, of locale `from`. Equal locales
   * give synonyms. Empty when the word is unknown.
   */
  lookUp(from: string, to: string, word: number): readonly Alternative[];
  /** Whether a dictionary between the two locales was learned. */
  has(from: string, to: string): boolean;
};

const ALTERNATIVES_MAX = 6;

/** Returns the best alternatives; their weights sum to 1. */
export function selectBest(alternatives: readonly Alternative[]): Alternative[] {
  const best = alternatives.toSorted((a, b) => b.weight - a.weight).slice(0, ALTERNATIVES_MAX);
  const sum = best.reduce((total, { weight }) => total + weight, 0);
  return best.map(({ hash, weight }) => ({ hash, weight: weight / sum }));
}

/** Words with their alternatives, in the form in which they are stored: arrays in one block of bytes. */
type WordTable = {
  words: number;
  bytes: number;
  lookUp(word: number): readonly Alternative[];
};

export type WordEntry = { word: number; alternatives: readonly Alternative[] };

const HEADER_BYTES = 8;
const WEIGHT_MAX = 65_535;
const NO_ALTERNATIVES: readonly Alternative[] = [];

/**
 * Layout: number of words, number of alternatives, words in ascending order, the end of each word's
 * alternatives, their hashes, their weights in 1/65,535.
 */
export function encodeWordTable(entries: readonly WordEntry[]): Uint8Array {
  const sorted = entries.toSorted((a, b) => a.word - b.word);
  const count = sorted.reduce((sum, { alternatives }) => sum + alternatives.length, 0);
  const content = new Uint8Array(HEADER_BYTES + sorted.length * 8 + count * 6);
  new Int32Array(content.buffer, 0, 2).set([sorted.length, count]);
  const { words, ends, hashes, weights } = toArrays(content);
  let end = 0;
  for (const [at, { word, alternatives }] of sorted.entries()) {
    for (const { hash, weight } of alternatives) {
      hashes[end] = hash;
      weights[end] = Math.floor(weight * WEIGHT_MAX);
      end += 1;
    }
    words[at] = word;
    ends[at] = end;
  }
  return content;
}

export function decodeWordTable(content: Uint8Array): WordTable {
  // The arrays need an aligned start.
  const { words, ends, hashes, weights } = toArrays(content.byteOffset % 4 === 0 ? content : content.slice());
  return {
    words: words.length,
    bytes: content.byteLength,
    lookUp(word) {
      const at = findIndex(words, word);
      if (at === undefined) return NO_ALTERNATIVES;
      const alternatives: Alternative[] = [];
      for (let entry = at === 0 ? 0 : ends[at - 1]!; entry < ends[at]!; entry += 1) {
        alternatives.push({ hash: hashes[entry]!, weight: weights[entry]! / WEIGHT_MAX });
      }
      return alternatives;
    },
  };
}

function toArrays({ buffer, byteOffset }: Uint8Array) {
  const [wordCount, count] = new Int32Array(buffer, byteOffset, 2) as unknown as [number, number];
  const start = byteOffset + HEADER_BYTES;
  return {
    words: new Int32Array(buffer, start, wordCount),
    ends: new Int32Array(buffer, start + wordCount * 4, wordCount),
    hashes: new Int32Array(buffer, start + wordCount * 8, count),
    weights: new Uint16Array(buffer, start + wordCount * 8 + count * 4, count),
  };
}

function findIndex(sorted: Int32Array, value: number): number | undefined {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sorted[middle]!;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

type DictionaryTable = { from: string; to: string; table: WordTable };

/**
 * Looks words up in the workspace's tables. Between two translations, looks words up through the
 * languages that both are paired with, usually the articles' own.
 */
export function openDictionary(tables: readonly DictionaryTable[]): Dictionary {
  const byLocales = new Map(tables.map(({ from, to, table }) => [toKey(from, to), table]));
  const locales = [...new Set(tables.map(({ from }) => from))];
  const findTable = (from: string, to: string) => byLocales.get(toKey(from, to));

  /** Returns the locale itself if it has tables, else one of the same language. */
  function resolveLocale(locale: string): string | undefined {
    if (locales.includes(locale)) return locale;
    const language = getLanguage(locale);
    return locales.find((candidate) => getLanguage(candidate) === language);
  }

  const findPivots = (from: string, to: string) =>
    locales.filter(
      (locale) => locale !== from && locale !== to && findTable(from, locale) && findTable(locale, to),
    );

  function lookUpThrough(pivots: readonly string[], from: string, to: string, word: number): Alternative[] {
    const weights = new Map<number, number>();
    for (const pivot of pivots) {
      for (const between of findTable(from, pivot)!.lookUp(word)) {
        for (const { hash, weight } of findTable(pivot, to)!.lookUp(between.hash)) {
          weights.set(hash, (weights.get(hash) ?? 0) + between.weight * weight);
        }
      }
    }
    return selectBest([...weights].map(([hash, weight]) => ({ hash, weight })));
  }

  return {
    lookUp(wantedFrom, wantedTo, word) {
      const [from, to] = [resolveLocale(wantedFrom), resolveLocale(wantedTo)];
      if (from === undefined || to === undefined) return [];
      const direct = findTable(from, to);
      if (direct || from === to) return direct?.lookUp(word) ?? [];
      return lookUpThrough(findPivots(from, to), from, to, word);
    },
    has(wantedFrom, wantedTo) {
      const [from, to] = [resolveLocale(wantedFrom), resolveLocale(wantedTo)];
      if (from === undefined || to === undefined) return false;
      return findTable(from, to) !== undefined || (from !== to && findPivots(from, to).length > 0);
    },
  };
}

const toKey = (from: string, to: string) => `${from} ${to}`;

/** The dictionaries of recently used workspaces, in memory. */
type LoadedDictionaries = {
  /** Loads the workspace's dictionary on first use. */
  get(workspaceId: string): Promise<Dictionary>;
  /** Drops the workspace's dictionary, which the next use reloads; without a workspace, drops all. */
  drop(workspaceId?: string): void;
};

const BYTES_MAX = 64 * 1024 * 1024;
/** Memory attributed to each workspace besides its tables. */
const OVERHEAD_BYTES = 1_000;

type Entry = { dictionary: Promise<Dictionary>; bytes: number };

export function createLoadedDictionaries(
  getStore: (workspaceId: string) => { dictionaries: Dictionaries },
  bytesMax = BYTES_MAX,
): LoadedDictionaries {
  /** Least recently used first. */
  const entries = new Map<string, Entry>();

  function add(workspaceId: string): Promise<Dictionary> {
    const loading = load(getStore(workspaceId).dictionaries);
    const entry: Entry = { dictionary: loading.then(openDictionary), bytes: OVERHEAD_BYTES };
    entries.set(workspaceId, entry);
    loading.then(
      (tables) => {
        entry.bytes += tables.reduce((sum, { table }) => sum + table.bytes, 0);
        evictLeastUsed(entries, bytesMax, (workspaceId) => entries.delete(workspaceId));
      },
      () => entries.delete(workspaceId),
    );
    return entry.dictionary;
  }

  return {
    get(workspaceId) {
      const cachedEntry = entries.get(workspaceId);
      if (!cachedEntry) return add(workspaceId);
      entries.delete(workspaceId);
      entries.set(workspaceId, cachedEntry);
      return cachedEntry.dictionary;
    },
    drop(workspaceId) {
      if (workspaceId === undefined) entries.clear();
      else entries.delete(workspaceId);
    },
  };
}

async function load(dictionaries: Dictionaries): Promise<DictionaryTable[]> {
  const tables: DictionaryTable[] = [];
  for (const { from, to } of await dictionaries.list()) {
    const content = await dictionaries.find(from, to);
    const table = content && decodeIfReadable(content);
    if (table) tables.push({ from, to, table });
    // Reading a table of up to a megabyte blocks the event loop.
    await yieldToEventLoop();
  }
  return tables;
}

/** Returns undefined for a damaged table, which searches ignore until it is learned again. */
function decodeIfReadable(content: Uint8Array): WordTable | undefined {
  try {
    return decodeWordTable(content);
  } catch {
    return undefined;
  }
}
