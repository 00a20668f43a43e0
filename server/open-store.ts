import type { Config } from './config.ts';
import { openSqlite, type SqliteOptions } from './storage/sqlite/open.ts';
import type { Store } from './storage/store.ts';

/**
 * Opens the database that the settings name.
 * @throws IncompatibleDatabase when another version wrote it.
 * @throws StorageUnavailable when it cannot be used.
 */
export async function openStore(
  { postgres, ...file }: Config['database'],
  log: NonNullable<SqliteOptions['log']>,
): Promise<Store> {
  if (postgres === undefined) return openSqlite({ ...file, log });
  // The driver is loaded only where it is used.
  const { openPostgres } = await import('./storage/postgres/open.ts');
  return openPostgres({ ...postgres, waitMillis: file.waitMillis, log });
}
