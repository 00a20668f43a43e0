/** What the pages of a help centre list. */

import { sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import { input, rawStatement } from './statements.ts';

/** A published article in the language of a page, or in its own where it is not translated. */
export type ListedArticle = {
  articleId: string;
  titleKey: string;
  locale: string;
  title: string;
  slug: string;
};

/** When a published text went live, and the collection of its article. */
export type ArticlePlace = {
  publishedAt: number;
  collectionName: string | null;
  collectionSlug: string | null;
};

type ArticleKey = Pick<ListedArticle, 'titleKey' | 'articleId'>;

/** Sorts before every article. */
const FIRST: ArticleKey = { titleKey: '', articleId: '' };

export function sqlHelpPages({ read }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists the articles for everyone of a collection, or those in none, by the title of their source. */
    list: (locale: string, collectionId: string | undefined, limit: number, after: ArticleKey = FIRST) =>
      read(workspaceId, (tx) =>
        tx.all(listed, {
          workspaceId,
          locale,
          collectionId,
          limit,
          titleKey: after.titleKey,
          articleId: after.articleId,
        }),
      ),

    /** Finds where the published text of an article in this locale belongs. */
    findPlace: (articleId: string, locale: string) =>
      read(workspaceId, (tx) => tx.get(place, { workspaceId, articleId, locale })),
  });
}

const listed = rawStatement<ListedArticle>(
  sql`SELECT articles.id, articles.title_key, shown.locale, shown.title, own.slug
   FROM articles JOIN passages AS shown ON shown.workspace_id = articles.workspace_id AND shown.article_id = articles.id
     AND shown.locale = coalesce((
       SELECT locale FROM passages AS translated WHERE translated.workspace_id = articles.workspace_id
         AND translated.article_id = articles.id AND translated.locale = ${input('locale')}), articles.locale)
   JOIN article_addresses AS own ON own.article_id = articles.id AND own.locale = shown.locale AND own.is_current = 1
   WHERE articles.workspace_id = ${input('workspaceId')} AND articles.status = 'published'
     AND articles.audience IS NULL
     AND articles.collection_id IS NOT DISTINCT FROM ${input('collectionId')}
     AND (articles.title_key, articles.id) > (${input('titleKey')}, ${input('articleId')})
   ORDER BY articles.title_key, articles.id LIMIT ${input('limit')}`,
  ...(['articleId', 'titleKey', 'locale', 'title', 'slug'] as const),
);
const place = rawStatement<ArticlePlace>(
  sql`SELECT coalesce(translations.live_published_at, articles.live_published_at), collections.name, collections.slug
   FROM articles LEFT JOIN translations ON translations.article_id = articles.id
     AND translations.locale = ${input('locale')} AND translations.live_revision IS NOT NULL
   LEFT JOIN collections ON collections.id = articles.collection_id
   WHERE articles.workspace_id = ${input('workspaceId')} AND articles.id = ${input('articleId')}`,
  ...(['publishedAt', 'collectionName', 'collectionSlug'] as const),
);
