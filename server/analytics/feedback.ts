import type { analytics } from '../../contract/analytics.ts';
import { LIMITS } from '../../contract/limits.ts';
import { truncate } from '../characters.ts';
import { toIsoString } from '../clock.ts';
import { decodeRowPosition, encodeRowPosition } from '../cursor.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import type { Conversations, RatedTurn } from '../storage/conversations.ts';
import { scanPage, toSpan } from './conversations.ts';

type Filter = HandlerInput<typeof analytics.listFeedback>['query'];
type Page = ResponseOf<typeof analytics.listFeedback>['body'];
type Position = Pick<RatedTurn, 'messageId' | 'atMillis'>;

const STEP_ROWS = 50;
const EXAMINED_ROWS_MAX = 2_000;

export async function listFeedback(
  filter: Filter,
  conversations: Pick<Conversations, 'listRated'>,
  waitForTurn: () => Promise<void>,
): Promise<Page> {
  const within = toSpan(filter);
  const start = filter.cursor === undefined ? undefined : parseCursor(filter.cursor);
  const { rows, after } = await scanPage<RatedTurn, Position>(filter.limit, start, {
    stepRows: STEP_ROWS,
    examinedMax: EXAMINED_ROWS_MAX,
    list: (limit, after) => conversations.listRated(limit, after, within),
    matchesAmong: async () => (rated) => matches(rated, filter),
    waitForTurn,
  });
  return { data: rows.map(toBody), ...(after ? { nextCursor: toCursor(after) } : {}) };
}

function matches({ rating, comment }: RatedTurn, filter: Filter): boolean {
  if (filter.rating !== undefined && rating !== filter.rating) return false;
  return filter.commented === undefined || (comment !== undefined) === (filter.commented === 'true');
}

function toBody(rated: RatedTurn): Page['data'][number] {
  const { messageId, conversationId, rating, comment, atMillis, question, answer, requestedLocale } = rated;
  return {
    messageId,
    conversationId,
    rating,
    ...(comment === undefined ? {} : { comment: truncate(comment, LIMITS.feedbackCharsMax) }),
    at: toIsoString(atMillis),
    question,
    answer: truncate(answer, LIMITS.searchSummaryCharsMax),
    locale: requestedLocale,
  };
}

const toCursor = ({ atMillis, messageId }: Position) => encodeRowPosition({ atMillis, id: messageId });

function parseCursor(cursor: string): Position {
  const { atMillis, id } = decodeRowPosition(cursor, /^msg_[0-9a-z]{26}$/);
  return { atMillis, messageId: id };
}
