import type { Database, Statement } from 'better-sqlite3';
import { StorageUnavailable } from '../availability.ts';
import type { WriteTx } from '../database.ts';
import { asStorageError, isBusy } from './storage-errors.ts';
import { PreparedStatements, Transaction } from './transaction.ts';

/** Time limit for a batch on the event loop; a single job may take longer. */
const BATCH_MILLIS = 4;
/** Where the turns of the event loop are long, a batch may take as long as the last one, so that writes keep up. */
const BATCH_MILLIS_MAX = 60;
/** Commits block the event loop. Under sustained writes, other work gets this many times as much time, so batches grow. */
const OTHER_WORK_FACTOR = 3;
const FIRST_COMMITS_MILLIS = 40;
const PAUSE_MILLIS_MAX = 50;
const BATCH_JOBS = 256;
/** How long a job waits for a write of another process. */
export const WAIT_MILLIS = 5_000;
const RETRY_MILLIS = [2, 4, 8, 16, 20] as const;
/** How long a deferred write may stay in memory, so that many share one disk sync. */
const DEFERRED_MILLIS = 50;

/**
 * Work on the writing connection. It may run more than once, so it must change only the database, and it may
 * await only `tx`. Jobs of this engine alone use statements of the connection, and need not be async.
 */
export type Job<T> = (tx: WriteTx) => T | Promise<T>;

/** Runs the job in a transaction and resolves with its result once the commit is on disk. */
export type Write = <T>(job: Job<T>) => Promise<T>;

type QueuedJob = {
  job: Job<unknown>;
  resolve: (value: never) => void;
  reject: (reason: unknown) => void;
  queuedAt: number;
  /** Set after a batch with this job failed: it then runs in its own transaction. */
  runsAlone: boolean;
};

/** Whether the files may be written to, and still are those of the data folder; see file-guard.ts. */
type WriteGuard = {
  /** Why nothing may be written; undefined when no problem is known. */
  writeError(): StorageUnavailable | undefined;
  /** Checks the files after each commit, before it is acknowledged. */
  check(): StorageUnavailable | undefined;
  toStorageError(error: unknown): unknown;
};

const UNGUARDED: WriteGuard = {
  writeError: () => undefined,
  check: () => undefined,
  toStorageError: asStorageError,
};

type Batch = {
  results: readonly unknown[];
  failure?: { error: unknown } | undefined;
};

/**
 * Group commit: writes of one event-loop turn share a transaction, and so one disk sync. If one fails, all
 * are rolled back and retried one by one, so that only the failing one rejects. The whole transaction is
 * one run of the microtask queue, which nothing else can enter, because a job awaits only statements, and
 * those run at once.
 */
export class WriteQueue {
  readonly #writer: Database;
  readonly #waitMillis: number;
  readonly #guard: WriteGuard;
  readonly #statements: PreparedStatements;
  readonly #noteErasure: (() => void) | undefined;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #queue: QueuedJob[] = [];
  readonly #deferred: QueuedJob[] = [];
  #pendingDeferred = 0;
  #flushTimer: NodeJS.Timeout | undefined;
  #isScheduled = false;
  #scheduledAt = 0;
  #committedAt = 0;
  /** How much time other work should get because of the commits so far. */
  #owedMillis = 0;
  #retries = 0;
  #transactions = 0;
  #onIdle: (() => void) | undefined;
  #isClosed = false;
  #isLastWriteStored = false;
  #open: Promise<Batch> | undefined;

  constructor(writer: Database, waitMillis = WAIT_MILLIS, guard = UNGUARDED, noteErasure?: () => void) {
    this.#writer = writer;
    this.#guard = guard;
    this.#statements = new PreparedStatements(writer);
    this.#noteErasure = noteErasure;
    this.#waitMillis = waitMillis;
    this.#begin = writer.prepare('BEGIN IMMEDIATE');
    this.#commit = writer.prepare('COMMIT');
    this.#rollback = writer.prepare('ROLLBACK');
    // The queue waits for other processes with timers: waiting inside SQLite would block the event loop.
    writer.pragma('busy_timeout = 0');
  }

  /** The number of the current transaction. */
  readonly transaction = (): number => this.#transactions;

  /** Resolves when no transaction is open on the writing connection. */
  readonly whenNoTransaction = async (): Promise<void> => {
    while (this.#open) await this.#open;
  };

  /** Whether the last write was stored. If so, the readiness check needs no test write. */
  readonly isLastWriteStored = (): boolean =>
    this.#isLastWriteStored && this.#guard.writeError() === undefined;

  readonly write: Write = (job) => {
    if (this.#deferred.length > 0) this.#flush();
    return this.#enqueue(this.#queue, job, () => this.#schedule());
  };

  /**
   * Runs the job before the next `write`, within 50 ms at most. It is lost if the process dies
   * first.
   */
  readonly writeDeferred: Write = (job) => {
    this.#pendingDeferred += 1;
    const start = () => {
      this.#flushTimer ??= setTimeout(() => this.#flush(), DEFERRED_MILLIS);
    };
    return this.#enqueue(this.#deferred, job, start).finally(() => {
      this.#pendingDeferred -= 1;
    });
  };

