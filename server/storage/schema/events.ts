/** Analytics events. */

import { isNotNull } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ofWorkspace, workspaces } from './workspaces.ts';

export const events = sqliteTable(
  'events',
  {
    workspaceId: ofWorkspace(),
    atMillis: integer().notNull(),
    id: text().notNull(),
    type: text().notNull(),
    visitorId: text(),
    conversationId: text(),
    data: text().notNull(),
    /** The time of the row, if the row had to be listed at another time. */
    happenedMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.atMillis, table.id] }),
    // Rows from after the clock was set back: listed behind all earlier rows, so at a later time than their own.
    index('events_displaced').on(table.workspaceId, table.atMillis).where(isNotNull(table.happenedMillis)),
    index('events_displaced_by_time')
      .on(table.workspaceId, table.happenedMillis)
      .where(isNotNull(table.happenedMillis)),
    index('events_by_visitor').on(table.workspaceId, table.visitorId).where(isNotNull(table.visitorId)),
    index('events_by_conversation')
      .on(table.workspaceId, table.conversationId)
      .where(isNotNull(table.conversationId)),
  ],
);

/** The newest position that was given out before rows were deleted: later rows are listed behind it. */
export const eventWatermarks = sqliteTable('event_watermarks', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  atMillis: integer().notNull(),
  id: text().notNull(),
});
