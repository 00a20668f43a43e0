import { gunzipSync } from 'node:zlib';
import sax, { type QualifiedTag, type SAXParser } from 'sax';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { decode } from '../decode.ts';
import { readLocale } from '../html-head.ts';
import { toCanonicalUrl } from './urls.ts';

/** The entries of a sitemap: pages, or further sitemaps. RSS, Atom and lines of text are sitemaps too (sitemaps.org). Pure. */
export type Sitemap = {
  pages: readonly string[];
  sitemaps: readonly string[];
  /** For each translated page, the page in the source locale. */
  originals: ReadonlyMap<string, string>;
  /** The number of entries without an address that can be read. */
  unusable: number;
  /** Whether it lists more than the protocol allows. */
  isTruncated: boolean;
};

/** Addresses in a sitemap; the limit of the protocol. */
const ADDRESSES_MAX = 50_000;

const GZIP = [0x1f, 0x8b];

type SitemapOptions = { url: string; contentType: string; sourceLocale: string };

/** Returns undefined for anything but a sitemap. Throws for damaged or too large gzip data. */
export function parseSitemap(
  bytes: Uint8Array,
  { url, contentType, sourceLocale }: SitemapOptions,
): Sitemap | undefined {
  const isPacked = GZIP.every((sign, at) => bytes[at] === sign);
  const plain = isPacked ? gunzipSync(bytes, { maxOutputLength: SOURCE_LIMITS.sitemapBytesMax }) : bytes;
  const text = decode(plain, { contentType, isMarkup: true })
    ?.text.replace(/^\ufeff/, '')
    .trimStart();
  if (text === undefined) return undefined;
  const read = text.startsWith('<') ? readXml(text) : readLines(text);
  if (!read) return undefined;
  const addresses = new Set<string>();
  const originals = new Map<string, string>();
  let [unusable, isTruncated] = [0, false];
  for (const entry of read.entries) {
    const address = toAddress(entry.address, url);
    if (address === undefined) unusable += 1;
    const alternates = entry.alternates.flatMap(({ tag, href }) => {
      const [locale, to] = [readLocale(tag), toAddress(href, url)];
      return locale !== undefined && to !== undefined ? [{ locale, to }] : [];
    });
    const original = alternates.find(({ locale }) => locale === sourceLocale)?.to;
    for (const each of [...(address === undefined ? [] : [address]), ...alternates.map(({ to }) => to)]) {
      isTruncated ||= addresses.size === ADDRESSES_MAX && !addresses.has(each);
      if (isTruncated) break;
      addresses.add(each);
      if (original !== undefined && original !== each) originals.set(each, original);
    }
    if (isTruncated) break;
  }
  const urls = [...addresses];
  const listed = read.isIndex ? { pages: [], sitemaps: urls } : { pages: urls, sitemaps: [] };
  return { ...listed, originals, unusable, isTruncated };
}

const toAddress = (text: string, url: string) => (text.trim() === '' ? undefined : toCanonicalUrl(text, url));

type Entry = { address: string; alternates: { tag: string; href: string }[] };
type Entries = { entries: readonly Entry[]; isIndex: boolean };

/** Lines of other texts are sentences. */
const ADDRESS_SHARE_MIN = 0.5;

function readLines(text: string): Entries | undefined {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const entries = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const addresses = entries.filter((line) => /^https?:\/\/\S+$/i.test(line));
  if (addresses.length === 0 || addresses.length < entries.length * ADDRESS_SHARE_MIN) return undefined;
  return {
    isIndex: false,
    entries: entries.map((line) => ({ address: addresses.includes(line) ? line : '', alternates: [] })),
  };
}

/** Elements that hold an entry, by the root element. */
const ENTRIES: Readonly<Record<string, string>> = {
  urlset: 'url',
  sitemapindex: 'sitemap',
  rss: 'item',
  rdf: 'item',
  feed: 'entry',
};
/** Namespaces of the elements themselves; those of pictures and videos have others. */
const NAMESPACES =
  /^$|sitemaps?\/0\.\d+\/?$|^http:\/\/www\.w3\.org\/2005\/Atom$|^http:\/\/purl\.org\/(?:rss\/1\.0\/|atom\/ns#)|^http:\/\/backend\.userland\.com\/rss/i;

/** Reads elements without declarations, and without entities that they define. Damaged parts are passed over. */
function readXml(text: string): Entries | undefined {
  const reader = new EntryReader();
  const parser = sax.parser(false, { xmlns: true, lowercase: true });
  parser.onopentag = (tag) => reader.open(tag as QualifiedTag);
  parser.onclosetag = () => reader.close();
  parser.ontext = (words) => reader.add(words);
  parser.oncdata = (words) => reader.add(words);
  parser.onerror = function (this: SAXParser) {
    parser.error = null as unknown as Error;
    parser.resume();
  };
  parser.write(text).close();
  return reader.root === undefined
    ? undefined
    : { entries: reader.entries, isIndex: reader.root === 'sitemapindex' };
}

class EntryReader {
  readonly entries: Entry[] = [];
  root: string | undefined;
  readonly #path: string[] = [];
  #entry: Entry | undefined;
  /** The depth of the entry, and the text of the element in it that is open. */
  #depth = 0;
  #words: string | undefined;
  #identity = '';

  open({ local, uri, attributes }: QualifiedTag): void {
    const name = local.toLowerCase();
    if (this.#path.length === 0 && Object.hasOwn(ENTRIES, name)) this.root = name;
    this.#path.push(name);
    if (this.root === undefined) return;
    if (!this.#entry && name === ENTRIES[this.root] && NAMESPACES.test(uri)) {
      this.#entry = { address: '', alternates: [] };
      this.#identity = '';
      this.#depth = this.#path.length;
    } else if (this.#entry && this.#path.length === this.#depth + 1) this.#openChild(name, uri, attributes);
  }

  #openChild(name: string, uri: string, attributes: QualifiedTag['attributes']): void {
    const get = (key: string) => attributes[key]?.value ?? '';
    const isOwn = NAMESPACES.test(uri);
    if (name === 'link' && get('href') !== '') {
      const rel = get('rel').toLowerCase() || 'alternate';
      if (rel === 'alternate' && get('hreflang') !== '' && !(isOwn && this.root === 'feed'))
        this.#entry!.alternates.push({ tag: get('hreflang'), href: get('href') });
      else if (rel === 'alternate' && this.root === 'feed') this.#entry!.address ||= get('href');
      return;
    }
    const isAddress =
      this.root === 'urlset' || this.root === 'sitemapindex' ? name === 'loc' : name === 'link';
    const isIdentity = name === 'guid' && get('ispermalink').toLowerCase() !== 'false';
    if (isOwn && (isAddress || isIdentity)) this.#words = '';
  }

  add(words: string): void {
    if (this.#words !== undefined && this.#path.length === this.#depth + 1) this.#words += words;
  }

  close(): void {
    const name = this.#path.pop();
    if (!this.#entry) return;
    if (this.#path.length === this.#depth && this.#words !== undefined) {
      const words = this.#words.trim();
      if (name === 'guid') this.#identity ||= /^https?:/i.test(words) ? words : '';
      else this.#entry.address ||= words;
      this.#words = undefined;
    } else if (this.#path.length === this.#depth - 1) {
      this.#entry.address ||= this.#identity;
      this.entries.push(this.#entry);
      this.#entry = undefined;
    }
  }
}
