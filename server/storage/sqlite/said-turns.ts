import { and, asc, desc, eq, gte, isNull, sql } from 'drizzle-orm';
import type { ConversationQueries } from '../conversations.ts';
import { conversations, feedback, turns } from '../schema.ts';
import type { Connections } from './connections.ts';
import { boundLimit, equals, placeholder, withoutNulls } from './statements.ts';

const BEFORE_ALL = { askedAt: Number.MIN_SAFE_INTEGER, messageId: '' };
/** Comes after every message id. */
const AFTER_ALL_IDS = '~';

/** What was said, with what was thought of it. What waits for its deletion is left out here, so that nobody can forget to. */
export function sqliteSaidTurns({
  reader,
  read,
}: Connections): (workspaceId: string) => Pick<ConversationQueries, 'said' | 'listRated'> {
  const isKept = isNull(conversations.deleteAfterMillis);
  const said = reader
    .select({
      messageId: turns.messageId,
      askedAt: turns.askedAt,
      question: turns.question,
      answer: turns.answer,
      rating: feedback.rating,
      comment: feedback.comment,
    })
    .from(turns)
    .innerJoin(conversations, eq(conversations.id, turns.conversationId))
    .leftJoin(feedback, eq(feedback.messageId, turns.messageId))
    .where(
      and(
        equals(turns.conversationId, 'conversationId'),
        equals(turns.workspaceId, 'workspaceId'),
        sql`(${turns.askedAt}, ${turns.messageId}) > (${placeholder('askedAt')}, ${placeholder('messageId')})`,
        isKept,
      ),
    )
    .orderBy(asc(turns.askedAt), asc(turns.messageId))
    .limit(boundLimit)
    .prepare();
  const rated = reader
    .select({
      messageId: feedback.messageId,
      rating: feedback.rating,
      comment: feedback.comment,
      atMillis: feedback.atMillis,
      conversationId: turns.conversationId,
      question: turns.question,
      answer: turns.answer,
      requestedLocale: turns.requestedLocale,
    })
    .from(feedback)
    .innerJoin(turns, eq(turns.messageId, feedback.messageId))
    .innerJoin(conversations, eq(conversations.id, turns.conversationId))
    .where(
      and(
        equals(feedback.workspaceId, 'workspaceId'),
        sql`(${feedback.atMillis}, ${feedback.messageId}) < (${placeholder('atMillis')}, ${placeholder('messageId')})`,
        gte(feedback.atMillis, placeholder('fromMillis')),
        isKept,
      ),
    )
    .orderBy(desc(feedback.atMillis), desc(feedback.messageId))
    .limit(boundLimit)
    .prepare();
  return (workspaceId) => ({
    said: (conversationId, limit, { askedAt, messageId } = BEFORE_ALL) =>
      read(() => said.all({ workspaceId, conversationId, limit, askedAt, messageId }).map(withoutNulls)),
    listRated: (limit, before, within) =>
      read(() => {
        const end = {
          atMillis: (within?.beforeMillis ?? Number.MAX_SAFE_INTEGER) - 1,
          messageId: AFTER_ALL_IDS,
        };
        const { atMillis, messageId } = before && before.atMillis <= end.atMillis ? before : end;
        const fromMillis = within?.fromMillis ?? Number.MIN_SAFE_INTEGER;
        return rated.all({ workspaceId, limit, atMillis, messageId, fromMillis }).map(withoutNulls);
      }),
  });
}
