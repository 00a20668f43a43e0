import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StorageUnavailable } from '../../server/storage/availability.ts';
import type { Statement, WriteTx } from '../../server/storage/database.ts';
import { WriteQueue } from '../../server/storage/sqlite/write-queue.ts';
import { input } from '../../server/storage/statements.ts';
import { temporaryFile } from './temporary-store.ts';

const insertNote: Statement = {
  query: () => sql`INSERT INTO notes VALUES (${input('text')})`,
  toRow: undefined,
};
const countNotes: Statement<number> = {
  query: () => sql`SELECT count(*) FROM notes`,
  toRow: ([count]) => count as number,
};

function open(file = temporaryFile()) {
  const statements: string[] = [];
  const db = new SqliteDatabase(file, { verbose: (statement) => statements.push(String(statement)) });
  onTestFinished(() => {
    db.close();
  });
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT PRIMARY KEY) STRICT');
  const insert = db.prepare('INSERT INTO notes VALUES (?)');
  const notes = () => db.prepare('SELECT text FROM notes ORDER BY rowid').pluck().all();
  const commits = () => statements.filter((statement) => statement === 'COMMIT').length;
  return { db, file, notes, commits, add: (text: string) => () => insert.run(text).changes };
}

describe('queued writes', () => {
  it('share one commit, in the order they were queued', async () => {
    const { db, add, notes, commits } = open();
    const { write } = new WriteQueue(db);
    const texts = Array.from({ length: 100 }, (_, index) => `note ${index}`);
    expect(await Promise.all(texts.map((text) => write(add(text))))).toEqual(texts.map(() => 1));
    expect(notes()).toEqual(texts);
    // One batch, unless the machine was so busy that the batch ended before all writes were queued.
    expect(commits()).toBeLessThan(5);
  });

  it('are committed before their promises resolve', async () => {
    const { db, file, add } = open();
    const { write } = new WriteQueue(db);
    const other = new SqliteDatabase(file, { readonly: true });
    await write(add('seen'));
    expect(other.prepare('SELECT text FROM notes').pluck().all()).toEqual(['seen']);
    other.close();
  });

  it('fail alone: the others of the batch are stored once, with their own results', async () => {
    const { db, add, notes } = open();
    const { write } = new WriteQueue(db);
    const failing = () => {
      add('half')();
      throw new Error('not this one');
    };
    const results = await Promise.allSettled([
      write(add('a')),
      write(failing),
      write(add('a')),
      write(add('b')),
    ]);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    ).toEqual([1, 'not this one', expect.stringContaining('UNIQUE'), 1]);
    expect(notes()).toEqual(['a', 'b']);
  });

  it('continue after a failed write', async () => {
    const { db, add, notes } = open();
    const { write } = new WriteQueue(db);
    await write(add('a'));
    await expect(write(add('a'))).rejects.toThrow('UNIQUE');
    await write(add('b'));
    expect(notes()).toEqual(['a', 'b']);
  });

  it('see their own changes and lose none, however many run at once', async () => {
    const { db, notes } = open();
    const { write } = new WriteQueue(db);
    const count = async (tx: WriteTx) => {
      const count = await tx.get(countNotes);
      await tx.run(insertNote, { text: String(count) });
      return count;
    };
    const counts = await Promise.all(Array.from({ length: 1_000 }, () => write(count)));
    const expected = Array.from({ length: 1_000 }, (_, index) => index);
    expect(counts).toEqual(expected);
    expect(notes()).toEqual(expected.map(String));
  });

  it('fail when they await anything but their transaction, and others are stored', async () => {
    const { db, add, notes } = open();
    const { write } = new WriteQueue(db);
    const other = Promise.withResolvers<void>();
    let late: Promise<unknown> = Promise.resolve();
    const waiting = (tx: WriteTx) => {
      late = (async () => {
        await tx.run(insertNote, { text: 'half' });
        await other.promise;
        await tx.run(insertNote, { text: 'too late' });
      })();
      return late;
    };
    const results = [write(add('a')), write(waiting), write(add('b'))];
    await expect(results[1]).rejects.toThrow('may await only its own transaction');
    other.resolve();
    await expect(late).rejects.toThrow('the transaction is over');
    expect(await Promise.all([results[0], results[2]])).toEqual([1, 1]);
    expect(notes()).toEqual(['a', 'b']);
  });

  it('cannot be waited for by other writes', async () => {
    const { db, add, notes } = open();
    const { write } = new WriteQueue(db);
    await expect(write(() => write(add('inner')))).rejects.toThrow('may await only its own transaction');
    await write(add('next'));
    expect(notes()).not.toContain('half');
    expect(notes().at(-1)).toBe('next');
  });

  it('yield to the event loop between batches', async () => {
    const { db, add, commits } = open();
    const { write } = new WriteQueue(db);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    await Promise.all(Array.from({ length: 2_000 }, (_, index) => write(add(`note ${index}`))));
    clearInterval(counting);
    expect(commits()).toBeGreaterThanOrEqual(8);
    expect(turns).toBeGreaterThan(1);
  });

  it('all finish before the queue closes', async () => {
    const { db, add, notes } = open();
    const { write, finish } = new WriteQueue(db);
    const pending = Array.from({ length: 600 }, (_, index) => write(add(`note ${index}`)));
    await finish();
    expect(notes()).toHaveLength(600);
    await Promise.all(pending);
    await expect(write(add('late'))).rejects.toThrow(StorageUnavailable);
  });
});

