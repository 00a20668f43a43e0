import { and, asc, isNull } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { AccountProblem } from '../members.ts';
import { members, workspaceOrigins, workspaces } from '../sql/schema.ts';
import type { NewOwner, NewWorkspace, Workspace, WorkspaceSettings, Workspaces } from '../workspaces.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { bound, insertInto, matches } from './statements.ts';
import { userWrites } from './user-writes.ts';

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

    create: (workspace, owner) => write(() => insertWorkspace(workspace, owner)),

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
  /** Creates the workspace, with its owner when given. */
  insertWorkspace(workspace: NewWorkspace, owner?: NewOwner): 'created' | 'app_id_taken' | AccountProblem;
  /** Copies the allowed origins of the settings into their lookup table. */
  putOrigins(workspaceId: string, settings: WorkspaceSettings): void;
  /** Inserts a proved account, or without a password finds the one that the address has. */
  findOrCreateAccount(user: NewUser, createdAt: number): { readonly userId: string } | AccountProblem;
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
  const accounts = userWrites(writer);
  const insertMember = insertInto(writer, members);

  function putOrigins(workspaceId: string, settings: WorkspaceSettings): void {
    dropOrigins.run({ workspaceId });
    for (const origin of settings.allowedOrigins) insertOrigin({ origin, workspaceId });
  }

  function findOrCreateAccount({ userId, email, passwordHash }: NewUser, createdAt: number) {
    const proved = accounts.listByEmail(email).find(({ workspaceId }) => workspaceId === null);
    if (passwordHash === undefined) return proved ? { userId: proved.id } : 'no_account';
    if (proved) return 'account_exists';
    accounts.insertProved({ userId, email, passwordHash }, createdAt);
    return { userId };
  }

  return {
    putOrigins,
    findOrCreateAccount,
    insertWorkspace(workspace, owner) {
      const { id, appId, name, settings, createdAt } = workspace;
      if (idIsTaken.get({ appId })) return 'app_id_taken';
      const account = owner && findOrCreateAccount(owner, createdAt);
      if (typeof account === 'string') return account;
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
      if (owner && account) {
        insertMember({ id: owner.memberId, workspaceId: id, ...account, role: 'owner', createdAt });
      }
      return 'created';
    },
  };
}
