import { and, asc, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { SqlDatabase, Statement, Values, WriteTx } from './database.ts';
import { createEventQueries, type EventRow } from './event-queries.ts';
import { createRangeFinder, DISPLACED_MILLIS, type EventPosition, type Span, toTimes } from './keyset.ts';
import { anonymousQuestions, conversations, events, eventWatermarks } from './schema/index.ts';
import {
  db,
  input,
  insertInto,
  matches,
  putInto,
  rawStatement,
  statement,
  withoutNulls,
} from './statements.ts';

const { workspaceId: _, ...columns } = getTableColumns(events);
const time = sql`coalesce(${events.happenedMillis}, ${events.atMillis})`;
const page = statement(() =>
  db
    .select(columns)
    .from(events)
    .where(
      and(
        matches(events.workspaceId),
        sql`(${events.atMillis}, ${events.id}) > (${input('atMillis')}, ${input('id')})`,
        lt(events.atMillis, input('beforeMillis')),
        gte(time, input('happenedFromMillis')),
        lt(time, input('happenedBeforeMillis')),
      ),
    )
    .orderBy(asc(events.atMillis), asc(events.id))
    .limit(input('limit')),
);
const findRange = createRangeFinder('events');

export function sqlEvents(database: SqlDatabase, { insertEvents, insertAnonymousQuestion }: EventWrites) {
  const { readAll, write, writeDeferred } = database;
  const queries = createEventQueries(database);
  return (workspaceId: string) => ({
    ...queries(workspaceId),
    /** Stores rows, and, if it is given, a search without its visitor. */
    append: (rows: readonly EventRow[], search?: AnonymousQuestion) =>
      write(workspaceId, async (tx) => {
        await insertEvents(tx, workspaceId, rows);
        await insertAnonymousQuestion(tx, workspaceId, search);
      }),
    /**
     * Like `append`, for rows that may be lost: stored before the next write, within 50 ms at most,
     * and lost if the process dies first. Reading events in this process waits for them.
     */
    appendDeferred: (rows: readonly EventRow[]) =>
      writeDeferred(workspaceId, (tx) => insertEvents(tx, workspaceId, rows)),
    /**
     * Lists rows oldest first by position, after the given one. Rows committed later sort after all
     * rows committed before, across processes and whatever the clock does, so reading on from the last
     * row neither misses nor repeats any. `within` applies to times, not to positions.
     */
    list: (limit: number, after?: EventPosition, within?: Span) =>
      readAll(workspaceId, async (tx) => {
        const { range } = await findRange(tx, workspaceId, after, within);
        return (await tx.all(page, { ...range, limit })).map(toEvent);
      }),
  });
}

/** A question or a search without its visitor. */
export type AnonymousQuestion = Omit<typeof anonymousQuestions.$inferSelect, 'workspaceId'>;

/** The workspaces that store too much data, and how long they keep new conversations. */
export type Restriction = { workspaceIds: ReadonlySet<string>; conversationMillis: number };

/** Event writes that the write jobs of several resources share. */
export type EventWrites = ReturnType<typeof eventWrites>;

export function eventWrites(restriction: Restriction = { workspaceIds: new Set(), conversationMillis: 0 }) {
  const deleteEventsOfConversation = (tx: WriteTx, workspaceId: string, conversationId: string) =>
    deleteKeepingWatermark(tx, workspaceId, deleteOfConversation, { conversationId });

  return {
    /** Assigns positions in commit order. No other transaction writes rows of the workspace at the same time. */
    async insertEvents(tx: WriteTx, workspaceId: string, rows: readonly EventRow[]): Promise<void> {
      if (rows.length === 0 || restriction.workspaceIds.has(workspaceId)) return;
      const inOrder = rows.toSorted((one, other) => (isBehind(one, other) ? 1 : -1));
      let last = getLastPositions(tx).get(workspaceId) ?? (await tx.get(lastPosition, { workspaceId }));
      const positioned = inOrder.map((row) => {
        const atMillis = toTimeAfter(row, last);
        last = { atMillis, id: row.id };
        return { row, atMillis };
      });
      await Promise.all(
        positioned.map(({ row, atMillis }) =>
          tx.run(insert, {
            workspaceId,
            atMillis,
            id: row.id,
            type: row.type,
            visitorId: row.visitorId ?? null,
            conversationId: row.conversationId ?? null,
            data: JSON.stringify(row.data),
            happenedMillis: atMillis - row.atMillis > DISPLACED_MILLIS ? row.atMillis : null,
          }),
        ),
      );
      if (last) getLastPositions(tx).set(workspaceId, last);
    },
    /** A full workspace keeps no more of them, as of events. */
    async insertAnonymousQuestion(
      tx: WriteTx,
      workspaceId: string,
      question: AnonymousQuestion | undefined,
    ): Promise<void> {
      if (question && !restriction.workspaceIds.has(workspaceId))
        await tx.run(insertQuestion, { ...question, workspaceId });
    },
    /** Returns how long a new conversation is kept; undefined when the workspace is not restricted. */
    conversationMillisMax: (workspaceId: string): number | undefined =>
      restriction.workspaceIds.has(workspaceId) ? restriction.conversationMillis : undefined,
    /** Deletes a few of the conversation's rows, and returns how many. */
    deleteSomeOfConversation: (tx: WriteTx, workspaceId: string, conversationId: string) =>
      deleteKeepingWatermark(tx, workspaceId, deleteSomeOfConversation, { conversationId }),
    /** Deletes a few of the oldest rows from before `beforeMillis`, and returns how many. */
    deleteSomeBefore: (tx: WriteTx, workspaceId: string, beforeMillis: number) =>
      deleteKeepingWatermark(tx, workspaceId, deleteSomeBefore, { beforeMillis }),
    /** Also deletes the events of the visitor's conversations. Returns the number of deleted rows. */
    async deleteEventsOfVisitor(tx: WriteTx, workspaceId: string, visitorId: string): Promise<number> {
      let deleted = await deleteKeepingWatermark(tx, workspaceId, deleteOfVisitor, { visitorId });
      for (const { conversationId } of await tx.all(conversationsOfVisitor, { workspaceId, visitorId })) {
        deleted += await deleteEventsOfConversation(tx, workspaceId, conversationId);
      }
      return deleted;
    },
  };
}

const insert = insertInto(events);
const insertQuestion = insertInto(anonymousQuestions);
const deleteOfConversation = statement(() =>
  db.delete(events).where(matches(events.workspaceId, events.conversationId)),
);
const deleteOfVisitor = statement(() =>
  db.delete(events).where(matches(events.workspaceId, events.visitorId)),
);
const conversationsOfVisitor = statement(() =>
  db
    .select({ conversationId: conversations.id })
    .from(conversations)
    .where(matches(conversations.workspaceId, conversations.visitorId)),
);

const ROWS_PER_STEP = 16;
const deleteSomeWhere = (condition: SQL) =>
  rawStatement(
    sql`DELETE FROM events WHERE workspace_id = ${input('workspaceId')} AND (at_millis, id) IN (
       SELECT at_millis, id FROM events WHERE workspace_id = ${input('workspaceId')} AND ${condition}
       ORDER BY at_millis, id LIMIT ${ROWS_PER_STEP})`,
  );
const deleteSomeOfConversation = deleteSomeWhere(sql`conversation_id = ${input('conversationId')}`);
const deleteSomeBefore = deleteSomeWhere(sql`at_millis < ${input('beforeMillis')}`);

/** Stores the last position before its row is deleted: an export that has read up to it then misses no later row. */
async function deleteKeepingWatermark(
  tx: WriteTx,
  workspaceId: string,
  remove: Statement,
  condition: Values,
): Promise<number> {
  const last = await tx.get(lastPosition, { workspaceId });
  if (last) await tx.run(putWatermark, { workspaceId, ...last });
  return tx.run(remove, { workspaceId, ...condition });
}

/** The last position ever assigned: that of the newest row, or of a newer one that was deleted. */
const lastPosition = rawStatement<EventPosition>(
  sql`SELECT at_millis, id FROM (
     SELECT at_millis, id FROM (
       SELECT at_millis, id FROM events WHERE workspace_id = ${input('workspaceId')}
       ORDER BY at_millis DESC, id DESC LIMIT 1
     ) AS newest
     UNION ALL SELECT at_millis, id FROM event_watermarks WHERE workspace_id = ${input('workspaceId')}
   ) AS assigned ORDER BY at_millis DESC, id DESC LIMIT 1`,
  'atMillis',
  'id',
);
const putWatermark = putInto(eventWatermarks, eventWatermarks.workspaceId);

/** Last positions by workspace, valid in one transaction. */
const lastPositions = new WeakMap<WriteTx, Map<string, EventPosition>>();

function getLastPositions(tx: WriteTx): Map<string, EventPosition> {
  const positions = lastPositions.get(tx);
  if (positions) return positions;
  const created = new Map<string, EventPosition>();
  lastPositions.set(tx, created);
  return created;
}

function isBehind(one: EventPosition, other: EventPosition): boolean {
  return one.atMillis === other.atMillis ? one.id > other.id : one.atMillis > other.atMillis;
}

/**
 * Returns the row's own time, or the earliest one that sorts after the last position. Inserting a row
 * twice still causes a conflict.
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

export type Events = ReturnType<ReturnType<typeof sqlEvents>>;
