import type { EventFilter, EventRow, Events } from '../events.ts';
import type { Connections } from './connections.ts';
import { rangeAfter, statements, stepper } from './place-ranges.ts';

const OPTIONAL = (field: string) => `coalesce(',"${field}":"' || ${field} || '"', '')`;

/** Joined instead of made by json_object: that takes half as long again. Ids have no character that JSON would escape, and data is JSON. */
const LINE = `'{"id":"' || id || '","at":"' || strftime('%Y-%m-%dT%H:%M:%fZ', at_millis / 1000.0, 'unixepoch') || '","type":"' || type || '"'
  || ${OPTIONAL('visitor_id')} || ${OPTIONAL('conversation_id')} || ',"data":' || data || '}'`;

/** Only one upper end beside it: SQLite looks for rows by one of two, and not by the nearer one. */
const BEHIND = 'workspace_id = +@workspaceId AND (at_millis, id) > (+@atMillis, +@id)';

const COLUMNS =
  'id, at_millis AS atMillis, type, visitor_id AS visitorId, conversation_id AS conversationId, data';

type Row = {
  readonly [K in 'id' | 'data']: string;
} & {
  readonly atMillis: number;
  readonly type: EventRow['type'];
  readonly visitorId: string | null;
  readonly conversationId: string | null;
};

/** Event rows for those who take all of them away: a step looks at a bounded number of rows, whatever it is looking for. */
export function sqliteEventPicking({
  reader,
  read,
}: Connections): (workspaceId: string) => Pick<Events, 'pick' | 'pickLines'> {
  const db = reader.$client;
  const prepare = statements(db);
  const step = stepper(db);

  function pick<Found>(
    workspaceId: string,
    [limit, wanted, after]: Parameters<Events['pick']>,
    select: (from: string) => string,
    find: (statement: ReturnType<typeof prepare>, query: object) => Found,
  ) {
    const { source, examined, chosen } = conditionsOf(wanted);
    const ends = prepare(
      `SELECT at_millis AS atMillis, id FROM ${source} WHERE ${examined}
       ORDER BY at_millis, id LIMIT 1 OFFSET 0 + @skip`,
    );
    const rows = prepare(select(`FROM ${source} WHERE ${chosen} ORDER BY at_millis, id`));
    const { within, locale, ...named } = wanted;
    const query = {
      ...rangeAfter(workspaceId, after, within),
      ...named,
      locale: locale?.toLowerCase(),
      limit,
    };
    return step(ends, query, (bounds) => find(rows, bounds));
  }

  return (workspaceId) => ({
    pick: (...asked) =>
      read(() =>
        pick(
          workspaceId,
          asked,
          (from) => `SELECT ${COLUMNS} ${from}`,
          (statement, query) => (statement.all(query) as Row[]).map(eventOf),
        ),
      ),
    pickLines: (...asked) =>
      read(() =>
        pick(
          workspaceId,
          asked,
          (from) => `SELECT group_concat(line, char(10)) AS lines FROM (SELECT ${LINE} AS line ${from})`,
          (statement, query) => (statement.get(query) as { lines: string | null }).lines ?? '',
        ),
      ),
  });
}

/** What a step looks at is found by an index in the right order; what it wants is chosen among that. */
function conditionsOf({ type, visitorId, conversationId, locale }: EventFilter) {
  const [source, found] =
    conversationId !== undefined
      ? ['events INDEXED BY events_by_conversation', `conversation_id = +@conversationId AND ${BEHIND}`]
      : visitorId !== undefined
        ? ['events INDEXED BY events_by_visitor', `visitor_id = +@visitorId AND ${BEHIND}`]
        : ['events', BEHIND];
  const examined = `${found} AND at_millis < +@beforeMillis`;
  const chosen = [
    found,
    '(at_millis, id) <= (+@endMillis, +@endId)',
    ...(type === undefined ? [] : ['type = +@type']),
    ...(visitorId === undefined ? [] : ['visitor_id = +@visitorId']),
    ...(locale === undefined
      ? []
      : [`lower(coalesce(data ->> 'requested_locale', data ->> 'locale')) = +@locale`]),
  ].join(' AND ');
  return { source, examined, chosen };
}

function eventOf({ visitorId, conversationId, data, ...row }: Row): EventRow {
  return {
    ...row,
    ...(visitorId === null ? {} : { visitorId }),
    ...(conversationId === null ? {} : { conversationId }),
    data: JSON.parse(data),
  };
}
