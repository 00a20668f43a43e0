/** Copies all rows of one database to another, page by page, and resumes after an interruption. */

import { createHash } from 'node:crypto';
import { ExpectedError } from '../base/expected-error.ts';

export type Cell = string | number | null | Uint8Array;
export type Row = readonly Cell[];

export type MoveTable = {
  name: string;
  columns: readonly string[];
  /** The columns of the primary key, by which rows are read in order. */
  key: readonly string[];
  pageRows: number;
};

/** How far a table has been copied. */
export type Copied = { rows: number; last: Row | undefined };

/** A database to move from. Values are the same on all engines: numbers, text and bytes. */
export type MoveSource = {
  /** Returns the rows after the key, in the order of the key. */
  read(table: MoveTable, after: Row | undefined): Promise<Row[]>;
  /** The greatest value of each generated key, by table. */
  counters(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
};

/** A database to move to. Its foreign keys and triggers are disabled until `finish`. */
export type MoveTarget = Pick<MoveSource, 'read' | 'close'> & {
  /** The progress of earlier runs, by table. */
  copied(): Promise<ReadonlyMap<string, Copied>>;
  /** Writes rows and how far the table is copied in one transaction. */
  write(table: MoveTable, rows: readonly Row[], copied: Copied): Promise<void>;
  /** Checks and restores foreign keys and triggers, and removes the traces of the move. */
  finish(counters: ReadonlyMap<string, number>): Promise<void>;
};

export type MovedTable = { table: string; rows: number; sha256: string };

/** The move cannot continue. The source is unchanged. */
export class MoveRefused extends ExpectedError {
  override readonly name = 'MoveRefused';
}

export type MoveProgress = (step: 'copy' | 'verify', table: string, rows: number) => void;

/**
 * Copies what is missing, compares all rows of both databases, and makes the target usable.
 * @throws MoveRefused when the databases differ afterwards; the target then stays unusable.
 */
export async function moveRows(
  tables: readonly MoveTable[],
  source: MoveSource,
  target: MoveTarget,
  onProgress: MoveProgress,
): Promise<readonly MovedTable[]> {
  const copied = await target.copied();
  for (const table of tables) {
    let { rows, last } = copied.get(table.name) ?? { rows: 0, last: undefined };
    for (;;) {
      const page = await source.read(table, last);
      if (page.length === 0) break;
      rows += page.length;
      last = toKey(table, page.at(-1)!);
      await target.write(table, page, { rows, last });
      onProgress('copy', table.name, rows);
    }
  }
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const [from, to] = [
      await summarize(source, table, onProgress),
      await summarize(target, table, onProgress),
    ];
    if (from.sha256 !== to.sha256) {
      throw new MoveRefused(
        `the table ${table.name} differs: ${from.rows} rows in the source, ${to.rows} in the target. ` +
          'The source was changed during the move; empty the target and move again',
      );
    }
    moved.push(from);
  }
  await target.finish(await source.counters());
  return moved;
}

function toKey(table: MoveTable, row: Row): Row {
  return table.key.map((column) => row[table.columns.indexOf(column)]!);
}

/** Counts and hashes all rows in the order of the key. */
async function summarize(
  database: Pick<MoveSource, 'read'>,
  table: MoveTable,
  onProgress: MoveProgress,
): Promise<MovedTable> {
  const hash = createHash('sha256');
  let rows = 0;
  for (let after: Row | undefined; ; ) {
    const page = await database.read(table, after);
    if (page.length === 0) return { table: table.name, rows, sha256: hash.digest('hex') };
    for (const row of page) hash.update(`${JSON.stringify(row.map(encodeBytes))}\n`);
    rows += page.length;
    after = toKey(table, page.at(-1)!);
    onProgress('verify', table.name, rows);
  }
}

function encodeBytes(cell: Cell): unknown {
  return cell instanceof Uint8Array ? { bytes: Buffer.from(cell).toString('base64') } : cell;
}

/**
 * Returns the query of a page, with `(a, b) > (…)` for the key of the row before it. Both engines compare rows this way.
 * @param toParameter the parameter of a value of that key
 */
export function toPageQuery(
  table: MoveTable,
  isFirst: boolean,
  toParameter: (index: number) => string,
  toExpression: (column: string) => string = quote,
): string {
  const key = table.key.map(quote).join(', ');
  const where = isFirst
    ? ''
    : ` WHERE (${key}) > (${table.key.map((_, index) => toParameter(index)).join(', ')})`;
  const columns = table.columns.map(toExpression).join(', ');
  return `SELECT ${columns} FROM ${quote(table.name)}${where} ORDER BY ${key} LIMIT ${table.pageRows}`;
}

export const quote = (name: string): string => `"${name}"`;
