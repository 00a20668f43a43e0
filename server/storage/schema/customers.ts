import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ofWorkspace } from './workspaces.ts';

/** The keys that prove the user tokens of a workspace. Nothing about a known customer is stored. */
export const customerKeys = sqliteTable(
  'customer_keys',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    kind: text({ enum: ['secret', 'key_set'] }).notNull(),
    /** Encrypted for this key alone; null for a key set. */
    sealedSecret: text(),
    /** Of the key set; null for a secret. */
    url: text(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
  },
  (table) => [index('customer_keys_by_workspace').on(table.workspaceId, table.createdAt)],
);
