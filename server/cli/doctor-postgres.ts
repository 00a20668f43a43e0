import type { PostgresConfig } from '../settings/config.ts';
import type { PostgresReport } from '../storage/postgres/examine.ts';
import type { Judge } from './finding.ts';

export async function judgePostgres(postgres: PostgresConfig, judge: Judge): Promise<void> {
  const { examinePostgres } = await import('../storage/postgres/examine.ts');
  let facts: PostgresReport;
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
  { major, majorMin, encoding, isStandby, clockMillis, settings }: PostgresReport,
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
    judge('durability', `${name} is off, so a crash loses acknowledged writes: set it to on.`, 'problem');
  if (lossy.length === 0) judge('durability', 'Commits reach the disk before they are acknowledged.');
  const skew = `The server's clock differs from this one by ${Math.abs(clockMillis)} ms`;
  if (Math.abs(clockMillis) > CLOCK_MILLIS_MAX)
    judge('database clock', `${skew}: synchronize both with NTP.`, 'warning');
  else judge('database clock', `${skew}.`);
}

function judgeSchema(
  { isMoving, migrations: { pending, ahead, incompatibility } }: PostgresReport,
  judge: Judge,
): void {
  if (isMoving)
    judge('schema', 'A move into the database has not finished: run `guidepost move` again.', 'problem');
  else if (incompatibility !== undefined) judge('schema', `${incompatibility}.`, 'problem');
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

function judgeRole({ role, isUnbound, ownsTables }: PostgresReport, judge: Judge): void {
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

function judgeStandbys({ standbys, synchronousStandbyNames, isStandby }: PostgresReport, judge: Judge): void {
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
  { connectionsMax }: PostgresReport,
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
