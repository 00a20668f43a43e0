import { and, asc, desc, eq, getTableColumns, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { unpackTexts } from '../base/packed-texts.ts';
import type { SqlDatabase, Tx } from './database.ts';
import type { EventRow } from './event-queries.ts';
import {
  type Bounds,
  createRangeFinder,
  createStatementCache,
  type EventPosition,
  happenedWithin,
  listGiven,
  readStep,
  type Scan,
  type Span,
  toTimes,
} from './keyset.ts';
import { conversations, feedback, turns } from './schema/index.ts';
import { db, input, matches, rawStatement, type Stored, statement, withoutNulls } from './statements.ts';

export type TurnState = Turn['state'];

export type Turn = Omit<Stored<typeof turns>, 'workspaceId' | 'frames'> & {
  /** The streamed events in order, as JSON texts. */
  frames: readonly string[];
};

export type Conversation = Omit<Stored<typeof conversations>, 'workspaceId' | 'deleteAfterMillis'>;

export type Feedback = Omit<Stored<typeof feedback>, 'workspaceId'>;

/** A conversation in a list. Conversations with a deletion deadline are never listed. */
export type ConversationSummary = Pick<Conversation, 'id' | 'visitorId' | 'startedAt' | 'turnCount'> & {
  /** When its last question was asked. */
  lastAskedAt: number;
  firstQuestion: string;
  /** The language of the first question. */
  requestedLocale: string;
  /** The number of turns by outcome. */
  outcomes: readonly (Pick<Turn, 'state' | 'finishReason'> & { turns: number })[];
  /** The newest rating. */
  rating?: Feedback['rating'];
};

/** A question with its time. */
export type AskedQuestion = Pick<Turn, 'messageId' | 'question' | 'requestedLocale' | 'askedAt'>;

/** The columns of a rating that queries of turns return. */
export const ratingColumns = {
  rating: feedback.rating,
  comment: feedback.comment,
  reasons: feedback.reasons,
};

export type RatingDetails = Pick<Feedback, keyof typeof ratingColumns>;

/** Question and answer of a turn, with the visitor's rating. */
export type TranscriptTurn = Pick<Turn, 'messageId' | 'askedAt' | 'question' | 'answer'> &
  Partial<RatingDetails>;

export type RatedTurn = Pick<Turn, 'conversationId' | 'question' | 'answer' | 'requestedLocale' | 'askedAt'> &
  Pick<Feedback, 'messageId' | 'atMillis'> &
  RatingDetails;

/**
 * Filters conversations or turns; an absent field matches all. The time range applies to the
 * position.
 */
export type ConversationFilter = {
  within?: Span;
  visitorId?: string;
  conversationId?: string;
  /** The language of a turn, or of a conversation's first question; case-insensitive. */
  locale?: string;
};

/**
 * A row with its keyset position: when the row became exportable. A turn gets its position when it finishes
 * and a conversation when it starts; lifting a deadline later assigns a new one. Positions follow
 * commit order, so reading on from the last position misses nothing. An interrupted turn that
 * restarts has no position until it finishes.
 */
export type Positioned<T> = T & Pick<EventRow, 'atMillis' | 'positionMillis'>;

/** A finished turn with its newest rating. */
export type FinishedTurn = Omit<Turn, 'attempt'> & Partial<RatingDetails>;

const ALWAYS: Span = { fromMillis: Number.MIN_SAFE_INTEGER, beforeMillis: Number.MAX_SAFE_INTEGER };

type ConversationRow = Pick<ConversationSummary, 'id' | 'visitorId' | 'startedAt' | 'turnCount'>;

/** Queries for lists. They exclude conversations with a deletion deadline, so that callers need not. */
export function createConversationQueries(database: SqlDatabase) {
  const { read } = database;
  const exportQueries = createExportQueries(database);
  const transcriptQueries = createTranscriptQueries(database);

  return (workspaceId: string) => ({
    ...exportQueries(workspaceId),

    /** Lists conversations newest first by start and id, before the given position. */
    listConversations: (
      limit: number,
      before?: Pick<Conversation, 'id' | 'startedAt'>,
      within: Span = ALWAYS,
      visitorId?: string,
    ) =>
      read(
        workspaceId,
        async (tx) => {
          const end = { startedAt: within.beforeMillis, id: '' };
          const { startedAt, id } = before && before.startedAt < end.startedAt ? before : end;
          const page = { workspaceId, limit, fromMillis: within.fromMillis, startedAt, id };
          const rows = await (visitorId === undefined
            ? tx.all(newest, page)
            : tx.all(newestOfVisitor, { ...page, visitorId }));
          return Promise.all(rows.map((row) => toSummary(tx, workspaceId, row)));
        },
        'atOnce',
      ),

    findKept: (conversationId: string) =>
      read(
        workspaceId,
        async (tx) => {
          const found = await tx.get(kept, { workspaceId, conversationId });
          return found && toSummary(tx, workspaceId, found);
        },
        'atOnce',
      ),

    ...transcriptQueries(workspaceId),

    /** Returns the ratings of a conversation, unordered. */
    ratings: (conversationId: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(ratings, { workspaceId, conversationId })).map(withoutNulls),
      ),

    /**
     * Lists questions whose answers ended with this finish reason, oldest first by time and id, after
     * the given position.
     */
    listQuestions: (
      finishReason: string,
      limit: number,
      after?: Pick<Turn, 'messageId' | 'askedAt'>,
      within: Span = ALWAYS,
    ) =>
      read(workspaceId, (tx) => {
        const start = { askedAt: within.fromMillis, messageId: '' };
        const { askedAt, messageId } = after && after.askedAt >= start.askedAt ? after : start;
        const { beforeMillis } = within;
        return tx.all(questions, { workspaceId, finishReason, limit, askedAt, messageId, beforeMillis });
      }),
  });
}

