import type { AuditEntry } from './audit.ts';
import type { ArticleContent, IndexedText } from './passages.ts';

/** The status of the working copy, independent of whether it is stale or something is live. */
export type TranslationStatus =
  | 'draft'
  | 'in_review'
  | 'changes_requested'
  | 'approved'
  | 'published'
  | 'archived';

export type TranslationEvent =
  | 'created'
  | 'edited'
  | 'submitted'
  | 'approved'
  | 'changes_requested'
  | 'published'
  | 'archived'
  | 'restored'
  | 'imported';

/** The revision and content of the source that a text was written for. */
export type SourceRef = { revision: number; contentHash: string };

export type Review = {
  decision: 'approve' | 'request_changes';
  /** The revision that was reviewed. */
  revision: number;
  /** The author of the reviewed text. */
  authorId: string;
  reviewerId: string;
  reviewNote?: string;
  reviewedAt: number;
};

export type Translation = {
  id: string;
  articleId: string;
  /** Canonical BCP 47 tag. */
  locale: string;
  status: TranslationStatus;
  /** The newest revision, which editors work on. */
  revision: number;
  source: SourceRef;
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  /** The revision that visitors see while the article is published. */
  live?: {
    revision: number;
    source: SourceRef;
    publishedAt: number;
    publishedBy: string;
  };
  /** The review of the working copy, until the next edit. */
  review?: Review;
  createdAt: number;
  createdBy: string;
  updatedAt: number;
  updatedBy: string;
};

export type TranslationRevision = {
  revision: number;
  event: TranslationEvent;
  status: TranslationStatus;
  sourceRevision: number;
  content: ArticleContent;
  contentHash: string;
  authorId: string;
  reviewerId?: string;
  reviewNote?: string;
  createdAt: number;
};

/**
 * The article's revisions as the caller read them; together they detect a concurrent edit or
 * publication.
 */
export type ArticleVersion = {
  revision: number;
  /** Absent while the article is not published. */
  liveRevision?: number;
};

export type TranslationTransition = {
  translationId: string;
  baseRevision: number;
  articleVersion: ArticleVersion;
  event: TranslationEvent;
  status: TranslationStatus;
  /** 'keep' leaves the stored reference unchanged. */
  source: SourceRef | 'keep';
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  /** Replaces the current review; 'keep' leaves it, absent removes it. */
  review?: Review | 'keep';
  /** 'this' publishes the new revision under the search index entry `indexed`. */
  live: 'keep' | 'this' | 'none';
  /** Required with `live: 'this'` while the article is published; otherwise nothing is indexed. */
  indexed?: IndexedText;
  /** The member who makes the change. */
  authorId: string;
  atMillis: number;
  /** Absent when one audit row covers many translations. */
  audit?: AuditEntry;
};

export type NewTranslation = Pick<
  TranslationTransition,
  | 'translationId'
  | 'articleVersion'
  | 'content'
  | 'contentHash'
  | 'searchSummary'
  | 'authorId'
  | 'atMillis'
  | 'audit'
> & {
  articleId: string;
  /** Canonical BCP 47 tag. */
  locale: string;
  source: SourceRef;
};

/** A translation that may need work, with the article data that shows why. */
export type ReviewQueueItem = Pick<
  Translation,
  'id' | 'articleId' | 'locale' | 'status' | 'revision' | 'review' | 'updatedAt' | 'updatedBy'
> & {
  title: string;
  articleTitle: string;
  /** The source content that the live revision was written for; absent while nothing is live. */
  liveSourceHash?: string;
  /** The article content that translations are compared with, and when and by whom it was set. */
  compared: { contentHash: string; at: number; by: string };
};

export type Conflict = {
  outcome: 'conflict';
  currentRevision: number;
  changedBy: string;
  changedAt: number;
};

export type Translations = {
  /** Lists the translations of an article by locale. */
  list(articleId: string): Promise<readonly Translation[]>;
  find(articleId: string, translationId: string): Promise<Translation | undefined>;
  /** Lists revisions, newest first. */
  revisions(
    translationId: string,
    limit: number,
    beforeRevision?: number,
  ): Promise<readonly TranslationRevision[]>;
  countRevisions(translationId: string): Promise<number>;
  /**
   * Lists translations of the workspace by id, after the given one: those with one of these
   * statuses, and those whose live revision was written for other content than the article has.
   */
  listReviewQueue(
    statuses: readonly TranslationStatus[],
    limit: number,
    afterId?: string,
  ): Promise<readonly ReviewQueueItem[]>;
  /** Returns the author of the newest revision that one of these events created. */
  lastAuthor(translationId: string, events: readonly TranslationEvent[]): Promise<string | undefined>;
  /**
   * Creates a draft with its first revision. Returns 'outdated' when the article has changed since
   * the caller read it.
   */
  create(
    translation: NewTranslation,
    localesMax: number,
  ): Promise<'created' | 'locale_taken' | 'too_many_locales' | 'source_locale' | 'outdated' | 'gone'>;
  /**
   * Appends a revision and makes it the newest, updating its passage when `live` changes. Returns
   * 'conflict' unless `baseRevision` is still the newest, and 'outdated' when the article has
   * changed since the caller read it; decide again then.
   */
  apply(step: TranslationTransition): Promise<{ outcome: 'applied' | 'outdated' | 'gone' } | Conflict>;
  /** Deletes a translation and its revisions, unless one of them was ever published. */
  remove(
    translationId: string,
    baseRevision: number,
    audit: AuditEntry,
  ): Promise<'removed' | 'was_published' | 'gone' | Conflict>;
};
