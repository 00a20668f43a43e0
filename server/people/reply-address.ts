import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeId, encodeId } from '../base/ids.ts';

/** The address that a reply by mail goes to. Only the mail to the desk has it: whoever knows it replies for the team. */

/** Stands in the first line of the mail to the desk, so that the quoted mail is recognized in any language. */
export const REPLY_MARK = '##--##';

export type ReplyAddresses = ReturnType<typeof createReplyAddresses>;

const PREFIX = 'ho';
const MAC_BYTES = 16;

export function createReplyAddresses(domain: string, secret: string) {
  const sign = (workspaceId: string, handoverId: string) => {
    const mac = createHmac('sha256', secret).update(`${workspaceId} ${handoverId}`).digest();
    return encodeId(PREFIX, mac.subarray(0, MAC_BYTES)).slice(PREFIX.length + 1);
  };
  const make = (workspaceId: string, handoverId: string) =>
    `${handoverId}.${sign(workspaceId, handoverId)}@${domain}`;

  return {
    make,

    /** Returns the id that an address names; undefined for other addresses. `isGenuine` tells whether it is signed. */
    parse(address: string): string | undefined {
      const [local = '', host] = address.trim().toLowerCase().split('@');
      const id = local.split('.', 1)[0]!;
      return host === domain && decodeId(PREFIX, id) ? id : undefined;
    },

    isGenuine(address: string, workspaceId: string, handoverId: string): boolean {
      const received = Buffer.from(address.trim().toLowerCase());
      const expected = Buffer.from(make(workspaceId, handoverId));
      return received.length === expected.length && timingSafeEqual(received, expected);
    },
  };
}
