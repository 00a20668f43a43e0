import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { TypeID } from 'typeid-js';
import { encodeId, newUuid } from '../ids.ts';

/**
 * Visitor ids are self-authenticating: the last five bytes are an HMAC of the rest and the workspace. Visitors can return before anything
 * about them may be stored.
 */
const DIGEST_BYTES = 5;

export type VisitorIds = {
  mint(workspaceId: string): string;
  /** True when this installation minted the id for this workspace. */
  belongs(workspaceId: string, visitorId: string): boolean;
};

export function createVisitorIds(key: KeyObject): VisitorIds {
  const digest = (workspaceId: string, head: Uint8Array) =>
    createHmac('sha256', key).update(workspaceId).update(head).digest().subarray(0, DIGEST_BYTES);
  return {
    mint(workspaceId) {
      const bytes = newUuid();
      const headLength = bytes.length - DIGEST_BYTES;
      bytes.set(digest(workspaceId, bytes.subarray(0, headLength)), headLength);
      return encodeId('vis', bytes);
    },
    belongs(workspaceId, visitorId) {
      const bytes = parseId(visitorId);
      if (!bytes) return false;
      const headLength = bytes.length - DIGEST_BYTES;
      return timingSafeEqual(digest(workspaceId, bytes.subarray(0, headLength)), bytes.subarray(headLength));
    },
  };
}

function parseId(visitorId: string): Uint8Array | undefined {
  if (visitorId.length !== 30) return undefined;
  try {
    const id = TypeID.fromString(visitorId, 'vis');
    // Only the canonical form is valid, so each visitor has one id.
    return id.toString() === visitorId ? id.toUUIDBytes() : undefined;
  } catch {
    return undefined;
  }
}
