/** The worker thread that writes a backup: verifying a large copy takes seconds and would block requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { LOADED } from '../base/native-worker.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import { writeBackup } from './backup.ts';
import type { BackupJob } from './regular-backups.ts';

const { database, dataDir, file } = workerData as BackupJob;
const store = openSqlite({ file: database });
parentPort!.postMessage(LOADED);
try {
  parentPort!.postMessage(await writeBackup(store, file, dataDir));
} finally {
  await store.close();
}
