import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, type PostgresDatabase } from '../../server/storage/postgres/database.ts';
import { sqlConversations } from '../../server/storage/sql/conversations.ts';
import type { Statement } from '../../server/storage/sql/database.ts';
import { sqlSweep } from '../../server/storage/sql/erasure.ts';
import { eventWrites } from '../../server/storage/sql/events.ts';
import { textStatement } from '../../server/storage/sql/statements.ts';
import { sqlWorkspaces } from '../../server/storage/sql/workspaces.ts';
import { migratedDatabase, type TestDatabase } from '../cluster/databases.ts';
import { HOUR, MORNING, openTurn, workspace } from './samples.ts';

const liftDeadline = textStatement('UPDATE conversations SET delete_after_millis = NULL WHERE id = @id');
const complete = textStatement(
  `UPDATE turns SET state = 'complete', finished_at = asked_at WHERE message_id = @id`,
);

const { id: workspaceId, ...rest } = workspace();
const events = eventWrites();
let target: TestDatabase;
let db: PostgresDatabase;

const conversations = () => sqlConversations(db, events)(workspaceId);

beforeEach(async () => {
  target = await migratedDatabase();
  db = openDatabase({ url: target.url, poolMax: 8, pooler: 'direct', waitMillis: 5_000 });
  await sqlWorkspaces(db).create({ id: workspaceId, ...rest });
});

afterEach(async () => {
  await db.close();
  await target.drop();
});

/** Sweeps while a transaction that has run the statement is open, and commits that once the sweep waits for it. */
async function sweepDuring(statement: Statement, id: string, nowMillis: number) {
  const { promise: maySettle, resolve: settle } = Promise.withResolvers<void>();
  const { promise: ran, resolve: running } = Promise.withResolvers<void>();
  const written = db.write(workspaceId, async (tx) => {
    await tx.run(statement, { id });
    running();
    await maySettle;
  });
  await ran;
  const swept = sqlSweep(db, events)(nowMillis);
  await expect
    .poll(() => target.query(`SELECT 1 FROM pg_locks WHERE NOT granted`), { timeout: 20_000 })
    .not.toHaveLength(0);
  settle();
  await written;
  return swept;
}

it('keeps a conversation whose deadline is lifted while a sweep waits', async () => {
  const turn = openTurn({ deleteAfterMillis: MORNING + 1 });
  await conversations().openTurn(turn, []);
  expect(await sweepDuring(liftDeadline, turn.conversationId, MORNING + 1)).toMatchObject({
    conversations: 0,
  });
  expect(await conversations().turns(turn.conversationId, 10)).toHaveLength(1);
});

it('keeps the end of a turn that ends while a sweep looks for abandoned ones', async () => {
  const turn = openTurn();
  await conversations().openTurn(turn, []);
  expect(await sweepDuring(complete, turn.messageId, MORNING + HOUR)).toMatchObject({ interrupted: 0 });
  expect(await conversations().findTurn(turn.messageId)).toMatchObject({ state: 'complete' });
});
