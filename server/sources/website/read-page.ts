import type { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { LIMITS } from '../../../contract/limits.ts';
import type { RefusalReason } from '../../../contract/source-fields.ts';
import { getWorkerFile, startWorker } from '../../base/worker-file.ts';
import type { HtmlPage, PageLinks } from '../html.ts';
import type { PageHeaders } from './fetch.ts';
import type { Sitemap } from './sitemap.ts';

/** Parses pages and sitemaps in a worker thread, with limits of time and memory. */

export type PageTask = {
  kind: 'page';
  bytes: Uint8Array;
  url: string;
  headers: PageHeaders;
  sourceLocale: string;
};
export type SitemapTask = Omit<PageTask, 'kind' | 'headers'> & { kind: 'sitemap' };
export type ReadTask = PageTask | SitemapTask;

type Refused = { reason: RefusalReason; detail?: string };
/** Links are canonical and unique. */
export type PageReading = PageLinks & (Refused | (Omit<HtmlPage, 'words'> & { textHash: string }));
export type SitemapReading = Sitemap | Refused;

export type PageReader = {
  readPage(task: Omit<PageTask, 'kind'>, signal: AbortSignal): Promise<PageReading>;
  readSitemap(task: Omit<SitemapTask, 'kind'>, signal: AbortSignal): Promise<SitemapReading>;
  close(): void;
};

const WORKER_FILE = getWorkerFile('page-worker', import.meta.url);
const MEGABYTE = 1024 * 1024;

export type PageReadLimits = { millisMax: number; memoryMegabytesMax: number };

const READ_LIMITS: PageReadLimits = {
  millisMax: LIMITS.pageReadSecondsMax * 1000,
  memoryMegabytesMax: LIMITS.readMemoryBytesMax / MEGABYTE,
};

/** A sitemap may be ten times as large as a page, and a sitemap that cannot be read ends the run. */
const SITEMAP_MILLIS_MAX = LIMITS.readSecondsMax * 1000;

type Thread = {
  worker: Worker;
  /** Ends the task under way. */
  settle: ((reading: unknown) => void) | undefined;
};

/** Creates a reader that starts a thread for the first page, and a new one after a page that ended the thread. */
export function createPageReader({ millisMax, memoryMegabytesMax } = READ_LIMITS): PageReader {
  const oneAtATime = pLimit(1);
  let currentThread: Thread | undefined;

  /** Forgets the thread, so that the next task gets a new one. */
  function dropThread(thread: Thread): void {
    if (currentThread === thread) currentThread = undefined;
  }

  async function run<Reading>(
    task: ReadTask,
    signal: AbortSignal,
    millis = millisMax,
  ): Promise<Reading | Refused> {
    signal.throwIfAborted();
    currentThread ??= startThread(memoryMegabytesMax, dropThread);
    const thread = currentThread;
    const abort = () => {
      dropThread(thread);
      void thread.worker.terminate();
      thread.settle?.({ reason: 'timeout' });
    };
    const timer = setTimeout(abort, millis);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const reading = await new Promise((resolve) => {
        thread.settle = resolve;
        thread.worker.ref();
        thread.worker.postMessage(task);
      });
      signal.throwIfAborted();
      return reading as Reading | Refused;
    } finally {
      thread.settle = undefined;
      thread.worker.unref();
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  return {
    async readPage(task, signal) {
      const reading = await oneAtATime(() => run<PageReading>({ kind: 'page', ...task }, signal));
      return 'links' in reading ? reading : { ...reading, links: [], alternates: [] };
    },
    readSitemap: (task, signal) =>
      oneAtATime(() => run<SitemapReading>({ kind: 'sitemap', ...task }, signal, SITEMAP_MILLIS_MAX)),
    close: () => void currentThread?.worker.terminate(),
  };
}

/** @param onEnd called when the thread has failed or exited */
function startThread(memoryMegabytesMax: number, onEnd: (thread: Thread) => void): Thread {
  const worker = startWorker(WORKER_FILE, {
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytesMax },
    // Output of a parser is not a log message of the service.
    stdout: true,
    stderr: true,
  });
  const thread: Thread = { worker, settle: undefined };
  const end = (refused: Refused) => {
    onEnd(thread);
    thread.settle?.(refused);
  };
  worker.on('message', (reading) => thread.settle?.(reading));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    end({ reason: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'unreadable' }),
  );
  worker.on('exit', () => end({ reason: 'unreadable' }));
  return thread;
}
