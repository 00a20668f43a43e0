/**
 * The search index: per workspace, one passage for every live variant of an article, cut into chunks that match
 * separately. The index holds exactly the published content; queries read no other table.
 */

/** A live variant of an article as published. The source has no `translationId`. */
export interface PublishedVariant {
  readonly articleId: string;
  readonly translationId?: string;
  readonly slug: string;
  /** Canonical BCP 47 tag. */
  readonly locale: string;
  readonly revision: number;
  readonly sourceRevision: number;
  readonly title: string;
  readonly answer: string;
  readonly aliases: readonly string[];
  readonly url?: string;
  readonly stale: boolean;
}

/** A chunk of an answer, tokenized. The adapter stores it as opaque data. */
export interface IndexedChunk {
  /** Hashes of the distinct words, including title and aliases; used to find candidates. */
  readonly terms: Int32Array;
  /** Sentence offsets and normalized words. */
  readonly normalized: Uint8Array;
  /** Lengths of the chunk, for scoring. */
  readonly sentences: number;
  readonly words: number;
  readonly ngrams: number;
}

export interface IndexedPassage extends PublishedVariant {
  /** Title and aliases, normalized, each a short document. */
  readonly titles: Uint8Array;
  /** At least one, in the order of the answer. */
  readonly chunks: readonly IndexedChunk[];
}

/** A tokenized text; the store adds the article and revision. */
export type IndexedText = Omit<
  IndexedPassage,
  'articleId' | 'translationId' | 'revision' | 'sourceRevision' | 'stale'
>;

/** The content of an article or translation. A translation without `url` uses the article's. */
export type ArticleContent = {
  readonly title: string;
  readonly answer: string;
  readonly aliases: readonly string[];
  readonly url?: string;
};

/** Totals of a workspace in one locale; sums are over the chunks of answers. */
export interface Partition {
  readonly locale: string;
  readonly articles: number;
  /** How many of the articles are sources rather than translations. */
  readonly sources: number;
  readonly chunks: number;
  readonly sentences: number;
  readonly words: number;
  readonly ngrams: number;
}

/** The number of chunks in a locale that contain a term. */
export interface TermCount {
  readonly term: number;
  readonly chunks: number;
}

export interface WeightedTerm {
  readonly term: number;
  readonly weight: number;
}

export interface Candidate {
  /** Identifies this publication of the variant; republishing assigns a new one. */
  readonly passageId: number;
  readonly articleId: string;
  /** Index of the chunk in the answer. */
  readonly ordinal: number;
  readonly normalized: Uint8Array;
  readonly titles: Uint8Array;
}

export interface LiveVariant {
  readonly passageId: number;
  readonly articleId: string;
  readonly locale: string;
  readonly source: boolean;
}

type PublishedTitle = Pick<PublishedVariant, 'articleId' | 'title' | 'url'>;

export interface Passage extends PublishedVariant {
  readonly passageId: number;
  /** The tokenized chunks, in the order of the answer. */
  readonly chunks: readonly Uint8Array[];
}

/**
 * The index of one workspace. A passage that is replaced or removed between two calls is absent
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
}

/**
 * A passage during reindexing. New rows get greater numbers, so reindexing in descending order never
 * reaches them.
 */
export interface PublishedPassage {
  readonly passageId: number;
  readonly workspaceId: string;
  readonly variant: PublishedVariant;
}

/** The index of all workspaces, for reindexing after the tokenizer changes. */
export interface PassageIndex {
  /** Returns the tokenizer version of the index, and the progress of another version's reindexing. */
  state(): Promise<{
    readonly tokenizer?: string;
    readonly renewal?: { readonly tokenizer: string; readonly downTo: number };
  }>;
  /** Lists the passages with ids below `passageId`, highest id first. */
  before(passageId: number, limit: number): Promise<readonly PublishedPassage[]>;
  /**
   * Replaces the tokenized form of the passages that still exist, and records the progress of this
   * tokenizer version.
   */
  renew(
    passages: readonly (Pick<IndexedPassage, 'titles' | 'chunks'> & { readonly passageId: number })[],
    renewal: { readonly tokenizer: string; readonly downTo: number },
  ): Promise<void>;
  /** Records that this tokenizer version has written the whole index. */
  finish(tokenizer: string): Promise<void>;
}
