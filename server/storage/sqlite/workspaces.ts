import { asc, eq, sql } from 'drizzle-orm';
import type { NewOwner, NewWorkspace, Workspace, WorkspaceSettings, Workspaces } from '../workspaces.ts';
import type { Connections } from './connections.ts';
import { members, users, workspaceOrigins, workspaces } from './schema.ts';
import { given, insertInto } from './statements.ts';

export function sqliteWorkspaces({ reader, writer, read, write }: Connections): Workspaces {
  const byId = reader
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, given('id')))
    .prepare();
  const byAppId = reader
    .select()
    .from(workspaces)
    .where(eq(workspaces.appId, given('appId')))
    .prepare();
  const all = reader
    .select()
    .from(workspaces)
    .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
    .prepare();

  const allowing = reader
    .select({ id: workspaceOrigins.workspaceId })
    .from(workspaceOrigins)
    .where(eq(workspaceOrigins.origin, given('origin')))
    .limit(1)
    .prepare();

  const current = writer
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, given('id')))
    .prepare();
  const insertWorkspace = insertInto(writer, workspaces, 'orIgnore');
  const idIsTaken = writer
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.appId, given('appId')))
    .prepare();
  const update = writer
    .update(workspaces)
    .set({
      name: sql`${given('name')}`,
      enabled: sql`${given('enabled')}`,
      settings: sql`${given('settings')}`,
      version: sql`${given('version')}`,
      updatedAt: sql`${given('updatedAt')}`,
    })
    .where(eq(workspaces.id, given('id')))
    .prepare();
  const insertOrigin = insertInto(writer, workspaceOrigins, 'orIgnore');
  const dropOrigins = writer
    .delete(workspaceOrigins)
    .where(eq(workspaceOrigins.workspaceId, given('workspaceId')))
    .prepare();
  const userByEmail = writer
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, given('email')))
    .prepare();
  const insertUser = insertInto(writer, users);
  const insertMember = insertInto(writer, members);

  function putOrigins(workspaceId: string, settings: WorkspaceSettings): void {
    dropOrigins.run({ workspaceId });
    for (const origin of settings.allowedOrigins) insertOrigin({ origin, workspaceId });
  }

  function addOwner(workspace: NewWorkspace, owner: NewOwner): void {
    const { userId: freshUserId, memberId, email, passwordHash } = owner;
    const { createdAt, id: workspaceId } = workspace;
    const known = userByEmail.get({ email });
    if (!known) insertUser({ id: freshUserId, email, passwordHash, createdAt });
    insertMember({ id: memberId, workspaceId, userId: known?.id ?? freshUserId, role: 'owner', createdAt });
  }

  return {
    find: (id) => read(() => workspaceOf(byId.get({ id }))),

    findByAppId: (appId) => read(() => workspaceOf(byAppId.get({ appId }))),

    list: () => read(() => all.all().map((row) => workspaceOf(row))),

    anyAllows: (candidates) =>
      read(() => candidates.some((origin) => allowing.get({ origin }) !== undefined)),

    create: (workspace, owner) =>
      write(() => {
        const { id, appId, name, settings, createdAt } = workspace;
        if (idIsTaken.get({ appId })) return 'app_id_taken' as const;
        insertWorkspace({
          id,
          appId,
          name,
          enabled: true,
          settings: JSON.stringify(settings),
          version: 1,
          createdAt,
          updatedAt: createdAt,
        });
        putOrigins(id, settings);
        if (owner) addOwner(workspace, owner);
        return 'created' as const;
      }),

    change: (id, change, atMillis) =>
      write(() => {
        const before = workspaceOf(current.get({ id }));
        if (!before) return undefined;
        const after: Workspace = { ...before, ...change, version: before.version + 1, updatedAt: atMillis };
        update.run({ ...after, enabled: after.enabled ? 1 : 0, settings: JSON.stringify(after.settings) });
        if (change.settings) putOrigins(id, change.settings);
        return after;
      }),
  };
}

type Row = typeof workspaces.$inferSelect;

function workspaceOf(row: Row): Workspace;
function workspaceOf(row: Row | undefined): Workspace | undefined;
function workspaceOf(row: Row | undefined): Workspace | undefined {
  return row && { ...row, settings: JSON.parse(row.settings) };
}