/** Adds data of the conversation's turns. A conversation always has turns, because nothing changes during the query. */
async function toSummary(tx: Tx, workspaceId: string, found: ConversationRow): Promise<ConversationSummary> {
  const conversation = { workspaceId, conversationId: found.id };
  const [first, last, counted, rated] = await Promise.all([
    tx.get(firstTurn, conversation),
    tx.get(lastTurn, conversation),
    tx.all(outcomes, conversation),
    tx.get(newestRating, conversation),
  ]);
  return {
    ...found,
    lastAskedAt: last!.askedAt,
    firstQuestion: first!.question,
    requestedLocale: first!.requestedLocale,
    outcomes: counted.map(withoutNulls),
    ...(rated ? { rating: rated.rating } : {}),
  };
}

const isKept = isNull(conversations.deleteAfterMillis);
const isItsConversation = and(
  eq(conversations.workspaceId, turns.workspaceId),
  eq(conversations.id, turns.conversationId),
);

const columns = {
  id: conversations.id,
  visitorId: conversations.visitorId,
  startedAt: conversations.startedAt,
  turnCount: conversations.turnCount,
};
const newest = statement(() =>
  db
    .select(columns)
    .from(conversations)
    .where(
      and(
        matches(conversations.workspaceId),
        isKept,
        sql`(${conversations.startedAt}, ${conversations.id}) < (${input('startedAt')}, ${input('id')})`,
        gte(conversations.startedAt, input('fromMillis')),
      ),
    )
    .orderBy(desc(conversations.startedAt), desc(conversations.id))
    .limit(input('limit')),
);
// Sorting one visitor's rows is cheaper than scanning by time; the unary plus hides the time index from the
// planner.
const startedAt = sql`+${conversations.startedAt}`;
const newestOfVisitor = statement(() =>
  db
    .select(columns)
    .from(conversations)
    .where(
      and(
        matches(conversations.workspaceId, conversations.visitorId),
        isKept,
        sql`(${startedAt}, ${conversations.id}) < (${input('startedAt')}, ${input('id')})`,
        gte(startedAt, input('fromMillis')),
      ),
    )
    .orderBy(desc(startedAt), desc(conversations.id))
    .limit(input('limit')),
);
const kept = statement(() =>
  db
    .select(columns)
    .from(conversations)
    .where(and(eq(conversations.id, input('conversationId')), matches(conversations.workspaceId), isKept)),
);

