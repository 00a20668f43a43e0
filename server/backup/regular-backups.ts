import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { createFolder } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { LOADED, startNativeWorker } from '../base/native-worker.ts';
import { getWorkerFile } from '../base/worker-file.ts';
import type { Config } from '../settings/config.ts';
import { listBackups, nameBackup, removeOutdated } from './kept-backups.ts';

export type BackupJob = { database: string; dataDir: string; file: string };

const WORKER_FILE = getWorkerFile('backup-worker', import.meta.url);

/** Wait after a failure, such as a full disk. */
const RETRY_MILLIS = 600_000;

export type RegularBackups = {
  /** When the newest regular backup was written; undefined without any. */
  newestAt: () => number | undefined;
  /** Writes a backup when one is due, and deletes outdated ones. */
  tick(): Promise<void>;
  /** Aborts a backup that is being written. */
  stop(): Promise<void>;
};

/** Returns undefined when regular backups are not configured. */
export function createRegularBackups(
  { database, dataDir }: Config,
  { clock, log }: { clock: Clock; log: Log },
): RegularBackups | undefined {
  const { folder, everyMillis } = database.backups;
  if (everyMillis === undefined) return undefined;
  // The folder is read once: a restart reads it again.
  let newestAt = listBackups(folder).find(({ kind }) => kind === 'regular')?.atMillis;
  let retryAt = 0;
  let thread: ReturnType<typeof startNativeWorker> | undefined;
  let running: Promise<void> | undefined;

  const run = async (now: number) => {
    const file = join(folder, nameBackup(now));
    try {
      createFolder(folder);
      await new Promise<void>((resolve, reject) => {
        const job: BackupJob = { database: database.file, dataDir, file };
        thread = startNativeWorker(WORKER_FILE, job);
        const { worker } = thread;
        worker.on('message', (message) => message !== LOADED && resolve());
        worker.once('error', reject);
        worker.once('exit', () => reject(new Error('the backup was broken off')));
      });
      newestAt = now;
      removeOutdated(folder, now);
      log.info({ file }, 'wrote and verified a backup');
    } catch (error) {
      retryAt = now + RETRY_MILLIS;
      log.error({ err: error, file }, 'could not write a backup');
    }
  };

  return {
    newestAt: () => newestAt,
    async tick() {
      const now = clock.now();
      if (now < retryAt || (newestAt !== undefined && now < newestAt + everyMillis)) return;
      running ??= run(now).finally(() => {
        running = undefined;
        thread = undefined;
      });
      await running;
    },
    async stop() {
      await thread?.stop();
      await running;
    },
  };
}
