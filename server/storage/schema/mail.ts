/** Mails that wait to be sent, and what became of those of the last weeks. */

import { eq, isNotNull } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { workspaces } from './workspaces.ts';

export const mails = sqliteTable(
  'mails',
  {
    /** Also the first part of the Message-ID, so that a mail that is sent twice is recognized. */
    id: text().primaryKey(),
    /** Absent for mail about an account, which may belong to several workspaces. */
    workspaceId: text().references(() => workspaces.id, { onDelete: 'cascade' }),
    template: text().notNull(),
    /** Of the reader. */
    locale: text().notNull(),
    /** Recipient and texts, encrypted for this mail; absent once it is sent or given up. */
    sealedContent: text(),
    state: text({ enum: ['waiting', 'sent', 'failed'] }).notNull(),
    attempts: integer().notNull(),
    /** Absent unless it waits. */
    nextAttemptAt: integer(),
    /** What the last attempt failed with, without addresses. */
    lastError: text(),
    createdAt: integer().notNull(),
    /** Until when a waiting mail is worth sending, and when the row is deleted. */
    expiresAt: integer().notNull(),
  },
  (table) => [
    index('mails_waiting').on(table.nextAttemptAt).where(eq(table.state, 'waiting')),
    index('mails_by_workspace').on(table.workspaceId).where(isNotNull(table.workspaceId)),
    index('mails_by_expiry').on(table.expiresAt),
  ],
);
