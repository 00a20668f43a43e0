import type { Config } from '../settings/config.ts';
import { openSqlite, type SqliteOptions } from '../storage/sqlite/open.ts';
import type { Store } from '../storage/store.ts';
import { backUpBeforeUpgrade } from './before-upgrade.ts';

/**
 * Opens the database that the settings name. Backs up a database file before migrating it.
 * @throws IncompatibleDatabase when another version wrote it.
 * @throws StorageUnavailable when the database cannot be used.
 * @throws UpgradeRefused when the database has to be migrated and cannot be backed up.
 */
export async function openStore(
  { postgres, backups, ...file }: Config['database'],
  log: NonNullable<SqliteOptions['log']>,
): Promise<Store> {
  if (postgres === undefined) {
    const backup = await backUpBeforeUpgrade(file.file, backups.folder, Date.now());
    if (backup !== undefined) log.info({ file: backup }, 'backed up the database before migrating it');
    return openSqlite({ ...file, log });
  }
  // Imported here, so that installations with SQLite do not load the PostgreSQL driver.
  const { openPostgres } = await import('../storage/postgres/open.ts');
  return openPostgres({ ...postgres, waitMillis: file.waitMillis, log });
}
