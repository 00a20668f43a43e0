import type { SqlDatabase, Statement, Tx } from './database.ts';
import {
  type Bounds,
  createRangeFinder,
  createStatementCache,
  type EventPosition,
  HAPPENED_WITHIN,
  readStep,
  type Span,
  toTimes,
} from './keyset.ts';
import { indexedBy } from './statements.ts';

/**
 * An analytics event. Rows of one call are stored together. `data` is a flat JSON object;
 * docs/analytics.md lists its fields by type. A row without visitor id is anonymous.
 */
export type EventRow = EventPosition & {
  type:
    | 'boot'
    | 'consent'
    | 'turn'
    | 'citation'
    | 'action'
    | 'action_outcome'
    | 'feedback'
    | 'voice'
    | 'rate_limited';
  visitorId?: string;
  conversationId?: string;
  data: Readonly<Record<string, string | number | boolean | null>>;
};

/** Filters event rows; an absent field matches all. */
export type EventFilter = {
  within?: Span;
  type?: EventRow['type'];
  visitorId?: string;
  conversationId?: string;
  /** Matches `requested_locale`, else `locale`; case-insensitive. */
  locale?: string;
};

const DAY_MILLIS = 86_400_000;

const toOptionalField = (field: string) => `coalesce(',"${field}":"' || ${field} || '"', '')`;

const toTimePart = (divisor: number, modulus: number) =>
  `substr(CAST(${modulus === 1000 ? 1000 : 100} + at_millis / ${divisor} % ${modulus} AS text), 2)`;

const ANY_MOMENT = `strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(happened_millis, at_millis) / 1000.0, 'unixepoch')`;
/** A third faster than `ANY_MOMENT`, for steps whose rows are all of the same day and not displaced. */
const MOMENT_OF_DAY = `+@day || ${toTimePart(3_600_000, 24)} || ':' || ${toTimePart(60_000, 60)} || ':' || ${toTimePart(1000, 60)} || '.' || ${toTimePart(1, 1000)} || 'Z'`;

/**
 * Concatenates text, because json_object takes 50 % longer. Ids contain no character that
 * JSON escapes, and data is JSON.
 */
const toLine = (moment: string) =>
  `'{"id":"' || id || '","at":"' || ${moment} || '","type":"' || type || '"'
  || ${toOptionalField('visitor_id')} || ${toOptionalField('conversation_id')} || ',"data":' || data || '}'`;

/**
 * Pass one upper bound only: given two, SQLite may search by the looser one.
 */
const AFTER_POSITION = 'workspace_id = +@workspaceId AND (at_millis, id) > (+@atMillis, +@id)';

const COLUMNS = 'id, at_millis, happened_millis, type, visitor_id, conversation_id, data';

type Row = {
  readonly [K in 'id' | 'data']: string;
} & {
  atMillis: number;
  happenedMillis: number | null;
  type: EventRow['type'];
  visitorId: string | null;
  conversationId: string | null;
};

const getStatement = createStatementCache();
const findRange = createRangeFinder('events');

