import type pg from 'pg';
import type { PoolClient, QueryArrayResult } from 'pg';
import { type ConnectionStats, StorageUnavailable } from '../availability.ts';
import type { SqlDatabase, Statement, Tx, WriteTx } from '../database.ts';
import {
  ALL_WORKSPACES,
  openPool,
  openSharedReads,
  type PostgresOptions,
  retryWhileUnavailable,
  type SharedReads,
  toSettings,
  toSharedCount,
  withClient,
} from './connections.ts';
import { classify } from './errors.ts';
import { REPLICA_LAG } from './examine.ts';
import { toQuery } from './portable.ts';
import { WriteQueue } from './write-queue.ts';

/** Time limit for a job: several round trips, but short, because a job holds its workspace's lock. */
const JOB_MILLIS = 20;

export type PostgresDatabase = SqlDatabase & {
  pool: pg.Pool;
  stats(): ConnectionStats;
  /** Returns undefined while the replica cannot be reached, or without a replica. */
  replicaLagSeconds(): Promise<number | undefined>;
  /** Runs the deferred jobs and closes all connections. */
  close(): Promise<void>;
};

export function openDatabase(options: PostgresOptions): PostgresDatabase {
  const sharedCount = toSharedCount(options.poolMax);
  const pool = openPool(options, options.url, Math.max(1, options.poolMax - sharedCount));
  const reads = openSharedReads(options, options.url);
  const replica = options.readUrl === undefined ? undefined : openReplica(options, options.readUrl);
  const counts = { transactions: 0, lockWaitMillis: 0 };
  const transact = createTransact(pool, options, counts);
  const queue = new WriteQueue<WriteTx>(transact);
  const primary: Reader = { pool, reads };
  let closing: Promise<unknown> | undefined;

  const read: SqlDatabase['read'] = (workspaceId, query, mode) =>
    runReads(options, primary, workspaceId ?? ALL_WORKSPACES, query, mode);

  return {
    pool,
    jobMillis: JOB_MILLIS,
    read,
    async readAll(workspaceId, query, mode) {
      await queue.flushDeferred(workspaceId);
      // Exports may read the replica; dashboard pages must show changes at once.
      if (!replica?.isUsable() || mode !== 'atOnce') return read(workspaceId, query, mode);
      try {
        return await runReads(replica.options, replica, workspaceId ?? ALL_WORKSPACES, query, mode);
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        replica.pause();
        return read(workspaceId, query, mode);
      }
    },
    write: (workspaceId, job) => queue.write(workspaceId ?? ALL_WORKSPACES, job),
    writeDeferred: (workspaceId, job) => queue.writeDeferred(workspaceId ?? ALL_WORKSPACES, job),
    stats: () => ({
      open: pool.totalCount + sharedCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      ...counts,
    }),
    async replicaLagSeconds() {
      if (!replica?.isUsable()) return undefined;
      const query = withClient(replica.pool, (client) => client.query<{ seconds: number }>(REPLICA_LAG));
      return query.then(
        ({ rows }) => rows[0]!.seconds,
        () => undefined,
      );
    },
    close() {
      closing ??= queue
        .finish()
        .then(() =>
          Promise.all([primary, replica].flatMap((reader) => [reader?.reads.close(), reader?.pool.end()])),
        );
      return closing.then(() => undefined);
    },
  };
}

type Reader = { pool: pg.Pool; reads: SharedReads };

/** How long a read waits for the replica before it uses the primary, and how long the next ones skip the replica. */
const REPLICA_WAIT_MILLIS = 500;
const REPLICA_PAUSE_MILLIS = 10_000;

/** A replica may lag, but shows a workspace's commits in order, so a cursor never passes a row that appears later. */
function openReplica(primary: PostgresOptions, url: string) {
  const options = { ...primary, waitMillis: Math.min(REPLICA_WAIT_MILLIS, primary.waitMillis) };
  let pausedUntil = 0;
  return {
    options,
    pool: openPool(options, url, Math.max(1, Math.floor(options.poolMax / 2))),
    reads: openSharedReads(options, url),
    isUsable: () => performance.now() >= pausedUntil,
    pause() {
      pausedUntil = performance.now() + REPLICA_PAUSE_MILLIS;
    },
  };
}

function runReads<T>(
  options: PostgresOptions,
  { pool, reads }: Reader,
  workspaceId: string,
  query: (tx: Tx) => Promise<T>,
  mode?: 'atOnce',
): Promise<T> {
  if (mode !== 'atOnce')
    return query(
      createTx(async (statement, values) => toResult(await reads.run(workspaceId, statement, values))),
    );
  return retryWhileUnavailable(options.waitMillis, () =>
    withClient(pool, (client) =>
      inTransaction(client, options, workspaceId, 'ISOLATION LEVEL REPEATABLE READ READ ONLY', query),
    ),
  );
}

/** Runs the work on one connection; settings and the first statement are sent together with BEGIN. */
async function inTransaction<T>(
  client: PoolClient,
  options: PostgresOptions,
  workspaceId: string,
  kind: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const begun = Promise.all([
    client.query(`BEGIN ${kind}`),
    client.query(`SELECT ${toSettings(options)}`, [workspaceId]),
  ]);
  begun.catch(() => undefined);
  try {
    const result = await work(createTx(toRunner(client, options)));
    await begun;
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // If BEGIN failed, its error caused the others.
    const cause = await begun.then(
      () => error,
      (reason) => reason,
    );
    await client.query('ROLLBACK').catch(() => undefined);
    throw cause;
  }
}

