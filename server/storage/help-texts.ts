/** What the help centre tells machines: all published texts for everyone with their addresses, and the newest. */

import { sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import { input, rawStatement } from './statements.ts';

/** A published text with its address. */
export type PublishedText = {
  articleId: string;
  locale: string;
  slug: string;
  title: string;
  /** 1 for the article itself, 0 for a translation. */
  isSource: number;
  /** Where the owner keeps it instead. */
  url: string | null;
  publishedAt: number;
};

/** A text that went live lately. */
export type NewText = PublishedText & { summary: string };

export function sqlHelpTexts({ read }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists the texts of up to `articlesMax` articles from this one on, all texts of an article together. */
    list: (fromArticleId: string, articlesMax: number) =>
      read(workspaceId, (tx) => tx.all(texts, { workspaceId, fromArticleId, articlesMax })),

    /** Finds the published article that is `distance` articles after this one, or at this place. */
    skip: (fromArticleId: string, distance: number) =>
      read(
        workspaceId,
        async (tx) => (await tx.get(skipped, { workspaceId, fromArticleId, distance }))?.articleId,
      ),

    /** Lists the texts in a locale that went live last, newest first. */
    listNewest: (locale: string, limit: number) =>
      read(workspaceId, (tx) => tx.all(newest, { workspaceId, locale, limit })),
  });
}

const TEXT = ['articleId', 'locale', 'slug', 'title', 'isSource', 'url', 'publishedAt'] as const;
const textColumns = sql`passages.article_id, passages.locale, own.slug, passages.title,
  CASE WHEN passages.translation_id IS NULL THEN 1 ELSE 0 END, passages.url`;
const isOwn = sql`own.article_id = passages.article_id AND own.locale = passages.locale AND own.is_current = 1`;

const texts = rawStatement<PublishedText>(
  sql`SELECT ${textColumns}, coalesce(translations.live_published_at, listed.live_published_at)
   FROM (SELECT id, live_published_at FROM articles
     WHERE workspace_id = ${input('workspaceId')} AND status = 'published'
       AND audience IS NULL AND id >= ${input('fromArticleId')}
     ORDER BY id LIMIT ${input('articlesMax')}) AS listed
   JOIN passages ON passages.workspace_id = ${input('workspaceId')} AND passages.article_id = listed.id
   JOIN article_addresses AS own ON ${isOwn}
   LEFT JOIN translations ON translations.id = passages.translation_id
   ORDER BY passages.article_id, passages.locale`,
  ...TEXT,
);
const skipped = rawStatement<{ articleId: string }>(
  sql`SELECT id FROM articles WHERE workspace_id = ${input('workspaceId')} AND status = 'published'
   AND audience IS NULL AND id >= ${input('fromArticleId')} ORDER BY id LIMIT 1 OFFSET ${input('distance')}`,
  'articleId',
);
const newest = rawStatement<NewText>(
  sql`SELECT ${textColumns}, listed.published_at,
     coalesce(translation_revisions.search_summary, article_revisions.search_summary)
   FROM (
     SELECT * FROM (SELECT id AS article_id, live_published_at AS published_at FROM articles
       WHERE workspace_id = ${input('workspaceId')} AND locale = ${input('locale')} AND live_published_at IS NOT NULL
       ORDER BY live_published_at DESC LIMIT ${input('limit')}) AS sources
     UNION ALL
     SELECT * FROM (SELECT article_id, live_published_at AS published_at FROM translations
       WHERE workspace_id = ${input('workspaceId')} AND locale = ${input('locale')} AND live_published_at IS NOT NULL
       ORDER BY live_published_at DESC LIMIT ${input('limit')}) AS translated) AS listed
   JOIN passages ON passages.workspace_id = ${input('workspaceId')} AND passages.article_id = listed.article_id
     AND passages.locale = ${input('locale')}
   JOIN articles ON articles.id = passages.article_id AND articles.audience IS NULL
   JOIN article_addresses AS own ON ${isOwn}
   LEFT JOIN article_revisions ON passages.translation_id IS NULL
     AND article_revisions.article_id = passages.article_id AND article_revisions.revision = passages.revision
   LEFT JOIN translation_revisions ON translation_revisions.translation_id = passages.translation_id
     AND translation_revisions.revision = passages.revision
   ORDER BY listed.published_at DESC, passages.article_id LIMIT ${input('limit')}`,
  ...TEXT,
  'summary',
);
