import { fromHtml } from 'hast-util-from-html';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { detectLanguage } from '../chat/intent/detect-language.ts';
import { findDraftMark } from '../knowledge/import/publication.ts';
import { removeBoilerplate, selectContent } from './html-content.ts';
import { raiseText, readProperties } from './html-exports.ts';
import {
  type Alternate,
  type Head,
  type HeadOptions,
  isSameText,
  readHead,
  removeSiteName,
  resolveUrl,
} from './html-head.ts';
import { toArticleMarkdown, writeRaised } from './html-markdown.ts';
import {
  createText,
  type Element,
  findElement,
  getAttribute,
  getText,
  getWords,
  isTag,
  measureDepth,
  type Root,
  removeElements,
  walkElements,
} from './html-tree.ts';

/** Extracts an article from an HTML page. Pure, but slow for large pages: call it in a worker. */

export type HtmlOptions = HeadOptions & {
  sourceLocale: string;
  /** Title of pages that have neither a title nor a heading. */
  fallbackTitle?: string;
  /** A page that is not yet due, or has expired by then, is not read. */
  nowMillis: number;
  /** A page of a website with less text is an empty frame, or a notice; a file with any text is an article. */
  isWebsite?: boolean;
};

export type HtmlPage = PageLinks & {
  title: string;
  /** Markdown. */
  answer: string;
  locale: string;
  /** The words without markup, to detect pages with the same content. */
  words: string;
};

type SkippedPage = PageLinks & {
  reason: 'too_deep' | 'no_index' | 'draft' | 'duplicate' | 'no_content' | 'too_large';
  detail?: string;
  /** Where the page leads at once. */
  redirect?: string;
};

/** Links of the page. A skipped page has links too. */
export type PageLinks = {
  canonical?: string;
  alternates: readonly Alternate[];
  /** Absolute web addresses, each once. */
  links: readonly string[];
};

const NO_LINKS: PageLinks = { alternates: [], links: [] };

export function readHtml(html: string, options: HtmlOptions): HtmlPage | SkippedPage {
  const excess = findExcess(html);
  if (excess) return { ...NO_LINKS, reason: excess };
  const root = fromHtml(html.replace(NOSCRIPT, ''));
  if (measureDepth(root) > DEPTH_MAX) return { ...NO_LINKS, reason: 'too_deep' };
  raiseText(root);
  writeRaised(root);
  const heading = findElement(root, (element) => isTag(element, 'h1'));
  const head = removeSpaceName(readHead(root, options), heading);
  const { canonical, alternates } = head;
  const pageLinks = {
    alternates,
    links: collectLinks(root, head),
    canonical,
  };
  if (head.redirect !== undefined && head.redirect !== options.url)
    return { ...pageLinks, reason: 'duplicate', detail: head.redirect, redirect: head.redirect };
  if (head.isNoindex) return { ...pageLinks, reason: 'no_index' };
  const draft = findDraftMark({ ...head.marks, ...readProperties(root) }, options.nowMillis);
  if (draft) return { ...pageLinks, reason: 'draft', detail: draft };
  const hasAcceptButton = containsAcceptButton(root);
  const pageHeading = heading && getWords(heading);
  removeBoilerplate(root);
  const content = selectContent(root);
  const title = takeTitle(content, head, pageHeading) || (options.fallbackTitle ?? '');
  const words = getText(content).replace(/\s+/g, ' ').trim();
  const isEmpty = options.isWebsite ? !hasText(words) : !/[\p{L}\p{N}]/u.test(words);
  if (isEmpty || title === '') return { ...pageLinks, reason: 'no_content' };
  if (hasAcceptButton && isCookieWall(title, words))
    return { ...pageLinks, reason: 'no_content', detail: 'cookies' };
  const answer = toArticleMarkdown(content, head.base, options.url);
  if (answer.length > ARTICLE_LIMITS.answerCharsMax) return { ...pageLinks, reason: 'too_large' };
  return {
    ...pageLinks,
    title,
    answer,
    words,
    locale: detectLocale(words, head.locale, options.sourceLocale),
  };
}

/** The parser would treat `noscript` in the head as text. */
const NOSCRIPT = /<noscript[\s>][\s\S]*?<\/noscript>/gi;
/** Browsers stop nesting at about this depth. */
const DEPTH_MAX = 512;
/** Parsing time grows with depth times length. Elements without an end tag do not count. */
const OPEN_TAGS_MAX = 2_000;
/** Five times the largest pages of known manuals. */
const TAGS_MAX = 100_000;
const TAG = /<(\/?)([a-z][a-z0-9-]*)[^>]*?(\/?)>/gi;
const UNNESTED = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dt dd td th tr thead tbody tfoot option optgroup colgroup rp rt path'.split(
    ' ',
  ),
);

