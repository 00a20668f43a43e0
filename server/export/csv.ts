import { stringify } from 'csv-stringify/sync';
import type { z } from 'zod';

/** Tables as RFC 4180 has them. Spreadsheets run what looks like a formula, so that such a cell begins with an apostrophe. */

type Cell = string | number | boolean | undefined;

/** Whatever some reader may take for the end of a row. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Some programs drop white space and what is invisible before they look for a formula, or split cells at tabs. */
const FORMULA = /^(?:[\t\n\r]|[\s\p{C}]*[=+\-@＝＋－＠])/u;

const OPTIONS = {
  record_delimiter: 'windows',
  quoted_match: LINE_BREAK,
  cast: { boolean: String, string: (text: string) => (FORMULA.test(text) ? `'${text}` : text) },
  // Whoever sends the rows ends them.
  eof: false,
} as const;

export function columnsOf(schema: z.ZodObject): readonly string[] {
  return Object.keys(schema.shape);
}

export const headerOf = (columns: readonly string[]): string => stringify([[...columns]], OPTIONS);

/** Rows as one text; what is absent is an empty cell, and what has parts of its own is JSON. */
export function linesOf(columns: readonly string[], rows: readonly object[]): string {
  const cells = rows.map((row) => columns.map((column) => cellOf((row as Record<string, unknown>)[column])));
  return stringify(cells, OPTIONS);
}

function cellOf(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}
