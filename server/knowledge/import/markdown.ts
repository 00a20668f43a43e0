import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { parseDocument } from 'yaml';
import { LIMITS } from '../../../contract/limits.ts';
import { normalizeLine } from '../article-content.ts';
import { canonicalizeLocale } from '../locale.ts';
import {
  type ArticleInput,
  type FieldProblem,
  type Found,
  frontMatter,
  type ImportProblem,
  ImportSourceError,
  importLine,
  markdownAnswer,
  problemsOf,
  toImportSourceError,
} from './article-input.ts';

/** A Markdown file: one variant of an article. */
export type MarkdownPage = {
  readonly slug: string;
  readonly locale: string;
  readonly content: {
    readonly title: string;
    readonly answer: string;
    readonly aliases: string[];
    readonly url?: string;
  };
};

export type BadMarkdown = { readonly problems: readonly (FieldProblem & { readonly line?: number })[] };

const utf8 = new TextDecoder('utf-8', { fatal: true });
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?\r?\n)??---[ \t]*(?:\r?\n|$)/;

/** Parses a file. Front matter takes precedence over the file name. The answer stays Markdown. */
export function readMarkdown(
  bytes: Uint8Array,
  name: MarkdownName,
  sourceLocale: string,
): MarkdownPage | BadMarkdown {
  const text = decoded(bytes);
  if (text === undefined) return { problems: [{ expected: 'UTF-8 text' }] };
  const head = FRONT_MATTER.exec(text);
  if (!head) return { problems: [{ line: 1, expected: 'front matter between two lines of ---' }] };
  const yaml = yamlOf(head[1] ?? '');
  if ('problems' in yaml) return yaml;
  const front = frontMatter.safeParse(yaml.value);
  const answer = markdownAnswer.safeParse(text.slice(head[0].length));
  if (!front.success || !answer.success) {
    return {
      problems: [
        ...(front.success ? [] : problemsOf(front.error)),
        ...(answer.success
          ? []
          : problemsOf(answer.error).map((problem) => ({ ...problem, field: 'answer' }))),
      ],
    };
  }
  const { title, aliases, url, slug, locale } = front.data;
  return {
    slug: slug ?? normalizeLine(name.slug),
    locale: locale ?? name.locale ?? sourceLocale,
    content: { title, aliases, answer: answer.data, ...(url === undefined ? {} : { url }) },
  };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function yamlOf(text: string): { readonly value: unknown } | BadMarkdown {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    // Front matter starts on the second line of the file.
    const line = text.slice(0, error.pos[0]).split('\n').length + 1;
    return { problems: [{ line, expected: `YAML (${error.message})` }] };
  }
  try {
    return { value: document.toJS({ maxAliasCount: 20 }) ?? {} };
  } catch (error) {
    return { problems: [{ line: 2, expected: `YAML (${(error as Error).message})` }] };
  }
}

/** What a file's path says about its article. */
export type MarkdownName = { readonly slug: string; readonly locale?: string };

