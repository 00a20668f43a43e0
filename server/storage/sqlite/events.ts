import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { EventRow, Events } from '../events.ts';
import type { Connections, Drizzle } from './connections.ts';
import { conversations, events } from './schema.ts';
import { equals, given, givenLimit, insertInto, withoutNulls } from './statements.ts';

export function sqliteEvents(
  { reader, read, write }: Connections,
  { insertEvents }: EventWrites,
): (workspaceId: string) => Events {
  const { workspaceId: _, ...columns } = getTableColumns(events);
  const first = reader
    .select(columns)
    .from(events)
    .where(equals(events.workspaceId, 'workspaceId'))
    .orderBy(asc(events.atMillis), asc(events.id))
    .limit(givenLimit)
    .prepare();
  const next = reader
    .select(columns)
    .from(events)
    .where(
      and(
        equals(events.workspaceId, 'workspaceId'),
        sql`(${events.atMillis}, ${events.id}) > (${given('atMillis')}, ${given('id')})`,
      ),
    )
    .orderBy(asc(events.atMillis), asc(events.id))
    .limit(givenLimit)
    .prepare();

  return (workspaceId) => ({
    append: (rows) => write(() => insertEvents(workspaceId, rows)),
    list: (limit, after) =>
      read(() =>
        (after ? next.all({ workspaceId, limit, ...after }) : first.all({ workspaceId, limit })).map(eventOf),
      ),
  });
}

/** What the write jobs of several nouns do to events. */
export type EventWrites = ReturnType<typeof eventWrites>;

export function eventWrites(writer: Drizzle) {
  const insert = insertInto(writer, events);
  const ofConversation = writer
    .delete(events)
    .where(
      and(eq(events.workspaceId, given('workspaceId')), eq(events.conversationId, given('conversationId'))),
    )
    .prepare();
  const ofVisitor = writer
    .delete(events)
    .where(and(eq(events.workspaceId, given('workspaceId')), eq(events.visitorId, given('visitorId'))))
    .prepare();
  const conversationsOfVisitor = writer
    .select({ conversationId: conversations.id })
    .from(conversations)
    .where(
      and(
        eq(conversations.workspaceId, given('workspaceId')),
        eq(conversations.visitorId, given('visitorId')),
      ),
    )
    .prepare();

  function deleteEventsOfConversation(workspaceId: string, conversationId: string): number {
    return ofConversation.run({ workspaceId, conversationId }).changes;
  }

  return {
    insertEvents(workspaceId: string, rows: readonly EventRow[]): void {
      for (const row of rows) {
        insert({
          workspaceId,
          atMillis: row.atMillis,
          id: row.id,
          type: row.type,
          visitorId: row.visitorId ?? null,
          conversationId: row.conversationId ?? null,
          data: JSON.stringify(row.data),
        });
      }
    },
    /** Returns how many there were. */
    deleteEventsOfConversation,
    /** Those of the visitor's conversations too. Returns how many there were. */
    deleteEventsOfVisitor(workspaceId: string, visitorId: string): number {
      let deleted = ofVisitor.run({ workspaceId, visitorId }).changes;
      for (const { conversationId } of conversationsOfVisitor.all({ workspaceId, visitorId })) {
        deleted += deleteEventsOfConversation(workspaceId, conversationId);
      }
      return deleted;
    },
  };
}

function eventOf(row: Omit<typeof events.$inferSelect, 'workspaceId'>): EventRow {
  return { ...withoutNulls(row), type: row.type as EventRow['type'], data: JSON.parse(row.data) };
}
