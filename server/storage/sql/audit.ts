import { and, desc, getTableColumns, sql } from 'drizzle-orm';
import { GENESIS_HASH, sealAuditRow } from '../../base/hash-chain.ts';
import type { Audit, AuditEntry } from '../audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { audit } from './schema.ts';
import {
  boundLimit,
  db,
  equals,
  insertInto,
  matches,
  placeholder,
  statement,
  withoutNulls,
} from './statements.ts';

const { sequence: _s, workspaceId: _w, previousHash: _p, hash: _h, ...columns } = getTableColumns(audit);
const ofWorkspace = matches(audit.workspaceId);
const newest = statement(() =>
  db.select(columns).from(audit).where(ofWorkspace).orderBy(desc(audit.sequence)).limit(boundLimit),
);
const older = statement(() =>
  db
    .select(columns)
    .from(audit)
    .where(
      and(
        ofWorkspace,
        sql`${audit.sequence} < (SELECT sequence FROM audit WHERE id = ${placeholder('beforeId')} AND workspace_id = ${placeholder('workspaceId')})`,
      ),
    )
    .orderBy(desc(audit.sequence))
    .limit(boundLimit),
);

export function sqlAudit({ read, write }: SqlDatabase): (workspaceId: string) => Audit {
  return (workspaceId) => ({
    append: (entry) => write(workspaceId, (tx) => insertAudit(tx, workspaceId, entry)),
    list: (limit, beforeId) =>
      read(workspaceId, async (tx) => {
        const rows = await (beforeId === undefined
          ? tx.all(newest, { workspaceId, limit })
          : tx.all(older, { workspaceId, limit, beforeId }));
        return rows.map((row): AuditEntry => ({ ...withoutNulls(row), details: JSON.parse(row.details) }));
      }),
  });
}

const insert = insertInto(audit);
const newestHash = statement(() =>
  db
    .select({ hash: audit.hash })
    .from(audit)
    .where(equals(audit.workspaceId, 'workspaceId'))
    .orderBy(desc(audit.sequence))
    .limit(1),
);

/** Adds a row and seals it, in a job of the workspace or across workspaces. */
export async function insertAudit(tx: WriteTx, workspaceId: string, entry: AuditEntry): Promise<void> {
  const { device = null, network = null, details } = entry;
  const row = { ...entry, workspaceId, details: JSON.stringify(details), device, network };
  await tx.lock(workspaceId);
  const previous = await tx.get(newestHash, { workspaceId });
  await tx.run(insert, sealAuditRow(previous?.hash ?? GENESIS_HASH, row));
}
