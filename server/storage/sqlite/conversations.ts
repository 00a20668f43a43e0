import { and, desc, eq, ne, sql } from 'drizzle-orm';
import type { Conversations, OpenTurn, Turn } from '../conversations.ts';
import { conversations, feedback, turns } from '../schema.ts';
import type { Connections } from './connections.ts';
import { createConversationQueries } from './conversation-queries.ts';
import type { EventWrites } from './events.ts';
import {
  bound,
  boundLimit,
  equals,
  insertInto,
  matches,
  placeholder,
  prepareRun,
  withoutNulls,
} from './statements.ts';

export function sqliteConversations(
  connections: Connections,
  { insertEvents, conversationMillisMax }: EventWrites,
): (workspaceId: string) => Conversations {
  const { read, write } = connections;
  const queries = prepareQueries(connections);
  const writes = prepareWrites(connections);
  const reading = createConversationQueries(connections);

  return (workspaceId) => ({
    ...reading(workspaceId),

    find: (conversationId) => read(() => queries.conversation.get({ workspaceId, conversationId })),

    turns: (conversationId, limit) =>
      read(() => queries.newestTurns.all({ workspaceId, conversationId, limit }).reverse().map(toTurn)),

    findTurn: (messageId) => read(() => maybeTurn(queries.turn.get({ workspaceId, messageId }))),

    findTurnByKey: (visitorId, idempotencyKey) =>
      read(() => maybeTurn(queries.turnByKey.get({ workspaceId, visitorId, idempotencyKey }))),

    openTurn: (turn, events) =>
      write(() => {
        const outcome = openTurn(writes, workspaceId, turn, conversationMillisMax(workspaceId));
        if (outcome === 'opened') insertEvents(workspaceId, events);
        return outcome;
      }),

    reopenTurn: (messageId, attempt, askedAt) =>
      write(() =>
        writes.restartTurn({ workspaceId, messageId, attempt, askedAt }) === 1 ? 'opened' : 'conflict',
      ),

    closeTurn: (turn, events) =>
      write(() => {
        const finished = writes.finishTurn({
          ...turn,
          workspaceId,
          finishReason: turn.finishReason ?? null,
          frames: JSON.stringify(turn.frames),
        });
        if (finished === 0) return 'gone';
        insertEvents(workspaceId, events);
        return 'closed';
      }),

    rate: (rating, events) =>
      write(() => {
        const { messageId, visitorId } = rating;
        const conversation = writes.conversationByMessage.get({ workspaceId, messageId });
        if (conversation?.visitorId !== visitorId) return 'gone';
        writes.dropRating.run({ messageId });
        writes.insertRating({ ...rating, workspaceId, comment: rating.comment ?? null });
        insertEvents(workspaceId, events);
        return 'rated';
      }),
  });
}

