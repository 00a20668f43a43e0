import type { PostgresConfig } from '../settings/config.ts';
import type { PostgresReport } from '../storage/postgres/examine.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export async function* checkPostgres(postgres: PostgresConfig): AsyncGenerator<Finding> {
  const { examinePostgres } = await import('../storage/postgres/examine.ts');
  let facts: PostgresReport;
  try {
    facts = await examinePostgres(postgres.url);
  } catch (error) {
    yield problem`database: PostgreSQL cannot be used: ${(error as Error).message}. Check DATABASE_URL, the network and the server's log.`;
    return;
  }
  yield* checkServer(facts);
  yield checkSchema(facts);
  yield checkRole(facts);
  yield* checkStandbys(facts);
  yield checkConnections(facts, postgres);
  if (postgres.readUrl !== undefined) yield await checkReplica(postgres.readUrl);
}

/** Whether the database has the schema of this version, so that opening it changes nothing. */
export async function isMigrated({ url }: PostgresConfig): Promise<boolean> {
  const { examinePostgres } = await import('../storage/postgres/examine.ts');
  const facts = await examinePostgres(url).catch(() => undefined);
  if (!facts || facts.isMoving) return false;
  return facts.migrations.pending === 0 && facts.migrations.incompatibility === undefined;
}

const CLOCK_MILLIS_MAX = 1_000;

function* checkServer(facts: PostgresReport): Generator<Finding> {
  const { major, majorMin, encoding, isStandby, clockMillis, settings } = facts;
  if (major < majorMin)
    yield problem`version: PostgreSQL ${major} is too old: update it to ${majorMin} or later.`;
  else yield ok`version: PostgreSQL ${major}.`;
  if (encoding !== 'UTF8')
    yield problem`encoding: The database is encoded in ${encoding}: create one with ENCODING 'UTF8'.`;
  if (isStandby)
    yield problem`primary: DATABASE_URL leads to a standby, which accepts no writes: name the primary.`;
  const lossy = Object.entries(settings).filter(([, value]) => value === 'off');
  for (const [name] of lossy)
    yield problem`durability: ${name} is off, so a crash loses acknowledged writes: set it to on.`;
  if (lossy.length === 0) yield ok`durability: Commits reach the disk before they are acknowledged.`;
  const skew = `The server's clock differs from this one by ${Math.abs(clockMillis)} ms`;
  if (Math.abs(clockMillis) > CLOCK_MILLIS_MAX)
    yield warning`database clock: ${skew}: synchronize both with NTP.`;
  else yield ok`database clock: ${skew}.`;
}

function checkSchema({ isMoving, migrations }: PostgresReport): Finding {
  const { pending, ahead, incompatibility } = migrations;
  if (isMoving)
    return problem`schema: A move into the database has not finished: run \`guidepost move\` again.`;
  if (incompatibility !== undefined) return problem`schema: ${incompatibility}.`;
  if (pending > 0)
    return warning`schema: ${pending} migrations are pending: the next server that starts applies them.`;
  if (ahead > 0)
    return warning`schema: A newer version has migrated the database, which this one accepts: update this one too.`;
  return ok`schema: The schema is that of this version.`;
}

function checkRole({ role, isUnbound, ownsTables }: PostgresReport): Finding {
  if (isUnbound)
    return problem`role: ${role} is a superuser or has BYPASSRLS, so nothing separates the rows of workspaces: use a role without.`;
  if (ownsTables)
    return warning`role: ${role} owns the tables and may change logs: create a role that owns nothing, set it in DATABASE_URL, and ${role} in DATABASE_OWNER_URL.`;
  return ok`role: ${role} owns nothing.`;
}

const LAG_SECONDS_MAX = 10;

function* checkStandbys(facts: PostgresReport): Generator<Finding> {
  const { standbys, synchronousStandbyNames, isStandby } = facts;
  if (isStandby) return;
  for (const { name, lagSeconds } of standbys) {
    if (lagSeconds !== undefined && lagSeconds > LAG_SECONDS_MAX)
      yield warning`standby: ${name} is ${Math.round(lagSeconds)} s behind: look at its load and network.`;
  }
  if (synchronousStandbyNames !== '' && standbys.length === 0)
    yield problem`standby: Commits wait for a synchronous standby, and none is connected: start it, or empty synchronous_standby_names.`;
  else if (standbys.length === 0)
    yield warning`standby: No standby is connected, so backups alone outlive the server: add one.`;
  else if (synchronousStandbyNames === '')
    yield warning`standby: No standby is synchronous, so a failover may lose acknowledged writes: set synchronous_standby_names.`;
  else {
    const synchronous = standbys.filter(({ isSynchronous }) => isSynchronous);
    yield ok`standby: ${standbys.length} connected, ${synchronous.length} of them known as synchronous.`;
  }
}

function checkConnections({ connectionsMax }: PostgresReport, { poolMax, pooler }: PostgresConfig): Finding {
  const nodes = Math.floor(connectionsMax / poolMax);
  if (pooler === 'transaction') return ok`connections: The pooler limits the connections to the server.`;
  if (nodes === 0)
    return problem`connections: DATABASE_POOL_MAX is ${poolMax}, and the server allows ${connectionsMax}: lower it, or raise max_connections.`;
  if (nodes < 2)
    return warning`connections: The server's ${connectionsMax} connections are enough for one node with ${poolMax}: lower DATABASE_POOL_MAX, or raise max_connections.`;
  return ok`connections: The server's ${connectionsMax} connections are enough for ${nodes} nodes with ${poolMax} each.`;
}

async function checkReplica(url: string): Promise<Finding> {
  const { readReplicaLag } = await import('../storage/postgres/examine.ts');
  try {
    const seconds = await readReplicaLag(url);
    const text = `The replica of DATABASE_READ_URL is ${Math.round(seconds)} s behind`;
    return seconds > LAG_SECONDS_MAX
      ? warning`replica: ${text}: look at its load and network.`
      : ok`replica: ${text}.`;
  } catch (error) {
    return warning`replica: The replica cannot be used: ${(error as Error).message}. Exports read the primary meanwhile.`;
  }
}
