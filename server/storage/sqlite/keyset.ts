import type { Database, Statement } from 'better-sqlite3';
import type { EventPosition, Scan, Span } from '../events.ts';

/** Keyset pagination in bounded steps. */

/** Rows after one position, up to and including another. */
export type Bounds = Range & { readonly endMillis: number; readonly endId: string };

export type Range = {
  readonly workspaceId: string;
  readonly atMillis: number;
  readonly id: string;
  readonly beforeMillis: number;
  /** The range of times, which displaced rows have apart from their positions. */
  readonly happenedFromMillis: number;
  readonly happenedBeforeMillis: number;
};

const ALWAYS: Span = { fromMillis: Number.MIN_SAFE_INTEGER, beforeMillis: Number.MAX_SAFE_INTEGER };

/** Rows whose time differs from their position by more are displaced, and keep it. */
export const DISPLACED_MILLIS = 1000;

/** Condition on the time of a row; its position is searched by the index. */
export const HAPPENED_WITHIN = `coalesce(happened_millis, at_millis) >= +@happenedFromMillis
  AND coalesce(happened_millis, at_millis) < +@happenedBeforeMillis`;

export type RangeFinder = (
  workspaceId: string,
  after: EventPosition | undefined,
  within?: Span,
) => { readonly range: Range; readonly hasDisplaced: boolean };

/**
 * Finds the positions of a range of times, after the given position or from its start. No row is
 * listed before its time; only displaced rows are listed behind the end of a range that they are in.
 */
export function createRangeFinder(db: Database, table: string): RangeFinder {
  const displaced = `FROM ${table} WHERE happened_millis IS NOT NULL AND workspace_id = +@workspaceId`;
  const lastDisplaced = db.prepare(`SELECT max(at_millis) ${displaced}`).pluck();
  const hasDisplacedWithin = db
    .prepare(
      `SELECT 1 ${displaced} AND happened_millis >= +@fromMillis AND happened_millis < +@beforeMillis LIMIT 1`,
    )
    .pluck();
  return (workspaceId, after, within = ALWAYS) => {
    const { fromMillis, beforeMillis } = within;
    const afterMillis = after?.positionMillis ?? after?.atMillis ?? fromMillis;
    const begins = after === undefined || afterMillis < fromMillis;
    const last = lastDisplaced.get({ workspaceId }) as number | null;
    const isBehind =
      last !== null && last >= beforeMillis && hasDisplacedWithin.get({ workspaceId, ...within }) === 1;
    return {
      range: {
        workspaceId,
        atMillis: begins ? fromMillis : afterMillis,
        id: begins ? '' : after.id,
        beforeMillis: isBehind ? last + 1 : beforeMillis,
        happenedFromMillis: fromMillis,
        happenedBeforeMillis: beforeMillis,
      },
      hasDisplaced: last !== null,
    };
  };
}

/** The time of a row, and its position where that is another one. */
export function toTimes(row: {
  readonly atMillis: number;
  readonly happenedMillis: number | null;
}): Pick<EventPosition, 'atMillis' | 'positionMillis'> {
  const { atMillis, happenedMillis } = row;
  return happenedMillis === null ? { atMillis } : { atMillis: happenedMillis, positionMillis: atMillis };
}

export type Step<Found> = {
  readonly ends: Statement;
  readonly query: Range & { readonly limit: number; readonly [filter: string]: unknown };
  readonly find: (bounds: Bounds) => Found;
};

/**
 * One step: its end position and the rows before it, read from one snapshot. Without an end, fewer
 * rows remain than a step may scan, so it is the last.
 */
export function createStepReader(db: Database): <Found>(prepare: () => Step<Found>) => Scan<Found> {
  const atOneMoment = db.transaction((work: () => unknown) => work());
  return (prepare) =>
    atOneMoment(() => {
      const { ends, query, find } = prepare();
      const end = ends.get({ ...query, skip: query.limit - 1 }) as EventPosition | undefined;
      const until = end
        ? { endMillis: end.atMillis, endId: end.id }
        : // No row has an empty id, so this includes everything before that time.
          { endMillis: query.beforeMillis, endId: '' };
      const found = find({ ...query, ...until });
      return end ? { found, continueAfter: end } : { found };
    }) as never;
}

/** Prepares one statement per distinct SQL text. */
export function statements(db: Database): (text: string) => Statement {
  const made = new Map<string, Statement>();
  return (text) => {
    const known = made.get(text);
    if (known) return known;
    const fresh = db.prepare(text);
    made.set(text, fresh);
    return fresh;
  };
}
