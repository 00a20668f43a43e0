import { and, count, desc, eq, getTableColumns, gt, inArray, lt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  articleById,
  type Conflict,
  getContentColumns,
  insertTranslation,
  insertTranslationRevision,
  isThisTranslation,
  LIVE,
  NOT_LIVE,
  type ScheduledPublication,
  takenLocales,
  toContent,
  toContentColumns,
  toCreationColumns,
  toScheduled,
  UNREVIEWED,
  UNSCHEDULED,
  UPDATED,
} from './article-rows.ts';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import type { PublicationWrites } from './passage-writes.ts';
import type { ArticleContent, IndexedText } from './passages.ts';
import { articleRevisions, articles, translationRevisions, translations } from './schema/index.ts';
import { bound, db, input, matches, statement } from './statements.ts';
import { recordPublished } from './webhook-events.ts';

/** The status of the working copy, independent of whether it is stale or something is live. */
export type TranslationStatus = (typeof translations.$inferSelect)['status'];

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
  /** Only of an approved working copy. */
  scheduled?: ScheduledPublication;
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

/** Sorts after every revision. */
const AFTER_ALL_REVISIONS = Number.MAX_SAFE_INTEGER;
/** Sorts before every id. */
const BEFORE_ALL_IDS = '';

export function sqlTranslations(database: SqlDatabase, passages: PublicationWrites) {
  const { write } = database;
  const reads = createTranslationReads(database);

  return (workspaceId: string) => ({
    ...reads(workspaceId),
    /**
     * Creates a draft with its first revision. Returns 'outdated' when the article has changed since
     * the caller read it.
     */
    create: (draft: NewTranslation, localesMax: number) =>
      write(workspaceId, (tx) => createTranslation(tx, workspaceId, draft, localesMax)),
    /**
     * Appends a revision and makes it the newest, updating its passage when `live` changes. Returns
     * 'conflict' unless `baseRevision` is still the newest, and 'outdated' when the article has
     * changed since the caller read it; decide again then.
     */
    apply: (step: TranslationTransition) =>
      write(workspaceId, (tx) => applyTransition(tx, passages, workspaceId, step)),
    /** Deletes a translation and its revisions, unless one of them was ever published. */
    remove: (translationId: string, baseRevision: number, audit: AuditEntry) =>
      write(workspaceId, (tx) => removeTranslation(tx, workspaceId, { translationId, baseRevision, audit })),
  });
}

function createTranslationReads({ read }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists the translations of an article by locale. */
    list: (articleId: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(ofArticle, { workspaceId, articleId })).map(toTranslation),
      ),

    find: (articleId: string, translationId: string) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(translationById, { workspaceId, articleId, translationId });
        return row && toTranslation(row);
      }),

    /** Lists revisions, newest first. */
    revisions: (translationId: string, limit: number, beforeRevision: number = AFTER_ALL_REVISIONS) =>
      read(workspaceId, async (tx) =>
        (await tx.all(revisions, { workspaceId, translationId, limit, beforeRevision })).map(toRevision),
      ),

    countRevisions: (translationId: string) =>
      read(
        workspaceId,
        async (tx) => (await tx.get(revisionCount, { workspaceId, translationId }))?.rows ?? 0,
      ),

    /** Returns the author of the newest revision that one of these events created. */
    lastAuthor: (translationId: string, events: readonly TranslationEvent[]) =>
      read(workspaceId, async (tx) => {
        const parameters = { workspaceId, translationId, events: JSON.stringify(events) };
        return (await tx.get(lastAuthor, parameters))?.authorId;
      }),

    /**
     * Lists translations of the workspace by id, after the given one: those with one of these
     * statuses, and those whose live revision was written for other content than the article has.
     */
    listReviewQueue: (
      statuses: readonly TranslationStatus[],
      limit: number,
      afterId: string = BEFORE_ALL_IDS,
    ) =>
      read(workspaceId, async (tx) => {
        const parameters = { workspaceId, statuses: JSON.stringify(statuses), limit, afterId };
        return (await tx.all(reviewQueue, parameters)).map(toReviewQueueItem);
      }),
  });
}

type TranslationRow = ReturnType<NonNullable<typeof ofArticle.toRow>>;
type RevisionRow = ReturnType<NonNullable<typeof revisions.toRow>>;
type QueueRow = ReturnType<NonNullable<typeof reviewQueue.toRow>>;

