import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { toPostgres } from '../../server/storage/postgres/portable.ts';
import { listStatements } from '../../server/storage/sql/statements.ts';
import { migratedDatabase } from '../cluster/databases.ts';
import { queryEverything } from './query-everything.ts';
import { temporaryStore } from './temporary-store.ts';

it('prepares every statement of the store on PostgreSQL', async () => {
  const database = await migratedDatabase();
  onTestFinished(() => database.drop());
  const { store, workspaceId } = await temporaryStore();
  await queryEverything(store.in(workspaceId));
  const client = new pg.Client({ connectionString: database.url, options: '-c search_path=guidepost' });
  await client.connect();
  // SQLite alone writes to find out whether it can.
  const statements = listStatements().filter(({ text }) => !text.includes('"write_probe"'));
  expect(statements.length).toBeGreaterThan(50);
  const refused: string[] = [];
  for (const [index, statement] of statements.entries()) {
    const text = toPostgres(statement.text);
    await client
      .query(`PREPARE statement_${index} AS ${text}`)
      .catch((error) => refused.push(`${(error as Error).message}: ${text}`));
  }
  await client.end();
  expect(refused).toStrictEqual([]);
});
