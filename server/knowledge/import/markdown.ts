import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import { parseContentLocale } from '../../base/locale-registry.ts';
import { normalizeLine } from '../article-content.ts';
import {
  type ArticleInput,
  decodeUtf8,
  frontMatter,
  type ImportDraft,
  type ImportItem,
  type ImportProblem,
  ImportSourceError,
  importLine,
  markdownAnswer,
  toFieldProblems,
  toImportSourceError,
} from './article-input.ts';
import { type FrontMatterProblems, splitFrontMatter } from './front-matter.ts';
import { findDraftMark, findPartialMark } from './publication.ts';

/** A Markdown file: one variant of an article. */
type MarkdownPage = {
  slug: string;
  locale: string;
  content: {
    title: string;
    answer: string;
    aliases: string[];
    url?: string;
  };
};

/** Parses a file. Front matter takes precedence over the file name. The answer stays Markdown. */
export function readMarkdown(
  bytes: Uint8Array,
  path: ParsedPath,
  sourceLocale: string,
  nowMillis: number,
): MarkdownPage | FrontMatterProblems | { draft: string } {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { problems: [{ expected: 'UTF-8 text' }] };
  const parts = splitFrontMatter(text);
  if (!parts) return { problems: [{ line: 1, expected: 'front matter between two lines of ---' }] };
  if ('problems' in parts) return parts;
  const draft = findDraftMark(parts.fields, nowMillis);
  if (draft) return { draft };
  const front = frontMatter.safeParse(parts.fields);
  const answer = markdownAnswer.safeParse(parts.body);
  if (!front.success || !answer.success) {
    return {
      problems: [
        ...(front.success ? [] : toFieldProblems(front.error)),
        ...(answer.success
          ? []
          : toFieldProblems(answer.error).map((problem) => ({ ...problem, field: 'answer' }))),
      ],
    };
  }
  const { title, aliases, url, slug, locale } = front.data;
  return {
    slug: slug ?? normalizeLine(path.slug),
    locale: locale ?? path.locale ?? sourceLocale,
    content: { title, aliases, answer: answer.data, url },
  };
}

/** Slug and locale as derived from a file's path. */
export type ParsedPath = { slug: string; locale?: string };

/** Parses `<slug>.<locale>.md`, `<locale>/<slug>.md` or `<slug>.md`. A slug may contain folders. */
export function parsePath(path: string, extension = /\.(?:md|markdown)$/i): ParsedPath {
  const stem = path.replace(extension, '');
  const suffixed = /^(.+)\.([^./]+)$/.exec(stem);
  const suffixLocale = suffixed && parseKnownLocale(suffixed[2]!);
  if (suffixLocale) return { slug: suffixed[1]!, locale: suffixLocale };
  const nested = /^([^/]+)\/(.+)$/.exec(stem);
  const folder = nested && parseKnownLocale(nested[1]!);
  if (folder) return { slug: nested[2]!, locale: folder };
  return { slug: stem };
}

/**
 * Returns a registered locale, or undefined: many words only look like language tags. Folders such as `api`, `cli` and
 * `sdk` have the codes of small languages, so codes of three letters count only for languages with data for dates.
 */
function parseKnownLocale(part: string): string | undefined {
  if (!/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(part)) return undefined;
  const tag = part.replaceAll('_', '-');
  const locale = parseContentLocale(tag);
  const isCommon =
    locale && (/^[a-z]{2}(?:-|$)/i.test(tag) || Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0);
  return isCommon ? locale : undefined;
}

/** The longest answer in 4-byte characters, doubled to leave space for front matter. */
const FILE_BYTES_MAX = ARTICLE_LIMITS.answerCharsMax * 4 * 2;

/** A file as indexed by the first pass. */
type FileEntry = { file: string; locale: string; bytes: number };

/**
 * Reads articles from a folder of Markdown files with front matter, named `<slug>.<locale>.md`,
 * `<locale>/<slug>.md` or `<slug>.md`. Files with the same slug form one article; the file in the
 * source locale is its source. Files are read twice, first for the slugs and then article by
 * article, so folders of any size fit in memory.
 */
export async function* readMarkdownFolder(
  folder: string,
  sourceLocale: string,
  nowMillis: number,
): AsyncGenerator<ImportItem> {
  const { files, problems } = await listMarkdownFiles(folder);
  if (problems.length > 0) yield { problems, bytesRead: 0 };
  else if (files.length === 0) {
    throw new ImportSourceError(`Nothing to import: ${folder} contains no Markdown files.`);
  }
  const articles = new Map<string, FileEntry[]>();
  for (const file of files) {
    const page = await readPage(folder, file, { sourceLocale, nowMillis });
    if (!('page' in page)) {
      yield { ...page, bytesRead: 0 };
      continue;
    }
    const entries = articles.get(page.slug);
    const entry = { file, locale: page.locale, bytes: page.bytes };
    if (entries) entries.push(entry);
    else articles.set(page.slug, [entry]);
  }
  let bytesRead = 0;
  for (const [slug, entries] of articles) {
    bytesRead += entries.reduce((sum, entry) => sum + entry.bytes, 0);
    yield { ...(await readArticle(folder, slug, entries, { sourceLocale, nowMillis })), bytesRead };
  }
}

