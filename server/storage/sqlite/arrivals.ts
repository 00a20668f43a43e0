/** A workspace that comes in from elsewhere: until it is complete its row says that it is removed, at a time to come. */
import type { WorkspaceImports } from '../holdings.ts';
import type { Workspace } from '../workspaces.ts';
import { arrivalWrites } from './arrival-writes.ts';
import type { Connections } from './connections.ts';
import { sqliteCodeOf } from './storage-errors.ts';
import type { WorkspaceWrites } from './workspace-writes.ts';

/** What there may be only once is there. */
const TAKEN = ['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_TRIGGER'];

export function sqliteWorkspaceImports(
  { writer, reader, read, write }: Connections,
  { putOrigins }: Pick<WorkspaceWrites, 'putOrigins'>,
): WorkspaceImports {
  const db = writer.$client;
  const put = arrivalWrites(writer);
  const idIsTaken = db.prepare('SELECT 1 FROM workspaces WHERE id = ?');
  const insert = db.prepare(
    `INSERT INTO workspaces (id, app_id, name, enabled, settings, version, created_at, updated_at, removed_at)
     VALUES (@id, 'arriving:' || @id, @name, @enabled, @settings, @version, @createdAt, @updatedAt, @untilMillis)`,
  );
  const prolong = db.prepare(
    'UPDATE workspaces SET removed_at = @untilMillis WHERE id = @workspaceId AND removed_at > @nowMillis',
  );
  const abandon = db.prepare('UPDATE workspaces SET removed_at = 0 WHERE id = ? AND removed_at IS NOT NULL');
  const appIdIsTaken = db
    .prepare('SELECT 1 FROM workspaces WHERE app_id = @appId AND id IS NOT @instead')
    .pluck();
  const stands = db.prepare('SELECT 1 FROM workspaces WHERE id = ? AND removed_at IS NULL').pluck();
  const holds = `SELECT EXISTS (SELECT 1 FROM articles WHERE workspace_id = @id)
    OR EXISTS (SELECT 1 FROM conversations WHERE workspace_id = @id)
    OR EXISTS (SELECT 1 FROM events WHERE workspace_id = @id)
    OR EXISTS (SELECT 1 FROM consent_records WHERE workspace_id = @id)`;
  const holdsSomething = db.prepare(holds).pluck();
  const readsSomething = reader.$client.prepare(holds).pluck();
  const moveMembers = db.prepare(
    `UPDATE members SET workspace_id = @workspaceId WHERE workspace_id = @instead
     AND user_id NOT IN (SELECT user_id FROM members WHERE workspace_id = @workspaceId)`,
  );
  const giveWay = db.prepare(
    `UPDATE workspaces SET removed_at = @nowMillis, app_id = 'replaced:' || id WHERE id = @instead`,
  );
  const stand = db.prepare(
    'UPDATE workspaces SET app_id = @appId, removed_at = NULL WHERE id = @workspaceId',
  );

  return {
    begin: (workspace, untilMillis) =>
      write(() => {
        if (idIsTaken.get(workspace.id)) return 'id_taken';
        insert.run({ ...columnsOf(workspace), untilMillis });
        putOrigins(workspace.id, workspace.settings);
        return 'begun';
      }),

    put: (workspaceId, rows, time) =>
      write(() => {
        if (prolong.run({ workspaceId, ...time }).changes === 0) return 'gone';
        const taken = rows.findIndex((row) => !putUnlessTaken(() => put(workspaceId, row)));
        return taken < 0 ? 'put' : { taken };
      }),

    isEmpty: (id) => read(() => readsSomething.get({ id }) === 0),

    complete: (workspaceId, appId, nowMillis, instead) =>
      write(() => {
        if (prolong.run({ workspaceId, nowMillis, untilMillis: nowMillis + 1 }).changes === 0) return 'gone';
        if (appIdIsTaken.get({ appId, instead: instead ?? null })) return 'app_id_taken';
        if (instead !== undefined) {
          if (!stands.get(instead) || holdsSomething.get({ id: instead }) === 1) return 'not_empty';
          moveMembers.run({ workspaceId, instead });
          giveWay.run({ instead, nowMillis });
        }
        stand.run({ workspaceId, appId });
        return 'complete';
      }),

    abandon: (workspaceId) =>
      write(() => {
        abandon.run(workspaceId);
      }),
  };
}

function columnsOf({ id, name, enabled, settings, version, createdAt, updatedAt }: Workspace) {
  return {
    id,
    name,
    enabled: enabled ? 1 : 0,
    settings: JSON.stringify(settings),
    version,
    createdAt,
    updatedAt,
  };
}

/** A statement that breaks a constraint undoes itself alone. */
function putUnlessTaken(put: () => void): boolean {
  try {
    put();
    return true;
  } catch (error) {
    if (TAKEN.includes(sqliteCodeOf(error) ?? '')) return false;
    throw error;
  }
}
