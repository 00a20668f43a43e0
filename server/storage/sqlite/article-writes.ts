import { and, eq, ne, sql } from 'drizzle-orm';
import type { Drizzle } from './connections.ts';
import { articleRevisions, articles, translationRevisions, translations } from './schema.ts';
import { given, insertInto } from './statements.ts';

/** A review is one of the working copy, and ends with it. */
const UNREVIEWED = {
  reviewDecision: null,
  reviewRevision: null,
  reviewAuthorId: null,
  reviewerId: null,
  reviewNote: null,
  reviewedAt: null,
};

/** Statements for the write jobs that make and publish revisions. */
export function articleWrites(writer: Drizzle) {
  return {
    article: writer
      .select({
        id: articles.id,
        locale: articles.locale,
        revision: articles.revision,
        liveRevision: articles.liveRevision,
        liveHash: articleRevisions.contentHash,
        liveUrl: articleRevisions.url,
      })
      .from(articles)
      .leftJoin(
        articleRevisions,
        and(
          eq(articleRevisions.articleId, articles.id),
          eq(articleRevisions.revision, articles.liveRevision),
        ),
      )
      .where(and(eq(articles.workspaceId, given('workspaceId')), eq(articles.slug, given('slug'))))
      .prepare(),
    articleById: writer
      .select({
        locale: articles.locale,
        revision: articles.revision,
        liveRevision: articles.liveRevision,
        updatedAt: articles.updatedAt,
        updatedBy: articles.updatedBy,
      })
      .from(articles)
      .where(and(eq(articles.workspaceId, given('workspaceId')), eq(articles.id, given('articleId'))))
      .prepare(),
    insertArticle: insertInto(writer, articles),
    insertArticleRevision: insertInto(writer, articleRevisions),
    publishArticle: writer
      .update(articles)
      .set({
        status: 'published',
        locale: sql`${given('locale')}`,
        revision: sql`${given('revision')}`,
        liveRevision: sql`${given('revision')}`,
        livePublishedAt: sql`${given('atMillis')}`,
        livePublishedBy: sql`${given('actor')}`,
        updatedAt: sql`${given('atMillis')}`,
        updatedBy: sql`${given('actor')}`,
      })
      .where(eq(articles.id, given('articleId')))
      .prepare(),
    reviseArticle: writer
      .update(articles)
      .set({
        status: sql`${given('status')}`,
        revision: sql`${given('revision')}`,
        updatedAt: sql`${given('atMillis')}`,
        updatedBy: sql`${given('actor')}`,
      })
      .where(eq(articles.id, given('articleId')))
      .prepare(),
    takeArticleDown: writer
      .update(articles)
      .set({ liveRevision: null, livePublishedAt: null, livePublishedBy: null })
      .where(eq(articles.id, given('articleId')))
      .prepare(),
    removeArticle: writer
      .delete(articles)
      .where(and(eq(articles.workspaceId, given('workspaceId')), eq(articles.id, given('articleId'))))
      .prepare(),
    localesOf: writer
      .select({ locale: translations.locale })
      .from(translations)
      .where(eq(translations.articleId, given('articleId')))
      .prepare(),
    translation: writer
      .select({
        id: translations.id,
        revision: translations.revision,
        liveRevision: translations.liveRevision,
        liveSourceRevision: translations.liveSourceRevision,
        liveHash: translationRevisions.contentHash,
        liveUrl: translationRevisions.url,
      })
      .from(translations)
      .leftJoin(
        translationRevisions,
        and(
          eq(translationRevisions.translationId, translations.id),
          eq(translationRevisions.revision, translations.liveRevision),
        ),
      )
      .where(and(eq(translations.articleId, given('articleId')), eq(translations.locale, given('locale'))))
      .prepare(),
    insertTranslation: insertInto(writer, translations),
    insertTranslationRevision: insertInto(writer, translationRevisions),
    publishTranslation: writer
      .update(translations)
      .set({
        status: 'published',
        revision: sql`${given('revision')}`,
        sourceRevision: sql`${given('sourceRevision')}`,
        sourceHash: sql`${given('sourceHash')}`,
        liveRevision: sql`${given('revision')}`,
        liveSourceRevision: sql`${given('sourceRevision')}`,
        liveSourceHash: sql`${given('sourceHash')}`,
        livePublishedAt: sql`${given('atMillis')}`,
        livePublishedBy: sql`${given('actor')}`,
        ...UNREVIEWED,
        updatedAt: sql`${given('atMillis')}`,
        updatedBy: sql`${given('actor')}`,
      })
      .where(eq(translations.id, given('translationId')))
      .prepare(),
    // A draft that is newer than what is live keeps the source that it was written for.
    confirmTranslation: writer
      .update(translations)
      .set({
        sourceRevision: sql`iif(${translations.revision} = ${translations.liveRevision}, ${given('sourceRevision')}, ${translations.sourceRevision})`,
        sourceHash: sql`iif(${translations.revision} = ${translations.liveRevision}, ${given('sourceHash')}, ${translations.sourceHash})`,
        liveSourceRevision: sql`${given('sourceRevision')}`,
        liveSourceHash: sql`${given('sourceHash')}`,
      })
      .where(eq(translations.id, given('translationId')))
      .prepare(),
    insertArchivedRevision: writer.$client.prepare(
      `INSERT INTO translation_revisions (translation_id, revision, event, status, source_revision, source_hash, title, answer,
         aliases, url, content_hash, search_summary, author_id, created_at)
       SELECT id, newest.revision + 1, 'archived', 'archived', newest.source_revision, newest.source_hash, title, answer,
         aliases, url, content_hash, search_summary, @actor, @atMillis
       FROM translations JOIN translation_revisions AS newest
         ON newest.translation_id = id AND newest.revision = translations.revision
       WHERE article_id = @articleId AND locale = @locale AND translations.status <> 'archived'`,
    ),
    archiveTranslation: writer
      .update(translations)
      .set({
        status: 'archived',
        revision: sql`${translations.revision} + 1`,
        liveRevision: null,
        liveSourceRevision: null,
        liveSourceHash: null,
        livePublishedAt: null,
        livePublishedBy: null,
        ...UNREVIEWED,
        updatedAt: sql`${given('atMillis')}`,
        updatedBy: sql`${given('actor')}`,
      })
      .where(
        and(
          eq(translations.articleId, given('articleId')),
          eq(translations.locale, given('locale')),
          ne(translations.status, 'archived'),
        ),
      )
      .prepare(),
  };
}
