import type { ConsentDecision } from '../../../contract/consent.ts';
import {
  type ChainExpectation,
  type Chained,
  type ChainVerdict,
  canonicalJson,
  chainHash,
  verifyHashChain,
} from '../../base/hash-chain.ts';
import type { Reason } from './consent-directive.ts';
import type { Mode, Purposes } from './purposes.ts';
import type { Region } from './region.ts';

/**
 * One decision in the consent log, appended and never changed. It contains no IP address, no user agent and no page
 * content. Unknown optional members are absent, never null, because the hash covers exactly what is there.
 */
export type ConsentRecord = {
  id: string;
  workspaceId: string;
  /** A pseudonym, which cannot be resolved once the visitor is erased. */
  visitorId: string;
  origin: string;
  /** Without query and fragment. */
  path: string;

  decision: ConsentDecision;
  /** The effective purposes after the decision. */
  purposes: Purposes;
  mode: Mode;
  reason: Reason;
  /** The mode that the client sent. */
  modeClaimed?: string;

  policyVersion: string;
  /** The policy version that the client sent. */
  policyVersionClaimed?: string;
  /** False when this service never published the claimed policy. */
  policyKnown: boolean;
  copyVersion: string;
  copyLocale?: string;
  /** Where the policy came from: the visitor's token, or the settings at write time. */
  snapshotSource: 'token' | 'write_time';

  regionCode: string;
  regionSource: Region['source'];
  /** The region that the client sent, normalized. */
  regionClaimed?: string;
  gpcHeader: boolean;
  gpcBody?: boolean;
  overrideSource?: 'runtime' | 'gpc' | 'region_override';

  /** Device clock. */
  atMillis: number;
  /** Server clock. */
  receivedAtMillis: number;
  /** `receivedAtMillis - atMillis`, which shows how far the device clock can be trusted. */
  clockSkewMillis: number;
  /** The visitor's previous record; absent for the first. */
  previousDecisionId?: string;
};

/** A record linked into the chain of its workspace. */
export type ChainedRecord = ConsentRecord & Chained;

/** The stored form: `content` is the canonical JSON of the record, exactly the text that is hashed. */
type ChainedContent = Chained & {
  /** Must equal the id inside the content. */
  id?: string;
  content: string;
};

/** Links a record to the hash of the newest one of its workspace, or to `GENESIS_HASH`. */
export function chainRecord(previousHash: string, record: ConsentRecord): ChainedRecord {
  return { ...record, previousHash, hash: chainHash(previousHash, canonicalJson(record)) };
}

/** Like `chainRecord`, but returns the text to store. */
export function chainContent(previousHash: string, record: ConsentRecord): ChainedContent {
  const content = canonicalJson(record);
  return { content, previousHash, hash: chainHash(previousHash, content) };
}

/** Returns the origin and path of a page, the only parts that are logged; undefined unless it is an http or https URL. */
export function parsePage(url: string): { origin: string; path: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? { origin, path: pathname } : undefined;
}

type ChainedRow = ChainedRecord | ChainedContent;

/** Verifies the consent log of one workspace, oldest record first, and stops at the first invalid record. */
export function verifyChain(
  records: AsyncIterable<ChainedRow> | Iterable<ChainedRow>,
  { workspaceId, ...expected }: ChainExpectation & { workspaceId?: string } = {},
): Promise<ChainVerdict> {
  const findFault = (chained: ChainedRow, content: string) => {
    const record = 'content' in chained ? parseRecord(content) : chained;
    if (record === undefined || (chained.id !== undefined && record.id !== chained.id))
      return 'hash_mismatch';
    return workspaceId !== undefined && record.workspaceId !== workspaceId ? 'foreign_workspace' : undefined;
  };
  return verifyHashChain(records, { toContent, findFault }, expected);
}

function toContent(chained: ChainedRow): string {
  if ('content' in chained) return chained.content;
  const { previousHash: _previous, hash: _hash, ...record } = chained;
  return canonicalJson(record);
}

/** A chain resealed by a third party may contain text that is not a record. */
function parseRecord(content: string): Partial<ConsentRecord> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
