import { decodeCursor, encodeCursor } from '../http/cursor.ts';

/** Lists by place. */

export const toPlace = (cursor: string | undefined) =>
  cursor === undefined ? '' : decodeCursor(cursor, /^.{1,2000}$/su)[0];

/** Builds a page of rows with a cursor. `rows` must contain one more than `limit` if there are more. */
export function toPage<Row extends { place: string }, Data>(
  rows: readonly Row[],
  limit: number,
  toData: (row: Row) => Data,
): { data: Data[]; nextCursor?: string } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const data = shown.map(toData);
  return last && rows.length > limit ? { data, nextCursor: encodeCursor(last.place) } : { data };
}
