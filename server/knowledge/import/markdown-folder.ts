import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { LIMITS } from '../../../contract/limits.ts';
import { type ArticleInput, importLine, problemsOf } from './article-line.ts';
import { type Found, type ImportProblem, UnreadableSource } from './found.ts';
import { type MarkdownPage, readMarkdown } from './markdown.ts';
import { nameOf } from './markdown-name.ts';

/** The longest answer in the widest characters, and as much again for the front matter. */
const FILE_BYTES_MAX = LIMITS.answerCharsMax * 4 * 2;

/** What the first look at a file leaves in memory: which article it belongs to. */
type Leaf = { readonly file: string; readonly locale: string; readonly bytes: number };

/**
 * The articles of a folder of Markdown files with front matter, named `<slug>.<locale>.md`, `<locale>/<slug>.md` or `<slug>.md`.
 * Files of one slug are one article; the one in the source locale is its source. Files are read twice, first for the slug
 * and then article by article, so that a folder of any size fits in memory.
 */
export async function* articlesOfFolder(folder: string, sourceLocale: string): AsyncGenerator<Found> {
  const files = await markdownFiles(folder);
  if (files.length === 0) throw new UnreadableSource(`There is no Markdown file in ${folder}.`);
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

/** A folder may not hand in what a line may not: too many locales, for one. */
function checkedAsWhole(article: ArticleInput, file: string): Article {
  const withoutAddresses = article.translations.map(({ url: _, ...translation }) => translation);
  const checked = importLine.safeParse({ ...article, translations: withoutAddresses });
  if (checked.success) return { article, at: { file } };
  return { problems: problemsOf(checked.error).map((problem) => ({ file, ...problem })) };
}

type Look = { slug: string; locale: string; bytes: number; page: MarkdownPage };

async function pageOf(folder: string, file: string, sourceLocale: string): Promise<Look | ImportProblem[]> {
  const path = join(folder, file);
  const { size } = await stat(path);
  if (size > FILE_BYTES_MAX) return [{ file, expected: `a file of at most ${FILE_BYTES_MAX} bytes` }];
  const read = readMarkdown(await readFile(path), nameOf(file), sourceLocale);
  if ('problems' in read) return read.problems.map((problem) => ({ file, ...problem }));
  return { slug: read.slug, locale: read.locale, bytes: size, page: read };
}

/** Paths below the folder with `/` between their parts, in a fixed order; hidden files and folders are left out. */
async function markdownFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(?:^|\/)(?:\.|node_modules\/)/.test(path))
    .sort();
}
