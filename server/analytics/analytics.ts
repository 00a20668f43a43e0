import type { analytics } from '../../contract/analytics.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { decodeRowPosition, encodeRowPosition } from '../cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, ResponseOf } from '../http/handler.ts';
import type { Conversations, RatedTurn } from '../storage/conversations.ts';
import type { Store } from '../storage/store.ts';
import { truncate } from '../text.ts';
import { listConversations, scanPage, toConversationBody, toSpan, toTurnBody } from './conversations.ts';
import { createFairScheduler, readAnalytics } from './read-analytics.ts';

type Deps = { readonly store: Store; readonly clock: Clock };

export function analyticsHandlers({ store, clock }: Deps): Handlers<typeof analytics> {
  const waitForTurn = createFairScheduler();
  return {
    async listTenantConversations({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await listConversations(query, conversations, waitForTurn) };
    },

    async readTenantConversation({ params, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      const found = await conversations.findKept(params.conversationId);
      if (!found) return throwApiError('conversation/not_found');
      const turns = await conversations.turns(found.id, LIMITS.turnsPerConversationMax);
      const ratings = new Map(
        (await conversations.ratings(found.id)).map((rated) => [rated.messageId, rated]),
      );
      return {
        status: 200,
        body: {
          conversation: toConversationBody(found),
          turns: turns.map((turn) => toTurnBody(turn, ratings.get(turn.messageId))),
        },
      };
    },

    async listFeedback({ query, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      return { status: 200, body: await listFeedback(query, conversations, waitForTurn) };
    },

    async readAnalytics({ query, caller, ctx }) {
      const workspace = store.in(caller.workspace.id);
      const deps = { workspace, waitForTurn, nowMillis: clock.now(), signal: ctx.signal };
      return { status: 200, body: await readAnalytics(query, deps) };
    },
  };
}

type Filter = HandlerInput<typeof analytics.listFeedback>['query'];
type Page = ResponseOf<typeof analytics.listFeedback>['body'];
type Position = Pick<RatedTurn, 'messageId' | 'atMillis'>;

const STEP_ROWS = 50;
const EXAMINED_ROWS_MAX = 2_000;

async function listFeedback(
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
