/** What search has learned from published texts. */

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ofWorkspace, workspaces } from './workspaces.ts';

/** Dictionaries learned from the translations of a workspace. Derived from its passages; only synonyms have spellings. */
export const dictionaries = sqliteTable(
  'dictionaries',
  {
    workspaceId: ofWorkspace(),
    fromLocale: text().notNull(),
    toLocale: text().notNull(),
    content: blob().$type<Uint8Array>().notNull(),
    spellings: text(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.fromLocale, table.toLocale] })],
);

/** The state of the passages that a workspace's dictionaries were learned from, and how they were learned. */
export const dictionaryBuilds = sqliteTable('dictionary_builds', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  fingerprint: text().notNull(),
  version: text().notNull(),
});

/** Vectors of the chunks of a published text, derived from its passage, and what they were made from. */
export const embeddings = sqliteTable(
  'embeddings',
  {
    workspaceId: ofWorkspace(),
    articleId: text().notNull(),
    locale: text().notNull(),
    passageId: integer().notNull(),
    model: text().notNull(),
    contentHash: text().notNull(),
    dimensions: integer().notNull(),
    /** One vector for each part of the text, with its position; opaque to the store. */
    vectors: blob().$type<Uint8Array>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.articleId, table.locale] }),
    index('embeddings_by_model').on(table.workspaceId, table.model, table.passageId),
  ],
);
