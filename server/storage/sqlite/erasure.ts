import { asc, inArray, lte, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import {
  consentCurrent,
  consentSubjects,
  conversations,
  feedback,
  invitations,
  sessions,
  setupLinks,
  turns,
  voiceReservations,
} from '../schema.ts';
import type { Store, WorkspaceStore } from '../store.ts';
import type { Connections, Drizzle } from './connections.ts';
import type { EventWrites } from './events.ts';
import { matches, placeholder } from './statements.ts';

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

  return (workspaceId) => (visitorId) =>
    write(() => {
      const visitor = { workspaceId, visitorId };
      wal.containsDeletedRows = true;
      const events = deleteEventsOfVisitor(workspaceId, visitorId);
      const ratings = eraseFeedback.run(visitor).changes;
      // Cascades to the turns.
      const conversationCount = eraseConversations.run(visitor).changes;
      eraseCurrentDecision.run(visitor);
      eraseSubject.run(visitor);
      // Reservations stay: they may be in use, and their seconds stay counted.
      unlinkReservations.run(visitor);
      return { conversations: conversationCount, events, feedback: ratings };
    });
}

/** No turn takes longer than this, so the process that ran it has died. */
const RUNNING_MILLIS_MAX = 600_000;
const CONVERSATIONS_A_STEP = 50;
const TURNS_A_STEP = 500;
const EXPIRED_A_STEP = 500;

export function sqliteSweep(
  { writer, write, wal }: Connections,
  { deleteEventsOfConversation }: EventWrites,
): Store['sweep'] {
  const expiredConversations = writer
    .select({ id: conversations.id, workspaceId: conversations.workspaceId })
    .from(conversations)
    .where(lte(conversations.deleteAfterMillis, placeholder('nowMillis')))
    .orderBy(asc(conversations.deleteAfterMillis))
    .limit(CONVERSATIONS_A_STEP)
    .prepare();
  const remove = writer.delete(conversations).where(matches(conversations.id)).prepare();
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
    write(() => {
      const due = expiredConversations.all({ nowMillis });
      if (due.length > 0) wal.containsDeletedRows = true;
      let events = 0;
      for (const { id, workspaceId } of due) {
        events += deleteEventsOfConversation(workspaceId, id);
        remove.run({ id });
      }
      const interrupted = interrupt.run({ nowMillis, askedBefore: nowMillis - RUNNING_MILLIS_MAX }).changes;
      const expired = expiring.map((drop) => drop(nowMillis));
      const more =
        due.length === CONVERSATIONS_A_STEP ||
        interrupted === TURNS_A_STEP ||
        expired.includes(EXPIRED_A_STEP);
      return { conversations: due.length, events, interrupted, more };
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
