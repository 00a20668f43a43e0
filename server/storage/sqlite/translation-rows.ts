/** Translations as they are read: rows of the tables, and records of the port. */
import { and, count, desc, eq, sql } from 'drizzle-orm';
import { translationRevisions, translations } from '../schema.ts';
import type {
  Review,
  Translation,
  TranslationEvent,
  TranslationRevision,
  TranslationStatus,
} from '../translations.ts';
import { contentOf } from './article-rows.ts';
import type { Connections } from './connections.ts';
import { boundLimit, equals, placeholder } from './statements.ts';

/** Comes after every revision. */
const AFTER_ALL_REVISIONS = Number.MAX_SAFE_INTEGER;

export function translationReads({ reader }: Connections) {
  const queries = prepareQueries(reader);
  return {
    list: (workspaceId: string, articleId: string): Translation[] =>
      queries.ofArticle.all({ workspaceId, articleId }).map(translationOf),

    find(workspaceId: string, articleId: string, translationId: string): Translation | undefined {
      const row = queries.one.get({ workspaceId, articleId, translationId });
      return row && translationOf(row);
    },

    revisions: (
      workspaceId: string,
      translationId: string,
      limit: number,
      beforeRevision = AFTER_ALL_REVISIONS,
    ): TranslationRevision[] =>
      queries.revisions.all({ workspaceId, translationId, limit, beforeRevision }).map(revisionOf),

    countRevisions: (workspaceId: string, translationId: string): number =>
      queries.countRevisions.get({ workspaceId, translationId })?.rows ?? 0,

    lastAuthor: (
      workspaceId: string,
      translationId: string,
      events: readonly TranslationEvent[],
    ): string | undefined =>
      queries.lastAuthor.get({ workspaceId, translationId, events: JSON.stringify(events) })?.authorId,
  };
}

type Queries = ReturnType<typeof prepareQueries>;
type TranslationRow = ReturnType<Queries['ofArticle']['all']>[number];
type RevisionRow = ReturnType<Queries['revisions']['all']>[number];

function translationOf(row: TranslationRow): Translation {
  const review = reviewOf(row);
  return {
    id: row.id,
    articleId: row.articleId,
    locale: row.locale,
    status: row.status,
    revision: row.revision,
    source: { revision: row.sourceRevision, contentHash: row.sourceHash },
    content: contentOf(row),
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

export function reviewOf(row: ReviewRow): Review | undefined {
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

function revisionOf(row: RevisionRow): TranslationRevision {
  return {
    revision: row.revision,
    event: row.event as TranslationEvent,
    status: row.status as TranslationStatus,
    sourceRevision: row.sourceRevision,
    content: contentOf(row),
    contentHash: row.contentHash,
    authorId: row.authorId,
    ...(row.reviewerId === null ? {} : { reviewerId: row.reviewerId }),
    ...(row.reviewNote === null ? {} : { reviewNote: row.reviewNote }),
    createdAt: row.createdAt,
  };
}

const content = {
  title: translationRevisions.title,
  answer: translationRevisions.answer,
  aliases: translationRevisions.aliases,
  url: translationRevisions.url,
  contentHash: translationRevisions.contentHash,
};

function prepareQueries(reader: Connections['reader']) {
  const whole = {
    id: translations.id,
    articleId: translations.articleId,
    locale: translations.locale,
    status: translations.status,
    revision: translations.revision,
    sourceRevision: translations.sourceRevision,
    sourceHash: translations.sourceHash,
    ...content,
    searchSummary: translationRevisions.searchSummary,
    liveRevision: translations.liveRevision,
    liveSourceRevision: translations.liveSourceRevision,
    liveSourceHash: translations.liveSourceHash,
    livePublishedAt: translations.livePublishedAt,
    livePublishedBy: translations.livePublishedBy,
    reviewDecision: translations.reviewDecision,
    reviewRevision: translations.reviewRevision,
    reviewAuthorId: translations.reviewAuthorId,
    reviewerId: translations.reviewerId,
    reviewNote: translations.reviewNote,
    reviewedAt: translations.reviewedAt,
    createdAt: translations.createdAt,
    createdBy: translations.createdBy,
    updatedAt: translations.updatedAt,
    updatedBy: translations.updatedBy,
  };
  const isNewest = and(
    eq(translationRevisions.translationId, translations.id),
    eq(translationRevisions.revision, translations.revision),
  );
  const isOfOne = eq(translationRevisions.translationId, translations.id);
  const ofOne = and(
    equals(translationRevisions.translationId, 'translationId'),
    equals(translations.workspaceId, 'workspaceId'),
  );
  return {
    ofArticle: reader
      .select(whole)
      .from(translations)
      .innerJoin(translationRevisions, isNewest)
      .where(
        and(equals(translations.articleId, 'articleId'), equals(translations.workspaceId, 'workspaceId')),
      )
      .orderBy(translations.locale)
      .prepare(),
    one: reader
      .select(whole)
      .from(translations)
      .innerJoin(translationRevisions, isNewest)
      .where(
        and(
          eq(translations.id, placeholder('translationId')),
          eq(translations.articleId, placeholder('articleId')),
          eq(translations.workspaceId, placeholder('workspaceId')),
        ),
      )
      .prepare(),
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
