import { throwInvalidRequest } from './http/errors.ts';

/** Cursors of lists: what names the row that a page ended with, made opaque. Nothing in them is secret or trusted. */

export const writeCursor = (text: string): string => Buffer.from(text).toString('base64url');

/** What stands in a cursor, in the parts that its form captures; refuses one of another form. */
export const readCursor = (cursor: string, form: RegExp): RegExpExecArray =>
  form.exec(textOf(cursor)) ?? refuseCursor();

/** A row among rows in the order of a time and an id: it can be found again when the row itself is gone. */
export type Place = { readonly atMillis: number; readonly id: string };

export const placeText = ({ atMillis, id }: Place): string => `${atMillis} ${id}`;

/** The time may lie before 1970. */
export function placeIn(text: string, idForm = /^.{1,128}$/): Place | undefined {
  const [, atMillis, id] = /^(-?\d{1,16}) (.+)$/.exec(text) ?? [];
  return id !== undefined && idForm.test(id) ? { atMillis: Number(atMillis), id } : undefined;
}

export const writePlace = (place: Place): string => writeCursor(placeText(place));

export const readPlace = (cursor: string, idForm: RegExp): Place =>
  placeIn(textOf(cursor), idForm) ?? refuseCursor();

const textOf = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('utf8');

const refuseCursor = (): never =>
  throwInvalidRequest({ path: 'query.cursor', code: 'invalid_cursor', message: 'No page ended here.' });
