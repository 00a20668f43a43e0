import type {
  ConversationFilter,
  ConversationQueries,
  ConversationSummary,
  FinishedTurn,
  Positioned,
} from '../conversations.ts';
import type { Step } from '../events.ts';
import type { Connections } from './connections.ts';
import { rangeAfter, statements, stepper } from './place-ranges.ts';
import { withoutNulls } from './statements.ts';

/** Conversations and turns in the order of their places, which triggers give them (see the migration of the export). */

type FoundConversation = Pick<ConversationSummary, 'id' | 'visitorId' | 'startedAt' | 'turnCount'>;

/** What a noun is read by: its table of places, what is joined to that and in which order, its columns. */
type Noun = {
  readonly places: string;
  readonly id: string;
  /** From the places to the rest, and from the rest to the places: the first table is the one that rows are looked for in. */
  readonly fromPlaces: string;
  readonly fromConversations: string;
  readonly columns: string;
  readonly locale: string;
};

const CONVERSATIONS: Noun = {
  places: 'conversation_positions',
  id: 'places.conversation_id',
  fromPlaces:
    'conversation_positions AS places CROSS JOIN conversations ON conversations.id = places.conversation_id',
  fromConversations:
    'conversations CROSS JOIN conversation_positions AS places ON places.conversation_id = conversations.id',
  columns: `conversations.id, conversations.visitor_id AS visitorId, started_at AS startedAt, turn_count AS turnCount`,
  locale: `(SELECT requested_locale FROM turns WHERE conversation_id = conversations.id ORDER BY asked_at, message_id LIMIT 1)`,
};

const RATED = 'LEFT JOIN feedback ON feedback.message_id = turns.message_id';

const TURNS: Noun = {
  places: 'turn_positions',
  id: 'places.message_id',
  fromPlaces: `turn_positions AS places CROSS JOIN turns ON turns.message_id = places.message_id
    CROSS JOIN conversations ON conversations.id = turns.conversation_id ${RATED}`,
  fromConversations: `conversations CROSS JOIN turns ON turns.conversation_id = conversations.id
    CROSS JOIN turn_positions AS places ON places.message_id = turns.message_id ${RATED}`,
  columns: `turns.message_id AS messageId, turns.conversation_id AS conversationId, turns.visitor_id AS visitorId,
    turn_idx AS turnIdx, question, answer, state, finish_reason AS finishReason, requested_locale AS requestedLocale, frames,
    asked_at AS askedAt, finished_at AS finishedAt, rating, comment`,
  locale: 'requested_locale',
};

export function sqliteTalkPicking(
  { reader, read }: Connections,
  summaryOf: (found: FoundConversation) => ConversationSummary,
): (workspaceId: string) => Pick<ConversationQueries, 'queryConversations' | 'queryTurns'> {
  const db = reader.$client;
  const prepare = statements(db);
  const step = stepper(db);

  function pick<Row>(
    noun: Noun,
    workspaceId: string,
    [limit, wanted, after]: Parameters<ConversationQueries['queryTurns']>,
    rowOf: (row: Record<string, unknown>) => Row,
  ): Step<readonly Row[]> {
    const { from, examined, chosen } = conditionsOf(noun, wanted);
    const order = `ORDER BY places.at_millis, ${noun.id}`;
    const ends = prepare(
      `SELECT places.at_millis AS atMillis, ${noun.id} AS id FROM ${from.ends} WHERE ${examined}
       ${order} LIMIT 1 OFFSET 0 + @skip`,
    );
    const rows = prepare(
      `SELECT places.at_millis AS atMillis, ${noun.columns} FROM ${from.rows} WHERE ${chosen} ${order}`,
    );
    const { within, locale, ...named } = wanted;
    const query = {
      ...rangeAfter(workspaceId, after, within),
      ...named,
      locale: locale?.toLowerCase(),
      limit,
    };
    return step(ends, query, (bounds) => (rows.all(bounds) as Record<string, unknown>[]).map(rowOf));
  }

  function conversationOf({ atMillis, ...found }: Record<string, unknown>): Positioned<ConversationSummary> {
    return { ...summaryOf(found as unknown as FoundConversation), atMillis: atMillis as number };
  }

  return (workspaceId) => ({
    queryConversations: (...asked) => read(() => pick(CONVERSATIONS, workspaceId, asked, conversationOf)),
    queryTurns: (...asked) => read(() => pick(TURNS, workspaceId, asked, turnOf)),
  });
}

/** One conversation and the few of one visitor are looked for by themselves; everything else goes through the places. */
function conditionsOf(
  { places, id, fromPlaces, fromConversations, locale }: Noun,
  wanted: ConversationFilter,
) {
  const { visitorId, conversationId } = wanted;
  const named = [
    ...(conversationId === undefined ? [] : ['conversations.id = +@conversationId']),
    ...(visitorId === undefined
      ? []
      : ['conversations.workspace_id = +@workspaceId', 'conversations.visitor_id = +@visitorId']),
  ];
  const behind = `places.workspace_id = +@workspaceId AND (places.at_millis, ${id}) > (+@atMillis, +@id)`;
  const examined = [...named, behind, 'places.at_millis < +@beforeMillis'].join(' AND ');
  // Only one upper end beside the lower one: SQLite looks for rows by one of two, and not by the nearer one.
  const chosen = [
    ...named,
    behind,
    `(places.at_millis, ${id}) <= (+@endMillis, +@endId)`,
    'conversations.delete_after_millis IS NULL',
    ...(wanted.locale === undefined ? [] : [`lower(${locale}) = +@locale`]),
  ].join(' AND ');
  const rows = named.length > 0 ? fromConversations : fromPlaces;
  const ends = named.length > 0 ? fromConversations : `${places} AS places`;
  return { from: { rows, ends }, examined, chosen };
}

function turnOf(row: Record<string, unknown>): Positioned<FinishedTurn> {
  const turn = withoutNulls(row) as unknown as Positioned<FinishedTurn>;
  return { ...turn, frames: JSON.parse(row.frames as string) };
}
