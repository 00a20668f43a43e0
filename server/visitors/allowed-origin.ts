import { getPublicSuffix } from 'tldts';
import { identity, memoize } from '../base/cache.ts';

/**
 * Compares origins as browsers serialize them (scheme, host, port), never by prefix or suffix. An allowed domain is an
 * exact origin or `https://*.example.com`, which matches every host below example.com but not example.com itself.
 */

/** Non-empty labels without an asterisk, or an IPv6 address. */
const HOST = /^(\[[\da-f:]+\]|[\da-z_-]+(\.[\da-z_-]+)*\.?)$/;

const WILDCARD = /^(https?):\/\/\*\.([^/*]+)$/i;

/** Returns the serialized form of an http or https origin; undefined for anything else, including `null`. */
export const canonicalizeOrigin: (text: string) => string | undefined = memoize((text) => {
  // A text with a path, a query or credentials is a URL, not an origin.
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return HOST.test(hostname) ? origin : undefined;
}, identity);

/**
 * Returns the canonical form of an allowed domain: an exact origin, or a pattern for every host below a domain of one
 * owner. Patterns over public suffixes that an earlier version stored keep working.
 */
export function canonicalizeAllowedOrigin(text: string): string | undefined {
  const wildcard = WILDCARD.exec(text.trim());
  if (!wildcard) return canonicalizeOrigin(text.trim());
  const base = canonicalizeOrigin(`${wildcard[1]}://${wildcard[2]}`);
  if (!base) return undefined;
  const [scheme, host] = base.split('://') as [string, string];
  const hostname = new URL(base).hostname.replace(/\.$/, '');
  if (isSharedByOwners(hostname) || /^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return undefined;
  return `${scheme}://*.${host}`;
}

/** Tells whether anyone may have a host below this one, as below `com`, `co.uk` and `github.io`. */
function isSharedByOwners(hostname: string): boolean {
  return getPublicSuffix(hostname, { allowPrivateDomains: true }) === hostname;
}

/** Returns every pattern that matches a canonical origin: the origin itself, then the wildcards above its host. */
export const listAllowingPatterns: (origin: string) => readonly string[] = memoize((origin) => {
  const [scheme, host] = origin.split('://') as [string, string];
  const labels = host.split('.');
  const patterns = labels
    .slice(1, -1)
    .map((_, index) => `${scheme}://*.${labels.slice(index + 1).join('.')}`);
  return [origin, ...patterns];
}, identity);

/** Returns the most specific of these canonical domains that allows a canonical origin. */
export function findAllowingDomain(origin: string, allowed: readonly string[]): string | undefined {
  return listAllowingPatterns(origin).find((pattern) => allowed.includes(pattern));
}

/** Tells whether one of these canonical domains allows a canonical origin. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return findAllowingDomain(origin, allowed) !== undefined;
}
