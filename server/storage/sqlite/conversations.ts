import { and, desc, eq, ne, sql } from 'drizzle-orm';
import type { Conversation, Conversations, OpenTurn, Turn } from '../conversations.ts';
import { conversations, feedback, turns } from '../schema.ts';
import type { Connections } from './connections.ts';
import { sqliteConversationReading } from './conversation-reading.ts';
import type { EventWrites } from './events.ts';
import { boundLimit, equals, insertInto, placeholder, prepareRun, withoutNulls } from './statements.ts';

export function sqliteConversations(
  connections: Connections,
  { insertEvents }: EventWrites,
): (workspaceId: string) => Conversations {
  const { read, write } = connections;
  const queries = prepareQueries(connections);
  const writes = prepareWrites(connections);
  const reading = sqliteConversationReading(connections);

  function openTurn(workspaceId: string, turn: OpenTurn): 'opened' | 'conflict' {
    const { conversationId: id, visitorId, turnIdx, askedAt, messageId } = turn;
    const deleteAfterMillis = turn.deleteAfterMillis ?? null;
    const idempotencyKey = turn.idempotencyKey ?? null;
    const known = writes.ownerOf.get({ id });
    if (known && (known.workspaceId !== workspaceId || known.visitorId !== visitorId)) return 'conflict';
    if (idempotencyKey !== null && writes.turnByKey.get({ workspaceId, visitorId, idempotencyKey })) {
      return 'conflict';
    }
    if (known) writes.moveConversation({ id, nextTurnIdx: turnIdx + 1, deleteAfterMillis });
    else {
      writes.insertConversation({
        id,
        workspaceId,
        visitorId,
        startedAt: askedAt,
        nextTurnIdx: turnIdx + 1,
        turnCount: 1,
        ended: false,
        deleteAfterMillis,
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
    });
    return 'opened';
  }

  return (workspaceId) => ({
    ...reading(workspaceId),

    find: (conversationId) =>
      read(
        () => queries.conversation.get({ workspaceId, conversationId }) satisfies Conversation | undefined,
      ),

    turns: (conversationId, limit) =>
      read(() => queries.newestTurns.all({ workspaceId, conversationId, limit }).reverse().map(turnOf)),

    recent: (conversationId, limit) =>
      read(() => queries.newestWords.all({ workspaceId, conversationId, limit }).reverse()),

    findTurn: (messageId) => read(() => maybeTurn(queries.turn.get({ workspaceId, messageId }))),

    findTurnByKey: (visitorId, idempotencyKey) =>
      read(() => maybeTurn(queries.turnByKey.get({ workspaceId, visitorId, idempotencyKey }))),

    openTurn: (turn, events) =>
      write(() => {
        const outcome = openTurn(workspaceId, turn);
        if (outcome === 'opened') insertEvents(workspaceId, events);
        return outcome;
      }),

    reopenTurn: (messageId, askedAt) =>
      write(() =>
        writes.restartTurn({ workspaceId, messageId, askedAt }) === 1
          ? ('opened' as const)
          : ('conflict' as const),
      ),

    closeTurn: (turn, events) =>
      write(() => {
        const finished = writes.finishTurn({
          ...turn,
          workspaceId,
          finishReason: turn.finishReason ?? null,
          frames: JSON.stringify(turn.frames),
        });
        if (finished === 0) return 'gone' as const;
        insertEvents(workspaceId, events);
        return 'closed' as const;
      }),

    rate: (rating, events) =>
      write(() => {
        const { messageId, visitorId } = rating;
        const conversation = writes.conversationOf.get({ workspaceId, messageId });
        if (conversation?.visitorId !== visitorId) return 'gone' as const;
        writes.dropRating.run({ messageId });
        writes.insertRating({ ...rating, workspaceId, comment: rating.comment ?? null });
        insertEvents(workspaceId, events);
        return 'rated' as const;
      }),
  });
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
      .where(
        and(
          eq(conversations.id, placeholder('conversationId')),
          eq(conversations.workspaceId, placeholder('workspaceId')),
        ),
      )
      .prepare(),
    newestTurns: reader
      .select()
      .from(turns)
      .where(ofConversation)
      .orderBy(desc(turns.askedAt), desc(turns.messageId))
      .limit(boundLimit)
      .prepare(),
    newestWords: reader
      .select({ question: turns.question, answer: turns.answer })
      .from(turns)
      .where(ofConversation)
      .orderBy(desc(turns.askedAt), desc(turns.messageId))
      .limit(boundLimit)
      .prepare(),
    turn: reader
      .select()
      .from(turns)
      .where(
        and(eq(turns.messageId, placeholder('messageId')), eq(turns.workspaceId, placeholder('workspaceId'))),
      )
      .prepare(),
    turnByKey: reader
      .select()
      .from(turns)
      .where(
        and(
          eq(turns.workspaceId, placeholder('workspaceId')),
          eq(turns.visitorId, placeholder('visitorId')),
          eq(turns.idempotencyKey, placeholder('idempotencyKey')),
        ),
      )
      .prepare(),
  };
}