type ReadSettings = { sourceLocale: string; nowMillis: number };

type Unread = { problems: readonly ImportProblem[] } | { draft: ImportDraft };
type ArticleResult = { article: ArticleInput; at: { file: string } } | Unread;

async function readArticle(
  folder: string,
  slug: string,
  entries: readonly FileEntry[],
  settings: ReadSettings,
): Promise<ArticleResult> {
  const { sourceLocale } = settings;
  const first = entries[0]!;
  const source = entries.find((entry) => entry.locale === sourceLocale);
  if (!source) {
    const expected = `a file for article ${slug} in the source locale (${sourceLocale})`;
    return { problems: [{ file: first.file, field: 'locale', expected }] };
  }
  const duplicate = entries.find(
    (entry, at) => entries.findIndex((other) => other.locale === entry.locale) < at,
  );
  if (duplicate) {
    const expected = `one file per locale for article ${slug}, but there are two for ${duplicate.locale}`;
    return { problems: [{ file: duplicate.file, field: 'locale', expected }] };
  }
  const pages: MarkdownPage[] = [];
  for (const entry of [source, ...entries.filter((other) => other !== source)]) {
    const page = await readPage(folder, entry.file, settings);
    if (!('page' in page)) return page;
    pages.push(page.page);
  }
  const [sourcePage, ...others] = pages as [MarkdownPage, ...MarkdownPage[]];
  const article = {
    slug,
    locale: sourceLocale,
    ...sourcePage.content,
    translations: others.map((page) => ({ ...page.content, locale: page.locale })),
  };
  return validateArticle(article, source.file);
}

/** Applies the limits of import lines to articles from folders, such as the number of locales. */
function validateArticle(article: ArticleInput, file: string): ArticleResult {
  const withoutUrls = article.translations.map(({ url: _, ...translation }) => translation);
  const result = importLine.safeParse({ ...article, translations: withoutUrls });
  if (result.success) return { article, at: { file } };
  return { problems: toFieldProblems(result.error).map((problem) => ({ file, ...problem })) };
}

type LoadedPage = { slug: string; locale: string; bytes: number; page: MarkdownPage };

async function readPage(
  folder: string,
  file: string,
  { sourceLocale, nowMillis }: ReadSettings,
): Promise<LoadedPage | Unread> {
  const partial = findPartialMark(file);
  if (partial) return { draft: { file, mark: partial } };
  const content = await readContent(join(folder, file));
  if (content === undefined) return { problems: [{ file, expected: 'a readable file' }] };
  if (content === 'too_long') {
    return { problems: [{ file, expected: `a file of at most ${FILE_BYTES_MAX} bytes` }] };
  }
  const read = readMarkdown(content, parsePath(file), sourceLocale, nowMillis);
  if ('draft' in read) return { draft: { file, mark: read.draft } };
  if ('problems' in read) return { problems: read.problems.map((problem) => ({ file, ...problem })) };
  return { slug: read.slug, locale: read.locale, bytes: content.length, page: read };
}

/** Returns undefined when the file is unreadable or was deleted after the folder was listed. */
async function readContent(path: string): Promise<Buffer | 'too_long' | undefined> {
  try {
    const { size } = await stat(path);
    return size > FILE_BYTES_MAX ? 'too_long' : await readFile(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns the folder's Markdown files in sorted order, and its unreadable subfolders as problems.
 */
async function listMarkdownFiles(folder: string) {
  const files: string[] = [];
  const problems: ImportProblem[] = [];
  for await (const next of walkFiles(folder)) {
    if (typeof next !== 'string') problems.push(next);
    else if (/\.(?:md|markdown)$/i.test(next)) files.push(next);
  }
  return { files: files.sort(), problems };
}

/** Yields paths relative to the folder, separated by `/`. Skips hidden files and links. */
async function* walkFiles(folder: string, parent = ''): AsyncGenerator<string | ImportProblem> {
  const entries = await readdir(join(folder, parent), { withFileTypes: true }).catch((error) => {
    if (parent === '') throw toImportSourceError(folder, error);
  });
  if (!entries) return yield { file: parent, expected: 'a readable folder' };
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = posix.join(parent, entry.name);
    if (entry.isDirectory()) yield* walkFiles(folder, path);
    else if (entry.isFile()) yield path;
  }
}
