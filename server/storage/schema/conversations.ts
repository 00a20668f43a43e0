/** Conversations with visitors, and their order in exports. */

import { isNotNull, sql } from 'drizzle-orm';
import {
  blob,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { ofWorkspace, workspaces } from './workspaces.ts';

/** Clients choose conversation ids, so each workspace has its own. */
export const conversations = sqliteTable(
  'conversations',
  {
    id: text().notNull(),
    workspaceId: ofWorkspace(),
    visitorId: text().notNull(),
    startedAt: integer().notNull(),
    nextTurnIdx: integer().notNull(),
    turnCount: integer().notNull(),
    ended: integer({ mode: 'boolean' }).notNull(),
    deleteAfterMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index('conversations_by_time').on(table.workspaceId, table.startedAt, table.id),
    index('conversations_by_visitor').on(table.workspaceId, table.visitorId),
    index('conversations_by_deadline').on(table.deleteAfterMillis).where(isNotNull(table.deleteAfterMillis)),
  ],
);

export const turns = sqliteTable(
  'turns',
  {
    /** The id of the answer. */
    messageId: text().primaryKey(),
    workspaceId: text().notNull(),
    conversationId: text().notNull(),
    visitorId: text().notNull(),
    turnIdx: integer().notNull(),
    state: text({ enum: ['running', 'complete', 'interrupted', 'failed'] }).notNull(),
    finishReason: text(),
    requestedLocale: text().notNull(),
    /** Identifies retries of the same request. */
    idempotencyKey: text(),
    payloadHash: text(),
    askedAt: integer().notNull(),
    finishedAt: integer(),
    question: text().notNull(),
    answer: text().notNull(),
    /** The streamed events in order, as JSON texts (base/packed-texts.ts). */
    frames: blob().$type<Uint8Array>().notNull(),
    /** The run that may close the turn; each restart claims the next one. */
    attempt: integer().notNull(),
  },
  (table) => [
    check('turns_attempt', sql`${table.attempt} > 0`),
    foreignKey({
      columns: [table.workspaceId, table.conversationId],
      foreignColumns: [conversations.workspaceId, conversations.id],
    }).onDelete('cascade'),
    index('turns_by_conversation').on(
      table.workspaceId,
      table.conversationId,
      table.askedAt,
      table.messageId,
    ),
    uniqueIndex('turns_by_key')
      .on(table.workspaceId, table.visitorId, table.idempotencyKey)
      .where(isNotNull(table.idempotencyKey)),
    index('turns_running').on(table.askedAt).where(sql`${table.state} = 'running'`),
    index('turns_by_outcome')
      .on(table.workspaceId, table.finishReason, table.askedAt, table.messageId)
      .where(isNotNull(table.finishReason)),
  ],
);

export const feedback = sqliteTable(
  'feedback',
  {
    messageId: text()
      .primaryKey()
      .references(() => turns.messageId, { onDelete: 'cascade' }),
    id: text().notNull().unique(),
    workspaceId: text().notNull(),
    visitorId: text().notNull(),
    rating: text({ enum: ['up', 'down'] }).notNull(),
    comment: text(),
    /** The codes of the reasons, as a JSON array. */
    reasons: text(),
    atMillis: integer().notNull(),
  },
  (table) => [
    index('feedback_by_visitor').on(table.workspaceId, table.visitorId),
    index('feedback_by_time').on(table.workspaceId, table.atMillis, table.messageId),
  ],
);

/** Notes of the team. */
export const conversationNotes = sqliteTable(
  'conversation_notes',
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    conversationId: text().notNull(),
    text: text().notNull(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.workspaceId, table.conversationId],
      foreignColumns: [conversations.workspaceId, conversations.id],
    }).onDelete('cascade'),
    index('conversation_notes_by_conversation').on(table.workspaceId, table.conversationId, table.id),
  ],
);

/**
 * Export positions of finished turns and conversations. A position is assigned in the commit that makes a row readable, behind
 * all positions assigned before, and is deleted with its row.
 */
export const exportWatermarks = sqliteTable('export_watermarks', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  atMillis: integer().notNull(),
});

export const conversationPositions = sqliteTable(
  'conversation_positions',
  {
    workspaceId: text().notNull(),
    atMillis: integer().notNull(),
    conversationId: text().notNull(),
    happenedMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.atMillis, table.conversationId] }),
    unique().on(table.workspaceId, table.conversationId),
    foreignKey({
      columns: [table.workspaceId, table.conversationId],
      foreignColumns: [conversations.workspaceId, conversations.id],
    }).onDelete('cascade'),
    index('conversation_positions_displaced')
      .on(table.workspaceId, table.atMillis)
      .where(isNotNull(table.happenedMillis)),
    index('conversation_positions_displaced_by_time')
      .on(table.workspaceId, table.happenedMillis)
      .where(isNotNull(table.happenedMillis)),
  ],
);

export const turnPositions = sqliteTable(
  'turn_positions',
  {
    workspaceId: text().notNull(),
    atMillis: integer().notNull(),
    messageId: text()
      .notNull()
      .unique()
      .references(() => turns.messageId, { onDelete: 'cascade' }),
    happenedMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.atMillis, table.messageId] }),
    index('turn_positions_displaced')
      .on(table.workspaceId, table.atMillis)
      .where(isNotNull(table.happenedMillis)),
    index('turn_positions_displaced_by_time')
      .on(table.workspaceId, table.happenedMillis)
      .where(isNotNull(table.happenedMillis)),
  ],
);
