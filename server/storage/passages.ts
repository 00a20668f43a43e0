/**
 * The search index: per workspace, one passage for every live variant of an article, cut into chunks that match
 * separately. The index holds exactly the published content; queries read no other table.
 */

/** A live variant of an article as published. The source has no `translationId`. */
export interface PublishedVariant {
  articleId: string;
  translationId?: string;
  slug: string;
  /** Canonical BCP 47 tag. */
  locale: string;
  revision: number;
  sourceRevision: number;
  title: string;
  answer: string;
  aliases: readonly string[];
  url?: string;
  stale: boolean;
}

/** A chunk of an answer, tokenized. The adapter stores it as opaque data. */
export interface IndexedChunk {
  /** Hashes of the distinct words, including title and aliases; used to find candidates. */
  terms: Int32Array;
  /** Sentence offsets and normalized words. */
  normalized: Uint8Array;
  /** Lengths of the chunk, for scoring. */
  sentences: number;
  words: number;
  ngrams: number;
}

export interface IndexedPassage extends PublishedVariant {
  /** Title and aliases, normalized, each a short document. */
  titles: Uint8Array;
  /** At least one, in the order of the answer. */
  chunks: readonly IndexedChunk[];
}

/** A tokenized text; the store adds the article and revision. */
export type IndexedText = Omit<
  IndexedPassage,
  'articleId' | 'translationId' | 'revision' | 'sourceRevision' | 'stale'
>;

/** The content of an article or translation. A translation without `url` uses the article's. */
export type ArticleContent = {
  title: string;
  answer: string;
  aliases: readonly string[];
  url?: string;
};

/** Totals of a workspace in one locale; sums are over the chunks of answers. */
export interface Partition {
  locale: string;
  articles: number;
  /** How many of the articles are sources rather than translations. */
  sources: number;
  chunks: number;
  sentences: number;
  words: number;
  ngrams: number;
}

/** The number of chunks in a locale that contain a term. */
export interface TermCount {
  term: number;
  chunks: number;
}

export interface WeightedTerm {
  term: number;
  weight: number;
}

export interface Candidate {
  /** Identifies this publication of the variant; republishing assigns a new one. */
  passageId: number;
  articleId: string;
  /** Index of the chunk in the answer. */
  ordinal: number;
  normalized: Uint8Array;
  titles: Uint8Array;
}

export interface LiveVariant {
  passageId: number;
  articleId: string;
  locale: string;
  source: boolean;
}

type PublishedTitle = Pick<PublishedVariant, 'articleId' | 'title' | 'url'>;

export interface Passage extends PublishedVariant {
  passageId: number;
  /** The tokenized chunks, in the order of the answer. */
  chunks: readonly Uint8Array[];
}

/** A language, and the number of passages in it. */
export type PassageLanguage = { locale: string; articles: number };

/**
 * The index of one workspace, for a reader: texts that the reader does not see are never returned. The counts of
 * `partitions` and `termCounts` are of all passages, because the statistics of words are the same for everyone. A passage that is replaced or removed between two calls is absent
 * from the second.
 */
export interface Passages {
  partitions(): Promise<Partition[]>;
  /** Returns the frequency of each term that occurs in the locale. */
  termCounts(locale: string, terms: readonly number[]): Promise<TermCount[]>;
  /**
   * Returns up to `limit` chunks of the locale that contain any of the terms, highest sum of
   * weights first.
   */
  candidates(locale: string, terms: readonly WeightedTerm[], limit: number): Promise<Candidate[]>;
  /** Returns the first published articles of a locale, oldest first. */
  titles(locale: string, limit: number): Promise<PublishedTitle[]>;
  /** Returns up to `limit` chunks of a locale; meant for locales with few chunks. */
  chunks(locale: string, limit: number): Promise<Candidate[]>;
  /** Returns every live variant of the articles. */
  liveVariants(articleIds: readonly string[]): Promise<LiveVariant[]>;
  /** Returns passages in the order of the ids. */
  load(passageIds: readonly number[]): Promise<Passage[]>;
  /** Returns the languages of the passages that the reader sees, and how many there are. */
  languages(): Promise<PassageLanguage[]>;
  /** Returns the articles that the reader does not see. */
  hiddenArticles(): Promise<string[]>;
}

/**
 * A passage during reindexing. New rows get greater numbers, so reindexing in descending order never
 * reaches them.
 */
export interface PublishedPassage {
  passageId: number;
  workspaceId: string;
  variant: PublishedVariant;
}

/** The index of all workspaces, for reindexing after the tokenizer changes. */
export interface PassageIndex {
  /** Returns the tokenizer version of the index, and the progress of another version's reindexing. */
  state(): Promise<{
    tokenizer?: string;
    renewal?: { tokenizer: string; downTo: number };
  }>;
  /** Lists the passages with ids below `passageId`, highest id first. */
  before(passageId: number, limit: number): Promise<readonly PublishedPassage[]>;
  /**
   * Replaces the tokenized form of the passages that still exist, and records the progress of this
   * tokenizer version.
   */
  renew(
    passages: readonly (Pick<IndexedPassage, 'titles' | 'chunks'> & { passageId: number })[],
    renewal: { tokenizer: string; downTo: number },
  ): Promise<void>;
  /** Records that this tokenizer version has written the whole index. */
  finish(tokenizer: string): Promise<void>;
  /** Makes searches faster after many writes, in steps of a few milliseconds. Returns whether another step is left. */
  merge(): Promise<boolean>;
}
