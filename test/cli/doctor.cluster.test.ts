import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS_FOLDER, migrate } from '../../server/storage/postgres/migrate.ts';
import { migratedDatabase, query, type TestDatabase } from '../support/cluster/databases.ts';
import {
  type PostgresServer,
  type RedisServer,
  startPostgres,
  startRedis,
} from '../support/cluster/servers.ts';
import { commandLine } from '../support/command-line.ts';
import { tempDir } from '../support/temp-dir.ts';

type Finding = { check: string; status: string; message: string };
type Env = Readonly<Record<string, string>>;

const SECRET = 'kT3vXw9qLzR7mB5nHc2dYg8fJp4sVaUe';

let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function examine(env: Env): Promise<{ ok: boolean; of(check: string): Finding[] }> {
  const cli = commandLine(join(folder, 'data'), Date.now, {
    SINGLE_NODE: 'on',
    GUIDEPOST_SECRET: SECRET,
    ...env,
  });
  const { code, stdout } = await cli.runInProcess(['doctor', '--json']);
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect(code).toBe(ok ? 0 : 1);
  return { ok, of: (check) => findings.filter((finding) => finding.check === check) };
}

const problem = (message: RegExp) => [{ status: 'problem', message: expect.stringMatching(message) }];
const warning = (message: RegExp) => [{ status: 'warning', message: expect.stringMatching(message) }];

describe('guidepost doctor on a durable server', () => {
  let server: PostgresServer;
  let ownerUrl: string;
  let url: string;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: true, settings: { max_connections: 43 } });
    for (const role of ['guidepost_owner', 'guidepost_app'])
      await query(server.url('postgres'), `CREATE ROLE ${role} LOGIN`);
    await query(server.url('postgres'), 'CREATE DATABASE shop OWNER guidepost_owner');
    [ownerUrl, url] = [server.url('shop', 'guidepost_owner'), server.url('shop', 'guidepost_app')];
    await migrate({ url, ownerUrl });
  });
  afterAll(() => server.remove());

  it('finds no problem', async () => {
    const { ok, of } = await examine({ DATABASE_URL: url, DATABASE_READ_URL: url });
    expect(ok).toBe(true);
    for (const check of [
      'version',
      'durability',
      'database clock',
      'schema',
      'role',
      'connections',
      'replica',
      'keys',
    ])
      expect(of(check), check).toMatchObject([{ status: 'ok' }]);
    expect(of('standby')).toMatchObject(warning(/No standby is connected/));
  });

  it('reads the identity providers of workspaces and the kill switch', async () => {
    const env = { SINGLE_NODE: 'on', GUIDEPOST_SECRET: SECRET, DATABASE_URL: url };
    const cli = commandLine(join(folder, 'data'), Date.now, env);
    const names = ['--name', 'Shop', '--domain', 'https://shop.example', '--owner-email', 'ana@shop.example'];
    expect(await cli.runInProcess(['workspace', 'create', ...names])).toMatchObject({ code: 0 });
    const shop = server.url('shop');
    await query(shop, `INSERT INTO guidepost.feature_flags VALUES ('kill_switch', 1, 0)`);
    await query(
      shop,
      `INSERT INTO guidepost.identity_providers SELECT id, 'https://127.0.0.1:9', 'a', 'b', 'optional', 'member', 'c', '[]', 0
       FROM guidepost.workspaces`,
    );
    const { of } = await examine({ DATABASE_URL: url });
    expect(of('settings')).toMatchObject([{ status: 'ok' }, ...warning(/The kill switch is on/)]);
    expect(of('sign-in')).toMatchObject(warning(/of the workspace ws_\w+ does not answer/));
  });

  it('fails when commits wait for a standby that is not there', async () => {
    await query(server.url('shop'), `ALTER SYSTEM SET synchronous_standby_names = 'other'`);
    await query(server.url('shop'), 'SELECT pg_reload_conf()');
    await expect
      .poll(async () => (await examine({ DATABASE_URL: url })).of('standby'))
      .toMatchObject(problem(/Commits wait for a synchronous standby/));
    await query(server.url('shop'), 'ALTER SYSTEM RESET synchronous_standby_names');
    await query(server.url('shop'), 'SELECT pg_reload_conf()');
  });

  it('judges the pool against the connections that the server allows', async () => {
    const pool = async (max: string) =>
      (await examine({ DATABASE_URL: url, DATABASE_POOL_MAX: max })).of('connections');
    expect(await pool('41')).toMatchObject(problem(/allows 40: lower it/));
    expect(await pool('30')).toMatchObject(warning(/enough for one node/));
    expect(await pool('20')).toMatchObject([{ status: 'ok' }]);
  });
});

