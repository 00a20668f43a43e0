/** Questions of visitors to a person. */

import { isNotNull } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { members } from './accounts.ts';
import { ofWorkspace, partOf } from './workspaces.ts';

/** Independent of the conversation, which may be deleted earlier: the visitor sent this to the team. */
export const handovers = sqliteTable(
  'handovers',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    visitorId: text().notNull(),
    /** Identifies retries of the same request. */
    idempotencyKey: text(),
    payloadHash: text(),
    state: text({ enum: ['open', 'answered', 'closed'] }).notNull(),
    message: text().notNull(),
    name: text(),
    email: text().notNull(),
    pageUrl: text().notNull(),
    locale: text().notNull(),
    conversationId: text(),
    /** What the visitor agreed to send of the conversation, as JSON. */
    transcript: text(),
    /** What a language model made of the transcript. */
    summary: text(),
    assigneeId: text().references(() => members.id, { onDelete: 'set null' }),
    createdAt: integer().notNull(),
  },
  (table) => [
    index('handovers_by_state').on(table.workspaceId, table.state, table.createdAt, table.id),
    index('handovers_by_time').on(table.workspaceId, table.createdAt, table.id),
    index('handovers_by_visitor').on(table.workspaceId, table.visitorId, table.createdAt),
    uniqueIndex('handovers_by_key')
      .on(table.workspaceId, table.visitorId, table.idempotencyKey)
      .where(isNotNull(table.idempotencyKey)),
    index('handovers_by_assignee').on(table.assigneeId).where(isNotNull(table.assigneeId)),
  ],
);

const partFields = {
  id: text().primaryKey(),
  workspaceId: ofWorkspace(),
  handoverId: partOf(() => handovers.id),
  text: text().notNull(),
  createdAt: integer().notNull(),
  createdBy: text().notNull(),
};

/** Replies of the team, which the visitor reads. */
export const handoverReplies = sqliteTable('handover_replies', partFields, (table) => [
  index('handover_replies_by_handover').on(table.handoverId, table.id),
  index('handover_replies_by_workspace').on(table.workspaceId, table.id),
]);

/** Notes of the team, which the visitor never reads. */
export const handoverNotes = sqliteTable('handover_notes', partFields, (table) => [
  index('handover_notes_by_handover').on(table.handoverId, table.id),
  index('handover_notes_by_workspace').on(table.workspaceId, table.id),
]);
