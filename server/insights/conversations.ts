import type { analytics } from '../../contract/analytics.ts';
import { inCamelCase } from '../../contract/fields.ts';
import { toIsoString } from '../base/clock.ts';
import { isAnswered } from '../chat/analytics-events.ts';
import { readCitations, toCitationRecord } from '../chat/citations.ts';
import { normalizeQuestion } from '../chat/normalize-question.ts';
import { toRatingDetails, toTurnFields } from '../chat/turn-fields.ts';
import { CLIENT_ID, decodeRowPosition, encodeRowPosition } from '../http/cursor.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import type {
  ConversationSummary,
  RatingDetails,
  TranscriptTurn,
  Turn,
} from '../storage/conversation-queries.ts';
import type { Conversations } from '../storage/conversations.ts';
import type { Span } from '../storage/keyset.ts';

type Filter = HandlerInput<typeof analytics.listTenantConversations>['query'];
type Page = ResponseOf<typeof analytics.listTenantConversations>['body'];
type Transcript = ResponseOf<typeof analytics.readTenantConversation>['body'];

const STEP_ROWS = 25;
const EXAMINED_ROWS_MAX = 1000;
/** Turns read at a time: few, because turns may be long. */
const TURNS_PER_READ = 10;

export async function listConversations(
  filter: Filter,
  conversations: Pick<Conversations, 'listConversations' | 'listTranscript' | 'ratings'>,
  waitForSlot: () => Promise<void>,
): Promise<Page> {
  const span = toSpan(filter);
  const start = filter.cursor === undefined ? undefined : parseCursor(filter.cursor);
  const matchesTurns = createTurnMatcher(filter, conversations, waitForSlot);
  const { rows, after } = await scanPage(filter.limit, start, {
    stepRows: STEP_ROWS,
    examinedMax: EXAMINED_ROWS_MAX,
    list: (limit, after) => conversations.listConversations(limit, after, span, filter.visitorId),
    createMatcher: async (summaries) => {
      const matching = new Set<ConversationSummary>();
      for (const summary of summaries) {
        if (matches(summary, filter) && (await matchesTurns(summary.id))) matching.add(summary);
      }
      return (summary) => matching.has(summary);
    },
    waitForSlot,
  });
  return { data: rows.map(toConversationBody), ...(after ? { nextCursor: toCursor(after) } : {}) };
}

export function toSpan({ from, to }: Pick<Filter, 'from' | 'to'>): Span {
  return {
    fromMillis: from === undefined ? Number.MIN_SAFE_INTEGER : Date.parse(from),
    beforeMillis: to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to),
  };
}

function matches(summary: ConversationSummary, { locale, answered }: Filter): boolean {
  if (locale !== undefined && summary.requestedLocale.toLowerCase() !== locale.toLowerCase()) return false;
  return answered === undefined || wasAnswered(summary) === (answered === 'true');
}

/** Matches filters on texts and ratings; reads turns only for filters on texts. */
function createTurnMatcher(
  { q, question, rating }: Filter,
  conversations: Pick<Conversations, 'listTranscript' | 'ratings'>,
  waitForSlot: () => Promise<void>,
): (conversationId: string) => Promise<boolean> {
  const tests: ((turn: TranscriptTurn) => boolean)[] = [];
  if (q !== undefined) tests.push(createTextMatcher(q));
  if (question !== undefined) {
    const { key } = normalizeQuestion(question);
    tests.push((turn) => normalizeQuestion(turn.question).key === key);
  }
  return async (conversationId) => {
    if (rating !== undefined) {
      await waitForSlot();
      const ratings = await conversations.ratings(conversationId);
      if (!ratings.some((rated) => rated.rating === rating)) return false;
    }
    const unmatchedTests = new Set(tests);
    let after: TranscriptTurn | undefined;
    for (let hasMore = true; hasMore && unmatchedTests.size > 0; ) {
      await waitForSlot();
      const turns = await conversations.listTranscript(conversationId, TURNS_PER_READ, after);
      for (const test of unmatchedTests) if (turns.some(test)) unmatchedTests.delete(test);
      hasMore = turns.length === TURNS_PER_READ;
      after = turns.at(-1);
    }
    return unmatchedTests.size === 0;
  };
}

