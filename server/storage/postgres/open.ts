import { sql } from 'drizzle-orm';
import { input, rawStatement } from '../statements.ts';
import type { Store } from '../store.ts';
import { createStore } from '../store.ts';
import type { PurgeEngine, PurgeStep } from '../workspace-purge.ts';
import { type PostgresOptions, withClient } from './connections.ts';
import { openDatabase, type PostgresDatabase } from './database.ts';
import { asStorageError } from './errors.ts';
import { migrate, readMigration } from './migrate.ts';
import {
  CHUNK_STORAGE,
  postgresPassageIndex,
  postgresPassages,
  removePassages,
  writePassage,
} from './passages.ts';

type PostgresLog = Record<'info', (fields: object, message: string) => void>;

type PostgresStoreOptions = PostgresOptions & {
  /** The role that owns the tables. If absent, the service's role owns them. */
  ownerUrl?: string | undefined;
  log?: PostgresLog;
};

/**
 * Opens or creates the tables in a database. Several nodes may do so at once.
 * @throws IncompatibleDatabase when another version wrote the database, or the role may not migrate it.
 * @throws StorageUnavailable when the server cannot be reached.
 */
export async function openPostgres({ log, ownerUrl, ...options }: PostgresStoreOptions): Promise<Store> {
  for (const migration of await migrate({ url: options.url, ownerUrl })) {
    log?.info({ migration }, 'database migrated');
  }
  const migration = (await readMigration(options.url)) ?? '';
  const database = openDatabase(options);
  return createStore({
    database,
    passages: postgresPassages(database),
    passageWrites: { writePassage, removePassages },
    chunkStorage: CHUNK_STORAGE,
    purge: () => POSTGRES_PURGE,
    operation: {
      passageIndex: () => postgresPassageIndex(database),
      usedBytes: () => () => readUsedBytes(database),
      ready: () => async () => ({ migration, writable: await isWritable(database) }),
      connections: () => database.stats,
      replicaLagSeconds: () => database.replicaLagSeconds,
      // The server checks its files itself.
      problems: () => () => [],
      check: () => async () => undefined,
      backup: () => async () => {
        throw new Error('PostgreSQL is backed up with its own tools, such as pg_basebackup');
      },
      close: () => database.close,
    },
  });
}

/** Returns false on a standby, and while the server is configured to refuse writes. */
async function isWritable({ pool }: PostgresDatabase): Promise<boolean> {
  const text = `SELECT current_setting('transaction_read_only') = 'off' AND NOT pg_is_in_recovery() AS writable`;
  const { rows } = await withStorageErrors(
    withClient(pool, (client) => client.query<{ writable: boolean }>(text)),
  );
  return rows[0]!.writable;
}

async function readUsedBytes({ pool }: PostgresDatabase): Promise<number> {
  const text = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::text AS bytes FROM pg_class
    WHERE relnamespace = 'guidepost'::regnamespace AND relkind = 'r'`;
  const { rows } = await withStorageErrors(
    withClient(pool, (client) => client.query<{ bytes: string }>(text)),
  );
  return Number(rows[0]!.bytes);
}

function withStorageErrors<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    throw asStorageError(error);
  });
}

const ROWS_PER_STEP = 200;

/** Creates a step that deletes a few of the rows in `source`; by default, the rows of the workspace. */
function createPurgeStep(
  tableName: string,
  source = sql`WHERE item.workspace_id = ${input('workspaceId')}`,
): PurgeStep {
  const table = sql.raw(tableName);
  const deleteSome = rawStatement(
    sql`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT item.ctid FROM ${table} AS item ${source} LIMIT ${ROWS_PER_STEP}))`,
  );
  return async (tx, workspaceId) => (await tx.run(deleteSome, { workspaceId })) > 0;
}

const createPartitionPurgeStep = (table: string) =>
  createPurgeStep(
    table,
    sql`JOIN passage_partitions AS partition ON partition.id = item.partition_id
     WHERE partition.workspace_id = ${input('workspaceId')}`,
  );

/** Deletes the word index. The operator removes copies of deleted rows in dead tuples, logs, replicas and backups. */
const POSTGRES_PURGE: PurgeEngine = {
  steps: [
    createPartitionPurgeStep('passage_words'),
    createPartitionPurgeStep('passage_terms'),
    createPurgeStep('passage_partitions'),
    createPurgeStep('passage_chunks'),
    createPurgeStep('passages'),
  ],
  compact: async () => true,
  clearLogs: async () => true,
};
