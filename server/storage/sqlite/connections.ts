import { closeSync, openSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { appliedMigration, migrate } from './migrate.ts';
import { asStorageError, isBusy } from './storage-errors.ts';
import { type Write, WriteQueue } from './write-queue.ts';

const BUSY_TIMEOUT_MILLIS = 5_000;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

export type Drizzle = BetterSQLite3Database & { readonly $client: Database };

/** A writing and a read-only connection to the same file. A read sees every earlier write. */
export type Connections = {
  /** Use it only for statements inside a write job. */
  readonly writer: Drizzle;
  readonly reader: Drizzle;
  readonly write: Write;
  /**
   * Runs the job before the next write, within 50 ms at most. It is lost if the process dies first.
   */
  readonly writeDeferred: Write;
  /**
   * Whether the write-ahead log may still contain deleted rows. True at start, because an earlier
   * process may have crashed.
   */
  readonly wal: { containsDeletedRows: boolean };
  /** The number of the transaction of the current write job. */
  readonly transaction: () => number;
  /** Runs a query; disk errors become StorageUnavailable. */
  readonly read: <T>(query: () => T) => Promise<T>;
  /** Like `read`, after the deferred writes so far. */
  readonly readAll: <T>(query: () => T) => Promise<T>;
  readonly migration: string;
  readonly close: () => Promise<void>;
};

export type DatabaseOptions = {
  readonly file: string;
  /** Upper limit of the database file; writes beyond it fail as on a full disk. */
  readonly bytesMax?: number;
  /** How long a write waits for a lock of another process. */
  readonly waitMillis?: number;
  readonly migrationsFolder?: string;
};

/** Opens or creates the file and applies pending migrations. */
export function openConnections(
  options: DatabaseOptions,
): Connections & { readonly applied: readonly string[] } {
  // The write-ahead log inherits these permissions.
  closeSync(openSync(options.file, 'a', 0o600));
  const writer = new SqliteDatabase(options.file);
  try {
    setUpWriter(writer, options.bytesMax);
    const applied = migrate(writer, options.migrationsFolder);
    const reader = new SqliteDatabase(options.file, { readonly: true });
    setUp(reader);
    return { ...connect(writer, reader, options.waitMillis), applied };
  } catch (error) {
    writer.close();
    throw asStorageError(error);
  }
}

function connect(writer: Database, reader: Database, waitMillis: number | undefined): Connections {
  const { write, writeDeferred, flushDeferred, transaction, finish } = new WriteQueue(writer, waitMillis);
  let closing: Promise<void> | undefined;
  return {
    writer: drizzle({ client: writer, casing: 'snake_case' }),
    reader: drizzle({ client: reader, casing: 'snake_case' }),
    write,
    writeDeferred,
    wal: { containsDeletedRows: true },
    transaction,
    read,
    async readAll(query) {
      await flushDeferred();
      return read(query);
    },
    migration: appliedMigration(writer) ?? '',
    close() {
      closing ??= finish().then(() => {
        reader.close();
        closeCleanly(writer);
      });
      return closing;
    },
  };
}

async function read<T>(query: () => T): Promise<T> {
  try {
    return query();
  } catch (error) {
    throw asStorageError(error);
  }
}

function closeCleanly(writer: Database): void {
  try {
    writer.pragma('optimize');
    writer.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // On a lock or a full disk, the log keeps what is not in the database yet.
    if (asStorageError(error) === error) throw error;
  } finally {
    writer.close();
  }
}

function setUpWriter(db: Database, bytesMax: number | undefined): void {
  setUp(db);
  retryWhileBusy(() => db.pragma('journal_mode = WAL'));
  // NORMAL could lose the last commits in a power failure.
  db.pragma('synchronous = FULL');
  db.pragma(`journal_size_limit = ${JOURNAL_BYTES_MAX}`);
  db.pragma('recursive_triggers = ON');
  // Overwrites deleted content; no measurable cost for turns.
  db.pragma('secure_delete = ON');
  if (bytesMax !== undefined) {
    const pageBytes = db.pragma('page_size', { simple: true }) as number;
    db.pragma(`max_page_count = ${Math.max(1, Math.floor(bytesMax / pageBytes))}`);
  }
}

function setUp(db: Database): void {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MILLIS}`);
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
}

/** SQLite's busy timeout does not apply to changing the journal mode. */
function retryWhileBusy(action: () => void): void {
  const until = Date.now() + BUSY_TIMEOUT_MILLIS;
  for (;;) {
    try {
      action();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
