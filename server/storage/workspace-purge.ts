import { type SQL, sql } from 'drizzle-orm';
import type { SqlDatabase, WriteTx } from './database.ts';
import { runFor } from './erasure.ts';
import { input, rawStatement } from './statements.ts';

/**
 * Deletes the rows of a removed workspace in small steps, children before parents. Parents are emptied first, so
 * that cascades stay bounded.
 */

const ROWS_PER_STEP = 32;
export const CHILDREN_PER_STEP = 8;
export const PARENTS_PER_STEP = 4;
/** Up to a megabyte each. */
const DICTIONARIES_PER_STEP = 1;
/** Up to five megabytes each. */
const IMAGES_PER_STEP = 1;

/** Deletes a few rows of the workspace; false when there were none. */
export type PurgeStep = (tx: WriteTx, workspaceId: string) => boolean | Promise<boolean>;

/** Engine-specific steps besides the rows that all engines have. */
export type PurgeEngine = {
  /** Delete the rows of the word index, and then other traces. */
  steps: readonly PurgeStep[];
  /** Removes the remains of the emptied workspaces; false while that is blocked. */
  compact(workspaceIds: readonly string[]): Promise<boolean>;
  /** Removes deleted rows from logs; false while that is blocked. */
  clearLogs(): Promise<boolean>;
};

export function sqlWorkspacePurge({ read, write, jobMillis }: SqlDatabase, engine: PurgeEngine) {
  const steps = [...STEPS, ...engine.steps];

  /** Deletes a few rows; if none is left, empties the workspace's own row and frees its app id. */
  async function takeStep(tx: WriteTx, workspaceId: string): Promise<void> {
    for (const step of steps) if (await step(tx, workspaceId)) return;
    await tx.run(clearWorkspaceRow, { workspaceId });
  }

  /** Returns true when there may be more rows. Spans workspaces, because an account may be a member of several. */
  const runSteps = (nowMillis: number) =>
    write(undefined, (tx) =>
      runFor(jobMillis, async () => {
        const workspace = await tx.get(nextToPurge, { nowMillis });
        if (!workspace) return false;
        await tx.lock(workspace.id);
        await takeStep(tx, workspace.id);
        return true;
      }),
    );

  return {
    /** Hides the workspace at once; `purgeRemoved` deletes its data. */
    remove: (id: string, atMillis: number) =>
      write(id, async (tx) => ((await tx.run(remove, { id, atMillis })) > 0 ? 'removed' : 'gone')),

    /**
     * Deletes a bounded part of the data of removed workspaces, and its traces where the engine can; call
     * again while `more`. `waiting` means that all rows are deleted, but removing their traces has to wait,
     * for example for a reader of an older snapshot.
     */
    async purgeRemoved(nowMillis: number) {
      const hasRows = await read(
        undefined,
        async (tx) => (await tx.get(nextToPurge, { nowMillis })) !== undefined,
      );
      if (hasRows && (await runSteps(nowMillis))) return { more: true, waiting: false };
      const ids = await read(undefined, async (tx) =>
        (await tx.all(emptied, { nowMillis })).map(({ id }) => id),
      );
      if (ids.length > 0) {
        if (!(await engine.compact(ids))) return { more: false, waiting: true };
        await write(undefined, async (tx) => {
          tx.noteErasure();
          await Promise.all(ids.map((id) => tx.run(removeWorkspaceRow, { id })));
        });
      }
      return { more: false, waiting: !(await engine.clearLogs()) };
    },
  };
}

const remove = rawStatement(
  sql`UPDATE workspaces SET removed_at = ${input('atMillis')} WHERE id = ${input('id')} AND removed_at IS NULL`,
);
const nextToPurge = rawStatement<{ id: string }>(
  sql`SELECT id FROM workspaces WHERE removed_at <= ${input('nowMillis')}
    AND app_id <> id ORDER BY removed_at LIMIT 1`,
  'id',
);
const clearWorkspaceRow = rawStatement(
  sql`UPDATE workspaces SET app_id = id, name = '', settings = '{}' WHERE id = ${input('workspaceId')}`,
);
// Its row is deleted last, because it records that compaction is pending.
const emptied = rawStatement<{ id: string }>(
  sql`SELECT id FROM workspaces WHERE removed_at <= ${input('nowMillis')} AND app_id = id`,
  'id',
);
const removeWorkspaceRow = rawStatement(
  sql`DELETE FROM workspaces WHERE id = ${input('id')} AND app_id = id`,
);

