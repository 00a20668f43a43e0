import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { lazy } from '../sql/lazy.ts';
import { StorageUnavailable } from '../store.ts';
import type { Workspaces } from '../workspaces.ts';
import type { Connections, DatabaseOptions } from './connections.ts';
import { WAIT_MILLIS } from './write-queue.ts';

/**
 * Deletes the rows of a removed workspace in small steps, children before parents. Rows without
 * children are deleted in chunks; parents are
 * emptied first, so that cascades stay bounded.
 */

const ROWS_A_STEP = 32;
const CHILDREN_A_STEP = 8;
const PARENTS_A_STEP = 4;
const TERMS_A_STEP = 256;
/** Up to a megabyte each. */
const DICTIONARIES_A_STEP = 1;
/** Pages of the word index to merge per step. */
const MERGED_A_STEP = 16;

/** Deletes a few rows of the workspace; false when there were none. */
type PurgeStep = (workspaceId: string) => boolean;

/** Tables with row ids that nothing references at that point. */
const PLAIN = [
  'feedback',
  'consent_records',
  'consent_policies',
  'audit',
  'api_keys',
  'invitations',
  'voice_reservations',
];

/** The other tables, by their key besides the workspace. */
const KEYED = {
  events: 'at_millis, id',
  consent_subjects: 'visitor_id',
  erased_visitors: 'mark',
  consent_current: 'visitor_id',
  workspace_origins: 'origin',
  event_watermarks: 'workspace_id',
  export_watermarks: 'workspace_id',
  voice_months: 'period',
  token_months: 'period',
  installations: 'domain',
  dictionary_builds: 'workspace_id',
  embedding_months: 'period',
};

/**
 * Returns a function that takes the next step for a workspace; call it inside a write job. The last
 * step leaves an empty row with the id as
 * app id, which frees the app id.
 */
export function preparePurgeSteps(db: Database): (workspaceId: string) => void {
  const steps: readonly PurgeStep[] = [
    purgeTable(db, 'feedback'),
    purgeParents(db, 'conversations', 'id', 'turns', 'workspace_id = @workspaceId AND conversation_id'),
    ...Object.entries(KEYED).map(([table, key]) => purgeByKey(db, table, key)),
    purgeByKey(db, 'embeddings', 'article_id, locale', CHILDREN_A_STEP),
    purgeByKey(db, 'dictionaries', 'from_locale, to_locale', DICTIONARIES_A_STEP),
    passages(db),
    terms(db),
    purgeParents(db, 'translations', 'id', 'translation_revisions', 'translation_id', 'live_revision'),
    purgeParents(db, 'articles', 'id', 'article_revisions', 'article_id', 'live_revision'),
    ...PLAIN.map((table) => purgeTable(db, table)),
    purgeMembers(db),
    words(db),
  ];
  const blank = db.prepare(`UPDATE workspaces SET app_id = id, name = '', settings = '{}' WHERE id = ?`);
  return (workspaceId) => {
    if (steps.some((step) => step(workspaceId))) return;
    clearPlannerSamples(db);
    blank.run(workspaceId);
  };
}

function purgeTable(db: Database, table: string): PurgeStep {
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE workspace_id = +? LIMIT ${ROWS_A_STEP})`,
  );
  return (workspaceId) => remove.run(workspaceId).changes > 0;
}

function purgeByKey(db: Database, table: string, key: string, rowsAStep = ROWS_A_STEP): PurgeStep {
  const some = db.prepare(`SELECT ${key} FROM ${table} WHERE workspace_id = +? LIMIT ${rowsAStep}`).raw();
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE workspace_id = ? AND (${key}) = (${key.replaceAll(/\w+/g, '?')})`,
  );
  return (workspaceId) => {
    const rows = some.all(workspaceId) as unknown[][];
    for (const row of rows) remove.run(workspaceId, ...row);
    return rows.length > 0;
  };
}

