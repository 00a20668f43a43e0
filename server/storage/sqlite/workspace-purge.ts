import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { StorageUnavailable } from '../store.ts';
import type { Workspaces } from '../workspaces.ts';
import type { Connections, DatabaseOptions } from './connections.ts';
import { lazy } from './lazy.ts';
import { PATIENCE_MILLIS } from './write-queue.ts';

/**
 * Deletes what a removed workspace holds, a few rows a step, children before parents. What holds nothing itself is deleted in plain
 * chunks; the rest is emptied first, so that no step deletes more by cascade than it means to.
 */

const ROWS_A_STEP = 32;
const CHILDREN_A_STEP = 8;
const PARENTS_A_STEP = 4;
const TERMS_A_STEP = 256;
/** Pages of the index of words that are merged in a step. */
const MERGED_A_STEP = 16;

/** Deletes a few rows of the workspace; false when there was none. */
type Step = (workspaceId: string) => boolean;

/** Tables with row ids whose rows nothing refers to by then. */
const PLAIN = [
  'feedback',
  'consent_records',
  'consent_policies',
  'audit',
  'api_keys',
  'invitations',
  'voice_reservations',
];

/** The other ones, by their key beside the workspace. */
const KEYED = {
  events: 'at_millis, id',
  consent_subjects: 'visitor_id',
  consent_current: 'visitor_id',
  workspace_origins: 'origin',
  event_watermarks: 'workspace_id',
  export_watermarks: 'workspace_id',
  voice_months: 'period',
  token_months: 'period',
  installations: 'domain',
};

/**
 * Returns what takes the next step of a workspace; call that inside a write job. The last step leaves an empty row with the id as app
 * id, so that nobody holds the app id any more.
 */
export function preparePurgeSteps(db: Database): (workspaceId: string) => void {
  const steps: readonly Step[] = [
    plain(db, 'feedback'),
    nested(db, 'conversations', 'id', 'turns', 'conversation_id'),
    ...Object.entries(KEYED).map(([table, key]) => keyed(db, table, key)),
    passages(db),
    terms(db),
    nested(db, 'translations', 'id', 'translation_revisions', 'translation_id', 'live_revision'),
    nested(db, 'articles', 'id', 'article_revisions', 'article_id', 'live_revision'),
    ...PLAIN.map((table) => plain(db, table)),
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

function plain(db: Database, table: string): Step {
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE workspace_id = +? LIMIT ${ROWS_A_STEP})`,
  );
  return (workspaceId) => remove.run(workspaceId).changes > 0;
}

function keyed(db: Database, table: string, key: string): Step {
  const some = db.prepare(`SELECT ${key} FROM ${table} WHERE workspace_id = +? LIMIT ${ROWS_A_STEP}`).raw();
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE workspace_id = ? AND (${key}) = (${key.replaceAll(/\w+/g, '?')})`,
  );
  return (workspaceId) => {
    const rows = some.all(workspaceId) as unknown[][];
    for (const row of rows) remove.run(workspaceId, ...row);
    return rows.length > 0;
  };
}

/** Rows that hold others; `pointer` is what they hold one of them by. */
function nested(
  db: Database,
  table: string,
  id: string,
  children: string,
  by: string,
  pointer?: string,
): Step {
  const some = db
    .prepare(`SELECT ${id} FROM ${table} WHERE workspace_id = +? LIMIT ${PARENTS_A_STEP}`)
    .pluck();
  const letGo = pointer ? db.prepare(`UPDATE ${table} SET ${pointer} = NULL WHERE ${id} = ?`) : undefined;
  const empty = db.prepare(
    `DELETE FROM ${children} WHERE rowid IN (SELECT rowid FROM ${children} WHERE ${by} = +? LIMIT ${CHILDREN_A_STEP})`,
  );
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${id} = ?`);
  return (workspaceId) => {
    let room = CHILDREN_A_STEP;
    const parents = some.all(workspaceId);
    for (const parent of parents) {
      letGo?.run(parent);
      const { changes } = empty.run(parent);
      if (changes < CHILDREN_A_STEP) remove.run(parent);
      room -= changes;
      if (room <= 0) break;
    }
    return parents.length > 0;
  };
}

function passages(db: Database): Step {
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

/** How often a word occurs in a language, and the languages. */
function terms(db: Database): Step {
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

/** Members; whoever belongs to no other workspace goes with them, sessions and all. */
function purgeMembers(db: Database): Step {
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

/** The index of words only notes which rows are gone; merging it is what deletes their words. */
function words(db: Database): Step {
  const merge = db.prepare(
    `INSERT INTO passage_index (passage_index, rank) VALUES ('merge', -${MERGED_A_STEP})`,
  );
  const changes = db.prepare('SELECT total_changes()').pluck();
  return () => {
    const before = changes.get() as number;
    merge.run();
    // The statement itself counts as one.
    return (changes.get() as number) - before > 1;
  };
}

/** What the query planner has learnt holds samples of stored values; it is learnt anew when the service stops. */
function clearPlannerSamples(db: Database): void {
  const has = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'`).get();
  if (has) db.exec('DELETE FROM sqlite_stat4');
}

