import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { RestoreRefused, restoreSqlite } from '../../server/storage/sqlite/backup.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { event, MORNING } from '../support/stored-samples.ts';
import { temporaryFile, temporaryFolder, temporaryStore } from './temporary-store.ts';

async function withBackup() {
  const { store, file, workspaceId } = await temporaryStore();
  await store.in(workspaceId).events.append([event({ data: { name: 'before' } })]);
  const backup = join(temporaryFolder(), 'copy.db');
  const written = await store.backup(backup);
  return { store, file, workspaceId, backup, written };
}

async function eventNames(file: string, workspaceId: string): Promise<unknown[]> {
  const store = openSqlite({ file });
  const rows = await store.in(workspaceId).events.list(10);
  await store.close();
  return rows.map(({ data }) => data.name);
}

describe('store.backup', () => {
  it('writes one complete file that only its owner can read', async () => {
    const { backup, written } = await withBackup();
    expect(statSync(backup).size).toBe(written.bytes);
    expect(written.bytes).toBe(written.pages * 4_096);
    expect(statSync(backup).mode & 0o077).toBe(0);
    expect(readdirSync(dirname(backup))).toEqual([basename(backup)]);
  });

  it('is consistent while other connections write', async () => {
    const { store, file, workspaceId } = await temporaryStore();
    const other = openSqlite({ file });
    const filler = 'x'.repeat(3_000);
    const pair = (index: number) =>
      ['left', 'right'].map((side) => event({ atMillis: MORNING + index, data: { side, index, filler } }));
    for (let index = 0; index < 300; index += 1) await store.in(workspaceId).events.append(pair(index));

    const backup = temporaryFile();
    let going = true;
    const writing = [store, other].map(async (writer, start) => {
      let index = 1_000 + start * 100_000;
      for (; going; index += 1) await writer.in(workspaceId).events.append(pair(index));
      return index;
    });
    await store.backup(backup);
    going = false;
    const [last] = await Promise.all(writing);
    expect(last).toBeGreaterThan(1_001);
    await other.close();

    const copy = openSqlite({ file: backup });
    const rows = await copy.in(workspaceId).events.list(100_000);
    await copy.close();
    expect(rows.length).toBeGreaterThanOrEqual(600);
    const sides = Map.groupBy(rows, ({ atMillis }) => atMillis);
    for (const [, pairs] of sides) expect(pairs).toHaveLength(2);
  });

  it('replaces an earlier backup, and rejects a missing folder', async () => {
    const { store, workspaceId, backup } = await withBackup();
    await store.in(workspaceId).events.append([event({ atMillis: MORNING + 1, data: { name: 'after' } })]);
    await store.backup(backup);
    expect(await eventNames(backup, workspaceId)).toEqual(['before', 'after']);
    await expect(store.backup(join(dirname(backup), 'no', 'such', 'folder'))).rejects.toThrow();
  });
});

describe('restore', () => {
  it('removes the copies that killed processes left, and no others', async () => {
    const { backup } = await withBackup();
    const file = join(temporaryFolder(), 'restored.db');
    const ended = spawnSync(process.execPath, ['--version']).pid;
    for (const pid of [ended, process.pid, process.ppid]) writeFileSync(`${file}.${pid}.partial`, '');
    writeFileSync(`${file}.${ended}.partial-journal`, '');
    writeFileSync(`${file}.of-mine.partial`, '');
    await restoreSqlite(backup, file);
    expect(readdirSync(dirname(file)).sort()).toEqual(
      ['', `.${process.ppid}.partial`, '.of-mine.partial'].map((ending) => basename(file) + ending).sort(),
    );
  });

  it('returns the database to its state at the backup', async () => {
    const { store, file, workspaceId, backup } = await withBackup();
    await store.in(workspaceId).events.append([event({ data: { name: 'after' } })]);
    await store.close();
    await restoreSqlite(backup, file, { force: true });
    expect(await eventNames(file, workspaceId)).toEqual(['before']);
  });

  it('does not replace a database without force', async () => {
    const { store, file, backup } = await withBackup();
    await store.close();
    const before = readFileSync(file);
    await expect(restoreSqlite(backup, file)).rejects.toThrow(RestoreRefused);
    expect(readFileSync(file).equals(before)).toBe(true);
    const elsewhere = temporaryFile();
    await restoreSqlite(backup, elsewhere);
    expect(existsSync(elsewhere)).toBe(true);
  });

  it('never replaces a database that is in use', async () => {
    const { store, file, workspaceId, backup } = await withBackup();
    await expect(restoreSqlite(backup, file, { force: true })).rejects.toThrow(/in use/);
    await store.in(workspaceId).events.append([event({ atMillis: MORNING + 1, data: { name: 'after' } })]);
    expect(await eventNames(file, workspaceId)).toEqual(['before', 'after']);
  });

  it('rejects damaged files and other files without leaving a trace', async () => {
    const { backup } = await withBackup();
    const folder = temporaryFolder();
    const target = join(folder, 'guidepost.db');
    const text = join(temporaryFolder(), 'text.db');
    writeFileSync(text, 'no database at all, but long enough to be taken for the header of one'.repeat(20));
    await expect(restoreSqlite(text, target)).rejects.toThrow('not a database');

    const damaged = readFileSync(backup).fill(0x55, 8_192, 40_000);
    writeFileSync(text, damaged);
    await expect(restoreSqlite(text, target)).rejects.toThrow();
    await expect(restoreSqlite(join(folder, 'missing.db'), target)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['trigger', 'CREATE TRIGGER "promote" AFTER INSERT ON members BEGIN DELETE FROM members; END', 'promote'],
    ['view', 'CREATE VIEW report AS SELECT * FROM turns', 'report'],
    ['table', 'CREATE TABLE notes (text TEXT)', 'notes'],
    ['index', 'CREATE INDEX faster ON turns (answer)', 'faster'],
    [
      'trigger',
      'DROP TRIGGER audit_no_delete; CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT 1; END',
      'audit_no_delete',
    ],
  ])('rejects a backup with a foreign %s: %s', async (type, sql, name) => {
    const { backup } = await withBackup();
    const db = new SqliteDatabase(backup);
    db.exec(sql);
    db.close();
    const folder = temporaryFolder();
    await expect(restoreSqlite(backup, join(folder, 'guidepost.db'))).rejects.toThrow(
      `it holds the ${type} ${name}, which Guidepost did not make`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('accepts the tables that Litestream adds', async () => {
    const { backup, workspaceId } = await withBackup();
    const db = new SqliteDatabase(backup);
    db.exec('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)');
    db.exec('CREATE TABLE _litestream_lock (id INTEGER)');
    db.close();
    const file = temporaryFile();
    await restoreSqlite(backup, file);
    expect(await eventNames(file, workspaceId)).toEqual(['before']);
  });

  it('replaces a database that is too damaged to open', async () => {
    const { store, file, workspaceId, backup } = await withBackup();
    await store.close();
    writeFileSync(file, 'garbage'.repeat(1_000));
    await restoreSqlite(backup, file, { force: true });
    expect(await eventNames(file, workspaceId)).toEqual(['before']);
  });
});
