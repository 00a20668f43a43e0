import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../store.ts';
import type { Place } from './connections.ts';
import { PATIENCE_MILLIS } from './write-queue.ts';

/** Beside this file, and beside the bundle that this file is packed into. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './compaction-worker.ts' : './compaction-worker.js',
  import.meta.url,
);

/**
 * Writes the database file anew, without anything that was deleted. In a thread of its own, since it takes about a second for 200 MB;
 * reading goes on meanwhile, and writing waits.
 */
export function compactFile({ file, waitMillis = PATIENCE_MILLIS }: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER_FILE, { workerData: { file, waitMillis } });
    worker.on('error', (cause) =>
      reject(new StorageUnavailable('the database cannot be compacted now', { cause })),
    );
    worker.on('exit', () => resolve());
  });
}