/** A job takes no longer than this, the commit aside: others are answered in between. */
const JOB_MILLIS = 1;
/** After an attempt to compact the file that failed. */
const RETRY_MILLIS = 60_000;

export function sqliteWorkspacePurge(
  { writer, read, write, wal }: Connections,
  place: DatabaseOptions,
): Pick<Workspaces, 'remove' | 'purgeRemoved'> {
  const db = writer.$client;
  const { remove, fullest, emptied, forget } = prepare(db);
  const steps = lazy(() => preparePurgeSteps(db));
  /** The emptied ones of which the file has no trace any more. */
  const untraced = new Set<string>();
  const compact = compaction(place, untraced);

  /** True when something was deleted, and there may be more. */
  const takeSteps = (nowMillis: number) =>
    write(() => {
      const until = performance.now() + JOB_MILLIS;
      do {
        const id = fullest.get(nowMillis) as string | undefined;
        if (id === undefined) return false;
        steps()(id);
      } while (performance.now() < until);
      return true;
    });

  /** False while somebody keeps the old state of the file from being given up. */
  async function finish(ids: readonly string[]): Promise<boolean> {
    if (!(await compact(ids)) || !(await read(() => checkpoint(db)))) return false;
    await write(() => {
      for (const id of ids) forget.run(id);
    });
    for (const id of ids) untraced.delete(id);
    wal.containsDeletedRows = true;
    return true;
  }

  return {
    remove: (id, atMillis) => write(() => (remove.run(atMillis, id).changes > 0 ? 'removed' : 'gone')),

    async purgeRemoved(nowMillis) {
      const isFull = await read(() => fullest.get(nowMillis) !== undefined);
      if (isFull && (await takeSteps(nowMillis))) return { more: true, waiting: false };
      const ids = await read(() => emptied.all(nowMillis) as string[]);
      if (ids.length > 0 && !(await finish(ids))) return { more: false, waiting: true };
      if (wal.containsDeletedRows) wal.containsDeletedRows = !(await read(() => checkpoint(db)));
      return { more: false, waiting: wal.containsDeletedRows };
    },
  };
}

/**
 * Rows that are gone leave traces in pages that hold others' rows; only writing the file anew leaves none. Answers false where that failed
 * lately; for what is untraced it is not done again.
 */
function compaction(
  place: DatabaseOptions,
  untraced: Set<string>,
): (ids: readonly string[]) => Promise<boolean> {
  let running: Promise<void> | undefined;
  let againAt = 0;
  return async (ids) => {
    // One that runs already may have begun before these were emptied.
    while (running) await running.catch(() => {});
    if (ids.every((id) => untraced.has(id))) return true;
    if (performance.now() < againAt) return false;
    try {
      running = compactFile(place).finally(() => {
        running = undefined;
      });
      await running;
    } catch (error) {
      againAt = performance.now() + RETRY_MILLIS;
      throw error;
    }
    for (const id of ids) untraced.add(id);
    return true;
  };
}

/** A workspace that has been emptied has its id for an app id; the row itself goes last, as what tells that the file is to be compacted. */
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

/** Moves everything from the write-ahead log to the database; false while somebody reads an older state from it. */
function checkpoint(db: Database): boolean {
  const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  return outcome?.busy === 0;
}

/** Beside this file, and beside the bundle that this file is packed into. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './compaction-worker.ts' : './compaction-worker.js',
  import.meta.url,
);

/**
 * Writes the database file anew, without anything that was deleted. In a thread of its own, since it takes about a second for 200 MB;
 * reading goes on meanwhile, and writing waits.
 */
export function compactFile({ file, waitMillis = PATIENCE_MILLIS }: DatabaseOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER_FILE, { workerData: { file, waitMillis } });
    worker.on('error', (cause) =>
      reject(new StorageUnavailable('the database cannot be compacted now', { cause })),
    );
    worker.on('exit', () => resolve());
  });
}
