import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { type Config, type PostgresConfig, readConfig } from '../config.ts';
import type { PostgresFacts } from '../storage/postgres/examine.ts';
import { examineSqlite } from '../storage/sqlite/examine.ts';
import { keyFileIn } from '../tokens/key-ring.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

/** Problems must be repaired; warnings should be. The message says what to do. */
type Finding = {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
};

type Judge = (check: string, message: string, status?: Finding['status']) => void;

export function addDoctor(program: Command, terminal: Terminal): void {
  addCommand(program, 'doctor', 'Check the settings, the database and Redis, and say what to repair.')
    .addHelpText(
      'after',
      '\nChanges nothing, and works while servers run. Fails when there is a problem; warnings are no failure.',
    )
    .action((options: { readonly json?: boolean }) => examine(terminal, options));
}

async function examine(terminal: Terminal, options: { readonly json?: boolean }): Promise<void> {
  const config = readConfig(terminal.env);
  const findings: Finding[] = [];
  const judge: Judge = (check, message, status = 'ok') => void findings.push({ check, status, message });
  const { postgres } = config.database;
  if (postgres) await judgePostgres(postgres, judge);
  else judgeFile(config, judge);
  judgeKeys(config, judge);
  await judgeRedis(config, judge);
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const lines = findings.map(
    ({ check, status, message }) => `${status.padEnd(8)} ${check.padEnd(12)} ${message}`,
  );
  print(terminal, options, { ok: problems === 0, findings }, lines.join('\n'));
  if (problems > 0)
    throw new CommandFailed(problems === 1 ? 'There is a problem.' : `There are ${problems} problems.`);
}

const FREE_BYTES_MIN = 64 * 1024 * 1024;
const toMegabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;

function judgeFile({ database: { file } }: Config, judge: Judge): void {
  if (!existsSync(file)) {
    judge(
      'database',
      `There is no database at ${file}: set DATA_DIR to the data folder, or start the server to create one.`,
      'problem',
    );
    return;
  }
  const facts = examineSqlite(file);
  if (facts.damage !== undefined)
    judge(
      'database',
      `${file} is damaged (${facts.damage}): stop the server and restore a backup with \`guidepost restore\`.`,
      'problem',
    );
  else if (facts.refusal !== undefined) judge('database', `${facts.refusal}.`, 'problem');
  else judge('database', `${file} is sound (${toMegabytes(facts.bytes)}).`);
  if (facts.missingSince !== undefined)
    judge(
      'commits',
      `The database lacks commits from before ${facts.missingSince}: it is an older copy, or its log was cut. Restore a newer backup, or go on without them.`,
      'problem',
    );
  if (facts.isOpenToOthers)
    judge('permissions', `Other users may read ${file}: run \`chmod 600 ${file}\`.`, 'warning');
  else judge('permissions', 'Only the owner may read the database.');
  const free = `${toMegabytes(facts.freeBytes)} are free on the disk`;
  if (facts.freeBytes < FREE_BYTES_MIN)
    judge('disk', `${free}: writes will fail soon. Make room.`, 'problem');
  else if (facts.freeBytes < facts.bytes)
    judge(
      'disk',
      `${free}, less than the database takes: make room, or write backups to another disk.`,
      'warning',
    );
  else judge('disk', `${free}.`);
}

function judgeKeys({ dataDir, secrets, redisUrl, database: { postgres } }: Config, judge: Judge): void {
  const file = keyFileIn(dataDir);
  if (postgres && secrets.length === 0) {
    judge(
      'keys',
      'The keys of visitors are in DATA_DIR, so every node has its own: set the same GUIDEPOST_SECRET on all nodes.',
      // Without Redis there is one node.
      redisUrl === undefined ? 'warning' : 'problem',
    );
  } else if (secrets.length === 0 && !existsSync(file)) {
    judge('keys', 'There are no keys of visitors yet: the first start makes them.');
  } else if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) {
    judge('keys', `Other users may read the keys of visitors: run \`chmod 600 ${file}\`.`, 'problem');
  } else
    judge(
      'keys',
      secrets.length > 0
        ? 'The keys of visitors are sealed in the database.'
        : 'Only the owner may read the keys of visitors.',
    );
}

async function judgePostgres(postgres: PostgresConfig, judge: Judge): Promise<void> {
  const { examinePostgres } = await import('../storage/postgres/examine.ts');
  let facts: PostgresFacts;
  try {
    facts = await examinePostgres(postgres.url);
  } catch (error) {
    judge(
      'database',
      `PostgreSQL cannot be used: ${(error as Error).message}. Check DATABASE_URL, the network and the server's log.`,
      'problem',
    );
    return;
  }
  judgeServer(facts, judge);
  judgeSchema(facts, judge);
  judgeRole(facts, judge);
  judgeStandbys(facts, judge);
  judgeConnections(facts, postgres, judge);
  if (postgres.readUrl !== undefined) await judgeReplica(postgres.readUrl, judge);
}

const CLOCK_MILLIS_MAX = 1_000;

function judgeServer(
  { major, majorMin, encoding, isStandby, clockMillis, settings }: PostgresFacts,
  judge: Judge,
): void {
  if (major < majorMin)
    judge('version', `PostgreSQL ${major} is too old: update it to ${majorMin} or later.`, 'problem');
  else judge('version', `PostgreSQL ${major}.`);
  if (encoding !== 'UTF8')
    judge('encoding', `The database is encoded in ${encoding}: create one with ENCODING 'UTF8'.`, 'problem');
  if (isStandby)
    judge(
      'primary',
      'DATABASE_URL leads to a standby, which accepts no writes: name the primary.',
      'problem',
    );
  const lossy = Object.entries(settings).filter(([, value]) => value === 'off');
  for (const [name] of lossy)
    judge('settings', `${name} is off, so a crash loses acknowledged writes: set it to on.`, 'problem');
  if (lossy.length === 0) judge('settings', 'Commits reach the disk before they are acknowledged.');
  const skew = `The server's clock differs from this one by ${Math.abs(clockMillis)} ms`;
  if (Math.abs(clockMillis) > CLOCK_MILLIS_MAX)
    judge('clock', `${skew}: synchronize both with NTP.`, 'warning');
  else judge('clock', `${skew}.`);
}

