import { randomBytes } from 'node:crypto';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../server/settings/config.ts';
import { MIGRATIONS_FOLDER, migrate } from '../../server/storage/postgres/migrate.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { migratedDatabase, type TestDatabase } from '../support/cluster/databases.ts';
import { type RedisServer, startRedis } from '../support/cluster/servers.ts';
import { type Harness, openHarness, textOf } from '../support/harness.ts';
import { importSeeds } from '../support/seeds.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('the service on PostgreSQL', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let env: Record<string, string>;
  let firstNode: Harness;
  let otherNode: Harness;

  beforeAll(async () => {
    database = await migratedDatabase();
    redis = await startRedis();
    env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      GUIDEPOST_SECRET: randomBytes(32).toString('base64url'),
      METRICS_TOKEN: 'metrics of a test',
      DATABASE_READ_URL: database.url,
    };
    firstNode = await openHarness({ env });
    otherNode = await openHarness({ env });
  });

  afterAll(async () => {
    await firstNode.close();
    await otherNode.close();
    await redis.remove();
    await database.drop();
  });

  it('serves content through one node that was published through another, and continues its conversations', async () => {
    const { jwt } = await firstNode.boot();
    expect(textOf(await firstNode.ask(jwt))).toContain('password');
    const events = await otherNode.ask(jwt, { turn_idx: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'message_end' });
    expect(events[0]).toMatchObject({ type: 'message_start', conversation_rotated: false });
    const { conversations } = firstNode.service.store.in(firstNode.workspace.id);
    expect((await conversations.turns('conv-of-a-test', 10)).map(({ state }) => state)).toStrictEqual([
      'complete',
      'complete',
    ]);
  });

  it('shows what one node has published in the help centre of another, within a second', async () => {
    const { store } = firstNode.service;
    const { workspace } = firstNode;
    const settings = { helpCentre: { ...HELP_CENTRE_DEFAULTS, enabled: true } };
    const read = async (path: string) =>
      (await otherNode.fetch(`/help/${workspace.appId}/en/${path}`)).text();
    await store.workspaces.change(workspace.id, { settings }, firstNode.clock.now());
    firstNode.clock.advance(1_000);
    expect(await read('gift-cards')).toContain('three years');
    const changed = {
      slug: 'gift-cards',
      locale: 'en',
      title: 'Gift cards',
      answer: 'Valid for four years.',
    };
    await importSeeds(store, workspace.id, [changed, { ...changed, slug: 'vouchers', title: 'Vouchers' }]);
    firstNode.clock.advance(1_000);
    expect(await read('gift-cards')).toContain('four years');
    expect(await read('vouchers')).toContain('four years');
  });

  it('reports that it is ready, and its connections', async () => {
    const ready = await firstNode.fetch('/readyz');
    const body = (await ready.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ status: 'ready', migration: '0001_initial', problems: [] });
    expect(body.connections).toStrictEqual({
      used: expect.any(Number),
      idle: expect.any(Number),
      waiting: 0,
    });
    const metrics = await firstNode.fetch('/metrics', {
      headers: { authorization: 'Bearer metrics of a test' },
    });
    const text = await metrics.text();
    expect(text).toMatch(/guidepost_database_connections\{state="idle"\} \d/);
    expect(text).toMatch(/guidepost_database_transactions_total [1-9]/);
    expect(text).toMatch(/guidepost_database_lock_wait_seconds_total \d/);
    expect(text).toMatch(/guidepost_database_replica_lag_seconds 0/);
  });

  it('runs beside a node of the next version, whose migration has added a column', async () => {
    const migrations = tempDir();
    cpSync(MIGRATIONS_FOLDER, migrations, { recursive: true });
    writeFileSync(
      join(migrations, '9999_next.pgsql'),
      `ALTER TABLE turns ADD COLUMN mood text NOT NULL DEFAULT 'calm';`,
    );
    await migrate({ url: database.url, ownerUrl: database.ownerUrl, folder: migrations });
    rmSync(migrations, { recursive: true });
    // An earlier node keeps running while one of this version starts.
    const nextNode = await openHarness({ env });
    for (const [index, node] of [firstNode, nextNode].entries()) {
      const { jwt } = await node.boot();
      const events = await node.ask(jwt, { conversation_id: `conv-beside-${index}` });
      expect(events.at(-1)).toMatchObject({ type: 'message_end' });
    }
    expect(await (await nextNode.fetch('/readyz')).json()).toMatchObject({
      status: 'ready',
      migration: '9999_next',
    });
    await nextNode.close();
    const moods = await database.query('SELECT DISTINCT mood FROM guidepost.turns');
    expect(moods).toStrictEqual([{ mood: 'calm' }]);
  });

  it('runs its background jobs', async () => {
    await firstNode.service.tick();
    await otherNode.service.tick();
    const failed = [...firstNode.logged, ...otherNode.logged].filter(({ level }) => Number(level) >= 40);
    expect(failed).toStrictEqual([]);
  });

  it('does not start without Redis unless it is the only node', () => {
    const env = { DATABASE_URL: database.url };
    expect(() => readConfig(env)).toThrow(/REDIS_URL.*SINGLE_NODE=on/);
    expect(readConfig({ ...env, SINGLE_NODE: 'on' }).database.postgres).toMatchObject({
      url: database.url,
      poolMax: 20,
      pooler: 'direct',
    });
  });
});
