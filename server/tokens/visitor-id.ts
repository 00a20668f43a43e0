import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { TypeID } from 'typeid-js';
import { encodeId, newUuid } from '../ids.ts';

/**
 * A visitor id proves by itself that this installation made it for this workspace: its last five bytes are a keyed
 * digest of the rest. So a visitor can be continued before anything about the visitor may be stored.
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
      const bytes = bytesOf(visitorId);
      if (!bytes) return false;
      const headLength = bytes.length - DIGEST_BYTES;
      return timingSafeEqual(digest(workspaceId, bytes.subarray(0, headLength)), bytes.subarray(headLength));
    },
  };
}

function bytesOf(visitorId: string): Uint8Array | undefined {
  if (visitorId.length !== 30) return undefined;
  try {
    const id = TypeID.fromString(visitorId, 'vis');
    // Only the canonical spelling counts, or one visitor would have several names.
    return id.toString() === visitorId ? id.toUUIDBytes() : undefined;
  } catch {
    return undefined;
  }
}
