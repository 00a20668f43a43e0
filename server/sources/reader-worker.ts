/** The worker thread that reads files, pages and sitemaps. */
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import type { Siblings } from '../knowledge/import/publication.ts';
import { decode, toRemark } from './decode.ts';
import type { FileContents, SkipCause } from './document.ts';
import { findUnpublished } from './files/included.ts';
import { type FileSettings, findSiblings, readEntry } from './files/read-entry.ts';
import { type FileEntry, listEntries } from './files/zip.ts';
import { detectLocale, type HtmlPage, type PageLinks, readHtml } from './html.ts';
import { toArticleMarkdown } from './html-markdown.ts';
import { getText, type Root } from './html-tree.ts';
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
export type SitemapTask = Omit<PageTask, 'headers' | 'nowMillis'> & { contentType: string };

type UploadTask = { name: string; bytes: Uint8Array; sourceLocale: string; nowMillis: number };

/** The content of an article as a tree of HTML, without the parts that surround it on a page. */
type TreeTask = {
  tree: Root;
  /** The stated language, if any. */
  locale: string | undefined;
  sourceLocale: string;
  /** Where visitors open the article. */
  address: string | undefined;
};

export type ReaderTask =
  | ({ kind: 'page' } & PageTask)
  | ({ kind: 'sitemap' } & SitemapTask)
  | ({ kind: 'tree' } & TreeTask)
  /** Opens an upload; its files are read one by one with `file`. */
  | ({ kind: 'upload' } & UploadTask)
  | ({ kind: 'file'; at: number } & FileSettings);

/** Links are canonical and unique. */
export type ParsedPage = PageLinks &
  ((SkipCause & { redirect?: string }) | (Omit<HtmlPage, 'words'> & { textHash: string; remark?: string }));
export type ParsedTree = { answer: string; locale: string } | SkipCause;
export type ParsedSitemap = Sitemap | SkipCause;
/** The paths of the files in an upload that are read, and the files that are skipped. */
export type OpenedUpload = { places: readonly string[]; skipped: FileContents['skipped'] };

let entries: readonly FileEntry[] = [];
let siblings: Siblings = {};
let unpublished: ReadonlyMap<string, string> = new Map();

function read(task: ReaderTask): unknown {
  switch (task.kind) {
    case 'page':
      return readPage(task);
    case 'sitemap':
      return readSitemap(task);
    case 'tree':
      return readTree(task);
    case 'upload':
      return openUpload(task);
    case 'file':
      return readEntry(entries[task.at]!, task, siblings, unpublished);
  }
}

function readPage({ bytes, url, headers, sourceLocale, nowMillis }: PageTask): ParsedPage {
  const decoded = decode(bytes, { contentType: headers.contentType, isMarkup: true, locale: sourceLocale });
  if (!decoded) return { reason: 'invalid_encoding', alternates: [], links: [] };
  const page = readHtml(decoded.text, { ...headers, url, sourceLocale, nowMillis, isWebsite: true });
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
  return { ...text, ...links, textHash: hash('sha256', words), remark: toRemark(decoded) };
}

function readTree({ tree, locale, sourceLocale, address }: TreeTask): ParsedTree {
  const words = getText(tree).replace(/\s+/g, ' ').trim();
  if (words === '') return { reason: 'no_content' };
  const answer = toArticleMarkdown(tree, undefined, address);
  if (answer.length > ARTICLE_LIMITS.answerCharsMax) return { reason: 'too_large' };
  return { answer, locale: detectLocale(words, locale, sourceLocale) };
}

function readSitemap({ bytes, ...options }: SitemapTask): ParsedSitemap {
  try {
    return parseSitemap(bytes, options) ?? { reason: 'unreadable', detail: 'no sitemap' };
  } catch (error) {
    const isBomb = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { reason: isBomb ? 'zip_bomb' : 'unreadable' };
  }
}

async function openUpload({ name, bytes, sourceLocale, nowMillis }: UploadTask): Promise<OpenedUpload> {
  const listed = await listEntries(name, bytes, sourceLocale);
  entries = listed.entries;
  siblings = findSiblings(listed.all.map(({ fullPath }) => fullPath));
  unpublished = await findUnpublished(listed.all, nowMillis);
  return { places: entries.map(({ place }) => place), skipped: listed.skipped };
}

parentPort!.on('message', async (task: ReaderTask) => parentPort!.postMessage(await read(task)));
