import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { nameUnfinished } from '../../base/files.ts';
import type { Store } from '../store.ts';
import { removeMark } from './commit-mark.ts';
import type { DatabaseOptions } from './connections.ts';
import { checkMigrations, readAppliedMigration, rejectForeignObjects } from './migrate.ts';
import { asStorageError, isBusy } from './storage-errors.ts';

export function sqliteBackup(
  options: DatabaseOptions,
  open: (options: DatabaseOptions) => Store,
): Store['backup'] {
  return async (file, tryOut) => {
    const copy = nameUnfinished(file);
    try {
      const pages = await copyDatabase(options.file, copy);
      if (tryOut) await tryOutCopy(open({ ...options, file: copy }), tryOut);
      removeMark(copy);
      verify(copy, options.migrationsFolder, { mayHoldMore: true });
      return { bytes: replaceFile(copy, file), pages };
    } catch (error) {
      throw asStorageError(error);
    } finally {
      removeDatabase(copy);
    }
  };
}

async function tryOutCopy(store: Store, tryOut: (copy: Store) => Promise<void>): Promise<void> {
  try {
    await tryOut(store);
  } finally {
    await store.close();
  }
}

/** Returns the first migration that this version would apply to a filled database. */
export function findPendingMigration(file: string, migrationsFolder?: string): string | undefined {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  let db: SqliteDatabase.Database | undefined;
  try {
    db = new SqliteDatabase(file, { fileMustExist: true });
    db.pragma('busy_timeout = 5000');
    if (readAppliedMigration(db) === undefined) return undefined;
    return checkMigrations(db, migrationsFolder);
  } catch (error) {
    // Opening the database reports what is wrong with it.
    if (/^SQLITE_(CANTOPEN|CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? '')) return undefined;
    throw error;
  } finally {
    db?.close();
  }
}

/** Writes a verified copy of a database of any version. */
export async function copySqlite(from: string, to: string): Promise<void> {
  const copy = nameUnfinished(to);
  try {
    await copyDatabase(from, copy);
    verifyIntegrity(copy);
    replaceFile(copy, to);
  } finally {
    removeDatabase(copy);
  }
}

/** The backup was not restored, and the existing database is unchanged. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/**
 * Replaces a database that is not open with a verified copy of the backup.
 * @throws RestoreRefused when the file exists and `force` is not set, or when it is in use.
 */
export async function restoreSqlite(
  backupFile: string,
  file: string,
  options: {
    force?: boolean;
    migrationsFolder?: string;
    /** Runs once the copy is verified, before the database is replaced. */
    beforeReplacing?: () => void;
  } = {},
): Promise<{ bytes: number; pages: number }> {
  if (existsSync(file) && !options.force) throw new RestoreRefused(`${file} exists already`);
  const copy = nameUnfinished(file);
  try {
    const pages = await copyDatabase(backupFile, copy);
    verify(copy, options.migrationsFolder, { mayHoldMore: false });
    if (existsSync(file)) rejectIfInUse(file);
    options.beforeReplacing?.();
    removeLogs(file);
    removeMark(file);
    return { bytes: replaceFile(copy, file), pages };
  } finally {
    removeDatabase(copy);
  }
}

/** Returns the id of the backup's key ring; undefined if it has none, contains its sealed keys, or cannot be read. */
export function readBackupRingId(backupFile: string): string | undefined {
  const db = new SqliteDatabase(backupFile, { fileMustExist: true });
  try {
    return (
      (db.prepare('SELECT key_ring_id FROM database_marks WHERE sealed_keys IS NULL').pluck().get() as
        | string
        | null) ?? undefined
    );
  } catch {
    // Verifying the backup reports what is wrong with it.
    return undefined;
  } finally {
    db.close();
  }
}

/**
 * Copies one snapshot in small steps, regardless of concurrent writes. Returns the number of pages.
 */
async function copyDatabase(from: string, to: string): Promise<number> {
  const source = new SqliteDatabase(from, { fileMustExist: true });
  try {
    source.pragma('busy_timeout = 5000');
    closeSync(openSync(to, 'wx', 0o600));
    // The open transaction pins the snapshot; otherwise each write of another process restarts the copy.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    const { totalPages } = await source.backup(to);
    return totalPages;
  } finally {
    source.close();
  }
}

/** @param mayHoldMore whether the database may hold what no migration made, such as a view for reports */
function verify(
  file: string,
  migrationsFolder: string | undefined,
  { mayHoldMore }: { mayHoldMore: boolean },
): void {
  verifyIntegrity(file);
  const copy = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  try {
    if (readAppliedMigration(copy) === undefined)
      throw new Error(`${file} holds no database of this service`);
    checkMigrations(copy, migrationsFolder);
    if (!mayHoldMore) rejectForeignObjects(copy, migrationsFolder);
  } finally {
    copy.close();
  }
}

/** Makes the copy a single self-contained file and verifies all of it. */
function verifyIntegrity(file: string): void {
  const copy = new SqliteDatabase(file, { fileMustExist: true });
  try {
    copy.pragma('journal_mode = DELETE');
    const verdict = copy.pragma('integrity_check(1)', { simple: true });
    if (verdict !== 'ok') throw new Error(`the copy is damaged: ${verdict}`);
  } finally {
    copy.close();
  }
}

function rejectIfInUse(file: string): void {
  const target = new SqliteDatabase(file);
  try {
    // Leaving WAL mode succeeds only if no other connection is open.
    target.pragma('journal_mode = DELETE');
  } catch (error) {
    if (isBusy(error))
      throw new RestoreRefused(`${file} is in use: stop the service first`, { cause: error });
    // A database too damaged to open may be replaced.
  } finally {
    target.close();
  }
}

/** Moves a complete file to its place, so that it survives a power failure. */
export function replaceFile(copy: string, file: string): number {
  sync(copy);
  renameSync(copy, file);
  sync(dirname(file));
  return statSync(file).size;
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function removeDatabase(file: string): void {
  rmSync(file, { force: true });
  removeLogs(file);
}

/** Removes leftover logs, which SQLite would replay into the restored database. */
function removeLogs(file: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
