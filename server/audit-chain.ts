import { canonicalJson } from './canonical-json.ts';
import {
  type ChainExpectation,
  type Chained,
  type ChainVerdict,
  chainHash,
  verifyHashChain,
} from './hash-chain.ts';

/** A row of the audit as it is stored, without its place in the table. */
type AuditRow = {
  readonly workspaceId: string;
  readonly id: string;
  readonly atMillis: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** A JSON object; the hash covers exactly this text. */
  readonly details: string;
  readonly device: string | null;
  readonly network: string | null;
};

/** Links a row to the newest one of its workspace. */
export function sealAuditRow<Row extends AuditRow>(previousHash: string, row: Row): Row & Chained {
  return { ...row, previousHash, hash: chainHash(previousHash, toContent(row)) };
}

/** Verifies the audit of one workspace, oldest row first. */
export function verifyAuditChain(
  rows: AsyncIterable<AuditRow & Chained> | Iterable<AuditRow & Chained>,
  expected?: ChainExpectation,
): Promise<ChainVerdict> {
  return verifyHashChain(rows, { toContent }, expected);
}

function toContent(row: AuditRow): string {
  const { workspaceId, id, atMillis, actor, action, subject, details, device, network } = row;
  return canonicalJson({ workspaceId, id, atMillis, actor, action, subject, details, device, network });
}
