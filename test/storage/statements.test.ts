import SqliteDatabase from 'better-sqlite3';
import { expect, it } from 'vitest';
import { listStatements } from '../../server/storage/sql/statements.ts';
import { PreparedStatements } from '../../server/storage/sqlite/transaction.ts';
import { temporaryStore } from './temporary-store.ts';

const WITHIN = { fromMillis: 0, beforeMillis: 1 };
const FILTERS = [
  {},
  { within: WITHIN },
  { locale: 'de' },
  { visitorId: 'v', within: WITHIN, locale: 'de' },
  { conversationId: 'c' },
  { conversationId: 'c', visitorId: 'v', within: WITHIN, locale: 'de' },
];

it('prepares every statement of the store, and none that other engines refuse', async () => {
  const { store, file, workspaceId } = await temporaryStore();
  const { events, conversations } = store.in(workspaceId);
  for (const filter of FILTERS) {
    for (const typed of [filter, { ...filter, type: 'turn' } as const]) {
      await events.queryRows(1, typed);
      await events.queryLines(1, typed);
    }
    await conversations.queryTurns(1, filter);
    await conversations.queryConversations(1, filter);
  }
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