/** Event rows for exports: each step scans a bounded number of rows, whatever the filter. */
export function createEventQueries({ readAll }: SqlDatabase) {
  function scan<Found>(
    workspaceId: string,
    [limit, filter, after]: [limit: number, filter: EventFilter, after?: EventPosition],
    find: (tx: Tx, from: string, bounds: Bounds, hasDisplaced: boolean) => Promise<Found>,
  ) {
    const { source, scanned, matching } = toConditions(filter);
    const selectEnd: Statement<EventPosition> = getStatement(
      `SELECT at_millis, id FROM ${source} WHERE ${scanned} ORDER BY at_millis, id LIMIT 1 OFFSET 0 + @skip`,
      'atMillis',
      'id',
    );
    const from = `FROM ${source} WHERE ${matching} ORDER BY at_millis, id`;
    const { within, locale, ...named } = filter;
    const read = async (tx: Tx) => {
      const { range, hasDisplaced } = await findRange(tx, workspaceId, after, within);
      const query = { ...range, ...named, locale: locale?.toLowerCase(), limit };
      return readStep(tx, { selectEnd, query, find: (bounds) => find(tx, from, bounds, hasDisplaced) });
    };
    return readAll(workspaceId, read, 'atOnce');
  }

  return (workspaceId: string) => ({
    /** Returns the matches among the next `limit` rows, in the order of `list`. */
    queryRows: (...args: [limit: number, filter: EventFilter, after?: EventPosition]) =>
      scan(workspaceId, args, async (tx, from, bounds) => {
        const rows: Statement<Row> = getStatement(
          `SELECT ${COLUMNS} ${from}`,
          'id',
          'atMillis',
          'happenedMillis',
          'type',
          'visitorId',
          'conversationId',
          'data',
        );
        return (await tx.all(rows, bounds)).map(toEvent);
      }),
    /**
     * Like `queryRows`, as NDJSON text. Fields: id, at (ISO 8601, UTC), type, visitor_id, conversation_id,
     * data; absent values have no field. The store writes the text itself, which is faster for large
     * exports.
     */
    queryLines: (...args: [limit: number, filter: EventFilter, after?: EventPosition]) =>
      scan(workspaceId, args, async (tx, from, bounds, hasDisplaced) => {
        const day = hasDisplaced ? undefined : getDay(bounds);
        const line = toLine(day === undefined ? ANY_MOMENT : MOMENT_OF_DAY);
        const joined: Statement<{ lines: string | null }> = getStatement(
          `SELECT group_concat(line, +@separator) FROM (SELECT ${line} AS line ${from}) AS listed`,
          'lines',
        );
        return (await tx.get(joined, { ...bounds, day, separator: '\n' }))?.lines ?? '';
      }),
  });
}

/** Returns the ISO 8601 date prefix of all rows of a step; undefined when there may be several days. */
function getDay({ atMillis, endMillis }: Bounds): string | undefined {
  const day = Math.floor(atMillis / DAY_MILLIS);
  if (atMillis < 0 || day !== Math.floor(endMillis / DAY_MILLIS)) return undefined;
  return new Date(day * DAY_MILLIS).toISOString().slice(0, 'YYYY-MM-DDT'.length);
}

/** Returns SQL conditions: `scanned` bounds the rows that a step reads by index, `matching` filters them. */
function toConditions({ within, type, visitorId, conversationId, locale }: EventFilter) {
  const [source, indexCondition] =
    conversationId !== undefined
      ? [
          `events ${indexedBy('events_by_conversation')}`,
          `conversation_id = +@conversationId AND ${AFTER_POSITION}`,
        ]
      : visitorId !== undefined
        ? [`events ${indexedBy('events_by_visitor')}`, `visitor_id = +@visitorId AND ${AFTER_POSITION}`]
        : ['events', AFTER_POSITION];
  const scanned = `${indexCondition} AND at_millis < +@beforeMillis`;
  const matching = [
    indexCondition,
    '(at_millis, id) <= (+@endMillis, +@endId)',
    ...(within === undefined ? [] : [HAPPENED_WITHIN]),
    ...(type === undefined ? [] : ['type = +@type']),
    ...(visitorId === undefined ? [] : ['visitor_id = +@visitorId']),
    ...(locale === undefined
      ? []
      : [
          `lower(coalesce(json_extract(data, '$.requested_locale'), json_extract(data, '$.locale'))) = +@locale`,
        ]),
  ].join(' AND ');
  return { source, scanned, matching };
}

function toEvent({ atMillis, happenedMillis, visitorId, conversationId, data, ...row }: Row): EventRow {
  return {
    ...row,
    ...toTimes({ atMillis, happenedMillis }),
    ...(visitorId === null ? {} : { visitorId }),
    ...(conversationId === null ? {} : { conversationId }),
    data: JSON.parse(data),
  };
}
