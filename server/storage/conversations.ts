import { and, desc, eq, ne, sql } from 'drizzle-orm';
import { packTexts, unpackTexts } from '../base/packed-texts.ts';
import {
  createConversationQueries,
  type Feedback,
  type Turn,
  type TurnState,
} from './conversation-queries.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import type { EventRow } from './event-queries.ts';
import type { AnonymousQuestion, EventWrites } from './events.ts';
import { conversations, feedback, turns } from './schema/index.ts';
import {
  bound,
  db,
  greater,
  input,
  insertInto,
  lesser,
  matches,
  statement,
  withoutNulls,
} from './statements.ts';
import { type ChangeEvent, recordWebhookEvent } from './webhook-events.ts';

export type OpenTurn = Pick<
  Turn,
  | 'messageId'
  | 'conversationId'
  | 'visitorId'
  | 'turnIdx'
  | 'question'
  | 'requestedLocale'
  | 'askedAt'
  | 'idempotencyKey'
  | 'payloadHash'
> & {
  /**
   * Deletion deadline of the whole conversation, unless the stored one is earlier. Absent keeps the
   * stored one.
   */
  deleteAfterMillis?: number;
};

export type CloseTurn = Pick<Turn, 'messageId' | 'attempt' | 'answer' | 'frames' | 'requestedLocale'> & {
  state: Exclude<TurnState, 'running'>;
  finishReason?: string;
  finishedAt: number;
};

export function sqlConversations(
  database: SqlDatabase,
  { insertEvents, insertAnonymousQuestion, conversationMillisMax }: EventWrites,
) {
  const { read, write } = database;
  const queries = createConversationQueries(database);

  return (workspaceId: string) => ({
    ...queries(workspaceId),

    /** Finds a conversation of the workspace, for any visitor. */
    find: (conversationId: string) =>
      read(workspaceId, (tx) => tx.get(conversation, { workspaceId, conversationId })),

    /** Returns the newest `limit` turns of a conversation, oldest first. */
    turns: (conversationId: string, limit: number) =>
      read(workspaceId, async (tx) =>
        (await tx.all(newestTurns, { workspaceId, conversationId, limit })).reverse().map(toTurn),
      ),

    findTurn: (messageId: string) =>
      read(workspaceId, async (tx) => toOptionalTurn(await tx.get(turn, { workspaceId, messageId }))),

    /** Finds the turn that the visitor started with this Idempotency-Key. */
    findTurnByKey: (visitorId: string, idempotencyKey: string) =>
      read(workspaceId, async (tx) =>
        toOptionalTurn(await tx.get(turnByKey, { workspaceId, visitorId, idempotencyKey })),
      ),

    /**
     * Stores a question, and its conversation when that is new. Returns 'conflict' and stores nothing
     * when the conversation belongs to another visitor or the visitor has used this idempotency key.
     */
    openTurn: (turn: OpenTurn, events: readonly EventRow[]) =>
      write(workspaceId, async (tx) => {
        const outcome = await openTurn(tx, workspaceId, turn, conversationMillisMax(workspaceId));
        if (outcome === 'opened') await insertEvents(tx, workspaceId, events);
        return outcome;
      }),

    /**
     * Restarts a turn under the same message id, keeping its partial answer, and claims it for the
     * attempt after this one. Returns 'conflict' when the turn is complete or gone, or another restart
     * has claimed it.
     */
    reopenTurn: (messageId: string, attempt: number, askedAt: number) =>
      write(workspaceId, async (tx) => {
        const restarted = await tx.run(restartTurn, { workspaceId, messageId, attempt, askedAt });
        return restarted === 1 ? 'opened' : 'conflict';
      }),

    /**
     * Stores the outcome of a turn with its event rows, and, if they are given, its question without the visitor and the
     * event for webhooks. Returns 'gone' and stores nothing when the turn was erased, has been closed, or belongs to a later attempt.
     */
    closeTurn: (
      turn: CloseTurn,
      events: readonly EventRow[],
      anonymousQuestion?: AnonymousQuestion,
      webhookEvent?: ChangeEvent,
    ) =>
      write(workspaceId, async (tx) => {
        const frames = packTexts(turn.frames);
        if ((await tx.run(finishTurn, { ...turn, workspaceId, frames })) === 0) return 'gone';
        await insertEvents(tx, workspaceId, events);
        if (webhookEvent) await recordWebhookEvent(tx, { ...webhookEvent, workspaceId });
        await insertAnonymousQuestion(tx, workspaceId, anonymousQuestion);
        return 'closed';
      }),

    /**
     * Stores a rating, replacing the message's earlier one, and the event rows unless it only adds
     * details to the same rating; and the event for webhooks, if that is given. Returns 'gone' when the visitor has no
     * such message.
     */
    rate: (rating: Feedback, events: readonly EventRow[], webhookEvent?: ChangeEvent) =>
      write(workspaceId, async (tx) => {
        const { messageId, visitorId } = rating;
        const before = await tx.get(ratedBefore, { workspaceId, messageId });
        if (before?.visitorId !== visitorId) return 'gone';
        await tx.run(dropRating, { messageId });
        await tx.run(insertRating, { ...rating, workspaceId });
        if (rating.rating !== before.rating) await insertEvents(tx, workspaceId, events);
        if (webhookEvent) await recordWebhookEvent(tx, { ...webhookEvent, workspaceId });
        return 'rated';
      }),
  });
}

