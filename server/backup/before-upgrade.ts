import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExpectedError } from '../base/expected-error.ts';
import { createFolder } from '../base/files.ts';
import { copySqlite, findPendingMigration } from '../storage/sqlite/backup.ts';
import { copyKeyFile, keyFileIn } from '../tokens/key-ring.ts';
import { getBackupKeyFile } from './backup.ts';
import { nameBackup, removeOutdated } from './kept-backups.ts';

/** The upgrade did not start, because its backup could not be written. */
class UpgradeRefused extends ExpectedError {
  override readonly name = 'UpgradeRefused';
}

/** Backs up a database that this version is about to migrate. Returns the file; undefined without migrations. */
export async function backUpBeforeUpgrade(
  database: string,
  folder: string,
  nowMillis: number,
  migrationsFolder?: string,
): Promise<string | undefined> {
  const migration = findPendingMigration(database, migrationsFolder);
  if (migration === undefined) return undefined;
  const file = join(folder, nameBackup(nowMillis, migration));
  try {
    createFolder(folder);
    await copySqlite(database, file);
    const keys = keyFileIn(dirname(database));
    if (existsSync(keys)) copyKeyFile(keys, getBackupKeyFile(file));
  } catch (error) {
    throw new UpgradeRefused(
      `The database has to be migrated (${migration}), and the backup before it cannot be written to ${folder}: ` +
        `${(error as Error).message}. Make room, or correct BACKUP_DIR`,
      { cause: error },
    );
  }
  removeOutdated(folder, nowMillis);
  return file;
}
