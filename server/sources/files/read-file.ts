import type { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { LIMITS } from '../../../contract/limits.ts';
import { getWorkerFile, startWorker } from '../../base/worker-file.ts';
import type { FileContents, Refusal } from '../document.ts';
import type { FileReply, FileTask } from './file-worker.ts';
import { linkTranslations, type ReadDocument } from './translations.ts';

type UploadedFile = { name: string; bytes: Uint8Array };

type ReadOptions = {
  /** Language of documents that do not state theirs. */
  sourceLocale: string;
  /** Where visitors open the files of the source, with a slash at the end. */
  baseUrl?: string | undefined;
  signal: AbortSignal;
};

type ReadLimits = {
  /** For one file. */
  secondsMax: number;
  /** For all files of a zip. */
  uploadSecondsMax: number;
  /** Memory of the thread. */
  memoryBytesMax: number;
};

const READ_LIMITS: ReadLimits = {
  secondsMax: LIMITS.readSecondsMax,
  uploadSecondsMax: LIMITS.uploadSecondsMax,
  memoryBytesMax: LIMITS.readMemoryBytesMax,
};

/** Each file takes memory and a core, so files are read one after another. */
const oneAtATime = pLimit(1);

/**
 * Reads a file, or the files in a zip, in a worker thread. Refuses a file that cannot be read, or takes
 * too much time or memory; if such a file ends the thread, a new one continues with the next file.
 * Rejects only with the reason of an abort.
 */
export function readFile(
  file: UploadedFile,
  { sourceLocale, baseUrl, signal }: ReadOptions,
  limits = READ_LIMITS,
): Promise<FileContents> {
  return oneAtATime(async () => {
    const documents: ReadDocument[] = [];
    const refusals: Refusal[] = [];
    const deadline = performance.now() + limits.uploadSecondsMax * 1000;
    let from: number | undefined = 0;
    while (from !== undefined) {
      signal.throwIfAborted();
      const millisLeft = deadline - performance.now();
      if (millisLeft <= 0) {
        refusals.push({ place: file.name, reason: 'timeout' });
        break;
      }
      const millisMax = Math.min(limits.secondsMax * 1000, millisLeft);
      const task = { ...file, sourceLocale, baseUrl, from };
      const { memoryBytesMax } = limits;
      from = await readInThread(task, { documents, refusals, millisMax, memoryBytesMax, signal });
    }
    const linked = linkTranslations(documents, sourceLocale);
    return { documents: linked.documents, refusals: [...refusals, ...linked.refusals] };
  });
}

type ThreadOptions = {
  documents: ReadDocument[];
  refusals: Refusal[];
  /** For each file. */
  millisMax: number;
  memoryBytesMax: number;
  signal: AbortSignal;
};

const MEGABYTE = 1024 * 1024;
/** How often to measure the thread's memory; V8's own limit does not count buffers. */
const MEASURE_MILLIS = 100;

/** Returns the index at which a new thread must continue because a file ended this one; undefined when all are read. */
function readInThread(
  task: FileTask,
  { documents, refusals, millisMax, memoryBytesMax, signal }: ThreadOptions,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const worker = takeThread();
    let reading = { at: task.from, place: task.name };
    let timer = setTimeout(() => refuse('timeout'), millisMax);
    const meter = setInterval(() => void measure(), MEASURE_MILLIS);
    const abort = () => stop(() => reject(signal.reason));
    signal.addEventListener('abort', abort, { once: true });

    function release(): void {
      clearTimeout(timer);
      clearInterval(meter);
      signal.removeEventListener('abort', abort);
      worker.off('message', handleReply).off('error', handleError).off('exit', handleExit);
    }
    function stop(settle: () => void): void {
      release();
      void worker.terminate().then(settle);
    }
    function refuse(reason: Refusal['reason'], detail?: string): void {
      refusals.push({ place: reading.place, reason, ...(detail && { detail }) });
      stop(() => resolve(reading.at + 1));
    }
    async function measure(): Promise<void> {
      const heap = await worker.getHeapStatistics().catch(() => undefined);
      if (heap && heap.used_heap_size + heap.external_memory > memoryBytesMax) refuse('memory');
    }

    function handleReply(reply: FileReply): void {
      if (reply.kind === 'reading') {
        reading = reply;
        clearTimeout(timer);
        timer = setTimeout(() => refuse('timeout'), millisMax);
      } else if (reply.kind === 'read') {
        documents.push(...reply.documents);
        refusals.push(...reply.refusals);
      } else {
        release();
        keepThread(worker);
        resolve(undefined);
      }
    }
    function handleError(error: NodeJS.ErrnoException): void {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse('memory');
      else refuse('unreadable', error.message.slice(0, LIMITS.refusalDetailCharsMax));
    }
    const handleExit = () => refuse('unreadable');

    worker.on('message', handleReply).on('error', handleError).on('exit', handleExit);
    worker.postMessage(task);
  });
}

const WORKER_FILE = getWorkerFile('file-worker', import.meta.url);

/** An idle thread waits a moment for the next file, because several are often uploaded in a row. */
let idleThread: { worker: Worker; timer: NodeJS.Timeout } | undefined;
const IDLE_MILLIS = 5000;

function takeThread(): Worker {
  if (idleThread) {
    const { worker, timer } = idleThread;
    idleThread = undefined;
    clearTimeout(timer);
    worker.ref();
    return worker;
  }
  const worker = startWorker(WORKER_FILE, {
    resourceLimits: { maxOldGenerationSizeMb: LIMITS.readMemoryBytesMax / MEGABYTE },
    // Output of a parser is not a log message of the service.
    stdout: true,
    stderr: true,
  });
  // A thread that crashed or was terminated may still report the reason.
  return worker
    .on('error', () => undefined)
    .on('exit', () => {
      if (idleThread?.worker === worker) idleThread = undefined;
    });
}

function keepThread(worker: Worker): void {
  worker.unref();
  const timer = setTimeout(() => {
    idleThread = undefined;
    void worker.terminate();
  }, IDLE_MILLIS);
  timer.unref();
  idleThread = { worker, timer };
}
