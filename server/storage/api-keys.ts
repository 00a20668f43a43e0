import { and, desc, eq, getTableColumns, isNull } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { apiKeys, workspaces } from './schema/index.ts';
import {
  bound,
  db,
  greater,
  insertInto,
  lesser,
  matches,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';

export type ApiKeyScope = 'analytics:read' | 'events:read' | 'knowledge:read';

export type ApiKey = Omit<Stored<typeof apiKeys>, 'knownNetworks' | 'scopes' | 'allowedNetworks'> & {
  scopes: readonly ApiKeyScope[];
  /** Canonical CIDR blocks; empty if every address is allowed. */
  allowedNetworks: readonly string[];
};

/** A new key that takes the place of an old one. */
type KeyRotation = {
  oldId: string;
  key: ApiKey;
  /** When the old key stops working, unless it expires earlier. */
  endsAtMillis: number;
  nowMillis: number;
  audit: readonly AuditEntry[];
};

export function sqlApiKeys({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    create: (key: ApiKey, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if (!(await insertKey(tx, workspaceId, key))) return 'public_id_taken';
        await insertAudit(tx, workspaceId, audit);
        return 'created';
      }),

    /** Returns 'inactive' when the old key is revoked, expired or already replaced. */
    rotate: ({ oldId, key, endsAtMillis, nowMillis, audit }: KeyRotation) =>
      write(workspaceId, async (tx) => {
        const old = toApiKey(await tx.get(byId, { workspaceId, id: oldId }));
        if (!old) return 'gone';
        if (old.revokedAt !== undefined || old.replacedBy !== undefined) return 'inactive';
        if ((old.expiresAt ?? Infinity) <= nowMillis) return 'inactive';
        if (!(await insertKey(tx, workspaceId, key))) return 'public_id_taken';
        await tx.run(endOld, { workspaceId, id: oldId, endsAtMillis, replacedBy: key.id });
        for (const row of audit) await insertAudit(tx, workspaceId, row);
        return 'created';
      }),

    /** Lists all keys, newest first, including revoked ones. */
    list: () =>
      read(workspaceId, async (tx) =>
        (await tx.all(ofWorkspace, { workspaceId })).map((row) => toApiKey(row)),
      ),

    /**
     * Returns undefined when the key does not exist. Revoking again changes nothing and writes no
     * audit row.
     */
    revoke: (id: string, revokedAt: number, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(revoke, { workspaceId, id, revokedAt })) > 0)
          await insertAudit(tx, workspaceId, audit);
        return toApiKey(await tx.get(byId, { workspaceId, id }));
      }),
  });
}

/** Returns false when another key has the public id. */
async function insertKey(tx: WriteTx, workspaceId: string, key: ApiKey): Promise<boolean> {
  const row = {
    ...key,
    workspaceId,
    scopes: JSON.stringify(key.scopes),
    allowedNetworks: JSON.stringify(key.allowedNetworks),
    knownNetworks: '[]',
  };
  return (await tx.run(insert, row)) > 0;
}

const ofWorkspace = statement(() =>
  db
    .select()
    .from(apiKeys)
    .where(matches(apiKeys.workspaceId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
);
// The public id may belong to a key of another workspace, which this transaction cannot read.
const insert = insertInto(apiKeys, 'orIgnore');
const isThisKey = matches(apiKeys.workspaceId, apiKeys.id);
const byId = statement(() => db.select().from(apiKeys).where(isThisKey));
const revoke = statement(() =>
  db
    .update(apiKeys)
    .set(bound('revokedAt'))
    .where(and(isThisKey, isNull(apiKeys.revokedAt))),
);
const endOld = statement(() =>
  db
    .update(apiKeys)
    .set({ expiresAt: lesser(apiKeys.expiresAt, 'endsAtMillis'), ...bound('replacedBy') })
    .where(isThisKey),
);

/** More networks than a client usually has. A key that is used from more of them reports the oldest as new again. */
const KNOWN_NETWORKS_MAX = 20;

/** Excludes removed workspaces. */
export function sqlApiKeyLookup({ read, write }: SqlDatabase) {
  return {
    find: (id: string) => read(undefined, async (tx) => toApiKey(await tx.get(activeById, { id }))),
    findByPublicId: (publicId: string) =>
      read(undefined, async (tx) => toApiKey(await tx.get(activeByPublicId, { publicId }))),
    /** Records a use of the key. Returns 'new_network' if the key was not used from the network recently. */
    recordUse: (id: string, lastUsedAt: number, network?: string) =>
      write(undefined, async (tx) => {
        const networks: string[] = JSON.parse((await tx.get(selectKnownNetworks, { id }))?.networks ?? '[]');
        const isNew = network !== undefined && !networks.includes(network);
        const knownNetworks = JSON.stringify(
          isNew ? [...networks, network].slice(-KNOWN_NETWORKS_MAX) : networks,
        );
        await tx.run(setLastUse, { id, lastUsedAt, lastUsedNetwork: network, knownNetworks });
        return isNew ? 'new_network' : 'known_network';
      }),
  };
}

const ofActiveWorkspaces = () =>
  db
    .select(getTableColumns(apiKeys))
    .from(apiKeys)
    .innerJoin(workspaces, and(eq(workspaces.id, apiKeys.workspaceId), isNull(workspaces.removedAt)));
const activeById = statement(() => ofActiveWorkspaces().where(matches(apiKeys.id)));
const activeByPublicId = statement(() => ofActiveWorkspaces().where(matches(apiKeys.publicId)));
const setLastUse = statement(() =>
  db
    .update(apiKeys)
    .set({
      lastUsedAt: greater(apiKeys.lastUsedAt, 'lastUsedAt'),
      ...bound('lastUsedNetwork', 'knownNetworks'),
    })
    .where(matches(apiKeys.id)),
);
const selectKnownNetworks = statement(() =>
  db.select({ networks: apiKeys.knownNetworks }).from(apiKeys).where(matches(apiKeys.id)),
);

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
