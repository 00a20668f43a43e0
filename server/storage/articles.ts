import type { AuditEntry } from './audit.ts';
import type { ArticleContent, IndexedText } from './passages.ts';
import type { Conflict, TranslationStatus } from './translations.ts';

export type ImportedTranslation = {
  /** The id to use when the translation is new. */
  idIfNew: string;
  /** Canonical BCP 47 tag. */
  locale: string;
  content: ArticleContent;
  /** SHA-256 of what a translator reads (title, answer, aliases), without the URL. */
  contentHash: string;
  /** Derived from the answer, at most 280 characters. */
  searchSummary: string;
  indexed: IndexedText;
};

/** An article to import. It and its translations are published at once. */
export type ImportedArticle = {
  /** The id to use when the article is new. */
  idIfNew: string;
  slug: string;
  locale: string;
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  indexed: IndexedText;
  /** The collection to move the article to, created if no collection has this name. Absent to keep the current one. */
  collection?: { idIfNew: string; name: string };
  /** Replaces the tags. Absent to keep them. */
  tags?: readonly string[];
  /**
   * Translations into other locales than the article's own. Existing translations that are not
   * listed stay unchanged.
   */
  translations: readonly ImportedTranslation[];
  /**
   * Required when the article exists but is not published: its existing translations that are not
   * in `translations`, which go live again with it.
   */
  republished?: readonly RepublishedTranslation[];
  /**
   * The source that the article comes from. An existing article must have this origin, unless `adopts` is set, and
   * these revisions; otherwise nothing is written.
   */
  origin?: ArticleOrigin & {
    adopts?: boolean;
    revision: number | undefined;
    /** The existing translations into the imported locales. */
    translationRevisions: ReadonlyMap<string, number>;
  };
};

export type ImportOutcome = {
  slug: string;
  articleId: string;
  /**
   * Whether the import added a revision of the source, and to how many translations it added one.
   */
  sourceChanged: boolean;
  translationsChanged: number;
  /** Whether the import moved the article to another collection or changed its tags. */
  collectionOrTagsChanged: boolean;
  /**
   * Why nothing of the article was written. 'too_many_locales' counts stored translations too. 'outdated' means that
   * `republished` no longer matches the stored translations, or that the article was changed since `origin` was read.
   * 'slug_taken' means that the slug belongs to an article of another origin.
   */
  skipReason?: 'too_many_locales' | 'outdated' | 'slug_taken';
};

/** A live translation with its search index entry. */
export type RepublishedTranslation = {
  translationId: string;
  revision: number;
  indexed: IndexedText;
};

/** The live text of a translation, whether or not its article is published. */
type LiveText = {
  translationId: string;
  locale: string;
  revision: number;
  content: ArticleContent;
};

export type ArticleLive = {
  articleId: string;
  slug: string;
  locale: string;
  revision: number;
  content: ArticleContent;
  contentHash: string;
};

export type ArticleStatus = 'draft' | 'published' | 'unpublished';
export type ArticleEvent = 'created' | 'edited' | 'published' | 'unpublished' | 'imported';

/** Summary of a translation's state. */
export type VariantState = {
  translationId: string;
  locale: string;
  status: TranslationStatus;
  revision: number;
  sourceHash: string;
  live?: { revision: number; sourceHash: string };
};

/** The source of an article, and its place there. */
export type ArticleOrigin = { sourceId: string; place: string };

export type Article = {
  id: string;
  slug: string;
  locale: string;
  status: ArticleStatus;
  /** The newest revision, which editors work on. */
  revision: number;
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  /** The revision that visitors see. */
  live?: {
    revision: number;
    contentHash: string;
    url?: string;
    publishedAt: number;
    publishedBy: string;
  };
  variants: readonly VariantState[];
  collectionId?: string;
  /** Sorted. */
  tags: readonly string[];
  /** Absent unless the article comes from a source. */
  source?: ArticleOrigin;
  createdAt: number;
  createdBy: string;
  updatedAt: number;
  updatedBy: string;
};

