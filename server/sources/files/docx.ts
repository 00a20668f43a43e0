import mammoth from 'mammoth';
import { findDraftMark } from '../../knowledge/import/publication.ts';
import type { Skipped } from '../document.ts';
import { readHtml } from '../html.ts';
import { NUMBER_MARK, writeNumbers } from './docx-numbering.ts';
import {
  type Content,
  createPlaceNamer,
  type OpenedFile,
  type ReadDocument,
  SkippedFile,
  toTitle,
} from './reader.ts';
import { listZip } from './zip.ts';

/** The status that Word shows among the properties of a document. */
const STATUS = /<(?:\w+:)?contentStatus>([^<]*)</;

/** Reads a Word document as one article, or as one for each chapter if it has several level-1 headings. */
export async function readDocx(file: OpenedFile): Promise<Content> {
  const { place, bytes, parsedPath, nowMillis } = file;
  const parts = await readParts(bytes);
  const [, status = ''] = STATUS.exec(parts.get('docProps/core.xml')?.toString() ?? '') ?? [];
  const draft = findDraftMark({ status }, nowMillis);
  if (draft) throw new SkippedFile('draft', draft);
  const { value } = await mammoth.convertToHtml(
    // mammoth also takes an opened zip, which its types do not say.
    { file: toZip(parts) } as unknown as { buffer: Buffer },
    // Pictures are left out; a short description within a sentence stays as text.
    { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), includeEmbeddedStyleMap: false },
  );
  const numbered = placeNumbers(value);
  const chapters = numbered.split(/(?=<h1>)/).filter((html) => /[^\s<>]/.test(html.replace(/<[^>]*>/g, '')));
  if (chapters.length < 2 || countHeadings(numbered) < 2) {
    const document = readChapter(numbered, file);
    if (!('answer' in document)) throw new SkippedFile('no_content');
    return { documents: [{ ...document, place, article: parsedPath.slug }], skipped: [] };
  }
  const toPlace = createPlaceNamer(place);
  const documents: ReadDocument[] = [];
  const skipped: Skipped[] = [];
  for (const html of chapters) {
    const document = readChapter(html, file);
    const chapterPlace = toPlace(document.title);
    if ('answer' in document) documents.push({ ...document, place: chapterPlace });
    else skipped.push({ place: chapterPlace, reason: 'no_content' });
  }
  return { documents, skipped };
}

const countHeadings = (html: string) => html.split('<h1>').length - 1;

/** Numbers of another form than `3.` stay as text, because Markdown has no such lists. */
const placeNumbers = (html: string) =>
  html
    .replace(new RegExp(`<li>((?:<[^>]*>)*)${NUMBER_MARK.source}`, 'g'), (_, tags: string, label: string) =>
      /^\d{1,9}[.)]?$/.test(label)
        ? `<li value="${Number.parseInt(label, 10)}">${tags}`
        : `<li data-label="">${tags}${label} `,
    )
    .replace(/(<h\d>(?:<[^>]*>)*)\ue000[^\ue001]*\ue001/g, '$1')
    .replace(new RegExp(NUMBER_MARK, 'g'), '$1 ');

/** Returns only the title of a chapter that has no text. */
function readChapter(
  html: string,
  { parsedPath, sourceLocale, nowMillis }: OpenedFile,
): Omit<ReadDocument, 'place'> | { title: string } {
  const page = readHtml(`<body><main>${html}</main></body>`, {
    sourceLocale,
    nowMillis,
    fallbackTitle: toTitle(parsedPath.slug),
  });
  if ('reason' in page && page.reason === 'no_content')
    return { title: /<h1>(.*?)<\/h1>/.exec(html)?.[1]?.replace(/<[^>]*>/g, '') || toTitle(parsedPath.slug) };
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
  return parts;
}

/** Returns the path of the part of a kind that another part names, or the usual path. */
function findPart(parts: Parts, from: string, kind: string, usual: string): string {
  const folder = from.slice(0, from.lastIndexOf('/') + 1);
  const relations = parts.get(`${folder}_rels/${from.slice(folder.length)}.rels`)?.toString() ?? '';
  for (const [relation] of relations.matchAll(/<(?:\w+:)?Relationship\s[^>]*>/g)) {
    const [, type] = /\sType\s*=\s*["'][^"']*\/(\w+)["']/.exec(relation) ?? [];
    const [, target = ''] = /\sTarget\s*=\s*["']([^"']*)["']/.exec(relation) ?? [];
    if (type === kind) return new URL(target, `part:/${folder}`).pathname.slice(1);
  }
  return usual;
}

/** The parts as the zip that mammoth reads, without hidden text, and with the numbers of paragraphs. */
function toZip(parts: Parts) {
  const main = findPart(parts, '', 'officeDocument', 'word/document.xml');
  if (!parts.has(main)) throw new SkippedFile('unreadable', 'no Word document');
  const read = (kind: string) => parts.get(findPart(parts, main, kind, `word/${kind}.xml`))?.toString() ?? '';
  const [styles, numbering] = [read('styles'), read('numbering')];
  const hiddenStyles = findHiddenStyles(styles);
  return {
    exists: (path: string) => parts.has(path),
    async read(path: string, encoding?: BufferEncoding) {
      const part = parts.get(path)!;
      if (!encoding) return part;
      if (!path.endsWith('.xml')) return part.toString(encoding);
      const shown = removeHiddenText(part.toString(), hiddenStyles);
      return path === main ? writeNumbers(shown, numbering, styles) : shown;
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