function openTurn(
  writes: ReturnType<typeof prepareWrites>,
  workspaceId: string,
  turn: OpenTurn,
  millisMax: number | undefined,
): 'opened' | 'conflict' {
  const { conversationId: id, visitorId, turnIdx, askedAt, messageId } = turn;
  const deleteAfterMillis = turn.deleteAfterMillis ?? null;
  const idempotencyKey = turn.idempotencyKey ?? null;
  const known = writes.visitorOfConversation.get({ workspaceId, id });
  if (known && known.visitorId !== visitorId) return 'conflict';
  if (idempotencyKey !== null && writes.turnByKey.get({ workspaceId, visitorId, idempotencyKey })) {
    return 'conflict';
  }
  if (known) writes.moveConversation({ workspaceId, id, nextTurnIdx: turnIdx + 1, deleteAfterMillis });
  else {
    writes.insertConversation({
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
  writes.insertTurn({
    messageId,
    workspaceId,
    conversationId: id,
    visitorId,
    turnIdx,
    state: 'running',
    finishReason: null,
    requestedLocale: turn.requestedLocale,
    idempotencyKey,
    payloadHash: turn.payloadHash ?? null,
    askedAt,
    finishedAt: null,
    question: turn.question,
    answer: '',
    frames: '[]',
    attempt: 1,
  });
  return 'opened';
}

function prepareQueries({ reader }: Connections) {
  const ofConversation = and(
    equals(turns.conversationId, 'conversationId'),
    equals(turns.workspaceId, 'workspaceId'),
  );
  return {
    conversation: reader
      .select({
        id: conversations.id,
        visitorId: conversations.visitorId,
        startedAt: conversations.startedAt,
        nextTurnIdx: conversations.nextTurnIdx,
        turnCount: conversations.turnCount,
        ended: conversations.ended,
      })
      .from(conversations)
      .where(and(eq(conversations.id, placeholder('conversationId')), matches(conversations.workspaceId)))
      .prepare(),
    newestTurns: reader
      .select()
      .from(turns)
      .where(ofConversation)
      .orderBy(desc(turns.askedAt), desc(turns.messageId))
      .limit(boundLimit)
      .prepare(),
    turn: reader.select().from(turns).where(matches(turns.messageId, turns.workspaceId)).prepare(),
    turnByKey: reader
      .select()
      .from(turns)
      .where(matches(turns.workspaceId, turns.visitorId, turns.idempotencyKey))
      .prepare(),
  };
}

function prepareWrites({ writer }: Connections) {
  return {
    visitorOfConversation: writer
      .select({ visitorId: conversations.visitorId })
      .from(conversations)
      .where(matches(conversations.workspaceId, conversations.id))
      .prepare(),
    turnByKey: writer
      .select({ messageId: turns.messageId })
      .from(turns)
      .where(matches(turns.workspaceId, turns.visitorId, turns.idempotencyKey))
      .prepare(),
    insertConversation: insertInto(writer, conversations),
    moveConversation: prepareRun(
      writer,
      writer
        .update(conversations)
        .set({
          turnCount: sql`${conversations.turnCount} + 1`,
          nextTurnIdx: sql`max(${conversations.nextTurnIdx}, ${placeholder('nextTurnIdx')})`,
          // A later turn never extends the deadline of the conversation; only a decision lifts it.
          deleteAfterMillis: sql`coalesce(min(${placeholder('deleteAfterMillis')}, ${conversations.deleteAfterMillis}), ${placeholder('deleteAfterMillis')}, ${conversations.deleteAfterMillis})`,
        })
        .where(matches(conversations.workspaceId, conversations.id)),
    ),
    insertTurn: insertInto(writer, turns),
    restartTurn: prepareRun(
      writer,
      writer
        .update(turns)
        .set({
          ...bound('askedAt'),
          state: 'running',
          finishReason: null,
          finishedAt: null,
          attempt: sql`${turns.attempt} + 1`,
        })
        .where(and(matches(turns.messageId, turns.workspaceId, turns.attempt), ne(turns.state, 'complete'))),
    ),
    conversationByMessage: writer
      .select({ id: turns.conversationId, visitorId: turns.visitorId })
      .from(turns)
      .where(matches(turns.messageId, turns.workspaceId))
      .prepare(),
    finishTurn: prepareRun(
      writer,
      writer
        .update(turns)
        .set(bound('answer', 'frames', 'state', 'finishReason', 'requestedLocale', 'finishedAt'))
        .where(
          and(matches(turns.messageId, turns.workspaceId, turns.attempt), sql`${turns.state} = 'running'`),
        ),
    ),
    dropRating: writer.delete(feedback).where(matches(feedback.messageId)).prepare(),
    insertRating: insertInto(writer, feedback),
  };
}

function toTurn(row: typeof turns.$inferSelect): Turn {
  const { workspaceId: _, ...turn } = withoutNulls(row);
  return { ...turn, frames: JSON.parse(row.frames) };
}

function maybeTurn(row: typeof turns.$inferSelect | undefined): Turn | undefined {
  return row && toTurn(row);
}