/** @param key the key of the table, whose rows nothing references at that point */
function purgeTable(tableName: string, keyColumns: string, rowsAStep = ROWS_PER_STEP): PurgeStep {
  const [table, key] = [sql.raw(tableName), sql.raw(keyColumns)];
  const some = rawStatement(
    sql`DELETE FROM ${table} WHERE (${key}) IN (
       SELECT ${key} FROM ${table} WHERE workspace_id = ${input('workspaceId')} LIMIT ${rowsAStep})`,
  );
  return async (tx, workspaceId) => (await tx.run(some, { workspaceId })) > 0;
}

type Children = {
  table: string;
  key: string;
  /** The condition on a parent's children, with the placeholders `parent` and `workspaceId`. */
  of: SQL;
  /** The parents' column that references a child. */
  pointer?: string;
};

/** Deletes parents, whose key is (workspace_id, id) or id, after their children. */
function purgeParents(
  tableName: string,
  { table: childTable, key: keyColumns, of, pointer }: Children,
): PurgeStep {
  const [table, children, key] = [tableName, childTable, keyColumns].map(sql.raw);
  const isParent = sql`workspace_id = ${input('workspaceId')} AND id = ${input('parent')}`;
  const some = rawStatement<{ parent: string }>(
    sql`SELECT id FROM ${table} WHERE workspace_id = ${input('workspaceId')} LIMIT ${PARENTS_PER_STEP}`,
    'parent',
  );
  const unlink =
    pointer && rawStatement(sql`UPDATE ${table} SET ${sql.raw(pointer)} = NULL WHERE ${isParent}`);
  const removeChildren = rawStatement(
    sql`DELETE FROM ${children} WHERE (${key}) IN (SELECT ${key} FROM ${children} WHERE ${of} LIMIT ${CHILDREN_PER_STEP})`,
  );
  const remove = rawStatement(sql`DELETE FROM ${table} WHERE ${isParent}`);
  return async (tx, workspaceId) => {
    let childrenLeft = CHILDREN_PER_STEP;
    const parents = await tx.all(some, { workspaceId });
    for (const { parent } of parents) {
      const row = { workspaceId, parent };
      if (unlink) await tx.run(unlink, row);
      const removed = await tx.run(removeChildren, row);
      if (removed < CHILDREN_PER_STEP) await tx.run(remove, row);
      childrenLeft -= removed;
      if (childrenLeft <= 0) break;
    }
    return parents.length > 0;
  };
}

/** Deletes members, and users without another workspace, with their sessions. */
function purgeMembers(): PurgeStep {
  const some = rawStatement<{ id: string; userId: string }>(
    sql`SELECT id, user_id FROM members WHERE workspace_id = ${input('workspaceId')} LIMIT ${CHILDREN_PER_STEP}`,
    'id',
    'userId',
  );
  const remove = rawStatement(sql`DELETE FROM members WHERE id = ${input('id')}`);
  const removeUser = rawStatement(
    sql`DELETE FROM users WHERE id = ${input('userId')}
      AND NOT EXISTS (SELECT 1 FROM members WHERE user_id = ${input('userId')})`,
  );
  return async (tx, workspaceId) => {
    const members = await tx.all(some, { workspaceId });
    for (const member of members) {
      await tx.run(remove, member);
      await tx.run(removeUser, member);
    }
    return members.length > 0;
  };
}

/** Deletes automation sessions, with their permissions. */
function purgeAutomationSessions(): PurgeStep {
  const some = rawStatement<{ id: string }>(
    sql`SELECT id FROM automation_sessions WHERE workspace_id = ${input('workspaceId')} LIMIT ${CHILDREN_PER_STEP}`,
    'id',
  );
  const end = rawStatement(sql`DELETE FROM sessions WHERE id = ${input('id')}`);
  const remove = rawStatement(sql`DELETE FROM automation_sessions WHERE id = ${input('id')}`);
  return async (tx, workspaceId) => {
    const sessions = await tx.all(some, { workspaceId });
    for (const { id } of sessions) {
      await tx.run(end, { id });
      await tx.run(remove, { id });
    }
    return sessions.length > 0;
  };
}

