import { statSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { StorageUnavailable } from '../../server/storage/availability.ts';
import { openConnections } from '../../server/storage/sqlite/connections.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { PreparedStatements } from '../../server/storage/sqlite/transaction.ts';
import { listStatements } from '../../server/storage/statements.ts';
import {
  article,
  closeTurn,
  consent,
  event,
  MORNING,
  openTurn,
  TOMBSTONE,
} from '../support/stored-samples.ts';
import { describeStore } from './store.suite.ts';
import { auditEntry } from './suite/events.ts';
import { migratedFile, queryEverything, temporaryFile, temporaryStore } from './temporary-store.ts';

describeStore('the SQLite store', async () => {
  const file = await migratedFile();
  let store = openSqlite({ file });
  return {
    store,
    async reopen() {
      await store.close();
      store = openSqlite({ file });
      return store;
    },
  };
});

describe('append-only tables', () => {
  const tables = [
    'consent_records',
    'consent_policies',
    'audit',
    'article_revisions',
    'translation_revisions',
  ];

  async function filled() {
    const { store, file, workspaceId } = await temporaryStore();
    const { consents, audit, articles } = store.in(workspaceId);
    await consents.append(consent());
    await audit.append(auditEntry(MORNING));
    await articles.import([article('a', { answer: 'A.' }, { de: { answer: 'Ah.' } })], {
      actor: 'operator',
      atMillis: MORNING,
    });
    const policy = { version: 'v1', workspaceId, document: '{}', createdAt: MORNING };
    await store.consentPolicies.keep(policy);
    const db = new SqliteDatabase(file);
    // Off by default in other SQLite programs, so that REPLACE would not fire delete triggers.
    db.pragma('recursive_triggers = OFF');
    return { db, count: (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() };
  }

  it.each(tables)('reject update, replace and delete through plain SQL: %s', async (table) => {
    const { db, count } = await filled();
    const rows = count(table);
    expect(rows).toBeGreaterThan(0);
    const forbidden = /append-only|immutable/;
    expect(() => db.exec(`UPDATE ${table} SET rowid = rowid`)).toThrow(forbidden);
    expect(() => db.exec(`DELETE FROM ${table}`)).toThrow(forbidden);
    const before = db.prepare(`SELECT rowid, * FROM ${table}`).all();
    const columns = db.pragma(`table_info(${table})`) as { name: string; type: string; pk: number }[];
    const forged = columns.map(({ name, type, pk }) => {
      const isKept = pk > 0 || type !== 'TEXT' || ['id', 'workspace_id'].includes(name);
      return isKept ? name : `${name} || 'forged'`;
    });
    const replace = () => db.exec(`INSERT OR REPLACE INTO ${table} SELECT ${forged} FROM ${table}`);
    // A policy may be inserted twice; the second insert is ignored.
    if (table === 'consent_policies') replace();
    else expect(replace).toThrow(forbidden);
    expect(db.prepare(`SELECT rowid, * FROM ${table}`).all()).toEqual(before);
    expect(count(table)).toBe(rows);
    db.close();
  });

  it('lose their rows when their workspace is deleted', async () => {
    const { db, count } = await filled();
    db.exec('DELETE FROM workspaces');
    expect(tables.map(count)).toEqual(tables.map(() => 0));
    db.close();
  });
});

describe('a full disk', () => {
  it('fails writes but not reads while full, and recovers once there is space', async () => {
    const { store, workspaceId } = await temporaryStore({ bytesMax: 1_700_000 });
    const { conversations, events, eraseVisitor } = store.in(workspaceId);
    const turn = openTurn({ visitorId: newId('vp') });
    await conversations.openTurn(turn, []);
    await conversations.closeTurn(closeTurn(turn.messageId, { answer: 'x'.repeat(200_000) }), []);

    let stored = 0;
    const filling = async () => {
      for (; stored < 10_000; stored += 1)
        await events.append([event({ data: { filler: 'x'.repeat(800) } })]);
    };
    await expect(filling()).rejects.toThrow(StorageUnavailable);
    expect(stored).toBeGreaterThan(100);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => conversations.openTurn(openTurn({ question: 'x'.repeat(20_000) }), [])),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StorageUnavailable) });
    }
    expect(await store.ready()).toMatchObject({ writable: false });
    expect(await events.list(10_000)).toHaveLength(stored);
    expect(await conversations.findTurn(turn.messageId)).toMatchObject({ state: 'complete' });

    expect(await eraseVisitor(turn.visitorId, TOMBSTONE)).toMatchObject({ conversations: 1 });
    expect(await store.ready()).toMatchObject({ writable: true });
    expect(await conversations.openTurn(openTurn({ question: 'x'.repeat(20_000) }), [])).toBe('opened');
    expect(await events.list(10_000)).toHaveLength(stored);
  });
});

