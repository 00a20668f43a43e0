import { decodeRowPosition, encodeRowPosition } from '../cursor.ts';

type Row = { readonly id: string; readonly createdAt: number };
type Order = 'oldest_first' | 'newest_first';

/**
 * Paginates a short list that was read whole. `rows` are sorted by `createdAt`, then id; cursors survive
 * deleted rows.
 */
export function paginate<T extends Row>(
  rows: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  order: Order,
): { readonly data: readonly T[]; readonly nextCursor?: string } {
  const rest = cursor === undefined ? rows : skipThrough(rows, parseCursor(cursor), order);
  const data = rest.slice(0, limit);
  const last = data.at(-1);
  return last && rest.length > limit ? { data, nextCursor: toCursor(last) } : { data };
}

function skipThrough<T extends Row>(rows: readonly T[], position: Row, order: Order): readonly T[] {
  const at = rows.findIndex((row) =>
    order === 'oldest_first' ? isAfter(row, position) : isAfter(position, row),
  );
  return at === -1 ? [] : rows.slice(at);
}

function isAfter(row: Row, other: Row): boolean {
  return row.createdAt === other.createdAt ? row.id > other.id : row.createdAt > other.createdAt;
}

const toCursor = ({ createdAt, id }: Row) => encodeRowPosition({ atMillis: createdAt, id });

function parseCursor(cursor: string): Row {
  const { atMillis, id } = decodeRowPosition(cursor, /^[a-z0-9_]{1,64}$/);
  return { createdAt: atMillis, id };
}
