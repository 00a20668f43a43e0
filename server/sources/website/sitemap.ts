import { gunzipSync } from 'node:zlib';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { readLocale } from '../html-head.ts';
import { toCanonicalUrl } from './urls.ts';

/** The entries of a sitemap (sitemaps.org): pages, or further sitemaps. Pure. */
export type Sitemap = {
  pages: readonly string[];
  sitemaps: readonly string[];
  /** For each translated page, the page in the source locale. */
  originals: ReadonlyMap<string, string>;
  /** Whether it lists more than the protocol allows. */
  isTruncated: boolean;
};

/** Addresses in a sitemap; the limit of the protocol. */
const ADDRESSES_MAX = 50_000;

const GZIP = [0x1f, 0x8b];
const PAGE = /<(?:\w+:)?url[\s>]/gi;
const SITEMAP = /<(?:\w+:)?sitemap[\s>]/gi;
/**
 * The first address is the page's own; addresses of its pictures and videos follow. Declarations, and
 * entities that they define, are never read.
 */
const LOCATION = /<(?:\w+:)?loc\s*>(?:\s*<!\[CDATA\[)?([^<\]]{1,4096})(?:\]\]>\s*)?<\/(?:\w+:)?loc\s*>/i;
const LINK = /<(?:\w+:)?link\s([^<>]{1,8192})>/gi;
const ATTRIBUTE = /([\w:-]{1,32})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

type SitemapOptions = { url: string; sourceLocale: string };

/** Returns undefined for anything but a sitemap. Throws for damaged or too large gzip data. */
export function parseSitemap(bytes: Uint8Array, { url, sourceLocale }: SitemapOptions): Sitemap | undefined {
  const isPacked = GZIP.every((sign, at) => bytes[at] === sign);
  const plain = isPacked ? gunzipSync(bytes, { maxOutputLength: SOURCE_LIMITS.sitemapBytesMax }) : bytes;
  const text = new TextDecoder().decode(plain);
  const isIndex = /<(?:\w+:)?sitemapindex[\s>]/i.test(text);
  if (!isIndex && !/<(?:\w+:)?urlset[\s>]/i.test(text)) return undefined;
  const addresses = new Set<string>();
  const originals = new Map<string, string>();
  let isTruncated = false;
  for (const element of splitElements(text, isIndex ? SITEMAP : PAGE)) {
    const address = readAddress(LOCATION.exec(element)?.[1], url);
    const alternates = isIndex ? [] : readAlternates(element, url);
    const original = alternates.find(({ locale }) => locale === sourceLocale)?.address;
    for (const each of [...(address === undefined ? [] : [address]), ...alternates.map((to) => to.address)]) {
      isTruncated ||= addresses.size === ADDRESSES_MAX && !addresses.has(each);
      if (isTruncated) break;
      addresses.add(each);
      if (original !== undefined && original !== each) originals.set(each, original);
    }
    if (isTruncated) break;
  }
  const urls = [...addresses];
  const listed = isIndex ? { pages: [], sitemaps: urls } : { pages: urls, sitemaps: [] };
  return { ...listed, originals, isTruncated };
}

/** Yields elements, each from its start tag to the next one. */
function* splitElements(text: string, start: RegExp): Generator<string> {
  let from: number | undefined;
  for (const { index } of text.matchAll(start)) {
    if (from !== undefined) yield text.slice(from, index);
    from = index;
  }
  if (from !== undefined) yield text.slice(from);
}

type Alternate = { locale: string; address: string };

/** Reads the language versions of a page from the `link` elements of its entry. */
function readAlternates(element: string, url: string): readonly Alternate[] {
  return [...element.matchAll(LINK)].flatMap(([, text]) => {
    const attributes = new Map(
      [...text!.matchAll(ATTRIBUTE)].map(([, name, doubleQuoted, singleQuoted]) => [
        name!.toLowerCase(),
        doubleQuoted ?? singleQuoted ?? '',
      ]),
    );
    const locale = readLocale(attributes.get('hreflang'));
    const address = readAddress(attributes.get('href'), url);
    const isAlternate = attributes.get('rel')?.trim().toLowerCase() === 'alternate';
    return isAlternate && locale !== undefined && address !== undefined ? [{ locale, address }] : [];
  });
}

const readAddress = (text: string | undefined, url: string) =>
  text === undefined ? undefined : toCanonicalUrl(decodeEntities(text), url);

const decodeEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    return ENTITIES[name.toLowerCase()] ?? whole;
  });
