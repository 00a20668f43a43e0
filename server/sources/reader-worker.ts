/** The worker thread that reads files, pages and sitemaps. */
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Siblings } from '../knowledge/import/publication.ts';
import type { FileContents, SkipCause } from './document.ts';
import { type FileSettings, findSiblings, readEntry } from './files/read-entry.ts';
import { type FileEntry, listEntries } from './files/zip.ts';
import { type HtmlPage, type PageLinks, readHtml } from './html.ts';
import { decodeHtml } from './html-head.ts';
import type { PageHeaders } from './website/fetch.ts';
import { parseSitemap, type Sitemap } from './website/sitemap.ts';
import { toCanonicalUrl } from './website/urls.ts';

export type PageTask = {
  bytes: Uint8Array;
  url: string;
  headers: PageHeaders;
  sourceLocale: string;
  nowMillis: number;
};
export type SitemapTask = Omit<PageTask, 'headers' | 'nowMillis'>;

export type ReaderTask =
  | ({ kind: 'page' } & PageTask)
  | ({ kind: 'sitemap' } & SitemapTask)
  /** Opens an upload; its files are read one by one with `file`. */
  | { kind: 'upload'; name: string; bytes: Uint8Array }
  | ({ kind: 'file'; at: number } & FileSettings);

/** Links are canonical and unique. */
export type ParsedPage = PageLinks & (SkipCause | (Omit<HtmlPage, 'words'> & { textHash: string }));
export type ParsedSitemap = Sitemap | SkipCause;
/** The paths of the files in an upload that are read, and the files that are skipped. */
export type OpenedUpload = { places: readonly string[]; skipped: FileContents['skipped'] };

let entries: readonly FileEntry[] = [];
let siblings: Siblings = {};

function read(task: ReaderTask): unknown {
  switch (task.kind) {
    case 'page':
      return readPage(task);
    case 'sitemap':
      return readSitemap(task);
    case 'upload':
      return openUpload(task.name, task.bytes);
    case 'file':
      return readEntry(entries[task.at]!, task, siblings);
  }
}

function readPage({ bytes, url, headers, sourceLocale, nowMillis }: PageTask): ParsedPage {
  const html = decodeHtml(bytes, headers.contentType);
  if (html === undefined) return { reason: 'invalid_encoding', alternates: [], links: [] };
  const page = readHtml(html, { ...headers, url, sourceLocale, nowMillis });
  const links = {
    links: [...new Set(page.links.flatMap((link) => toCanonicalUrl(link) ?? []))],
    alternates: page.alternates.flatMap(({ locale, url: to }) => {
      const alternate = toCanonicalUrl(to);
      return alternate ? [{ locale, url: alternate }] : [];
    }),
    canonical: page.canonical && toCanonicalUrl(page.canonical),
  };
  if ('reason' in page) return { ...page, ...links };
  const { words, ...text } = page;
  return { ...text, ...links, textHash: hash('sha256', words) };
}

function readSitemap({ bytes, url, sourceLocale }: SitemapTask): ParsedSitemap {
  try {
    return parseSitemap(bytes, { url, sourceLocale }) ?? { reason: 'unreadable', detail: 'no sitemap' };
  } catch (error) {
    const isBomb = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { reason: isBomb ? 'zip_bomb' : 'unreadable' };
  }
}

async function openUpload(name: string, bytes: Uint8Array): Promise<OpenedUpload> {
  const listed = await listEntries(name, bytes);
  entries = listed.entries;
  siblings = findSiblings(listed.paths);
  return { places: entries.map(({ place }) => place), skipped: listed.skipped };
}

parentPort!.on('message', async (task: ReaderTask) => parentPort!.postMessage(await read(task)));
