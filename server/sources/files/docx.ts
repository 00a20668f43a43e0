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
  const parts = await readParts(bytes);
  const { value } = await mammoth.convertToHtml(
    // mammoth also takes an opened zip, which its types do not say.
    { file: toZip(parts) } as unknown as { buffer: Buffer },
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
  { parsedPath, sourceLocale, nowMillis }: OpenedFile,
): Omit<ReadDocument, 'place'> | undefined {
  const page = readHtml(`<body><main>${html}</main></body>`, {
    sourceLocale,
    nowMillis,
    fallbackTitle: toTitle(parsedPath.slug),
  });
  if ('reason' in page && page.reason === 'no_content') return undefined;
  if ('reason' in page) throw new SkippedFile(page.reason, page.detail);
  const { title, answer, locale } = page;
  return { title, answer, locale: parsedPath.locale ?? locale, aliases: [] };
}

type Parts = ReadonlyMap<string, Buffer>;

/** Unpacks all parts within a size limit: a document is a zip, and its XML can declare entities that grow endlessly. */
async function readParts(bytes: Uint8Array): Promise<Parts> {
  const { files, skipped } = await listZip(bytes);
  const [first] = skipped;
  if (first) throw new SkippedFile(first.reason, first.detail ?? first.path);
  const parts = new Map<string, Buffer>();
  for (const { path, read } of files) {
    const part = await read();
    const content = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    if (/\.(?:xml|rels)$/.test(path) && (content.includes('<!DOCTYPE') || content.includes('<!ENTITY'))) {
      throw new SkippedFile('unreadable', `${path}: document type declarations are not allowed`);
    }
    parts.set(path, content);
  }
  if (![...parts.keys()].some((path) => /^word\/document\d*\.xml$/.test(path)))
    throw new SkippedFile('unreadable', 'no Word document');
  return parts;
}

/** The parts as the zip that mammoth reads, without hidden text. */
function toZip(parts: Parts) {
  const hiddenStyles = findHiddenStyles(parts.get('word/styles.xml')?.toString() ?? '');
  return {
    exists: (path: string) => parts.has(path),
    async read(path: string, encoding?: BufferEncoding) {
      const part = parts.get(path)!;
      if (!encoding) return part;
      return path.endsWith('.xml')
        ? removeHiddenText(part.toString(), hiddenStyles)
        : part.toString(encoding);
    },
  };
}

/** Properties that hide text, unless they are switched off. */
const VANISH = /<w:vanish(?:\s+w:val="(?:1|true|on)")?\s*\/>/;
const HIDDEN_ROW = /<w:trPr>(?:(?!<\/w:trPr>)[\s\S])*<w:hidden(?:\s+w:val="(?:1|true|on)")?\s*\/>/;

function findHiddenStyles(xml: string): readonly string[] {
  return [...xml.matchAll(/<w:style\b[^>]*w:styleId="([^"]*)"[^>]*>([\s\S]*?)<\/w:style>/g)]
    .filter(([, , style]) => VANISH.test(style!))
    .map(([, id]) => id!);
}

/** Removes runs of hidden text, also those that a style hides, and hidden rows of tables. */
function removeHiddenText(xml: string, hiddenStyles: readonly string[]): string {
  const hasHiddenStyle = (part: string, kind: 'rStyle' | 'pStyle') =>
    hiddenStyles.length > 0 &&
    hiddenStyles.includes(new RegExp(`<w:${kind}\\s+w:val="([^"]*)"`).exec(part)?.[1] ?? '');
  return xml
    .replace(/<w:r(?:\s[^>]*)?>(?:(?!<w:r[\s>]|<\/w:r>)[\s\S])*<\/w:r>/g, (run) =>
      VANISH.test(run) || hasHiddenStyle(run, 'rStyle') ? '' : run,
    )
    .replace(/<w:p(?:\s[^>]*)?>(?:(?!<w:p[\s>]|<\/w:p>)[\s\S])*<\/w:p>/g, (paragraph) =>
      hasHiddenStyle(paragraph, 'pStyle') ? '' : paragraph,
    )
    .replace(/<w:tr(?:\s[^>]*)?>(?:(?!<w:tr[\s>]|<\/w:tr>)[\s\S])*<\/w:tr>/g, (row) =>
      HIDDEN_ROW.test(row) ? '' : row,
    );
}
