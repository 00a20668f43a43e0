import { parse } from 'csv-parse/sync';
import { z } from 'zod';

/** Wherever some program may end a row, when it does not stand in quotes. */
const LINE_BREAKS = ['\r\n', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];

/** The rows of a CSV as its schema has them: numbers and booleans by their columns, without the empty cells. */
export function rowsOfCsv<T extends z.ZodObject>(text: string, schema: T): z.infer<T>[] {
  const table = parse(text, { record_delimiter: LINE_BREAKS }) as string[][];
  const [header = [], ...lines] = table;
  return lines.map((cells) => {
    const named = header.map((column, at) => [column, cells[at] ?? ''] as const);
    const filled = named.filter(([, cell]) => cell !== '');
    return schema.parse(
      Object.fromEntries(filled.map(([column, cell]) => [column, cellValue(cell, schema.shape[column])])),
    );
  });
}

function cellValue(cell: string, field: unknown): string | number | boolean {
  if (field instanceof z.ZodNumber) return Number(cell);
  return field instanceof z.ZodBoolean ? cell === 'true' : cell;
}
