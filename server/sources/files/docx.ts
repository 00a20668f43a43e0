import mammoth from 'mammoth';
import { readHtml } from '../html.ts';
import {
  type Content,
  createPlaceNamer,
  type OpenedFile,
  type ReadDocument,
  SkippedFile,
  toTitle,
} from './reader.ts';
import { listZip } from './zip.ts';

/** Reads a Word document as one article, or as one for each chapter if it has several level-1 headings. */
export async function readDocx(file: OpenedFile): Promise<Content> {
  const { place, bytes, parsedPath } = file;
  await checkParts(bytes);
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
    // Pictures are left out; a short description within a sentence stays as text.
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), includeEmbeddedStyleMap: false },
  );
  const chapters = value.split(/(?=<h1>)/).filter((html) => /[^\s<>]/.test(html.replace(/<[^>]*>/g, '')));
  if (chapters.length < 2 || countHeadings(value) < 2) {
    const document = readChapter(value, file);
    if (!document) throw new SkippedFile('no_content');
    return { documents: [{ ...document, place, article: parsedPath.slug }], skipped: [] };
  }
  const toPlace = createPlaceNamer(place);
  const documents = chapters.flatMap((html) => readChapter(html, file) ?? []);
  return { documents: documents.map((each) => ({ ...each, place: toPlace(each.title) })), skipped: [] };
}

const countHeadings = (html: string) => html.split('<h1>').length - 1;

/** Returns undefined for a chapter that has only a heading. */
function readChapter(
  html: string,
  { parsedPath, sourceLocale }: OpenedFile,
): Omit<ReadDocument, 'place'> | undefined {
  const page = readHtml(`<body><main>${html}</main></body>`, {
    sourceLocale,
    fallbackTitle: toTitle(parsedPath.slug),
  });
  if ('reason' in page && page.reason === 'no_content') return undefined;
  if ('reason' in page) throw new SkippedFile(page.reason, page.detail);
  const { title, answer, locale } = page;
  return { title, answer, locale: parsedPath.locale ?? locale, aliases: [] };
}

const MAIN_PART = 'word/document.xml';

/** Unpacks all parts within a size limit: a document is a zip, and its XML can declare entities that grow endlessly. */
async function checkParts(bytes: Uint8Array): Promise<void> {
  const { files, skipped } = await listZip(bytes);
  const [first] = skipped;
  if (first) throw new SkippedFile(first.reason, first.detail ?? first.path);
  if (!files.some(({ path }) => path === MAIN_PART)) throw new SkippedFile('unreadable', 'no Word document');
  for (const { path, read } of files) {
    const part = await read();
    if (!/\.(?:xml|rels)$/.test(path)) continue;
    const start = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    if (start.includes('<!DOCTYPE') || start.includes('<!ENTITY')) {
      throw new SkippedFile('unreadable', `${path}: document type declarations are not allowed`);
    }
  }
}
