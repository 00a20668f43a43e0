import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { workspaceOrigins, workspaces } from '../schema.ts';
import type { Workspace, Workspaces } from '../workspaces.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { placeholder } from './statements.ts';
import type { WorkspaceWrites } from './workspace-writes.ts';

export function sqliteWorkspaces(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
  { insertWorkspace, putOrigins }: WorkspaceWrites,
): Omit<Workspaces, 'remove' | 'purgeRemoved'> {
  const stands = isNull(workspaces.removedAt);
  const byId = reader
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.id, placeholder('id')), stands))
    .prepare();
  const byAppId = reader
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.appId, placeholder('appId')), stands))
    .prepare();
  const all = reader
    .select()
    .from(workspaces)
    .where(stands)
    .orderBy(asc(workspaces.createdAt), asc(workspaces.id))
    .prepare();

  const allowing = reader
    .select({ id: workspaceOrigins.workspaceId })
    .from(workspaceOrigins)
    .innerJoin(workspaces, and(eq(workspaces.id, workspaceOrigins.workspaceId), stands))
    .where(eq(workspaceOrigins.origin, placeholder('origin')))
    .limit(1)
    .prepare();

  const current = writer
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.id, placeholder('id')), stands))
    .prepare();
  const update = writer
    .update(workspaces)
    .set({
      name: sql`${placeholder('name')}`,
      enabled: sql`${placeholder('enabled')}`,
      settings: sql`${placeholder('settings')}`,
      version: sql`${placeholder('version')}`,
      updatedAt: sql`${placeholder('updatedAt')}`,
    })
    .where(eq(workspaces.id, placeholder('id')))
    .prepare();

  return {
    find: (id) => read(() => workspaceOf(byId.get({ id }))),

    findByAppId: (appId) => read(() => workspaceOf(byAppId.get({ appId }))),

    list: () => read(() => all.all().map((row) => workspaceOf(row))),

    isAllowedAnywhere: (candidates) =>
      read(() => candidates.some((origin) => allowing.get({ origin }) !== undefined)),

    create: (workspace, owner) =>
      write(() => (insertWorkspace(workspace, owner) ? ('created' as const) : ('app_id_taken' as const))),

    change: (id, changeOrMake, atMillis, audit) =>
      write(() => {
        const before = workspaceOf(current.get({ id }));
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

type Row = typeof workspaces.$inferSelect;

function workspaceOf(row: Row): Workspace;
function workspaceOf(row: Row | undefined): Workspace | undefined;
function workspaceOf(row: Row | undefined): Workspace | undefined {
  if (!row) return undefined;
  const { removedAt: _, ...standing } = row;
  return { ...standing, settings: JSON.parse(row.settings) };
}
