import { Worker } from 'node:worker_threads';
import type { SimilarArticle, VectorRow } from './vector-table.ts';

/** Holds and compares vectors in a worker thread: comparing 100,000 takes up to a tenth of a second. */
export type VectorThread = {
  add(table: number, rows: readonly VectorRow[]): void;
  drop(table: number): void;
  search(table: number, question: readonly number[], limit: number): Promise<readonly SimilarArticle[]>;
  close(): Promise<void>;
};

export type VectorTask =
  | { readonly type: 'add'; readonly table: number; readonly rows: readonly VectorRow[] }
  | { readonly type: 'drop'; readonly table: number }
  | {
      readonly type: 'search';
      readonly id: number;
      readonly table: number;
      readonly question: readonly number[];
      readonly limit: number;
    };
export type VectorReply = { readonly id: number; readonly found: readonly SimilarArticle[] };

/** Next to this file in the sources, next to the bundle in dist/. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './vector-worker.ts' : './vector-worker.js',
  import.meta.url,
);

/** @param onEnd called when the thread has ended unexpectedly, and its tables with it */
export function startVectorThread(onEnd: () => void): VectorThread {
  const pending = new Map<number, PromiseWithResolvers<readonly SimilarArticle[]>>();
  let worker: Worker | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(WORKER_FILE);
    started.unref();
    started.on('message', ({ id, found }: VectorReply) => {
      pending.get(id)?.resolve(found);
      pending.delete(id);
    });
    const end = (reason: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      for (const { reject } of pending.values()) reject(reason);
      pending.clear();
      onEnd();
    };
    started.on('error', end);
    started.on('exit', () => end(new Error('the vector thread exited')));
    return started;
  }

  const post = (task: VectorTask) => {
    worker ??= start();
    worker.postMessage(task);
  };
  return {
    add: (table, rows) => post({ type: 'add', table, rows }),
    drop: (table) => post({ type: 'drop', table }),
    search(table, question, limit) {
      const id = ++lastId;
      const reply = Promise.withResolvers<readonly SimilarArticle[]>();
      pending.set(id, reply);
      post({ type: 'search', id, table, question, limit });
      return reply.promise;
    },
    async close() {
      const ending = worker;
      worker = undefined;
      for (const { reject } of pending.values()) reject(new Error('the vector thread is closed'));
      pending.clear();
      await ending?.terminate();
    },
  };
}
