import { and, eq, sql } from 'drizzle-orm';
import type { Drizzle } from './connections.ts';
import { articleRevisions, articles, translationRevisions, translations } from './schema.ts';
import { given, insertInto } from './statements.ts';

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
    translation: writer
      .select({
        id: translations.id,
        revision: translations.revision,
        liveRevision: translations.liveRevision,
        liveSourceRevision: translations.liveSourceRevision,
        liveHash: translationRevisions.contentHash,
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
    archiveTranslation: writer
      .update(translations)
      .set({
        status: 'archived',
        liveRevision: null,
        liveSourceRevision: null,
        liveSourceHash: null,
        livePublishedAt: null,
        livePublishedBy: null,
      })
      .where(and(eq(translations.articleId, given('articleId')), eq(translations.locale, given('locale'))))
      .prepare(),
    // In place: the text is the same, so that a search under way may go on with it.
    markStale: writer.$client.prepare(
      `UPDATE passage SET (stale, url) = (
         SELECT live.live_source_hash <> @contentHash, coalesce(content.url, @url)
         FROM translations AS live
         JOIN translation_revisions AS content
           ON content.translation_id = live.id AND content.revision = live.live_revision
         WHERE live.id = passage.translation_id)
       WHERE workspace_id = @workspaceId AND article_id = @articleId AND translation_id IS NOT NULL`,
    ),
  };
}