describe('guidepost doctor on PostgreSQL and Redis', () => {
  let database: TestDatabase;
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  beforeEach(async () => {
    database = await migratedDatabase();
  });
  afterEach(() => database.drop());

  it('fails when a crash loses acknowledged writes', async () => {
    const { of } = await examine({ DATABASE_URL: database.url });
    expect(of('durability').map(({ message }) => message)).toEqual([
      expect.stringContaining('fsync is off'),
      expect.stringContaining('full_page_writes is off'),
      expect.stringContaining('synchronous_commit is off'),
    ]);
  });

  it('distinguishes the role that owns the tables from one that sees all rows', async () => {
    expect((await examine({ DATABASE_URL: database.ownerUrl })).of('role')).toMatchObject(
      warning(/DATABASE_OWNER_URL/),
    );
    expect((await examine({ DATABASE_URL: database.superuserUrl })).of('role')).toMatchObject(
      problem(/superuser/),
    );
  });

  it('accepts a schema one migration ahead and fails on two, or on an altered one', async () => {
    const migrations = join(folder, 'migrations');
    cpSync(MIGRATIONS_FOLDER, migrations, { recursive: true });
    const schema = async () => (await examine({ DATABASE_URL: database.url })).of('schema');
    for (const [name, expected] of [
      ['9998_next', warning(/newer version has migrated/)],
      ['9999_later', problem(/9999_later.*newer version/)],
    ] as const) {
      writeFileSync(join(migrations, `${name}.pgsql`), `CREATE TABLE t${name} (id bigint);`);
      await migrate({ url: database.url, ownerUrl: database.ownerUrl, folder: migrations });
      expect(await schema()).toMatchObject(expected);
    }
    await database.query(`UPDATE guidepost.migrations SET checksum = ''`);
    expect(await schema()).toMatchObject(problem(/was altered/));
    await database.query('DROP SCHEMA guidepost CASCADE');
    expect(await schema()).toMatchObject(warning(/pending/));
  });

  it('fails while the servers cannot be reached', async () => {
    const { of } = await examine({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect(of('database')).toMatchObject(problem(/cannot be used.*Check DATABASE_URL/));
    expect(of('redis')).toMatchObject(problem(/cannot be used.*check REDIS_URL/));
  });

  it('fails when each node would have its own keys', async () => {
    const env = { DATABASE_URL: database.url, GUIDEPOST_SECRET: '' };
    expect((await examine({ ...env, REDIS_URL: redis.url })).of('keys')).toMatchObject(
      problem(/GUIDEPOST_SECRET/),
    );
    expect((await examine(env)).of('keys')).toMatchObject(warning(/GUIDEPOST_SECRET/));
  });

  it('warns when Redis removes keys, and fails on a replica', async () => {
    const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    expect((await examine(env)).of('redis')).toMatchObject([{ status: 'ok' }]);
    const evicting = await startRedis(['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru']);
    const replica = await startRedis(['--replicaof', '127.0.0.1', String(redis.port)]);
    expect((await examine({ ...env, REDIS_URL: evicting.url })).of('redis')).toMatchObject(
      warning(/noeviction/),
    );
    expect((await examine({ ...env, REDIS_URL: replica.url })).of('redis')).toMatchObject(
      problem(/name the primary/),
    );
    await evicting.remove();
    await replica.remove();
  });
});
