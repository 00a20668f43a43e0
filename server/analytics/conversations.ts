import type { FinishReason } from '../../contract/chat-event.ts';
import type { insight } from '../../contract/insight.ts';
import { LIMITS } from '../../contract/limits.ts';
import { truncate } from '../characters.ts';
import { isAnswered } from '../chat/analytics-events.ts';
import { readCitations, toCitationRecord } from '../chat/citations.ts';
import { toIsoString } from '../clock.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import type {
  ConversationSummary,
  Conversations,
  Feedback,
  TranscriptTurn,
  Turn,
} from '../storage/conversations.ts';
import type { Span } from '../storage/events.ts';
import { cursorFor, placeOf } from './cursor.ts';
import { matchingPage } from './matching-page.ts';
import { foldQuestion } from './normalize-question.ts';

/** How conversations are listed and shown. */

type Filter = HandlerInput<typeof insight.listTenantConversations>['query'];
type Page = ResponseOf<typeof insight.listTenantConversations>['body'];
type Transcript = ResponseOf<typeof insight.readTenantConversation>['body'];

const ROWS_A_STEP = 25;
const EXAMINED_MAX = 1000;
/** Long texts take their time: others have a turn before each read of so few. */
const TURNS_A_READ = 10;

export async function pageOfConversations(
  filter: Filter,
  conversations: Pick<Conversations, 'listKept' | 'said' | 'ratings'>,
  pace: () => Promise<void>,
): Promise<Page> {
  const within = spanOf(filter);
  const start = filter.cursor === undefined ? undefined : placeOf(filter.cursor);
  const saysSo = sayingSo(filter, conversations, pace);
  const { rows, after } = await matchingPage(filter.limit, start, {
    rowsAStep: ROWS_A_STEP,
    examinedMax: EXAMINED_MAX,
    list: (limit, place) => conversations.listKept(limit, place, within, filter.visitorId),
    matchesAmong: async (found) => {
      const matching = new Set<ConversationSummary>();
      for (const summary of found) {
        if (matches(summary, filter) && (await saysSo(summary.id))) matching.add(summary);
      }
      return (summary) => matching.has(summary);
    },
    pace,
  });
  return { data: rows.map(wireSummary), ...(after ? { nextCursor: cursorFor(after) } : {}) };
}

export function spanOf({ from, to }: Pick<Filter, 'from' | 'to'>): Span {
  return {
    fromMillis: from === undefined ? Number.MIN_SAFE_INTEGER : Date.parse(from),
    beforeMillis: to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to),
  };
}

function matches(summary: ConversationSummary, { locale, answered }: Filter): boolean {
  if (locale !== undefined && summary.requestedLocale.toLowerCase() !== locale.toLowerCase()) return false;
  return answered === undefined || wasAnswered(summary) === (answered === 'true');
}

/** Whether a conversation has in its turns all that is asked for. Texts are read only where texts are asked for. */
function sayingSo(
  { q, question, rating }: Filter,
  conversations: Pick<Conversations, 'said' | 'ratings'>,
  pace: () => Promise<void>,
): (conversationId: string) => Promise<boolean> {
  const tests: ((turn: TranscriptTurn) => boolean)[] = [];
  if (q !== undefined) tests.push(containing(q));
  if (question !== undefined) {
    const { key } = foldQuestion(question);
    tests.push((turn) => foldQuestion(turn.question).key === key);
  }
  return async (conversationId) => {
    if (rating !== undefined) {
      await pace();
      const ratings = await conversations.ratings(conversationId);
      if (!ratings.some((rated) => rated.rating === rating)) return false;
    }
    const open = new Set(tests);
    let after: TranscriptTurn | undefined;
    for (let isMore = true; isMore && open.size > 0; ) {
      await pace();
      const some = await conversations.said(conversationId, TURNS_A_READ, after);
      for (const test of open) if (some.some(test)) open.delete(test);
      isMore = some.length === TURNS_A_READ;
      after = some.at(-1);
    }
    return open.size === 0;
  };
}

/** Whatever its case and accents. */
function containing(q: string): (turn: TranscriptTurn) => boolean {
  const words = plain(q).split(/\s+/).filter(Boolean);
  return ({ question, answer, comment = '' }) => {
    const text = plain([question, answer, comment].join('\n'));
    return words.every((word) => text.includes(word));
  };
}

/** Marks go before as well: many of them on one character take long to be put in order. */
const plain = (text: string) => withoutMarks(withoutMarks(text).normalize('NFKD')).toLowerCase();

const withoutMarks = (text: string) => text.replace(/\p{M}+/gu, '');

export function wasAnswered({ outcomes }: ConversationSummary): boolean {
  return outcomes.every(({ state, finishReason }) => state === 'complete' && isAnswered(finishReason));
}

export function wireSummary(summary: ConversationSummary): Page['data'][number] {
  const { id, visitorId, startedAt, lastAskedAt, turnCount, requestedLocale, firstQuestion, rating } =
    summary;
  return {
    id,
    visitorId,
    startedAt: toIsoString(startedAt),
    lastAt: toIsoString(lastAskedAt),
    turns: turnCount,
    locale: requestedLocale,
    firstMessage: firstQuestion,
    answered: wasAnswered(summary),
    ...(rating ? { rating } : {}),
  };
}

export function wireTurn(
  turn: Turn,
  rated: Pick<Feedback, 'rating' | 'comment'> | undefined,
): Transcript['turns'][number] {
  const { turnIdx, messageId, question, answer, state, finishReason, requestedLocale } = turn;
  return {
    turnIdx,
    messageId,
    message: question,
    answer,
    state,
    ...(finishReason ? { finishReason: finishReason as FinishReason } : {}),
    requestedLocale,
    citations: readCitations(turn).map(toCitationRecord),
    askedAt: toIsoString(turn.askedAt),
    ...(turn.finishedAt === undefined ? {} : { finishedAt: toIsoString(turn.finishedAt) }),
    ...(rated ? { rating: rated.rating } : {}),
    ...(rated?.comment === undefined ? {} : { comment: truncate(rated.comment, LIMITS.feedbackCharsMax) }),
  };
}
