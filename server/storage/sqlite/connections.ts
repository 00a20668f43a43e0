import { closeSync, openSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { appliedMigration, migrate } from './migrate.ts';
import { asStorageError, isBusy } from './storage-errors.ts';
import { groupCommit, type Write } from './write-queue.ts';

const OPENING_MILLIS = 5_000;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

export type Drizzle = BetterSQLite3Database & { readonly $client: Database };

/** One connection that writes and one that only reads, on the same file. What was written is seen by the next read. */
export type Connections = {
  /** Only for statements inside a write job. */
  readonly writer: Drizzle;
  readonly reader: Drizzle;
  readonly write: Write;
  /** For what nobody waits for: runs in front of the next write, and within 50 ms. What the process loses when it dies before is lost. */
  readonly later: Write;
  /** Whether the write-ahead log may still hold what tables have erased; so it does until somebody has looked, since a process may have died. */
  readonly erased: { inLog: boolean };
  /** Names the transaction that the current write job runs in. */
  readonly transaction: () => number;
  /** Runs a query; an error of the disk comes as StorageUnavailable. */
  readonly read: <T>(query: () => T) => Promise<T>;
  /** The same, after what was written `later` until now. */
  readonly readAll: <T>(query: () => T) => Promise<T>;
  readonly migration: string;
  readonly close: () => Promise<void>;
};

export type Place = {
  readonly file: string;
  /** The database file never grows beyond this, as if the disk were full. */
  readonly bytesMax?: number;
  /** How long a write waits for another process that holds the file. */
  readonly waitMillis?: number;
  readonly migrationsFolder?: string;
};

/** Opens or creates the file and brings it up to date. */
export function openConnections(place: Place): Connections & { readonly applied: readonly string[] } {
  // The write-ahead log inherits these permissions.
  closeSync(openSync(place.file, 'a', 0o600));
  const writer = new SqliteDatabase(place.file);
  try {
    setUpWriter(writer, place.bytesMax);
    const applied = migrate(writer, place.migrationsFolder);
    const reader = new SqliteDatabase(place.file, { readonly: true });
    setUp(reader);
    return { ...connect(writer, reader, place.waitMillis), applied };
  } catch (error) {
    writer.close();
    throw asStorageError(error);
  }
}

function connect(writer: Database, reader: Database, waitMillis: number | undefined): Connections {
  const { write, later, settled, transaction, finish } = groupCommit(writer, waitMillis);
  let closing: Promise<void> | undefined;
  return {
    writer: drizzle({ client: writer, casing: 'snake_case' }),
    reader: drizzle({ client: reader, casing: 'snake_case' }),
    write,
    later,
    erased: { inLog: true },
    transaction,
    read,
    async readAll(query) {
      await settled();
      return read(query);
    },
    migration: appliedMigration(writer) ?? '',
    close() {
      closing ??= finish().then(() => {
        reader.close();
        closeTidily(writer);
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

function closeTidily(writer: Database): void {
  try {
    writer.pragma('optimize');
    writer.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // Another process is busy with the file, or the disk is full: the log keeps what is not yet in the database.
    if (asStorageError(error) === error) throw error;
  } finally {
    writer.close();
  }
}

function setUpWriter(db: Database, bytesMax: number | undefined): void {
  setUp(db);
  patiently(() => db.pragma('journal_mode = WAL'));
  // WAL alone would leave it at NORMAL, and the last commits would not survive a power cut.
  db.pragma('synchronous = FULL');
  db.pragma(`journal_size_limit = ${JOURNAL_BYTES_MAX}`);
  db.pragma('recursive_triggers = ON');
  // What is erased is overwritten; on turns that costs nothing that can be measured.
  db.pragma('secure_delete = ON');
  if (bytesMax !== undefined) {
    const pageBytes = db.pragma('page_size', { simple: true }) as number;
    db.pragma(`max_page_count = ${Math.max(1, Math.floor(bytesMax / pageBytes))}`);
  }
}

function setUp(db: Database): void {
  db.pragma(`busy_timeout = ${OPENING_MILLIS}`);
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
}

/** Changing the journal mode does not wait for other processes by itself. */
function patiently(action: () => void): void {
  const until = Date.now() + OPENING_MILLIS;
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
