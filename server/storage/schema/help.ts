import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { articles } from './knowledge.ts';
import { ofWorkspace, partOf } from './workspaces.ts';

/**
 * The names under which articles are or were published in the help centre, one current name for each locale. All rows of a
 * slug belong to the same article, so that an address never changes its meaning.
 */
export const articleAddresses = sqliteTable(
  'article_addresses',
  {
    workspaceId: ofWorkspace(),
    slug: text().notNull(),
    locale: text().notNull(),
    articleId: partOf(() => articles.id),
    isCurrent: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.slug, table.locale] }),
    index('article_addresses_by_article').on(table.articleId, table.locale),
  ],
);
