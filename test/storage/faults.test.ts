import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StorageUnavailable } from '../../server/storage/availability.ts';
import { IncompatibleDatabase } from '../../server/storage/migrations.ts';
import { restoreSqlite } from '../../server/storage/sqlite/backup.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { damageTable } from '../support/database-file.ts';

import { event, MORNING, workspace } from '../support/stored-samples.ts';
import { migratedFile, temporaryFolder } from './temporary-store.ts';

const WORKSPACE = workspace();

async function openLogged(file: string) {
  const errors: string[] = [];
  const store = openSqlite({
    file,
    log: { info() {}, error: (_fields, message) => void errors.push(message) },
  });
  onTestFinished(() => store.close().catch(() => {}));
  return { store, errors };
}

async function openFilled() {
  const file = await migratedFile();
  const opened = await openLogged(file);
  await opened.store.workspaces.create(WORKSPACE);
  return { ...opened, file };
}

let atMillis = MORNING;
const append = (store: Store) => {
  atMillis += 1;
  return store.in(WORKSPACE.id).events.append([event({ atMillis, data: { filler: 'x'.repeat(2_000) } })]);
};

/** Waits longer than the time in which commits share one check of the files. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Changes that an operator or a script might make to the files of a running service. */
const faults: Readonly<Record<string, (file: string) => void>> = {
  'its folder is removed': (file) => rmSync(dirname(file), { recursive: true }),
  'its folder is moved': (file) => renameSync(dirname(file), `${dirname(file)}.moved`),
  'it is removed': (file) => rmSync(file),
  'it is replaced': (file) => {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  },
  'it is emptied': (file) => truncateSync(file, 0),
  'its write-ahead log is removed': (file) => rmSync(`${file}-wal`),
};

describe('a database in use', () => {
  it.each(Object.entries(faults))('acknowledges no write after %s, and says why', async (_, happen) => {
    const { store, errors, file } = await openFilled();
    await append(store);
    happen(file);
    await pause();
    await expect(append(store)).rejects.toThrow(StorageUnavailable);
    await expect(append(store)).rejects.toThrow(/removed or replaced/);
    expect(store.problems()).toEqual(['file_replaced']);
    expect(await store.ready().catch(() => ({ writable: false }))).toMatchObject({ writable: false });
    expect(errors).toEqual([expect.stringContaining('was removed or replaced')]);
    rmSync(`${dirname(file)}.moved`, { recursive: true, force: true });
  });

  it('notices within seconds that its folder was removed, even if nothing is written', async () => {
    const { store, file } = await openFilled();
    rmSync(dirname(file), { recursive: true });
    await expect.poll(() => store.problems()).toEqual(['file_replaced']);
  });

  it('goes on when its folder is back', async () => {
    const { store, file } = await openFilled();
    const folder = dirname(file);
    renameSync(folder, `${folder}.moved`);
    await pause();
    await expect(append(store)).rejects.toThrow(StorageUnavailable);
    renameSync(`${folder}.moved`, folder);
    await expect.poll(() => store.problems()).toEqual([]);
    await append(store);
  });

  it('does not touch the files that have replaced its own', async () => {
    const { store, file } = await openFilled();
    const other = await openFilled();
    await append(other.store);
    for (const suffix of ['', '-wal']) {
      rmSync(file + suffix, { force: true });
      copyFileSync(other.file + suffix, file + suffix);
    }
    const log = readFileSync(`${file}-wal`);
    await store.close();
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
  });
});

