/** PostgreSQL and Redis behind the servers of test/support/harness.ts, in the `cluster-http` project. */
import { execFileSync } from 'node:child_process';
import { findProgram } from '../debian.ts';
import { migratedDatabase, type TestDatabase } from './databases.ts';
import { type RedisServer, startRedis } from './servers.ts';

export const onCluster = process.env.HARNESS_CLUSTER === 'on';
/** Selects SQLite for tests of behavior that only it has: `it.runIf(onSqlite)`. */
export const onSqlite = !onCluster;

/** Databases by data folder, so that a server that is started again on its folder finds its own. */
const databases = new Map<string, TestDatabase>();
let starting: Promise<RedisServer> | undefined;
let redis: RedisServer | undefined;

/** Returns the environment of a server with this data folder. Redis keys begin with the id of the folder's key ring. */
export async function toCluster(dataDir: string): Promise<Record<string, string>> {
  starting ??= startRedis();
  redis = await starting;
  const database = databases.get(dataDir) ?? (await migratedDatabase());
  databases.set(dataDir, database);
  return { DATABASE_URL: database.url, REDIS_URL: redis.url, DATABASE_POOL_MAX: '8' };
}

/** Returns the database of a server that runs on PostgreSQL. */
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

/** Ends rate windows early, because Redis has its own clock. Blocks, because the test clock moves at once. */
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
