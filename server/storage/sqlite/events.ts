import { and, asc, desc, getTableColumns, lt, sql } from 'drizzle-orm';
import type { EventPosition, EventRow, Events } from '../events.ts';
import { conversations, events, eventWatermarks } from '../schema.ts';
import type { Connections, Drizzle } from './connections.ts';
import { createEventQueries } from './event-queries.ts';
import { createRangeFinder, DISPLACED_MILLIS, toTimes } from './keyset.ts';
import { boundLimit, equals, insertInto, matches, placeholder, putInto, withoutNulls } from './statements.ts';

export function sqliteEvents(
  connections: Connections,
  { insertEvents }: EventWrites,
): (workspaceId: string) => Events {
  const { reader, readAll, write, writeDeferred } = connections;
  const picking = createEventQueries(connections);
  const { workspaceId: _, ...columns } = getTableColumns(events);
  const findRange = createRangeFinder(reader.$client, 'events');
  const time = sql`coalesce(${events.happenedMillis}, ${events.atMillis})`;
  const page = reader
    .select(columns)
    .from(events)
    .where(
      and(
        equals(events.workspaceId, 'workspaceId'),
        sql`(${events.atMillis}, ${events.id}) > (${placeholder('atMillis')}, ${placeholder('id')})`,
        lt(events.atMillis, placeholder('beforeMillis')),
        sql`${time} >= ${placeholder('happenedFromMillis')}`,
        sql`${time} < ${placeholder('happenedBeforeMillis')}`,
      ),
    )
    .orderBy(asc(events.atMillis), asc(events.id))
    .limit(boundLimit)
    .prepare();

  return (workspaceId) => ({
    ...picking(workspaceId),
    append: (rows) => write(() => insertEvents(workspaceId, rows)),
    appendDeferred: (rows) => writeDeferred(() => insertEvents(workspaceId, rows)),
    list: (limit, after, within) =>
      readAll(() => page.all({ ...findRange(workspaceId, after, within).range, limit }).map(toEvent)),
  });
}

/** The workspaces that hold too much, and how long they keep new conversations. */
export type Restriction = { workspaceIds: ReadonlySet<string>; conversationMillis: number };

/** Event writes that the write jobs of several resources share. */
export type EventWrites = ReturnType<typeof eventWrites>;

export function eventWrites(
  { writer, transaction }: Pick<Connections, 'writer' | 'transaction'>,
  restriction: Restriction = { workspaceIds: new Set(), conversationMillis: 0 },
) {
  const { insert, ofConversation, ofVisitor, conversationsOfVisitor } = prepareEventWrites(writer);
  const { someOfConversation, someBefore } = prepareEventSteps(writer);
  const { getLastPositions, findLastPosition, mark } = createPositions(writer, transaction);

  function deleteEventsOfConversation(workspaceId: string, conversationId: string): number {
    mark(workspaceId);
    return ofConversation.run({ workspaceId, conversationId }).changes;
  }

  return {
    /**
     * Assigns positions in commit order. Only one process writes at a time, so the last position is
     * global.
     */
    insertEvents(workspaceId: string, rows: readonly EventRow[]): void {
      if (restriction.workspaceIds.has(workspaceId)) return;
      const inOrder = rows.toSorted((one, other) => (isBehind(one, other) ? 1 : -1));
      if (inOrder[0] === undefined) return;
      let last = findLastPosition(workspaceId);
      for (const row of inOrder) {
        const atMillis = toTimeAfter(row, last);
        insert({
          workspaceId,
          atMillis,
          id: row.id,
          type: row.type,
          visitorId: row.visitorId ?? null,
          conversationId: row.conversationId ?? null,
          data: JSON.stringify(row.data),
          happenedMillis: atMillis - row.atMillis > DISPLACED_MILLIS ? row.atMillis : null,
        });
        last = { atMillis, id: row.id };
      }
      if (last) getLastPositions().set(workspaceId, last);
    },
    /** How long a new conversation of the workspace is kept; undefined when it is not restricted. */
    conversationMillisMax: (workspaceId: string): number | undefined =>
      restriction.workspaceIds.has(workspaceId) ? restriction.conversationMillis : undefined,
    /** Deletes a few of the conversation's rows, and returns how many. */
    deleteSomeOfConversation(workspaceId: string, conversationId: string): number {
      mark(workspaceId);
      return someOfConversation.run({ workspaceId, conversationId }).changes;
    },
    /** Deletes a few of the oldest rows from before the time, and returns how many. */
    deleteSomeBefore(workspaceId: string, beforeMillis: number): number {
      mark(workspaceId);
      return someBefore.run({ workspaceId, beforeMillis }).changes;
    },
    /** Includes the events of the visitor's conversations. Returns the number of deleted rows. */
    deleteEventsOfVisitor(workspaceId: string, visitorId: string): number {
      mark(workspaceId);
      let deleted = ofVisitor.run({ workspaceId, visitorId }).changes;
      for (const { conversationId } of conversationsOfVisitor.all({ workspaceId, visitorId })) {
        deleted += deleteEventsOfConversation(workspaceId, conversationId);
      }
      return deleted;
    },
  };
}

