import { and, asc, desc, eq, gte, isNull, sql } from 'drizzle-orm';
import type { ConversationQueries, ConversationSummary } from '../conversations.ts';
import type { Span } from '../events.ts';
import { conversations, feedback, turns } from '../schema.ts';
import type { Connections } from './connections.ts';
import { sqliteSaidTurns } from './said-turns.ts';
import { boundLimit, equals, placeholder, withoutNulls } from './statements.ts';
import { sqliteTalkPicking } from './talk-picking.ts';

const ALWAYS: Span = { fromMillis: Number.MIN_SAFE_INTEGER, beforeMillis: Number.MAX_SAFE_INTEGER };

type Found = Pick<ConversationSummary, 'id' | 'visitorId' | 'startedAt' | 'turnCount'>;

/** Conversations for those who read many. What waits for its deletion is left out here, so that nobody can forget to. */
export function sqliteConversationReading(
  connections: Connections,
): (workspaceId: string) => ConversationQueries {
  const { read } = connections;
  const queries = prepareQueries(connections);

  function summaryOf(found: Found): ConversationSummary {
    const conversation = { conversationId: found.id };
    const first = queries.firstTurn.get(conversation)!;
    const rating = queries.newestRating.get(conversation)?.rating;
    return {
      ...found,
      lastAskedAt: queries.lastTurn.get(conversation)!.askedAt,
      firstQuestion: first.question,
      requestedLocale: first.requestedLocale,
      outcomes: queries.outcomes.all(conversation).map(withoutNulls),
      ...(rating ? { rating } : {}),
    };
  }

  const picking = sqliteTalkPicking(connections, summaryOf);
  const saidIn = sqliteSaidTurns(connections);

  return (workspaceId) => ({
    ...picking(workspaceId),

    listKept: (limit, before, within = ALWAYS, visitorId) =>
      read(() => {
        const end = { startedAt: within.beforeMillis, id: '' };
        const start = before && before.startedAt < end.startedAt ? before : end;
        const { fromMillis } = within;
        const { startedAt, id } = start;
        const asked = { workspaceId, limit, fromMillis, startedAt, id };
        const found =
          visitorId === undefined
            ? queries.newest.all(asked)
            : queries.ofVisitor.all({ ...asked, visitorId });
        return found.map(summaryOf);
      }),

    findKept: (conversationId) =>
      read(() => {
        const found = queries.one.get({ workspaceId, conversationId });
        return found && summaryOf(found);
      }),

    ...saidIn(workspaceId),

    ratings: (conversationId) =>
      read(() => queries.ratings.all({ workspaceId, conversationId }).map(withoutNulls)),

    listQuestions: (finishReason, limit, after, within = ALWAYS) =>
      read(() => {
        const start = { askedAt: within.fromMillis, messageId: '' };
        const { askedAt, messageId } = after && after.askedAt >= start.askedAt ? after : start;
        const { beforeMillis } = within;
        return queries.questions.all({ workspaceId, finishReason, limit, askedAt, messageId, beforeMillis });
      }),
  });
}

function prepareQueries({ reader }: Connections) {
  const columns = {
    id: conversations.id,
    visitorId: conversations.visitorId,
    startedAt: conversations.startedAt,
    turnCount: conversations.turnCount,
  };
  const isKept = isNull(conversations.deleteAfterMillis);
  const inPage = and(
    equals(conversations.workspaceId, 'workspaceId'),
    isKept,
    sql`(${conversations.startedAt}, ${conversations.id}) < (${placeholder('startedAt')}, ${placeholder('id')})`,
    gte(conversations.startedAt, placeholder('fromMillis')),
  );
  // Sorting what one visitor has is cheaper than looking for it among all that there is: the plus hides the index by time.
  const startedAt = sql`+${conversations.startedAt}`;
  const newestFirst = [desc(conversations.startedAt), desc(conversations.id)];
  const ofConversation = equals(turns.conversationId, 'conversationId');
  return {
    newest: reader
      .select(columns)
      .from(conversations)
      .where(inPage)
      .orderBy(...newestFirst)
      .limit(boundLimit)
      .prepare(),
    ofVisitor: reader
      .select(columns)
      .from(conversations)
      .where(
        and(
          equals(conversations.workspaceId, 'workspaceId'),
          equals(conversations.visitorId, 'visitorId'),
          isKept,
          sql`(${startedAt}, ${conversations.id}) < (${placeholder('startedAt')}, ${placeholder('id')})`,
          sql`${startedAt} >= ${placeholder('fromMillis')}`,
        ),
      )
      .orderBy(desc(startedAt), desc(conversations.id))
      .limit(boundLimit)
      .prepare(),
    one: reader
      .select(columns)
      .from(conversations)
      .where(
        and(
          eq(conversations.id, placeholder('conversationId')),
          eq(conversations.workspaceId, placeholder('workspaceId')),
          isKept,
        ),
      )
      .prepare(),
    firstTurn: reader
      .select({ question: turns.question, requestedLocale: turns.requestedLocale })
      .from(turns)
      .where(ofConversation)
      .orderBy(asc(turns.askedAt), asc(turns.messageId))
      .limit(1)
      .prepare(),
    lastTurn: reader
      .select({ askedAt: turns.askedAt })
      .from(turns)
      .where(ofConversation)
      .orderBy(desc(turns.askedAt), desc(turns.messageId))
      .limit(1)
      .prepare(),
    outcomes: reader
      .select({ state: turns.state, finishReason: turns.finishReason, turns: sql<number>`count(*)` })
      .from(turns)
      .where(ofConversation)
      .groupBy(turns.state, turns.finishReason)
      .prepare(),
    newestRating: reader
      .select({ rating: feedback.rating })
      .from(turns)
      .innerJoin(feedback, eq(feedback.messageId, turns.messageId))
      .where(ofConversation)
      .orderBy(desc(feedback.atMillis), desc(feedback.id))
      .limit(1)
      .prepare(),
    ratings: reader
      .select({ messageId: feedback.messageId, rating: feedback.rating, comment: feedback.comment })
      .from(turns)
      .innerJoin(feedback, eq(feedback.messageId, turns.messageId))
      .where(
        and(
          eq(turns.conversationId, placeholder('conversationId')),
          eq(turns.workspaceId, placeholder('workspaceId')),
        ),
      )
      .prepare(),
    questions: reader
      .select({ messageId: turns.messageId, question: turns.question, askedAt: turns.askedAt })
      .from(turns)
      .innerJoin(conversations, eq(conversations.id, turns.conversationId))
      .where(
        and(
          equals(turns.workspaceId, 'workspaceId'),
          equals(turns.finishReason, 'finishReason'),
          sql`(${turns.askedAt}, ${turns.messageId}) > (${placeholder('askedAt')}, ${placeholder('messageId')})`,
          sql`${turns.askedAt} < ${placeholder('beforeMillis')}`,
          isKept,
        ),
      )
      .orderBy(asc(turns.askedAt), asc(turns.messageId))
      .limit(boundLimit)
      .prepare(),
  };
}
