import { LOADED, startNativeWorker } from '../../base/native-worker.ts';
import { oneAtATime } from '../../base/one-at-a-time.ts';
import { getWorkerFile } from '../../base/worker-file.ts';
import type { Connections } from './connections.ts';

export type CheckJob = {
  file: string;
  /** Also compares indexes with their tables, which takes several times as long. */
  isThorough: boolean;
};

const WORKER_FILE = getWorkerFile('check-worker', import.meta.url);

/** `damage` is the first problem that SQLite reports. */
type CheckResult = { damage: string | undefined };

/** Looks for damage in a worker thread, so that the event loop stays free for requests. */
export function sqliteDamageCheck({ guard }: Pick<Connections, 'guard'>, file: string) {
  let running: ReturnType<typeof startNativeWorker> | undefined;
  const check = oneAtATime(() =>
    new Promise<void>((resolve, reject) => {
      const job: CheckJob = { file, isThorough: guard.isCorrupt };
      running = startNativeWorker(WORKER_FILE, job);
      const { worker } = running;
      worker.on('message', (message: typeof LOADED | CheckResult) => {
        if (message === LOADED) return;
        if (message.damage === undefined) guard.clearDamage();
        else guard.reportDamage(message.damage);
      });
      worker.on('error', reject);
      // Also emitted when the worker was stopped; the result is unknown then.
      worker.on('exit', () => resolve());
    }).finally(() => {
      running = undefined;
    }),
  );
  return { check, stopCheck: async () => running?.stop() };
}
