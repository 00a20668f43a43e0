import { and, eq, ne, sql } from 'drizzle-orm';
import { articleRevisions, articles, translationRevisions, translations } from '../schema.ts';
import type { Drizzle } from './connections.ts';
import { bound, insertInto, matches, placeholder } from './statements.ts';

/** A review belongs to the working copy and ends with it. */
const UNREVIEWED = {
  reviewDecision: null,
  reviewRevision: null,
  reviewAuthorId: null,
  reviewerId: null,
  reviewNote: null,
  reviewedAt: null,
};

/** Statements for write jobs that create and publish revisions. */
export function prepareArticleWrites(writer: Drizzle) {
  return {
    ...prepareLookups(writer),
    ...prepareArticleUpdates(writer),
    ...prepareTranslationPublication(writer),
    ...prepareTranslationArchival(writer),
  };
}

/** The locales of an article's translations. */
export const prepareLocales = (writer: Drizzle) =>
  writer
    .select({ locale: translations.locale })
    .from(translations)
    .where(matches(translations.articleId))
    .prepare();

function prepareLookups(writer: Drizzle) {
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
      .where(matches(articles.workspaceId, articles.slug))
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
      .where(and(matches(articles.workspaceId), eq(articles.id, placeholder('articleId'))))
      .prepare(),
    localesOf: prepareLocales(writer),
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
      .where(matches(translations.articleId, translations.locale))
      .prepare(),
  };
}

function prepareArticleUpdates(writer: Drizzle) {
  return {
    insertArticle: insertInto(writer, articles),
    insertArticleRevision: insertInto(writer, articleRevisions),
    publishArticle: writer
      .update(articles)
      .set({
        ...bound('locale', 'revision'),
        status: 'published',
        liveRevision: sql`${placeholder('revision')}`,
        livePublishedAt: sql`${placeholder('atMillis')}`,
        livePublishedBy: sql`${placeholder('actor')}`,
        updatedAt: sql`${placeholder('atMillis')}`,
        updatedBy: sql`${placeholder('actor')}`,
      })
      .where(eq(articles.id, placeholder('articleId')))
      .prepare(),
    reviseArticle: writer
      .update(articles)
      .set({
        ...bound('status', 'revision'),
        updatedAt: sql`${placeholder('atMillis')}`,
        updatedBy: sql`${placeholder('actor')}`,
      })
      .where(eq(articles.id, placeholder('articleId')))
      .prepare(),
    takeArticleDown: writer
      .update(articles)
      .set({ liveRevision: null, livePublishedAt: null, livePublishedBy: null })
      .where(eq(articles.id, placeholder('articleId')))
      .prepare(),
    removeArticle: writer
      .delete(articles)
      .where(and(matches(articles.workspaceId), eq(articles.id, placeholder('articleId'))))
      .prepare(),
  };
}

function prepareTranslationPublication(writer: Drizzle) {
  return {
    insertTranslation: insertInto(writer, translations),
    insertTranslationRevision: insertInto(writer, translationRevisions),
    publishTranslation: writer
      .update(translations)
      .set({
        ...bound('revision', 'sourceRevision', 'sourceHash'),
        status: 'published',
        liveRevision: sql`${placeholder('revision')}`,
        liveSourceRevision: sql`${placeholder('sourceRevision')}`,
        liveSourceHash: sql`${placeholder('sourceHash')}`,
        livePublishedAt: sql`${placeholder('atMillis')}`,
        livePublishedBy: sql`${placeholder('actor')}`,
        ...UNREVIEWED,
        updatedAt: sql`${placeholder('atMillis')}`,
        updatedBy: sql`${placeholder('actor')}`,
      })
      .where(eq(translations.id, placeholder('translationId')))
      .prepare(),
    // A draft newer than the live revision keeps the source that it was written for.
    confirmTranslation: writer
      .update(translations)
      .set({
        sourceRevision: sql`iif(${translations.revision} = ${translations.liveRevision}, ${placeholder('sourceRevision')}, ${translations.sourceRevision})`,
        sourceHash: sql`iif(${translations.revision} = ${translations.liveRevision}, ${placeholder('sourceHash')}, ${translations.sourceHash})`,
        liveSourceRevision: sql`${placeholder('sourceRevision')}`,
        liveSourceHash: sql`${placeholder('sourceHash')}`,
      })
      .where(eq(translations.id, placeholder('translationId')))
      .prepare(),
  };
}

function prepareTranslationArchival(writer: Drizzle) {
  return {
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
        updatedAt: sql`${placeholder('atMillis')}`,
        updatedBy: sql`${placeholder('actor')}`,
      })
      .where(
        and(
          matches(translations.articleId),
          matches(translations.locale),
          ne(translations.status, 'archived'),
        ),
      )
      .prepare(),
  };
}
