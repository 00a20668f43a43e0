/** The worker thread that runs VACUUM; see workspace-purge.ts. */
import { workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { DatabaseOptions } from './connections.ts';

const { file, waitMillis } = workerData as Required<Pick<DatabaseOptions, 'file' | 'waitMillis'>>;
const db = new SqliteDatabase(file, { fileMustExist: true });
try {
  db.pragma(`busy_timeout = ${waitMillis}`);
  db.pragma('synchronous = FULL');
  db.exec('VACUUM');
  db.pragma('wal_checkpoint(TRUNCATE)');
} finally {
  db.close();
}
