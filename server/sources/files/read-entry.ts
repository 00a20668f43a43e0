import { REQUEST_LIMITS } from '../../../contract/limits/requests.ts';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { parsePath } from '../../knowledge/import/markdown.ts';
import { findPartialMark, type Siblings } from '../../knowledge/import/publication.ts';
import type { SkipCause } from '../document.ts';
import { checkDocument } from '../snapshot.ts';
import { type Content, type ReadDocument, type Reader, SkippedFile } from './reader.ts';
import type { FileEntry } from './zip.ts';

/** Options for all files of an upload. */
export type FileSettings = {
  /** Language of documents that do not state theirs. */
  sourceLocale: string;
  /** Where visitors open the files of the source, with a slash at the end. */
  baseUrl?: string;
  /** What has not been published or has expired by then is not read. */
  nowMillis: number;
};

const readMarkdown = async () => (await import('./texts.ts')).readMarkdownFile;
const readHtml = async () => (await import('./texts.ts')).readHtmlFile;
const readCsv = async () => (await import('./lists.ts')).readCsv;
const readJsonl = async () => (await import('./lists.ts')).readJsonl;

/** Readers by extension, loaded on first use, since few uploads need all of them. */
const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  md: readMarkdown,
  markdown: readMarkdown,
  mdx: readMarkdown,
  txt: async () => (await import('./texts.ts')).readTextFile,
  csv: readCsv,
  tsv: readCsv,
  jsonl: readJsonl,
  ndjson: readJsonl,
  html: readHtml,
  htm: readHtml,
  pdf: async () => (await import('./pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
};

/** Extensions of lists of articles. They are data that visitors do not open, so they have no address. */
const LISTS = ['csv', 'tsv', 'jsonl', 'ndjson'];

/** Extensions of files that documentation tools make pages from. */
const MARKDOWN = ['md', 'markdown', 'mdx'];

const EXTENSION = /\.([a-z0-9]+)$/i;

/** Reads a file with the reader for its extension. Never throws: an error in a parser skips the file. */
export async function readEntry(
  entry: FileEntry,
  { sourceLocale, baseUrl, nowMillis }: FileSettings,
  siblings: Siblings = {},
  unpublished: ReadonlyMap<string, string> = new Map(),
): Promise<Content> {
  const { place, path, fullPath } = entry;
  try {
    const extension = EXTENSION.exec(path)?.[1]?.toLowerCase() ?? '';
    const load = Object.hasOwn(READERS, extension) ? READERS[extension] : undefined;
    if (!load) throw new SkippedFile('unsupported_type', extension || 'no extension');
    const partial = MARKDOWN.includes(extension)
      ? (unpublished.get(path) ??
        findPartialMark(path, siblings) ??
        findFuturePost(path, siblings, nowMillis))
      : undefined;
    if (partial) throw new SkippedFile('draft', partial);
    const bytes = await entry.read();
    if (bytes.length === 0) throw new SkippedFile('no_content', 'empty file');
    if (bytes.length > SOURCE_LIMITS.sourceFileBytesMax)
      throw new SkippedFile('too_large', `${bytes.length} bytes`);
    const read = await load();
    const address = LISTS.includes(extension) ? undefined : toFileAddress(baseUrl, fullPath);
    const parsedPath = parsePath(path, EXTENSION);
    return check(
      await read({ place, bytes, parsedPath, sourceLocale, address, siblings, nowMillis }),
      place,
      address,
    );
  } catch (error) {
    return { documents: [], skipped: [{ place, ...toSkipCause(error) }] };
  }
}

/** Jekyll publishes a post on the date in its name. */
function findFuturePost(path: string, { isJekyll }: Siblings, nowMillis: number): string | undefined {
  const [, date] = /(?:^|\/)_posts\/(?:.*\/)?(\d{4}-\d{2}-\d{2})-[^/]*$/.exec(path) ?? [];
  return isJekyll && date && Date.parse(date) > nowMillis ? `date: ${date}` : undefined;
}

function toSkipCause(error: unknown): SkipCause {
  if (error instanceof SkippedFile) return error.skipCause;
  // A stack overflow: some parsers recurse for each level of nesting.
  if (error instanceof RangeError && /call stack/.test(error.message)) return { reason: 'too_deep' };
  return { reason: 'unreadable', detail: String((error as Error).message) };
}

/** Skips documents that cannot be articles. Gives documents without an address the address of their file. */
function check(content: Content, place: string, address: string | undefined): Content {
  const documents: ReadDocument[] = [];
  const skipped = [...content.skipped];
  for (const { article, ...document } of content.documents) {
    const remark = document.remark ?? content.remark;
    const checked = checkDocument({ ...document, remark, url: document.url ?? address });
    if ('reason' in checked) skipped.push({ place: document.place, ...checked });
    else documents.push({ ...checked, article });
  }
  if (documents.length === 0 && skipped.length === 0) skipped.push({ place, reason: 'no_content' });
  return { documents, skipped };
}

/** Recognizes the tool that owns the files by its settings beside them. */
export function findSiblings(paths: readonly string[]): Siblings {
  const has = (name: RegExp) => paths.some((path) => name.test(path));
  return {
    isJekyll: has(/(?:^|\/)_config\.ya?ml$/),
    isMintlify: has(/(?:^|\/)(?:mint|docs)\.json$/),
    isMkdocs: has(/(?:^|\/)mkdocs\.ya?ml$/),
  };
}

/** Leaves room for a page number. */
const ADDRESS_CHARS_MAX = REQUEST_LIMITS.urlCharsMax - 20;

/** Returns where visitors open a file; undefined without a base URL, or for a path that leads out of it. */
function toFileAddress(baseUrl: string | undefined, path: string): string | undefined {
  if (baseUrl === undefined) return undefined;
  const parts = path.toWellFormed().split('/').map(encodePart);
  const address = `${baseUrl}${parts.join('/')}`;
  // URL.parse resolves `..`, so the result differs.
  const isBelow = URL.parse(address)?.href === address;
  return isBelow && address.length <= ADDRESS_CHARS_MAX ? address : undefined;
}

/** Encodes brackets too, which would end a link in Markdown. */
const encodePart = (part: string) =>
  encodeURIComponent(part).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
