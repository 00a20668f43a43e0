import { and, asc, isNull } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { AccountProblem } from '../members.ts';
import type { NewOwner, NewWorkspace, Workspace, WorkspaceSettings, Workspaces } from '../workspaces.ts';
import { insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { members, workspaceOrigins, workspaces } from './schema.ts';
import { bound, db, insertInto, matches, statement } from './statements.ts';
import { insertProved, listByEmail } from './user-writes.ts';

export function sqlWorkspaces({ read, write }: SqlDatabase): Omit<Workspaces, 'remove' | 'purgeRemoved'> {
  return {
    find: (id) => read(id, async (tx) => toWorkspace(await tx.get(byId, { id }))),

    findByAppId: (appId) => read(undefined, async (tx) => toWorkspace(await tx.get(byAppId, { appId }))),

    list: () => read(undefined, async (tx) => (await tx.all(all)).map((row) => toWorkspace(row))),

    create: (workspace, owner) => write(undefined, (tx) => insertWorkspace(tx, workspace, owner)),

    change: (id, changeOrBuild, atMillis, audit) =>
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
  return { ...workspace, settings: JSON.parse(row.settings) };
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
