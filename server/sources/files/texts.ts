import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import { type Fields, splitFrontMatter } from '../../knowledge/import/front-matter.ts';
import { findDraftMark } from '../../knowledge/import/publication.ts';
import { readHtml } from '../html.ts';
import { fitSlug, readFields } from './fields.ts';
import { toPlainMarkdown } from './markdown.ts';
import { CODE } from './markdown-marks.ts';
import { isNotionPath, resolveLinks, splitProperties } from './notion-export.ts';
import { type Content, decodeFile, type OpenedFile, SkippedFile, toTitle } from './reader.ts';

/** Readers of files with one article each: Markdown, plain text and HTML. */

/** Reads Markdown with or without front matter. Takes the title from there, the first heading, or the file name. */
export function readMarkdownFile(file: OpenedFile): Content {
  const { place, parsedPath, sourceLocale, address, siblings, nowMillis } = file;
  const { text, remark } = decodeFile(file);
  const parts = splitFrontMatter(text) ?? { fields: {}, body: text };
  if ('problems' in parts) {
    const [{ field = 'front matter', expected } = { expected: 'fields' }] = parts.problems;
    throw new SkippedFile('invalid_article', `${field}: expected ${expected}`);
  }
  const notion = isNotionPath(place) ? splitProperties(parts.body) : undefined;
  const draft =
    findDraftMark({ ...parts.fields, ...notion?.fields }, nowMillis) ??
    (ROBOTS.test(parts.body.replace(CODE, '')) ? 'robots: noindex' : undefined);
  if (draft) throw new SkippedFile('draft', draft);
  const fields = readFields(parts.fields);
  const body = toPlainMarkdown(notion ? resolveLinks(notion.body, address) : parts.body, {
    isMdx: /\.mdx$/i.test(place),
    hasVariables: Object.values(siblings).some(Boolean),
    address,
  });
  const { heading, rest } = splitHeading(body);
  const slug =
    fields.slug === undefined ? parsedPath.slug : toSlugPath(fields.slug, parts.fields, parsedPath.slug);
  const document = {
    ...fields,
    place,
    article: slug,
    slug: fitSlug(slug),
    title: fields.title ?? heading ?? toTitle(parsedPath.slug),
    answer:
      (fields.title === undefined || fields.title === heading ? rest : body).trim() ||
      getDescription(parts.fields),
    locale: fields.locale ?? parsedPath.locale ?? sourceLocale,
  };
  return { documents: [document], skipped: [], remark };
}

/** Metadata in the text of MDX and of pages with HTML. */
const ROBOTS = /<meta\s(?=[^>]*\bname=["']robots["'])(?=[^>]*\bcontent=["'][^"']*\b(?:noindex|none)\b)/i;

/** A page without text of its own shows its description. */
const getDescription = ({ description }: Fields) => (typeof description === 'string' ? description : '');

/** A slug of another tool replaces the last part of the path, unless it is an address by itself. */
function toSlugPath(slug: string, { slug: stated }: { slug?: unknown }, path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return String(stated).startsWith('/') || slug.includes('/') ? slug : `${folder}${slug}`;
}

const HEADING = /^\s*# +(.+?)[ #]*(?:\r?\n|$)/;

/** Splits off a level-1 heading at the start, which is the title. */
function splitHeading(body: string): { heading?: string; rest: string } {
  const match = HEADING.exec(body);
  if (!match) return { rest: body };
  const heading = match[1]!.replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1').replace(/[*_`]/g, '');
  return {
    heading: heading.slice(0, ARTICLE_LIMITS.titleCharsMax).toWellFormed(),
    rest: body.slice(match[0].length),
  };
}

/** A longer first line of plain text is no title. */
const TITLE_CHARS_MAX = 120;

/** Reads plain text. A short first line with a blank one after it is the title. */
export function readTextFile(file: OpenedFile): Content {
  const { place, parsedPath, sourceLocale } = file;
  const decoded = decodeFile(file);
  const text = decoded.text.replace(/\r\n?/g, '\n').trim();
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
  return { documents: [document], skipped: [], remark: decoded.remark };
}

const HTML_CODE = /<(pre|code|script|style)[\s>][\s\S]*?<\/\1>/gi;
/** Statements of template languages, which a page that was made from the template does not have. */
const TEMPLATE =
  /\{%-?\s*(?:extends|block|include|for|if|macro|import|set|assign)\b|\{\{-?\s*(?:define|block|partial|template|range|with|if|end)\b/;

/** Reads the main content of a page that was saved. Its canonical link is the address of the article. */
export function readHtmlFile(file: OpenedFile): Content {
  const { place, parsedPath, sourceLocale, address, nowMillis } = file;
  const { text: html, remark } = decodeFile(file, { isMarkup: true });
  if (TEMPLATE.test(html.replace(HTML_CODE, ''))) throw new SkippedFile('draft', 'a template of other pages');
  const page = readHtml(html, {
    sourceLocale,
    url: address,
    nowMillis,
    fallbackTitle: toTitle(parsedPath.slug),
  });
  if ('reason' in page) throw new SkippedFile(page.reason, page.detail);
  const { title, answer, canonical: url } = page;
  const locale = parsedPath.locale ?? page.locale;
  return {
    documents: [{ place, title, answer, locale, url, article: parsedPath.slug, aliases: [] }],
    skipped: [],
    remark,
  };
}