type BegunTransaction = {
  /** The transaction id, and the timeline of the server that assigned it. */
  xid: string;
  timeline: string;
};

/**
 * A transaction that holds its workspace's lock, so that it runs alone as on SQLite. The lock is taken
 * before the first statement's snapshot, so every statement sees what earlier transactions have committed.
 */
function createTransact(
  pool: pg.Pool,
  options: PostgresOptions,
  counts: { transactions: number; lockWaitMillis: number },
) {
  const lock = {
    ...(options.pooler === 'direct' ? { name: 'guidepost_lock' } : {}),
    text: `SELECT ${toSettings(options)}, pg_advisory_xact_lock(hashtextextended($1, 0)),
      pg_current_xact_id()::text AS xid, ${TIMELINE} AS timeline`,
  };

  async function attempt<T>(client: PoolClient, workspaceId: string, work: (tx: WriteTx) => Promise<T>) {
    counts.transactions += 1;
    const startedAt = performance.now();
    const begin = client.query('BEGIN');
    const locked = client.query<BegunTransaction>({ ...lock, values: [workspaceId] });
    locked.then(
      () => {
        counts.lockWaitMillis += performance.now() - startedAt;
      },
      () => undefined,
    );
    begin.catch(() => undefined);
    let result: T;
    try {
      const tx = createTx(toRunner(client, options));
      result = await work({ ...tx, noteErasure() {}, lock: createLock(client, workspaceId) });
      await locked;
    } catch (error) {
      const cause = await locked.then(
        () => error,
        (reason) => reason,
      );
      await client.query('ROLLBACK').catch(() => undefined);
      throw cause;
    }
    const begun = (await locked).rows[0]!;
    try {
      await client.query('COMMIT');
    } catch (error) {
      if (classify(error) === 'lost') throw new CommitResultUnknown(begun, result, error);
      throw error;
    }
    return result;
  }

  return function transact<T>(workspaceId: string, work: (tx: WriteTx) => Promise<T>): Promise<T> {
    return retryWhileUnavailable(options.waitMillis, async () => {
      try {
        return await withClient(pool, (client) => attempt(client, workspaceId, work));
      } catch (error) {
        if (!(error instanceof CommitResultUnknown)) throw error;
        const committed = await retryWhileUnavailable(options.waitMillis, () =>
          wasCommitted(pool, error.begun),
        );
        if (committed) return error.result as T;
        if (committed === false) throw error.cause;
        throw new StorageUnavailable('the database went away during a commit', { cause: error.cause });
      }
    });
  };
}

/** Locks further workspaces of a transaction, each once. */
function createLock(client: PoolClient, workspaceId: string) {
  const locks = new Set([workspaceId]);
  return async (id: string): Promise<void> => {
    if (!locks.has(id)) await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [id]);
    locks.add(id);
  };
}

/** Returns whether a transaction whose response was lost was committed; undefined when the server does not know. */
async function wasCommitted(
  pool: pg.Pool,
  { xid, timeline }: BegunTransaction,
): Promise<boolean | undefined> {
  const text = `SELECT pg_xact_status($1::text::xid8) AS status, ${TIMELINE} AS timeline`;
  const { rows } = await withClient(pool, (client) => client.query(text, [xid]));
  const [row] = rows as { status: string | null; timeline: string }[];
  // A promoted standby may have assigned the id to another transaction.
  if (row?.timeline !== timeline || row.status === null) return undefined;
  if (row.status === 'in progress') throw new StillOpen();
  return row.status === 'committed';
}

/** The timeline: the first eight digits of the name of a write-ahead log file. */
const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)';

/** The connection broke between a COMMIT and its response. */
class CommitResultUnknown extends Error {
  readonly begun: BegunTransaction;
  readonly result: unknown;
  constructor(begun: BegunTransaction, result: unknown, cause: unknown) {
    super('no answer to a commit', { cause });
    this.begun = begun;
    this.result = result;
  }
}

/** The server may not have noticed yet that the connection is closed. */
class StillOpen extends Error {
  readonly code = '08006';
}

type Result = { rows: readonly unknown[][]; changes: number };
type Run = (statement: Pick<Statement<unknown, never>, 'query'>, values: object) => Promise<Result>;

function toResult({ rows, rowCount }: QueryArrayResult<unknown[]>): Result {
  return { rows, changes: rowCount ?? 0 };
}

function toRunner(client: PoolClient, { pooler }: PostgresOptions): Run {
  return async (statement, values) =>
    toResult(await client.query<unknown[]>(toQuery(statement, values, pooler === 'direct')));
}

function createTx(run: Run): Tx {
  const all = async <Row, In extends object>(statement: Statement<Row, In>, values?: In): Promise<Row[]> => {
    const { rows } = await run(statement, values ?? {});
    const { toRow } = statement;
    return toRow ? rows.map(toRow) : [];
  };
  return {
    all,
    get: async (statement, values) => (await all(statement, values))[0],
    run: async (statement, values) => (await run(statement, values ?? {})).changes,
  };
}
