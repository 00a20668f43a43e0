import { and, asc, desc, eq, gte, isNull, sql } from 'drizzle-orm';
import type {
  ConversationFilter,
  ConversationQueries,
  ConversationSummary,
  FinishedTurn,
  Positioned,
} from '../conversations.ts';
import type { Scan, Span } from '../events.ts';
import { conversations, feedback, turns } from '../schema.ts';
import type { Connections } from './connections.ts';
import {
  type Bounds,
  createRangeFinder,
  createStepReader,
  HAPPENED_WITHIN,
  statements,
  toTimes,
} from './keyset.ts';
import { boundLimit, equals, matches, placeholder, withoutNulls } from './statements.ts';

const ALWAYS: Span = { fromMillis: Number.MIN_SAFE_INTEGER, beforeMillis: Number.MAX_SAFE_INTEGER };

type ConversationRow = Pick<ConversationSummary, 'id' | 'visitorId' | 'startedAt' | 'turnCount'>;

/**
 * Conversations for lists. Excludes those with a deletion deadline here, so that no caller has to.
 */
export function createConversationQueries(
  connections: Connections,
): (workspaceId: string) => ConversationQueries {
  const { read } = connections;
  const queries = prepareSummaryQueries(connections);

  function toSummary(workspaceId: string, found: ConversationRow): ConversationSummary {
    const conversation = { workspaceId, conversationId: found.id };
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

  const picking = createExportQueries(connections, toSummary);
  const transcriptQueries = createTranscriptQueries(connections);

  return (workspaceId) => ({
    ...picking(workspaceId),

    listConversations: (limit, before, within = ALWAYS, visitorId) =>
      read(() => {
        const end = { startedAt: within.beforeMillis, id: '' };
        const start = before && before.startedAt < end.startedAt ? before : end;
        const { fromMillis } = within;
        const { startedAt, id } = start;
        const args = { workspaceId, limit, fromMillis, startedAt, id };
        const found =
          visitorId === undefined ? queries.newest.all(args) : queries.ofVisitor.all({ ...args, visitorId });
        return found.map((row) => toSummary(workspaceId, row));
      }),

    findKept: (conversationId) =>
      read(() => {
        const found = queries.one.get({ workspaceId, conversationId });
        return found && toSummary(workspaceId, found);
      }),

    ...transcriptQueries(workspaceId),

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

const isKept = isNull(conversations.deleteAfterMillis);
const isItsConversation = and(
  eq(conversations.workspaceId, turns.workspaceId),
  eq(conversations.id, turns.conversationId),
);

function prepareSummaryQueries({ reader }: Connections) {
  return {
    ...prepareConversationLists(reader),
    ...prepareTurnSummaries(reader),
    ...prepareTurnLists(reader),
  };
}

function prepareConversationLists(reader: Connections['reader']) {
  const columns = {
    id: conversations.id,
    visitorId: conversations.visitorId,
    startedAt: conversations.startedAt,
    turnCount: conversations.turnCount,
  };
  const inPage = and(
    equals(conversations.workspaceId, 'workspaceId'),
    isKept,
    sql`(${conversations.startedAt}, ${conversations.id}) < (${placeholder('startedAt')}, ${placeholder('id')})`,
    gte(conversations.startedAt, placeholder('fromMillis')),
  );
  // Sorting one visitor's rows is cheaper than scanning by time; the unary plus hides the time index from the
  // planner.
  const startedAt = sql`+${conversations.startedAt}`;
  const newestFirst = [desc(conversations.startedAt), desc(conversations.id)];
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
        and(eq(conversations.id, placeholder('conversationId')), matches(conversations.workspaceId), isKept),
      )
      .prepare(),
  };
}

function prepareTurnSummaries(reader: Connections['reader']) {
  const ofConversation = and(
    equals(turns.workspaceId, 'workspaceId'),
    equals(turns.conversationId, 'conversationId'),
  );
  return {
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
  };
}

function prepareTurnLists(reader: Connections['reader']) {
  return {
    ratings: reader
      .select({ messageId: feedback.messageId, rating: feedback.rating, comment: feedback.comment })
      .from(turns)
      .innerJoin(feedback, eq(feedback.messageId, turns.messageId))
      .where(matches(turns.conversationId, turns.workspaceId))
      .prepare(),
    questions: reader
      .select({ messageId: turns.messageId, question: turns.question, askedAt: turns.askedAt })
      .from(turns)
      .innerJoin(conversations, isItsConversation)
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

const BEFORE_ALL = { askedAt: Number.MIN_SAFE_INTEGER, messageId: '' };
/** Sorts after every message id. */
const AFTER_ALL_IDS = '~';

/**
 * Texts and ratings. Excludes conversations with a deletion deadline here, so that no caller has
 * to.
 */
export function createTranscriptQueries({
  reader,
  read,
}: Connections): (workspaceId: string) => Pick<ConversationQueries, 'listTranscript' | 'listRated'> {
  const listTranscript = prepareTranscript(reader);
  const rated = prepareRatedTurns(reader);
  return (workspaceId) => ({
    listTranscript: (conversationId, limit, { askedAt, messageId } = BEFORE_ALL) =>
      read(() =>
        listTranscript.all({ workspaceId, conversationId, limit, askedAt, messageId }).map(withoutNulls),
      ),
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

function prepareTranscript(reader: Connections['reader']) {
  return reader
    .select({
      messageId: turns.messageId,
      askedAt: turns.askedAt,
      question: turns.question,
      answer: turns.answer,
      rating: feedback.rating,
      comment: feedback.comment,
    })
    .from(turns)
    .innerJoin(conversations, isItsConversation)
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
}

function prepareRatedTurns(reader: Connections['reader']) {
  return reader
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
    .innerJoin(conversations, isItsConversation)
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
}

type Times = Parameters<typeof toTimes>[0] & Record<string, unknown>;

type FoundConversation = Pick<ConversationSummary, 'id' | 'visitorId' | 'startedAt' | 'turnCount'>;

/**
 * How to query a resource by position: its position table, its joins in order and its columns.
 * Triggers assign positions (see the migrations).
 */
type PositionedResource = {
  readonly positions: string;
  readonly id: string;
  /** Two join orders: positions first, or rows first. SQLite searches the first table. */
  readonly fromPositions: string;
  readonly fromConversations: string;
  readonly columns: string;
  readonly locale: string;
};

const OF_POSITION =
  'conversations.workspace_id = positions.workspace_id AND conversations.id = positions.conversation_id';
const OF_TURN =
  'conversations.workspace_id = turns.workspace_id AND conversations.id = turns.conversation_id';

const CONVERSATIONS: PositionedResource = {
  positions: 'conversation_positions',
  id: 'positions.conversation_id',
  fromPositions: `conversation_positions AS positions CROSS JOIN conversations ON ${OF_POSITION}`,
  fromConversations: `conversations CROSS JOIN conversation_positions AS positions ON ${OF_POSITION}`,
  columns: `conversations.id, conversations.visitor_id AS visitorId, started_at AS startedAt, turn_count AS turnCount`,
  locale: `(SELECT requested_locale FROM turns WHERE ${OF_TURN} ORDER BY asked_at, message_id LIMIT 1)`,
};

const RATED = 'LEFT JOIN feedback ON feedback.message_id = turns.message_id';

const TURNS: PositionedResource = {
  positions: 'turn_positions',
  id: 'positions.message_id',
  fromPositions: `turn_positions AS positions CROSS JOIN turns ON turns.message_id = positions.message_id
    CROSS JOIN conversations ON ${OF_TURN} ${RATED}`,
  fromConversations: `conversations CROSS JOIN turns ON ${OF_TURN}
    CROSS JOIN turn_positions AS positions ON positions.message_id = turns.message_id ${RATED}`,
  columns: `turns.message_id AS messageId, turns.conversation_id AS conversationId, turns.visitor_id AS visitorId,
    turn_idx AS turnIdx, question, answer, state, finish_reason AS finishReason, requested_locale AS requestedLocale, frames,
    asked_at AS askedAt, finished_at AS finishedAt, rating, comment`,
  locale: 'requested_locale',
};

export function createExportQueries(
  { reader, read }: Connections,
  toSummary: (workspaceId: string, found: FoundConversation) => ConversationSummary,
): (workspaceId: string) => Pick<ConversationQueries, 'queryConversations' | 'queryTurns'> {
  const db = reader.$client;
  const prepare = statements(db);
  const step = createStepReader(db);
  const rangeFinders = new Map(
    [CONVERSATIONS, TURNS].map((resource) => [resource, createRangeFinder(db, resource.positions)]),
  );

  function scan<Row>(
    resource: PositionedResource,
    workspaceId: string,
    [limit, filter, after]: Parameters<ConversationQueries['queryTurns']>,
    toRow: (row: Times) => Row,
  ): Scan<readonly Row[]> {
    const { from, scanned, matching } = toConditions(resource, filter);
    const order = `ORDER BY positions.at_millis, ${resource.id}`;
    const ends = prepare(
      `SELECT positions.at_millis AS atMillis, ${resource.id} AS id FROM ${from.ends} WHERE ${scanned}
       ${order} LIMIT 1 OFFSET 0 + @skip`,
    );
    const rows = prepare(
      `SELECT positions.at_millis AS atMillis, happened_millis AS happenedMillis, ${resource.columns} FROM ${from.rows} WHERE ${matching} ${order}`,
    );
    const { within, locale, ...named } = filter;
    return step(() => {
      const { range } = rangeFinders.get(resource)!(workspaceId, after, within);
      const query = { ...range, ...named, locale: locale?.toLowerCase(), limit };
      const find = (bounds: Bounds) => (rows.all(bounds) as Times[]).map(toRow);
      return { ends, query, find };
    });
  }

  const toPositioned =
    (workspaceId: string) =>
    ({ atMillis, happenedMillis, ...found }: Times): Positioned<ConversationSummary> => ({
      ...toSummary(workspaceId, found as unknown as FoundConversation),
      ...toTimes({ atMillis, happenedMillis }),
    });

  return (workspaceId) => ({
    queryConversations: (...args) =>
      read(() => scan(CONVERSATIONS, workspaceId, args, toPositioned(workspaceId))),
    queryTurns: (...args) => read(() => scan(TURNS, workspaceId, args, toFinishedTurn)),
  });
}

/**
 * Looks up a single conversation, or those of one visitor, directly, and scans by position for everything
 * else.
 */
function toConditions(
  { positions, id, fromPositions, fromConversations, locale }: PositionedResource,
  filter: ConversationFilter,
) {
  const { visitorId, conversationId } = filter;
  const named = [
    ...(visitorId === undefined && conversationId === undefined
      ? []
      : ['conversations.workspace_id = +@workspaceId']),
    ...(conversationId === undefined ? [] : ['conversations.id = +@conversationId']),
    ...(visitorId === undefined ? [] : ['conversations.visitor_id = +@visitorId']),
  ];
  const afterPosition = `positions.workspace_id = +@workspaceId AND (positions.at_millis, ${id}) > (+@atMillis, +@id)`;
  const scanned = [...named, afterPosition, 'positions.at_millis < +@beforeMillis'].join(' AND ');
  // Pass one upper bound only: given two, SQLite searches by one of them and not by the tighter one.
  const matching = [
    ...named,
    afterPosition,
    `(positions.at_millis, ${id}) <= (+@endMillis, +@endId)`,
    ...(filter.within === undefined ? [] : [HAPPENED_WITHIN.replaceAll('at_millis', 'positions.at_millis')]),
    'conversations.delete_after_millis IS NULL',
    ...(filter.locale === undefined ? [] : [`lower(${locale}) = +@locale`]),
  ].join(' AND ');
  const rows = named.length > 0 ? fromConversations : fromPositions;
  const ends = named.length > 0 ? fromConversations : `${positions} AS positions`;
  return { from: { rows, ends }, scanned, matching };
}

function toFinishedTurn({ atMillis, happenedMillis, ...row }: Times): Positioned<FinishedTurn> {
  const turn = withoutNulls(row) as unknown as FinishedTurn;
  return { ...turn, ...toTimes({ atMillis, happenedMillis }), frames: JSON.parse(row.frames as string) };
}
