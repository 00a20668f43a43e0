import { and, count, desc } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { customerKeys } from './schema/index.ts';
import { db, insertInto, matches, type Stored, statement, withoutNulls } from './statements.ts';

/** A key that proves user tokens. Its secret is encrypted by the caller. */
export type StoredCustomerKey = Omit<Stored<typeof customerKeys>, 'workspaceId'>;

export function sqlCustomerKeys({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Newest first. */
    list: () =>
      read(workspaceId, async (tx): Promise<StoredCustomerKey[]> => {
        const rows = await tx.all(ofWorkspace, { workspaceId });
        return rows.map(({ workspaceId: _, ...key }) => withoutNulls(key));
      }),
    create: (key: StoredCustomerKey, keysMax: number, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.get(countKeys, { workspaceId }))!.keys >= keysMax) return 'too_many';
        await tx.run(insert, { ...key, workspaceId });
        await insertAudit(tx, workspaceId, audit);
        return 'created';
      }),
    delete: (id: string, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(remove, { workspaceId, id })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'deleted';
      }),
  });
}

const isOfWorkspace = matches(customerKeys.workspaceId);
const ofWorkspace = statement(() =>
  db
    .select()
    .from(customerKeys)
    .where(isOfWorkspace)
    .orderBy(desc(customerKeys.createdAt), desc(customerKeys.id)),
);
const countKeys = statement(() => db.select({ keys: count() }).from(customerKeys).where(isOfWorkspace));
const insert = insertInto(customerKeys);
const remove = statement(() =>
  db.delete(customerKeys).where(and(matches(customerKeys.workspaceId, customerKeys.id))),
);
