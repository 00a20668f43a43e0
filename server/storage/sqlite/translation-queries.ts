/** Reads translations and maps rows to the port's records. */

import { and, count, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { articleRevisions, articles, translationRevisions, translations } from '../sql/schema.ts';
import type {
  Review,
  ReviewQueueItem,
  Translation,
  TranslationEvent,
  TranslationRevision,
  TranslationStatus,
  Translations,
} from '../translations.ts';
import { contentOf, toContent } from './article-queries.ts';
import type { Connections } from './connections.ts';
import { boundLimit, equals, matches, placeholder } from './statements.ts';

/** Sorts after every revision. */
const AFTER_ALL_REVISIONS = Number.MAX_SAFE_INTEGER;
/** Sorts before every id. */
const BEFORE_ALL_IDS = '';

/** Reads of the port. */
export function createTranslationQueries({
  reader,
  read,
}: Connections): (workspaceId: string) => Omit<Translations, 'create' | 'apply' | 'remove'> {
  const queries = prepareTranslationQueries(reader);

  return (workspaceId) => ({
    list: (articleId) => read(() => queries.ofArticle.all({ workspaceId, articleId }).map(toTranslation)),

    find: (articleId, translationId) =>
      read(() => {
        const row = queries.one.get({ workspaceId, articleId, translationId });
        return row && toTranslation(row);
      }),

    revisions: (translationId, limit, beforeRevision = AFTER_ALL_REVISIONS) =>
      read(() =>
        queries.revisions.all({ workspaceId, translationId, limit, beforeRevision }).map(toRevision),
      ),

    countRevisions: (translationId) =>
      read(() => queries.countRevisions.get({ workspaceId, translationId })?.rows ?? 0),

    lastAuthor: (translationId, events) =>
      read(
        () =>
          queries.lastAuthor.get({ workspaceId, translationId, events: JSON.stringify(events) })?.authorId,
      ),

    listReviewQueue: (statuses, limit, afterId = BEFORE_ALL_IDS) =>
      read(() =>
        queries.reviewQueue
          .all({ workspaceId, statuses: JSON.stringify(statuses), limit, afterId })
          .map(toReviewQueueItem),
      ),
  });
}

type Queries = ReturnType<typeof prepareTranslationQueries>;
type TranslationRow = ReturnType<Queries['ofArticle']['all']>[number];
type RevisionRow = ReturnType<Queries['revisions']['all']>[number];
type QueueRow = ReturnType<Queries['reviewQueue']['all']>[number];

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

const content = { ...contentOf(translationRevisions), contentHash: translationRevisions.contentHash };
const { workspaceId: _, ...columns } = getTableColumns(translations);
const isNewest = and(
  eq(translationRevisions.translationId, translations.id),
  eq(translationRevisions.revision, translations.revision),
);

function prepareTranslationQueries(reader: Connections['reader']) {
  return {
    ...prepareWholeTranslations(reader),
    ...prepareRevisionQueries(reader),
    reviewQueue: prepareReviewQueue(reader),
  };
}

function prepareWholeTranslations(reader: Connections['reader']) {
  const fullRow = { ...columns, ...content, searchSummary: translationRevisions.searchSummary };
  return {
    ofArticle: reader
      .select(fullRow)
      .from(translations)
      .innerJoin(translationRevisions, isNewest)
      .where(
        and(equals(translations.articleId, 'articleId'), equals(translations.workspaceId, 'workspaceId')),
      )
      .orderBy(translations.locale)
      .prepare(),
    one: reader
      .select(fullRow)
      .from(translations)
      .innerJoin(translationRevisions, isNewest)
      .where(
        and(
          eq(translations.id, placeholder('translationId')),
          matches(translations.articleId),
          matches(translations.workspaceId),
        ),
      )
      .prepare(),
  };
}

function prepareRevisionQueries(reader: Connections['reader']) {
  const isOfOne = eq(translationRevisions.translationId, translations.id);
  const ofOne = and(
    equals(translationRevisions.translationId, 'translationId'),
    equals(translations.workspaceId, 'workspaceId'),
  );
  return {
    revisions: reader
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
      .innerJoin(translations, isOfOne)
      .where(and(ofOne, sql`${translationRevisions.revision} < +${placeholder('beforeRevision')}`))
      .orderBy(desc(translationRevisions.revision))
      .limit(boundLimit)
      .prepare(),
    countRevisions: reader
      .select({ rows: count() })
      .from(translationRevisions)
      .innerJoin(translations, isOfOne)
      .where(ofOne)
      .prepare(),
    lastAuthor: reader
      .select({ authorId: translationRevisions.authorId })
      .from(translationRevisions)
      .innerJoin(translations, isOfOne)
      .where(
        and(
          ofOne,
          sql`${translationRevisions.event} IN (SELECT value FROM json_each(+${placeholder('events')}))`,
        ),
      )
      .orderBy(desc(translationRevisions.revision))
      .limit(1)
      .prepare(),
  };
}

function prepareReviewQueue(reader: Connections['reader']) {
  const newest = alias(articleRevisions, 'newest');
  const live = alias(articleRevisions, 'live');
  const compared = sql<string>`coalesce(${live.contentHash}, ${newest.contentHash})`;
  return reader
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
        equals(translations.workspaceId, 'workspaceId'),
        sql`${translations.id} > +${placeholder('afterId')}`,
        sql`(${translations.status} IN (SELECT value FROM json_each(+${placeholder('statuses')}))
          OR ${translations.liveSourceHash} <> ${compared})`,
      ),
    )
    .orderBy(translations.id)
    .limit(boundLimit)
    .prepare();
}