const ofConversation = and(matches(turns.workspaceId, turns.conversationId));
const firstTurn = statement(() =>
  db
    .select({ question: turns.question, requestedLocale: turns.requestedLocale })
    .from(turns)
    .where(ofConversation)
    .orderBy(asc(turns.askedAt), asc(turns.messageId))
    .limit(1),
);
const lastTurn = statement(() =>
  db
    .select({ askedAt: turns.askedAt })
    .from(turns)
    .where(ofConversation)
    .orderBy(desc(turns.askedAt), desc(turns.messageId))
    .limit(1),
);
const outcomes = statement(() =>
  db
    .select({ state: turns.state, finishReason: turns.finishReason, turns: sql<number>`count(*)` })
    .from(turns)
    .where(ofConversation)
    .groupBy(turns.state, turns.finishReason),
);
const newestRating = statement(() =>
  db
    .select({ rating: feedback.rating })
    .from(turns)
    .innerJoin(feedback, eq(feedback.messageId, turns.messageId))
    .where(ofConversation)
    .orderBy(desc(feedback.atMillis), desc(feedback.id))
    .limit(1),
);
const ratings = statement(() =>
  db
    .select({ messageId: feedback.messageId, ...ratingColumns })
    .from(turns)
    .innerJoin(feedback, eq(feedback.messageId, turns.messageId))
    .where(matches(turns.conversationId, turns.workspaceId)),
);
const questions = statement(() =>
  db
    .select({
      messageId: turns.messageId,
      question: turns.question,
      requestedLocale: turns.requestedLocale,
      askedAt: turns.askedAt,
    })
    .from(turns)
    .innerJoin(conversations, isItsConversation)
    .where(
      and(
        matches(turns.workspaceId, turns.finishReason),
        sql`(${turns.askedAt}, ${turns.messageId}) > (${input('askedAt')}, ${input('messageId')})`,
        lt(turns.askedAt, input('beforeMillis')),
        isKept,
      ),
    )
    .orderBy(asc(turns.askedAt), asc(turns.messageId))
    .limit(input('limit')),
);

const BEFORE_ALL = { askedAt: Number.MIN_SAFE_INTEGER, messageId: '' };
/** Sorts after every message id. */
const AFTER_ALL_IDS = '~';

/** Queries for texts and ratings. They exclude conversations with a deletion deadline, so that callers need not. */
function createTranscriptQueries({ read }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists the texts of a conversation, oldest first by time and id, after the given position. */
    listTranscript: (
      conversationId: string,
      limit: number,
      { askedAt, messageId }: Pick<Turn, 'messageId' | 'askedAt'> = BEFORE_ALL,
    ) =>
      read(workspaceId, async (tx) => {
        const page = { workspaceId, conversationId, limit, askedAt, messageId };
        return (await tx.all(transcript, page)).map(withoutNulls);
      }),
    /** Lists ratings newest first by time and message id, before the given position. */
    listRated: (limit: number, before?: Pick<Feedback, 'messageId' | 'atMillis'>, within?: Span) =>
      read(workspaceId, async (tx) => {
        const end = {
          atMillis: (within?.beforeMillis ?? Number.MAX_SAFE_INTEGER) - 1,
          messageId: AFTER_ALL_IDS,
        };
        const { atMillis, messageId } = before && before.atMillis <= end.atMillis ? before : end;
        const fromMillis = within?.fromMillis ?? Number.MIN_SAFE_INTEGER;
        const page = { workspaceId, limit, atMillis, messageId, fromMillis };
        return (await tx.all(ratedTurns, page)).map(withoutNulls);
      }),
  });
}

const transcript = statement(() =>
  db
    .select({
      messageId: turns.messageId,
      askedAt: turns.askedAt,
      question: turns.question,
      answer: turns.answer,
      ...ratingColumns,
    })
    .from(turns)
    .innerJoin(conversations, isItsConversation)
    .leftJoin(feedback, eq(feedback.messageId, turns.messageId))
    .where(
      and(
        matches(turns.conversationId, turns.workspaceId),
        sql`(${turns.askedAt}, ${turns.messageId}) > (${input('askedAt')}, ${input('messageId')})`,
        isKept,
      ),
    )
    .orderBy(asc(turns.askedAt), asc(turns.messageId))
    .limit(input('limit')),
);

