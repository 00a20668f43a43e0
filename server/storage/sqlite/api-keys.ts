import { and, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { ApiKey, ApiKeyRing, ApiKeys } from '../api-keys.ts';
import { apiKeys, workspaces } from '../schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { equals, insertInto, matches, placeholder, withoutNulls } from './statements.ts';

export function sqliteApiKeys(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => ApiKeys {
  const ofWorkspace = reader
    .select()
    .from(apiKeys)
    .where(equals(apiKeys.workspaceId, 'workspaceId'))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
    .prepare();

  const publicIdIsTaken = writer
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(matches(apiKeys.publicId))
    .prepare();
  const insert = insertInto(writer, apiKeys);
  const isThisKey = matches(apiKeys.workspaceId, apiKeys.id);
  const revoke = writer
    .update(apiKeys)
    .set({ revokedAt: sql`${placeholder('atMillis')}` })
    .where(and(isThisKey, isNull(apiKeys.revokedAt)))
    .prepare();
  const byId = writer.select().from(apiKeys).where(isThisKey).prepare();

  return (workspaceId) => ({
    create: (key, audit) =>
      write(() => {
        if (publicIdIsTaken.get({ publicId: key.publicId })) return 'public_id_taken';
        insert({
          ...key,
          workspaceId,
          scopes: JSON.stringify(key.scopes),
          revokedAt: key.revokedAt ?? null,
          lastUsedAt: key.lastUsedAt ?? null,
        });
        insertAudit(workspaceId, audit);
        return 'created';
      }),

    list: () => read(() => ofWorkspace.all({ workspaceId }).map((row) => toApiKey(row))),

    revoke: (id, atMillis, audit) =>
      write(() => {
        if (revoke.run({ workspaceId, id, atMillis }).changes > 0) insertAudit(workspaceId, audit);
        return toApiKey(byId.get({ workspaceId, id }));
      }),
  });
}

/** Excludes removed workspaces. */
export function sqliteApiKeyRing({ reader, writer, read, write }: Connections): ApiKeyRing {
  const ofActiveWorkspaces = () =>
    reader
      .select(getTableColumns(apiKeys))
      .from(apiKeys)
      .innerJoin(workspaces, and(eq(workspaces.id, apiKeys.workspaceId), isNull(workspaces.removedAt)));
  const byId = ofActiveWorkspaces().where(matches(apiKeys.id)).prepare();
  const byPublicId = ofActiveWorkspaces().where(matches(apiKeys.publicId)).prepare();
  const use = writer
    .update(apiKeys)
    .set({ lastUsedAt: sql`max(coalesce(${apiKeys.lastUsedAt}, 0), ${placeholder('atMillis')})` })
    .where(matches(apiKeys.id))
    .prepare();

  return {
    find: (id) => read(() => toApiKey(byId.get({ id }))),
    findByPublicId: (publicId) => read(() => toApiKey(byPublicId.get({ publicId }))),
    used: (id, atMillis) =>
      write(() => {
        use.run({ id, atMillis });
      }),
  };
}

type Row = typeof apiKeys.$inferSelect;

function toApiKey(row: Row): ApiKey;
function toApiKey(row: Row | undefined): ApiKey | undefined;
function toApiKey(row: Row | undefined): ApiKey | undefined {
  return row && { ...withoutNulls(row), scopes: JSON.parse(row.scopes) };
}
