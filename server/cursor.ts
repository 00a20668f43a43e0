import { refuseInvalid } from './refuse.ts';

/** Cursors of lists: what names the row that a page ended with, made opaque. Nothing in them is secret or trusted. */

export const writeCursor = (text: string): string => Buffer.from(text).toString('base64url');

/** What stands in a cursor, in the parts that its form captures; refuses one of another form. */
export function readCursor(cursor: string, form: RegExp): RegExpExecArray {
  const found = form.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  return (
    found ?? refuseInvalid({ path: 'query.cursor', code: 'invalid_cursor', message: 'No page ended here.' })
  );
}
