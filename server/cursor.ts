import { throwInvalidRequest } from './http/errors.ts';

/** Pagination cursors name the last row of a page. They are opaque, but neither secret nor trusted. */

export const encodeCursor = (text: string): string => Buffer.from(text).toString('base64url');

/** Matches the decoded cursor against `pattern`; throws `request/invalid` when it does not match. */
export const decodeCursor = (cursor: string, pattern: RegExp): RegExpExecArray =>
  pattern.exec(decodeText(cursor)) ?? throwInvalidCursor();

/** A keyset position: time, then id. It stays valid after the row is deleted. */
export type RowPosition = { readonly atMillis: number; readonly id: string };

export const formatRowPosition = ({ atMillis, id }: RowPosition): string => `${atMillis} ${id}`;

/** Times before 1970 are valid. */
export function parseRowPosition(text: string, idPattern = /^.{1,128}$/): RowPosition | undefined {
  const [, atMillis, id] = /^(-?\d{1,16}) (.+)$/.exec(text) ?? [];
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
