import { and, type SQL, sql } from 'drizzle-orm';
import type { IndexHint, SqlDatabase, Tx } from './database.ts';
import {
  type Bounds,
  createRangeFinder,
  createStatementCache,
  type EventPosition,
  happenedWithin,
  listGiven,
  readStep,
  type Span,
  toTimes,
} from './keyset.ts';
import { events } from './schema/index.ts';
import { input, matches, rawStatement } from './statements.ts';

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
    | 'article_feedback'
    | 'voice'
    | 'search'
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

const ANY_MOMENT = sql`strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(happened_millis, at_millis) / 1000.0, 'unixepoch')`;
/** A third faster than `ANY_MOMENT`, for steps whose rows are all of the same day and not displaced. */
const MOMENT_OF_DAY = sql`${input('day')} || ${sql.raw(
  [
    toTimePart(3_600_000, 24),
    `':'`,
    toTimePart(60_000, 60),
    `':'`,
    toTimePart(1000, 60),
    `'.'`,
    toTimePart(1, 1000),
    `'Z'`,
  ].join(' || '),
)}`;

/**
 * Concatenates text, because json_object takes 50 % longer. Ids contain no character that
 * JSON escapes, and data is JSON.
 */
const toLine = (moment: SQL) =>
  sql`'{"id":"' || id || '","at":"' || ${moment} || '","type":"' || type || '"'
  || ${sql.raw(toOptionalField('visitor_id'))} || ${sql.raw(toOptionalField('conversation_id'))} || ',"data":' || data || '}'`;

/**
 * Pass one upper bound only: given two, SQLite may search by the looser one.
 */
const AFTER_POSITION = sql`workspace_id = ${input('workspaceId')}
  AND (at_millis, id) > (${input('atMillis')}, ${input('id')})`;

const COLUMNS = sql`id, at_millis, happened_millis, type, visitor_id, conversation_id, data`;

const FIELDS = ['id', 'atMillis', 'happenedMillis', 'type', 'visitorId', 'conversationId', 'data'] as const;

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
    find: (tx: Tx, rows: Matching, bounds: Bounds, hasDisplaced: boolean) => Promise<Found>,
  ) {
    const { shape, source, scanned, matching } = toConditions(filter);
    const selectEnd = getStatement(`end ${shape}`, () =>
      rawStatement<EventPosition>(
        (indexedBy) => sql`SELECT at_millis, id FROM ${source(indexedBy)} WHERE ${scanned}
          ORDER BY at_millis, id LIMIT 1 OFFSET ${input('skip')}`,
        'atMillis',
        'id',
      ),
    );
    const from = (indexedBy: IndexHint) =>
      sql`FROM ${source(indexedBy)} WHERE ${matching} ORDER BY at_millis, id`;
    const { within, locale, ...named } = filter;
    const read = async (tx: Tx) => {
      const { range, hasDisplaced } = await findRange(tx, workspaceId, after, within);
      const query = { ...range, ...named, locale: locale?.toLowerCase(), limit };
      return readStep(tx, {
        selectEnd,
        query,
        find: (bounds) => find(tx, { shape, from }, bounds, hasDisplaced),
      });
    };
    return readAll(workspaceId, read, 'atOnce');
  }

  return (workspaceId: string) => ({
    /** Returns the matches among the next `limit` rows, in the order of `list`. */
    queryRows: (...args: [limit: number, filter: EventFilter, after?: EventPosition]) =>
      scan(workspaceId, args, async (tx, { shape, from }, bounds) => {
        const rows = getStatement(`rows ${shape}`, () =>
          rawStatement<Row>((indexedBy) => sql`SELECT ${COLUMNS} ${from(indexedBy)}`, ...FIELDS),
        );
        return (await tx.all(rows, bounds)).map(toEvent);
      }),
    /**
     * Like `queryRows`, as NDJSON text. Fields: id, at (ISO 8601, UTC), type, visitor_id, conversation_id,
     * data; absent values have no field. The store writes the text itself, which is faster for large
     * exports.
     */
    queryLines: (...args: [limit: number, filter: EventFilter, after?: EventPosition]) =>
      scan(workspaceId, args, async (tx, { shape, from }, bounds, hasDisplaced) => {
        const day = hasDisplaced ? undefined : getDay(bounds);
        const joined = getStatement(`lines ${day === undefined} ${shape}`, () =>
          rawStatement<{ lines: string | null }>(
            (indexedBy) => sql`SELECT string_agg(line, ${input('separator')}) FROM (
              SELECT ${toLine(day === undefined ? ANY_MOMENT : MOMENT_OF_DAY)} AS line ${from(indexedBy)}) AS listed`,
            'lines',
          ),
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

/** The rows of a filter in their order; `shape` names the filter's conditions without their values. */
type Matching = { shape: string; from: (indexedBy: IndexHint) => SQL };

/** Returns SQL conditions: `scanned` bounds the rows that a step reads by index, `matching` filters them. */
function toConditions(filter: EventFilter) {
  const { within, type, visitorId, conversationId, locale } = filter;
  const ofConversation = conversationId === undefined ? undefined : matches(events.conversationId);
  const ofVisitor = visitorId === undefined ? undefined : matches(events.visitorId);
  const index = ofConversation ? 'events_by_conversation' : ofVisitor && 'events_by_visitor';
  const searched = and(ofConversation ?? ofVisitor, AFTER_POSITION);
  return {
    shape: listGiven(filter),
    source: (indexedBy: IndexHint) => sql`events ${index && indexedBy(index)}`,
    scanned: and(searched, sql`at_millis < ${input('beforeMillis')}`),
    matching: and(
      searched,
      sql`(at_millis, id) <= (${input('endMillis')}, ${input('endId')})`,
      within && happenedWithin(sql`at_millis`),
      type && matches(events.type),
      ofVisitor,
      locale === undefined
        ? undefined
        : sql`lower(coalesce(json_extract(data, '$.requested_locale'), json_extract(data, '$.locale'))) = ${input('locale')}`,
    ),
  };
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
