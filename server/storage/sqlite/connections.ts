import { closeSync, openSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type { SqlDatabase } from '../database.ts';
import { CommitMark, type Mark, readMark } from './commit-mark.ts';
import { FileGuard, type ProblemObserver } from './file-guard.ts';
import { migrate, readAppliedMigration } from './migrate.ts';
import { asStorageError, isBusy } from './storage-errors.ts';
import { SnapshotReads } from './transaction.ts';
import { type Write, WriteQueue } from './write-queue.ts';

const BUSY_TIMEOUT_MILLIS = 5_000;
const WATCH_MILLIS = 1_000;
/** Time limit for a job without its commit, because a job blocks the event loop. */
const JOB_MILLIS = 1;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

/** A writing and a read-only connection to the same file. A read sees every earlier write. */
export type Connections = {
  /** Use it only for statements inside a write job. */
  writer: Database;
  reader: Database;
  write: Write;
  /**
   * Runs the job before the next write, within 50 ms at most. It is lost if the process dies first.
   */
  writeDeferred: Write;
  /**
   * Whether the write-ahead log may still contain deleted rows. True at start, because an earlier
   * process may have crashed.
   */
  wal: { containsDeletedRows: boolean };
  /** Whether the last write was stored. */
  isLastWriteStored: () => boolean;
  /** The number of the transaction of the current write job. */
  transaction: () => number;
  /** Runs a query; disk errors become StorageUnavailable. */
  read: <T>(query: () => T | Promise<T>) => Promise<T>;
  /** Like `read`, but first waits for the deferred writes so far. */
  readAll: <T>(query: () => T | Promise<T>) => Promise<T>;
  /** Like `read`, for queries on the writing connection; waits until no transaction is open there. */
  readOnWriter: Connections['read'];
  /** The database of the resources that all engines share. */
  database: SqlDatabase;
  migration: string;
  guard: FileGuard;
  /** The mark of the earlier run, if the database lacks commits that the mark covers. */
  missingCommitsMark: Mark | undefined;
  close: () => Promise<void>;
};

export type DatabaseOptions = {
  file: string;
  /** Upper limit of the database file; writes beyond it fail as on a full disk. */
  bytesMax?: number;
  /** How long a write waits for a lock of another process. */
  waitMillis?: number;
  migrationsFolder?: string;
  observer?: ProblemObserver;
};

const UNOBSERVED: ProblemObserver = { began() {}, ended() {} };

/** Opens or creates the file and applies pending migrations. */
export function openConnections(options: DatabaseOptions): Connections & { applied: readonly string[] } {
  // The write-ahead log inherits these permissions.
  closeSync(openSync(options.file, 'a', 0o600));
  const writer = new SqliteDatabase(options.file);
  try {
    setUpWriter(writer, options.bytesMax);
    const applied = migrate(writer, options.migrationsFolder);
    const reader = new SqliteDatabase(options.file, { readonly: true });
    setUp(reader);
    return { ...connect(writer, reader, options), applied };
  } catch (error) {
    writer.close();
    throw asStorageError(error);
  }
}

function connect(writer: Database, reader: Database, options: DatabaseOptions): Connections {
  const guard = new FileGuard(options.file, options.observer ?? UNOBSERVED);
  const wal = { containsDeletedRows: true };
  const queue = new WriteQueue(writer, options.waitMillis, guard, () => {
    wal.containsDeletedRows = true;
  });
  const { write, writeDeferred, flushDeferred, transaction, isLastWriteStored, finish } = queue;
  const { missingSince: missingCommitsMark, ...watch } = watchFiles(writer, options.file, guard, {
    write,
    transaction,
  });
  const read: Connections['read'] = async (query) => {
    try {
      return await query();
    } catch (error) {
      throw guard.toStorageError(error);
    }
  };
  const readAll: Connections['readAll'] = async (query) => {
    await flushDeferred();
    return read(query);
  };
  let closing: Promise<void> | undefined;
  return {
    writer,
    reader,
    write,
    writeDeferred,
    wal,
    transaction,
    isLastWriteStored,
    read,
    readAll,
    async readOnWriter(query) {
      await queue.whenNoTransaction();
      return read(query);
    },
    database: createSqlDatabase(reader, read, queue),
    migration: readAppliedMigration(writer) ?? '',
    guard,
    missingCommitsMark,
    close() {
      closing ??= finish().then(() => {
        watch.stop();
        // Closing would delete the log that now lies at the path, with the commits of the file that replaced ours.
        if (guard.isReplaced) return;
        reader.close();
        closeCleanly(writer);
      });
      return closing;
    },
  };
}

/** Ignores workspace ids: one file holds all workspaces. */
function createSqlDatabase(
  reader: Database,
  read: Connections['read'],
  { write, writeDeferred, flushDeferred }: WriteQueue,
): SqlDatabase {
  const snapshots = new SnapshotReads(reader);
  const select: SqlDatabase['read'] = (_, query, mode) =>
    read(() => (mode === 'atOnce' ? snapshots.read(query) : query(snapshots.latest)));
  return {
    jobMillis: JOB_MILLIS,
    read: select,
    readAll: async (...args) => {
      await flushDeferred();
      return select(...args);
    },
    write: (_, job) => write(job),
    writeDeferred: (_, job) => writeDeferred(job),
  };
}

/** Checks the files and stores the mark of the last commit, once a second and at the end. */
function watchFiles(
  writer: Database,
  file: string,
  guard: FileGuard,
  { write, transaction }: Pick<Connections, 'write' | 'transaction'>,
) {
  // The file is read before the row, because another process may go on counting.
  const earlier = readMark(file);
  const mark = new CommitMark(writer, file, earlier?.damaged ?? false);
  if (earlier?.damaged) guard.reportDamage('as an earlier run found');
  let wasCorrupt = guard.isCorrupt;
  const missingCommitsMark = earlier !== undefined && earlier.commits > mark.read() ? earlier : undefined;
  let marked = transaction();
  const keepMark = async () => {
    if (transaction() === marked || guard.writeError()) return;
    const commits = await write(mark.count).catch(() => undefined);
    marked = transaction();
    if (commits !== undefined) mark.keep(commits);
  };
  const tick = () => {
    guard.checkNow();
    if (guard.isCorrupt !== wasCorrupt) mark.keepDamage(guard.isCorrupt);
    wasCorrupt = guard.isCorrupt;
    return keepMark();
  };
  const timer = setInterval(tick, WATCH_MILLIS);
  timer.unref();
  const stop = () => {
    clearInterval(timer);
    guard.checkNow();
    if (guard.isCorrupt !== wasCorrupt) mark.keepDamage(guard.isCorrupt);
    try {
      if (transaction() !== marked && !guard.writeError()) mark.keep(mark.count());
    } catch {
      // If the database is locked or the disk is full, the mark does not count the last commits.
    }
    mark.close();
  };
  return { missingSince: missingCommitsMark, stop };
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

/** Retries while SQLite is busy, because its busy timeout does not apply to changing the journal mode. */
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
