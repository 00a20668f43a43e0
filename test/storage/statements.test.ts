import SqliteDatabase from 'better-sqlite3';
import { expect, it } from 'vitest';
import { listStatements } from '../../server/storage/sql/statements.ts';
import { PreparedStatements } from '../../server/storage/sqlite/transaction.ts';
import { queryEverything } from './query-everything.ts';
import { temporaryStore } from './temporary-store.ts';

it('prepares every statement of the store, and none that other engines refuse', async () => {
  const { store, file, workspaceId } = await temporaryStore();
  await queryEverything(store.in(workspaceId));
  const db = new SqliteDatabase(file);
  const prepared = new PreparedStatements(db);
  const statements = listStatements();
  expect(statements.length).toBeGreaterThan(50);
  for (const statement of statements) {
    expect(() => prepared.find(statement), statement.text).not.toThrow();
    expect(statement.text.replace(/\/\*.*?\*\//g, '')).not.toMatch(SQLITE_ONLY);
  }
  db.close();
});

const SQLITE_ONLY =
  /\browid\b|\biif\(|\bINDEXED BY\b|->|\b(max|min)\([^()]*,|\bINSERT OR\b|\bLIMIT -|\bGLOB\b|\bifnull\(/i;
