import { asc, gt, inArray, lte, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { EventWrites } from '../sql/events.ts';
import {
  consentCurrent,
  consentSubjects,
  conversations,
  erasedVisitors,
  feedback,
  invitations,
  sessions,
  setupLinks,
  turns,
  voiceReservations,
} from '../sql/schema.ts';
import type { Store, WorkspaceStore } from '../store.ts';
import type { Connections, Drizzle } from './connections.ts';
import { insertInto, matches, placeholder } from './statements.ts';

/** Erases a visitor. Consent records stay, but nothing links them to the visitor. */
export function sqliteVisitors(
  { writer, write, wal }: Connections,
  { deleteEventsOfVisitor }: EventWrites,
): (workspaceId: string) => WorkspaceStore['eraseVisitor'] {
  const tables = { conversations, feedback, consentCurrent, consentSubjects };
  const erase = (table: (typeof tables)[keyof typeof tables]) =>
    writer.delete(table).where(matches(table.workspaceId, table.visitorId)).prepare();
  const eraseFeedback = erase(feedback);
  const eraseConversations = erase(conversations);
  const eraseCurrentDecision = erase(consentCurrent);
  const eraseSubject = erase(consentSubjects);
  const unlinkReservations = writer
    .update(voiceReservations)
    .set({ visitorId: '' })
    .where(matches(voiceReservations.workspaceId, voiceReservations.visitorId))
    .prepare();

  const bury = insertInto(writer, erasedVisitors, 'orIgnore');

  return (workspaceId) => (visitorId, tombstone) =>
    write(async (tx) => {
      const visitor = { workspaceId, visitorId };
      wal.containsDeletedRows = true;
      const events = await deleteEventsOfVisitor(tx, workspaceId, visitorId);
      const ratings = eraseFeedback.run(visitor).changes;
      // Cascades to the turns.
      const conversationCount = eraseConversations.run(visitor).changes;
      eraseCurrentDecision.run(visitor);
      eraseSubject.run(visitor);
      // Reservations stay: they may be in use, and their seconds stay counted.
      unlinkReservations.run(visitor);
      bury({ workspaceId, ...tombstone });
      return { conversations: conversationCount, events, feedback: ratings };
    });
}

export function sqliteErasedVisitors({ reader, read }: Connections): Store['listErasedVisitors'] {
  const since = reader
    .select({ mark: erasedVisitors.mark, atMillis: erasedVisitors.atMillis })
    .from(erasedVisitors)
    .where(gt(erasedVisitors.atMillis, placeholder('sinceMillis')))
    .orderBy(asc(erasedVisitors.atMillis))
    .prepare();
  return (sinceMillis) => read(() => since.all({ sinceMillis }));
}

/** No turn takes longer than this, so its end could not be stored. */
const RUNNING_MILLIS_MAX = 600_000;
const TURNS_A_STEP = 500;
const EXPIRED_A_STEP = 500;

/** Time limit of a job that deletes, excluding its commit, so that other requests run in between. */
const JOB_MILLIS = 1;

/** Repeats a small step while it returns true and there is time; false when nothing is left to do. */
export async function runWithinJobTime(step: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + JOB_MILLIS;
  while (performance.now() < until) {
    if (!(await step())) return false;
  }
  return true;
}

const CONVERSATION_TURNS_A_STEP = 4;

/** Deletes a conversation in parts, because it may have hundreds of turns. */
export function prepareConversationRemoval({ $client: db }: Drizzle) {
  const turns = db.prepare(
    `DELETE FROM turns WHERE rowid IN (
       SELECT rowid FROM turns WHERE conversation_id = ? AND workspace_id = ? LIMIT ${CONVERSATION_TURNS_A_STEP})`,
  );
  const row = db.prepare('DELETE FROM conversations WHERE workspace_id = ? AND id = ?');
  return {
    /** Deletes a few turns with their ratings; false when there were none. */
    deletePart: (workspaceId: string, id: string) => turns.run(id, workspaceId).changes > 0,
    deleteRow: (workspaceId: string, id: string) => row.run(workspaceId, id).changes,
  };
}

/** After a crash no process runs the turns that are stored as running. */
export function sqliteInterruptRunning({ writer, write }: Connections): Store['interruptRunning'] {
  const interrupt = writer
    .update(turns)
    .set({ state: 'interrupted', finishedAt: sql`${placeholder('nowMillis')}` })
    .where(sql`${turns.state} = 'running'`)
    .prepare();
  return (nowMillis) => write(() => interrupt.run({ nowMillis }).changes);
}

export function sqliteSweep(
  { writer, write, wal }: Connections,
  { deleteSomeOfConversation }: EventWrites,
): Store['sweep'] {
  const nextExpired = writer
    .select({ id: conversations.id, workspaceId: conversations.workspaceId })
    .from(conversations)
    .where(lte(conversations.deleteAfterMillis, placeholder('nowMillis')))
    .orderBy(asc(conversations.deleteAfterMillis))
    .limit(1)
    .prepare();
  const { deletePart, deleteRow } = prepareConversationRemoval(writer);
  const abandoned = writer
    .select({ messageId: turns.messageId })
    .from(turns)
    .where(sql`${turns.state} = 'running' AND ${turns.askedAt} < ${placeholder('askedBefore')}`)
    .limit(TURNS_A_STEP);
  const interrupt = writer
    .update(turns)
    .set({ state: 'interrupted', finishedAt: sql`${placeholder('nowMillis')}` })
    .where(inArray(turns.messageId, abandoned))
    .prepare();

  const expiring = [
    dropExpired(writer, sessions, sessions.id),
    dropExpired(writer, invitations, invitations.id),
    dropExpired(writer, setupLinks, setupLinks.tokenHash),
  ];

  return (nowMillis) =>
    write(async (tx) => {
      const deleted = { conversations: 0, events: 0 };
      const moreExpired = await runWithinJobTime(async () => {
        const due = nextExpired.get({ nowMillis });
        if (!due) return false;
        wal.containsDeletedRows = true;
        const events = await deleteSomeOfConversation(tx, due.workspaceId, due.id);
        deleted.events += events;
        if (events === 0 && !deletePart(due.workspaceId, due.id)) {
          deleted.conversations += deleteRow(due.workspaceId, due.id);
        }
        return true;
      });
      const interrupted = interrupt.run({ nowMillis, askedBefore: nowMillis - RUNNING_MILLIS_MAX }).changes;
      const expired = expiring.map((drop) => drop(nowMillis));
      const more = moreExpired || interrupted === TURNS_A_STEP || expired.includes(EXPIRED_A_STEP);
      return { ...deleted, interrupted, more };
    });
}

/** Deletes expired sessions and links. */
function dropExpired(
  writer: Drizzle,
  table: typeof sessions | typeof invitations | typeof setupLinks,
  key: SQLiteColumn,
): (nowMillis: number) => number {
  const expired = writer
    .select({ key })
    .from(table)
    .where(sql`${table.expiresAt} <= ${placeholder('nowMillis')}`)
    .limit(EXPIRED_A_STEP);
  const drop = writer.delete(table).where(inArray(key, expired)).prepare();
  return (nowMillis) => drop.run({ nowMillis }).changes;
}
