import { and, asc, eq, isNull } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { members, users, workspaceOrigins, workspaces } from '../schema.ts';
import type { NewOwner, NewWorkspace, Workspace, WorkspaceSettings, Workspaces } from '../workspaces.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { bound, insertInto, matches } from './statements.ts';

export function sqliteWorkspaces(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
  { insertWorkspace, putOrigins }: WorkspaceWrites,
): Omit<Workspaces, 'remove' | 'purgeRemoved'> {
  const byId = prepareFind(reader, workspaces.id);
  const byAppId = prepareFind(reader, workspaces.appId);
  const all = reader
    .select()
    .from(workspaces)
    .where(isNotRemoved)
    .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
    .prepare();

  const allowing = reader
    .select({ id: workspaceOrigins.workspaceId })
    .from(workspaceOrigins)
    .innerJoin(workspaces, and(eq(workspaces.id, workspaceOrigins.workspaceId), isNotRemoved))
    .where(matches(workspaceOrigins.origin))
    .limit(1)
    .prepare();

  const current = prepareFind(writer, workspaces.id);
  const update = writer
    .update(workspaces)
    .set(bound('name', 'enabled', 'settings', 'version', 'updatedAt'))
    .where(matches(workspaces.id))
    .prepare();

  return {
    find: (id) => read(() => toWorkspace(byId.get({ id }))),

    findByAppId: (appId) => read(() => toWorkspace(byAppId.get({ appId }))),

    list: () => read(() => all.all().map((row) => toWorkspace(row))),

    isAllowedAnywhere: (candidates) =>
      read(() => candidates.some((origin) => allowing.get({ origin }) !== undefined)),

    create: (workspace, owner) =>
      write(() => (insertWorkspace(workspace, owner) ? 'created' : 'app_id_taken')),

    change: (id, changeOrMake, atMillis, audit) =>
      write(() => {
        const before = toWorkspace(current.get({ id }));
        if (!before) return undefined;
        const change = typeof changeOrMake === 'function' ? changeOrMake(before) : changeOrMake;
        const settings = { ...before.settings, ...change.settings };
        const version = before.version + 1;
        const after: Workspace = { ...before, ...change, settings, version, updatedAt: atMillis };
        const entry = audit?.(before, after);
        if (audit && !entry) return before;
        update.run({ ...after, enabled: after.enabled ? 1 : 0, settings: JSON.stringify(after.settings) });
        if (change.settings) putOrigins(id, settings);
        if (entry) insertAudit(id, entry);
        return after;
      }),
  };
}

const isNotRemoved = isNull(workspaces.removedAt);

function prepareFind(db: Drizzle, key: SQLiteColumn) {
  return db
    .select()
    .from(workspaces)
    .where(and(matches(key), isNotRemoved))
    .prepare();
}

type Row = typeof workspaces.$inferSelect;

function toWorkspace(row: Row): Workspace;
function toWorkspace(row: Row | undefined): Workspace | undefined;
function toWorkspace(row: Row | undefined): Workspace | undefined {
  if (!row) return undefined;
  const { removedAt: _, ...workspace } = row;
  return { ...workspace, settings: JSON.parse(row.settings) };
}

type NewUser = Pick<NewOwner, 'userId' | 'email' | 'passwordHash'>;

export type WorkspaceWrites = {
  /** Creates the workspace, with its owner when given; false when the app id is taken. */
  insertWorkspace(workspace: NewWorkspace, owner?: NewOwner): boolean;
  /** Copies the allowed origins of the settings into their lookup table. */
  putOrigins(workspaceId: string, settings: WorkspaceSettings): void;
  /**
   * Returns the id of the user with this address, who keeps their password, or inserts the new
   * user.
   */
  findOrCreateUser(user: NewUser, createdAt: number): string;
};

/** Workspace writes for use inside a write job. */
export function workspaceWrites(writer: Drizzle): WorkspaceWrites {
  const insert = insertInto(writer, workspaces, 'orIgnore');
  const idIsTaken = writer
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(matches(workspaces.appId))
    .prepare();
  const insertOrigin = insertInto(writer, workspaceOrigins, 'orIgnore');
  const dropOrigins = writer.delete(workspaceOrigins).where(matches(workspaceOrigins.workspaceId)).prepare();
  const userByEmail = writer
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(matches(users.email))
    .prepare();
  const setPassword = writer.update(users).set(bound('passwordHash')).where(matches(users.id)).prepare();
  const insertUser = insertInto(writer, users);
  const insertMember = insertInto(writer, members);

  function putOrigins(workspaceId: string, settings: WorkspaceSettings): void {
    dropOrigins.run({ workspaceId });
    for (const origin of settings.allowedOrigins) insertOrigin({ origin, workspaceId });
  }

  function findOrCreateUser({ userId, email, passwordHash }: NewUser, createdAt: number): string {
    const known = userByEmail.get({ email });
    if (!known) insertUser({ id: userId, email, passwordHash, createdAt });
    else if (known.passwordHash === '') setPassword.run({ id: known.id, passwordHash });
    return known?.id ?? userId;
  }

  return {
    putOrigins,
    findOrCreateUser,
    insertWorkspace(workspace, owner) {
      const { id, appId, name, settings, createdAt } = workspace;
      if (idIsTaken.get({ appId })) return false;
      insert({
        id,
        appId,
        name,
        enabled: true,
        settings: JSON.stringify(settings),
        version: 1,
        createdAt,
        updatedAt: createdAt,
        removedAt: null,
      });
      putOrigins(id, settings);
      if (owner) {
        const userId = findOrCreateUser(owner, createdAt);
        insertMember({ id: owner.memberId, workspaceId: id, userId, role: 'owner', createdAt });
      }
      return true;
    },
  };
}
