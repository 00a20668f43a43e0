import type { Database } from 'better-sqlite3';
import { once } from '../../base/cache.ts';
import { getWorkerFile, startWorker } from '../../base/worker-file.ts';
import { StorageUnavailable } from '../availability.ts';
import { CHILDREN_PER_STEP, PARENTS_PER_STEP, type PurgeEngine, type PurgeStep } from '../workspace-purge.ts';
import type { Connections, DatabaseOptions } from './connections.ts';
import { prepareIndexMerge } from './passages.ts';
import { WAIT_MILLIS } from './write-queue.ts';

const TERMS_PER_STEP = 256;
/** Delay after a failed compaction. */
const RETRY_MILLIS = 60_000;

/** Purges the word index, and the traces of deleted rows in the files. */
export function sqlitePurge(
  { writer: db, readOnWriter, wal }: Connections,
  options: DatabaseOptions,
): PurgeEngine {
  const compact = createCompaction(options);
  const clear = () => readOnWriter(() => checkpoint(db));
  return {
    steps: [
      prepareOnFirstUse(db, purgePassages),
      prepareOnFirstUse(db, purgeTerms),
      prepareOnFirstUse(db, prepareIndexMerge),
      prepareOnFirstUse(db, purgePlannerSamples),
    ],
    compact: async (ids) => (await compact(ids)) && (await clear()),
    async clearLogs() {
      if (wal.containsDeletedRows) wal.containsDeletedRows = !(await clear());
      return !wal.containsDeletedRows;
    },
  };
}

/** Prepares the statements of a step on its first use. */
function prepareOnFirstUse(db: Database, prepare: (db: Database) => PurgeStep): PurgeStep {
  const step = once(() => prepare(db));
  return (...args) => step()(...args);
}

function purgePassages(db: Database): PurgeStep {
  const some = db
    .prepare(`SELECT id FROM passages WHERE workspace_id = +? LIMIT ${PARENTS_PER_STEP}`)
    .pluck();
  const chunks = db
    .prepare(`SELECT id FROM passage_chunks WHERE passage_id = +? LIMIT ${CHILDREN_PER_STEP}`)
    .pluck();
  const removeWords = db.prepare('DELETE FROM passage_index WHERE rowid = ?');
  const removeChunk = db.prepare('DELETE FROM passage_chunks WHERE id = ?');
  const remove = db.prepare('DELETE FROM passages WHERE id = ?');
  return (_tx, workspaceId) => {
    let chunksLeft = CHILDREN_PER_STEP;
    const parents = some.all(workspaceId);
    for (const parent of parents) {
      const children = chunks.all(parent);
      for (const chunkId of children) {
        removeWords.run(chunkId);
        removeChunk.run(chunkId);
      }
      if (children.length < CHILDREN_PER_STEP) remove.run(parent);
      chunksLeft -= children.length;
      if (chunksLeft <= 0) break;
    }
    return parents.length > 0;
  };
}

/** Deletes term frequencies and partitions. */
function purgeTerms(db: Database): PurgeStep {
  const first = db.prepare('SELECT id FROM passage_partitions WHERE workspace_id = +? LIMIT 1').pluck();
  const forget = db.prepare(
    `DELETE FROM passage_terms WHERE partition_id = @partition AND term <= (
       SELECT max(term) FROM (
         SELECT term FROM passage_terms WHERE partition_id = +@partition ORDER BY term LIMIT ${TERMS_PER_STEP}))`,
  );
  const remove = db.prepare('DELETE FROM passage_partitions WHERE id = ?');
  return (_tx, workspaceId) => {
    const partition = first.get(workspaceId);
    if (partition === undefined) return false;
    if (forget.run({ partition }).changes < TERMS_PER_STEP) remove.run(partition);
    return true;
  };
}

/** Deletes planner statistics, which contain samples of stored values. They are rebuilt when the service stops. */
function purgePlannerSamples(db: Database): PurgeStep {
  return () => {
    const hasSamples = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'`).get();
    if (hasSamples) db.exec('DELETE FROM sqlite_stat4');
    return false;
  };
}

/**
 * Returns a function that runs VACUUM, because deleted rows leave traces in shared pages that nothing else
 * removes. The function returns false if VACUUM failed recently, and skips workspaces that are done.
 */
function createCompaction(options: DatabaseOptions): (ids: readonly string[]) => Promise<boolean> {
  let compacted: ReadonlySet<string> = new Set();
  let running: Promise<void> | undefined;
  let retryAt = 0;
  return async (ids) => {
    // A compaction that is already running may have started before these were emptied.
    while (running) await running.catch(() => {});
    if (ids.every((id) => compacted.has(id))) return true;
    if (performance.now() < retryAt) return false;
    try {
      running = compactFile(options).finally(() => {
        running = undefined;
      });
      await running;
    } catch (error) {
      retryAt = performance.now() + RETRY_MILLIS;
      throw error;
    }
    compacted = new Set(ids);
    return true;
  };
}

/**
 * Moves the whole write-ahead log into the database; false while a reader uses an older snapshot
 * from it.
 */
function checkpoint(db: Database): boolean {
  const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  return outcome?.busy === 0;
}

const WORKER_FILE = getWorkerFile('compaction-worker', import.meta.url);

/**
 * Runs VACUUM, which leaves no deleted data in the file. It takes about a second per 200 MB, so it
 * runs in a worker thread; reads continue meanwhile and writes wait.
 */
function compactFile({ file, waitMillis = WAIT_MILLIS }: DatabaseOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = startWorker(WORKER_FILE, { workerData: { file, waitMillis } });
    worker.on('error', (cause) =>
      reject(new StorageUnavailable('the database cannot be compacted now', { cause })),
    );
    worker.on('exit', () => resolve());
  });
}
