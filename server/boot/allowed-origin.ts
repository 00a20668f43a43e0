import { identity, memoize } from '../cache.ts';

/**
 * Origins, compared as browsers serialise them: scheme, host, port; never by prefix or suffix. An allowed domain is an exact
 * origin or `https://*.example.com`, which stands for one or more labels and not for the apex.
 */

/** Labels of letters and digits, none of them empty and none an asterisk, or an IPv6 address. */
const HOST = /^(\[[\da-f:]+\]|[\da-z_-]+(\.[\da-z_-]+)*\.?)$/;

const WILDCARD = /^(https?):\/\/\*\.([^/*]+)$/i;

/** The serialised origin of an http or https origin; undefined for anything else, `null` included. */
export const canonicalOrigin: (text: string) => string | undefined = memoize((text) => {
  // A path, a query or credentials make it an address, not an origin.
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return HOST.test(hostname) ? origin : undefined;
}, identity);

/** The canonical form of an allowed domain: an exact origin, or a pattern for every host below a domain. */
export function canonicalAllowedOrigin(text: string): string | undefined {
  const wildcard = WILDCARD.exec(text.trim());
  if (!wildcard) return canonicalOrigin(text.trim());
  const base = canonicalOrigin(`${wildcard[1]}://${wildcard[2]}`);
  if (!base) return undefined;
  const [scheme, host] = base.split('://') as [string, string];
  // A pattern over a whole top-level domain, or over an address, allows strangers.
  const hostname = new URL(base).hostname.replace(/\.$/, '');
  if (!hostname.includes('.') || /^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return undefined;
  return `${scheme}://*.${host}`;
}

/** Every allowed-domain text that would allow this canonical origin: itself, then each pattern above its host. */
export const allowingPatterns: (origin: string) => readonly string[] = memoize((origin) => {
  const [scheme, host] = origin.split('://') as [string, string];
  const labels = host.split('.');
  const patterns = labels
    .slice(1, -1)
    .map((_, index) => `${scheme}://*.${labels.slice(index + 1).join('.')}`);
  return [origin, ...patterns];
}, identity);

/** The closest of these canonical domains that allows a canonical origin. */
export function allowingDomain(origin: string, allowed: readonly string[]): string | undefined {
  return allowingPatterns(origin).find((pattern) => allowed.includes(pattern));
}

/** Whether a canonical origin is allowed by one of these canonical domains. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowingDomain(origin, allowed) !== undefined;
}