const ratedTurns = statement(() =>
  db
    .select({
      messageId: feedback.messageId,
      ...ratingColumns,
      atMillis: feedback.atMillis,
      conversationId: turns.conversationId,
      question: turns.question,
      answer: turns.answer,
      requestedLocale: turns.requestedLocale,
      askedAt: turns.askedAt,
    })
    .from(feedback)
    .innerJoin(turns, eq(turns.messageId, feedback.messageId))
    .innerJoin(conversations, isItsConversation)
    .where(
      and(
        matches(feedback.workspaceId),
        sql`(${feedback.atMillis}, ${feedback.messageId}) < (${input('atMillis')}, ${input('messageId')})`,
        gte(feedback.atMillis, input('fromMillis')),
        isKept,
      ),
    )
    .orderBy(desc(feedback.atMillis), desc(feedback.messageId))
    .limit(input('limit')),
);

type Times = Parameters<typeof toTimes>[0] & Record<string, unknown>;

/**
 * How to query a resource by position: its position table, its joins in order and its columns.
 * Triggers assign positions (see the migrations).
 */
type PositionedResource = {
  positions: string;
  id: SQL;
  /** Two join orders: positions first, or rows first. SQLite searches the first table. */
  fromPositions: SQL;
  fromConversations: SQL;
  /** The columns by which the tables are joined. */
  joined: SQL;
  columns: Readonly<Record<string, SQLiteColumn>>;
  locale: SQL;
};

const OF_POSITION = sql`conversations.workspace_id = positions.workspace_id AND conversations.id = positions.conversation_id`;
const OF_TURN = sql`conversations.workspace_id = turns.workspace_id AND conversations.id = turns.conversation_id`;

const CONVERSATIONS: PositionedResource = {
  positions: 'conversation_positions',
  id: sql`positions.conversation_id`,
  fromPositions: sql`conversation_positions AS positions CROSS JOIN conversations`,
  fromConversations: sql`conversations CROSS JOIN conversation_positions AS positions`,
  joined: OF_POSITION,
  columns,
  locale: sql`(SELECT requested_locale FROM turns WHERE ${OF_TURN} ORDER BY asked_at, message_id LIMIT 1)`,
};

const RATED = sql`LEFT JOIN feedback ON feedback.message_id = turns.message_id`;

const { workspaceId: _, attempt: _attempt, ...turnColumns } = getTableColumns(turns);

const TURNS: PositionedResource = {
  positions: 'turn_positions',
  id: sql`positions.message_id`,
  fromPositions: sql`turn_positions AS positions CROSS JOIN turns CROSS JOIN conversations ${RATED}`,
  fromConversations: sql`conversations CROSS JOIN turns CROSS JOIN turn_positions AS positions ${RATED}`,
  joined: sql`turns.message_id = positions.message_id AND ${OF_TURN}`,
  columns: { ...turnColumns, ...ratingColumns },
  locale: sql`requested_locale`,
};

const getStatement = createStatementCache();
const rangeFinders = new Map(
  [CONVERSATIONS, TURNS].map((resource) => [resource, createRangeFinder(resource.positions)]),
);

