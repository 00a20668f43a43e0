/**
 * The searchable form of what is published: per workspace, one passage for every live variant of an article, cut into
 * windows that are matched on their own. Everything here holds exactly what was published; no other table is read.
 */

/** One live variant of an article as it was published. The source itself has no `translationId`. */
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

/** A part of an answer, in the form that matching reads. The adapter stores it without looking inside. */
export interface IndexedChunk {
  /** Hashes of the different words, title and aliases included: what the candidates are found by. */
  readonly terms: Int32Array;
  /** Sentence offsets and folded words. */
  readonly normalized: Uint8Array;
  /** Lengths of the answer's part, for scoring. */
  readonly sentences: number;
  readonly words: number;
  readonly ngrams: number;
}

export interface IndexedPassage extends PublishedVariant {
  /** Title and aliases in folded form, each a short document of its own. */
  readonly titles: Uint8Array;
  /** At least one, in the order of the answer. */
  readonly chunks: readonly IndexedChunk[];
}

/** A tokenized text; the store adds which article and revision it is. */
export type IndexedText = Omit<
  IndexedPassage,
  'articleId' | 'translationId' | 'revision' | 'sourceRevision' | 'stale'
>;

/** The content of an article or of a translation of one. A translation without url has the article's. */
export type ArticleContent = {
  readonly title: string;
  readonly answer: string;
  readonly aliases: readonly string[];
  readonly url?: string;
};

/** What a workspace holds in one locale. Sums are over the answers' windows. */
export interface Partition {
  readonly locale: string;
  readonly articles: number;
  /** How many of the articles are sources, not translations. */
  readonly sources: number;
  readonly chunks: number;
  readonly sentences: number;
  readonly words: number;
  readonly ngrams: number;
}

/** In how many windows of a locale a term occurs. */
export interface TermCount {
  readonly term: number;
  readonly chunks: number;
}

export interface WeightedTerm {
  readonly term: number;
  readonly weight: number;
}

export interface Candidate {
  /** Names exactly this publication of the variant: publishing again gives a new one. */
  readonly passageId: number;
  readonly articleId: string;
  /** Position of the window in the answer. */
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

export interface Passage extends PublishedVariant {
  readonly passageId: number;
  /** The folded windows, in the order of the answer. */
  readonly chunks: readonly Uint8Array[];
}

/** Bound to one workspace. A passage that was replaced or removed between two calls is simply absent from the second. */
export interface Passages {
  partitions(): Promise<Partition[]>;
  /** Terms that occur nowhere in the locale are left out. */
  termCounts(locale: string, terms: readonly number[]): Promise<TermCount[]>;
  /** Windows of the locale that hold any of the terms, those with the greatest sum of weights first, at most `limit`. */
  candidates(locale: string, terms: readonly WeightedTerm[], limit: number): Promise<Candidate[]>;
  /** Every live variant of the articles. */
  liveVariants(articleIds: readonly string[]): Promise<LiveVariant[]>;
  /** In the order asked for. */
  load(passageIds: readonly number[]): Promise<Passage[]>;
}

/** A passage in the index, by which everything written anew is known to come later: new rows have greater numbers. */
export interface PublishedPassage {
  readonly passageId: number;
  readonly workspaceId: string;
  readonly variant: PublishedVariant;
}

/** The index over all workspaces, for writing it anew when texts are tokenized differently. */
export interface PassageIndex {
  /** Which tokenizer wrote the index, and down to which passage another one has written it anew since. */
  state(): Promise<{
    readonly tokenizer?: string;
    readonly renewal?: { readonly tokenizer: string; readonly downTo: number };
  }>;
  /** Greatest number first. */
  before(passageId: number, limit: number): Promise<readonly PublishedPassage[]>;
  /** Those that are still there get this form, and the index remembers how far this tokenizer has come. */
  renew(
    passages: readonly (Pick<IndexedPassage, 'titles' | 'chunks'> & { readonly passageId: number })[],
    renewal: { readonly tokenizer: string; readonly downTo: number },
  ): Promise<void>;
  /** From now on this tokenizer has written all of the index. */
  finish(tokenizer: string): Promise<void>;
}