/** Matches turns that contain all words of `q`, ignoring case and accents. */
function createTextMatcher(q: string): (turn: TranscriptTurn) => boolean {
  const words = foldText(q).split(/\s+/).filter(Boolean);
  return ({ question, answer, comment = '' }) => {
    const text = foldText([question, answer, comment].join('\n'));
    return words.every((word) => text.includes(word));
  };
}

/** Removes marks before NFKD too: sorting many marks on one character is slow. */
const foldText = (text: string) => removeMarks(removeMarks(text).normalize('NFKD')).toLowerCase();

const removeMarks = (text: string) => text.replace(/\p{M}+/gu, '');

function wasAnswered({ outcomes }: ConversationSummary): boolean {
  return outcomes.every(({ state, finishReason }) => state === 'complete' && isAnswered(finishReason));
}

/** Returns the fields of a conversation that exports and the dashboard have alike. */
export function toConversationFields(summary: ConversationSummary) {
  return {
    visitor_id: summary.visitorId,
    started_at: toIsoString(summary.startedAt),
    last_at: toIsoString(summary.lastAskedAt),
    turns: summary.turnCount,
    locale: summary.requestedLocale,
    first_message: summary.firstQuestion,
    answered: wasAnswered(summary),
    rating: summary.rating,
  };
}

export function toConversationBody(summary: ConversationSummary): Page['data'][number] {
  return { id: summary.id, ...inCamelCase(toConversationFields(summary)) };
}

export function toTurnBody(turn: Turn, rated: RatingDetails | undefined): Transcript['turns'][number] {
  return {
    ...inCamelCase(toTurnFields(turn)),
    citations: readCitations(turn).map(toCitationRecord),
    askedAt: toIsoString(turn.askedAt),
    finishedAt: turn.finishedAt === undefined ? undefined : toIsoString(turn.finishedAt),
    ...(rated && { rating: rated.rating, ...toRatingDetails(rated) }),
  };
}

type Position = Pick<ConversationSummary, 'id' | 'startedAt'>;

const toCursor = ({ startedAt, id }: Position) => encodeRowPosition({ atMillis: startedAt, id });

function parseCursor(cursor: string): Position {
  const { atMillis, id } = decodeRowPosition(cursor, CLIENT_ID);
  return { startedAt: atMillis, id };
}

type Scan<Row, Position> = {
  stepRows: number;
  /** A page scans at most this many rows; its cursor continues after them. */
  examinedMax: number;
  list: (limit: number, after: Position | undefined) => Promise<readonly Row[]>;
  createMatcher: (rows: readonly Row[]) => Promise<(row: Row) => boolean>;
  waitForSlot: () => Promise<void>;
};

type ScannedPage<Row, Position> = {
  rows: readonly Row[];
  /** Absent at the end. */
  after?: Position;
};

/** Scans for matching rows in steps. A page may be short or empty without being the last one. */
export async function scanPage<Row extends Position, Position>(
  limit: number,
  start: Position | undefined,
  { stepRows, examinedMax, list, createMatcher, waitForSlot }: Scan<Row, Position>,
): Promise<ScannedPage<Row, Position>> {
  const rows: Row[] = [];
  let after = start;
  for (let examined = 0; examined < examinedMax; examined += stepRows) {
    await waitForSlot();
    const candidates = await list(stepRows, after);
    const matches = await createMatcher(candidates);
    for (const row of candidates) {
      if (matches(row)) {
        if (rows.length === limit) return { rows, after: after! };
        rows.push(row);
      }
      after = row;
    }
    if (candidates.length < stepRows) return { rows };
  }
  return { rows, after: after! };
}