function createExportQueries({ read }: SqlDatabase) {
  function scan<Found>(
    resource: PositionedResource,
    workspaceId: string,
    [limit, filter, after]: Parameters<ConversationQueries['queryTurns']>,
    toResults: (tx: Tx, rows: Times[]) => Promise<readonly Found[]>,
  ): Promise<Scan<readonly Found[]>> {
    const { positions, id } = resource;
    const { from, scanned, matching } = toConditions(resource, filter);
    const shape = `${positions} ${listGiven(filter)}`;
    const order = sql`ORDER BY positions.at_millis, ${id}`;
    const selectEnd = getStatement(`end ${shape}`, () =>
      rawStatement<EventPosition>(
        sql`SELECT positions.at_millis, ${id} FROM ${from.ends} WHERE ${scanned}
          ${order} LIMIT 1 OFFSET ${input('skip')}`,
        'atMillis',
        'id',
      ),
    );
    const columns = {
      ...resource.columns,
      atMillis: sql`positions.at_millis`,
      happenedMillis: sql`happened_millis`,
    };
    const rows = getStatement(`rows ${shape}`, () =>
      rawStatement<Times>(
        sql`SELECT ${sql.join(Object.values(columns), sql`, `)} FROM ${from.rows} WHERE ${matching} ${order}`,
        ...Object.keys(columns),
      ),
    );
    const { within, locale, ...named } = filter;
    const step = async (tx: Tx) => {
      const { range } = await rangeFinders.get(resource)!(tx, workspaceId, after, within);
      const query = { ...range, ...named, locale: locale?.toLowerCase(), limit };
      const find = async (bounds: Bounds) => toResults(tx, await tx.all(rows, bounds));
      return readStep(tx, { selectEnd, query, find });
    };
    return read(workspaceId, step, 'atOnce');
  }

  async function toPositioned(tx: Tx, workspaceId: string, { atMillis, happenedMillis, ...found }: Times) {
    const summary = await toSummary(tx, workspaceId, found as ConversationRow);
    return { ...summary, ...toTimes({ atMillis, happenedMillis }) };
  }

  return (workspaceId: string) => ({
    /** Returns the matches among the next `limit` conversations, in the order of their positions. */
    queryConversations: (...args: [limit: number, filter: ConversationFilter, after?: EventPosition]) =>
      scan(CONVERSATIONS, workspaceId, args, (tx, rows) =>
        Promise.all(rows.map((row) => toPositioned(tx, workspaceId, row))),
      ),
    /**
     * Returns the matches among the next `limit` finished turns, in the order of their positions. The
     * id of a turn's position is its message id.
     */
    queryTurns: (...args: [limit: number, filter: ConversationFilter, after?: EventPosition]) =>
      scan(TURNS, workspaceId, args, async (_, rows) => rows.map(toFinishedTurn)),
  });
}

/**
 * Looks up a single conversation, or those of one visitor, directly, and scans by position for everything
 * else.
 */
function toConditions(
  { positions, id, fromPositions, fromConversations, joined, locale }: PositionedResource,
  filter: ConversationFilter,
) {
  const isNamed = filter.visitorId !== undefined || filter.conversationId !== undefined;
  const named = and(
    isNamed ? matches(conversations.workspaceId) : undefined,
    filter.conversationId === undefined ? undefined : eq(conversations.id, input('conversationId')),
    filter.visitorId === undefined ? undefined : matches(conversations.visitorId),
  );
  const afterPosition = sql`positions.workspace_id = ${input('workspaceId')}
    AND (positions.at_millis, ${id}) > (${input('atMillis')}, ${input('id')})`;
  const scanned = and(
    isNamed ? joined : undefined,
    named,
    afterPosition,
    sql`positions.at_millis < ${input('beforeMillis')}`,
  );
  // Pass one upper bound only: given two, SQLite may search by the looser one.
  const matching = and(
    joined,
    named,
    afterPosition,
    sql`(positions.at_millis, ${id}) <= (${input('endMillis')}, ${input('endId')})`,
    filter.within && happenedWithin(sql`positions.at_millis`),
    isKept,
    filter.locale === undefined ? undefined : sql`lower(${locale}) = ${input('locale')}`,
  );
  const rows = isNamed ? fromConversations : fromPositions;
  const ends = isNamed ? fromConversations : sql`${sql.raw(positions)} AS positions`;
  return { from: { rows, ends }, scanned, matching };
}

function toFinishedTurn({ atMillis, happenedMillis, ...row }: Times): Positioned<FinishedTurn> {
  const turn = withoutNulls(row) as unknown as FinishedTurn;
  return { ...turn, ...toTimes({ atMillis, happenedMillis }), frames: unpackTexts(row.frames as Uint8Array) };
}

/** Queries over conversations without a deletion deadline. */
type ConversationQueries = ReturnType<ReturnType<typeof createConversationQueries>>;
