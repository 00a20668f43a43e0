import { desc } from 'drizzle-orm';
import { GENESIS_HASH, sealAuditRow } from '../../hash-chain.ts';
import type { AuditEntry } from '../audit.ts';
import { audit } from '../sql/schema.ts';
import type { Drizzle } from './connections.ts';
import { equals, insertInto } from './statements.ts';

/** Adds a row and seals it; for write jobs that are not in storage/sql yet, which has another one. */
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
