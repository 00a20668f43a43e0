import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { StorageUnavailable } from '../../server/storage/availability.ts';
import { sqlConversations } from '../../server/storage/conversations.ts';
import type { Statement, Tx } from '../../server/storage/database.ts';
import { sqlSweep } from '../../server/storage/erasure.ts';
import { eventWrites } from '../../server/storage/events.ts';
import type { PostgresOptions } from '../../server/storage/postgres/connections.ts';
import { openDatabase, type PostgresDatabase } from '../../server/storage/postgres/database.ts';
import { migrate } from '../../server/storage/postgres/migrate.ts';
import { input, rawStatement } from '../../server/storage/statements.ts';
import { sqlWorkspaces } from '../../server/storage/workspaces.ts';
import { migratedDatabase, query, type TestDatabase } from '../support/cluster/databases.ts';
import { type PostgresServer, startPgBouncer, startPostgres } from '../support/cluster/servers.ts';
import { HOUR, MORNING, openTurn, workspace } from '../support/stored-samples.ts';

const insertWorkspace = rawStatement(
  sql`INSERT INTO workspaces VALUES (${input('id')}, ${input('id')}, 'Shop', 1, '{}', 1, 10, 10, NULL)`,
);
const insertMonth = rawStatement(
  sql`INSERT INTO token_months VALUES (${input('workspaceId')}, '2026-11', 0)`,
);
const readMonth = rawStatement<{ tokens: number }>(
  sql`SELECT tokens FROM token_months WHERE workspace_id = ${input('workspaceId')}`,
  'tokens',
);
const writeMonth = rawStatement(
  sql`UPDATE token_months SET tokens = ${input('tokens')} WHERE workspace_id = ${input('workspaceId')}`,
);
const listMonths = rawStatement<{ workspaceId: string }>(
  sql`SELECT workspace_id FROM token_months ORDER BY workspace_id`,
  'workspaceId',
);
const failingInsert = rawStatement(sql`INSERT INTO token_months VALUES (${input('workspaceId')}, NULL, 0)`);

const liftDeadline = rawStatement(
  sql`UPDATE conversations SET delete_after_millis = NULL WHERE id = ${input('id')}`,
);
const complete = rawStatement(
  sql`UPDATE turns SET state = 'complete', finished_at = asked_at WHERE message_id = ${input('id')}`,
);

const OPTIONS = { poolMax: 8, pooler: 'direct', waitMillis: 5_000 } as const;

let target: TestDatabase;
let db: PostgresDatabase;

async function open(options: Partial<PostgresOptions> = {}): Promise<PostgresDatabase> {
  await db?.close();
  db = openDatabase({ url: target.url, ...OPTIONS, ...options });
  return db;
}

async function fill(to: PostgresDatabase): Promise<void> {
  for (const workspaceId of ['ws_1', 'ws_2']) {
    await to.write(workspaceId, async (tx) => {
      await tx.run(insertWorkspace, { id: workspaceId });
      await tx.run(insertMonth, { workspaceId });
    });
  }
}

const addOne = (workspaceId: string) => async (tx: Tx) => {
  const { tokens } = (await tx.get(readMonth, { workspaceId }))!;
  await tx.run(writeMonth, { workspaceId, tokens: tokens + 1 });
  return tokens + 1;
};

const getTokens = async (from: PostgresDatabase, workspaceId: string) =>
  (await from.read(workspaceId, (tx) => tx.get(readMonth, { workspaceId })))?.tokens;

beforeEach(async () => {
  target = await migratedDatabase();
  db = openDatabase({ url: target.url, ...OPTIONS });
  await fill(db);
});

afterEach(async () => {
  await db.close();
  await target.drop();
});