const STEPS: readonly PurgeStep[] = [
  purgeTable('webhook_deliveries', 'id'),
  purgeTable('webhook_events', 'id', CHILDREN_PER_STEP),
  purgeTable('webhooks', 'id'),
  purgeTable('answer_tests', 'id'),
  purgeTable('answer_test_runs', 'workspace_id'),
  purgeTable('inbox_questions', 'message_id'),
  purgeTable('inbox_groups', 'id'),
  purgeTable('inbox_progress', 'workspace_id'),
  purgeTable('anonymous_questions', 'id'),
  purgeTable('conversation_notes', 'id'),
  purgeTable('handover_notes', 'id'),
  purgeTable('handover_replies', 'id'),
  purgeTable('handovers', 'id'),
  purgeTable('feedback', 'message_id'),
  purgeParents('conversations', {
    table: 'turns',
    key: 'message_id',
    of: sql`workspace_id = ${input('workspaceId')} AND conversation_id = ${input('parent')}`,
  }),
  purgeTable('events', 'workspace_id, at_millis, id'),
  purgeTable('consent_subjects', 'workspace_id, visitor_id'),
  purgeTable('erased_visitors', 'workspace_id, mark'),
  purgeTable('consent_current', 'workspace_id, visitor_id'),
  purgeTable('workspace_origins', 'origin, workspace_id'),
  purgeTable('event_watermarks', 'workspace_id'),
  purgeTable('export_watermarks', 'workspace_id'),
  purgeTable('voice_months', 'workspace_id, period'),
  purgeTable('token_months', 'workspace_id, period'),
  purgeTable('installations', 'workspace_id, domain'),
  purgeTable('workspace_models', 'workspace_id'),
  purgeTable('customer_keys', 'id'),
  purgeTable('help_domains', 'workspace_id'),
  purgeTable('sign_in_domains', 'workspace_id, domain'),
  purgeTable('identity_providers', 'workspace_id'),
  purgeTable('identities', 'id'),
  purgeTable('dictionary_builds', 'workspace_id'),
  purgeTable('embedding_months', 'workspace_id, period'),
  purgeTable('embeddings', 'workspace_id, article_id, locale', CHILDREN_PER_STEP),
  purgeTable('dictionaries', 'workspace_id, from_locale, to_locale', DICTIONARIES_PER_STEP),
  purgeTable('images', 'id', IMAGES_PER_STEP),
  purgeTable('source_frontier', 'run_id, url'),
  purgeTable('source_run_items', 'run_id, place'),
  purgeTable('source_readings', 'source_id, place', CHILDREN_PER_STEP),
  purgeTable('source_uploads', 'source_id, name'),
  purgeTable('source_documents', 'source_id, place'),
  purgeTable('source_runs', 'id', CHILDREN_PER_STEP),
  purgeTable('sources', 'id', CHILDREN_PER_STEP),
  purgeTable('article_addresses', 'workspace_id, slug, locale'),
  purgeParents('translations', {
    table: 'translation_revisions',
    key: 'translation_id, revision',
    of: sql`translation_id = ${input('parent')}`,
    pointer: 'live_revision',
  }),
  purgeParents('articles', {
    table: 'article_revisions',
    key: 'article_id, revision',
    of: sql`article_id = ${input('parent')}`,
    pointer: 'live_revision',
  }),
  purgeTable('collections', 'id'),
  purgeTable('consent_records', 'workspace_id, position'),
  purgeTable('consent_policies', 'workspace_id, version'),
  purgeTable('audit', 'sequence'),
  purgeTable('api_keys', 'id'),
  purgeTable('idempotency_keys', 'session_id, key', CHILDREN_PER_STEP),
  purgeAutomationSessions(),
  purgeTable('invitations', 'id'),
  purgeTable('mails', 'id'),
  purgeTable('voice_reservations', 'id'),
  purgeMembers(),
];