function toTranslation(row: TranslationRow): Translation {
  const review = toReview(row);
  return {
    id: row.id,
    articleId: row.articleId,
    locale: row.locale,
    status: row.status,
    revision: row.revision,
    source: { revision: row.sourceRevision, contentHash: row.sourceHash },
    content: toContent(row),
    contentHash: row.contentHash,
    searchSummary: row.searchSummary,
    ...(row.liveRevision === null
      ? {}
      : {
          live: {
            revision: row.liveRevision,
            source: { revision: row.liveSourceRevision!, contentHash: row.liveSourceHash! },
            publishedAt: row.livePublishedAt!,
            publishedBy: row.livePublishedBy!,
          },
        }),
    ...(review ? { review } : {}),
    ...toScheduled(row),
    createdAt: row.createdAt,
    createdBy: row.createdBy,
    updatedAt: row.updatedAt,
    updatedBy: row.updatedBy,
  };
}

type ReviewRow = Pick<
  TranslationRow,
  'reviewDecision' | 'reviewRevision' | 'reviewAuthorId' | 'reviewerId' | 'reviewNote' | 'reviewedAt'
>;

function toReview(row: ReviewRow): Review | undefined {
  if (row.reviewDecision === null) return undefined;
  return {
    decision: row.reviewDecision,
    revision: row.reviewRevision!,
    authorId: row.reviewAuthorId!,
    reviewerId: row.reviewerId!,
    ...(row.reviewNote === null ? {} : { reviewNote: row.reviewNote }),
    reviewedAt: row.reviewedAt!,
  };
}

function toRevision(row: RevisionRow): TranslationRevision {
  return {
    revision: row.revision,
    event: row.event as TranslationEvent,
    status: row.status as TranslationStatus,
    sourceRevision: row.sourceRevision,
    content: toContent(row),
    contentHash: row.contentHash,
    authorId: row.authorId,
    ...(row.reviewerId === null ? {} : { reviewerId: row.reviewerId }),
    ...(row.reviewNote === null ? {} : { reviewNote: row.reviewNote }),
    createdAt: row.createdAt,
  };
}

function toReviewQueueItem(row: QueueRow): ReviewQueueItem {
  const review = toReview(row);
  return {
    id: row.id,
    articleId: row.articleId,
    locale: row.locale,
    status: row.status,
    revision: row.revision,
    title: row.title,
    articleTitle: row.articleTitle,
    ...(row.liveSourceHash === null ? {} : { liveSourceHash: row.liveSourceHash }),
    compared: { contentHash: row.referenceHash, at: row.comparedAt, by: row.comparedBy },
    ...(review ? { review } : {}),
    updatedAt: row.updatedAt,
    updatedBy: row.updatedBy,
  };
}

async function createTranslation(
  tx: WriteTx,
  workspaceId: string,
  draft: NewTranslation,
  localesMax: number,
): Promise<'created' | 'locale_taken' | 'too_many_locales' | 'source_locale' | 'outdated' | 'gone'> {
  const { translationId, articleId, locale, source, authorId: actor, atMillis } = draft;
  const [article, taken] = await Promise.all([
    tx.get(articleById, { workspaceId, articleId }),
    tx.all(takenLocales, { articleId }),
  ]);
  if (!article) return 'gone';
  if (article.locale === locale) return 'source_locale';
  if (taken.some((other) => other.locale === locale)) return 'locale_taken';
  if (taken.length >= localesMax) return 'too_many_locales';
  if (!isUnchanged(article, draft.articleVersion)) return 'outdated';
  const sourceColumns = { sourceRevision: source.revision, sourceHash: source.contentHash };
  await Promise.all([
    tx.run(insertTranslation, {
      id: translationId,
      workspaceId,
      articleId,
      locale,
      status: 'draft',
      revision: 1,
      ...sourceColumns,
      ...NOT_LIVE,
      ...UNREVIEWED,
      ...toCreationColumns({ actor, atMillis }),
    }),
    tx.run(insertTranslationRevision, {
      ...toTextColumns(draft),
      ...sourceColumns,
      revision: 1,
      event: 'created',
      status: 'draft',
    }),
  ]);
  if (draft.audit) await insertAudit(tx, workspaceId, draft.audit);
  return 'created';
}