describe('a transaction on PostgreSQL', () => {
  it('loses no update of transactions that read before they write', async () => {
    const other = openDatabase({ url: target.url, ...OPTIONS });
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, at) => (at % 2 ? db : other).write('ws_1', addOne('ws_1'))),
    );
    expect(await getTokens(db, 'ws_1')).toBe(200);
    expect(new Set(results).size).toBe(200);
    await other.close();
  });

  it('rejects only the job that fails and keeps those that shared its transaction', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        db.write('ws_1', async (tx) => {
          await addOne('ws_1')(tx);
          if (at % 5 === 0) await tx.run(failingInsert, { workspaceId: 'ws_1' });
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
      Array.from({ length: 20 }, (_, at) => at % 5 !== 0),
    );
    expect(await getTokens(db, 'ws_1')).toBe(16);
  });

  it('lets one workspace write while another holds its lock', async () => {
    let release = () => {};
    const held = db.write('ws_1', async (tx) => {
      await tx.get(readMonth, { workspaceId: 'ws_1' });
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    expect(await db.write('ws_2', addOne('ws_2'))).toBe(1);
    release();
    await held;
  });

  it('rejects as unavailable when another node holds the lock for too long', async () => {
    await open({ waitMillis: 200 });
    const client = query(
      target.superuserUrl,
      `SELECT pg_advisory_lock(hashtextextended('ws_1', 0)), pg_sleep(1)`,
    );
    await pause(100);
    await expect(db.write('ws_1', addOne('ws_1'))).rejects.toThrow(StorageUnavailable);
    await client;
    expect(await db.write('ws_1', addOne('ws_1'))).toBe(1);
  });

  it('reads all statements of a query from one snapshot when asked to', async () => {
    const seen = await db.read(
      'ws_1',
      async (tx) => {
        const before = await tx.get(readMonth, { workspaceId: 'ws_1' });
        await db.write('ws_1', addOne('ws_1'));
        return [before, await tx.get(readMonth, { workspaceId: 'ws_1' })];
      },
      'atOnce',
    );
    expect(seen).toEqual([{ tokens: 0 }, { tokens: 0 }]);
    expect(await getTokens(db, 'ws_1')).toBe(1);
  });

  it('runs deferred jobs before the next write and before a read of everything', async () => {
    const deferred = db.writeDeferred('ws_1', addOne('ws_1'));
    expect(await db.write('ws_1', addOne('ws_1'))).toBe(2);
    expect(await deferred).toBe(1);
    void db.writeDeferred('ws_1', addOne('ws_1'));
    expect(await db.readAll('ws_1', (tx) => tx.get(readMonth, { workspaceId: 'ws_1' }))).toEqual({
      tokens: 3,
    });
  });

  it('runs deferred jobs before it closes and none afterwards', async () => {
    const deferred = db.writeDeferred('ws_1', addOne('ws_1'));
    await db.close();
    expect(await deferred).toBe(1);
    await expect(db.write('ws_1', addOne('ws_1'))).rejects.toThrow(StorageUnavailable);
    await open();
    expect(await getTokens(db, 'ws_1')).toBe(1);
  });

  it('runs again after a deadlock with another program', async () => {
    const forward = (tx: Tx) =>
      tx.run(writeMonth, { workspaceId: 'ws_1', tokens: 5 }).then(async () => {
        await pause(300);
        return tx.run(writeMonth, { workspaceId: 'ws_2', tokens: 5 });
      });
    const backward = query(
      target.superuserUrl,
      `DO $$ BEGIN
         UPDATE guidepost.token_months SET tokens = 9 WHERE workspace_id = 'ws_2';
         PERFORM pg_sleep(0.3);
         UPDATE guidepost.token_months SET tokens = 9 WHERE workspace_id = 'ws_1';
       EXCEPTION WHEN deadlock_detected THEN NULL; END $$`,
    );
    await Promise.all([db.write(undefined, forward), backward]);
    expect([await getTokens(db, 'ws_1'), await getTokens(db, 'ws_2')]).toContain(5);
  });
});

describe('a sweep beside other transactions', () => {
  const { id: workspaceId, ...rest } = workspace();
  const events = eventWrites();

  const conversations = () => sqlConversations(db, events)(workspaceId);

  beforeEach(() => sqlWorkspaces(db).create({ id: workspaceId, ...rest }));

  /** Starts a sweep while a transaction that has run the statement is open, and commits that once the sweep waits. */
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
});

