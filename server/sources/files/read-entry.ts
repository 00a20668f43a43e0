import { LIMITS } from '../../../contract/limits.ts';
import { importLine, toFieldProblems } from '../../knowledge/import/article-input.ts';
import { parsePath } from '../../knowledge/import/markdown.ts';
import type { Refusal } from '../document.ts';
import { toFileAddress } from './address.ts';
import type { FileEntry } from './entries.ts';
import { type Content, type FileSettings, type Reader, RefusedFile } from './reader.ts';
import type { ReadDocument } from './translations.ts';

/** Readers by extension, loaded on first use, since few uploads need all of them. */
const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  md: async () => (await import('./markdown.ts')).readMarkdownFile,
  markdown: async () => (await import('./markdown.ts')).readMarkdownFile,
  txt: async () => (await import('./markdown.ts')).readTextFile,
  csv: async () => (await import('./csv.ts')).readCsv,
  tsv: async () => (await import('./csv.ts')).readCsv,
  jsonl: async () => (await import('./jsonl.ts')).readJsonl,
  ndjson: async () => (await import('./jsonl.ts')).readJsonl,
  html: async () => (await import('./html.ts')).readHtmlFile,
  htm: async () => (await import('./html.ts')).readHtmlFile,
  pdf: async () => (await import('./pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
};

/** Extensions of lists of articles. They are data that visitors do not open, so they have no address. */
const LISTS = ['csv', 'tsv', 'jsonl', 'ndjson'];

const EXTENSION = /\.([a-z0-9]+)$/i;

/** Reads a file with the reader for its extension. Never throws: an error in a parser refuses the file. */
export async function readEntry(entry: FileEntry, { sourceLocale, baseUrl }: FileSettings): Promise<Content> {
  const { place, path, fullPath } = entry;
  try {
    const extension = EXTENSION.exec(path)?.[1]?.toLowerCase() ?? '';
    const load = Object.hasOwn(READERS, extension) ? READERS[extension] : undefined;
    if (!load) throw new RefusedFile('unsupported_type', extension || 'no extension');
    const bytes = await entry.read();
    if (bytes.length === 0) throw new RefusedFile('no_content', 'empty file');
    if (bytes.length > LIMITS.sourceFileBytesMax) throw new RefusedFile('too_large', `${bytes.length} bytes`);
    const read = await load();
    const address = LISTS.includes(extension) ? undefined : toFileAddress(baseUrl, fullPath);
    const parsedPath = parsePath(path, EXTENSION);
    const content = await read({ place, bytes, parsedPath, sourceLocale, address });
    return check(address === undefined ? content : withAddress(content, address), place);
  } catch (error) {
    return { documents: [], refusals: [{ place, ...toFault(error) }] };
  }
}

/** Gives documents without an address the address of their file. */
function withAddress({ documents, refusals }: Content, address: string): Content {
  return {
    documents: documents.map((document) => ({ ...document, url: document.url ?? address })),
    refusals,
  };
}

function toFault(error: unknown): Pick<Refusal, 'reason' | 'detail'> {
  if (error instanceof RefusedFile) return error.fault;
  // A stack overflow: some parsers recurse for each level of nesting.
  if (error instanceof RangeError && /call stack/.test(error.message)) return { reason: 'too_deep' };
  return {
    reason: 'unreadable',
    detail: String((error as Error).message).slice(0, LIMITS.refusalDetailCharsMax),
  };
}

/** Normalizes documents as an import does, and refuses those that cannot be articles. */
function check({ documents, refusals }: Content, place: string): Content {
  const kept: ReadDocument[] = [];
  const refused = [...refusals];
  for (const document of documents) {
    const checked = checkDocument(document);
    if ('reason' in checked) refused.push(checked);
    else kept.push(checked);
  }
  if (kept.length === 0 && refused.length === 0) refused.push({ place, reason: 'no_content' });
  return { documents: kept, refusals: refused };
}

function checkDocument(document: ReadDocument): ReadDocument | Refusal {
  const { place, article, slug, title, answer, locale, aliases, url, collection, tags, translationOf } =
    document;
  if (answer.trim() === '') return { place, reason: 'no_content' };
  const result = importLine.safeParse({
    ...{ slug: slug ?? 'none', title, answer, locale, aliases, url, collection, tags },
  });
  if (!result.success) {
    const detail = toFieldProblems(result.error).map(
      ({ field, expected }) => `${field}: expected ${expected}`,
    );
    return {
      place,
      reason: 'invalid_article',
      detail: detail.join('; ').slice(0, LIMITS.refusalDetailCharsMax),
    };
  }
  const { translations: _, slug: checkedSlug, ...checked } = result.data;
  return {
    ...omitUndefined(checked),
    place,
    ...(slug === undefined ? {} : { slug: checkedSlug }),
    ...(article === undefined ? {} : { article }),
    ...(translationOf === undefined ? {} : { translationOf }),
  };
}

function omitUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