/** Parses `<slug>.<locale>.md`, `<locale>/<slug>.md` or `<slug>.md`. A slug may contain folders. */
export function nameOf(path: string): MarkdownName {
  const stem = path.replace(/\.(?:md|markdown)$/i, '');
  const inName = /^(.+)\.([^./]+)$/.exec(stem);
  const named = inName && knownLocale(inName[2]!);
  if (named) return { slug: inName[1]!, locale: named };
  const inFolder = /^([^/]+)\/(.+)$/.exec(stem);
  const folder = inFolder && knownLocale(inFolder[1]!);
  if (folder) return { slug: inFolder[2]!, locale: folder };
  return { slug: stem };
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** Many words look like language tags, so only known languages count as locales. */
function knownLocale(part: string): string | undefined {
  if (!/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(part)) return undefined;
  const locale = canonicalizeLocale(part.replaceAll('_', '-'));
  if (locale === undefined) return undefined;
  return languages.of(new Intl.Locale(locale).language) === undefined ? undefined : locale;
}

/** The longest answer in 4-byte characters, plus as much for front matter. */
const FILE_BYTES_MAX = LIMITS.answerCharsMax * 4 * 2;

/** What the first pass keeps of a file. */
type Leaf = { readonly file: string; readonly locale: string; readonly bytes: number };

/**
 * Reads articles from a folder of Markdown files with front matter, named `<slug>.<locale>.md`,
 * `<locale>/<slug>.md` or `<slug>.md`. Files
 * with the same slug form one article, whose source is the file in the source locale. Files are
 * read twice, first for the slugs and then
 * article by article, so folders of any size fit in memory.
 */
export async function* readMarkdownFolder(folder: string, sourceLocale: string): AsyncGenerator<Found> {
  const { files, problems } = await markdownFiles(folder);
  if (problems.length > 0) yield { problems, bytesRead: 0 };
  else if (files.length === 0) {
    throw new ImportSourceError(`There is nothing to import: there is no Markdown file in ${folder}.`);
  }
  const articles = new Map<string, Leaf[]>();
  for (const file of files) {
    const page = await pageOf(folder, file, sourceLocale);
    if (Array.isArray(page)) {
      yield { problems: page, bytesRead: 0 };
      continue;
    }
    const leaves = articles.get(page.slug);
    const leaf = { file, locale: page.locale, bytes: page.bytes };
    if (leaves) leaves.push(leaf);
    else articles.set(page.slug, [leaf]);
  }
  let bytesRead = 0;
  for (const [slug, leaves] of articles) {
    bytesRead += leaves.reduce((sum, leaf) => sum + leaf.bytes, 0);
    yield { ...(await articleOf(folder, slug, leaves, sourceLocale)), bytesRead };
  }
}

type Article = { article: ArticleInput; at: { file: string } } | { problems: readonly ImportProblem[] };

async function articleOf(
  folder: string,
  slug: string,
  leaves: readonly Leaf[],
  sourceLocale: string,
): Promise<Article> {
  const first = leaves[0]!;
  const source = leaves.find((leaf) => leaf.locale === sourceLocale);
  if (!source) {
    const expected = `a file of the article ${slug} in the source locale, ${sourceLocale}`;
    return { problems: [{ file: first.file, field: 'locale', expected }] };
  }
  const twice = leaves.find((leaf, at) => leaves.findIndex((other) => other.locale === leaf.locale) < at);
  if (twice) {
    const expected = `one file of the article ${slug} for each locale, but ${twice.locale} is there twice`;
    return { problems: [{ file: twice.file, field: 'locale', expected }] };
  }
  const pages: MarkdownPage[] = [];
  for (const leaf of [source, ...leaves.filter((other) => other !== source)]) {
    const page = await pageOf(folder, leaf.file, sourceLocale);
    if (Array.isArray(page)) return { problems: page };
    pages.push(page.page);
  }
  const [own, ...others] = pages as [MarkdownPage, ...MarkdownPage[]];
  const article = {
    slug,
    locale: sourceLocale,
    ...own.content,
    translations: others.map((page) => ({ ...page.content, locale: page.locale })),
  };
  return checkedAsWhole(article, source.file);
}

/** Applies the limits of import lines to articles from folders, such as the number of locales. */
function checkedAsWhole(article: ArticleInput, file: string): Article {
  const withoutAddresses = article.translations.map(({ url: _, ...translation }) => translation);
  const checked = importLine.safeParse({ ...article, translations: withoutAddresses });
  if (checked.success) return { article, at: { file } };
  return { problems: problemsOf(checked.error).map((problem) => ({ file, ...problem })) };
}

type Look = { slug: string; locale: string; bytes: number; page: MarkdownPage };

async function pageOf(folder: string, file: string, sourceLocale: string): Promise<Look | ImportProblem[]> {
  const content = await contentOf(join(folder, file));
  if (content === undefined) return [{ file, expected: 'a file that can be read' }];
  if (content === 'too_long') return [{ file, expected: `a file of at most ${FILE_BYTES_MAX} bytes` }];
  const read = readMarkdown(content, nameOf(file), sourceLocale);
  if ('problems' in read) return read.problems.map((problem) => ({ file, ...problem }));
  return { slug: read.slug, locale: read.locale, bytes: content.length, page: read };
}

/** Undefined when the file is not readable, or was deleted since the folder was listed. */
async function contentOf(path: string): Promise<Buffer | 'too_long' | undefined> {
  try {
    const { size } = await stat(path);
    return size > FILE_BYTES_MAX ? 'too_long' : await readFile(path);
  } catch {
    return undefined;
  }
}

/** The folder's Markdown files in a fixed order, and the folders that cannot be read. */
async function markdownFiles(folder: string) {
  const files: string[] = [];
  const problems: ImportProblem[] = [];
  for await (const next of filesBelow(folder)) {
    if (typeof next !== 'string') problems.push(next);
    else if (/\.(?:md|markdown)$/i.test(next)) files.push(next);
  }
  return { files: files.sort(), problems };
}

/** Yields paths relative to the folder, separated by `/`. Skips hidden files and links. */
async function* filesBelow(folder: string, parent = ''): AsyncGenerator<string | ImportProblem> {
  const entries = await readdir(join(folder, parent), { withFileTypes: true }).catch((error) => {
    if (parent === '') throw toImportSourceError(folder, error);
  });
  if (!entries) return yield { file: parent, expected: 'a folder that can be read' };
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = posix.join(parent, entry.name);
    if (entry.isDirectory()) yield* filesBelow(folder, path);
    else if (entry.isFile()) yield path;
  }
}