/** Parents; `by` names the column of the children that holds the id of the parent, and `pointer` is the column of a child that references them. */
function purgeParents(
  db: Database,
  table: string,
  id: string,
  children: string,
  by: string,
  pointer?: string,
): PurgeStep {
  const some = db
    .prepare(`SELECT ${id} FROM ${table} WHERE workspace_id = +? LIMIT ${PARENTS_A_STEP}`)
    .pluck();
  const isParent = `workspace_id = @workspaceId AND ${id} = @parent`;
  const unlink = pointer ? db.prepare(`UPDATE ${table} SET ${pointer} = NULL WHERE ${isParent}`) : undefined;
  const empty = db.prepare(
    `DELETE FROM ${children} WHERE rowid IN (SELECT rowid FROM ${children} WHERE ${by} = +@parent LIMIT ${CHILDREN_A_STEP})`,
  );
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${isParent}`);
  return (workspaceId) => {
    let room = CHILDREN_A_STEP;
    const parents = some.all(workspaceId);
    for (const parent of parents) {
      const row = { workspaceId, parent };
      unlink?.run(row);
      const { changes } = empty.run(row);
      if (changes < CHILDREN_A_STEP) remove.run(row);
      room -= changes;
      if (room <= 0) break;
    }
    return parents.length > 0;
  };
}

function passages(db: Database): PurgeStep {
  const some = db.prepare(`SELECT id FROM passages WHERE workspace_id = +? LIMIT ${PARENTS_A_STEP}`).pluck();
  const chunks = db
    .prepare(`SELECT id FROM passage_chunks WHERE passage_id = +? LIMIT ${CHILDREN_A_STEP}`)
    .pluck();
  const removeWords = db.prepare('DELETE FROM passage_index WHERE rowid = ?');
  const removeChunk = db.prepare('DELETE FROM passage_chunks WHERE id = ?');
  const remove = db.prepare('DELETE FROM passages WHERE id = ?');
  return (workspaceId) => {
    let room = CHILDREN_A_STEP;
    const parents = some.all(workspaceId);
    for (const parent of parents) {
      const children = chunks.all(parent);
      for (const window of children) {
        removeWords.run(window);
        removeChunk.run(window);
      }
      if (children.length < CHILDREN_A_STEP) remove.run(parent);
      room -= children.length;
      if (room <= 0) break;
    }
    return parents.length > 0;
  };
}

/** Term frequencies and locales. */
function terms(db: Database): PurgeStep {
  const one = db.prepare('SELECT id FROM passage_partitions WHERE workspace_id = +? LIMIT 1').pluck();
  const forget = db.prepare(
    `DELETE FROM passage_terms WHERE partition_id = @partition AND term <= (
       SELECT max(term) FROM (
         SELECT term FROM passage_terms WHERE partition_id = +@partition ORDER BY term LIMIT ${TERMS_A_STEP}))`,
  );
  const remove = db.prepare('DELETE FROM passage_partitions WHERE id = ?');
  return (workspaceId) => {
    const partition = one.get(workspaceId);
    if (partition === undefined) return false;
    if (forget.run({ partition }).changes < TERMS_A_STEP) remove.run(partition);
    return true;
  };
}

/** Members, and users without another workspace, with their sessions. */
function purgeMembers(db: Database): PurgeStep {
  const some = db.prepare(
    `SELECT id, user_id AS userId FROM members WHERE workspace_id = +? LIMIT ${CHILDREN_A_STEP}`,
  );
  const remove = db.prepare('DELETE FROM members WHERE id = ?');
  const removeUser = db.prepare(
    'DELETE FROM users WHERE id = @userId AND NOT EXISTS (SELECT 1 FROM members WHERE user_id = @userId)',
  );
  return (workspaceId) => {
    const members = some.all(workspaceId) as { id: string; userId: string }[];
    for (const { id, userId } of members) {
      remove.run(id);
      removeUser.run({ userId });
    }
    return members.length > 0;
  };
}

/** The word index only marks rows as deleted; merging removes their words. */
function words(db: Database): PurgeStep {
  const merge = db.prepare(
    `INSERT INTO passage_index (passage_index, rank) VALUES ('merge', -${MERGED_A_STEP})`,
  );
  const changes = db.prepare('SELECT total_changes()').pluck();
  return () => {
    const before = changes.get() as number;
    merge.run();
    // The statement itself counts as one change.
    return (changes.get() as number) - before > 1;
  };
}

/** Planner statistics contain samples of stored values. They are rebuilt when the service stops. */
function clearPlannerSamples(db: Database): void {
  const has = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'`).get();
  if (has) db.exec('DELETE FROM sqlite_stat4');
}

