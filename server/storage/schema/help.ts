import { isNotNull } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
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

/** The domain that a workspace has for its help centre. */
export const helpDomains = sqliteTable(
  'help_domains',
  {
    workspaceId: ofWorkspace().primaryKey(),
    /** Lower case, ASCII. */
    domain: text().notNull(),
    /** When its record or file was found; absent until then. */
    provedAt: integer(),
  },
  (table) => [uniqueIndex('help_domains_proved').on(table.domain).where(isNotNull(table.provedAt))],
);
