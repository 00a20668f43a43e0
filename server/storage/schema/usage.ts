/** What a workspace has used. */

import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ofWorkspace } from './workspaces.ts';

/** Seconds of voice that are set aside; settling deletes the row. */
export const voiceReservations = sqliteTable(
  'voice_reservations',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    visitorId: text().notNull(),
    kind: text({ enum: ['realtime', 'transcribe', 'speech'] }).notNull(),
    provider: text().notNull(),
    /** The month that it counts towards, such as 2026-11. */
    period: text().notNull(),
    seconds: integer().notNull(),
    /** The charge if the actual use is never reported; the rest is refunded. */
    defaultChargeSeconds: integer().notNull(),
    openedAt: integer().notNull(),
    /** When it closes. A closed reservation can still be settled, for at most the reserved seconds. */
    closesAt: integer().notNull(),
    /** When it expires: if it is not settled by then, the default charge applies. */
    purgeAt: integer().notNull(),
    /** Whether an event row may record the use. */
    isRecordable: integer({ mode: 'boolean' }).notNull(),
    /** SHA-256 of the token by which a usage report of the visitor identifies it. */
    tokenHash: text(),
  },
  (table) => [
    check('voice_reservations_seconds', sql`${table.seconds} >= 0`),
    check(
      'voice_reservations_default_charge_seconds',
      sql`${table.defaultChargeSeconds} BETWEEN 0 AND ${table.seconds}`,
    ),
    index('voice_reservations_by_visitor').on(table.workspaceId, table.visitorId, table.kind),
    index('voice_reservations_by_purge').on(table.purgeAt),
  ],
);

/** Seconds used in a month, reservations included. */
export const voiceMonths = sqliteTable(
  'voice_months',
  {
    workspaceId: ofWorkspace(),
    period: text().notNull(),
    seconds: integer().notNull(),
  },
  (table) => [
    check('voice_months_seconds', sql`${table.seconds} >= 0`),
    primaryKey({ columns: [table.workspaceId, table.period] }),
  ],
);

/** Language model tokens used in a month. */
export const tokenMonths = sqliteTable(
  'token_months',
  {
    workspaceId: ofWorkspace(),
    period: text().notNull(),
    tokens: integer().notNull(),
  },
  (table) => [
    check('token_months_tokens', sql`${table.tokens} >= 0`),
    primaryKey({ columns: [table.workspaceId, table.period] }),
  ],
);

/** Tokens of the texts that were embedded in a month. */
export const embeddingMonths = sqliteTable(
  'embedding_months',
  {
    workspaceId: ofWorkspace(),
    period: text().notNull(),
    tokens: integer().notNull(),
  },
  (table) => [
    check('embedding_months_tokens', sql`${table.tokens} >= 0`),
    primaryKey({ columns: [table.workspaceId, table.period] }),
  ],
);
