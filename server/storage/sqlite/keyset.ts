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
};

const ALWAYS: Span = { fromMillis: Number.MIN_SAFE_INTEGER, beforeMillis: Number.MAX_SAFE_INTEGER };

/** Starts at the given position, or at the start of the range if that is later. */
export function rangeAfter(
  workspaceId: string,
  after: EventPosition | undefined,
  within: Span = ALWAYS,
): Range {
  const { fromMillis, beforeMillis } = within;
  const begins = after === undefined || after.atMillis < fromMillis;
  const { atMillis, id } = begins ? { atMillis: fromMillis, id: '' } : after;
  return { workspaceId, atMillis, id, beforeMillis };
}

/**
 * One step: its end position and the rows before it, read from one snapshot. Without an end, fewer
 * rows remain than a step may scan, so it is the last.
 */
export function createStepReader(
  db: Database,
): <Found>(
  ends: Statement,
  query: Range & { readonly limit: number; readonly [filter: string]: unknown },
  find: (bounds: Bounds) => Found,
) => Scan<Found> {
  const atOneMoment = db.transaction((work: () => unknown) => work());
  return (ends, query, find) =>
    atOneMoment(() => {
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
