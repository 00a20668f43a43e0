import { createHmac, type KeyObject } from 'node:crypto';
import { Resolver } from 'node:dns/promises';

/**
 * A workspace proves by a TXT record that a domain is its own. Who controls the domain also receives its mail and could show
 * any page on it, so the record gives no more power than that. Records for one use prove nothing for the other.
 */

export type ResolveTexts = (name: string) => Promise<readonly (readonly string[])[]>;

export const resolveTexts: ResolveTexts = (name) =>
  new Resolver({ timeout: 2_000, tries: 2 }).resolveTxt(name);

/** What a domain is for, with the name that its record has. */
const USES = { 'sign-in domain': 'guidepost-domain', 'help domain': 'guidepost-help' } as const;

const TOKEN_BYTES = 24;

/** Returns the record that names the workspace: no other workspace gets the same. */
export function toDomainRecord(use: keyof typeof USES, workspaceId: string, domain: string, key: KeyObject) {
  const token = createHmac('sha256', key)
    .update(`${use} ${workspaceId} ${domain}`)
    .digest()
    .subarray(0, TOKEN_BYTES)
    .toString('base64url');
  return { name: `_guidepost.${domain}`, value: `${USES[use]}=${token}` };
}

/** Whether the record is there. False when name servers do not answer, too. */
export async function hasRecord(
  { name, value }: { name: string; value: string },
  resolve: ResolveTexts,
): Promise<boolean> {
  const texts = await resolve(name).catch(() => []);
  // A text longer than 255 characters comes in parts.
  return texts.some((parts) => parts.join('').trim() === value);
}
