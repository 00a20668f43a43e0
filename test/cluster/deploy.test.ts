import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { query } from '../support/cluster/databases.ts';
import { startPostgres } from '../support/cluster/servers.ts';
import { findProgram } from '../support/debian.ts';

const deploy = (name: string) => new URL(`../../deploy/${name}`, import.meta.url).pathname;

describe('the files in deploy/', () => {
  it('contain HAProxy settings that HAProxy accepts', () => {
    const files = ['haproxy.cfg', 'haproxy-postgres.cfg'].flatMap((name) => ['-f', deploy(name)]);
    const env = {
      GUIDEPOST_BIND: '127.0.0.1:8787',
      POSTGRES_BIND: '127.0.0.1:5432',
      ...Object.fromEntries(
        ['NODE_1', 'NODE_2', 'NODE_3', 'POSTGRES_1', 'POSTGRES_2'].map((name) => [name, '127.0.0.1:1']),
      ),
    };
    const { status, stderr } = spawnSync(findProgram('haproxy'), ['-c', ...files], { env, encoding: 'utf8' });
    expect(stderr).not.toContain('[WARNING]');
    expect(status, stderr).toBe(0);
  });

  it('create roles, and the role of the service owns nothing', async () => {
    const server = await startPostgres();
    const env = {
      PATH: process.env.PATH,
      PGHOST: '127.0.0.1',
      PGPORT: String(server.port),
      POSTGRES_PASSWORD: "it's secret",
    };
    const { status, stderr } = spawnSync('sh', [deploy('create-roles.sh')], { env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const owners = await query(
      server.url('postgres'),
      `SELECT r.rolname AS owner FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba WHERE d.datname = 'guidepost'`,
    );
    expect(owners).toStrictEqual([{ owner: 'guidepost_owner' }]);
    expect(await query(server.url('guidepost', 'guidepost_app'), 'SELECT 1 AS one')).toStrictEqual([
      { one: 1 },
    ]);
    await server.remove();
  });
});
