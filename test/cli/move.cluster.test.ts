import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../server/storage/postgres/migrate.ts';
import { lockDataFolder } from '../../server/storage/sqlite/server-lock.ts';
import { emptyDatabase, query, type TestDatabase } from '../support/cluster/databases.ts';
import { commandLine } from '../support/command-line.ts';
import { tempDir } from '../support/temp-dir.ts';
import { openFilled } from '../transfer/installations.ts';

const PROGRAM = join(import.meta.dirname, '../../server/cli/guidepost.ts');
const EVENTS = 30_000;

let filled: string;
let workspaceId: string;
let folder: string;
let dataDir: string;
let database: TestDatabase;

beforeAll(async () => {
  const team = await openFilled('canaryword');
  workspaceId = team.workspace.id;
  await team.harness.service.close();
  filled = tempDir();
  cpSync(team.harness.dataDir, filled, { recursive: true });
  await team.close();
  const db = new Database(join(filled, 'guidepost.db'));
  db.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${EVENTS})
     INSERT INTO events (workspace_id, at_millis, id, type, data) SELECT ?, n, 'evt_' || n, 'test', '{"ü":"😀"}' FROM numbers`,
  ).run(workspaceId);
  db.close();
});

afterAll(() => rmSync(filled, { recursive: true }));

beforeEach(async () => {
  folder = tempDir();
  dataDir = join(folder, 'data');
  cpSync(filled, dataDir, { recursive: true });
  database = await emptyDatabase();
});

afterEach(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

const there = () => ['move', '--to', database.url, '--owner', database.ownerUrl];
const fromFile = () => commandLine(dataDir);
const fromPostgres = () =>
  commandLine(join(folder, 'none'), Date.now, { DATABASE_URL: database.url, SINGLE_NODE: 'on' });

describe('moving to PostgreSQL and back', () => {
  it('returns a file with the same rows, triggers and search index', async () => {
    const moved = await fromFile().json(there());
    expect(moved.rows).toBeGreaterThan(EVENTS);
    const file = join(folder, 'back.db');
    const back = await fromPostgres().json(['move', '--to', file]);
    expect(back.tables).toStrictEqual(moved.tables);
    expect(contentsOf(file)).toStrictEqual(contentsOf(join(dataDir, 'guidepost.db')));
    expect(existsSync(`${file}.moving`)).toBe(false);
  });

  it('moves every table of a filled database', async () => {
    const { tables } = await fromFile().json(there());
    const names: string[] = tables.map(({ table }: { table: string }) => table);
    expect(names).toEqual(
      expect.arrayContaining(['users', 'sessions', 'api_keys', 'consent_records', 'audit']),
    );
    const rows = await database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'guidepost'::regnamespace AND relkind = 'r'`,
    );
    const derived = ['migrations', 'passage_words'];
    expect(
      rows
        .map(({ name }) => name)
        .filter((name) => !derived.includes(name))
        .sort(),
    ).toStrictEqual(names.sort());
    expect(await count('passage_words')).toBeGreaterThan(0);
  });

  it('restores foreign keys, triggers and counters of PostgreSQL', async () => {
    await fromFile().json(there());
    const fresh = await emptyDatabase();
    await migrate({ url: fresh.url, ownerUrl: fresh.ownerUrl });
    expect(await constraintsOf(database)).toStrictEqual(await constraintsOf(fresh));
    await fresh.drop();
    await expect(database.query(`UPDATE guidepost.audit SET actor = ''`)).rejects.toThrow('append-only');
    const [next] = await database.query<{ more: boolean }>(
      `SELECT nextval('guidepost.audit_sequence') > max(sequence) AS more FROM guidepost.audit`,
    );
    expect(next).toStrictEqual({ more: true });
  });

  it('resumes after a kill and blocks servers until it is finished', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, GUIDEPOST_DEMO: 'off' };
    await killOnce(there(), env, async () => (await progressInPostgres()) > 0);
    await expect(migrate({ url: database.url, ownerUrl: database.ownerUrl })).rejects.toThrow(
      'has not finished',
    );
    const before = await progressInPostgres();
    expect(before).toBeLessThan(EVENTS);
    const moved = await fromFile().json(there());
    expect(await count('events')).toBe(rowsOf(moved, 'events'));

    const file = join(folder, 'back.db');
    const back = { ...env, DATA_DIR: folder, DATABASE_URL: database.url, SINGLE_NODE: 'on' };
    await killOnce(['move', '--to', file], back, async () => progressInFile(`${file}.moving`) > 0);
    expect(existsSync(file)).toBe(false);
    expect(progressInFile(`${file}.moving`)).toBeLessThan(EVENTS);
    expect((await fromPostgres().json(['move', '--to', file])).tables).toStrictEqual(moved.tables);
  });

  it('names the table with a text that PostgreSQL cannot store', async () => {
    const db = new Database(join(dataDir, 'guidepost.db'));
    db.prepare('UPDATE workspaces SET name = ?').run('a\0b');
    db.close();
    expect(await fromFile().runInProcess(there())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('workspaces has a text with a NUL character'),
    });
  });

  it('fails while a server uses the source', async () => {
    const unlock = lockDataFolder(dataDir);
    expect(await fromFile().runInProcess(there())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Stop it first'),
    });
    unlock();
  });

  it('fails for a target with rows, and for a file that exists', async () => {
    await fromFile().json(there());
    expect(await fromFile().runInProcess(there())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty'),
    });
    const file = join(dataDir, 'guidepost.db');
    expect(await fromPostgres().runInProcess(['move', '--to', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already'),
    });
  });

  it('fails when the source changed between two runs', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, GUIDEPOST_DEMO: 'off' };
    await killOnce(there(), env, async () => (await progressInPostgres('users')) > 0);
    const db = new Database(join(dataDir, 'guidepost.db'));
    db.exec(`UPDATE users SET password_hash = password_hash || '0'`);
    db.close();
    expect(await fromFile().runInProcess(there())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('table users differs'),
    });
    await expect(migrate({ url: database.url, ownerUrl: database.ownerUrl })).rejects.toThrow(
      'has not finished',
    );
  });
});

