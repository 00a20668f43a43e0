import type { AuditEntry } from './audit.ts';
import type { ArticleContent, IndexedText } from './passages.ts';
import type { Conflict, TranslationStatus } from './translations.ts';

export type ImportedTranslation = {
  /** The id to use when the translation is new. */
  readonly idIfNew: string;
  /** Canonical BCP 47 tag. */
  readonly locale: string;
  readonly content: ArticleContent;
  /** SHA-256 of what a translator reads (title, answer, aliases), without the URL. */
  readonly contentHash: string;
  /** Derived from the answer, at most 280 characters. */
  readonly searchSummary: string;
  readonly indexed: IndexedText;
};

/** An article to import. It and its translations are published at once. */
export type ImportedArticle = {
  /** The id to use when the article is new. */
  readonly idIfNew: string;
  readonly slug: string;
  readonly locale: string;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  readonly indexed: IndexedText;
  /** The collection to move the article to, created if no collection has this name. Absent to keep the current one. */
  readonly collection?: { readonly idIfNew: string; readonly name: string };
  /** Replaces the tags. Absent to keep them. */
  readonly tags?: readonly string[];
  /**
   * Translations into other locales than the article's own. Existing translations that are not
   * listed stay unchanged.
   */
  readonly translations: readonly ImportedTranslation[];
  /**
   * Required when the article exists but is not published: its existing translations that are not
   * in `translations`, which go live again with it.
   */
  readonly republished?: readonly RepublishedTranslation[];
  /**
   * The source that the article comes from. An existing article must have this origin, unless `adopts` is set, and
   * these revisions; otherwise nothing is written.
   */
  readonly origin?: ArticleOrigin & {
    readonly adopts?: boolean;
    readonly revision: number | undefined;
    /** The existing translations into the imported locales. */
    readonly translationRevisions: ReadonlyMap<string, number>;
  };
};

export type ImportOutcome = {
  readonly slug: string;
  readonly articleId: string;
  /**
   * Whether the import added a revision of the source, and to how many translations it added one.
   */
  readonly sourceChanged: boolean;
  readonly translationsChanged: number;
  /** Whether the import moved the article to another collection or changed its tags. */
  readonly collectionOrTagsChanged: boolean;
  /**
   * Why nothing of the article was written. 'too_many_locales' counts stored translations too. 'outdated' means that
   * `republished` no longer matches the stored translations, or that the article was changed since `origin` was read.
   * 'slug_taken' means that the slug belongs to an article of another origin.
   */
  readonly skipReason?: 'too_many_locales' | 'outdated' | 'slug_taken';
};

/** A live translation with its search index entry. */
export type RepublishedTranslation = {
  readonly translationId: string;
  readonly revision: number;
  readonly indexed: IndexedText;
};

