import { and, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { ApiKey, ApiKeyRing, ApiKeys } from '../api-keys.ts';
import { apiKeys, workspaces } from '../sql/schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { bound, equals, insertInto, matches, placeholder, withoutNulls } from './statements.ts';

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
  const endOld = writer
    .update(apiKeys)
    .set({
      expiresAt: sql`min(coalesce(${apiKeys.expiresAt}, ${placeholder('endsAtMillis')}), ${placeholder('endsAtMillis')})`,
      replacedBy: sql`${placeholder('replacedBy')}`,
    })
    .where(isThisKey)
    .prepare();
  const insertKey = (workspaceId: string, key: ApiKey) =>
    insert({
      ...key,
      workspaceId,
      scopes: JSON.stringify(key.scopes),
      allowedNetworks: JSON.stringify(key.allowedNetworks),
      knownNetworks: '[]',
    });

  return (workspaceId) => ({
    create: (key, audit) =>
      write(() => {
        if (publicIdIsTaken.get({ publicId: key.publicId })) return 'public_id_taken';
        insertKey(workspaceId, key);
        insertAudit(workspaceId, audit);
        return 'created';
      }),

    rotate: ({ oldId, key, endsAtMillis, nowMillis, audit }) =>
      write(() => {
        const old = toApiKey(byId.get({ workspaceId, id: oldId }));
        if (!old) return 'gone';
        if (old.revokedAt !== undefined || old.replacedBy !== undefined) return 'inactive';
        if ((old.expiresAt ?? Infinity) <= nowMillis) return 'inactive';
        if (publicIdIsTaken.get({ publicId: key.publicId })) return 'public_id_taken';
        insertKey(workspaceId, key);
        endOld.run({ workspaceId, id: oldId, endsAtMillis, replacedBy: key.id });
        for (const row of audit) insertAudit(workspaceId, row);
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

/** More networks than one client has. A key that is used from more of them reports the oldest as new again. */
const KNOWN_NETWORKS_MAX = 20;

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
    .set({
      lastUsedAt: sql`max(coalesce(${apiKeys.lastUsedAt}, 0), ${placeholder('atMillis')})`,
      ...bound('lastUsedNetwork', 'knownNetworks'),
    })
    .where(matches(apiKeys.id))
    .prepare();
  const known = writer
    .select({ networks: apiKeys.knownNetworks })
    .from(apiKeys)
    .where(matches(apiKeys.id))
    .prepare();

  return {
    find: (id) => read(() => toApiKey(byId.get({ id }))),
    findByPublicId: (publicId) => read(() => toApiKey(byPublicId.get({ publicId }))),
    used: (id, atMillis, network) =>
      write(() => {
        const networks: string[] = JSON.parse(known.get({ id })?.networks ?? '[]');
        const isNew = network !== undefined && !networks.includes(network);
        const knownNetworks = JSON.stringify(
          isNew ? [...networks, network].slice(-KNOWN_NETWORKS_MAX) : networks,
        );
        use.run({ id, atMillis, lastUsedNetwork: network ?? null, knownNetworks });
        return isNew ? 'new_network' : 'known_network';
      }),
  };
}

type Row = typeof apiKeys.$inferSelect;

function toApiKey(row: Row): ApiKey;
function toApiKey(row: Row | undefined): ApiKey | undefined;
function toApiKey(row: Row | undefined): ApiKey | undefined {
  if (!row) return undefined;
  const { knownNetworks: _, scopes, allowedNetworks, ...key } = row;
  return {
    ...withoutNulls(key),
    scopes: JSON.parse(scopes),
    allowedNetworks: JSON.parse(allowedNetworks),
  };
}
