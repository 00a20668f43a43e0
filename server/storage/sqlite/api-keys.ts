import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { ApiKey, ApiKeys } from '../api-keys.ts';
import type { Connections } from './connections.ts';
import { apiKeys } from './schema.ts';
import { given, insertInto, withoutNulls } from './statements.ts';

export function sqliteApiKeys({ reader, writer, read, write }: Connections): ApiKeys {
  const byPublicId = reader
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.publicId, given('publicId')))
    .prepare();
  const ofWorkspace = reader
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.workspaceId, given('workspaceId')))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
    .prepare();

  const publicIdIsTaken = writer
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(eq(apiKeys.publicId, given('publicId')))
    .prepare();
  const insert = insertInto(writer, apiKeys);
  const revoke = writer
    .update(apiKeys)
    .set({ revokedAt: sql`${given('atMillis')}` })
    .where(and(eq(apiKeys.id, given('id')), isNull(apiKeys.revokedAt)))
    .prepare();
  const byId = writer
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.id, given('id')))
    .prepare();

  return {
    create: (key) =>
      write(() => {
        if (publicIdIsTaken.get({ publicId: key.publicId })) return 'public_id_taken' as const;
        insert({
          ...key,
          scopes: JSON.stringify(key.scopes),
          revokedAt: key.revokedAt ?? null,
          lastUsedAt: key.lastUsedAt ?? null,
        });
        return 'created' as const;
      }),

    findByPublicId: (publicId) => read(() => apiKeyOf(byPublicId.get({ publicId }))),

    list: (workspaceId) => read(() => ofWorkspace.all({ workspaceId }).map((row) => apiKeyOf(row))),

    revoke: (id, atMillis) =>
      write(() => {
        revoke.run({ id, atMillis });
        return apiKeyOf(byId.get({ id }));
      }),
  };
}

type Row = typeof apiKeys.$inferSelect;

function apiKeyOf(row: Row): ApiKey;
function apiKeyOf(row: Row | undefined): ApiKey | undefined;
function apiKeyOf(row: Row | undefined): ApiKey | undefined {
  return row && { ...withoutNulls(row), scopes: JSON.parse(row.scopes) };
}