/** Time limit of a job, excluding its commit, so that other requests run in between. */
const JOB_MILLIS = 1;
/** Delay after a failed compaction. */
const RETRY_MILLIS = 60_000;

export function sqliteWorkspacePurge(
  { writer, read, write, wal }: Connections,
  options: DatabaseOptions,
): Pick<Workspaces, 'remove' | 'purgeRemoved'> {
  const db = writer.$client;
  const { remove, fullest, emptied, forget } = prepare(db);
  const steps = lazy(() => preparePurgeSteps(db));
  /** Emptied workspaces whose data a compaction has removed from the file. */
  const compacted = new Set<string>();
  const compact = compaction(options, compacted);

  /** True when rows were deleted and there may be more. */
  const runSteps = (nowMillis: number) =>
    write(() => {
      const until = performance.now() + JOB_MILLIS;
      do {
        const id = fullest.get(nowMillis) as string | undefined;
        if (id === undefined) return false;
        steps()(id);
      } while (performance.now() < until);
      return true;
    });

  /** False while a reader keeps an old snapshot of the file. */
  async function finish(ids: readonly string[]): Promise<boolean> {
    if (!(await compact(ids)) || !(await read(() => checkpoint(db)))) return false;
    await write(() => {
      for (const id of ids) forget.run(id);
    });
    for (const id of ids) compacted.delete(id);
    wal.containsDeletedRows = true;
    return true;
  }

  return {
    remove: (id, atMillis) => write(() => (remove.run(atMillis, id).changes > 0 ? 'removed' : 'gone')),

    async purgeRemoved(nowMillis) {
      const isFull = await read(() => fullest.get(nowMillis) !== undefined);
      if (isFull && (await runSteps(nowMillis))) return { more: true, waiting: false };
      const ids = await read(() => emptied.all(nowMillis) as string[]);
      if (ids.length > 0 && !(await finish(ids))) return { more: false, waiting: true };
      if (wal.containsDeletedRows) wal.containsDeletedRows = !(await read(() => checkpoint(db)));
      return { more: false, waiting: wal.containsDeletedRows };
    },
  };
}

/**
 * Deleted rows leave traces in shared pages, which only VACUUM removes. Returns false if it failed
 * recently; skips workspaces that are done.
 */
function compaction(
  options: DatabaseOptions,
  compacted: Set<string>,
): (ids: readonly string[]) => Promise<boolean> {
  let running: Promise<void> | undefined;
  let againAt = 0;
  return async (ids) => {
    // A compaction that is already running may have started before these were emptied.
    while (running) await running.catch(() => {});
    if (ids.every((id) => compacted.has(id))) return true;
    if (performance.now() < againAt) return false;
    try {
      running = compactFile(options).finally(() => {
        running = undefined;
      });
      await running;
    } catch (error) {
      againAt = performance.now() + RETRY_MILLIS;
      throw error;
    }
    for (const id of ids) compacted.add(id);
    return true;
  };
}

/**
 * An emptied workspace has its id as app id. Its row is deleted last, because it records that compaction is
 * pending.
 */
function prepare(db: Database) {
  return {
    remove: db.prepare('UPDATE workspaces SET removed_at = ? WHERE id = ? AND removed_at IS NULL'),
    fullest: db
      .prepare(
        'SELECT id FROM workspaces WHERE removed_at <= +? AND app_id <> id ORDER BY removed_at LIMIT 1',
      )
      .pluck(),
    emptied: db.prepare('SELECT id FROM workspaces WHERE removed_at <= ? AND app_id = id').pluck(),
    forget: db.prepare('DELETE FROM workspaces WHERE id = ? AND app_id = id'),
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

/** Next to this file in the source, and next to the bundle after the build. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './compaction-worker.ts' : './compaction-worker.js',
  import.meta.url,
);

/**
 * Runs VACUUM, which leaves no deleted data in the file. It takes about a second per 200 MB, so it
 * runs in a worker thread; reads continue meanwhile
 * and writes wait.
 */
export function compactFile({ file, waitMillis = WAIT_MILLIS }: DatabaseOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER_FILE, { workerData: { file, waitMillis } });
    worker.on('error', (cause) =>
      reject(new StorageUnavailable('the database cannot be compacted now', { cause })),
    );
    worker.on('exit', () => resolve());
  });
}