function createPositions(writer: Drizzle, transaction: () => number) {
  const { newest, marked, putMark } = preparePositions(writer);

  /**
   * Last positions by workspace, valid for one transaction, during which no other process writes.
   */
  let taken = { transaction: -1, last: new Map<string, EventPosition>() };
  function getLastPositions(): Map<string, EventPosition> {
    if (taken.transaction !== transaction()) taken = { transaction: transaction(), last: new Map() };
    return taken.last;
  }

  /** The last position ever assigned. */
  function findLastPosition(workspaceId: string): EventPosition | undefined {
    const known = getLastPositions().get(workspaceId);
    if (known) return known;
    const row = newest.get({ workspaceId });
    const mark = marked.get({ workspaceId });
    if (!mark) return row;
    return row && isBehind(row, mark) ? row : mark;
  }

  /**
   * Stores the last position before its row is deleted, so that a reader who reached it misses no
   * later row.
   */
  function mark(workspaceId: string): void {
    const row = newest.get({ workspaceId });
    const known = marked.get({ workspaceId });
    if (row && !(known && isBehind(known, row))) putMark({ workspaceId, ...row });
  }

  return { getLastPositions, findLastPosition, mark };
}

function preparePositions(writer: Drizzle) {
  const newest = writer
    .select({ atMillis: events.atMillis, id: events.id })
    .from(events)
    .where(equals(events.workspaceId, 'workspaceId'))
    .orderBy(desc(events.atMillis), desc(events.id))
    .limit(1)
    .prepare();
  const marked = writer
    .select({ atMillis: eventWatermarks.atMillis, id: eventWatermarks.id })
    .from(eventWatermarks)
    .where(matches(eventWatermarks.workspaceId))
    .prepare();
  const putMark = putInto(writer, eventWatermarks, eventWatermarks.workspaceId);
  return { newest, marked, putMark };
}

function prepareEventWrites(writer: Drizzle) {
  const insert = insertInto(writer, events);
  const ofConversation = writer
    .delete(events)
    .where(matches(events.workspaceId, events.conversationId))
    .prepare();
  const ofVisitor = writer.delete(events).where(matches(events.workspaceId, events.visitorId)).prepare();
  const conversationsOfVisitor = writer
    .select({ conversationId: conversations.id })
    .from(conversations)
    .where(matches(conversations.workspaceId, conversations.visitorId))
    .prepare();
  return { insert, ofConversation, ofVisitor, conversationsOfVisitor };
}

const ROWS_A_STEP = 16;

function prepareEventSteps({ $client: db }: Drizzle) {
  const deleteWhere = (condition: string) =>
    db.prepare(
      `DELETE FROM events WHERE workspace_id = @workspaceId AND (at_millis, id) IN (
         SELECT at_millis, id FROM events WHERE workspace_id = @workspaceId AND ${condition}
         ORDER BY at_millis, id LIMIT ${ROWS_A_STEP})`,
    );
  return {
    someOfConversation: deleteWhere('conversation_id = @conversationId'),
    someBefore: deleteWhere('at_millis < @beforeMillis'),
  };
}

function isBehind(one: EventPosition, other: EventPosition): boolean {
  return one.atMillis === other.atMillis ? one.id > other.id : one.atMillis > other.atMillis;
}

/**
 * The row's own time, or the earliest one that sorts after the last position. Inserting a row twice
 * stays a conflict.
 */
function toTimeAfter(row: EventPosition, last: EventPosition | undefined): number {
  if (!last || row.atMillis > last.atMillis) return row.atMillis;
  return row.id < last.id ? last.atMillis + 1 : last.atMillis;
}

function toEvent({
  atMillis,
  happenedMillis,
  ...row
}: Omit<typeof events.$inferSelect, 'workspaceId'>): EventRow {
  const times = toTimes({ atMillis, happenedMillis });
  return { ...withoutNulls(row), ...times, type: row.type as EventRow['type'], data: JSON.parse(row.data) };
}
