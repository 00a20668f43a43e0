import { Worker } from 'node:worker_threads';
import type { Store } from '../store.ts';
import type { Connections } from './connections.ts';

export type CheckJob = {
  readonly file: string;
  /** Also compares indexes with their tables, which takes several times as long. */
  readonly isThorough: boolean;
};

/** Next to this file in the source, and next to the bundle after the build. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './check-worker.ts' : './check-worker.js',
  import.meta.url,
);

/** `damage` is SQLite's first complaint. */
type CheckResult = { readonly damage: string | undefined };

/** Checks in a worker thread, so that requests go on. */
export function sqliteDamageCheck({ guard }: Pick<Connections, 'guard'>, file: string) {
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const job: CheckJob = { file, isThorough: guard.isCorrupt };
      worker = new Worker(WORKER_FILE, { workerData: job });
      worker.unref();
      worker.on('message', ({ damage }: CheckResult) => {
        if (damage === undefined) guard.clearDamage();
        else guard.reportDamage(damage);
      });
      worker.on('error', reject);
      // Also after it was stopped, when nothing is known.
      worker.on('exit', () => resolve());
    });
  const check: Store['check'] = () => {
    running ??= run().finally(() => {
      running = undefined;
      worker = undefined;
    });
    return running;
  };
  return { check, stopCheck: async () => void (await worker?.terminate()) };
}
