import { hash } from 'node:crypto';
import type { ConsentDecision } from '../../contract/consent.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Reason } from './consent-directive.ts';
import type { Mode, Purposes } from './purposes.ts';
import type { Region } from './region.ts';

/**
 * One decision as evidence, appended and never changed. It knows no address, no user agent and no page content. An
 * optional member that is unknown is absent, never null: the hash covers exactly what is there.
 */
export type ConsentRecord = {
  readonly id: string;
  readonly workspaceId: string;
  /** The pseudonym; once the visitor is erased it leads nowhere. */
  readonly visitorId: string;
  readonly origin: string;
  /** Without query and fragment. */
  readonly path: string;

  readonly decision: ConsentDecision;
  /** The state that the decision brought about. */
  readonly purposes: Purposes;
  readonly mode: Mode;
  readonly reason: Reason;
  /** What the client said the mode was. */
  readonly modeClaimed?: string;

  readonly policyVersion: string;
  /** What the client said the policy was. */
  readonly policyVersionClaimed?: string;
  /** False when the claimed policy is none that this service ever published. */
  readonly policyKnown: boolean;
  readonly copyVersion: string;
  readonly copyLocale?: string;
  /** SHA-256 of the policy that the visitor's token was issued under. */
  readonly snapshotHash?: string;
  /** Whether the policy was taken from the visitor's token or looked up while writing. */
  readonly snapshotSource: 'token' | 'write_time';

  readonly regionCode: string;
  readonly regionSource: Region['source'];
  /** The client's own region override, normalised; a claim. */
  readonly regionClaimed?: string;
  readonly gpcHeader: boolean;
  readonly gpcBody?: boolean;
  readonly overrideSource?: 'runtime' | 'gpc' | 'region_override';

  /** By the clock of the device. */
  readonly atMillis: number;
  /** By the clock of the service. */
  readonly receivedAtMillis: number;
  /** `receivedAtMillis - atMillis`: how far to trust the device's clock. */
  readonly clockSkewMillis: number;
  /** The record that this visitor's decision follows; absent for the first. */
  readonly previousDecisionId?: string;
};

/** A record with its place in the chain of its workspace. Hashes are 64 lower-case hex digits. */
export type SealedRecord = ConsentRecord & { readonly previousHash: string; readonly hash: string };

/** The same as a store keeps it: `content` is the canonical JSON of the record, and the very text that is hashed. */
export type SealedContent = {
  /** Where the store keeps the record's id beside the content, it has to be the same. */
  readonly id?: string;
  readonly content: string;
  readonly previousHash: string;
  readonly hash: string;
};

/** What the first record of a workspace follows. */
export const GENESIS_HASH = '0'.repeat(64);

/** Seals a record behind the newest one of its workspace (or `GENESIS_HASH`). */
export function sealRecord(previousHash: string, record: ConsentRecord): SealedRecord {
  return { ...record, previousHash, hash: chainHash(previousHash, canonicalJson(record)) };
}

/** The same seal, as the text to store. */
export function sealContent(previousHash: string, record: ConsentRecord): SealedContent {
  const content = canonicalJson(record);
  return { content, previousHash, hash: chainHash(previousHash, content) };
}

function chainHash(previousHash: string, content: string): string {
  return hash('sha256', previousHash + content);
}

/** The origin and path of a page, which is all that evidence keeps of its address; undefined for no http address. */
export function pageOf(url: string): { origin: string; path: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? { origin, path: pathname } : undefined;
}

export type ChainVerdict = {
  readonly ok: boolean;
  /** Records that were found in order. */
  readonly count: number;
  /** The hash of the last of them: keep it elsewhere to notice later that the end of a chain was cut off. */
  readonly head: string;
  /** Zero-based position of the first record that is wrong. */
  readonly brokenAt?: number;
  readonly why?: 'hash_mismatch' | 'link_broken' | 'foreign_workspace' | 'head_mismatch';
};

export type ChainExpectation = {
  readonly workspaceId?: string;
  /** The hash before the first record given, to go on where an earlier run stopped; the genesis hash by default. */
  readonly after?: string;
  /** A hash that was the newest one once. What came later is as good as the chain itself. */
  readonly head?: string;
};

/** Checks a chain, oldest record first, one record at a time, and stops at the first that is wrong. */
export async function verifyChain(
  records: AsyncIterable<SealedRecord | SealedContent> | Iterable<SealedRecord | SealedContent>,
  expected: ChainExpectation = {},
): Promise<ChainVerdict> {
  let head = expected.after ?? GENESIS_HASH;
  let count = 0;
  let isHeadMissing = expected.head !== undefined && expected.head !== head;
  for await (const sealed of records) {
    const why = findFault(sealed, head, expected.workspaceId);
    if (why !== undefined) return { ok: false, count, head, brokenAt: count, why };
    head = sealed.hash;
    count += 1;
    if (head === expected.head) isHeadMissing = false;
  }
  if (isHeadMissing) return { ok: false, count, head, brokenAt: count, why: 'head_mismatch' };
  return { ok: true, count, head };
}

function findFault(sealed: SealedRecord | SealedContent, head: string, workspaceId: string | undefined) {
  if (sealed.previousHash !== head) return 'link_broken';
  const content = contentOf(sealed);
  if (chainHash(head, content) !== sealed.hash) return 'hash_mismatch';
  const record = 'content' in sealed ? parseRecord(content) : sealed;
  if (record === undefined || (sealed.id !== undefined && record.id !== sealed.id)) return 'hash_mismatch';
  return workspaceId !== undefined && record.workspaceId !== workspaceId ? 'foreign_workspace' : undefined;
}

function contentOf(sealed: SealedRecord | SealedContent): string {
  if ('content' in sealed) return sealed.content;
  const { previousHash: _previous, hash: _hash, ...record } = sealed;
  return canonicalJson(record);
}

/** Text that was resealed by somebody else need not be a record at all. */
function parseRecord(content: string): Partial<ConsentRecord> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
