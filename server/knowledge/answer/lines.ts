/** Lines of an article and what marks them: Markdown signs, list markers and closing punctuation, in every script. */

/** A range of UTF-16 offsets: `start` inclusive, `end` exclusive. */
export type Span = { start: number; end: number };

/** A line without the white space around it; `start === end` for a blank one. */
export type Line = Span & {
  /** Columns before the first character; a tab counts as four. */
  indent: number;
};

export function splitLines(text: string, start: number): Line[] {
  const lines: Line[] = [];
  let from = start;
  while (from <= text.length) {
    const at = findBreak(text, from);
    lines.push(trimLine(text, from, at));
    from = at + 1;
  }
  return lines;
}

function findBreak(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029) return at;
  }
  return text.length;
}

const isSpace = (unit: number) =>
  unit === 0x20 || unit === 0x09 || unit === 0xa0 || unit === 0x3000 || unit === 0xfeff;

function trimLine(text: string, from: number, to: number): Line {
  let start = from;
  let indent = 0;
  while (start < to && isSpace(text.charCodeAt(start))) {
    indent += text.charCodeAt(start) === 0x09 ? 4 : 1;
    start += 1;
  }
  let end = to;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return { start, end, indent };
}

/** Digits of several scripts with a separator; some bullets and Chinese enumerations need no space. */
const ITEM_MARKER =
  /^(?:[-*+•‣◦▪▸●○·–—][ \t\u00a0\u3000]+|[（(]?(?<number>[\d\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]{1,3})(?:[.)．）][ \t\u00a0\u3000]+|[、．）](?=\S))|(?:\p{L}\)|[①-⑳])[ \t\u00a0\u3000]*(?=\S))/u;

type ItemMarker = { length: number; isOrdered: boolean };

/** Finds the list marker at the start of a line. */
export function findItemMarker(line: string): ItemMarker | undefined {
  const match = ITEM_MARKER.exec(line);
  if (!match) return undefined;
  return { length: match[0].length, isOrdered: !/^[-*+•‣◦▪▸●○·–—]/u.test(match[0]) };
}

/** A line of one or more images and nothing else. */
const IMAGES = /^(?:!\[[^\][\n]*\]\([^()\s]+\)\s*)+$/;
const IMAGE = /!\[([^\][\n]*)\]\([^()\s]+\)/g;

export const isImageLine = (line: string) => line.startsWith('![') && IMAGES.test(line);
/** A heading with a link to itself, as in imported pages. */
const ANCHORED_HEADING = /^(#{1,6} )\[([^\][\n]*)\]\((https?:\/\/[^\s()]+#[^\s()]+)\)$/;

/** Formats the page on which the following text begins as a link definition, which Markdown does not render. */
export const toPageMark = (page: number) => `${PAGE_MARK_START}${page}]: #page=${page}`;
const PAGE_MARK_START = '[page ';
const PAGE_MARK = /^\[page (\d{1,5})\]: #page=\1$/;

export const isPageMark = (line: string) => line.startsWith(PAGE_MARK_START) && PAGE_MARK.test(line);

/** Keeps the words of a text: the alternative text of images, headings without their link, nothing of a page mark. */
export function withoutAddresses(text: string): string {
  if (isPageMark(text)) return '';
  const words = text.includes('![') ? text.replace(IMAGE, ' $1 ') : text;
  return words.startsWith('#') ? words.replace(ANCHORED_HEADING, '$1$2') : words;
}

const PAGE_FRAGMENT = /#page=\d+$/;

/**
 * Returns the URL of a quote: for a document, with the page of the nearest page mark above the quote;
 * else that of the nearest self-linked heading above it on the article's site, or the article's own.
 */
export function findAddress(text: string, quote: string, url: string): string {
  if (PAGE_FRAGMENT.test(url)) {
    const page = findPage(text, text.indexOf(quote));
    return page === undefined ? url : url.replace(PAGE_FRAGMENT, `#page=${page}`);
  }
  let at = text.includes('](http') ? text.indexOf(quote) : -1;
  while (at > 0) {
    const lineStart = text.lastIndexOf('\n', at - 1) + 1;
    const lineEnd = text.indexOf('\n', lineStart);
    const line = text[lineStart] === '#' ? text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd) : '';
    const address = ANCHORED_HEADING.exec(line)?.[3];
    if (address && URL.parse(address)?.origin === URL.parse(url)?.origin) return address;
    at = lineStart - 1;
  }
  return url;
}

function findPage(text: string, before: number): string | undefined {
  for (let at = before; at > 0; at -= 1) {
    at = text.lastIndexOf(PAGE_MARK_START, at);
    if (at < 0) return undefined;
    const end = text.indexOf('\n', at);
    const page = PAGE_MARK.exec(text.slice(at, end < 0 ? undefined : end).trimEnd())?.[1];
    if (page !== undefined) return page;
  }
  return undefined;
}

/** Removes the images from a line. */
export const withoutImages = (text: string) =>
  text.includes('![') ? text.replace(IMAGE, '').trimEnd() : text;

/** A sentence's end, also inside quotation marks or brackets. */
const CLOSED = /[.!?…。．！？।॥։؟۔።៕។]["'”’»›」』）)\]*_`]*$/u;
const LEAD_IN = /[:：︰](?:[*_`]*|[-–—])$/u;

export const isClosed = (line: string) => CLOSED.test(line.slice(-8));
/** Whether a line announces what follows, as in "To restore a file:". */
export const isLeadIn = (line: string) => LEAD_IN.test(line.slice(-8));

/** Letters of these scripts are about twice as wide, and say about twice as much. */
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g;

/** Measures the length in columns, so that lines of all scripts can be compared. */
export function measureWidth(line: string): number {
  return line.length + (line.match(WIDE)?.length ?? 0);
}

const SENTENCE_END = /[.!?…]["'”’»)\]]*(?=\s)|[。！？।॥։؟۔](?=.)/gu;

/** Counts sentences, at least one. Approximate: does not recognize abbreviations and numbers. */
export function countSentences(line: string): number {
  return (line.match(SENTENCE_END)?.length ?? 0) + 1;
}