describe('database file', () => {
  it('is readable by its owner only', async () => {
    const { file } = await temporaryStore();
    for (const suffix of ['', '-wal']) expect(statSync(file + suffix).mode & 0o077).toBe(0);
  });

  it('syncs every commit, enforces foreign keys and opens readers read-only', async () => {
    const connections = openConnections({ file: temporaryFile() });
    const setting = (name: string) => connections.writer.pragma(name, { simple: true });
    const [full, on, off] = [2, 1, 0];
    expect(setting('journal_mode')).toBe('wal');
    expect(setting('synchronous')).toBe(full);
    expect(setting('foreign_keys')).toBe(on);
    expect(setting('recursive_triggers')).toBe(on);
    expect(setting('trusted_schema')).toBe(off);
    expect(() => connections.reader.exec('DELETE FROM workspaces')).toThrow('readonly');
    await connections.close();
  });

  it('shows each process what another has stored', async () => {
    const { store, file, workspaceId } = await temporaryStore();
    const other = openSqlite({ file });
    expect(await store.featureFlags.isOn('kill_switch')).toBe(false);
    await other.featureFlags.set('kill_switch', true, MORNING);
    expect(await store.featureFlags.isOn('kill_switch')).toBe(true);
    await Promise.all([
      ...Array.from({ length: 50 }, () => store.in(workspaceId).events.append([event()])),
      ...Array.from({ length: 50 }, () => other.in(workspaceId).events.append([event()])),
    ]);
    await other.close();
    expect(await store.in(workspaceId).events.list(200)).toHaveLength(100);
  });

  it('leaves a single file after closing', async () => {
    const { store, file } = await temporaryStore();
    await store.close();
    expect(() => statSync(`${file}-wal`)).toThrow('ENOENT');
  });
});

it('SQLite prepares every statement of the store, but none of another engine', async () => {
  const { store, file, workspaceId } = await temporaryStore();
  await queryEverything(store.in(workspaceId));
  const db = new SqliteDatabase(file);
  const prepared = new PreparedStatements(db);
  const statements = listStatements();
  expect(statements.length).toBeGreaterThan(50);
  for (const statement of statements) {
    const { source: sql } = prepared.find(statement).prepared;
    // A bare parameter may make SQLite prepare the statement on each run.
    expect(sql).not.toMatch(/(?<!\+)\?/);
    expect(sql.replace(/ INDEXED BY \w+/g, '')).not.toMatch(SQLITE_ONLY);
  }
  db.close();
});

it('SQLite looks for displaced rows by an index of them, before it has statistics', async () => {
  const { file } = await temporaryStore();
  const db = new SqliteDatabase(file);
  const prepared = new PreparedStatements(db);
  const searches = listStatements()
    .map((statement) => prepared.find(statement).prepared.source)
    .filter((sql) => sql.includes('happened_millis IS NOT NULL'));
  // Two of each kind of row: events, conversations, turns.
  expect(searches.length).toBeGreaterThanOrEqual(6);
  for (const source of searches) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${source.replaceAll('?', '0')}`).all() as {
      detail: string;
    }[];
    expect(plan.map(({ detail }) => detail).join(), source).toMatch(
      /^SEARCH \w+ USING (COVERING )?INDEX \w+_displaced/,
    );
  }
  db.close();
});

const SQLITE_ONLY =
  /\browid\b|\biif\(|\bINDEXED BY\b|->|\b(max|min)\([^()]*,|\bINSERT OR\b|\bLIMIT -|\bGLOB\b|\bifnull\(/i;
