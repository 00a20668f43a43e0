import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { throwInvalidRequest } from './errors.ts';

/** Pagination cursors name the last row of a page. They are opaque, but neither secret nor trusted. */

export const encodeCursor = (text: string): string => Buffer.from(text).toString('base64url');

/** Matches the decoded cursor against `pattern`; throws `request/invalid` when it does not match. */
export const decodeCursor = (cursor: string, pattern: RegExp): RegExpExecArray =>
  pattern.exec(decodeText(cursor)) ?? throwInvalidCursor();

/** A keyset position: time, then id. It stays valid after the row is deleted. */
type RowPosition = { atMillis: number; id: string };

export const formatRowPosition = ({ atMillis, id }: RowPosition): string => `${atMillis} ${id}`;

/** Clients may choose the ids of conversations. */
export const CLIENT_ID = new RegExp(`^.{1,${CHAT_LIMITS.clientIdCharsMax}}$`, 's');

/** Parses a position; undefined if it is invalid. Times before 1970 are valid. */
export function parseRowPosition(text: string, idPattern = CLIENT_ID): RowPosition | undefined {
  const [, atMillis, id] = /^(-?\d{1,16}) (.+)$/s.exec(text) ?? [];
  return id !== undefined && idPattern.test(id) ? { atMillis: Number(atMillis), id } : undefined;
}

export const encodeRowPosition = (position: RowPosition): string => encodeCursor(formatRowPosition(position));

export const decodeRowPosition = (cursor: string, idPattern: RegExp): RowPosition =>
  parseRowPosition(decodeText(cursor), idPattern) ?? throwInvalidCursor();

const decodeText = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('utf8');

const throwInvalidCursor = (): never =>
  throwInvalidRequest({
    path: 'query.cursor',
    code: 'invalid_cursor',
    message: 'Not a cursor that this list returned.',
  });

type Row = { id: string; createdAt: number };
type Order = 'oldest_first' | 'newest_first';

/**
 * Paginates a short list that was read whole. `rows` are sorted by `createdAt`, then id; cursors survive
 * deleted rows.
 */
export function paginate<T extends Row>(
  rows: readonly T[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  order: Order,
): { data: readonly T[]; nextCursor?: string } {
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
