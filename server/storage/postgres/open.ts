import { createStore } from '../sql/store.ts';
import type { Store } from '../store.ts';
import type { PostgresOptions } from './connections.ts';
import { withClient } from './connections.ts';
import { openDatabase, type PostgresDatabase } from './database.ts';
import { asStorageError } from './errors.ts';
import { migrate, readMigration } from './migrate.ts';
import { postgresPassageIndex, postgresPassages, removePassages, writePassage } from './passages.ts';
import { SEARCH_SOURCES } from './stored-data.ts';
import { POSTGRES_PURGE } from './workspace-purge.ts';

type PostgresLog = Record<'info', (fields: object, message: string) => void>;

export type PostgresStoreOptions = PostgresOptions & {
  /** The role that owns the tables; the service's own without it. */
  readonly ownerUrl?: string | undefined;
  readonly log?: PostgresLog;
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
    searchSources: SEARCH_SOURCES,
    purge: () => POSTGRES_PURGE,
    operation: {
      passageIndex: () => postgresPassageIndex(database),
      usedBytes: () => () => readUsedBytes(database),
      ready: () => async () => ({ migration, writable: await isWritable(database) }),
      connections: () => database.stats,
      replicaLagSeconds: () => database.replicaLagSeconds,
      // The server checks and reports its files itself.
      problems: () => () => [],
      check: () => async () => undefined,
      backup: () => async () => {
        throw new Error('PostgreSQL is backed up with its own tools, such as pg_basebackup');
      },
      close: () => database.close,
    },
  });
}

/** False on a standby, and while the server is told to refuse writes. */
async function isWritable({ pool }: PostgresDatabase): Promise<boolean> {
  const text = `SELECT current_setting('transaction_read_only') = 'off' AND NOT pg_is_in_recovery() AS writable`;
  const { rows } = await unlessUnavailable(
    withClient(pool, (client) => client.query<{ writable: boolean }>(text)),
  );
  return rows[0]!.writable;
}

async function readUsedBytes({ pool }: PostgresDatabase): Promise<number> {
  const text = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::text AS bytes FROM pg_class
    WHERE relnamespace = 'guidepost'::regnamespace AND relkind = 'r'`;
  const { rows } = await unlessUnavailable(
    withClient(pool, (client) => client.query<{ bytes: string }>(text)),
  );
  return Number(rows[0]!.bytes);
}

function unlessUnavailable<T>(promise: Promise<T>): Promise<T> {
  return promise.catch((error) => {
    throw asStorageError(error);
  });
}
