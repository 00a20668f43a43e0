/**
 * Dictionaries learned from a workspace's published translations, and the texts to learn from.
 * They are derived data: exports leave them out, and they are learned again when they are missing.
 */

/** Maps words of one locale to words of another, or to synonyms if both locales are the same. */
export type StoredDictionary = {
  from: string;
  to: string;
  /** Opaque to the store. */
  content: Uint8Array;
  /** How synonyms are spelled; opaque to the store. */
  spellings?: string;
};

export type LocalePair = Pick<StoredDictionary, 'from' | 'to'>;

export type ParallelText = {
  locale: string;
  title: string;
  answer: string;
  aliases: readonly string[];
};

export type ParallelArticle = {
  source: ParallelText;
  /** Translations of exactly this source. */
  translations: readonly ParallelText[];
};

/** The texts from which dictionaries were learned, and the version of the algorithm. */
type DictionaryBuild = {
  /** Describes the passages of the workspace; changes with practically every publication. */
  fingerprint: string;
  version: string;
};

/** The dictionaries of one workspace. */
export type Dictionaries = {
  list(): Promise<readonly LocalePair[]>;
  find(from: string, to: string): Promise<Uint8Array | undefined>;
  findSpellings(locale: string): Promise<string | undefined>;
  /** Adds or replaces a dictionary. Does nothing once the workspace is removed. */
  put(dictionary: StoredDictionary): Promise<void>;
  /** Records the build, and removes all dictionaries except those of `keptPairs`. */
  finish(build: DictionaryBuild, keptPairs: readonly LocalePair[]): Promise<void>;
  /** Lists the ids of published articles in ascending order, starting after `afterId`. */
  articleIds(limit: number, afterId?: string): Promise<readonly string[]>;
  /** Returns the given articles that have published translations which are not stale. */
  parallelArticles(articleIds: readonly string[]): Promise<readonly ParallelArticle[]>;
};

/** The dictionaries of all workspaces. */
export type DictionaryBuilds = {
  /** Lists workspaces whose passages have changed since their last build, or whose build is of another version. */
  outdated(version: string): Promise<
    readonly {
      workspaceId: string;
      fingerprint: string;
      /** The number of locales in which the workspace has passages. */
      locales: number;
    }[]
  >;
};
