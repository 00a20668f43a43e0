import type { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import { getWorkerFile, startWorker } from '../base/worker-file.ts';
import type { SkipCause } from './document.ts';
import type { ReaderTask } from './reader-worker.ts';

const WORKER_FILE = getWorkerFile('reader-worker', import.meta.url);
const MEGABYTE = 1024 * 1024;
/** How often to measure the thread's memory; V8's own limit does not count buffers. */
const MEASURE_MILLIS = 100;
/** An idle thread waits a moment for the next task, because several files are often uploaded in a row. */
const IDLE_MILLIS = 5000;

type RunOptions = { signal: AbortSignal; millisMax: number; memoryBytesMax?: number };

export type ReaderThread = ReturnType<typeof createReaderThread>;

/**
 * Parses untrusted files and pages in a worker thread, one task after another, with limits of time and memory. A task
 * that exceeds them ends the thread; the next task starts a new one.
 */
export function createReaderThread(heapBytesMax: number = SOURCE_LIMITS.readMemoryBytesMax) {
  const oneAtATime = pLimit(1);
  let thread: Worker | undefined;
  let finish: ((result: unknown) => void) | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const worker = startWorker(WORKER_FILE, {
      resourceLimits: { maxOldGenerationSizeMb: heapBytesMax / MEGABYTE },
      // Output of a parser is not a log message of the service.
      stdout: true,
      stderr: true,
    });
    return worker
      .on('message', (result) => worker === thread && finish?.(result))
      .on('error', ({ code, message }: NodeJS.ErrnoException) =>
        end(
          worker,
          code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? { reason: 'memory' }
            : { reason: 'unreadable', detail: message },
        ),
      )
      .on('exit', () => end(worker, { reason: 'unreadable' }));
  }

  /** Ends the thread and, with this cause, its task. A thread that has ended may still report an error. */
  function end(worker: Worker | undefined, cause: SkipCause): void {
    if (!worker || worker !== thread) return;
    const finishTask = finish;
    [thread, finish] = [undefined, undefined];
    void worker.terminate().then(() => finishTask?.(cause));
  }

  async function run(task: ReaderTask, { signal, millisMax, memoryBytesMax = heapBytesMax }: RunOptions) {
    signal.throwIfAborted();
    clearTimeout(idleTimer);
    thread ??= start();
    const worker = thread;
    const stop = () => end(worker, { reason: 'timeout' });
    const timer = setTimeout(stop, millisMax);
    const meter = setInterval(async () => {
      const heap = await worker.getHeapStatistics().catch(() => undefined);
      if (heap && heap.used_heap_size + heap.external_memory > memoryBytesMax)
        end(worker, { reason: 'memory' });
    }, MEASURE_MILLIS);
    signal.addEventListener('abort', stop);
    worker.ref();
    worker.postMessage(task);
    const result = await new Promise<unknown>((resolve) => {
      finish = resolve;
    });
    finish = undefined;
    clearTimeout(timer);
    clearInterval(meter);
    signal.removeEventListener('abort', stop);
    worker.unref();
    idleTimer = setTimeout(close, IDLE_MILLIS).unref();
    signal.throwIfAborted();
    return result;
  }

  const close = () => end(thread, { reason: 'unreadable' });

  return {
    /** Returns the result, or why there is none. Rejects only with the reason of an abort. */
    run: <Result>(task: ReaderTask, options: RunOptions) =>
      oneAtATime(() => run(task, options)) as Promise<Result | SkipCause>,
    close,
  };
}
