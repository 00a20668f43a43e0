import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { type Harness, openHarness, textOf } from '../harness.ts';
import { migratedDatabase, type TestDatabase } from './databases.ts';
import { type RedisServer, startRedis } from './servers.ts';

describe('the service on PostgreSQL', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let one: Harness;
  let other: Harness;

  beforeAll(async () => {
    database = await migratedDatabase();
    redis = await startRedis();
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      GUIDEPOST_SECRET: randomBytes(32).toString('base64url'),
      METRICS_TOKEN: 'metrics of a test',
    };
    one = await openHarness({ env });
    other = await openHarness({ env });
  });

  afterAll(async () => {
    await one.close();
    await other.close();
    await redis.remove();
    await database.drop();
  });

  it('answers at one node what was published at another, and continues its conversations', async () => {
    const { jwt } = await one.boot();
    expect(textOf(await one.ask(jwt))).toContain('password');
    const events = await other.ask(jwt, { turn_idx: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'message_end' });
    expect(events[0]).toMatchObject({ type: 'message_start', conversation_rotated: false });
    const { conversations } = one.service.store.in(one.workspace.id);
    expect((await conversations.turns('conv-of-a-test', 10)).map(({ state }) => state)).toStrictEqual([
      'complete',
      'complete',
    ]);
  });

  it('says that it is ready, and shows its connections', async () => {
    const ready = await one.fetch('/readyz');
    expect(await ready.json()).toMatchObject({ status: 'ready', migration: '0001_initial', problems: [] });
    const metrics = await one.fetch('/metrics', { headers: { authorization: 'Bearer metrics of a test' } });
    const text = await metrics.text();
    expect(text).toMatch(/guidepost_database_connections\{state="idle"\} \d/);
    expect(text).toMatch(/guidepost_database_transactions_total [1-9]/);
  });

  it('runs its background jobs', async () => {
    await one.service.tick();
    await other.service.tick();
    const failed = [...one.logged, ...other.logged].filter(({ level }) => Number(level) >= 40);
    expect(failed).toStrictEqual([]);
  });

  it('does not start without Redis, unless there is one node', () => {
    const env = { DATABASE_URL: database.url };
    expect(() => readConfig(env)).toThrow(/REDIS_URL.*SINGLE_NODE=on/);
    expect(readConfig({ ...env, SINGLE_NODE: 'on' }).database.postgres).toMatchObject({
      url: database.url,
      poolMax: 20,
      pooler: 'direct',
    });
  });
});
