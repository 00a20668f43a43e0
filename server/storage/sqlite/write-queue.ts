import type { Database } from 'better-sqlite3';
import { StorageUnavailable } from '../store.ts';
import { asStorageError, isBusy } from './storage-errors.ts';

/** A batch holds the event loop for no longer than this, a single long job aside. */
const BATCH_MILLIS = 4;
const BATCH_JOBS = 256;
/** How long a job waits while another process writes, where nobody says otherwise. */
export const PATIENCE_MILLIS = 5_000;
const RETRY_MILLIS = [2, 4, 8, 16, 20] as const;
/** How long what nobody waits for may stay in memory, so that much of it shares one sync of the disk. */
const LATER_MILLIS = 50;

/**
 * A synchronous piece of work on the writing connection. It may run more than once, so it changes nothing but the
 * database; it must not be asynchronous, since the transaction would be over before it ends.
 */
export type Job<T> = (() => T) & ([Extract<T, PromiseLike<unknown>>] extends [never] ? unknown : never);

/** Runs the job in a transaction; resolves with what it returned once that is on the disk. */
export type Write = <T>(job: Job<T>) => Promise<T>;

export type GroupCommit = {
  readonly write: Write;
  /** Runs the job in front of the next one that somebody waits for, and soon in any case. */
  readonly later: Write;
  /** Resolves when what came `later` is on the disk, or has failed. */
  readonly settled: () => Promise<void>;
  /** Names the transaction that jobs run in: what a job has learned holds for the rest of it, and no longer. */
  readonly transaction: () => number;
  /** Takes no more jobs and resolves when none is left. */
  readonly finish: () => Promise<void>;
};

type Waiting = {
  readonly job: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
  readonly queuedAt: number;
  /** Set after a batch with this job failed: from then on it stands for itself. */
  alone: boolean;
};

/**
 * Writes that are asked for in one turn of the event loop share one transaction, hence one sync of the disk. When one of
 * them fails, all are rolled back and run again one by one, so that only the guilty one fails.
 */
export function groupCommit(writer: Database, patienceMillis = PATIENCE_MILLIS): GroupCommit {
  const begin = writer.prepare('BEGIN IMMEDIATE');
  const commit = writer.prepare('COMMIT');
  const rollback = writer.prepare('ROLLBACK');
  // A process that holds the lock is waited for with timers: inside SQLite the wait would stop the event loop.
  writer.pragma('busy_timeout = 0');

  const queue: Waiting[] = [];
  const delayed: Waiting[] = [];
  let unsettled = 0;
  let flushing: NodeJS.Timeout | undefined;
  let scheduled = false;
  let retries = 0;
  let begun = 0;
  let whenIdle: (() => void) | undefined;
  let closed = false;

  function schedule(afterMillis?: number): void {
    scheduled = true;
    if (afterMillis === undefined) setImmediate(step);
    else setTimeout(step, afterMillis);
  }

  function step(): void {
    scheduled = false;
    const blocked = tryBegin();
    if (blocked === undefined) settle(runBatch());
    else if (isBusy(blocked.error))
      rejectWhere((entry) => performance.now() - entry.queuedAt > patienceMillis);
    else rejectWhere(() => true, blocked.error);

    if (queue.length === 0) whenIdle?.();
    else if (blocked === undefined) schedule();
    else schedule(RETRY_MILLIS[Math.min(retries++, RETRY_MILLIS.length - 1)]);
  }

  function tryBegin(): { readonly error: unknown } | undefined {
    try {
      begin.run();
      begun += 1;
      retries = 0;
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** Runs jobs from the head of the queue up to the commit. */
  function runBatch(): { readonly results: unknown[]; readonly failure?: { readonly error: unknown } } {
    const results: unknown[] = [];
    const until = performance.now() + BATCH_MILLIS;
    try {
      for (const { job, alone } of queue) {
        if (results.length > 0 && (alone || results.length === BATCH_JOBS || performance.now() > until))
          break;
        results.push(resultOf(job));
        if (alone) break;
      }
      commit.run();
      return { results };
    } catch (error) {
      return { results, failure: { error } };
    } finally {
      rollBackUnlessDone();
    }
  }

  function rollBackUnlessDone(): void {
    // SQLite has rolled back by itself after some errors.
    if (!writer.inTransaction) return;
    try {
      rollback.run();
    } catch {
      // What made this fail is met again by the next BEGIN, which reports it.
    }
  }

  function settle({ results, failure }: ReturnType<typeof runBatch>): void {
    if (!failure) {
      queue.splice(0, results.length).forEach((entry, index) => {
        entry.resolve(results[index] as never);
      });
    } else if (queue[0]?.alone || (results.length === 0 && queue.length > 0)) {
      queue.shift()?.reject(asStorageError(failure.error));
    } else {
      for (const entry of queue.slice(0, results.length + 1)) entry.alone = true;
    }
  }

  function rejectWhere(
    placeholder: (entry: Waiting) => boolean,
    error: unknown = new StorageUnavailable('another process keeps the database locked'),
  ): void {
    while (queue[0] && placeholder(queue[0])) queue.shift()?.reject(asStorageError(error));
  }

  function flush(): void {
    clearTimeout(flushing);
    flushing = undefined;
    queue.push(...delayed.splice(0));
    if (queue.length > 0 && !scheduled) schedule();
  }

  const waitIn =
    (line: Waiting[], go: () => void): Write =>
    (job) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new StorageUnavailable('the database is closed'));
          return;
        }
        line.push({ job, resolve, reject, queuedAt: performance.now(), alone: false });
        go();
      });
  const enqueue = waitIn(queue, () => {
    if (!scheduled) schedule();
  });
  const delay = waitIn(delayed, () => {
    flushing ??= setTimeout(flush, LATER_MILLIS);
  });
  const write: Write = (job) => {
    if (delayed.length > 0) flush();
    return enqueue(job);
  };

  return {
    transaction: () => begun,
    write,

    later(job) {
      unsettled += 1;
      return delay(job).finally(() => {
        unsettled -= 1;
      });
    },

    async settled() {
      // They are in front of it, and a failure of theirs is for whoever asked for them.
      if (unsettled > 0) await write(() => undefined).catch(() => undefined);
    },

    finish() {
      flush();
      closed = true;
      return new Promise((resolve) => {
        if (queue.length === 0) resolve();
        else whenIdle = resolve;
      });
    },
  };
}

function resultOf(job: () => unknown): unknown {
  const result = job();
  if (result instanceof Promise) throw new TypeError('a write must be synchronous');
  return result;
}