describe('text with a NUL, which PostgreSQL refuses', () => {
  it('is stored with a replacement character, and found by the original text', async () => {
    const workspaceId = 'ws_\0';
    await db.write(workspaceId.replace('\0', '\uFFFD'), async (tx) => {
      await tx.run(insertWorkspace, { id: workspaceId });
      await tx.run(insertMonth, { workspaceId });
    });
    const found = await db.read(undefined, (tx) => tx.get(readMonth, { workspaceId }));
    expect(found).toEqual({ tokens: 0 });
  });
});

describe('a replica', () => {
  const readAtOnce = (from: PostgresDatabase) =>
    from.readAll('ws_1', (tx) => tx.get(readMonth, { workspaceId: 'ws_1' }), 'atOnce');

  it('serves the steps of exports, and the primary everything else', async () => {
    const replica = await migratedDatabase();
    await open({ url: replica.url });
    await fill(db);
    await open({ readUrl: replica.url });
    onTestFinished(() => replica.drop());
    await db.write('ws_1', addOne('ws_1'));
    expect(await readAtOnce(db)).toEqual({ tokens: 0 });
    expect(await getTokens(db, 'ws_1')).toBe(1);
    expect(await db.readAll('ws_1', (tx) => tx.get(readMonth, { workspaceId: 'ws_1' }))).toEqual({
      tokens: 1,
    });
  });

  it('is left out while it cannot be reached', async () => {
    await open({ readUrl: 'postgres://127.0.0.1:1/none' });
    await db.write('ws_1', addOne('ws_1'));
    expect(await readAtOnce(db)).toEqual({ tokens: 1 });
    expect(await readAtOnce(db)).toEqual({ tokens: 1 });
  });
});

describe.each(['direct', 'transaction'] as const)('row-level security with a %s pooler', (pooler) => {
  beforeEach(() => open({ pooler }));

  it('shows only the rows of the workspace that is named', async () => {
    const list = (workspaceId: string | undefined) => db.read(workspaceId, (tx) => tx.all(listMonths));
    for (let round = 0; round < 3; round += 1) {
      const all = await Promise.all([list('ws_1'), list('ws_2'), list(undefined), list('ws_none')]);
      expect(all.map((rows) => rows.map(({ workspaceId }) => workspaceId))).toEqual([
        ['ws_1'],
        ['ws_2'],
        ['ws_1', 'ws_2'],
        [],
      ]);
    }
  });

  it('neither changes nor inserts rows of another workspace', async () => {
    expect(await db.write('ws_1', (tx) => tx.run(writeMonth, { workspaceId: 'ws_2', tokens: 9 }))).toBe(0);
    const intrude = db.write('ws_1', (tx) => tx.run(insertMonth, { workspaceId: 'ws_2' }));
    await expect(intrude).rejects.toThrow(/row-level security/);
  });

  it('keeps no workspace on a connection after its transaction', async () => {
    await open({ pooler, poolMax: 2 });
    await db.write('ws_1', addOne('ws_1'));
    const { rows } = await db.pool.query(`SELECT current_setting('guidepost.workspace', true) AS seen`);
    expect(rows[0].seen ?? '').toBe('');
  });
});

describe('a pooler between the service and the server', () => {
  it('gives every transaction its own workspace, whichever connection it gets', async () => {
    const pooler = await startPgBouncer(target.url);
    onTestFinished(() => pooler.remove());
    await open({
      url: pooler.url(new URL(target.url).pathname.slice(1)),
      pooler: 'transaction',
      poolMax: 20,
    });
    const seen = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const workspaceId = at % 2 ? 'ws_1' : 'ws_2';
        if (at % 4 < 2) await db.write(workspaceId, addOne(workspaceId));
        const rows = await db.read(workspaceId, (tx) => tx.all(listMonths));
        return rows.length === 1 && rows[0]!.workspaceId === workspaceId;
      }),
    );
    expect(seen).not.toContain(false);
    expect([await getTokens(db, 'ws_1'), await getTokens(db, 'ws_2')]).toEqual([50, 50]);
    expect(await db.read(undefined, (tx) => tx.all(listMonths), 'atOnce')).toHaveLength(2);
  });
});

