import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { IncompatibleDatabase } from '../migrations.ts';
import { readMark } from './commit-mark.ts';
import { checkMigrations } from './migrate.ts';

type SqliteReport = {
  bytes: number;
  freeBytes: number;
  /** The first problem that SQLite reports. */
  damage: string | undefined;
  /** Why the content cannot be checked, such as a disk without space for SQLite's own files. */
  unreadable: string | undefined;
  /** Time of the last commit that the file lacks. */
  lastMissingCommitAt: string | undefined;
  /** Why this version cannot use the file. */
  incompatibility: string | undefined;
};

/** Examines a database file without changing it. */
export function examineSqlite(file: string): SqliteReport {
  const { size } = statSync(file);
  const { bavail, bsize } = statfsSync(dirname(file));
  const mark = readMark(file);
  return {
    bytes: size,
    freeBytes: bavail * bsize,
    ...examineContent(file, mark?.commits ?? 0, mark?.at),
  };
}

function examineContent(
  file: string,
  commits: number,
  at: string | undefined,
): Pick<SqliteReport, 'damage' | 'unreadable' | 'lastMissingCommitAt' | 'incompatibility'> {
  const healthy = {
    damage: undefined,
    unreadable: undefined,
    lastMissingCommitAt: undefined,
    incompatibility: undefined,
  };
  let db: SqliteDatabase.Database | undefined;
  try {
    db = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
    const verdict = db.pragma('quick_check(1)', { simple: true }) as string;
    if (verdict !== 'ok') return { ...healthy, damage: verdict.replace(/\s+/g, ' ') };
    checkMigrations(db);
    const stored = db.prepare('SELECT commits FROM database_marks').pluck().get() as number | undefined;
    return { ...healthy, lastMissingCommitAt: commits > (stored ?? 0) ? at : undefined };
  } catch (error) {
    if (error instanceof IncompatibleDatabase) return { ...healthy, incompatibility: error.message };
    if (!(error instanceof SqliteDatabase.SqliteError)) throw error;
    const isDamage = /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
    return isDamage ? { ...healthy, damage: error.message } : { ...healthy, unreadable: error.message };
  } finally {
    db?.close();
  }
}