/** The live text of a translation, whether or not its article is published. */
type LiveText = {
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

/** Summary of a translation's state. */
export type VariantState = {
  readonly translationId: string;
  readonly locale: string;
  readonly status: TranslationStatus;
  readonly revision: number;
  readonly sourceHash: string;
  readonly live?: { readonly revision: number; readonly sourceHash: string };
};

/** The source of an article, and its place there. */
export type ArticleOrigin = { readonly sourceId: string; readonly place: string };

export type Article = {
  readonly id: string;
  readonly slug: string;
  readonly locale: string;
  readonly status: ArticleStatus;
  /** The newest revision, which editors work on. */
  readonly revision: number;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  /** The revision that visitors see. */
  readonly live?: {
    readonly revision: number;
    readonly contentHash: string;
    readonly url?: string;
    readonly publishedAt: number;
    readonly publishedBy: string;
  };
  readonly variants: readonly VariantState[];
  readonly collectionId?: string;
  /** Sorted. */
  readonly tags: readonly string[];
  /** Absent unless the article comes from a source. */
  readonly source?: ArticleOrigin;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

/** An article without its text, for lists. */
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

export type ArticleTransition = {
  readonly articleId: string;
  readonly baseRevision: number;
  readonly event: ArticleEvent;
  readonly status: ArticleStatus;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  /**
   * 'this' publishes the new revision under the search index entry `indexed`; 'none' unpublishes
   * the article and its translations.
   */
  readonly live: 'keep' | 'this' | 'none';
  readonly indexed?: IndexedText;
  /**
   * Required with `live: 'this'` when the article was not live: the translations to republish with
   * it, in their live revisions. The result is 'outdated' when other translations or revisions are live by now.
   */
  readonly variants?: readonly RepublishedTranslation[];
  readonly authorId: string;
  readonly atMillis: number;
  /** Absent when one audit row covers many articles. */
  readonly audit?: AuditEntry;
};

export type NewArticle = Pick<
  ArticleTransition,
  'articleId' | 'content' | 'contentHash' | 'searchSummary' | 'authorId' | 'atMillis'
> & {
  readonly slug: string;
  readonly locale: string;
  /** Absent when one audit row covers many articles. */
  readonly audit?: AuditEntry;
  readonly origin?: ArticleOrigin;
} & Partial<Pick<ImportedArticle, 'collection' | 'tags'>>;

/** All given conditions must hold. Locales are canonical. */
export type ArticleFilter = {
  /** Normalized for search; all must be in title, slug or aliases. */
  readonly words?: readonly string[] | undefined;
  readonly status?: ArticleStatus | undefined;
  /** Null for articles in no collection. */
  readonly collectionId?: string | null | undefined;
  readonly tag?: string | undefined;
  readonly sourceId?: string | undefined;
  /** Matches articles without an up-to-date live text in this locale. */
  readonly missing?: string | undefined;
  readonly changed?: boolean | undefined;
  /** `locale`, `translationStatus` and `stale` must match the same translation. */
  readonly locale?: string | undefined;
  readonly translationStatus?: TranslationStatus | undefined;
  readonly stale?: boolean | undefined;
};

export type ArticleSort = `${'created' | 'updated' | 'title'}_${'asc' | 'desc'}`;

/** The sort keys of a row in a list. */
export type ArticlePosition = {
  readonly id: string;
  readonly updatedAt?: number;
  readonly titleKey?: string;
};

export type ArticleQuery = {
  readonly filter: ArticleFilter;
  readonly sort: ArticleSort;
  readonly limit: number;
  readonly after?: ArticlePosition | undefined;
};

/** Sets or clears the collection of articles, or adds or removes a tag. */
export type OrganizeChange =
  | { readonly collectionId: string | null }
  | { readonly tag: string; readonly tagsMax: number }
  | { readonly untag: string };

export type OrganizeOutcome =
  | { readonly articleId: string; readonly outcome: 'changed' | 'unchanged'; readonly collectionId?: string }
  | { readonly articleId: string; readonly outcome: 'gone' | 'too_many_tags' };

/** A suggested alias that is not to be suggested again. */
export type DismissedAlias = { readonly alias: string; readonly locale: string };

export type DismissedAliases = {
  /** Lists the dismissed aliases of an article, oldest first. */
  list(articleId: string): Promise<readonly DismissedAlias[]>;
  /** Adds a dismissed alias without a revision, and keeps only the newest `limit` of the article. */
  add(articleId: string, dismissed: DismissedAlias, limit: number): Promise<'added' | 'gone'>;
};

export type Articles = {
  /** Creates a draft with its first revision. */
  create(article: NewArticle): Promise<'created' | 'slug_taken'>;
  find(articleId: string): Promise<Article | undefined>;
  /** Finds the id of the article with this slug, published or not. */
  findId(slug: string): Promise<string | undefined>;
  /** Lists articles newest first, starting after the given id. */
  list(limit: number, beforeId?: string): Promise<readonly ArticleHead[]>;
  /**
   * Reads a bounded number of articles in the query's order and returns up to `limit` that match; there
   * may be more after `continueAfter`.
   */
  search(
    query: ArticleQuery,
  ): Promise<{ readonly rows: readonly ArticleHead[]; readonly continueAfter?: ArticlePosition }>;
  /** Like `search`, but newest first, and returns only ids. */
  searchIds(
    filter: ArticleFilter,
    beforeId?: string,
  ): Promise<{ readonly ids: readonly string[]; readonly continueBefore?: string }>;
  /** Moves or tags articles in one transaction, without revisions. */
  organize(articleIds: readonly string[], change: OrganizeChange): Promise<readonly OrganizeOutcome[]>;
  /** Lists the live texts of the article's translations, even while the article is unpublished. */
  liveTexts(articleId: string): Promise<readonly LiveText[]>;
  /** Lists revisions, newest first. */
  revisions(articleId: string, limit: number, beforeRevision?: number): Promise<readonly ArticleRevision[]>;
  /**
   * Appends a revision and makes it the newest, if `baseRevision` still is. A change of the live
   * revision updates the passages and the stale flags of translations in the same transaction.
   */
  apply(step: ArticleTransition): Promise<{ readonly outcome: 'applied' | 'outdated' | 'gone' } | Conflict>;
  /** Deletes the article with its revisions, translations and passages. */
  remove(articleId: string, audit?: AuditEntry): Promise<'removed' | 'gone'>;
  /**
   * Imports and publishes articles with their translations in one transaction; articles that come back
   * with `skipReason` are skipped. Adds a revision only where the content hash or URL differs from the
   * published one. An imported translation counts as made for the source that it arrives with; other
   * live translations become stale when the source's content changes.
   */
  import(
    articles: readonly ImportedArticle[],
    by: { readonly actor: string; readonly atMillis: number },
    localesMax?: number,
  ): Promise<readonly ImportOutcome[]>;
  /** Finds the published article with this slug. */
  findLive(slug: string): Promise<ArticleLive | undefined>;
  /** Counts articles, translations and revisions. */
  count(): Promise<{ readonly articles: number; readonly translations: number; readonly revisions: number }>;
};
