import { and, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { articleRevisions, articles, translationRevisions, translations } from '../schema.ts';
import type { ReviewQueueItem, TranslationStatus } from '../translations.ts';
import type { Connections } from './connections.ts';
import { boundLimit, equals, placeholder } from './statements.ts';
import { reviewOf } from './translation-rows.ts';

/** Comes before every id. */
const BEFORE_ALL_IDS = '';

/** Translations with which something may have to be done. */
export function waitingReads({ reader }: Connections) {
  const newest = alias(articleRevisions, 'newest');
  const live = alias(articleRevisions, 'live');
  const compared = sql<string>`coalesce(${live.contentHash}, ${newest.contentHash})`;
  const waiting = reader
    .select({
      id: translations.id,
      articleId: translations.articleId,
      locale: translations.locale,
      status: translations.status,
      revision: translations.revision,
      title: translationRevisions.title,
      articleTitle: newest.title,
      liveSourceHash: translations.liveSourceHash,
      getReferenceHash: compared,
      comparedAt: sql<number>`coalesce(${articles.livePublishedAt}, ${articles.updatedAt})`,
      comparedBy: sql<string>`coalesce(${articles.livePublishedBy}, ${articles.updatedBy})`,
      updatedAt: translations.updatedAt,
      updatedBy: translations.updatedBy,
      reviewDecision: translations.reviewDecision,
      reviewRevision: translations.reviewRevision,
      reviewAuthorId: translations.reviewAuthorId,
      reviewerId: translations.reviewerId,
      reviewNote: translations.reviewNote,
      reviewedAt: translations.reviewedAt,
    })
    .from(translations)
    .innerJoin(
      translationRevisions,
      and(
        eq(translationRevisions.translationId, translations.id),
        eq(translationRevisions.revision, translations.revision),
      ),
    )
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

  return (
    workspaceId: string,
    statuses: readonly TranslationStatus[],
    limit: number,
    afterId = BEFORE_ALL_IDS,
  ): ReviewQueueItem[] =>
    waiting.all({ workspaceId, statuses: JSON.stringify(statuses), limit, afterId }).map((row) => {
      const review = reviewOf(row);
      return {
        id: row.id,
        articleId: row.articleId,
        locale: row.locale,
        status: row.status,
        revision: row.revision,
        title: row.title,
        articleTitle: row.articleTitle,
        ...(row.liveSourceHash === null ? {} : { liveSourceHash: row.liveSourceHash }),
        compared: { contentHash: row.getReferenceHash, at: row.comparedAt, by: row.comparedBy },
        ...(review ? { review } : {}),
        updatedAt: row.updatedAt,
        updatedBy: row.updatedBy,
      };
    });
}
