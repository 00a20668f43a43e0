import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { workspaceModels } from './schema/index.ts';
import { db, matches, putInto, type Stored, statement, withoutNulls } from './statements.ts';

/** The language model of a workspace. Its key is encrypted by the caller. */
export type StoredModel = Omit<Stored<typeof workspaceModels>, 'workspaceId'>;

export function sqlWorkspaceModels({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Undefined if the workspace uses the installation's. */
    get: () =>
      read(workspaceId, async (tx): Promise<StoredModel | undefined> => {
        const row = await tx.get(ofWorkspace, { workspaceId });
        if (!row) return undefined;
        const { workspaceId: _, ...model } = withoutNulls(row);
        return model;
      }),
    set: (model: StoredModel, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        await tx.run(put, { ...model, workspaceId });
        await insertAudit(tx, workspaceId, audit);
      }),
    /** Returns 'gone' when there was none. */
    remove: (audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(remove, { workspaceId })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),
  });
}

const ofWorkspace = statement(() =>
  db.select().from(workspaceModels).where(matches(workspaceModels.workspaceId)),
);
const put = putInto(workspaceModels, workspaceModels.workspaceId);
const remove = statement(() => db.delete(workspaceModels).where(matches(workspaceModels.workspaceId)));
