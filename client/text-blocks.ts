/** Finds paragraphs, lists, tables, headings and code in an answer: by Markdown, and in quotes also by line breaks. */

/** A range of UTF-16 offsets. */
export type TextRange = { from: number; to: number };

export type TextLine = TextRange & {
  /** Columns before a list marker; a deeper item belongs to the one above. */
  indent: number;
  /** True when the line starts an item, false when it continues one. */
  isItem: boolean;
  isNumbered: boolean;
};

export type BlockKind = 'p' | 'list' | 'table' | 'pre' | 'h';
export type TextBlock = {
  kind: BlockKind;
  lines: readonly TextLine[];
  to: number;
  /** Whether the first line of a table names its columns. */
  hasHead?: boolean;
};

type OpenBlock = { kind: BlockKind; lines: TextLine[]; to: number; hasHead?: boolean };

const ITEM = /^(\s*)(?:[-*+•‣◦▪●]\s+|(\d{1,3})(?:[.)]\s+|[、．）]\s*))/;
const HEADING = /^ {0,3}#{1,6}\s+/;
const UNDERLINE = /^ {0,3}(?:=+|-{2,})\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const QUOTED_LINE = /^ {0,3}>\s?/;
const ROW = /^ {0,3}\|.*\|\s*$/;
const ROW_RULE = /^(?=.*\|) {0,3}\|?(?:\s*:?-+:?\s*\|?)+$/;
const FENCE = /^\s*```/;

/** Splits a text into blocks. `quotes` are the parts of the text that an article contains word for word. */
export function parseTextBlocks(text: string, quotes: readonly TextRange[] = []): TextBlock[] {
  const blocks: OpenBlock[] = [];
  let isCode = false;
  let isOpen = false;
  let start = 0;
  for (const line of text.split('\n')) {
    const to = start + line.length;
    if (FENCE.test(line)) {
      isCode = !isCode;
      if (isCode) blocks.push({ kind: 'pre', lines: [], to });
      isOpen = isCode;
    } else if (isCode) addLine(blocks.at(-1) as OpenBlock, toLine(start, to));
    else if (line.trim() === '') isOpen = false;
    else {
      readLine(blocks, line, start, isOpen);
      isOpen = true;
    }
    start = to + 1;
  }
  const result = quotes.length > 0 ? listQuotedLines(blocks, text, quotes) : blocks;
  return result.length > 0 ? result : [{ kind: 'p', lines: [], to: 0 }];
}

const toLine = (from: number, to: number): TextLine => ({
  from,
  to,
  indent: 0,
  isItem: false,
  isNumbered: false,
});

function addLine(block: OpenBlock, line: TextLine): void {
  block.lines.push(line);
  block.to = line.to;
}

function readLine(blocks: OpenBlock[], line: string, start: number, isOpen: boolean): void {
  const last = blocks.at(-1);
  const to = start + line.length;
  const item = ITEM.exec(line);
  const heading = HEADING.exec(line);
  const isParagraph = isOpen && last?.kind === 'p';
  const isTable = isOpen && last?.kind === 'table';
  if (isParagraph && last.lines.length === 1 && UNDERLINE.test(line)) last.kind = 'h';
  else if (ROW_RULE.test(line) && (isTable || isParagraph) && last.lines.length === 1) {
    last.kind = 'table';
    last.hasHead = true;
  } else if (isTable) addLine(last, toLine(start, to));
  else if (ROW.test(line)) blocks.push({ kind: 'table', lines: [toLine(start, to)], to });
  else if (RULE.test(line)) return;
  else if (item) {
    const [marker, space = '', number] = item;
    const next = {
      from: start + marker.length,
      to,
      indent: space.length,
      isItem: true,
      isNumbered: number !== undefined,
    };
    // Items with blank lines between them are one list too.
    if (last?.kind === 'list' && (space !== '' || last.lines[0]?.isNumbered === next.isNumbered))
      addLine(last, next);
    else blocks.push({ kind: 'list', lines: [next], to });
  } else if (heading) blocks.push({ kind: 'h', lines: [toLine(start + heading[0].length, to)], to });
  else if (last?.kind === 'list' && /^\s{2}/.test(line)) {
    addLine(last, toLine(start + line.length - line.trimStart().length, to));
  } else {
    const next = toLine(start + (QUOTED_LINE.exec(line)?.[0].length ?? 0), to);
    if (isParagraph) addLine(last, next);
    else blocks.push({ kind: 'p', lines: [next], to });
  }
}

const CLOSED = /[.!?…。．！？।॥։؟۔።៕។]["'”’»›」』）)\]*_`]*$/;
const LEAD_IN = /[:：]$/;
const QUESTION = /[?？؟\u037e]$/;
const STEP_CHARS_MAX = 400;
/**
 * Lines without a lead-in before them are steps only if there are at least this many, with at most this mean length.
 */
