import { parseContentLocale } from '../base/locale-registry.ts';
import { type Element, getAttribute, getWords, isTag, type Root, walkElements } from './html-tree.ts';

/** Metadata in the head of a page. */
export type Head = {
  title: string;
  siteName: string;
  locale?: string;
  /** Base URL of relative links. */
  base?: string;
  canonical?: string;
  /** The same page in other languages. */
  alternates: readonly Alternate[];
  isNoindex: boolean;
  isNofollow: boolean;
  /** Metadata by which a page says that it is not public, or when it is. */
  marks: Readonly<Record<string, string>>;
};

export type Alternate = { locale: string; url: string };

export type HeadOptions = {
  /** Address of the page. */
  url?: string | undefined;
  /** The header `Content-Language`. */
  contentLanguage?: string | undefined;
  /** The header `X-Robots-Tag`. */
  robotsTag?: string | undefined;
};

const ALTERNATES_MAX = 100;

export function readHead(root: Root, { url, contentLanguage, robotsTag }: HeadOptions): Head {
  const meta = new Map<string, string>();
  const links: Element[] = [];
  let [title, language, base] = ['', '', url];
  for (const element of walkElements(root)) {
    if (isTag(element, 'html')) language = getAttribute(element, 'lang') ?? '';
    else if (isTag(element, 'title') && title === '') title = getWords(element);
    else if (isTag(element, 'base')) base = resolveUrl(getAttribute(element, 'href') ?? '', url) ?? base;
    else if (isTag(element, 'link')) links.push(element);
    else if (isTag(element, 'meta')) readMeta(element, meta);
  }
  const robots =
    `${robotsTag ?? ''},${meta.get('robots') ?? ''},${meta.get('guidepost') ?? ''}`.toLowerCase();
  const locale = [language, meta.get('content-language'), contentLanguage, meta.get('og:locale')]
    .map((tag) => readLocale(tag))
    .find((tag) => tag !== undefined);
  const canonical = links.find((link) => hasRel(link, 'canonical'));
  const canonicalAddress = canonical && resolveUrl(getAttribute(canonical, 'href') ?? '', base);
  return {
    title: title || (meta.get('og:title') ?? ''),
    siteName: meta.get('og:site_name') ?? meta.get('application-name') ?? '',
    locale,
    base,
    canonical: canonicalAddress,
    alternates: readAlternates(links, base),
    isNoindex: /\b(?:noindex|none)\b/.test(robots),
    isNofollow: /\b(?:nofollow|none)\b/.test(robots),
    marks: Object.fromEntries(MARKS.flatMap((name) => (meta.has(name) ? [[name, meta.get(name)!]] : []))),
  };
}

const MARKS = ['draft', 'status', 'visibility', 'article:published_time', 'article:expiration_time'];

function readMeta(element: Element, meta: Map<string, string>): void {
  const name = getAttribute(element, 'name') ?? getAttribute(element, 'property');
  const key = (name ?? getAttribute(element, 'httpEquiv') ?? '').toLowerCase();
  const content = getAttribute(element, 'content')?.trim();
  if (key !== '' && content && !meta.has(key)) meta.set(key, content);
}

function readAlternates(links: readonly Element[], base: string | undefined): Alternate[] {
  const alternates = links
    .filter((link) => hasRel(link, 'alternate'))
    .flatMap((link) => {
      const locale = readLocale(getAttribute(link, 'hrefLang'));
      const url = resolveUrl(getAttribute(link, 'href') ?? '', base);
      return locale && url ? [{ locale, url }] : [];
    });
  return alternates.slice(0, ALTERNATES_MAX);
}

const hasRel = (link: Element, rel: string) =>
  (getAttribute(link, 'rel') ?? '').toLowerCase().split(/\s+/).includes(rel);

/** Returns the first language tag of a list. Accepts `de_DE`, a common mistake. */
export function readLocale(tags: string | undefined): string | undefined {
  const [first = ''] = (tags ?? '').split(',');
  return first.trim() === '' ? undefined : parseContentLocale(first.trim().replaceAll('_', '-'));
}

/** Returns an absolute http or https URL, or undefined. */
export function resolveUrl(href: string, base: string | undefined): string | undefined {
  const url = URL.parse(href.trim(), base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

const SEPARATOR = /\s+[|·•»«:—–-]+\s+|\s*[|｜]\s*/;
/** A last segment of more words is part of the title rather than the site's name. */
const SITE_WORDS_MAX = 5;

/** Removes the name of the site from a title: `Returns | Example Shop` becomes `Returns`. */
export function removeSiteName(title: string, siteName: string): string {
  const parts = title.split(SEPARATOR).filter((part) => part !== '');
  const [first, last] = [parts[0] ?? '', parts.at(-1) ?? ''];
  if (parts.length < 2) return title.trim();
  if (siteName !== '' && isSameText(first, siteName)) return title.slice(title.indexOf(parts[1]!)).trim();
  if (!isSameText(last, siteName) && last.split(/\s+/).length > SITE_WORDS_MAX) return title.trim();
  return title
    .slice(0, title.lastIndexOf(last))
    .replace(/[\s|｜·•»«:—–-]+$/, '')
    .trim();
}

export const isSameText = (one: string, other: string): boolean =>
  one.replace(/\s+/g, ' ').trim().toLowerCase() === other.replace(/\s+/g, ' ').trim().toLowerCase();

const META_BYTES = 4096;
const META = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i;
/** A few broken bytes are tolerated; more of them mean another encoding. */
const BROKEN_SHARE_MAX = 0.001;

/**
 * Decodes HTML as browsers do: by byte order mark, then header, then meta element, else as UTF-8. Returns undefined when
 * the bytes are not valid text in the stated encoding.
 */
export function decodeHtml(bytes: Uint8Array, contentType = ''): string | undefined {
  const text = getDecoder(findLabel(bytes, contentType)).decode(bytes);
  const broken = text.split('\ufffd').length - 1;
  return broken > text.length * BROKEN_SHARE_MAX || text.includes('\0') ? undefined : text;
}

function findLabel(bytes: Uint8Array, contentType: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  const declared = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1];
  if (declared) return declared;
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, META_BYTES));
  const label = META.exec(head)?.[1] ?? 'utf-8';
  // A readable meta element cannot be in UTF-16, whatever it says (HTML standard, 13.2.3.2).
  return /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function getDecoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
