import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ParallelArticle, StoredDictionary } from '../../storage/dictionaries.ts';

/** Learns dictionaries in a worker thread of their own, because it takes up to a minute. */
export type Training = {
  /** Resolves when the thread has read the articles: whether more of them would change nothing. */
  add(articles: readonly ParallelArticle[]): Promise<boolean>;
  finish(): Promise<readonly StoredDictionary[]>;
  /** Ends the thread, also before it has finished. */
  stop(): Promise<void>;
};

export type TrainingTask = { readonly articles?: readonly ParallelArticle[] };
export type TrainingReply =
  | { readonly isFull: boolean }
  | { readonly dictionaries: readonly StoredDictionary[] };

/** Next to this file in the sources, next to the bundle in dist/. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './training-worker.ts' : './training-worker.js',
  import.meta.url,
);

/** Far above what is measured; a thread that needs more ends with an error instead of the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024 };

/** @param pairCount how many pairs of locales to expect */
export function startTraining(pairCount: number): Training {
  const worker = new Worker(WORKER_FILE, { workerData: pairCount, resourceLimits: RESOURCE_LIMITS });
  worker.unref();
  const failure = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the training thread exited')));
  });
  failure.catch(() => {});

  async function send<Reply extends TrainingReply>(task: TrainingTask): Promise<Reply> {
    worker.postMessage(task);
    const [reply] = await Promise.race([once(worker, 'message'), failure]);
    return reply;
  }

  return {
    add: async (articles) => (await send<{ isFull: boolean }>({ articles })).isFull,
    finish: async () => (await send<{ dictionaries: readonly StoredDictionary[] }>({})).dictionaries,
    async stop() {
      await worker.terminate();
    },
  };
}
