import type { Database, Statement } from 'better-sqlite3';
import type { EventPosition, Span, Step } from '../events.ts';

/** Reading on from a place: what a step needs to know of where it begins and where it ends. */

/** What stands behind a place, up to and with another one. */
export type Bounds = Range & { readonly endMillis: number; readonly endId: string };

export type Range = {
  readonly workspaceId: string;
  readonly atMillis: number;
  readonly id: string;
  readonly beforeMillis: number;
};

const ALWAYS: Span = { fromMillis: Number.MIN_SAFE_INTEGER, beforeMillis: Number.MAX_SAFE_INTEGER };

/** From the given place on, or from the beginning of the range where that comes later. */
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
 * One step: where it ends and what stands before that, both as of one moment. Without an end there are fewer rows than the step may look at, so
 * that it is the last one.
 */
export function stepper(
  db: Database,
): <Found>(
  ends: Statement,
  query: Range & { readonly limit: number; readonly [filter: string]: unknown },
  find: (bounds: Bounds) => Found,
) => Step<Found> {
  const atOneMoment = db.transaction((work: () => unknown) => work());
  return (ends, query, find) =>
    atOneMoment(() => {
      const end = ends.get({ ...query, skip: query.limit - 1 }) as EventPosition | undefined;
      const until = end
        ? { endMillis: end.atMillis, endId: end.id }
        : // No row has an empty id, so that this is all before that moment.
          { endMillis: query.beforeMillis, endId: '' };
      const found = find({ ...query, ...until });
      return end ? { found, goOn: end } : { found };
    }) as never;
}

/** Makes a statement once for each of its texts. */
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