function judgeSchema(
  { isMoving, migrations: { pending, ahead, refusal } }: PostgresFacts,
  judge: Judge,
): void {
  if (isMoving)
    judge('schema', 'A move into the database has not finished: run `guidepost move` again.', 'problem');
  else if (refusal !== undefined) judge('schema', `${refusal}.`, 'problem');
  else if (pending > 0)
    judge(
      'schema',
      `${pending} migrations are pending: the next server that starts applies them.`,
      'warning',
    );
  else if (ahead > 0)
    judge(
      'schema',
      'A newer version has migrated the database, which this one accepts: update this one too.',
      'warning',
    );
  else judge('schema', 'The schema is that of this version.');
}

function judgeRole({ role, isUnbound, ownsTables }: PostgresFacts, judge: Judge): void {
  if (isUnbound) {
    judge(
      'role',
      `${role} is a superuser or has BYPASSRLS, so nothing separates the rows of workspaces: use a role without.`,
      'problem',
    );
  } else if (ownsTables) {
    judge(
      'role',
      `${role} owns the tables and may change logs: create a role that owns nothing, set it in DATABASE_URL, and ${role} in DATABASE_OWNER_URL.`,
      'warning',
    );
  } else judge('role', `${role} owns nothing.`);
}

const LAG_SECONDS_MAX = 10;

function judgeStandbys({ standbys, synchronousStandbyNames, isStandby }: PostgresFacts, judge: Judge): void {
  if (isStandby) return;
  const synchronous = standbys.filter(({ isSynchronous }) => isSynchronous);
  for (const { name, lagSeconds } of standbys) {
    if (lagSeconds !== undefined && lagSeconds > LAG_SECONDS_MAX)
      judge(
        'standby',
        `${name} is ${Math.round(lagSeconds)} s behind: look at its load and network.`,
        'warning',
      );
  }
  if (synchronousStandbyNames !== '' && standbys.length === 0) {
    judge(
      'standby',
      'Commits wait for a synchronous standby, and none is connected: start it, or empty synchronous_standby_names.',
      'problem',
    );
  } else if (standbys.length === 0) {
    judge('standby', 'No standby is connected, so backups alone outlive the server: add one.', 'warning');
  } else if (synchronousStandbyNames === '') {
    judge(
      'standby',
      'No standby is synchronous, so a failover may lose acknowledged writes: set synchronous_standby_names.',
      'warning',
    );
  } else
    judge('standby', `${standbys.length} connected, ${synchronous.length} of them known as synchronous.`);
}

function judgeConnections(
  { connectionsMax }: PostgresFacts,
  { poolMax, pooler }: PostgresConfig,
  judge: Judge,
): void {
  const nodes = Math.floor(connectionsMax / poolMax);
  if (pooler === 'transaction') judge('connections', 'The pooler limits the connections to the server.');
  else if (nodes === 0)
    judge(
      'connections',
      `DATABASE_POOL_MAX is ${poolMax}, and the server allows ${connectionsMax}: lower it, or raise max_connections.`,
      'problem',
    );
  else if (nodes < 2)
    judge(
      'connections',
      `The server's ${connectionsMax} connections are enough for one node with ${poolMax}: lower DATABASE_POOL_MAX, or raise max_connections.`,
      'warning',
    );
  else
    judge(
      'connections',
      `The server's ${connectionsMax} connections are enough for ${nodes} nodes with ${poolMax} each.`,
    );
}

async function judgeReplica(url: string, judge: Judge): Promise<void> {
  const { readReplicaLag } = await import('../storage/postgres/examine.ts');
  try {
    const seconds = await readReplicaLag(url);
    const text = `The replica of DATABASE_READ_URL is ${Math.round(seconds)} s behind`;
    if (seconds > LAG_SECONDS_MAX) judge('replica', `${text}: look at its load and network.`, 'warning');
    else judge('replica', `${text}.`);
  } catch (error) {
    judge(
      'replica',
      `The replica cannot be used: ${(error as Error).message}. Exports read the primary meanwhile.`,
      'warning',
    );
  }
}

async function judgeRedis({ redisUrl }: Config, judge: Judge): Promise<void> {
  if (redisUrl === undefined) return;
  const { examineRedis } = await import('../coordination/redis/examine.ts');
  try {
    const { version, isPrimary, eviction } = await examineRedis(redisUrl);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < 6 || (major === 6 && minor < 2))
      judge('redis', `Redis ${version} is too old: update it to 6.2 or later.`, 'problem');
    else if (!isPrimary)
      judge('redis', 'REDIS_URL leads to a replica, which accepts no writes: name the primary.', 'problem');
    else if (eviction !== undefined && eviction !== 'noeviction')
      judge(
        'redis',
        `Redis removes keys when its memory is full (${eviction}), and limits with them: set maxmemory-policy to noeviction.`,
        'warning',
      );
    else judge('redis', `Redis ${version}.`);
  } catch (error) {
    judge(
      'redis',
      `Redis cannot be used: ${(error as Error).message}. Limits and answers are those of each node meanwhile; check REDIS_URL.`,
      'problem',
    );
  }
}