  /**
   * Resolves when every deferred write is on disk or has failed; each write's own promise reports
   * its failure.
   */
  readonly flushDeferred = async (): Promise<void> => {
    if (this.#pendingDeferred > 0) await this.write(() => undefined).catch(() => undefined);
  };

  /** Accepts no more jobs and resolves when none is left. */
  readonly finish = (): Promise<void> => {
    this.#flush();
    this.#isClosed = true;
    return new Promise((resolve) => {
      if (this.#queue.length === 0) resolve();
      else this.#onIdle = resolve;
    });
  };

  #enqueue<T>(jobs: QueuedJob[], job: Job<T>, start: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new StorageUnavailable('the database is closed'));
        return;
      }
      jobs.push({ job, resolve, reject, queuedAt: performance.now(), runsAlone: false });
      start();
    });
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#queue.push(...this.#deferred.splice(0));
    if (this.#queue.length > 0) this.#schedule();
  }

  #schedule(afterMillis?: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduledAt = performance.now();
    const pauseMillis = afterMillis ?? this.#getPause();
    if (pauseMillis === undefined) setImmediate(() => void this.#run());
    else setTimeout(() => void this.#run(), pauseMillis);
  }

  #getPause(): number | undefined {
    const pauseMillis = this.#owedMillis - FIRST_COMMITS_MILLIS - (this.#scheduledAt - this.#committedAt);
    return pauseMillis < 1 ? undefined : Math.min(pauseMillis, PAUSE_MILLIS_MAX);
  }

  async #run(): Promise<void> {
    const writeError = this.#guard.writeError();
    const beginFailure = writeError ? { error: writeError } : this.#tryBegin();
    if (beginFailure === undefined) this.#settle(await this.#runBatch());
    else if (isBusy(beginFailure.error)) this.#rejectOverdue();
    else this.#rejectAll(beginFailure.error);

    this.#isScheduled = false;
    if (this.#queue.length === 0) this.#onIdle?.();
    else if (beginFailure === undefined) this.#schedule();
    else this.#schedule(RETRY_MILLIS[Math.min(this.#retries++, RETRY_MILLIS.length - 1)]);
  }

  #tryBegin(): { error: unknown } | undefined {
    try {
      this.#begin.run();
      this.#transactions += 1;
      this.#retries = 0;
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** Runs jobs from the head of the queue and commits. */
  async #runBatch(): Promise<Batch> {
    const results: unknown[] = [];
    const tx = new Transaction(this.#statements, this.#noteErasure);
    this.#open = new Promise((resolve) => {
      const end = (failure?: Batch['failure']) => {
        if (tx.isOver) return;
        tx.isOver = true;
        clearImmediate(watchdog);
        resolve(this.#endTransaction(results, failure));
      };
      // The microtask queue ran empty, so a job awaits something other than `tx`.
      const watchdog = setImmediate(() =>
        end({ error: new TypeError('a write may await only its own transaction') }),
      );
      this.#runJobs(tx, results).then(
        () => end(),
        (error) => end({ error }),
      );
    });
    const batch = await this.#open;
    this.#open = undefined;
    return batch;
  }

  async #runJobs(tx: Transaction, results: unknown[]): Promise<void> {
    const now = performance.now();
    const millis = Math.max(BATCH_MILLIS, Math.min(BATCH_MILLIS_MAX, now - this.#scheduledAt));
    const until = now + millis;
    const isFull = () => results.length === BATCH_JOBS || performance.now() > until;
    for (const { job, runsAlone: alone } of this.#queue) {
      if (results.length > 0 && (alone || isFull())) break;
      const result = job(tx);
      const settled = result instanceof Promise ? await result : result;
      if (tx.isOver) return;
      results.push(settled);
      if (alone) break;
    }
  }

  #endTransaction(results: readonly unknown[], failure: Batch['failure']): Batch {
    try {
      if (failure) return { results, failure };
      const startedAt = performance.now();
      this.#commit.run();
      const endedAt = performance.now();
      const owedBefore = Math.max(0, this.#owedMillis - (startedAt - this.#committedAt));
      this.#owedMillis = owedBefore + OTHER_WORK_FACTOR * (endedAt - startedAt);
      this.#committedAt = endedAt;
      return { results };
    } catch (error) {
      return { results, failure: { error } };
    } finally {
      this.#rollBackUnlessDone();
    }
  }

  #rollBackUnlessDone(): void {
    // SQLite rolls back by itself after some errors.
    if (!this.#writer.inTransaction) return;
    try {
      this.#rollback.run();
    } catch {
      // The next BEGIN fails with the same error and reports it.
    }
  }

  #settle({ results, failure }: Batch): void {
    const queue = this.#queue;
    if (!failure) {
      const writeError = this.#guard.check();
      this.#isLastWriteStored = writeError === undefined;
      queue.splice(0, results.length).forEach((entry, index) => {
        if (writeError) entry.reject(writeError);
        else entry.resolve(results[index] as never);
      });
    } else if (queue[0]?.runsAlone || (results.length === 0 && queue.length > 0)) {
      this.#reject(queue.shift(), failure.error);
    } else {
      for (const entry of queue.slice(0, results.length + 1)) entry.runsAlone = true;
    }
  }

  #rejectOverdue(): void {
    const error = new StorageUnavailable('another process keeps the database locked');
    const queuedBefore = performance.now() - this.#waitMillis;
    while (this.#queue[0] && this.#queue[0].queuedAt < queuedBefore) this.#reject(this.#queue.shift(), error);
  }

  #rejectAll(error: unknown): void {
    for (const entry of this.#queue.splice(0)) this.#reject(entry, error);
  }

  #reject(entry: QueuedJob | undefined, error: unknown): void {
    const reason = this.#guard.toStorageError(error);
    if (reason instanceof StorageUnavailable) this.#isLastWriteStored = false;
    entry?.reject(reason);
  }
}
