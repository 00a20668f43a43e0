import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { TypeID } from 'typeid-js';
import { encodeId, newUuid } from '../ids.ts';

/**
 * Visitor ids are self-authenticating: the last five bytes are an HMAC of the rest and the workspace. Visitors can return before anything
 * about them may be stored. Other bytes of the same HMAC make the pseudonym under which everything about the visitor is stored and shown:
 * without the key, neither can be computed from the other. See docs/adr/0002-self-authenticating-visitor-ids.md.
 */
const DIGEST_BYTES = 5;
const PSEUDONYM_FROM = 16;

export type VisitorIdentity = {
  /** Known to the visitor's browser alone, because `/boot` continues the visitor who sends it. */
  readonly browserId: string;
  /** The pseudonym: what is stored, exported and shown. */
  readonly visitorId: string;
  /** All that is stored of an erased visitor. Says nothing about the pseudonym without the key. */
  readonly mark: string;
};

export type VisitorIds = {
  mint(workspaceId: string): VisitorIdentity;
  /** Returns undefined unless this installation minted the id for this workspace. */
  recognize(workspaceId: string, browserId: string): VisitorIdentity | undefined;
};

export function createVisitorIds(key: KeyObject): VisitorIds {
  const digest = (workspaceId: string, head: Uint8Array) =>
    createHmac('sha256', key).update(workspaceId).update(head).digest();
  return {
    mint(workspaceId) {
      const bytes = newUuid();
      const headLength = bytes.length - DIGEST_BYTES;
      const proof = digest(workspaceId, bytes.subarray(0, headLength));
      bytes.set(proof.subarray(0, DIGEST_BYTES), headLength);
      return toIdentity(encodeId('vis', bytes), proof);
    },
    recognize(workspaceId, browserId) {
      const bytes = parseId(browserId);
      if (!bytes) return undefined;
      const headLength = bytes.length - DIGEST_BYTES;
      const proof = digest(workspaceId, bytes.subarray(0, headLength));
      const isOwn = timingSafeEqual(proof.subarray(0, DIGEST_BYTES), bytes.subarray(headLength));
      return isOwn ? toIdentity(browserId, proof) : undefined;
    },
  };
}

function parseId(browserId: string): Uint8Array | undefined {
  if (browserId.length !== 30) return undefined;
  try {
    const id = TypeID.fromString(browserId, 'vis');
    // Only the canonical form is valid, so each visitor has one id.
    return id.toString() === browserId ? id.toUUIDBytes() : undefined;
  } catch {
    return undefined;
  }
}

/** Each part of an identity is made of other bytes of the HMAC. */
function toIdentity(browserId: string, proof: Buffer): VisitorIdentity {
  return {
    browserId,
    visitorId: encodeId('vp', proof.subarray(PSEUDONYM_FROM)),
    mark: proof.toString('base64url', DIGEST_BYTES, PSEUDONYM_FROM),
  };
}
