import { startWorker } from './worker-file.ts';

/** The first message of a thread that `startNativeWorker` started, once it has opened its database. */
export const LOADED = 'loaded';

/**
 * Starts a thread that loads a native module. Node aborts the whole process when such a thread is terminated while
 * it loads the module, so `stop` waits for `LOADED` first.
 */
export function startNativeWorker(file: URL, workerData: unknown) {
  const worker = startWorker(file, { workerData });
  const loaded = new Promise<void>((resolve) => {
    worker.once('message', () => resolve());
    worker.once('exit', () => resolve());
  });
  return {
    worker,
    async stop(): Promise<void> {
      await loaded;
      await worker.terminate();
    },
  };
}
