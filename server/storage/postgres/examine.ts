import type { Client } from 'pg';
import { findPending, IncompatibleDatabase, readMigrations } from '../migrations.ts';
import { readApplied, tableExists, withConnection } from './client.ts';
import { SCHEMA } from './connections.ts';
import { MIGRATIONS_AHEAD_MAX, MIGRATIONS_FOLDER, PROGRESS_TABLE, VERSION_MIN } from './migrate.ts';

type Standby = {
  name: string;
  isSynchronous: boolean;
  /** Undefined when the role may not see it. */
  lagSeconds: number | undefined;
};

/** What a server and its database report about themselves. */
export type PostgresReport = {
  major: number;
  /** The oldest version that is supported. */
  majorMin: number;
  encoding: string;
  role: string;
  /** Superusers and roles with BYPASSRLS see the rows of all workspaces. */
  isUnbound: boolean;
  ownsTables: boolean;
  isStandby: boolean;
  /** The server's clock minus this machine's. */
  clockMillis: number;
  connectionsMax: number;
  /** `off` loses acknowledged writes. */
  settings: Readonly<Record<'fsync' | 'full_page_writes' | 'synchronous_commit', string>>;
  /** Empty when commits wait for no standby. */
  synchronousStandbyNames: string;
  standbys: readonly Standby[];
  isMoving: boolean;
  migrations: {
    pending: number;
    ahead: number;
    /** Why this version cannot use the database. */
    incompatibility: string | undefined;
  };
};

/** @throws StorageUnavailable when the server cannot be reached. */
export async function examinePostgres(url: string): Promise<PostgresReport> {
  return withConnection(url, CLIENT, async (client) => ({
    ...(await readServer(client)),
    standbys: await readStandbys(client),
    isMoving: await tableExists(client, PROGRESS_TABLE),
    migrations: await compareMigrations(client),
  }));
}

/** Returns the lag of a replica in seconds. @throws StorageUnavailable when it cannot be reached. */
export async function readReplicaLag(url: string): Promise<number> {
  const { rows } = await withConnection(url, CLIENT, (client) =>
    client.query<{ seconds: number }>(REPLICA_LAG),
  );
  return rows[0]!.seconds;
}

/** Without new commits, the time of the last commit does not show the lag. */
export const REPLICA_LAG = `SELECT CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
  THEN 0 ELSE greatest(0, extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())) END::float8 AS seconds`;

const RESPONSE_MILLIS = 5_000;
const CLIENT = {
  application_name: 'guidepost doctor',
  connectionTimeoutMillis: RESPONSE_MILLIS,
  query_timeout: RESPONSE_MILLIS,
};

const SERVER = `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding,
    current_user AS role, (rolsuper OR rolbypassrls) AS "isUnbound", pg_is_in_recovery() AS "isStandby",
    EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('${SCHEMA}') AND relowner = pg_roles.oid) AS "ownsTables",
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS "connectionsMax",
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('synchronous_standby_names') AS "synchronousStandbyNames"
  FROM pg_roles WHERE rolname = current_user`;

type ServerReport = Omit<PostgresReport, 'standbys' | 'isMoving' | 'migrations'>;
type ServerRow = Omit<ServerReport, 'majorMin' | 'clockMillis' | 'settings'> & PostgresReport['settings'];

async function readServer(client: Client): Promise<ServerReport> {
  const { rows } = await client.query<ServerRow>(SERVER);
  const { fsync, full_page_writes, synchronous_commit, ...server } = rows[0]!;
  return {
    ...server,
    majorMin: VERSION_MIN,
    clockMillis: await compareClocks(client),
    settings: { fsync, full_page_writes, synchronous_commit },
  };
}

const CLOCK_READINGS = 5;

/** Returns the server's clock minus this one. The quickest of several readings says it: a busy machine delays others. */
async function compareClocks(client: Client): Promise<number> {
  let quickest = { millis: Number.POSITIVE_INFINITY, difference: 0 };
  for (let reading = 0; reading < CLOCK_READINGS; reading += 1) {
    const sentAt = Date.now();
    const { rows } = await client.query<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    );
    const receivedAt = Date.now();
    const millis = receivedAt - sentAt;
    if (millis < quickest.millis)
      quickest = { millis, difference: Math.round(rows[0]!.now - (sentAt + receivedAt) / 2) };
  }
  return quickest.difference;
}

async function readStandbys(client: Client): Promise<Standby[]> {
  const { rows } = await client.query<{ name: string; sync: string | null; lag: number | null }>(
    `SELECT application_name AS name, sync_state AS sync, extract(epoch FROM replay_lag)::float8 AS lag FROM pg_stat_replication`,
  );
  return rows.map(({ name, sync, lag }) => ({
    name,
    isSynchronous: sync === 'sync' || sync === 'quorum',
    lagSeconds: lag ?? undefined,
  }));
}

async function compareMigrations(client: Client): Promise<PostgresReport['migrations']> {
  const migrations = readMigrations(MIGRATIONS_FOLDER, '.pgsql');
  const applied = await readApplied(client);
  const difference = {
    pending: Math.max(0, migrations.length - applied.length),
    ahead: Math.max(0, applied.length - migrations.length),
  };
  try {
    findPending(applied, migrations, MIGRATIONS_AHEAD_MAX);
    return { ...difference, incompatibility: undefined };
  } catch (error) {
    if (error instanceof IncompatibleDatabase) return { ...difference, incompatibility: error.message };
    throw error;
  }
}
