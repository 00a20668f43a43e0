import { parse } from 'csv-parse/sync';
import { z } from 'zod';

/** Every character that some program treats as the end of a row outside quotes. */
const LINE_BREAKS = ['\r\n', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];

/** Parses CSV rows with the types of the schema and without empty cells. */
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
