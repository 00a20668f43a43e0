import type { Database } from 'better-sqlite3';

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
export function removalSteps(db: Database): (workspaceId: string) => void {
  const steps: readonly Step[] = [
    plain(db, 'feedback'),
    nested(db, 'conversations', 'id', 'turns', 'conversation_id'),
    ...Object.entries(KEYED).map(([table, key]) => keyed(db, table, key)),
    passages(db),
    terms(db),
    nested(db, 'translations', 'id', 'translation_revisions', 'translation_id', 'live_revision'),
    nested(db, 'articles', 'id', 'article_revisions', 'article_id', 'live_revision'),
    ...PLAIN.map((table) => plain(db, table)),
    people(db),
    words(db),
  ];
  const blank = db.prepare(`UPDATE workspaces SET app_id = id, name = '', settings = '{}' WHERE id = ?`);
  return (workspaceId) => {
    if (steps.some((step) => step(workspaceId))) return;
    forgetSamples(db);
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
function people(db: Database): Step {
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
function forgetSamples(db: Database): void {
  const has = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'`).get();
  if (has) db.exec('DELETE FROM sqlite_stat4');
}
