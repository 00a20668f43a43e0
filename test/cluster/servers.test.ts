import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres, startRedis } from '../support/cluster/servers.ts';

describe('the servers of these tests', () => {
  it('keep the rows of PostgreSQL when it is stopped and started again', async () => {
    const server = await startPostgres();
    const query = async (text: string) => {
      const client = new pg.Client(server.url('postgres'));
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    };
    await query('CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
    await server.stop();
    await expect(query('SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
    await server.start();
    expect(await query('SELECT n FROM kept')).toStrictEqual([{ n: 7 }]);
    await server.remove();
  });

  it('start Redis again on the same port', async () => {
    const server = await startRedis();
    await server.stop('SIGKILL');
    await server.start();
    expect(server.url).toBe(`redis://127.0.0.1:${server.port}`);
    await server.remove();
  });
});
