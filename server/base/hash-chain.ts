import { hash } from 'node:crypto';

/**
 * Serializes a value as canonical JSON: equal values always give the same bytes, so their hashes are
 * comparable. Members are sorted by UTF-16 code units and undefined ones omitted, without white space (the
 * ordering and number rules of RFC 8785). Throws a TypeError for values that JSON would lose: NaN, infinities,
 * bigint, functions, symbols, and `undefined` inside a list.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`JSON cannot carry the number ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new TypeError(`JSON cannot carry a ${typeof value}`);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
  return canonicalObject(value as Record<string, unknown>);
}

function canonicalObject(object: Record<string, unknown>): string {
  let text = '{';
  for (const name of Object.keys(object).sort()) {
    const member = object[name];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
}

/**
 * A hash chain: each record's hash covers its content and the hash of the record before it, so a record that was
 * changed, removed or inserted later breaks the chain. Hashes are 64 lower-case hex digits.
 */
export type Chained = { previousHash: string; hash: string };

/** The previous hash of the first record of a chain. */
export const GENESIS_HASH = '0'.repeat(64);

export function chainHash(previousHash: string, content: string): string {
  return hash('sha256', previousHash + content);
}

type Fault = 'hash_mismatch' | 'link_broken' | 'foreign_workspace' | 'head_mismatch';

export type ChainVerdict = {
  ok: boolean;
  /** The number of valid records. */
  count: number;
  /** The hash of the last valid record. Store it elsewhere to detect later that the end of the chain was cut off. */
  head: string;
  /** Zero-based position of the first invalid record. */
  brokenAt?: number;
  why?: Fault;
};

export type ChainExpectation = {
  /** The hash before the first record, to continue an earlier run; the genesis hash by default. */
  after?: string;
  /** A hash that was once the newest. If the chain no longer contains it, its end was cut off. */
  head?: string;
};

type ChainContent<Record> = {
  /** The text that the hash covers. */
  toContent: (record: Record) => string;
  /** Checks beyond the hash; returns what is wrong with the record. */
  findFault?: (record: Record, content: string) => Fault | undefined;
};

/** Verifies a chain, oldest record first, and stops at the first invalid record. */
export async function verifyHashChain<Record extends Chained>(
  records: AsyncIterable<Record> | Iterable<Record>,
  { toContent, findFault }: ChainContent<Record>,
  expected: ChainExpectation = {},
): Promise<ChainVerdict> {
  let head = expected.after ?? GENESIS_HASH;
  let count = 0;
  let isHeadMissing = expected.head !== undefined && expected.head !== head;
  for await (const record of records) {
    const why = findBreak(record, head, toContent) ?? findFault?.(record, toContent(record));
    if (why !== undefined) return { ok: false, count, head, brokenAt: count, why };
    head = record.hash;
    count += 1;
    if (head === expected.head) isHeadMissing = false;
  }
  if (isHeadMissing) return { ok: false, count, head, brokenAt: count, why: 'head_mismatch' };
  return { ok: true, count, head };
}

function findBreak<Record extends Chained>(
  record: Record,
  head: string,
  toContent: ChainContent<Record>['toContent'],
): Fault | undefined {
  if (record.previousHash !== head) return 'link_broken';
  return chainHash(head, toContent(record)) === record.hash ? undefined : 'hash_mismatch';
}

/** A row of the audit as it is stored, without its place in the table. */
type AuditRow = {
  workspaceId: string;
  id: string;
  atMillis: number;
  actor: string;
  action: string;
  subject: string;
  /** A JSON object; the hash covers exactly this text. */
  details: string;
  device: string | null;
  network: string | null;
};

/** Links a row to the newest row of its workspace. */
export function chainAuditRow<Row extends AuditRow>(previousHash: string, row: Row): Row & Chained {
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
