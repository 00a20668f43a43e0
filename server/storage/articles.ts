import type { AuditEntry } from './audit.ts';
import type { ArticleContent, IndexedText } from './passages.ts';
import type { Conflict, TranslationStatus } from './translations.ts';

export type ImportedTranslation = {
  /** Used when the translation is new. */
  readonly idIfNew: string;
  /** Canonical. */
  readonly locale: string;
  readonly content: ArticleContent;
  /** SHA-256 of what a translator reads: title, answer, aliases. The address is not part of it. */
  readonly contentHash: string;
  /** Derived from the answer, at most 280 characters. */
  readonly searchSummary: string;
  readonly indexed: IndexedText;
};

/** One article as an operator hands it in: published at once, translations too. */
export type ImportedArticle = {
  /** Used when the article is new. */
  readonly idIfNew: string;
  readonly slug: string;
  readonly locale: string;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  readonly indexed: IndexedText;
  /** In other locales than the article's own. Translations that exist and are not among these stay as they are. */
  readonly translations: readonly ImportedTranslation[];
  /**
   * Needed where the article is known but not published: its translations in other locales than these, which are served again with
   * it.
   */
  readonly republished?: readonly RepublishedTranslation[];
  /** The audit row that is written when anything changed. */
  readonly auditId: string;
};

export type ImportOutcome = {
  readonly slug: string;
  readonly articleId: string;
  /** Whether a revision was made of the source, and of how many translations. */
  readonly sourceChanged: boolean;
  readonly translationsChanged: number;
  /**
   * Why nothing of the article was written. 'too_many_locales': with the translations that are stored already. 'outdated': what is
   * `servedAgain` is not so (any more).
   */
  readonly undone?: 'too_many_locales' | 'outdated';
};

/** A translation that has a live revision, and what that revision is found by. */
export type RepublishedTranslation = {
  readonly translationId: string;
  readonly revision: number;
  readonly indexed: IndexedText;
};

/** What a translation has live, whether or not its article is published. */
export type LiveText = {
  readonly translationId: string;
  readonly locale: string;
  readonly revision: number;
  readonly content: ArticleContent;
};

export type ArticleLive = {
  readonly articleId: string;
  readonly slug: string;
  readonly locale: string;
  readonly revision: number;
  readonly content: ArticleContent;
  readonly contentHash: string;
};

export type ArticleStatus = 'draft' | 'published' | 'unpublished';
export type ArticleEvent = 'created' | 'edited' | 'published' | 'unpublished' | 'imported';

/** How a translation of an article stands, at a glance. */
export type VariantState = {
  readonly translationId: string;
  readonly locale: string;
  readonly status: TranslationStatus;
  readonly revision: number;
  readonly sourceHash: string;
  readonly live?: { readonly revision: number; readonly sourceHash: string };
};

export type Article = {
  readonly id: string;
  readonly slug: string;
  readonly locale: string;
  readonly status: ArticleStatus;
  /** The newest revision: the working copy. */
  readonly revision: number;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  /** What visitors are served. */
  readonly live?: {
    readonly revision: number;
    readonly contentHash: string;
    readonly url?: string;
    readonly publishedAt: number;
    readonly publishedBy: string;
  };
  readonly variants: readonly VariantState[];
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

/** An article without its text, as lists show it. */
export type ArticleHead = Omit<Article, 'content' | 'searchSummary'> & {
  readonly content: Omit<ArticleContent, 'answer'>;
};

export type ArticleRevision = {
  readonly revision: number;
  readonly event: ArticleEvent;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly authorId: string;
  readonly createdAt: number;
};

export type ArticleStep = {
  readonly articleId: string;
  readonly baseRevision: number;
  readonly event: ArticleEvent;
  readonly status: ArticleStatus;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  /** 'this': the new revision goes live, and `indexed` is its search index entry. 'none': the article and its translations are served no more. */
  readonly live: 'keep' | 'this' | 'none';
  readonly indexed?: IndexedText;
  /**
   * Needed with `live: 'this'` where nothing was live before: the translations that are served with the article again, in the
   * revisions that they are live in. 'outdated' when these are no longer all of them.
   */
  readonly variants?: readonly RepublishedTranslation[];
  readonly authorId: string;
  readonly atMillis: number;
  readonly audit: AuditEntry;
};

export type NewArticle = Pick<
  ArticleStep,
  'articleId' | 'content' | 'contentHash' | 'searchSummary' | 'authorId' | 'atMillis' | 'audit'
> & { readonly slug: string; readonly locale: string };

export type Articles = {
  /** A draft with its first revision. */
  create(article: NewArticle): Promise<'created' | 'slug_taken'>;
  find(articleId: string): Promise<Article | undefined>;
  /** The id of the article with this slug, published or not. */
  findId(slug: string): Promise<string | undefined>;
  /** Newest first, after the article of the given id. */
  list(limit: number, beforeId?: string): Promise<readonly ArticleHead[]>;
  /** What its translations have live, whether or not it is published itself. */
  liveTexts(articleId: string): Promise<readonly LiveText[]>;
  /** Newest first. */
  revisions(articleId: string, limit: number, beforeRevision?: number): Promise<readonly ArticleRevision[]>;
  /**
   * Appends a revision and moves the article to it, if `baseRevision` is still the newest. Where what is live changes, passages change
   * with it, and those of translations learn whether they are stale.
   */
  apply(step: ArticleStep): Promise<{ readonly outcome: 'applied' | 'outdated' | 'gone' } | Conflict>;
  /** Removes the article with its revisions, translations and passages. */
  remove(articleId: string, audit: AuditEntry): Promise<'removed' | 'gone'>;
  /**
   * Publishes these articles and their translations, all or none but for those that come back undone: a new revision only where
   * content hash or address differ from the published ones, passages indexed with it, an audit row for what changed. A translation
   * handed in counts as a translation of the source handed in with it; published ones that were not handed in become stale when the
   * source's content changed.
   */
  import(
    articles: readonly ImportedArticle[],
    by: { readonly actor: string; readonly atMillis: number },
    localesMax?: number,
  ): Promise<readonly ImportOutcome[]>;
  /** The published article of this slug. */
  findLive(slug: string): Promise<ArticleLive | undefined>;
  /** How many articles, translations and revisions there are. */
  count(): Promise<{ readonly articles: number; readonly translations: number; readonly revisions: number }>;
};
