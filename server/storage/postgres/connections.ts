/** Connections to PostgreSQL: a few that many reads share, and a pool for transactions. */
import { setTimeout as pause } from 'node:timers/promises';
import pg, { type Client, type PoolClient, type QueryArrayResult } from 'pg';
import { StorageUnavailable } from '../availability.ts';
import type { Statement } from '../database.ts';
import { asStorageError, classify } from './errors.ts';
import { toQuery } from './portable.ts';

export type PostgresOptions = {
  url: string;
  /** URL of a replica, for exports; without it they read the primary. */
  readUrl?: string | undefined;
  /** The maximum number of connections of this process, without replicas. */
  poolMax: number;
  /** `transaction` where a pooler gives each transaction another connection. */
  pooler: 'direct' | 'transaction';
  /** How long a read or write waits for a connection, a lock, or an unreachable server. */
  waitMillis: number;
};

/** The visibility of a transaction that is not bound to a workspace. */
export const ALL_WORKSPACES = '*';
export const SCHEMA = 'guidepost';
/** The nodes' application_name in pg_stat_activity. */
export const APPLICATION = 'guidepost';

const SHARED_MAX = 4;
const STATEMENT_MILLIS = 30_000;
/** How long to wait for a response: longer than the server's own limit, so it only ends cut-off connections. */
const RESPONSE_MILLIS = STATEMENT_MILLIS + 5_000;
const FIRST_RETRY_MILLIS = 25;
const RETRY_MILLIS_MAX = 400;

function toClientConfig({ pooler, waitMillis }: PostgresOptions, url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: APPLICATION,
    connectionTimeoutMillis: waitMillis,
    query_timeout: RESPONSE_MILLIS,
    keepAlive: true,
    pipeline: true,
    // Poolers reject connection options, so each transaction sets them.
    ...(pooler === 'direct' && {
      statement_timeout: STATEMENT_MILLIS,
      lock_timeout: waitMillis,
      idle_in_transaction_session_timeout: STATEMENT_MILLIS,
      options: `-c search_path=${SCHEMA}`,
    }),
  };
}

/** Sets the workspace whose rows a transaction may see ($1), and settings that the connection lacks. */
export function toSettings({ pooler, waitMillis }: PostgresOptions): string {
  const settings = ["set_config('guidepost.workspace', $1, true)"];
  if (pooler === 'transaction') {
    settings.push(
      `set_config('search_path', '${SCHEMA}', true)`,
      `set_config('lock_timeout', '${waitMillis}', true)`,
      `set_config('statement_timeout', '${STATEMENT_MILLIS}', true)`,
    );
  }
  return settings.join(', ');
}

type AnyStatement = Pick<Statement<unknown, never>, 'query'>;

export type SharedReads = {
  run(workspaceId: string, statement: AnyStatement, values: object): Promise<QueryArrayResult<unknown[]>>;
  close(): Promise<void>;
};

type SharedConnection = {
  connected: Promise<Client> | undefined;
  pending: number;
  /** The workspace that the connection sees once all sent statements have run. */
  workspaceId: string | undefined;
};

/** Single statements of many callers, pipelined on a few connections. */
export function openSharedReads(options: PostgresOptions, url: string): SharedReads {
  const count = toSharedCount(options.poolMax);
  const shared: SharedConnection[] = Array.from({ length: count }, () => ({
    connected: undefined,
    pending: 0,
    workspaceId: undefined,
  }));
  const isDirect = options.pooler === 'direct';
  let isClosed = false;

  async function send(slot: SharedConnection, workspaceId: string, statement: AnyStatement, values: object) {
    slot.connected ??= connect(slot, options, url);
    const client = await slot.connected;
    if (!isDirect) return sendAsTransaction(client, options, workspaceId, statement, values);
    // Both queries are sent together, so no other caller's statement gets between them.
    if (slot.workspaceId !== workspaceId) {
      slot.workspaceId = workspaceId;
      client.query(SET_WORKSPACE, [workspaceId]).catch(() => undefined);
    }
    return client.query<unknown[]>(toQuery(statement, values, true));
  }

  return {
    async run(workspaceId, statement, values) {
      return retryWhileUnavailable(options.waitMillis, async () => {
        if (isClosed) throw new StorageUnavailable('the database is closed');
        const slot = shared.reduce((least, other) => (other.pending < least.pending ? other : least));
        slot.pending += 1;
        try {
          return await send(slot, workspaceId, statement, values);
        } finally {
          slot.pending -= 1;
        }
      });
    },
    async close() {
      isClosed = true;
      const clients = await Promise.allSettled(shared.map(({ connected }) => connected));
      await Promise.all(clients.map((client) => client.status === 'fulfilled' && client.value?.end()));
    },
  };
}

function connect(slot: SharedConnection, options: PostgresOptions, url: string): Promise<Client> {
  const client = new pg.Client(toClientConfig(options, url));
  const drop = () => {
    if (slot.connected === connected) Object.assign(slot, { connected: undefined, workspaceId: undefined });
  };
  client.on('error', drop);
  client.on('end', drop);
  const connected = client.connect().then(
    () => client,
    (error) => {
      drop();
      throw error;
    },
  );
  return connected;
}

async function sendAsTransaction(
  client: Client,
  options: PostgresOptions,
  workspaceId: string,
  statement: AnyStatement,
  values: object,
): Promise<QueryArrayResult<unknown[]>> {
  const [, , result] = await Promise.all([
    client.query('BEGIN READ ONLY'),
    client.query(`SELECT ${toSettings(options)}`, [workspaceId]),
    client.query<unknown[]>(toQuery(statement, values, false)),
    client.query('COMMIT'),
  ]);
  return result;
}

const SET_WORKSPACE = `SELECT set_config('guidepost.workspace', $1, false)`;

/** Returns the number of connections that reads share. */
export function toSharedCount(poolMax: number): number {
  return Math.max(1, Math.min(SHARED_MAX, Math.floor(poolMax / 4)));
}

export function openPool(options: PostgresOptions, url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ ...toClientConfig(options, url), max });
  // Ignored: a connection that breaks fails its queries, and the pool itself drops a broken idle connection.
  const ignore = () => undefined;
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

/** Runs the work on a pooled connection, which is closed if the work fails because of the connection or server. */
export async function withClient<T>(pool: pg.Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(classify(error) !== 'other' && classify(error) !== 'conflict');
    throw error;
  }
}

/** Retries for a limited time while the server is unreachable, as in a failover. Only for work that may run twice. */
export async function retryWhileUnavailable<T>(waitMillis: number, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + waitMillis;
  for (let wait = FIRST_RETRY_MILLIS; ; wait = Math.min(2 * wait, RETRY_MILLIS_MAX)) {
    try {
      return await work();
    } catch (error) {
      const failure = classify(error);
      const mayTryAgain = failure === 'conflict' || failure === 'lost';
      if (!mayTryAgain || performance.now() + wait > until) throw asStorageError(error);
      await pause(failure === 'conflict' ? Math.random() * wait : wait);
    }
  }
}
