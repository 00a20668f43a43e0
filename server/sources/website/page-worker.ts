/** The thread that parses pages and sitemaps. */
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { readHtml } from '../html.ts';
import { decodeHtml } from '../html-charset.ts';
import { toCanonicalUrl } from './canonical-url.ts';
import type { PageReading, PageTask, ReadTask, SitemapReading, SitemapTask } from './read-page.ts';
import { parseSitemap } from './sitemap.ts';

function readPage({ bytes, url, headers, sourceLocale }: PageTask): PageReading {
  const html = decodeHtml(bytes, headers.contentType);
  if (html === undefined) return { reason: 'invalid_encoding', alternates: [], links: [] };
  const { contentLanguage, robotsTag } = headers;
  const page = readHtml(html, { url, sourceLocale, contentLanguage, robotsTag });
  const canonical = page.canonical && toCanonicalUrl(page.canonical);
  const own = {
    links: [...new Set(page.links.flatMap((link) => toCanonicalUrl(link) ?? []))],
    alternates: page.alternates.flatMap(({ locale, url: to }) => {
      const alternate = toCanonicalUrl(to);
      return alternate ? [{ locale, url: alternate }] : [];
    }),
    ...(canonical ? { canonical } : {}),
  };
  if ('reason' in page) {
    return { ...own, reason: page.reason, ...(page.detail === undefined ? {} : { detail: page.detail }) };
  }
  const { title, answer, locale, words } = page;
  return { ...own, title, answer, locale, textHash: hash('sha256', words) };
}

function readSitemap({ bytes, url, sourceLocale }: SitemapTask): SitemapReading {
  try {
    return parseSitemap(bytes, { url, sourceLocale }) ?? { reason: 'unreadable', detail: 'no sitemap' };
  } catch (error) {
    const isBomb = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { reason: isBomb ? 'zip_bomb' : 'unreadable' };
  }
}

parentPort!.on('message', (task: ReadTask) =>
  parentPort!.postMessage(task.kind === 'page' ? readPage(task) : readSitemap(task)),
);
