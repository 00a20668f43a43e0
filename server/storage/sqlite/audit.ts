import { and, desc, getTableColumns, sql } from 'drizzle-orm';
import { GENESIS_HASH, sealAuditRow } from '../../hash-chain.ts';
import type { Audit, AuditEntry } from '../audit.ts';
import { audit } from '../schema.ts';
import type { Connections, Drizzle } from './connections.ts';
import { boundLimit, equals, insertInto, matches, placeholder, withoutNulls } from './statements.ts';

export function sqliteAudit(
  { reader, read, write }: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Audit {
  const { sequence: _s, workspaceId: _w, previousHash: _p, hash: _h, ...columns } = getTableColumns(audit);
  const ofWorkspace = matches(audit.workspaceId);
  const newest = reader
    .select(columns)
    .from(audit)
    .where(ofWorkspace)
    .orderBy(desc(audit.sequence))
    .limit(boundLimit)
    .prepare();
  const older = reader
    .select(columns)
    .from(audit)
    .where(
      and(
        ofWorkspace,
        sql`${audit.sequence} < (SELECT sequence FROM audit WHERE id = ${placeholder('beforeId')} AND workspace_id = ${placeholder('workspaceId')})`,
      ),
    )
    .orderBy(desc(audit.sequence))
    .limit(boundLimit)
    .prepare();

  return (workspaceId) => ({
    append: (entry) => write(() => insertAudit(workspaceId, entry)),
    list: (limit, beforeId) =>
      read(() => {
        const rows =
          beforeId === undefined
            ? newest.all({ workspaceId, limit })
            : older.all({ workspaceId, limit, beforeId });
        return rows.map((row): AuditEntry => ({ ...withoutNulls(row), details: JSON.parse(row.details) }));
      }),
  });
}

/** Adds a row and seals it; call it inside a write job. */
export type InsertAudit = (workspaceId: string, entry: AuditEntry) => void;

export function auditWrites(writer: Drizzle): InsertAudit {
  const insert = insertInto(writer, audit);
  const newest = writer
    .select({ hash: audit.hash })
    .from(audit)
    .where(equals(audit.workspaceId, 'workspaceId'))
    .orderBy(desc(audit.sequence))
    .limit(1)
    .prepare();
  return (workspaceId, { device = null, network = null, ...entry }) => {
    const row = { ...entry, workspaceId, details: JSON.stringify(entry.details), device, network };
    insert(sealAuditRow(newest.get({ workspaceId })?.hash ?? GENESIS_HASH, row));
  };
}
