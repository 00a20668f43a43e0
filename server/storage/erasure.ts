import { and, asc, gt, inArray, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { toIsoString } from '../base/clock.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import type { EventWrites } from './events.ts';
import {
  consentCurrent,
  consentSubjects,
  conversations,
  erasedVisitors,
  feedback,
  handovers,
  idempotencyKeys,
  invitations,
  mails,
  passwordResets,
  sessions,
  setupLinks,
  turns,
  voiceReservations,
} from './schema/index.ts';
import { db, input, insertInto, matches, rawStatement, statement } from './statements.ts';
import { deleteWebhookEvents, recordWebhookEvent } from './webhook-events.ts';

/** What is kept of an erased visitor, so that the browser's id is not accepted again. */
type Tombstone = { mark: string; atMillis: number };

/** Rows older than this are deleted. */
export type RetentionCutoffs = {
  /** Conversations that began before this time, with everything in them, and handovers that were sent before. */
  conversationsBeforeMillis: number;
  /** Event rows from before this time. */
  eventsBeforeMillis: number;
  /** Unanswered questions without a visitor from before this time. */
  anonymousQuestionsBeforeMillis: number;
  /** Events for webhooks from before this time; those about visitors also from before the time of conversations. */
  webhookEventsBeforeMillis: number;
};

/** Erases a visitor. Consent records stay, but nothing links them to the visitor. */
export function sqlVisitors({ write }: SqlDatabase, { deleteEventsOfVisitor }: EventWrites) {
  return (workspaceId: string) => (visitorId: string, tombstone: Tombstone) =>
    write(workspaceId, async (tx) => {
      const visitor = { workspaceId, visitorId };
      tx.noteErasure();
      const events = await deleteEventsOfVisitor(tx, workspaceId, visitorId);
      const [ratings, conversationCount] = await Promise.all([
        tx.run(eraseFeedback, visitor),
        // Cascades to the turns.
        tx.run(eraseConversations, visitor),
        // With their replies and notes.
        tx.run(eraseHandovers, visitor),
        tx.run(eraseMails, visitor),
        tx.run(eraseCurrentDecision, visitor),
        tx.run(eraseSubject, visitor),
        // Reservations stay: they may be in use, and their seconds stay counted.
        tx.run(unlinkReservations, visitor),
        tx.run(insertTombstone, { workspaceId, ...tombstone }),
      ]);
      await deleteWebhookEvents(tx, workspaceId, visitorId, 'erased');
      await recordWebhookEvent(tx, {
        workspaceId,
        type: 'consent.erased',
        subject: visitorId,
        payload: { visitor_id: visitorId, erased_at: toIsoString(tombstone.atMillis) },
        at: tombstone.atMillis,
      });
      return { conversations: conversationCount, events, feedback: ratings };
    });
}

const erase = (
  table:
    | typeof conversations
    | typeof feedback
    | typeof handovers
    | typeof consentCurrent
    | typeof consentSubjects,
) => statement(() => db.delete(table).where(matches(table.workspaceId, table.visitorId)));
const eraseFeedback = erase(feedback);
const eraseConversations = erase(conversations);
const eraseHandovers = erase(handovers);
const eraseMails = statement(() => db.delete(mails).where(matches(mails.workspaceId, mails.visitorId)));
const eraseCurrentDecision = erase(consentCurrent);
const eraseSubject = erase(consentSubjects);
const unlinkReservations = statement(() =>
  db
    .update(voiceReservations)
    .set({ visitorId: '' })
    .where(matches(voiceReservations.workspaceId, voiceReservations.visitorId)),
);
const insertTombstone = insertInto(erasedVisitors, 'orIgnore');

export function sqlErasedVisitors({ read }: SqlDatabase) {
  return (sinceMillis: number) => read(undefined, (tx) => tx.all(erasedSince, { sinceMillis }));
}

const erasedSince = statement(() =>
  db
    .select({ mark: erasedVisitors.mark, atMillis: erasedVisitors.atMillis })
    .from(erasedVisitors)
    .where(gt(erasedVisitors.atMillis, input('sinceMillis')))
    .orderBy(asc(erasedVisitors.atMillis)),
);

/** Deletes a bounded part of what is older than the cutoffs. */
export async function deleteOlder(
  tx: WriteTx,
  workspaceId: string,
  {
    conversationsBeforeMillis,
    eventsBeforeMillis,
    anonymousQuestionsBeforeMillis,
    webhookEventsBeforeMillis,
  }: RetentionCutoffs,
  { deleteSomeBefore }: EventWrites,
  millis: number,
): Promise<{ conversations: number; handovers: number; events: number; questions: number; more: boolean }> {
  const deleted = { conversations: 0, handovers: 0, events: 0, questions: 0 };
  const more = await runFor(millis, async () => {
    const oldest = await tx.get(oldestConversation, { workspaceId, beforeMillis: conversationsBeforeMillis });
    if (oldest) {
      deleted.conversations += await deleteConversationStep(tx, workspaceId, oldest.id);
      return true;
    }
    const asked = { workspaceId, beforeMillis: conversationsBeforeMillis };
    const sent = await tx.run(deleteSomeHandovers, asked);
    deleted.handovers += sent;
    if (sent > 0) return true;
    const rows = await deleteSomeBefore(tx, workspaceId, eventsBeforeMillis);
    deleted.events += rows;
    if (rows > 0) return true;
    const questions = { workspaceId, beforeMillis: anonymousQuestionsBeforeMillis };
    const some = await tx.run(deleteSomeQuestions, questions);
    deleted.questions += some;
    if (some > 0) return true;
    const logged = { workspaceId, webhookEventsBeforeMillis, conversationsBeforeMillis };
    if ((await tx.run(deleteSomeWebhookEvents, logged)) === 0) return false;
    tx.noteErasure();
    return true;
  });
  const { conversations, handovers, events, questions } = deleted;
  if (conversations + handovers + events + questions > 0 || more) tx.noteErasure();
  return { ...deleted, more };
}

const oldestConversation = rawStatement<{ id: string }>(
  sql`SELECT id FROM conversations WHERE workspace_id = ${input('workspaceId')}
    AND started_at < ${input('beforeMillis')}
   ORDER BY started_at LIMIT 1`,
  'id',
);

const HANDOVERS_PER_STEP = 50;
const deleteSomeHandovers = rawStatement(
  sql`DELETE FROM handovers WHERE id IN (
     SELECT id FROM handovers WHERE workspace_id = ${input('workspaceId')}
       AND created_at < ${input('beforeMillis')}
     LIMIT ${HANDOVERS_PER_STEP})`,
);

const QUESTIONS_PER_STEP = 500;
const deleteSomeQuestions = rawStatement(
  sql`DELETE FROM anonymous_questions WHERE id IN (
     SELECT id FROM anonymous_questions WHERE workspace_id = ${input('workspaceId')}
       AND asked_at < ${input('beforeMillis')}
     LIMIT ${QUESTIONS_PER_STEP})`,
);

const deleteSomeWebhookEvents = rawStatement(
  sql`DELETE FROM webhook_events WHERE id IN (
     SELECT id FROM webhook_events WHERE workspace_id = ${input('workspaceId')}
       AND (created_at < ${input('webhookEventsBeforeMillis')}
         OR (visitor_id IS NOT NULL AND created_at < ${input('conversationsBeforeMillis')}))
     LIMIT ${QUESTIONS_PER_STEP})`,
);

/** Repeats a small step while it returns true and there is time. Returns false when nothing is left to do. */
export async function runFor(millis: number, step: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + millis;
  do {
    if (!(await step())) return false;
  } while (performance.now() < until);
  return true;
}

const CONVERSATION_TURNS_PER_STEP = 4;

/** Deletes a few turns with their ratings, as a conversation may have hundreds, and the conversation last. */
async function deleteConversationStep(tx: WriteTx, workspaceId: string, id: string): Promise<0 | 1> {
  const conversation = { workspaceId, id };
  if ((await tx.run(deleteSomeTurns, conversation)) > 0) return 0;
  await tx.run(deleteConversation, conversation);
  return 1;
}

const deleteSomeTurns = rawStatement(
  sql`DELETE FROM turns WHERE message_id IN (
     SELECT message_id FROM turns WHERE workspace_id = ${input('workspaceId')} AND conversation_id = ${input('id')}
     LIMIT ${CONVERSATION_TURNS_PER_STEP})`,
);
const deleteConversation = statement(() =>
  db.delete(conversations).where(matches(conversations.workspaceId, conversations.id)),
);

/** No turn runs longer than this: an older one that is still stored as running was abandoned. */
const RUNNING_MILLIS_MAX = 600_000;
const TURNS_PER_STEP = 500;
const EXPIRED_PER_STEP = 500;

/** Interrupts all turns that are stored as running: after a crash, no process runs them any more. */
export function sqlInterruptRunning({ write }: SqlDatabase) {
  return (nowMillis: number) => write(undefined, (tx) => tx.run(interruptAll, { nowMillis }));
}

const isRunning = sql`${turns.state} = 'running'`;
const interrupted = { state: 'interrupted' as const, finishedAt: sql`${input('nowMillis')}` };
const interruptAll = statement(() => db.update(turns).set(interrupted).where(isRunning));

export function sqlSweep({ write, jobMillis }: SqlDatabase, { deleteSomeOfConversation }: EventWrites) {
  return (nowMillis: number) =>
    write(undefined, async (tx) => {
      const deleted = { conversations: 0, events: 0 };
      const locked = new Set<string>();
      const moreExpired = await runFor(jobMillis, async () => {
        const expiredConversation = await tx.get(nextExpired, { nowMillis });
        if (!expiredConversation) return false;
        const { workspaceId, id } = expiredConversation;
        if (!locked.has(workspaceId)) {
          // A decision may have lifted the deadline before the lock was taken, so the step begins again.
          await tx.lock(workspaceId);
          locked.add(workspaceId);
          return true;
        }
        tx.noteErasure();
        const events = await deleteSomeOfConversation(tx, workspaceId, id);
        deleted.events += events;
        if (events === 0) deleted.conversations += await deleteConversationStep(tx, workspaceId, id);
        return true;
      });
      const [interrupted, ...expired] = await Promise.all([
        tx.run(interruptAbandoned, { nowMillis, askedBefore: nowMillis - RUNNING_MILLIS_MAX }),
        ...dropExpired.map((drop) => tx.run(drop, { nowMillis })),
      ]);
      const more = moreExpired || interrupted === TURNS_PER_STEP || expired.includes(EXPIRED_PER_STEP);
      return { ...deleted, interrupted, more };
    });
}

const nextExpired = statement(() =>
  db
    .select({ id: conversations.id, workspaceId: conversations.workspaceId })
    .from(conversations)
    .where(isExpired(conversations.deleteAfterMillis))
    .orderBy(asc(conversations.deleteAfterMillis))
    .limit(1),
);
// Checks `isRunning` twice: a turn may have ended since the inner query read it.
const interruptAbandoned = statement(() =>
  db
    .update(turns)
    .set(interrupted)
    .where(
      and(
        isRunning,
        inArray(
          turns.messageId,
          db
            .select({ messageId: turns.messageId })
            .from(turns)
            .where(and(isRunning, lt(turns.askedAt, input('askedBefore'))))
            .limit(TURNS_PER_STEP),
        ),
      ),
    ),
);
/** Delete expired sessions, idempotency keys, invitations, links and mails. */
const dropExpired = [
  createDropExpired(sessions, sessions.id),
  createDropExpired(idempotencyKeys, idempotencyKeys.key),
  createDropExpired(invitations, invitations.id),
  createDropExpired(setupLinks, setupLinks.tokenHash),
  createDropExpired(passwordResets, passwordResets.tokenHash),
  createDropExpired(mails, mails.id),
];

type Expiring =
  | typeof sessions
  | typeof invitations
  | typeof setupLinks
  | typeof passwordResets
  | typeof idempotencyKeys
  | typeof mails;

function createDropExpired(table: Expiring, key: SQLiteColumn) {
  return statement(() => {
    const expired = db.select({ key }).from(table).where(isExpired(table.expiresAt)).limit(EXPIRED_PER_STEP);
    return db.delete(table).where(and(isExpired(table.expiresAt), inArray(key, expired)));
  });
}

function isExpired(column: SQLiteColumn): SQL {
  return lte(column, input('nowMillis'));
}