/** An article without its text, for lists. */
export type ArticleHead = Omit<Article, 'content' | 'searchSummary'> & {
  content: Omit<ArticleContent, 'answer'>;
};

export type ArticleRevision = {
  revision: number;
  event: ArticleEvent;
  content: ArticleContent;
  contentHash: string;
  authorId: string;
  createdAt: number;
};

export type ArticleTransition = {
  articleId: string;
  baseRevision: number;
  event: ArticleEvent;
  status: ArticleStatus;
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  /**
   * 'this' publishes the new revision under the search index entry `indexed`; 'none' unpublishes
   * the article and its translations.
   */
  live: 'keep' | 'this' | 'none';
  indexed?: IndexedText;
  /**
   * Required with `live: 'this'` when the article was not live: the translations to republish with
   * it, in their live revisions. The result is 'outdated' when other translations or revisions are live by now.
   */
  variants?: readonly RepublishedTranslation[];
  authorId: string;
  atMillis: number;
  /** Absent when one audit row covers many articles. */
  audit?: AuditEntry;
};

export type NewArticle = Pick<
  ArticleTransition,
  'articleId' | 'content' | 'contentHash' | 'searchSummary' | 'authorId' | 'atMillis'
> & {
  slug: string;
  locale: string;
  /** Absent when one audit row covers many articles. */
  audit?: AuditEntry;
  origin?: ArticleOrigin;
} & Partial<Pick<ImportedArticle, 'collection' | 'tags'>>;

/** All given conditions must hold. Locales are canonical. */
export type ArticleFilter = {
  /** Normalized for search; all must be in title, slug or aliases. */
  words?: readonly string[] | undefined;
  status?: ArticleStatus | undefined;
  /** Null for articles in no collection. */
  collectionId?: string | null | undefined;
  tag?: string | undefined;
  sourceId?: string | undefined;
  /** Matches articles without an up-to-date live text in this locale. */
  missing?: string | undefined;
  changed?: boolean | undefined;
  /** `locale`, `translationStatus` and `stale` must match the same translation. */
  locale?: string | undefined;
  translationStatus?: TranslationStatus | undefined;
  stale?: boolean | undefined;
};

export type ArticleSort = `${'created' | 'updated' | 'title'}_${'asc' | 'desc'}`;

/** The sort keys of a row in a list. */
export type ArticlePosition = {
  id: string;
  updatedAt?: number;
  titleKey?: string;
};

export type ArticleQuery = {
  filter: ArticleFilter;
  sort: ArticleSort;
  limit: number;
  after?: ArticlePosition | undefined;
};

/** Sets or clears the collection of articles, or adds or removes a tag. */
export type OrganizeChange =
  | { collectionId: string | null }
  | { tag: string; tagsMax: number }
  | { untag: string };

export type OrganizeOutcome =
  | { articleId: string; outcome: 'changed' | 'unchanged'; collectionId?: string }
  | { articleId: string; outcome: 'gone' | 'too_many_tags' };

/** A suggested alias that is not to be suggested again. */
export type DismissedAlias = { alias: string; locale: string };

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
  search(query: ArticleQuery): Promise<{ rows: readonly ArticleHead[]; continueAfter?: ArticlePosition }>;
  /** Like `search`, but newest first, and returns only ids. */
  searchIds(
    filter: ArticleFilter,
    beforeId?: string,
  ): Promise<{ ids: readonly string[]; continueBefore?: string }>;
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
  apply(step: ArticleTransition): Promise<{ outcome: 'applied' | 'outdated' | 'gone' } | Conflict>;
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
    by: { actor: string; atMillis: number },
    localesMax?: number,
  ): Promise<readonly ImportOutcome[]>;
  /** Finds the published article with this slug. */
  findLive(slug: string): Promise<ArticleLive | undefined>;
  /** Counts articles, translations and revisions. */
  count(): Promise<{ articles: number; translations: number; revisions: number }>;
};
