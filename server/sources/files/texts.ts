import { looseFrontMatter, toFieldProblems } from '../../knowledge/import/article-input.ts';
import { splitFrontMatter } from '../../knowledge/import/markdown.ts';
import { readHtml } from '../html.ts';
import { type Content, decodeText, type OpenedFile, SkippedFile, toTitle } from './reader.ts';

/** Readers of files with one article each: Markdown, plain text and HTML. */

/** Reads Markdown with or without front matter. Takes the title from there, the first heading, or the file name. */
export function readMarkdownFile({ place, bytes, parsedPath, sourceLocale }: OpenedFile): Content {
  const { fields, body } = parseFrontMatter(decodeText(bytes));
  const { heading, rest } = splitHeading(body);
  const slug = fields.slug ?? parsedPath.slug;
  const document = {
    ...fields,
    place,
    article: slug,
    slug,
    title: fields.title ?? heading ?? toTitle(parsedPath.slug),
    answer: fields.title === undefined || fields.title === heading ? rest : body,
    locale: fields.locale ?? parsedPath.locale ?? sourceLocale,
  };
  return { documents: [document], skipped: [] };
}

function parseFrontMatter(text: string) {
  const parts = splitFrontMatter(text) ?? { fields: {}, body: text };
  const problems = 'problems' in parts ? parts.problems : undefined;
  const result = 'fields' in parts ? looseFrontMatter.safeParse(parts.fields) : undefined;
  if (result?.success && 'body' in parts) return { fields: result.data, body: parts.body };
  const [first] = problems ?? toFieldProblems(result!.error!);
  throw new SkippedFile('invalid_article', `${first!.field ?? 'front matter'}: expected ${first!.expected}`);
}

const HEADING = /^\s*# +(.+?)[ #]*(?:\r?\n|$)/;

/** Splits off a level-1 heading at the start, which is the title. */
function splitHeading(body: string): { heading?: string; rest: string } {
  const match = HEADING.exec(body);
  if (!match) return { rest: body };
  return { heading: match[1]!.replace(/[*_`]/g, ''), rest: body.slice(match[0].length) };
}

const TITLE_CHARS_MAX = 120;

/** Reads plain text. A short first line with a blank one after it is the title. */
export function readTextFile({ place, bytes, parsedPath, sourceLocale }: OpenedFile): Content {
  const text = decodeText(bytes).replace(/\r\n?/g, '\n').trim();
  const [first = '', second] = text.split('\n', 2);
  const hasTitle = first.length <= TITLE_CHARS_MAX && second?.trim() === '';
  const document = {
    place,
    article: parsedPath.slug,
    title: hasTitle ? first : toTitle(parsedPath.slug),
    answer: hasTitle ? text.slice(first.length).trim() : text,
    locale: parsedPath.locale ?? sourceLocale,
    aliases: [],
  };
  return { documents: [document], skipped: [] };
}

/** Reads the main content of a page that was saved. Its canonical link is the address of the article. */
export function readHtmlFile({ place, bytes, parsedPath, sourceLocale, address }: OpenedFile): Content {
  const page = readHtml(decodeText(bytes), {
    sourceLocale,
    url: address,
    fallbackTitle: toTitle(parsedPath.slug),
  });
  if ('reason' in page) throw new SkippedFile(page.reason, page.detail);
  const { title, answer, canonical: url } = page;
  const locale = parsedPath.locale ?? page.locale;
  return {
    documents: [{ place, title, answer, locale, url, article: parsedPath.slug, aliases: [] }],
    skipped: [],
  };
}
