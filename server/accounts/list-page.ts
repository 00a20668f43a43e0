import { decodeRowPosition, encodeRowPosition } from '../cursor.ts';

/** Pages of lists that a workspace holds few of: they are read whole and cut here. */

type Row = { readonly id: string; readonly createdAt: number };
export type PageAsked = { readonly limit: number; readonly cursor?: string | undefined };
export type ListPage<T> = { readonly data: readonly T[]; readonly nextCursor?: string };

/**
 * The rows after the cursor. They come sorted by `createdAt` and id; a cursor names the row that it follows by both, so that it holds when
 * that row is gone.
 */
export function pageOfList<T extends Row>(
  rows: readonly T[],
  { limit, cursor }: PageAsked,
  order: 'oldest_first' | 'newest_first',
): ListPage<T> {
  const rest = cursor === undefined ? rows : rowsAfter(rows, placeOf(cursor), order);
  const data = rest.slice(0, limit);
  const last = data.at(-1);
  return last && rest.length > limit ? { data, nextCursor: cursorFor(last) } : { data };
}

function rowsAfter<T extends Row>(
  rows: readonly T[],
  place: Row,
  order: 'oldest_first' | 'newest_first',
): readonly T[] {
  const at = rows.findIndex((row) => (order === 'oldest_first' ? isAfter(row, place) : isAfter(place, row)));
  return at === -1 ? [] : rows.slice(at);
}

function isAfter(row: Row, other: Row): boolean {
  return row.createdAt === other.createdAt ? row.id > other.id : row.createdAt > other.createdAt;
}

const cursorFor = ({ createdAt, id }: Row) => encodeRowPosition({ atMillis: createdAt, id });

function placeOf(cursor: string): Row {
  const { atMillis, id } = decodeRowPosition(cursor, /^[a-z0-9_]{1,64}$/);
  return { createdAt: atMillis, id };
}
