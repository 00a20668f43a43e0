import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { asStorageError, isBusy, isCorrupt } from './storage-errors.ts';

/** Another server runs on the data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/**
 * Makes this the only server of a data folder, because running turns, rate limits and caches are in the memory of one
 * process. Returns a function that releases the lock. The lock is SQLite's own on an empty file, so it ends with its
 * process, even after a crash.
 * @throws FolderInUse while another server has the lock.
 */
export function lockDataFolder(dataDir: string): () => void {
  const file = join(dataDir, 'server.lock');
  closeSync(openSync(file, 'a', 0o600));
  const lock = new SqliteDatabase(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isCorrupt(error))
      throw new Error(`the lock ${file} is damaged: delete it while no server uses the folder.`);
    if (!isBusy(error)) throw asStorageError(error);
    throw new FolderInUse(
      `another server uses the data folder ${dataDir}. Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  return () => lock.close();
}
