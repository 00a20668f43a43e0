import { StorageUnavailable } from '../availability.ts';

/** Codes of disk and lock errors and of damaged files. Broken constraints are not among them. */
const UNAVAILABLE = /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOTADB|PERM|PROTOCOL|READONLY)/;
const CORRUPT = /^SQLITE_(CORRUPT|NOTADB)/;

/** Returns the extended SQLite result code, such as SQLITE_IOERR_WRITE; undefined for other errors. */
function getSqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_'))
    return error.code;
  return getSqliteCode(error.cause);
}

export function isBusy(error: unknown): boolean {
  return getSqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

export function isCorrupt(error: unknown): boolean {
  return CORRUPT.test(getSqliteCode(error) ?? '');
}

/** Returns the error, or StorageUnavailable when the disk, a damaged file or another process caused it. */
export function asStorageError(error: unknown): unknown {
  const code = getSqliteCode(error);
  if (code === undefined || !UNAVAILABLE.test(code)) return error;
  return new StorageUnavailable(`the database cannot be used now (${code})`, { cause: error });
}
