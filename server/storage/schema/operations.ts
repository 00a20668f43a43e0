/** The state of the service. */

import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const featureFlags = sqliteTable('feature_flags', {
  name: text().primaryKey(),
  isOn: integer({ mode: 'boolean' }).notNull(),
  changedAt: integer().notNull(),
});

export const rateWindows = sqliteTable(
  'rate_windows',
  {
    key: text().primaryKey(),
    points: integer().notNull(),
    expiresAtMillis: integer().notNull(),
  },
  (table) => [index('rate_windows_by_expiry').on(table.expiresAtMillis)],
);

/**
 * What the files beside the database are compared with; one row. `commits` counts on at most once a second while
 * there are commits. `key_ring_id` names the key ring that visitors' ids and tokens were made with;
 * `sealed_keys` is the ring itself, encrypted, where nodes share it.
 */
export const databaseMarks = sqliteTable(
  'database_marks',
  {
    id: integer().primaryKey(),
    commits: integer().notNull(),
    keyRingId: text(),
    sealedKeys: text(),
  },
  (table) => [check('database_marks_id', sql`${table.id} = 1`)],
);