describe('damage', () => {
  it('makes storage unavailable when a query finds it', async () => {
    const { store, file } = await openFilled();
    await append(store);
    await store.close();
    damageTable(file, 'events');
    const { store: again, errors } = await openLogged(file);
    await expect(again.in(WORKSPACE.id).events.list(10)).rejects.toThrow(StorageUnavailable);
    expect(again.problems()).toEqual(['corrupt']);
    expect(errors).toEqual([expect.stringContaining('is damaged')]);
    await expect(again.featureFlags.set('kill_switch', true, 1)).rejects.toThrow(/is damaged/);
    expect(await again.ready()).toMatchObject({ writable: false });
    expect(await again.featureFlags.isOn('kill_switch')).toBe(false);
  });

  it('is found by the check when no query finds it', async () => {
    const { store, file } = await openFilled();
    await append(store);
    await store.check();
    expect(store.problems()).toEqual([]);
    await store.close();
    damageTable(file, 'events');
    const { store: again } = await openLogged(file);
    expect(again.problems()).toEqual([]);
    await again.check();
    expect(again.problems()).toEqual(['corrupt']);
    await again.close();
    // The next process still reports it; a check of an intact file clears it.
    const { store: next } = await openLogged(file);
    expect(next.problems()).toEqual(['corrupt']);
    await next.check();
    expect(next.problems()).toEqual(['corrupt']);
  });

  it('is forgotten after a restore', async () => {
    const { store, file } = await openFilled();
    const backup = join(temporaryFolder(), 'copy.db');
    await store.backup(backup);
    await store.close();
    damageTable(file, 'events');
    const { store: broken } = await openLogged(file);
    await broken.check();
    await broken.close();
    await restoreSqlite(backup, file, { force: true });
    const { store: again, errors } = await openLogged(file);
    expect(again.problems()).toEqual([]);
    expect(errors).toEqual([]);
    await append(again);
  });

  it.each(['table feedback', 'index feedback_by_time', 'trigger articles_delete_embeddings'])(
    'prevents the start when the %s is missing',
    async (object) => {
      const { store, file } = await openFilled();
      await store.close();
      const db = new SqliteDatabase(file);
      db.exec(`DROP ${object}`);
      db.close();
      expect(() => openSqlite({ file })).toThrow(IncompatibleDatabase);
      expect(() => openSqlite({ file })).toThrow(`the ${object}`);
    },
  );
});

/** Copies the files of an open database, which is how a killed process leaves them. */
function copyAsKilled(file: string): string {
  const copy = join(temporaryFolder(), 'guidepost.db');
  mkdirSync(dirname(copy), { recursive: true });
  for (const suffix of ['', '-wal', '-mark'])
    if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return copy;
}

const marked = (file: string) => (existsSync(`${file}-mark`) ? readFileSync(`${file}-mark`, 'utf8') : '');

describe('opening a database', () => {
  async function killed() {
    const { store, file } = await openFilled();
    // After a checkpoint, later writes are only in the log.
    await store.workspaces.purgeRemoved(atMillis);
    await expect.poll(() => marked(file)).not.toBe('');
    const before = marked(file);
    await append(store);
    await expect.poll(() => marked(file)).not.toBe(before);
    return copyAsKilled(file);
  }

  it('reports nothing when the write-ahead log is intact', async () => {
    const { store, errors } = await openLogged(await killed());
    expect(store.problems()).toEqual([]);
    expect(errors).toEqual([]);
    expect(await store.in(WORKSPACE.id).events.list(10)).toHaveLength(1);
  });

  it.each([
    ['was emptied', (log: string) => truncateSync(log, 0)],
    ['was removed', (log: string) => rmSync(log)],
    ['was cut in the middle', (log: string) => truncateSync(log, Math.floor(readFileSync(log).length / 3))],
    ['has damaged frames', (log: string) => writeFileSync(log, readFileSync(log).fill(0x55, 32))],
  ])('reports a write-ahead log that %s', async (_, cut) => {
    const file = await killed();
    cut(`${file}-wal`);
    const { store, errors } = await openLogged(file);
    expect(store.problems()).toEqual(['commits_missing']);
    expect(errors).toEqual([expect.stringMatching(/lacks commits that were acknowledged before 2/)]);
    // The service continues with the remaining data, and the next start reports nothing.
    await append(store);
    await store.close();
    expect((await openLogged(file)).store.problems()).toEqual([]);
  });

  it('reports nothing when the write-ahead log was lost after an orderly stop', async () => {
    const { store, file } = await openFilled();
    await append(store);
    await store.close();
    rmSync(`${file}-wal`, { force: true });
    expect((await openLogged(file)).errors).toEqual([]);
  });
});
