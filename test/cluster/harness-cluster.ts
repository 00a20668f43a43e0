/** PostgreSQL and Redis behind the servers of test/harness.ts, in the `cluster-http` project. */
import { execFileSync } from 'node:child_process';
import { migratedDatabase, type TestDatabase } from './databases.ts';
import { findProgram, type RedisServer, startRedis } from './servers.ts';

export const onCluster = process.env.HARNESS_CLUSTER === 'on';
/** For tests of behavior that only SQLite has: `it.runIf(onSqlite)`. */
export const onSqlite = !onCluster;

/** By data folder: a server that is started again on its folder finds its database. */
const databases = new Map<string, TestDatabase>();
let starting: Promise<RedisServer> | undefined;
let redis: RedisServer | undefined;

/** The environment of a server whose other data is in the folder. Redis keys begin with the id of the folder's keys. */
export async function toCluster(dataDir: string): Promise<Record<string, string>> {
  starting ??= startRedis();
  redis = await starting;
  const database = databases.get(dataDir) ?? (await migratedDatabase());
  databases.set(dataDir, database);
  return { DATABASE_URL: database.url, REDIS_URL: redis.url, DATABASE_POOL_MAX: '8' };
}

/** The database of a server that runs on PostgreSQL. */
export const findDatabase = (dataDir: string) => databases.get(dataDir);

export async function dropCluster(dataDir: string): Promise<void> {
  const database = databases.get(dataDir);
  databases.delete(dataDir);
  await database?.drop();
}

const END_EARLIER = `
for _, key in ipairs(redis.call('KEYS', 'guidepost:*:w:*')) do
  redis.call('PEXPIRE', key, redis.call('PTTL', key) - tonumber(ARGV[1]))
end`;

/** Redis has its own clock, so rate windows end early instead of time passing. Blocking, because the test clock moves at once. */
export function endWindowsEarlier(millis: number): void {
  if (!redis || millis <= 0) return;
  execFileSync(findProgram('redis-cli'), [
    '-p',
    String(redis.port),
    'EVAL',
    END_EARLIER,
    '0',
    String(millis),
  ]);
}