describe('deferred writes', () => {
  it('share the commit of the next awaited write and come before it', async () => {
    // Otherwise a busy machine could flush the deferred writes first.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { db, add, notes, commits } = open();
    const { write, writeDeferred } = new WriteQueue(db);
    const counted = [writeDeferred(add('first')), writeDeferred(add('second'))];
    await yieldToEventLoop();
    expect(notes()).toEqual([]);
    await write(add('third'));
    expect(notes()).toEqual(['first', 'second', 'third']);
    expect(commits()).toBe(1);
    expect(await Promise.all(counted)).toEqual([1, 1]);
  });

  it('are stored soon without another write, and at once by flushDeferred', async () => {
    const { db, add, notes } = open();
    const { writeDeferred, flushDeferred } = new WriteQueue(db);
    await writeDeferred(add('alone'));
    expect(notes()).toEqual(['alone']);
    void writeDeferred(add('next'));
    await flushDeferred();
    expect(notes()).toEqual(['alone', 'next']);
  });

  it('fail alone, and are stored when the store closes', async () => {
    const { db, add, notes } = open();
    const { write, writeDeferred, flushDeferred, finish } = new WriteQueue(db);
    const fails = expect(writeDeferred(add('a')).then(() => writeDeferred(add('a')))).rejects.toThrow(
      'UNIQUE',
    );
    await write(add('b'));
    await flushDeferred();
    await fails;
    void writeDeferred(add('last'));
    await finish();
    expect(notes()).toEqual(['a', 'b', 'last']);
    await expect(writeDeferred(add('too late'))).rejects.toThrow(StorageUnavailable);
  });
});

describe('a write lock held by another process', () => {
  it('delays writes without blocking the event loop', async () => {
    const { db, file, add, notes } = open();
    const { write } = new WriteQueue(db);
    const letGo = await lockElsewhere(file);
    let isWritten = false;
    const written = write(add('patient')).then(() => {
      isWritten = true;
    });
    // SQLite's own busy wait would block this process, which also has to release the lock.
    for (let turns = 0; turns < 20; turns += 1) await wait(5);
    expect(isWritten).toBe(false);
    await letGo();
    await written;
    expect(notes()).toEqual(['patient']);
  });

  it('fails writes after the timeout, and later writes succeed once it is released', async () => {
    const { db, file, add, notes } = open();
    const { write } = new WriteQueue(db, 2_000);
    const other: Database = new SqliteDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    const first = write(add('a'));
    await wait(1_000);
    const second = write(add('b'));
    await expect(first).rejects.toThrow(StorageUnavailable);
    other.exec('COMMIT');
    other.close();
    // The second write was queued a second later than the first one, which timed out.
    await second;
    await write(add('c'));
    expect(notes()).toEqual(['b', 'c']);
  });
});

/** Resolves once another process holds the write lock, with the function that releases it. */
async function lockElsewhere(file: string): Promise<() => Promise<unknown>> {
  const program = `
    const db = new (require('better-sqlite3'))(${JSON.stringify(file)});
    db.exec('BEGIN IMMEDIATE');
    console.log('locked');
    process.stdin.on('end', () => db.exec('COMMIT')).resume();
  `;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return () => {
    child.stdin.end();
    return once(child, 'exit');
  };
}
