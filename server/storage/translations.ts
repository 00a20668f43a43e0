import type { AuditEntry } from './audit.ts';
import type { ArticleContent, IndexedText } from './passages.ts';

/** The status of the working copy; whether it is stale, and whether something is live, are questions of their own. */
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

/** Which content of the source a text was made for. */
export type SourceRef = { readonly revision: number; readonly contentHash: string };

export type Review = {
  readonly decision: 'approve' | 'request_changes';
  /** What the reviewer saw. */
  readonly revision: number;
  /** Who wrote the text that was reviewed. */
  readonly authorId: string;
  readonly reviewerId: string;
  readonly reviewNote?: string;
  readonly reviewedAt: number;
};

export type Translation = {
  readonly id: string;
  readonly articleId: string;
  /** Canonical. */
  readonly locale: string;
  readonly status: TranslationStatus;
  /** The newest revision: the working copy. */
  readonly revision: number;
  readonly source: SourceRef;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  /** What visitors are served while the article itself is published. */
  readonly live?: {
    readonly revision: number;
    readonly source: SourceRef;
    readonly publishedAt: number;
    readonly publishedBy: string;
  };
  /** The review of the working copy, until it is edited. */
  readonly review?: Review;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

export type TranslationRevision = {
  readonly revision: number;
  readonly event: TranslationEvent;
  readonly status: TranslationStatus;
  readonly sourceRevision: number;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly authorId: string;
  readonly reviewerId?: string;
  readonly reviewNote?: string;
  readonly createdAt: number;
};

/** The article as the rules saw it: both numbers together tell what it says, and what of it is served. */
export type ArticleSeen = {
  readonly revision: number;
  /** Absent while the article is not published. */
  readonly liveRevision?: number;
};

export type TranslationStep = {
  readonly translationId: string;
  readonly baseRevision: number;
  readonly articleSeen: ArticleSeen;
  readonly event: TranslationEvent;
  readonly status: TranslationStatus;
  /** 'keep': the content that it was made for stays. */
  readonly source: SourceRef | 'keep';
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  /** Replaces the standing review; 'keep' leaves it. Absent: there is none afterwards. */
  readonly review?: Review | 'keep';
  /** 'this': the new revision goes live, and `indexed` is its search index entry. */
  readonly live: 'keep' | 'this' | 'none';
  /** Needed with `live: 'this'` while the article is published; otherwise nothing is indexed. */
  readonly indexed?: IndexedText;
  /** Who takes the step. */
  readonly authorId: string;
  readonly atMillis: number;
  readonly audit: AuditEntry;
};

export type NewTranslation = Pick<
  TranslationStep,
  | 'translationId'
  | 'articleSeen'
  | 'content'
  | 'contentHash'
  | 'searchSummary'
  | 'authorId'
  | 'atMillis'
  | 'audit'
> & {
  readonly articleId: string;
  /** Canonical. */
  readonly locale: string;
  readonly source: SourceRef;
};

/** A translation with which something may have to be done, and its article as far as that says why. */
export type ReviewQueueItem = Pick<
  Translation,
  'id' | 'articleId' | 'locale' | 'status' | 'revision' | 'review' | 'updatedAt' | 'updatedBy'
> & {
  readonly title: string;
  readonly articleTitle: string;
  /** The content that what is live was made for; absent while nothing is live. */
  readonly liveSourceHash?: string;
  /** The content of the article that translations are held against, and since when it is so and by whom. */
  readonly compared: { readonly contentHash: string; readonly at: number; readonly by: string };
};

export type Conflict = {
  readonly outcome: 'conflict';
  readonly currentRevision: number;
  readonly changedBy: string;
  readonly changedAt: number;
};

export type Translations = {
  /** The translations of an article, by locale. */
  list(articleId: string): Promise<readonly Translation[]>;
  find(articleId: string, translationId: string): Promise<Translation | undefined>;
  /** Newest first. */
  revisions(
    translationId: string,
    limit: number,
    beforeRevision?: number,
  ): Promise<readonly TranslationRevision[]>;
  countRevisions(translationId: string): Promise<number>;
  /**
   * Translations of the workspace by id, after the given one: at least those that are in one of these statuses and those that are live
   * for other content than their article has.
   */
  listReviewQueue(
    statuses: readonly TranslationStatus[],
    limit: number,
    afterId?: string,
  ): Promise<readonly ReviewQueueItem[]>;
  /** The author of the newest revision that one of these events made. */
  lastAuthor(translationId: string, events: readonly TranslationEvent[]): Promise<string | undefined>;
  /** A draft with its first revision. 'outdated' when the article is no longer as it was seen. */
  create(
    translation: NewTranslation,
    localesMax: number,
  ): Promise<'created' | 'locale_taken' | 'too_many_locales' | 'source_locale' | 'outdated' | 'gone'>;
  /**
   * Appends a revision and moves the translation to it, with its passage where `live` changes, if `baseRevision` is still the newest
   * ('conflict' otherwise) and the article is still as it was seen ('outdated' otherwise: decide anew).
   */
  apply(step: TranslationStep): Promise<{ readonly outcome: 'applied' | 'outdated' | 'gone' } | Conflict>;
};
