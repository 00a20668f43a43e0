import { hash } from 'node:crypto';

/**
 * A hash chain: each record's hash covers its content and the hash of the record before it, so a record that was
 * changed, removed or inserted later breaks the chain. Hashes are 64 lower-case hex digits.
 */
export type Chained = { readonly previousHash: string; readonly hash: string };

/** The previous hash of the first record of a chain. */
export const GENESIS_HASH = '0'.repeat(64);

export function chainHash(previousHash: string, content: string): string {
  return hash('sha256', previousHash + content);
}

type Fault = 'hash_mismatch' | 'link_broken' | 'foreign_workspace' | 'head_mismatch';

export type ChainVerdict = {
  readonly ok: boolean;
  /** The number of valid records. */
  readonly count: number;
  /** The hash of the last valid record. Store it elsewhere to detect later that the end of the chain was cut off. */
  readonly head: string;
  /** Zero-based position of the first invalid record. */
  readonly brokenAt?: number;
  readonly why?: Fault;
};

export type ChainExpectation = {
  /** The hash before the first record, to continue an earlier run; the genesis hash by default. */
  readonly after?: string;
  /** A hash that was once the newest. Detects a chain whose end was cut off before it. */
  readonly head?: string;
};

export type ChainContent<Record> = {
  /** The text that the hash covers. */
  readonly toContent: (record: Record) => string;
  /** What else is wrong with a record whose hash is right. */
  readonly findFault?: (record: Record, content: string) => Fault | undefined;
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