async function openTurn(
  tx: WriteTx,
  workspaceId: string,
  turn: OpenTurn,
  millisMax: number | undefined,
): Promise<'opened' | 'conflict'> {
  const { conversationId: id, visitorId, turnIdx, askedAt, idempotencyKey } = turn;
  const deleteAfterMillis = turn.deleteAfterMillis ?? null;
  const [existing, repeated] = await Promise.all([
    tx.get(visitorOfConversation, { workspaceId, id }),
    idempotencyKey === undefined
      ? undefined
      : tx.get(turnWithKey, { workspaceId, visitorId, idempotencyKey }),
  ]);
  if (repeated || (existing && existing.visitorId !== visitorId)) return 'conflict';
  if (existing) await tx.run(moveConversation, { workspaceId, id, turnIdx: turnIdx + 1, deleteAfterMillis });
  else {
    await tx.run(insertConversation, {
      id,
      workspaceId,
      visitorId,
      startedAt: askedAt,
      nextTurnIdx: turnIdx + 1,
      turnCount: 1,
      ended: false,
      deleteAfterMillis:
        millisMax === undefined
          ? deleteAfterMillis
          : Math.min(askedAt + millisMax, deleteAfterMillis ?? Number.POSITIVE_INFINITY),
    });
  }
  await tx.run(insertTurn, {
    messageId: turn.messageId,
    workspaceId,
    conversationId: id,
    visitorId,
    turnIdx,
    state: 'running',
    requestedLocale: turn.requestedLocale,
    idempotencyKey,
    payloadHash: turn.payloadHash,
    askedAt,
    question: turn.question,
    answer: '',
    frames: packTexts([]),
    attempt: 1,
  });
  return 'opened';
}

const conversation = statement(() =>
  db
    .select({
      id: conversations.id,
      visitorId: conversations.visitorId,
      startedAt: conversations.startedAt,
      nextTurnIdx: conversations.nextTurnIdx,
      turnCount: conversations.turnCount,
      ended: conversations.ended,
    })
    .from(conversations)
    .where(and(eq(conversations.id, input('conversationId')), matches(conversations.workspaceId))),
);
const newestTurns = statement(() =>
  db
    .select()
    .from(turns)
    .where(and(matches(turns.conversationId, turns.workspaceId)))
    .orderBy(desc(turns.askedAt), desc(turns.messageId))
    .limit(input('limit')),
);
const isThisTurn = matches(turns.messageId, turns.workspaceId);
const hasThisKey = matches(turns.workspaceId, turns.visitorId, turns.idempotencyKey);
const turn = statement(() => db.select().from(turns).where(isThisTurn));
const turnByKey = statement(() => db.select().from(turns).where(hasThisKey));
const turnWithKey = statement(() => db.select({ messageId: turns.messageId }).from(turns).where(hasThisKey));
const ratedBefore = statement(() =>
  db
    .select({ visitorId: turns.visitorId, rating: feedback.rating })
    .from(turns)
    .leftJoin(feedback, eq(feedback.messageId, turns.messageId))
    .where(isThisTurn),
);

const isThisConversation = matches(conversations.workspaceId, conversations.id);
const visitorOfConversation = statement(() =>
  db.select({ visitorId: conversations.visitorId }).from(conversations).where(isThisConversation),
);
const insertConversation = insertInto(conversations);
const moveConversation = statement(() =>
  db
    .update(conversations)
    .set({
      turnCount: sql`${conversations.turnCount} + 1`,
      nextTurnIdx: greater(conversations.nextTurnIdx, 'turnIdx'),
      // A later turn never extends the deadline of the conversation; only a decision lifts it.
      deleteAfterMillis: lesser(conversations.deleteAfterMillis, 'deleteAfterMillis'),
    })
    .where(isThisConversation),
);

const insertTurn = insertInto(turns);
const isThisAttempt = and(isThisTurn, matches(turns.attempt));
const restartTurn = statement(() =>
  db
    .update(turns)
    .set({
      ...bound('askedAt'),
      state: 'running',
      finishReason: null,
      finishedAt: null,
      attempt: sql`${turns.attempt} + 1`,
    })
    .where(and(isThisAttempt, ne(turns.state, 'complete'))),
);
const finishTurn = statement(() =>
  db
    .update(turns)
    .set(bound('answer', 'frames', 'state', 'finishReason', 'requestedLocale', 'finishedAt'))
    .where(and(isThisAttempt, sql`${turns.state} = 'running'`)),
);
const dropRating = statement(() => db.delete(feedback).where(matches(feedback.messageId)));
const insertRating = insertInto(feedback);

function toTurn(row: typeof turns.$inferSelect): Turn {
  const { workspaceId: _, ...turn } = withoutNulls(row);
  return { ...turn, frames: unpackTexts(row.frames) };
}

function toOptionalTurn(row: typeof turns.$inferSelect | undefined): Turn | undefined {
  return row && toTurn(row);
}

export type Conversations = ReturnType<ReturnType<typeof sqlConversations>>;