function prepareWrites({ writer }: Connections) {
  return {
    /** Whatever workspace it belongs to: conversation ids are unique over all of them. */
    ownerOf: writer
      .select({ workspaceId: conversations.workspaceId, visitorId: conversations.visitorId })
      .from(conversations)
      .where(eq(conversations.id, placeholder('id')))
      .prepare(),
    turnByKey: writer
      .select({ messageId: turns.messageId })
      .from(turns)
      .where(
        and(
          eq(turns.workspaceId, placeholder('workspaceId')),
          eq(turns.visitorId, placeholder('visitorId')),
          eq(turns.idempotencyKey, placeholder('idempotencyKey')),
        ),
      )
      .prepare(),
    insertConversation: insertInto(writer, conversations),
    moveConversation: prepareRun(
      writer,
      writer
        .update(conversations)
        .set({
          turnCount: sql`${conversations.turnCount} + 1`,
          nextTurnIdx: sql`max(${conversations.nextTurnIdx}, ${placeholder('nextTurnIdx')})`,
          // No turn outlives what was promised for it: later ones never prolong the time of the conversation, only a decision lifts it.
          deleteAfterMillis: sql`coalesce(min(${placeholder('deleteAfterMillis')}, ${conversations.deleteAfterMillis}), ${placeholder('deleteAfterMillis')}, ${conversations.deleteAfterMillis})`,
        })
        .where(eq(conversations.id, placeholder('id'))),
    ),
    insertTurn: insertInto(writer, turns),
    restartTurn: prepareRun(
      writer,
      writer
        .update(turns)
        .set({
          askedAt: sql`${placeholder('askedAt')}`,
          state: 'running',
          finishReason: null,
          finishedAt: null,
        })
        .where(
          and(
            eq(turns.messageId, placeholder('messageId')),
            eq(turns.workspaceId, placeholder('workspaceId')),
            ne(turns.state, 'complete'),
          ),
        ),
    ),
    conversationOf: writer
      .select({ id: turns.conversationId, visitorId: turns.visitorId })
      .from(turns)
      .where(
        and(eq(turns.messageId, placeholder('messageId')), eq(turns.workspaceId, placeholder('workspaceId'))),
      )
      .prepare(),
    finishTurn: prepareRun(
      writer,
      writer
        .update(turns)
        .set({
          answer: sql`${placeholder('answer')}`,
          frames: sql`${placeholder('frames')}`,
          state: sql`${placeholder('state')}`,
          finishReason: sql`${placeholder('finishReason')}`,
          requestedLocale: sql`${placeholder('requestedLocale')}`,
          finishedAt: sql`${placeholder('finishedAt')}`,
        })
        .where(
          and(
            eq(turns.messageId, placeholder('messageId')),
            eq(turns.workspaceId, placeholder('workspaceId')),
          ),
        ),
    ),
    dropRating: writer
      .delete(feedback)
      .where(eq(feedback.messageId, placeholder('messageId')))
      .prepare(),
    insertRating: insertInto(writer, feedback),
  };
}

function turnOf(row: typeof turns.$inferSelect): Turn {
  const { workspaceId: _, ...turn } = withoutNulls(row);
  return { ...turn, frames: JSON.parse(row.frames) };
}

function maybeTurn(row: typeof turns.$inferSelect | undefined): Turn | undefined {
  return row && turnOf(row);
}
