import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { matchesPath, parsePathPattern } from '../../../contract/path-rules.ts';

/** Gives each page one address, without fragment and tracking parameters, and tells which addresses a run reads. */

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

export const isTooLong = (url: string): boolean => Buffer.byteLength(url) > SOURCE_LIMITS.placeBytesMax;

export const getOrigin = (url: string): string => new URL(url).origin;

/**
 * An include or exclude rule: a URLPattern without regular expressions, as path rules are, so that
 * matching takes time in proportion to pattern times address. A rule that begins with `/` or `*` is
 * compared with the path, and one with a `?` also with the query; other rules begin with an origin.
 */
type UrlRule = { matches(url: URL): boolean };

type PathPattern = NonNullable<ReturnType<typeof parsePathPattern>>;

const ORIGIN = /^(https?:\/\/[^/?#*:{}()\\]+(?::\d+)?)(?=\/|$)/i;
/** A question mark after a wildcard or group makes it optional; elsewhere it starts the query. */
const QUERY = /\\\?|(?<![*}?]|:[A-Za-z_$][\w$]*)\?/;

/** Returns undefined for an invalid rule. */
export function parseUrlRule(rule: string): UrlRule | undefined {
  const text = rule.trim();
  const prefix = ORIGIN.exec(text)?.[1];
  const origin = prefix && URL.parse(prefix)?.origin;
  if (text === '' || (/^https?:/i.test(text) && !origin)) return undefined;
  const rest = text.slice(prefix?.length ?? 0) || '/*';
  const queryAt = QUERY.exec(rest);
  const path = parsePathPattern(queryAt ? rest.slice(0, queryAt.index) || '/*' : rest);
  const query = queryAt && parsePathPattern(`/${rest.slice(queryAt.index + queryAt[0].length)}`);
  if (!path || (queryAt && !query)) return undefined;
  return {
    matches: (url) => (!origin || url.origin === origin) && matchesParts(url, path, query ?? undefined),
  };
}

const matchesParts = (url: URL, path: PathPattern, query: PathPattern | undefined) =>
  matchesPath(path, url.pathname) && (query === undefined || matchesPath(query, `/${url.search.slice(1)}`));

/** Creates a function that returns whether a run reads an address. */
export function createUrlFilter(rules: {
  include?: readonly string[];
  exclude?: readonly string[];
}): (url: string) => boolean {
  const parse = (list: readonly string[] = []) => list.flatMap((rule) => parseUrlRule(rule) ?? []);
  const [include, exclude] = [parse(rules.include), parse(rules.exclude)];
  const includesAll = !rules.include?.length;
  return (text) => {
    const url = new URL(text);
    return (
      (includesAll || include.some((rule) => rule.matches(url))) && !exclude.some((rule) => rule.matches(url))
    );
  };
}