async function killOnce(
  args: readonly string[],
  env: Record<string, string | undefined>,
  isInTheMiddle: () => Promise<boolean>,
): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = text(child.stderr);
  const exited = once(child, 'exit');
  await expect.poll(isInTheMiddle, { interval: 2 }).toBe(true);
  child.kill('SIGKILL');
  await exited;
  expect(child.signalCode).toBe('SIGKILL');
  // A slow machine prints the progress.
  expect(await errors).toMatch(/^(Copying \w+: \d+ rows\n)*$/);
}

async function progressInPostgres(table = 'events'): Promise<number> {
  const progress = 'guidepost.move_progress';
  const [found] = await query<{ is: string | null }>(
    database.ownerUrl,
    `SELECT to_regclass('${progress}')::text AS is`,
  );
  if (found!.is === null) return 0;
  const [row] = await query<{ rows: string }>(
    database.ownerUrl,
    `SELECT rows FROM ${progress} WHERE name = '${table}'`,
  );
  return Number(row?.rows ?? 0);
}

function progressInFile(file: string): number {
  if (!existsSync(`${file}-wal`)) return 0;
  // The move locks its file, so a copy is read.
  const copy = join(folder, 'copy.db');
  try {
    for (const suffix of ['', '-wal']) cpSync(file + suffix, copy + suffix);
    const db = new Database(copy);
    try {
      return (
        (db.prepare(`SELECT rows FROM move_progress WHERE name = 'events'`).pluck().get() as number) ?? 0
      );
    } finally {
      db.close();
    }
  } catch {
    return 0;
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
  }
}

const rowsOf = ({ tables }: { tables: { table: string; rows: number }[] }, name: string) =>
  tables.find(({ table }) => table === name)!.rows;

async function count(table: string): Promise<number> {
  const [row] = await database.query<{ count: string }>(`SELECT count(*) FROM guidepost.${table}`);
  return Number(row!.count);
}

const constraintsOf = ({ query }: TestDatabase) =>
  query(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE connamespace = 'guidepost'::regnamespace
     UNION ALL SELECT tgrelid::regclass::text, tgname, tgenabled::text FROM pg_trigger
     WHERE NOT tgisinternal ORDER BY 1, 2`,
  );

/** Returns the schema, the rows of all tables, and each word of the search index with its chunk. */
function contentsOf(file: string) {
  const db = new Database(file, { readonly: true });
  const schema = db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE name NOT LIKE 'passage_index_%' AND name NOT LIKE 'sqlite_stat%' ORDER BY 1, 2`,
    )
    .all() as { type: string; name: string }[];
  db.exec(`CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'passage_index', 'instance')`);
  const names = schema.filter(({ type, name }) => type === 'table' && name !== 'migrations');
  const tables = [{ name: 'words' }, ...names].map(({ name }) => {
    const rows = db.prepare(`SELECT * FROM "${name}"`).all();
    return [name, rows.map((row) => JSON.stringify(row)).sort()];
  });
  db.close();
  expect(tables[0]![1]!.length).toBeGreaterThan(10);
  return { schema, tables };
}
