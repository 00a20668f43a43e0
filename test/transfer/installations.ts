import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { commandLine } from '../cli/command-line.ts';
import { tempDir } from '../fixtures/temp-dir.ts';
import { clock } from '../harness.ts';
import { type FilledOffice, lineTexts, openFilled } from './filled.ts';

/** The workspace archive of one installation, and another installation to import it into. */

export let office: FilledOffice;
export let archive: string;
export let lines: string[];
export let folder: string;
export let dataDir: string;
export let cli: ReturnType<typeof commandLine>;

export function anArchiveAndAFolderForEach(): void {
  beforeAll(async () => {
    office = await openFilled('canaryword');
    archive = (await office.as('owner').get('/export')).text;
    lines = lineTexts(archive);
  });
  afterAll(() => office.close());
  beforeEach(() => {
    folder = tempDir();
    dataDir = join(folder, 'data');
    cli = commandLine(dataDir, clock.now);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

export const fileOf = (text: string): string => {
  const file = join(folder, 'archive.ndjson');
  writeFileSync(file, text);
  return file;
};

export async function inStore<T>(action: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite({ file: join(dataDir, 'guidepost.db') });
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

export async function exportAgain(id: string): Promise<string> {
  const out = join(folder, 'again.ndjson');
  const outcome = await cli.json(['workspace', 'export', '--workspace', id, '--out', out]);
  expect(outcome).toEqual({
    tenant_id: id,
    file: out,
    lines: lines.length,
    bytes: Buffer.byteLength(archive),
  });
  return readFileSync(out, 'utf8');
}

/** All rows of the installation, without columns that only the schema fills. */
export function rowsLeft(): string[] {
  const database = new Database(join(dataDir, 'guidepost.db'), { readonly: true });
  const tables = database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'passage_index%'
       AND name NOT IN ('migrations', 'passage_metadata')`,
    )
    .pluck()
    .all() as string[];
  const left = tables.filter((table) => database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get());
  database.close();
  return left;
}

/** The number of the first line of this type. */
export const lineOf = (type: string) => lines.findIndex((line) => line.startsWith(`{"type":"${type}"`)) + 1;

export type Fields = Record<string, unknown>;

/** The archive with the first line of this type changed, removed or duplicated. */
export function changed(type: string, change: (line: Fields) => readonly Fields[]): string {
  const at = lines.findIndex((line) => line.startsWith(`{"type":"${type}"`));
  const made = change(JSON.parse(lines[at]!)).map((line) => JSON.stringify(line));
  return `${[...lines.slice(0, at), ...made, ...lines.slice(at + 1)].join('\n')}\n`;
}

export const set = (type: string, fields: Fields) => changed(type, (line) => [{ ...line, ...fields }]);
