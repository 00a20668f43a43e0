import { getDocumentProxy } from 'unpdf';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { parseContentLocale } from '../../base/locale-registry.ts';
import { detectLocale } from '../html.ts';
import { removeHiddenRuns } from './pdf-hidden.ts';
import { type Line, removeHeadersAndFooters, type TextRun, toLines } from './pdf-lines.ts';
import { divide, findOutline, type Pdf, type Section, toChapters } from './pdf-sections.ts';
import { buildTables } from './pdf-tables.ts';
import { findHeadings, type Headings, toMarkdown } from './pdf-text.ts';
import { type Content, createPlaceNamer, type OpenedFile, SkippedFile, toTitle } from './reader.ts';

/** Reads a PDF as one article, or as one for each chapter of its outline or its headings. */
export async function readPdf({
  place,
  bytes,
  parsedPath,
  sourceLocale,
  address,
}: OpenedFile): Promise<Content> {
  const pdf = await open(bytes);
  try {
    if (pdf.numPages > SOURCE_LIMITS.pdfPagesMax)
      throw new SkippedFile('too_many_pages', `${pdf.numPages} pages`);
    const lines = removeHeadersAndFooters(await readPages(pdf)).flatMap(buildTables);
    if (lines.length === 0) throw new SkippedFile('no_content', 'no text, perhaps scanned');
    const metadata = await readMetadata(pdf);
    const locale = parsedPath.locale ?? detectLocale(joinLines(lines), metadata.language, sourceLocale);
    const headings = findHeadings(lines);
    const title = metadata.title ?? findTitle(lines, headings) ?? toTitle(parsedPath.slug);
    const outline = await findOutline(pdf, lines);
    const chapters = outline.length > 0 ? outline : toChapters(lines, headings);
    const sections = divide(lines, chapters, title).flatMap(splitLong);
    const toPlace = createPlaceNamer(place);
    const documents = sections.map((section) => ({
      ...{ title: section.title, locale, aliases: [] },
      answer: toMarkdown(section.lines, headings),
      url: address && `${address}#page=${section.lines[0]!.page}`,
      place: sections.length === 1 ? place : toPlace(section.title),
      article: sections.length === 1 ? parsedPath.slug : undefined,
      remark: findDoubts(section.lines),
    }));
    // A chapter without text is refused as `no_content`.
    return { documents, skipped: [] };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    // pdf.js takes ownership of the bytes. Nothing is drawn, so fonts and pictures are not loaded.
    return await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      useSystemFonts: false,
      useWasm: false,
      maxImageSize: 1,
      verbosity: 0,
    });
  } catch (error) {
    if ((error as Error).name === 'PasswordException') throw new SkippedFile('encrypted');
    throw new SkippedFile('unreadable', (error as Error).message);
  }
}

async function readPages(pdf: Pdf): Promise<Line[][]> {
  const pages: Line[][] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent({ disableNormalization: true });
    pages.push(toLines(await removeHiddenRuns(page, items as TextRun[]), number));
    page.cleanup();
  }
  return pages;
}

/** Default titles that programs write. */
const NO_TITLE =
  /^(?:untitled|unknown|microsoft word|document\d*|slide \d+)\b|\.(?:docx?|indd|tex|dvi|pdf|fm|qxd|odt)$/i;

/** Reads the title and the language from the metadata. */
async function readMetadata(pdf: Pdf): Promise<{ title?: string; language?: string }> {
  const { info } = (await pdf.getMetadata()) as { info: { Title?: unknown; Language?: unknown } };
  const title = typeof info.Title === 'string' ? info.Title.replace(/\s+/g, ' ').trim() : '';
  return {
    title: title !== '' && !NO_TITLE.test(title) ? title : undefined,
    language: typeof info.Language === 'string' ? parseContentLocale(info.Language) : undefined,
  };
}

/** Returns the first level-1 heading on the first page. */
function findTitle(lines: readonly Line[], { getLevel }: Headings): string | undefined {
  return lines.find((line) => line.page === 1 && getLevel(line) === 1)?.text;
}

/** Names the pages with rows whose columns are unclear. */
function findDoubts(lines: readonly Line[]): string | undefined {
  const pages = new Set(lines.filter(({ isRow }) => isRow).map(({ page }) => page));
  return pages.size === 0 ? undefined : `a table whose columns are unclear on page ${[...pages].join(', ')}`;
}

const joinLines = (lines: readonly Line[]) => lines.map(({ text }) => text).join(' ');

/** Markdown needs more characters than the plain text. */
const LONG_CHARS_MAX = ARTICLE_LIMITS.answerCharsMax / 2;

/** Splits a section that is too long for one article. */
function splitLong({ title, lines }: Section): Section[] {
  const parts: Line[][] = [[]];
  let chars = 0;
  for (const line of lines) {
    chars += line.text.length;
    if (chars > LONG_CHARS_MAX) {
      parts.push([]);
      chars = line.text.length;
    }
    parts.at(-1)!.push(line);
  }
  return parts.map((part, at) => ({ title: at === 0 ? title : `${title} (${at + 1})`, lines: part }));
}
