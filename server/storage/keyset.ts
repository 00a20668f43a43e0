/** Keyset pagination in bounded steps. */
import { type SQL, sql } from 'drizzle-orm';
import type { Statement, Tx } from './database.ts';
import { input, rawStatement } from './statements.ts';

/** A keyset position in the event log: `positionMillis`, else `atMillis`, then the id. */
export type EventPosition = {
  id: string;
  /** When it happened, in milliseconds. The store may increase it by up to a second to list rows in commit order. */
  atMillis: number;
  /** The time at which the row is listed, if it differs because the clock was set back. Only the store sets it. */
  positionMillis?: number;
};

/** A half-open range: includes `fromMillis`, excludes `beforeMillis`. */
export type Span = { fromMillis: number; beforeMillis: number };

/** The matches among the rows of one bounded scan. Without `continueAfter`, the scan reached the end. */
export type Scan<Found> = { found: Found; continueAfter?: EventPosition };

/** Rows after one position, up to and including another. */
export type Bounds = Range & { endMillis: number; endId: string };

export type Range = {
  workspaceId: string;
  atMillis: number;
  id: string;
  beforeMillis: number;
  /** The range of times; the time of a displaced row differs from its position. */
  happenedFromMillis: number;
  happenedBeforeMillis: number;
};

const ALWAYS: Span = { fromMillis: Number.MIN_SAFE_INTEGER, beforeMillis: Number.MAX_SAFE_INTEGER };

/** Rows whose time and position differ by more than this are displaced, and store their time as well. */
export const DISPLACED_MILLIS = 1000;

/** Condition on the time of a row; its position is searched by the index. */
export const happenedWithin = (
  atMillis: SQL,
) => sql`coalesce(happened_millis, ${atMillis}) >= ${input('happenedFromMillis')}
  AND coalesce(happened_millis, ${atMillis}) < ${input('happenedBeforeMillis')}`;

type RangeFinder = (
  tx: Tx,
  workspaceId: string,
  after: EventPosition | undefined,
  within?: Span,
) => Promise<{ range: Range; hasDisplaced: boolean }>;

/**
 * Returns the positions to scan for a range of times, from its start or after the given position. No row's position
 * is before its time, so the scan goes beyond the end of the range only if displaced rows belong to the range.
 */
export function createRangeFinder(table: string): RangeFinder {
  // Without statistics, SQLite would scan all rows of the workspace for each step, because few or none are displaced.
  const displaced = (index: SQL) => sql`FROM ${sql.raw(table)} ${index}
    WHERE happened_millis IS NOT NULL AND workspace_id = ${input('workspaceId')}`;
  const lastDisplaced = rawStatement<{ last: number | null }>(
    (indexedBy) => sql`SELECT max(at_millis) ${displaced(indexedBy(`${table}_displaced`))}`,
    'last',
  );
  const displacedWithin = rawStatement<{ one: number }>(
    (indexedBy) => sql`SELECT 1 ${displaced(indexedBy(`${table}_displaced_by_time`))}
     AND happened_millis >= ${input('fromMillis')} AND happened_millis < ${input('beforeMillis')} LIMIT 1`,
    'one',
  );
  return async (tx, workspaceId, after, within = ALWAYS) => {
    const { fromMillis, beforeMillis } = within;
    const afterMillis = after?.positionMillis ?? after?.atMillis ?? fromMillis;
    const isFromStart = after === undefined || afterMillis < fromMillis;
    const { last } = (await tx.get(lastDisplaced, { workspaceId }))!;
    const hasLaterRows =
      last !== null &&
      last >= beforeMillis &&
      (await tx.get(displacedWithin, { workspaceId, ...within })) !== undefined;
    return {
      range: {
        workspaceId,
        atMillis: isFromStart ? fromMillis : afterMillis,
        id: isFromStart ? '' : after.id,
        beforeMillis: hasLaterRows ? last + 1 : beforeMillis,
        happenedFromMillis: fromMillis,
        happenedBeforeMillis: beforeMillis,
      },
      hasDisplaced: last !== null,
    };
  };
}

/** Returns the time of a row, and its position if that differs. */
export function toTimes(row: {
  atMillis: number;
  happenedMillis: number | null;
}): Pick<EventPosition, 'atMillis' | 'positionMillis'> {
  const { atMillis, happenedMillis } = row;
  return happenedMillis === null ? { atMillis } : { atMillis: happenedMillis, positionMillis: atMillis };
}

export type Step<Found> = {
  selectEnd: Statement<EventPosition>;
  query: Range & { limit: number; [filter: string]: unknown };
  find: (bounds: Bounds) => Promise<Found>;
};

/**
 * Reads one step: finds its end position, and then the rows up to it, in the same snapshot. Without an
 * end position, fewer rows remain than a step may scan, so the step is the last one.
 */
export async function readStep<Found>(
  tx: Tx,
  { selectEnd: ends, query, find }: Step<Found>,
): Promise<Scan<Found>> {
  const end = await tx.get(ends, { ...query, skip: query.limit - 1 });
  const until = end
    ? { endMillis: end.atMillis, endId: end.id }
    : // No row has an empty id, so this includes everything before that time.
      { endMillis: query.beforeMillis, endId: '' };
  const found = await find({ ...query, ...until });
  return end ? { found, continueAfter: end } : { found };
}

/** Returns a function that makes the statement of a key on first use: one for each combination of filters. */
export function createStatementCache(): <Row>(key: string, make: () => Statement<Row>) => Statement<Row> {
  const statements = new Map<string, Statement<never>>();
  return <Row>(key: string, make: () => Statement<Row>) => {
    const created = statements.get(key) ?? (make() as Statement<never>);
    statements.set(key, created);
    return created as Statement<Row>;
  };
}

/** Names the conditions of a filter without their values, as the key of a statement. */
export function listGiven(filter: object): string {
  return Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
    .join();
}