async function applyTransition(
  tx: WriteTx,
  passages: PublicationWrites,
  workspaceId: string,
  step: TranslationTransition,
): Promise<{ outcome: 'applied' | 'outdated' | 'gone' } | Conflict> {
  const { translationId, event, status, authorId: actor, atMillis } = step;
  const current = await tx.get(translation, { workspaceId, translationId });
  if (!current) return { outcome: 'gone' };
  if (current.revision !== step.baseRevision) return toConflict(current);
  const { articleId, locale } = current;
  const article = (await tx.get(articleById, { workspaceId, articleId }))!;
  if (!isUnchanged(article, step.articleVersion)) return { outcome: 'outdated' };

  const revision = current.revision + 1;
  const currentSource = { sourceRevision: current.sourceRevision, sourceHash: current.sourceHash };
  const source =
    step.source === 'keep'
      ? currentSource
      : { sourceRevision: step.source.revision, sourceHash: step.source.contentHash };
  const review = step.review === 'keep' ? undefined : step.review;
  await Promise.all([
    tx.run(insertTranslationRevision, {
      ...toTextColumns(step),
      ...source,
      revision,
      event,
      status,
      reviewerId: review?.reviewerId,
      reviewNote: review?.reviewNote,
    }),
    tx.run(revise, { translationId, revision, status, ...source, atMillis, actor }),
    step.review !== 'keep' && tx.run(setReview, { translationId, ...toReviewColumns(review) }),
    step.live === 'this' && tx.run(goLive, { translationId, revision, ...source, atMillis, actor }),
    step.live === 'none' && tx.run(takeDown, { translationId }),
  ]);
  if (step.live === 'this' && article.liveRevision !== null) {
    const url = step.content.url ?? article.liveUrl;
    await passages.writePassage(tx, workspaceId, {
      ...step.indexed!,
      ...(url === null ? {} : { url }),
      articleId,
      translationId,
      revision,
      sourceRevision: source.sourceRevision,
      stale: source.sourceHash !== article.liveHash,
    });
  }
  if (step.live === 'this') {
    const published = { articleId, slug: article.slug, translationId, locale, revision };
    await recordPublished(tx, passages, workspaceId, published, step.content, atMillis);
  }
  // Without a live revision there is no passage; a passage in this locale may then be the article's own.
  if (step.live === 'none' && current.liveRevision !== null) {
    await passages.removePassages(tx, workspaceId, articleId, locale);
  }
  if (step.audit) await insertAudit(tx, workspaceId, step.audit);
  return { outcome: 'applied' };
}

async function removeTranslation(
  tx: WriteTx,
  workspaceId: string,
  step: { translationId: string; baseRevision: number; audit: AuditEntry },
): Promise<'removed' | 'was_published' | 'gone' | Conflict> {
  const { translationId, baseRevision, audit } = step;
  const current = await tx.get(translation, { workspaceId, translationId });
  if (!current) return 'gone';
  if (current.revision !== baseRevision) return toConflict(current);
  if (await tx.get(publication, { translationId })) return 'was_published';
  // Cascades to its revisions. It has no passage.
  await tx.run(deleteTranslation, { translationId });
  await insertAudit(tx, workspaceId, audit);
  return 'removed';
}

function toConflict(current: { revision: number; updatedBy: string; updatedAt: number }): Conflict {
  const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = current;
  return { outcome: 'conflict', currentRevision, changedBy, changedAt };
}

function isUnchanged(
  article: { revision: number; liveRevision: number | null },
  expected: ArticleVersion,
): boolean {
  return article.revision === expected.revision && article.liveRevision === (expected.liveRevision ?? null);
}

function toTextColumns({
  translationId,
  content,
  contentHash,
  searchSummary,
  authorId,
  atMillis,
}: NewTranslation | TranslationTransition) {
  return {
    ...toContentColumns(content),
    translationId,
    contentHash,
    searchSummary,
    authorId,
    createdAt: atMillis,
  };
}

function toReviewColumns(review: Review | undefined) {
  if (!review) return UNREVIEWED;
  const { decision, revision, authorId, ...rest } = review;
  return {
    ...UNREVIEWED,
    reviewDecision: decision,
    reviewRevision: revision,
    reviewAuthorId: authorId,
    ...rest,
  };
}

const content = { ...getContentColumns(translationRevisions), contentHash: translationRevisions.contentHash };
const { workspaceId: _, ...columns } = getTableColumns(translations);
const isNewest = and(
  eq(translationRevisions.translationId, translations.id),
  eq(translationRevisions.revision, translations.revision),
);

const wholeRow = { ...columns, ...content, searchSummary: translationRevisions.searchSummary };
const ofArticle = statement(() =>
  db
    .select(wholeRow)
    .from(translations)
    .innerJoin(translationRevisions, isNewest)
    .where(and(matches(translations.articleId, translations.workspaceId)))
    .orderBy(translations.locale),
);
const translationById = statement(() =>
  db
    .select(wholeRow)
    .from(translations)
    .innerJoin(translationRevisions, isNewest)
    .where(and(isThisTranslation, matches(translations.articleId, translations.workspaceId))),
);

