import type { Worker } from 'node:worker_threads';
import { type Role, readModelId } from 'guidepost-model';
import { getWorkerFile, startWorker } from '../../base/worker-file.ts';
import { type Embedded, type Embedder, EmbeddingFailure } from './embedder.ts';

export type ModelTask =
  | { type: 'embed'; id: number; role: Role; texts: readonly string[] }
  | { type: 'cancel'; id: number };
export type ModelReply =
  | { id: number; vectors: readonly Float32Array[]; tokens: number }
  | { id: number; error: string };
export type ModelThreadData = { weights: string | undefined };

type ModelThreadOptions = {
  log: Readonly<Record<'warn' | 'error', (fields: { err: Error }, message: string) => void>>;
  /** Another folder of weights than that of the package. */
  weights?: URL;
};

const WORKER_FILE = getWorkerFile('model-worker', import.meta.url);
/** A thread that ended unexpectedly is started once more. */
const STARTS_MAX = 2;
/** Vectors of the latest questions and page labels; each has about 3 kB. */
const QUERIES_CACHED_MAX = 1_000;

/**
 * Opens the embedding model inside the service, in a thread of its own: one text at a time, questions first. Throws when
 * the model is not installed. After its thread has ended unexpectedly for the second time, all requests fail.
 */
export function openModelThread({ log, weights }: ModelThreadOptions): Embedder {
  const cache = new QueryCache();
  const thread = createThread(log, { weights: weights?.href });

  async function embedQueries(texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
    const missing = [...new Set(texts.filter((text) => !cache.has(text)))];
    // Read before the others are added, which may evict them.
    const vectors = new Map(texts.map((text) => [text, cache.get(text)]));
    const { vectors: added, tokens } =
      missing.length === 0 ? { vectors: [], tokens: 0 } : await thread.embed('query', missing, signal);
    for (const [at, text] of missing.entries()) {
      vectors.set(text, added[at]!);
      cache.set(text, added[at]!);
    }
    return { vectors: texts.map((text) => vectors.get(text)!), tokens };
  }

  return {
    model: readModelId(weights),
    embed: (role, texts, signal) =>
      role === 'query' ? embedQueries(texts, signal) : thread.embed(role, texts, signal),
    close: () => thread.close(),
  };
}

type Vector = Embedded['vectors'][number];

class QueryCache {
  /** Least recently used first. */
  readonly #entries = new Map<string, Vector>();

  has(query: string): boolean {
    return this.#entries.has(query);
  }

  get(query: string): Vector | undefined {
    const vector = this.#entries.get(query);
    if (vector) this.set(query, vector);
    return vector;
  }

  set(query: string, vector: Vector): void {
    this.#entries.delete(query);
    this.#entries.set(query, vector);
    if (this.#entries.size > QUERIES_CACHED_MAX) this.#entries.delete(this.#entries.keys().next().value!);
  }
}

/** Starts the thread at once, so that it is ready for the first question. */
function createThread(log: ModelThreadOptions['log'], workerData: ModelThreadData) {
  const pending = new Map<number, PromiseWithResolvers<Embedded>>();
  let worker: Worker | undefined;
  let starts = 0;
  let isClosed = false;
  let lastId = 0;

  function start(): Worker {
    starts += 1;
    const started = startWorker(WORKER_FILE, { workerData });
    started.unref();
    started.on('message', settle);
    started.once('error', (error) => end(started, error));
    started.once('exit', () => end(started, new Error('the thread exited')));
    return started;
  }

  function settle(reply: ModelReply): void {
    const waiting = pending.get(reply.id);
    if ('error' in reply) waiting?.reject(new EmbeddingFailure('broken', reply.error));
    else waiting?.resolve({ vectors: reply.vectors.map((vector) => [...vector]), tokens: reply.tokens });
  }

  function end(ended: Worker, error: Error): void {
    if (worker !== ended) return;
    worker = undefined;
    rejectAll('the thread of the embedding model ended');
    if (starts < STARTS_MAX) log.warn({ err: error }, 'the embedding model ended and is started again');
    else log.error({ err: error }, 'the embedding model ended again: articles are found by words alone');
  }

  function rejectAll(reason: string): void {
    for (const { reject } of pending.values()) reject(new EmbeddingFailure('broken', reason));
    pending.clear();
  }

  async function embed(role: Role, texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
    if (signal.aborted) throw new EmbeddingFailure('aborted', 'no vector in time');
    if (!worker && starts < STARTS_MAX && !isClosed) worker = start();
    if (!worker) throw new EmbeddingFailure('broken', 'the embedding model is not running');
    lastId += 1;
    const id = lastId;
    const waiting = Promise.withResolvers<Embedded>();
    pending.set(id, waiting);
    const cancel = () => {
      worker?.postMessage({ type: 'cancel', id } satisfies ModelTask);
      waiting.reject(new EmbeddingFailure('aborted', 'no vector in time'));
    };
    signal.addEventListener('abort', cancel, { once: true });
    // A command should not end before its reply, while an idle thread should keep no process alive.
    worker.ref();
    worker.postMessage({ type: 'embed', id, role, texts } satisfies ModelTask);
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      pending.delete(id);
      if (pending.size === 0) worker?.unref();
    }
  }

  worker = start();
  return {
    embed,
    close() {
      isClosed = true;
      const ending = worker;
      worker = undefined;
      rejectAll('the embedding model is closed');
      void ending?.terminate();
    },
  };
}
