import { and, desc, getTableColumns, sql } from 'drizzle-orm';
import { chainAuditRow, GENESIS_HASH } from '../base/hash-chain.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { audit } from './schema/index.ts';
import { db, input, insertInto, matches, type Stored, statement, withoutNulls } from './statements.ts';

/** An action in a workspace. */
export type AuditEntry = Omit<
  Stored<typeof audit>,
  'sequence' | 'workspaceId' | 'previousHash' | 'hash' | 'details'
> & {
  /** The changes, without secrets and without visitors' personal data. */
  details: Readonly<Record<string, unknown>>;
};

/** Builds the audit row for one membership of a user. Must be pure; runs inside the transaction. */
export type MembershipAudit = (workspaceId: string, memberId: string) => AuditEntry;

const { sequence: _s, workspaceId: _w, previousHash: _p, hash: _h, ...columns } = getTableColumns(audit);
const ofWorkspace = matches(audit.workspaceId);
const newest = statement(() =>
  db.select(columns).from(audit).where(ofWorkspace).orderBy(desc(audit.sequence)).limit(input('limit')),
);
const older = statement(() =>
  db
    .select(columns)
    .from(audit)
    .where(
      and(
        ofWorkspace,
        sql`${audit.sequence} < (SELECT sequence FROM audit WHERE id = ${input('beforeId')}
          AND workspace_id = ${input('workspaceId')})`,
      ),
    )
    .orderBy(desc(audit.sequence))
    .limit(input('limit')),
);

export function sqlAudit({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    append: (entry: AuditEntry) => write(workspaceId, (tx) => insertAudit(tx, workspaceId, entry)),
    /** Lists rows newest first, starting after the given id. */
    list: (limit: number, beforeId?: string) =>
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
    .where(matches(audit.workspaceId))
    .orderBy(desc(audit.sequence))
    .limit(1),
);

/** Adds a row to the chain, in a job of the workspace or across workspaces. */
export async function insertAudit(tx: WriteTx, workspaceId: string, entry: AuditEntry): Promise<void> {
  const { device = null, network = null, details } = entry;
  const row = { ...entry, workspaceId, details: JSON.stringify(details), device, network };
  await tx.lock(workspaceId);
  const previous = await tx.get(newestHash, { workspaceId });
  await tx.run(insert, chainAuditRow(previous?.hash ?? GENESIS_HASH, row));
}

/** The append-only audit log of a workspace. Each row contains the hash of the row before it. */
export type Audit = ReturnType<ReturnType<typeof sqlAudit>>;
