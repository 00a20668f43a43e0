/** Reads the lines of text that a PDF page shows. */

import { formatRaised } from '../raised-text.ts';
import { isRightToLeft, mirrorBrackets, toPlainLetters, toReadingOrder } from './pdf-direction.ts';

/** A run of text as pdf.js reports it. */
export type TextRun = {
  str: string;
  /** PDF's transform: the last two numbers are the position from the lower left corner, the others scale and rotate. */
  transform: readonly number[];
  width: number;
  hasEOL: boolean;
};

/** A part of a line that stands apart from the others. */
export type Cell = { text: string; x: number; end: number };

export type Line = {
  /** Starts at one. */
  page: number;
  text: string;
  x: number;
  y: number;
  /** Height of its letters, in points. */
  height: number;
  cells: readonly Cell[];
  /** The lines of a table as Markdown. */
  table?: string;
  /** A row of what may be a table: it is no part of a paragraph. */
  isRow?: boolean;
};

/** Distances between runs, in heights of their letters. */
const OTHER_LINE_MIN = 0.6;
const SPACE_MIN = 0.15;
const CELL_MIN = 0.75;
/** Letters may overlap a little; text further back, such as in another column, is apart. */
const STEP_BACK_MIN = 2;
/** Raised and lowered text is smaller, and moved by a part of the height. */
const RAISED_HEIGHT_MAX = 0.92;
const RAISED_MIN = 0.15;
const LOWERED_MIN = 0.08;

type Part = { str: string; x: number; y: number; end: number; height: number };

/** Joins the runs of a page in the order in which they were written. Rotated text, such as a watermark, is left out. */
export function toLines(runs: readonly TextRun[], page: number): Line[] {
  const lines: Line[] = [];
  let parts: Part[] = [];
  let [baseY, height] = [0, 0];
  const finish = () => {
    const line = toLine(parts, page);
    if (line) lines.push(line);
    parts = [];
  };
  for (const { str, transform, width, hasEOL } of runs) {
    const [, turn = 0, skew = 0, scale = 0, x = 0, y = 0] = transform;
    const own = Math.hypot(skew, scale);
    if (str !== '' && Math.abs(turn) <= Math.abs(scale)) {
      if (parts.length > 0 && Math.abs(baseY - y) > Math.max(height, own) * OTHER_LINE_MIN) finish();
      if (parts.length === 0) [baseY, height] = [y, own];
      parts.push({ str: toPlainLetters(str), x, y, end: x + width, height: own });
      // A space is as high as the text before it.
      if (str.trim() !== '') height = Math.max(height, own);
    }
    if (hasEOL) finish();
  }
  finish();
  return lines;
}

function toLine(parts: readonly Part[], page: number): Line | undefined {
  const written = parts.filter(({ str }) => str.trim() !== '');
  const first = written[0];
  if (!first) return undefined;
  const height = Math.max(...written.map((part) => part.height));
  const base = written.find((part) => part.height === height)!;
  const isRtl = written.some(({ str }) => isRightToLeft(str));
  const ordered = isRtl ? toReadingOrder(parts) : parts;
  const cells = joinParts(ordered, base, isRtl);
  const text = cells.map((cell) => cell.text).join(' ');
  return text === '' ? undefined : { page, text, x: first.x, y: base.y, height, cells };
}

function joinParts(parts: readonly Part[], base: Part, isRtl: boolean): Cell[] {
  const cells: Cell[] = [];
  let last: Part | undefined;
  for (const part of parts) {
    if (part.str.trim() === '' && part.str !== '') {
      if (cells.length > 0 && last) cells.at(-1)!.text += ' ';
      continue;
    }
    const gap = last ? Math.max(part.x - last.end, isRtl ? last.x - part.end : 0) : 0;
    const isBack = last !== undefined && !isRtl && part.x < last.end - part.height * STEP_BACK_MIN;
    const cell = cells.at(-1);
    const text = format(part, base, cell?.text ?? '');
    if (!cell || gap > base.height * CELL_MIN) cells.push({ text, x: part.x, end: part.end });
    else {
      cell.text += (gap > part.height * SPACE_MIN || isBack) && !cell.text.endsWith(' ') ? ` ${text}` : text;
      cell.x = Math.min(cell.x, part.x);
      cell.end = Math.max(cell.end, part.end);
    }
    last = part;
  }
  return cells.flatMap((cell) => {
    const text = cell.text.replace(/\s+/g, ' ').trim();
    return text === '' ? [] : [{ ...cell, text: isRtl ? mirrorBrackets(text) : text }];
  });
}

/** Text that is smaller and higher or lower than the rest of its line is an exponent, an index or a mark. */
function format({ str, y, height }: Part, base: Part, before: string): string {
  const shift = (y - base.y) / base.height;
  const isSmall = height < base.height * RAISED_HEIGHT_MAX;
  if (!isSmall || (shift < RAISED_MIN && shift > -LOWERED_MIN)) return str;
  const [, start = '', words = '', end = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(str) ?? [];
  return `${start}${formatRaised(words, shift > 0 ? 'sup' : 'sub', before)}${end}`;
}

/** How many lines at each edge of a page may be headers or footers. */
const EDGE_LINES = 2;
/** On fewer pages, the same line at the same height may be coincidence. */
const REPEATED_MIN = 3;

/** Leaves out headers, footers, page numbers, and the lines of a table of contents. */
export function removeHeadersAndFooters(pages: readonly (readonly Line[])[]): Line[][] {
  const getEdgeLines = (lines: readonly Line[]) =>
    new Set([...lines.slice(0, EDGE_LINES), ...lines.slice(-EDGE_LINES)]);
  const counts = new Map<string, number>();
  for (const lines of pages) {
    for (const key of new Set([...getEdgeLines(lines)].map(toKey)))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return pages.map((lines) => {
    const edgeLines = getEdgeLines(lines);
    const isRepeated = (line: Line) => edgeLines.has(line) && counts.get(toKey(line))! >= REPEATED_MIN;
    return lines.filter((line) => !isRepeated(line) && !LEADERS.test(line.text));
  });
}

/** Returns a key without numbers, because page numbers differ from page to page. */
const toKey = ({ text, y }: Line) => `${Math.round(y)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;

/** `Installation . . . . . . 12` */
const LEADERS = /(?:\.\s?){5,}\s*[\divxlc]*$/i;
