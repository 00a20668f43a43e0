import { isLeadIn, toPageMark } from '../../knowledge/answer/lines.ts';
import type { Line } from './pdf-lines.ts';

/** Builds Markdown from lines: headings by the height of their letters, paragraphs by the space between lines. */

/** Headings are higher than the text by this factor. */
const HEADING_RATIO = 1.12;
const HEADING_CHARS_MAX = 150;
const HEADING_LEVELS = 4;
/** Lines of a paragraph are at most this far apart, in heights of letters. */
const LINE_SPACING_MAX = 1.75;

export type Headings = {
  /** The heading level of a line, counted from 1; undefined for text. */
  getLevel(line: Line): number | undefined;
};

/** Finds headings by height: the most common height is text, greater ones are headings, the greatest is level 1. */
export function findHeadings(lines: readonly Line[]): Headings {
  const letterCounts = new Map<number, number>();
  for (const { height, text } of lines) {
    const key = round(height);
    letterCounts.set(key, (letterCounts.get(key) ?? 0) + text.length);
  }
  const bodyHeight = [...letterCounts].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 0;
  const isHeading = ({ height, text, table, isRow }: Line) =>
    table === undefined &&
    !isRow &&
    round(height) >= bodyHeight * HEADING_RATIO &&
    text.length <= HEADING_CHARS_MAX &&
    /\p{L}/u.test(text);
  const heights = [...new Set(lines.filter(isHeading).map(({ height }) => round(height)))].sort(
    (one, other) => other - one,
  );
  return {
    getLevel: (line) =>
      isHeading(line) ? Math.min(heights.indexOf(round(line.height)) + 1, HEADING_LEVELS) : undefined,
  };
}

const round = (height: number) => Math.round(height * 2) / 2;

const BULLET = /^(?:[•▪◦‣●○■□–·*]|\uf0b7|\uf0a7|o(?= ))\s*(?=\S)/;
const NUMBERED = /^(\d{1,2})[.)]\s+(?=\S)/;

/**
 * Formats lines as Markdown. Marks where a page begins, so that citations lead there; not in a list or
 * before it, because a mark would split the list or separate it from its introduction.
 *
 * @param getLevel level 1 becomes a level-2 heading, because the section's title is level 1
 */
export function toMarkdown(lines: readonly Line[], { getLevel: levelOf }: Headings): string {
  const blocks: string[] = [];
  let before: Line | undefined;
  let beforeLevel: number | undefined;
  let page = lines[0]?.page;
  for (const line of lines) {
    const level = levelOf(line);
    const { text } = line;
    const isPlain = line.table === undefined && !line.isRow;
    const isItem = isPlain && (BULLET.test(text) || NUMBERED.test(text));
    const isContinued =
      before !== undefined &&
      level === beforeLevel &&
      !isItem &&
      isPlain &&
      before.table === undefined &&
      !before.isRow &&
      continuesParagraph(before, line);
    const last = blocks.at(-1);
    if (!isContinued && !isItem && line.page !== page && !(last && isLeadIn(last))) {
      page = line.page;
      blocks.push(toPageMark(page));
    }
    if (line.table !== undefined) blocks.push(line.table);
    else if (isContinued) blocks[blocks.length - 1] = join(last!, text);
    else if (level !== undefined) blocks.push(`${'#'.repeat(level + 1)} ${text}`);
    else blocks.push(isItem ? toItem(text) : text);
    before = line;
    beforeLevel = level;
  }
  return joinBlocks(blocks);
}

/** Whether a line continues the paragraph of the line before. */
function continuesParagraph(before: Line, line: Line): boolean {
  if (before.page !== line.page)
    return !/[.:!?…。！？]["”’)]?$/.test(before.text) && /^\p{Ll}/u.test(line.text);
  const gap = before.y - line.y;
  return gap > 0 && gap <= Math.max(before.height, line.height) * LINE_SPACING_MAX;
}

/** Joins a line to a block. Removes the hyphen of a word that was split at the end of the line before. */
function join(block: string, text: string): string {
  if (/\p{Ll}[-\u00ad\u2010]$/u.test(block) && /^\p{Ll}/u.test(text)) return block.slice(0, -1) + text;
  return UNSPACED_END.test(block) ? block + text : `${block} ${text}`;
}

const UNSPACED_END = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}。、！？]$/u;

function toItem(text: string): string {
  const number = NUMBERED.exec(text);
  if (number) return `${number[1]}. ${text.slice(number[0].length)}`;
  return `- ${text.replace(BULLET, '')}`;
}

const isListItem = (block: string) => /^(?:- |\d{1,2}\. )/.test(block);

function joinBlocks(blocks: readonly string[]): string {
  return blocks
    .map((block, at) =>
      at === 0 ? block : (isListItem(block) && isListItem(blocks[at - 1]!) ? '\n' : '\n\n') + block,
    )
    .join('');
}
