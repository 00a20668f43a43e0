/** Lines of an article and what marks them: Markdown signs, list markers and closing punctuation, in every script. */

/** A range of UTF-16 offsets: `start` inclusive, `end` exclusive. */
export type Span = { readonly start: number; readonly end: number };

/** A line without the white space around it; `start === end` for a blank one. */
export type Line = Span & {
  /** Columns before the first character; a tab counts as four. */
  readonly indent: number;
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

/** Digits of several scripts, then a sign; some bullets and Chinese enumerations need no space. */
const ITEM_MARKER =
  /^(?:[-*+•‣◦▪▸●○·–—][ \t\u00a0\u3000]+|[（(]?(?<number>[\d\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]{1,3})(?:[.)．）][ \t\u00a0\u3000]+|[、．）](?=\S))|(?:\p{L}\)|[①-⑳])[ \t\u00a0\u3000]*(?=\S))/u;

export type ItemMarker = { readonly length: number; readonly isOrdered: boolean };

/** The list marker at the start of a line. */
export function findItemMarker(line: string): ItemMarker | undefined {
  const match = ITEM_MARKER.exec(line);
  if (!match) return undefined;
  return { length: match[0].length, isOrdered: !/^[-*+•‣◦▪▸●○·–—]/u.test(match[0]) };
}

/** A sentence's end, also inside quotation marks or brackets. */
const CLOSED = /[.!?…。．！？।॥։؟۔።៕។]["'”’»›」』）)\]*_`]*$/u;
const LEAD_IN = /[:：︰](?:[*_`]*|[-–—])$/u;

export const isClosed = (line: string) => CLOSED.test(line.slice(-8));
/** Whether a line announces what follows, as in "To restore a file:". */
export const isLeadIn = (line: string) => LEAD_IN.test(line.slice(-8));

/** Letters of these scripts are about as wide as two, and say as much. */
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g;

/** Length in columns, so that lines of all scripts compare. */
export function measureWidth(line: string): number {
  return line.length + (line.match(WIDE)?.length ?? 0);
}

const SENTENCE_END = /[.!?…]["'”’»)\]]*(?=\s)|[。！？।॥։؟۔](?=.)/gu;

/** At least one; an approximation, without abbreviations and numbers. */
export function countSentences(line: string): number {
  return (line.match(SENTENCE_END)?.length ?? 0) + 1;
}
