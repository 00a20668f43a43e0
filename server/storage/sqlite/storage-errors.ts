import { StorageUnavailable } from '../store.ts';

/** Codes of a disk or a lock in the way. A broken constraint or a corrupt file is something else. */
const UNAVAILABLE = /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR|LOCKED|PERM|PROTOCOL|READONLY)/;

/** The extended result code of SQLite, such as SQLITE_IOERR_WRITE; undefined when the error came from elsewhere. */
export function sqliteCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_'))
    return error.code;
  return sqliteCodeOf(error.cause);
}

export function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** The same error, or StorageUnavailable where the disk or another process is to blame. */
export function asStorageError(error: unknown): unknown {
  const code = sqliteCodeOf(error);
  if (code === undefined || !UNAVAILABLE.test(code)) return error;
  return new StorageUnavailable(`the database cannot be used now (${code})`, { cause: error });
}