const STEPS_MIN = 3;
const STEP_CHARS_MEAN_MAX = 160;
const HEADING_CHARS_MAX = 90;
const WRAP_CHARS_MIN = 40;

/** Lists the lines of plain text that are steps in the article, and sets its headings apart. */
function listQuotedLines(
  blocks: readonly OpenBlock[],
  text: string,
  quotes: readonly TextRange[],
): OpenBlock[] {
  const result: OpenBlock[] = [];
  let lines: TextLine[] = [];
  const paragraphs: (TextLine | undefined)[] = [];
  const flush = () => {
    if (lines.length > 0) result.push(...listLines(lines, text, paragraphs));
    lines = [];
  };
  let quote: TextRange | undefined;
  for (const block of blocks) {
    const enclosing = quotes.find(({ from, to }) => (block.lines[0]?.from ?? -1) >= from && block.to <= to);
    if (enclosing !== quote) flush();
    quote = enclosing;
    if (enclosing && block.kind === 'p' && !isWrapped(block.lines, text)) {
      paragraphs.push(block.lines[0]);
      lines.push(...block.lines);
    } else {
      flush();
      result.push(block);
    }
  }
  flush();
  return result;
}

/** True when line breaks only wrap a paragraph, so that its lines belong together. */
function isWrapped(lines: readonly TextLine[], text: string): boolean {
  return lines.some(({ from, to }, at) => {
    const next = lines[at + 1];
    return (
      next !== undefined &&
      to - from >= WRAP_CHARS_MIN &&
      !CLOSED.test(text.slice(from, to)) &&
      /^\p{Ll}/u.test(text.slice(next.from, next.to))
    );
  });
}

/** @param paragraphs the lines after a blank one, which are no list unless a lead-in announces it */
function listLines(
  lines: readonly TextLine[],
  text: string,
  paragraphs: readonly (TextLine | undefined)[],
): OpenBlock[] {
  const blocks: OpenBlock[] = [];
  const read = (line: TextLine | undefined) => (line ? text.slice(line.from, line.to).trimEnd() : '');
  const isQuestion = (index: number) => QUESTION.test(read(lines[index]));
  /** A single question is the heading of its answer; several are a list. */
  const isTopic = (index: number) => isQuestion(index) && !isQuestion(index - 1) && !isQuestion(index + 1);
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as TextLine;
    const before = lines[at - 1];
    const isAnnounced = before !== undefined && LEAD_IN.test(read(before));
    let end = at;
    while (end < lines.length) {
      const words = read(lines[end]);
      if (LEAD_IN.test(words) || isTopic(end) || words.length > STEP_CHARS_MAX) break;
      if (!isAnnounced && (!CLOSED.test(words) || (end > at && paragraphs.includes(lines[end])))) break;
      end += 1;
    }
    const run = lines.slice(at, end);
    const introduction = at > 0 || isAnnounced ? 0 : countIntroduction(run);
    const steps = run.slice(introduction);
    if (isAnnounced ? steps.length > 0 : isSteps(steps)) {
      for (const line of run.slice(0, introduction)) blocks.push({ kind: 'p', lines: [line], to: line.to });
      const items = steps.map((step) => ({ ...step, isItem: true }));
      blocks.push({ kind: 'list', lines: items, to: (items.at(-1) as TextLine).to });
      at = end;
      continue;
    }
    const isHeading =
      at > 0 &&
      at < lines.length - 1 &&
      (isTopic(at) || !/[\p{P}]$/u.test(read(line))) &&
      line.to - line.from <= HEADING_CHARS_MAX;
    blocks.push({ kind: isHeading ? 'h' : 'p', lines: [line], to: line.to });
    at += 1;
  }
  return blocks;
}

