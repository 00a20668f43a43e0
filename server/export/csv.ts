import { stringify } from 'csv-stringify/sync';
import type { z } from 'zod';

/** Tables as RFC 4180 has them. Spreadsheets run what looks like a formula, so that such a cell begins with an apostrophe. */

type Cell = string | number | boolean | undefined;

const OPTIONS = {
  record_delimiter: 'windows',
  escape_formulas: true,
  cast: { boolean: String },
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
