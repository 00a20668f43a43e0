/** The thread that writes the database file anew; see compaction.ts. */
import { workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';

const PATIENCE_MILLIS = 5_000;

const { file } = workerData as { readonly file: string };
const db = new SqliteDatabase(file, { fileMustExist: true });
try {
  db.pragma(`busy_timeout = ${PATIENCE_MILLIS}`);
  db.pragma('synchronous = FULL');
  db.exec('VACUUM');
  db.pragma('wal_checkpoint(TRUNCATE)');
} finally {
  db.close();
}
