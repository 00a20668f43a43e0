import { gunzipSync } from 'node:zlib';
import { LIMITS } from '../../../contract/limits.ts';
import { canonicalUrl } from './canonical-url.ts';

/** What a sitemap lists (sitemaps.org): pages, or further sitemaps. Pure. */
export type Sitemap = {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
  /** Whether it lists more than a run may read. */
  readonly isCut: boolean;
};

const GZIP = [0x1f, 0x8b];
/** The first of a `url` or `sitemap` element. Declarations, and entities that they define, are never read. */
const LOCATION =
  /<(?:\w+:)?loc\s*>\s*(?:<!\[CDATA\[)?\s*([^<\]]{1,4096}?)\s*(?:\]\]>)?\s*<\/(?:\w+:)?loc\s*>/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Undefined for what is no sitemap. Throws for damaged or too large gzip data. */
export function parseSitemap(bytes: Uint8Array, url: string): Sitemap | undefined {
  const isPacked = GZIP.every((sign, at) => bytes[at] === sign);
  const plain = isPacked ? gunzipSync(bytes, { maxOutputLength: LIMITS.sitemapBytesMax }) : bytes;
  const text = new TextDecoder().decode(plain);
  const isIndex = /<(?:\w+:)?sitemapindex[\s>]/i.test(text);
  if (!isIndex && !/<(?:\w+:)?urlset[\s>]/i.test(text)) return undefined;
  const found = new Set<string>();
  let isCut = false;
  for (const [, location] of text.matchAll(LOCATION)) {
    const address = canonicalUrl(decodeEntities(location!), url);
    if (address === undefined) continue;
    isCut = found.size === LIMITS.sourcePagesMax && !found.has(address);
    if (isCut) break;
    found.add(address);
  }
  const urls = [...found];
  return isIndex ? { pages: [], sitemaps: urls, isCut } : { pages: urls, sitemaps: [], isCut };
}

const decodeEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    return ENTITIES[name.toLowerCase()] ?? whole;
  });
