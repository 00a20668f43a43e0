import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import { articleRevisions, articles, translationRevisions, translations } from '../sql/schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Drizzle } from './connections.ts';
import type { prepareTranslationPassages } from './passages.ts';
import { bound, insertInto, matches, placeholder } from './statements.ts';

/** The live columns of an article that is not published. */
export const UNPUBLISHED = { liveRevision: null, livePublishedAt: null, livePublishedBy: null };

/** The live columns of a translation that is not live. */
export const NOT_LIVE = { ...UNPUBLISHED, liveSourceRevision: null, liveSourceHash: null };

/** A review belongs to the working copy and ends with it. */
export const UNREVIEWED = {
  reviewDecision: null,
  reviewRevision: null,
  reviewAuthorId: null,
  reviewerId: null,
  reviewNote: null,
  reviewedAt: null,
};

/** The columns of an update by `actor` at `atMillis`. */
export const UPDATED = {
  updatedAt: sql`${placeholder('atMillis')}`,
  updatedBy: sql`${placeholder('actor')}`,
};

/** The columns of an update by which `actor` publishes a revision at `atMillis`. */
const PUBLISHED = {
  liveRevision: sql`${placeholder('revision')}`,
  livePublishedAt: sql`${placeholder('atMillis')}`,
  livePublishedBy: sql`${placeholder('actor')}`,
};

/** Like `PUBLISHED`, for a translation made for a source revision. */
export const LIVE = {
  ...PUBLISHED,
  liveSourceRevision: sql`${placeholder('sourceRevision')}`,
  liveSourceHash: sql`${placeholder('sourceHash')}`,
};

/** The columns of a new row that say who created it, and when. */
export function createdBy({ actor, atMillis }: { readonly actor: string; readonly atMillis: number }) {
  return { createdAt: atMillis, createdBy: actor, updatedAt: atMillis, updatedBy: actor };
}

/** What the write jobs for articles share. */
export type ArticleDeps = {
  readonly db: Drizzle['$client'];
  readonly writes: ReturnType<typeof prepareArticleWrites>;
  readonly translationPassages: ReturnType<typeof prepareTranslationPassages>;
  readonly insertAudit: InsertAudit;
};

/** Statements for write jobs that create and publish revisions. */
export function prepareArticleWrites(writer: Drizzle) {
  return {
    ...prepareArticleLookups(writer),
    ...prepareTranslationLookup(writer),
    ...prepareArticleUpdates(writer),
    ...prepareTranslationPublication(writer),
    ...prepareTranslationArchival(writer),
  };
}

const isThisArticle = eq(articles.id, placeholder('articleId'));
export const isThisTranslation = eq(translations.id, placeholder('translationId'));

/** The article that a write job is about, and the locales of its translations. */
export function prepareArticleLookups(writer: Drizzle) {
  const isLive = and(
    eq(articleRevisions.articleId, articles.id),
    eq(articleRevisions.revision, articles.liveRevision),
  );
  const find = (condition: SQL | undefined) =>
    writer
      .select({
        id: articles.id,
        locale: articles.locale,
        revision: articles.revision,
        liveRevision: articles.liveRevision,
        liveHash: articleRevisions.contentHash,
        liveUrl: articleRevisions.url,
        updatedAt: articles.updatedAt,
        updatedBy: articles.updatedBy,
      })
      .from(articles)
      .leftJoin(articleRevisions, isLive)
      .where(and(matches(articles.workspaceId), condition))
      .prepare();
  return {
    articleBySlug: find(matches(articles.slug)),
    articleById: find(isThisArticle),
    locales: writer
      .select({ locale: translations.locale })
      .from(translations)
      .where(matches(translations.articleId))
      .prepare(),
  };
}

function prepareTranslationLookup(writer: Drizzle) {
  return {
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
        ...PUBLISHED,
        ...UPDATED,
      })
      .where(isThisArticle)
      .prepare(),
    reviseArticle: writer
      .update(articles)
      .set({ ...bound('status', 'revision'), ...UPDATED })
      .where(isThisArticle)
      .prepare(),
    takeArticleDown: writer.update(articles).set(UNPUBLISHED).where(isThisArticle).prepare(),
    removeArticle: writer
      .delete(articles)
      .where(and(matches(articles.workspaceId), isThisArticle))
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
        ...LIVE,
        ...UNREVIEWED,
        ...UPDATED,
      })
      .where(isThisTranslation)
      .prepare(),
    // A draft newer than the live revision keeps the source that it was written for.
    confirmTranslation: writer
      .update(translations)
      .set({
        sourceRevision: sql`iif(${translations.revision} = ${translations.liveRevision}, ${placeholder('sourceRevision')}, ${translations.sourceRevision})`,
        sourceHash: sql`iif(${translations.revision} = ${translations.liveRevision}, ${placeholder('sourceHash')}, ${translations.sourceHash})`,
        liveSourceRevision: LIVE.liveSourceRevision,
        liveSourceHash: LIVE.liveSourceHash,
      })
      .where(isThisTranslation)
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
        ...NOT_LIVE,
        ...UNREVIEWED,
        ...UPDATED,
      })
      .where(and(matches(translations.articleId, translations.locale), ne(translations.status, 'archived')))
      .prepare(),
  };
}
