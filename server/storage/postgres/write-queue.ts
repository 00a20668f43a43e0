import { StorageUnavailable } from '../availability.ts';

/** How long a deferred job may stay in memory, so that many share one transaction. */
const DEFERRED_MILLIS = 50;
const BATCH_JOBS = 64;

export type Job = () => Promise<unknown>;

type QueuedJob<Tx> = {
  job: (tx: Tx) => Promise<unknown>;
  resolve: (value: never) => void;
  reject: (reason: unknown) => void;
  /** Set after a transaction with this job failed: it then runs in its own. */
  runsAlone: boolean;
};

/** Runs the work in one transaction and resolves once it is durable. It may run the work more than once. */
type Transact<Tx> = <T>(workspaceId: string, work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * One transaction at a time for each workspace: a second one would only wait for the workspace's lock, and hold a
 * connection meanwhile. Jobs that arrive while one runs share the next. If one of them fails, all are rolled
 * back and run one by one, so that only the failing one rejects.
 */
export class WriteQueue<Tx> {
  readonly #transact: Transact<Tx>;
  readonly #workspaces = new Map<
    string,
    { queue: QueuedJob<Tx>[]; deferred: QueuedJob<Tx>[]; running: boolean }
  >();
  readonly #pendingDeferred = new Map<string, Set<Promise<unknown>>>();
  #flushTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(transact: Transact<Tx>) {
    this.#transact = transact;
  }

  write<T>(workspaceId: string, job: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue(workspaceId, job, 'queue');
  }

  /** Runs the job before the next write of its workspace, within 50 ms at most. */
  writeDeferred<T>(workspaceId: string, job: (tx: Tx) => Promise<T>): Promise<T> {
    const written = this.#enqueue(workspaceId, job, 'deferred');
    this.#flushTimer ??= setTimeout(() => this.#flushAll(), DEFERRED_MILLIS);
    const pending = this.#pendingDeferred.get(workspaceId) ?? new Set();
    this.#pendingDeferred.set(workspaceId, pending.add(written));
    const forget = () => {
      pending.delete(written);
      if (pending.size === 0) this.#pendingDeferred.delete(workspaceId);
    };
    written.then(forget, forget);
    return written;
  }

  /** Resolves when all deferred jobs queued so far, of one workspace or of all, are durable or have failed. */
  async flushDeferred(workspaceId?: string): Promise<void> {
    const workspaceIds = workspaceId === undefined ? [...this.#pendingDeferred.keys()] : [workspaceId];
    for (const id of workspaceIds) this.#pump(id);
    await Promise.allSettled(workspaceIds.flatMap((id) => [...(this.#pendingDeferred.get(id) ?? [])]));
  }

  /** Accepts no more jobs and resolves when none is left. */
  async finish(): Promise<void> {
    this.#isClosed = true;
    this.#flushAll();
    if (this.#workspaces.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #enqueue<T>(workspaceId: string, job: (tx: Tx) => Promise<T>, queueName: 'queue' | 'deferred'): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new StorageUnavailable('the database is closed'));
        return;
      }
      const workspace = this.#workspaces.get(workspaceId) ?? { queue: [], deferred: [], running: false };
      this.#workspaces.set(workspaceId, workspace);
      workspace[queueName].push({ job, resolve, reject, runsAlone: false });
      if (queueName === 'queue') this.#pump(workspaceId);
    });
  }

  #flushAll(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    for (const workspaceId of this.#workspaces.keys()) this.#pump(workspaceId);
  }

  #pump(workspaceId: string): void {
    const workspace = this.#workspaces.get(workspaceId);
    if (!workspace || workspace.running) return;
    // A deferred job comes before every write that began after it.
    workspace.queue.unshift(...workspace.deferred.splice(0));
    if (workspace.queue.length === 0) {
      this.#workspaces.delete(workspaceId);
      if (this.#workspaces.size === 0) this.#onIdle?.();
      return;
    }
    workspace.running = true;
    this.#runBatch(workspaceId, takeBatch(workspace.queue)).then((retries) => {
      workspace.running = false;
      workspace.queue.unshift(...retries);
      this.#pump(workspaceId);
    });
  }

  /** Returns the jobs that have to run again, each alone. */
  async #runBatch(workspaceId: string, batch: readonly QueuedJob<Tx>[]): Promise<readonly QueuedJob<Tx>[]> {
    try {
      const results = await this.#transact(workspaceId, async (tx) => {
        const jobResults: unknown[] = [];
        for (const { job } of batch) jobResults.push(await job(tx));
        return jobResults;
      });
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as never);
      return [];
    } catch (error) {
      const isShared = batch.length > 1 && !(error instanceof StorageUnavailable);
      if (!isShared) {
        for (const { reject } of batch) reject(error);
        return [];
      }
      for (const entry of batch) entry.runsAlone = true;
      return batch;
    }
  }
}

function takeBatch<Tx>(queue: QueuedJob<Tx>[]): QueuedJob<Tx>[] {
  const next = queue.findIndex(({ runsAlone: alone }, index) => alone || index === BATCH_JOBS);
  return queue.splice(0, next === -1 ? queue.length : Math.max(1, next));
}