const INTRODUCTION_LINES_MAX = 2;
const INTRODUCTION_LENGTH = 1.5;

/**
 * Counts the lines (at most two) that introduce the steps. The last one must be longer than 1.5 times the mean step.
 */
function countIntroduction(run: readonly TextLine[]): number {
  for (let count = Math.min(INTRODUCTION_LINES_MAX, run.length - STEPS_MIN); count > 0; count -= 1) {
    const last = run[count - 1];
    if (last && last.to - last.from > INTRODUCTION_LENGTH * measureMean(run.slice(count))) return count;
  }
  return 0;
}

function measureMean(lines: readonly TextLine[]): number {
  return lines.reduce((sum, { from, to }) => sum + to - from, 0) / Math.max(1, lines.length);
}

const isSteps = (run: readonly TextLine[]) =>
  run.length >= STEPS_MIN && measureMean(run) <= STEP_CHARS_MEAN_MAX;

/** Strong and emphasized words, code, web links and images. Groups: strong, strong, emphasis, code, label, address. */
export const INLINE =
  /\*\*(?=\S)((?:(?!\*\*).)+)(?<=\S)\*\*|(?<!\w)__(?=\S)((?:(?!__).)+)(?<=\S)__(?!\w)|(?<![\w*])[*_](?=[^\s*_])([^*_\n]+)(?<=\S)[*_](?![\w*])|`([^`\n]+)`|!?\[([^[\]\n]*)\]\((https?:\/\/[^\s()]+|\/images\/\w+)\)/g;

const CELL_END = /(?<!\\)\|/;

/** Removes the backslashes that keep bars from ending a table cell. */
export const unescapeBars = (words: string) => words.replaceAll('\\|', '|');

/** Returns the cells of a table row, without the white space around them. */
export function splitCells(text: string, { from, to }: TextRange): TextRange[] {
  const [, lead = '', row = ''] = /^(\s*\|?)(.*?)(?:(?<!\\)\|)?\s*$/.exec(text.slice(from, to)) ?? [];
  let start = from + lead.length;
  return row.split(CELL_END).map((cell) => {
    const end = start + cell.trimEnd().length;
    const range = { from: Math.min(end, start + cell.search(/\S|$/)), to: end };
    start += cell.length + 1;
    return range;
  });
}

/** Returns the number of a numbered item. */
export function readNumber(text: string, { from }: TextLine): string {
  return /(\d+)[.)、．）]\s*$/.exec(text.slice(Math.max(0, from - 12), from))?.[1] ?? '1';
}

/** Returns the text without its Markdown. */
export function toPlainText(text: string): string {
  return text
    .replace(
      INLINE,
      (_, ...words: (string | undefined)[]) => words.find((word) => typeof word === 'string') ?? '',
    )
    .replace(/^ {0,3}\|(.*)\|\s*$/gm, (_, row: string) =>
      /[^\s|:-]/.test(row) ? unescapeBars(row.split(CELL_END).join()) : '',
    )
    .replace(/^ {0,3}(?:#{1,6}\s+|>\s?|(?:=+|-{2,})[ \t]*$|```.*$)/gm, '');
}
