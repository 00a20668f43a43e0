import type { insight } from '../../contract/insight.ts';
import { LIMITS } from '../../contract/limits.ts';
import { truncate } from '../characters.ts';
import { toIsoString } from '../clock.ts';
import { decodeRowPosition, encodeRowPosition } from '../cursor.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import type { Conversations, RatedTurn } from '../storage/conversations.ts';
import { spanOf } from './conversations.ts';
import { matchingPage } from './matching-page.ts';

/** What visitors thought of answers. */

type Filter = HandlerInput<typeof insight.listFeedback>['query'];
type Page = ResponseOf<typeof insight.listFeedback>['body'];
type Place = Pick<RatedTurn, 'messageId' | 'atMillis'>;

const ROWS_A_STEP = 50;
const EXAMINED_MAX = 2_000;

export async function pageOfFeedback(
  filter: Filter,
  conversations: Pick<Conversations, 'listRated'>,
  pace: () => Promise<void>,
): Promise<Page> {
  const within = spanOf(filter);
  const start = filter.cursor === undefined ? undefined : placeOf(filter.cursor);
  const { rows, after } = await matchingPage<RatedTurn, Place>(filter.limit, start, {
    rowsAStep: ROWS_A_STEP,
    examinedMax: EXAMINED_MAX,
    list: (limit, place) => conversations.listRated(limit, place, within),
    matchesAmong: async () => (rated) => matches(rated, filter),
    pace,
  });
  return { data: rows.map(record), ...(after ? { nextCursor: cursorFor(after) } : {}) };
}

function matches({ rating, comment }: RatedTurn, filter: Filter): boolean {
  if (filter.rating !== undefined && rating !== filter.rating) return false;
  return filter.commented === undefined || (comment !== undefined) === (filter.commented === 'true');
}

function record(rated: RatedTurn): Page['data'][number] {
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

const cursorFor = ({ atMillis, messageId }: Place) => encodeRowPosition({ atMillis, id: messageId });

function placeOf(cursor: string): Place {
  const { atMillis, id } = decodeRowPosition(cursor, /^msg_[0-9a-z]{26}$/);
  return { atMillis, messageId: id };
}
