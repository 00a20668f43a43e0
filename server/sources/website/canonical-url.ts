import { LIMITS } from '../../../contract/limits.ts';

/** Gives each page one address: without fragment, credentials, and parameters that only track visitors. */

const TRACKING =
  /^(?:utm_\w+|mtm_\w+|pk_\w+|hsa_\w+|_hs\w+|fbclid|gclid|dclid|gbraid|wbraid|gclsrc|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|mkt_tok|_ga|_gl|vero_id|oly_\w+|s_cid|phpsessid|jsessionid)$/i;

/** Returns undefined for a URL that is not http or https, or has credentials. */
export function toCanonicalUrl(text: string, base?: string): string | undefined {
  const url = URL.parse(text.trim(), base);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
  // Change only what must change, since sites encode their queries differently.
  if (kept.length < url.searchParams.size || url.search === '') {
    url.search = kept.length === 0 ? '' : new URLSearchParams(kept).toString();
  }
  url.pathname = url.pathname
    .replace(/;jsessionid=[^/;]*/i, '')
    .replace(/%[0-9a-f]{2}/gi, (code) => normalizeCode(code));
  return url.href;
}

/** Decodes letters and digits; writes other escapes in upper case (RFC 3986, section 6.2.2). */
function normalizeCode(code: string): string {
  const sign = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return /[A-Za-z0-9._~-]/.test(sign) ? sign : code.toUpperCase();
}

export const isTooLong = (url: string): boolean => Buffer.byteLength(url) > LIMITS.placeBytesMax;

export const getOrigin = (url: string): string => new URL(url).origin;