const isItsTranslation = eq(translationRevisions.translationId, translations.id);
const ofThisTranslation = and(matches(translationRevisions.translationId, translations.workspaceId));
const revisions = statement(() =>
  db
    .select({
      revision: translationRevisions.revision,
      event: translationRevisions.event,
      status: translationRevisions.status,
      sourceRevision: translationRevisions.sourceRevision,
      ...content,
      authorId: translationRevisions.authorId,
      reviewerId: translationRevisions.reviewerId,
      reviewNote: translationRevisions.reviewNote,
      createdAt: translationRevisions.createdAt,
    })
    .from(translationRevisions)
    .innerJoin(translations, isItsTranslation)
    .where(and(ofThisTranslation, lt(translationRevisions.revision, input('beforeRevision'))))
    .orderBy(desc(translationRevisions.revision))
    .limit(input('limit')),
);
const revisionCount = statement(() =>
  db
    .select({ rows: count() })
    .from(translationRevisions)
    .innerJoin(translations, isItsTranslation)
    .where(ofThisTranslation),
);
const lastAuthor = statement(() =>
  db
    .select({ authorId: translationRevisions.authorId })
    .from(translationRevisions)
    .innerJoin(translations, isItsTranslation)
    .where(
      and(
        ofThisTranslation,
        sql`${translationRevisions.event} IN (SELECT value FROM json_each(${input('events')}))`,
      ),
    )
    .orderBy(desc(translationRevisions.revision))
    .limit(1),
);

const newest = alias(articleRevisions, 'newest');
const live = alias(articleRevisions, 'live');
const compared = sql<string>`coalesce(${live.contentHash}, ${newest.contentHash})`;
const reviewQueue = statement(() =>
  db
    .select({
      ...columns,
      title: translationRevisions.title,
      articleTitle: newest.title,
      referenceHash: compared,
      comparedAt: sql<number>`coalesce(${articles.livePublishedAt}, ${articles.updatedAt})`,
      comparedBy: sql<string>`coalesce(${articles.livePublishedBy}, ${articles.updatedBy})`,
    })
    .from(translations)
    .innerJoin(translationRevisions, isNewest)
    .innerJoin(articles, eq(articles.id, translations.articleId))
    .innerJoin(newest, and(eq(newest.articleId, articles.id), eq(newest.revision, articles.revision)))
    .leftJoin(live, and(eq(live.articleId, articles.id), eq(live.revision, articles.liveRevision)))
    .where(
      and(
        matches(translations.workspaceId),
        gt(translations.id, input('afterId')),
        sql`(${translations.status} IN (SELECT value FROM json_each(${input('statuses')}))
          OR ${translations.liveSourceHash} <> ${compared})`,
      ),
    )
    .orderBy(translations.id)
    .limit(input('limit')),
);

const translation = statement(() =>
  db
    .select({
      articleId: translations.articleId,
      locale: translations.locale,
      revision: translations.revision,
      sourceRevision: translations.sourceRevision,
      sourceHash: translations.sourceHash,
      liveRevision: translations.liveRevision,
      updatedAt: translations.updatedAt,
      updatedBy: translations.updatedBy,
    })
    .from(translations)
    .where(and(isThisTranslation, matches(translations.workspaceId))),
);
const publication = statement(() =>
  db
    .select({ revision: translationRevisions.revision })
    .from(translationRevisions)
    .where(
      and(
        matches(translationRevisions.translationId),
        inArray(translationRevisions.event, ['published', 'imported'] satisfies TranslationEvent[]),
      ),
    )
    .limit(1),
);
const deleteTranslation = statement(() => db.delete(translations).where(isThisTranslation));
const revise = statement(() =>
  db
    .update(translations)
    .set({ ...bound('status', 'revision', 'sourceRevision', 'sourceHash'), ...UNSCHEDULED, ...UPDATED })
    .where(isThisTranslation),
);
const setReview = statement(() =>
  db
    .update(translations)
    .set(
      bound('reviewDecision', 'reviewRevision', 'reviewAuthorId', 'reviewerId', 'reviewNote', 'reviewedAt'),
    )
    .where(isThisTranslation),
);
const goLive = statement(() => db.update(translations).set(LIVE).where(isThisTranslation));
const takeDown = statement(() => db.update(translations).set(NOT_LIVE).where(isThisTranslation));

export type Translations = ReturnType<ReturnType<typeof sqlTranslations>>;
