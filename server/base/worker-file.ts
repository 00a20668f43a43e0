import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Returns the file of a worker thread: beside its caller in the sources, beside the bundle after the build. */
export function getWorkerFile(name: string, callerUrl: string): URL {
  return new URL(`./${name}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl);
}

/**
 * Memory for new objects in a thread. Node's default grows with the machine's memory, up to a hundred megabytes in each thread, and
 * makes these threads no faster.
 */
const YOUNG_MEGABYTES_MAX = 3;

/** Starts a worker thread that takes little memory. */
export function startWorker(file: URL, { resourceLimits, ...options }: WorkerOptions = {}): Worker {
  return new Worker(file, {
    ...options,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX, ...resourceLimits },
  });
}
