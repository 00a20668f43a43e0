import { parseContentLocale } from '../base/locale-registry.ts';
import { type Element, getAttribute, getWords, isTag, type Root, walkElements } from './html-tree.ts';
import { readRobotsRules } from './robots-tag.ts';

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
  /** Where the page leads without waiting. */
  redirect?: string | undefined;
  /** Metadata by which a page says that it is not public, or when it is. */
  marks: Readonly<Record<string, string>>;
};

export type Alternate = { locale: string; url: string };

export type HeadOptions = {
  /** Address of the page. */
  url?: string | undefined;
  /** The header `Content-Language`. */
  contentLanguage?: string | undefined;
  /** The headers `X-Robots-Tag`, one a line. */
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
  const robots = readRobotsRules([
    ...(robotsTag ?? '').split('\n'),
    meta.get('robots') ?? '',
    meta.get('guidepost') ?? '',
  ]);
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
    isNoindex: robots.isNoindex,
    isNofollow: robots.isNofollow,
    redirect: readRefresh(meta.get('refresh'), base),
    marks: {
      ...Object.fromEntries(MARKS.flatMap((name) => (meta.has(name) ? [[name, meta.get(name)!]] : []))),
      ...(robots.unavailableAfter && { unavailable_after: robots.unavailableAfter }),
    },
  };
}

const MARKS = ['draft', 'status', 'visibility', 'article:published_time', 'article:expiration_time'];

function readMeta(element: Element, meta: Map<string, string>): void {
  const name = getAttribute(element, 'name') ?? getAttribute(element, 'property');
  const key = (name ?? getAttribute(element, 'httpEquiv') ?? '').toLowerCase();
  const content = getAttribute(element, 'content')?.trim();
  if (key === '' || !content) return;
  // Rules for robots add up.
  if (/^(?:robots|guidepost)$/.test(key) && meta.has(key)) meta.set(key, `${meta.get(key)},${content}`);
  else if (!meta.has(key)) meta.set(key, content);
}

/** A refresh after zero seconds is a redirect (HTML standard, 4.2.5.3). */
function readRefresh(content: string | undefined, base: string | undefined): string | undefined {
  const [, address] = /^\s*0*(?:\.0*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content ?? '') ?? [];
  return address === undefined ? undefined : resolveUrl(address, base);
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
