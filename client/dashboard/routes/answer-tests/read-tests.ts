import type { AnswerTestInput } from '../../../../generated/types.ts';

/** Reads answer tests from a file: a CSV with a heading, or JSON lines, with `question`, `locale` and `article`. */

export class UnreadableTests extends Error {
  /** The line that cannot be read, from 1. */
  readonly line: number;

  constructor(line: number) {
    super(`line ${line} cannot be read`);
    this.line = line;
  }
}

type Row = { line: number; values: Readonly<Record<string, unknown>> };

export type ReadTest = AnswerTestInput & { line: number };

/** @throws UnreadableTests at the first line that is no test */
export async function readTests(text: string): Promise<ReadTest[]> {
  const rows = /^\s*\{/.test(text) ? readJsonLines(text) : await readCsv(text);
  if (rows.length === 0) throw new UnreadableTests(1);
  return rows.map(({ line, values: { question, locale, article } }) => {
    if (typeof question !== 'string' || typeof locale !== 'string' || !/\S/.test(question) || locale === '')
      throw new UnreadableTests(line);
    if (article !== null && (typeof article !== 'string' || article === '')) throw new UnreadableTests(line);
    return { line, question, locale, article: article === 'none' ? null : article };
  });
}

function readJsonLines(text: string): Row[] {
  return text.split('\n').flatMap((json, index) => {
    if (json.trim() === '') return [];
    const line = index + 1;
    try {
      return [{ line, values: JSON.parse(json) as Row['values'] }];
    } catch {
      throw new UnreadableTests(line);
    }
  });
}

async function readCsv(text: string): Promise<Row[]> {
  // Lazy: most people import nothing.
  const { parse } = await import('csv-parse/browser/esm/sync');
  try {
    const records = parse<{ record: Record<string, string>; info: { lines: number } }>(text, {
      bom: true,
      columns: (heading: string[]) => heading.map((cell) => cell.trim().toLowerCase()),
      delimiter: [',', ';', '\t'],
      info: true,
      skipEmptyLines: true,
      trim: true,
    });
    return records.map(({ record, info }) => ({ line: info.lines, values: record }));
  } catch (error) {
    throw new UnreadableTests((error as { lines?: number }).lines ?? 1);
  }
}
