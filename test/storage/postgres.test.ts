import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../server/storage/postgres/open.ts';
import { compile } from '../../server/storage/postgres/portable.ts';
import { listStatements } from '../../server/storage/statements.ts';
import { migratedDatabase } from '../support/cluster/databases.ts';
import { describeStore } from './store.suite.ts';
import { queryEverything, temporaryStore } from './temporary-store.ts';

describeStore('the PostgreSQL store', async () => {
  const { url, drop } = await migratedDatabase();
  const open = () => openPostgres({ url, poolMax: 6, pooler: 'direct', waitMillis: 5_000 });
  let store = await open();
  onTestFinished(drop);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
  };
});

it('PostgreSQL prepares every statement of the store', async () => {
  const database = await migratedDatabase();
  onTestFinished(() => database.drop());
  const { store, workspaceId } = await temporaryStore();
  await queryEverything(store.in(workspaceId));
  const client = new pg.Client({ connectionString: database.url, options: '-c search_path=guidepost' });
  await client.connect();
  // Only SQLite probes with a write whether it can write, and measures the terms of a chunk in bytes.
  const isOfSqlite = /write_probe|octet_length\(item\.terms\)/;
  const texts = listStatements()
    .map((statement) => compile(statement).text)
    .filter((text) => !isOfSqlite.test(text));
  expect(texts.length).toBeGreaterThan(50);
  const unpreparable: string[] = [];
  for (const [index, text] of texts.entries()) {
    await client
      .query(`PREPARE statement_${index} AS ${text}`)
      .catch((error) => unpreparable.push(`${(error as Error).message}: ${text}`));
  }
  await client.end();
  expect(unpreparable).toEqual([]);
});
