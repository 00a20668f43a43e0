import type { insight } from '../../contract/insight.ts';
import { LIMITS } from '../../contract/limits.ts';
import { momentOf } from '../clock.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { Asked, ReplyOf } from '../http/handler.ts';
import type { Conversations, RatedTurn } from '../storage/conversations.ts';
import { spanOf } from './conversations.ts';

/** What visitors thought of answers. */

type Filter = Asked<typeof insight.listFeedback>['query'];
type Page = ReplyOf<typeof insight.listFeedback>['body'];
type Place = Pick<RatedTurn, 'messageId' | 'atMillis'>;

const ROWS_A_STEP = 50;
/** A page is looked for among this many ratings; the next page goes on behind them. */
const EXAMINED_MAX = 2_000;

export async function pageOfFeedback(
  filter: Filter,
  conversations: Pick<Conversations, 'listRated'>,
  pace: () => Promise<void>,
): Promise<Page> {
  const within = spanOf(filter);
  const data: Page['data'] = [];
  let place = filter.cursor === undefined ? undefined : placeOf(filter.cursor);
  for (let examined = 0; examined < EXAMINED_MAX; examined += ROWS_A_STEP) {
    await pace();
    const found = await conversations.listRated(ROWS_A_STEP, place, within);
    for (const rated of found) {
      if (matches(rated, filter)) {
        if (data.length === filter.limit) return { data, nextCursor: cursorFor(place!) };
        data.push(record(rated));
      }
      place = rated;
    }
    if (found.length < ROWS_A_STEP) return { data };
  }
  return { data, nextCursor: cursorFor(place!) };
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
    ...(comment === undefined ? {} : { comment: comment.slice(0, LIMITS.feedbackCharsMax) }),
    at: momentOf(atMillis),
    question,
    answer: beginning(answer),
    locale: requestedLocale,
  };
}

/** Never cuts a character in two. */
function beginning(text: string): string {
  const cut = text.slice(0, LIMITS.searchSummaryCharsMax);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

const cursorFor = ({ atMillis, messageId }: Place) => writeCursor(`${atMillis} ${messageId}`);

function placeOf(cursor: string): Place {
  const [, atMillis, messageId] = readCursor(cursor, /^(\d{1,15}) (msg_[0-9a-z]{26})$/);
  return { atMillis: Number(atMillis), messageId: messageId! };
}