function findExcess(html: string): 'too_deep' | 'too_large' | undefined {
  let [open, tags] = [0, 0];
  for (const [, end, name, empty] of html.matchAll(TAG)) {
    tags += 1;
    if (tags > TAGS_MAX) return 'too_large';
    if (UNNESTED.has(name!.toLowerCase()) || empty) continue;
    open = Math.max(0, open + (end ? -1 : 1));
    if (open > OPEN_TAGS_MAX) return 'too_deep';
  }
  return undefined;
}

const LINKS_MAX = 2_000;

function collectLinks(root: Root, { base, isNofollow }: Head): string[] {
  const links = new Set<string>();
  if (isNofollow) return [];
  for (const element of walkElements(root)) {
    if (!isTag(element, 'a', 'area') || /\bnofollow\b/i.test(getAttribute(element, 'rel') ?? '')) continue;
    const url = resolveUrl(getAttribute(element, 'href') ?? '', base);
    if (url !== undefined) links.add(url);
    if (links.size === LINKS_MAX) break;
  }
  return [...links];
}

/** Returns the page's main heading and removes it from the text, or returns the title without the site's name. */
function takeTitle(content: Root | Element, head: Head, pageHeading: string | undefined): string {
  const stripped = removeSiteName(head.title, head.siteName);
  const heading = findElement(content, (element) => isTag(element, 'h1'));
  const words = cleanHeading(heading ? getWords(heading) : (pageHeading ?? ''));
  const isSiteName =
    isSameText(words, head.siteName) ||
    (stripped !== head.title && !isSameText(words, stripped) && head.title.endsWith(words));
  const title = words === '' || isSiteName ? stripped : words;
  if (heading && (isSameText(cleanHeading(getWords(heading)), title) || isSiteName)) {
    removeElements(content, (element) => element === heading);
  }
  return cutTitle(title);
}

/** Confluence writes the name of the space before the title, also in the heading. */
function removeSpaceName(head: Head, heading: Element | undefined): Head {
  if (!heading || getAttribute(heading, 'id') !== 'title-heading') return head;
  const title = getWords(heading).replace(/^.*? : /, '');
  heading.children = [createText(title)];
  return { ...head, title };
}

const cleanHeading = (text: string) => text.replace(/\s*[#¶§🔗]+$/u, '').trim();

const cutTitle = (title: string) =>
  title.length <= ARTICLE_LIMITS.titleCharsMax
    ? title
    : `${title.slice(0, ARTICLE_LIMITS.titleCharsMax - 1).toWellFormed()}…`;

const LETTERS_MIN = 20;
/** In these scripts a character is about a word. */
const DENSE_LETTERS_MIN = 8;

function hasText(words: string): boolean {
  const letters = words.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const isDense = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(words);
  return letters >= (isDense ? DENSE_LETTERS_MIN : LETTERS_MIN);
}

const COOKIES = /cookies?|クッキー|쿠키/gi;
const ACCEPT =
  /\b(?:accept|agree|allow all|akzeptieren|zustimmen|annehmen|accepter|tout autoriser|aceptar|aceitar|accetta|accepteren)\b|同意|동의/i;
const WALL_CHARS_MAX = 800;

function containsAcceptButton(root: Root): boolean {
  for (const element of walkElements(root)) {
    if (
      isTag(element, 'button', 'a', 'input') &&
      ACCEPT.test(`${getText(element)} ${getAttribute(element, 'value') ?? ''}`)
    )
      return true;
  }
  return false;
}

/** Whether a page shows its text only after consent to cookies. An article about cookies has the word in its title. */
const isCookieWall = (title: string, words: string) =>
  words.length <= WALL_CHARS_MAX && !title.match(COOKIES) && (words.match(COOKIES)?.length ?? 0) >= 2;

const LANGUAGES =
  'en de fr es it pt nl sv da nb fi pl cs ro hu tr vi id ja ko zh th hi bn he el ru uk ar fa'.split(' ');

/**
 * Returns the stated language, else the detected one. A tag equivalent to the source's locale becomes that locale.
 *
 * @param stated the language that the document states, if any
 */
export function detectLocale(words: string, stated: string | undefined, sourceLocale: string): string {
  const found = stated ?? detectLanguage(words, [sourceLocale, ...LANGUAGES]) ?? sourceLocale;
  return alignLocale(found, sourceLocale);
}

/** Replaces `de-DE` by `de` in a workspace that writes `de`, and the reverse. */
function alignLocale(locale: string, sourceLocale: string): string {
  const expand = (tag: string) => new Intl.Locale(tag).maximize().toString();
  return expand(locale) === expand(sourceLocale) ? sourceLocale : locale;
}