describe('tables of workspaces', () => {
  it('show no row without a workspace, not even to the owner of the tables', async () => {
    await target.query(FILLED);
    const tables = await target.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'guidepost'::regnamespace AND relkind = 'r' AND relrowsecurity AND relforcerowsecurity`,
    );
    const filled = [];
    for (const { name } of tables) {
      const count = `SELECT count(*)::int AS rows FROM guidepost.${name}`;
      for (const url of [target.url, target.ownerUrl]) {
        expect(await query(url, count), name).toEqual([{ rows: 0 }]);
      }
      if ((await target.query<{ rows: number }>(count))[0]!.rows > 0) filled.push(name);
    }
    expect(filled.length).toBeGreaterThan(3);
    const unprotected = await target.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'guidepost'::regnamespace AND relkind = 'r' AND NOT relrowsecurity ORDER BY 1`,
    );
    expect(unprotected.map(({ name }) => name)).toEqual([
      'authenticator_apps',
      'database_marks',
      'factor_challenges',
      'feature_flags',
      'migrations',
      'passage_metadata',
      'passage_terms',
      'passage_words',
      'passkeys',
      'password_resets',
      'rate_windows',
      'recovery_codes',
      'sessions',
      'setup_links',
      'users',
    ]);
  });
});

const FILLED = `
  SET search_path = guidepost;
  INSERT INTO articles VALUES ('art_1', 'ws_1', 'a', 'en', 'draft', 1, NULL, NULL, NULL, 10, 'operator', 10, 'operator', NULL, NULL, NULL, NULL, 'a', 'a', NULL, NULL, 20, 'operator', 30, 10, 'operator');
  INSERT INTO article_revisions VALUES ('art_1', 1, 'imported', 'en', 'A', 'A.', '[]', NULL, 'h', 'A.', 'operator', 10);
  INSERT INTO conversations VALUES ('conv_1', 'ws_1', 'vis_1', 10, 1, 1, 0, 99);`;

describe('a server that goes away', () => {
  let server: PostgresServer;
  let away: PostgresDatabase;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: true });
    const url = server.url('postgres');
    await migrate({ url });
    away = openDatabase({ url, ...OPTIONS, waitMillis: 15_000 });
    await fill(away);
  });

  afterAll(async () => {
    await away.close();
    await server.remove();
  });

  it('delays reads and writes until it is back', async () => {
    const before = await getTokens(away, 'ws_1');
    await server.stop('SIGQUIT');
    const waiting = [away.write('ws_1', addOne('ws_1')), getTokens(away, 'ws_2')];
    await pause(200);
    await server.start();
    expect(await Promise.all(waiting)).toEqual([before! + 1, 0]);
  });

  it('neither loses nor repeats a transaction whose reply was lost', async () => {
    const before = (await getTokens(away, 'ws_1'))!;
    let answeredWrites = 0;
    const writers = Array.from({ length: 8 }, async () => {
      for (let at = 0; at < 60; at += 1) {
        await away.write('ws_1', addOne('ws_1'));
        answeredWrites += 1;
      }
    });
    const killer = (async () => {
      for (let at = 0; at < 12; at += 1) {
        await pause(15);
        await query(
          server.url('postgres'),
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL',
        );
      }
    })();
    await Promise.all([...writers, killer]);
    expect(answeredWrites).toBe(480);
    expect(await getTokens(away, 'ws_1')).toBe(before + 480);
  });

  it('rejects as unavailable when it stays away', async () => {
    const impatient = openDatabase({ url: server.url('postgres'), ...OPTIONS, waitMillis: 300 });
    await server.stop('SIGQUIT');
    await expect(getTokens(impatient, 'ws_1')).rejects.toThrow(StorageUnavailable);
    await expect(impatient.write('ws_1', addOne('ws_1'))).rejects.toThrow(StorageUnavailable);
    await impatient.close();
    await server.start();
  });
});
