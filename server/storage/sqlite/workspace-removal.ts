import type { Database } from 'better-sqlite3';
import type { Workspaces } from '../workspaces.ts';
import { compactFile } from './compaction.ts';
import type { Connections, Place } from './connections.ts';
import { once } from './lazy.ts';
import { removalSteps } from './removal-steps.ts';

/** A job takes no longer than this, the commit aside: others are answered in between. */
const JOB_MILLIS = 1;
/** After an attempt to compact the file that failed. */
const RETRY_MILLIS = 60_000;

export function sqliteWorkspaceRemoval(
  { writer, read, write, erased }: Connections,
  place: Place,
): Pick<Workspaces, 'remove' | 'purgeRemoved'> {
  const db = writer.$client;
  const { remove, fullest, emptied, forget } = prepare(db);
  const steps = once(() => removalSteps(db));
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
    if (!(await compact(ids)) || !(await read(() => emptyLog(db)))) return false;
    await write(() => {
      for (const id of ids) forget.run(id);
    });
    for (const id of ids) untraced.delete(id);
    erased.inLog = true;
    return true;
  }

  return {
    remove: (id, atMillis) => write(() => (remove.run(atMillis, id).changes > 0 ? 'removed' : 'gone')),

    async purgeRemoved(nowMillis) {
      const isFull = await read(() => fullest.get(nowMillis) !== undefined);
      if (isFull && (await takeSteps(nowMillis))) return { more: true, waiting: false };
      const ids = await read(() => emptied.all(nowMillis) as string[]);
      if (ids.length > 0 && !(await finish(ids))) return { more: false, waiting: true };
      if (erased.inLog) erased.inLog = !(await read(() => emptyLog(db)));
      return { more: false, waiting: erased.inLog };
    },
  };
}

/**
 * Rows that are gone leave traces in pages that hold others' rows; only writing the file anew leaves none. Answers false where that failed
 * lately; for what is untraced it is not done again.
 */
function compaction(place: Place, untraced: Set<string>): (ids: readonly string[]) => Promise<boolean> {
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
function emptyLog(db: Database): boolean {
  const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  return outcome?.busy === 0;
}
