import type { IndexedPassage } from './passages.ts';

/** What the analyser made of a text; the store adds which article and revision it is. */
export type AnalysedText = Omit<
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

export type ImportedTranslation = {
  /** Used when the translation is new. */
  readonly freshId: string;
  /** Canonical. */
  readonly locale: string;
  readonly content: ArticleContent;
  /** SHA-256 of the canonical content. */
  readonly contentHash: string;
  /** Derived from the answer, at most 280 characters. */
  readonly searchSummary: string;
  readonly analysed: AnalysedText;
};

/** One article as an operator hands it in: published at once, translations too. */
export type ImportedArticle = {
  /** Used when the article is new. */
  readonly freshId: string;
  readonly slug: string;
  readonly locale: string;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  readonly analysed: AnalysedText;
  /** In other locales than the article's own. Translations that exist and are not among these stay as they are. */
  readonly translations: readonly ImportedTranslation[];
  /** The audit row that is written when anything changed. */
  readonly freshAuditId: string;
};

export type ImportOutcome = {
  readonly slug: string;
  readonly articleId: string;
  /** Whether a revision was made of the source, and of how many translations. */
  readonly sourceChanged: boolean;
  readonly translationsChanged: number;
};

export type ArticleLive = {
  readonly articleId: string;
  readonly slug: string;
  readonly locale: string;
  readonly revision: number;
  readonly content: ArticleContent;
  readonly contentHash: string;
};

export type Articles = {
  /**
   * Publishes these articles and their translations, all or none: a new revision only where the content hash differs from the
   * published one, passages indexed with it, an audit row for what changed. A translation handed in counts as a translation
   * of the source handed in with it; published ones that were not handed in become stale when the source's content changed.
   */
  import(
    articles: readonly ImportedArticle[],
    by: { readonly actor: string; readonly atMillis: number },
  ): Promise<readonly ImportOutcome[]>;
  /** The published article of this slug. */
  findLive(slug: string): Promise<ArticleLive | undefined>;
  /** How many articles, translations and revisions there are. */
  count(): Promise<{ readonly articles: number; readonly translations: number; readonly revisions: number }>;
};
