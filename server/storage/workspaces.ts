import { and, asc, isNull } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { members, workspaceOrigins, workspaces } from './schema/index.ts';
import { bound, db, insertInto, matches, statement } from './statements.ts';
import { insertProved, listByEmail } from './user-writes.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

/** A new account was requested but the address has one, or an existing account but the address has none. */
export type AccountProblem = 'account_exists' | 'no_account';

export type Workspace = {
  id: string;
  /** The public token of the install script, prefixed gp_. */
  appId: string;
  name: string;
  enabled: boolean;
  settings: WorkspaceSettings;
  /** Increases with every change. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type WorkspaceChange = {
  name?: string;
  enabled?: boolean;
  /** A partial update; absent fields stay. */
  settings?: Partial<WorkspaceSettings>;
};

export type NewWorkspace = Pick<Workspace, 'id' | 'appId' | 'name' | 'settings' | 'createdAt'>;

/** The owner of a new workspace. */
export type NewOwner = {
  memberId: string;
  /** The id of the account to create. */
  userId: string;
  /** Lower case. */
  email: string;
  /** PHC string of the new proved account; absent for the proved account that the address has. */
  passwordHash?: string;
};

export function sqlWorkspaces({ read, write }: SqlDatabase) {
  return {
    find: (id: string) => read(id, async (tx) => toWorkspace(await tx.get(byId, { id }))),

    findByAppId: (appId: string) =>
      read(undefined, async (tx) => toWorkspace(await tx.get(byAppId, { appId }))),

    /** Lists all workspaces, oldest first. */
    list: () => read(undefined, async (tx) => (await tx.all(all)).map((row) => toWorkspace(row))),

    /** Creates the workspace, with its owner when given, in one transaction. */
    create: (workspace: NewWorkspace, owner?: NewOwner) =>
      write(undefined, (tx) => insertWorkspace(tx, workspace, owner)),

    /** Updates name, enabled state or settings and increases the version by one. */
    change: (
      id: string,
      /** Builds the update from the current workspace. Must be pure; runs inside the transaction. */ changeOrBuild:
        | WorkspaceChange
        | ((before: Workspace) => WorkspaceChange),
      atMillis: number,
      /**
       * Builds the audit row of the change, or undefined when nothing changes. Must be pure; runs
       * inside the transaction.
       */ audit?: (before: Workspace, after: Workspace) => AuditEntry | undefined,
    ) =>
      write(id, async (tx) => {
        const before = toWorkspace(await tx.get(byId, { id }));
        if (!before) return undefined;
        const change = typeof changeOrBuild === 'function' ? changeOrBuild(before) : changeOrBuild;
        const settings = { ...before.settings, ...change.settings };
        const version = before.version + 1;
        const after: Workspace = { ...before, ...change, settings, version, updatedAt: atMillis };
        const entry = audit?.(before, after);
        if (audit && !entry) return before;
        await tx.run(update, {
          ...after,
          enabled: after.enabled ? 1 : 0,
          settings: JSON.stringify(after.settings),
        });
        if (change.settings) await putOrigins(tx, id, settings);
        if (entry) await insertAudit(tx, id, entry);
        return after;
      }),
  };
}

const isNotRemoved = isNull(workspaces.removedAt);
const findBy = (key: SQLiteColumn) =>
  statement(() =>
    db
      .select()
      .from(workspaces)
      .where(and(matches(key), isNotRemoved)),
  );
const byId = findBy(workspaces.id);
const byAppId = findBy(workspaces.appId);
const all = statement(() =>
  db.select().from(workspaces).where(isNotRemoved).orderBy(asc(workspaces.createdAt), asc(workspaces.id)),
);
const update = statement(() =>
  db
    .update(workspaces)
    .set(bound('name', 'enabled', 'settings', 'version', 'updatedAt'))
    .where(matches(workspaces.id)),
);

type Row = typeof workspaces.$inferSelect;

function toWorkspace(row: Row): Workspace;
function toWorkspace(row: Row | undefined): Workspace | undefined;
function toWorkspace(row: Row | undefined): Workspace | undefined {
  if (!row) return undefined;
  const { removedAt: _, ...workspace } = row;
  return { ...workspace, settings: JSON.parse(row.settings) as WorkspaceSettings };
}

const insert = insertInto(workspaces, 'orIgnore');
const appIdIsTaken = statement(() =>
  db.select({ id: workspaces.id }).from(workspaces).where(matches(workspaces.appId)),
);
const insertOrigin = insertInto(workspaceOrigins, 'orIgnore');
const dropOrigins = statement(() => db.delete(workspaceOrigins).where(matches(workspaceOrigins.workspaceId)));
const insertMember = insertInto(members);

/** Copies the allowed origins of the settings into their lookup table. */
export async function putOrigins(
  tx: WriteTx,
  workspaceId: string,
  settings: WorkspaceSettings,
): Promise<void> {
  await tx.run(dropOrigins, { workspaceId });
  for (const origin of settings.allowedOrigins) await tx.run(insertOrigin, { origin, workspaceId });
}

type NewUser = Pick<NewOwner, 'userId' | 'email' | 'passwordHash'>;

/** Creates a proved account or, without a password, finds the proved account of the address. */
export async function findOrCreateAccount(
  tx: WriteTx,
  { userId, email, passwordHash }: NewUser,
  createdAt: number,
): Promise<{ userId: string } | AccountProblem> {
  const proved = (await listByEmail(tx, email)).find(({ workspaceId }) => workspaceId === null);
  if (passwordHash === undefined) return proved ? { userId: proved.id } : 'no_account';
  if (proved) return 'account_exists';
  await insertProved(tx, { userId, email, passwordHash }, createdAt);
  return { userId };
}

/** Creates the workspace, with its owner when given. */
export async function insertWorkspace(
  tx: WriteTx,
  { id, appId, name, settings, createdAt }: NewWorkspace,
  owner?: NewOwner,
): Promise<'created' | 'app_id_taken' | AccountProblem> {
  if (await tx.get(appIdIsTaken, { appId })) return 'app_id_taken';
  const account = owner && (await findOrCreateAccount(tx, owner, createdAt));
  if (typeof account === 'string') return account;
  await tx.run(insert, {
    id,
    appId,
    name,
    enabled: true,
    settings: JSON.stringify(settings),
    version: 1,
    createdAt,
    updatedAt: createdAt,
  });
  await putOrigins(tx, id, settings);
  if (owner && account) {
    await tx.run(insertMember, {
      id: owner.memberId,
      workspaceId: id,
      ...account,
      role: 'owner',
      createdAt,
    });
  }
  return 'created';
}
