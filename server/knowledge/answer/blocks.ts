/**
 * The structure of an article: sections of blocks. A block only makes sense as a whole: a list or a
 * procedure with its lead-in, a paragraph, a piece of code. Markdown marks blocks; in plain text,
 * short lines indicate them.
 */
import type { Span } from './lines.ts';
import { splitUnits, type Unit } from './units.ts';

export type BlockKind = 'list' | 'paragraph' | 'code' | 'table';

/** Units [from, to) of the article. */
export type Block = {
  kind: BlockKind;
  from: number;
  to: number;
  /** Index of the first item of a list, after its lead-in. */
  itemsFrom: number;
  /** Whether markers or a lead-in say that it is a list, rather than the length of its lines. */
  isCertain: boolean;
};

/** A heading and the blocks up to the next heading. The first section has none; its name is the article's title. */
export type Section = {
  /** Index of the heading's unit. */
  heading?: number;
  blocks: readonly Block[];
};

export type Structure = {
  units: readonly Unit[];
  sections: readonly Section[];
};

/** Characters before and after the best sentence of an article that are read. */
const AROUND_CHARS = 10_000;

/** Returns the lines of a long article around an offset, or all of a shorter article. */
export function findPart(answer: string, offset: number): Span {
  const start = offset > AROUND_CHARS ? answer.lastIndexOf('\n', offset - AROUND_CHARS) + 1 : 0;
  const end = answer.indexOf('\n', offset + AROUND_CHARS);
  return { start, end: end < 0 ? answer.length : end };
}

/** Parses a part of an answer in time linear in its length. */
export function parseStructure(
  answer: string,
  title: string,
  part: Span = { start: 0, end: answer.length },
): Structure {
  const units = splitUnits(answer.slice(0, part.end), part.start);
  markTitle(answer, title, units);
  markPlainHeadings(units);
  const blocks = joinBlocks(units);
  return { units, sections: toSections(units, blocks) };
}

const normalize = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, ' ')
    .trim();

/** Marks a title repeated at the start of the text as a heading, since it adds nothing. */
function markTitle(answer: string, title: string, units: readonly Unit[]): void {
  const first = units[0];
  if (!first || units.length < 2 || first.end - first.wordsStart > title.length + 20) return;
  if (normalize(answer.slice(first.wordsStart, first.end)) === normalize(title)) first.kind = 'heading';
}

const HEADING_WIDTH_MAX = 90;
/** Share of long lines that must end with punctuation; else a line without it is no sign of a heading. */
const CLOSED_SHARE_MIN = 0.4;
const LONG_LINE_WIDTH = 60;

/** Marks short lines of plain text without closing punctuation as headings, if long lines have it. */
function markPlainHeadings(units: readonly Unit[]): void {
  const long = units.filter(
    ({ kind, isMarked, width }) => kind === 'text' && !isMarked && width >= LONG_LINE_WIDTH,
  );
  const isPunctuated =
    long.length > 0 &&
    long.filter((unit) => unit.isClosed || unit.isLeadIn).length >= long.length * CLOSED_SHARE_MIN;
  if (!isPunctuated) return;
  const isShort = (unit: Unit | undefined) =>
    unit?.kind === 'text' &&
    !unit.isMarked &&
    !unit.isClosed &&
    !unit.isLeadIn &&
    unit.width <= HEADING_WIDTH_MAX;
  let at = 0;
  while (at < units.length) {
    if (!isShort(units[at])) {
      at += 1;
      continue;
    }
    let end = at;
    while (isShort(units[end])) end += 1;
    markHeadingsOfRun(units, at, end);
    at = end;
  }
}

/** Marks one or two short lines as headings. Of three or more, marks only the first, and only after other text. */
function markHeadingsOfRun(units: readonly Unit[], from: number, to: number): void {
  const before = units[from - 1];
  // A procedure with a lead-in starts at its first line.
  if (to === units.length || before?.isLeadIn || units[from - 2]?.isLeadIn) return;
  const next = units[to]!;
  if (next.kind === 'heading' || next.kind === 'note') return;
  if (to - from === 1) units[from]!.kind = 'heading';
  else if (to - from === 2) {
    units[from]!.kind = 'heading';
    units[from + 1]!.kind = 'heading';
  } else if (from > 0) units[from]!.kind = 'heading';
}

const STEP_WIDTH_MAX = 260;
const STEP_SENTENCES_MAX = 2;
/** Width of a longer step or remark between short steps. */
const LONG_STEP_WIDTH_MAX = 700;
const LONG_STEPS_MAX = 2;

const isPlain = (unit: Unit | undefined) => unit?.kind === 'text' && !unit.isMarked;
const isStep = (unit: Unit | undefined) =>
  unit !== undefined &&
  isPlain(unit) &&
  !unit.isLeadIn &&
  unit.width <= STEP_WIDTH_MAX &&
  unit.sentences <= STEP_SENTENCES_MAX;

function joinBlocks(units: readonly Unit[]): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < units.length) {
    const block = readBlock(units, at);
    if (block) blocks.push(block);
    at = block?.to ?? at + 1;
  }
  return blocks;
}

function readBlock(units: readonly Unit[], at: number): Block | undefined {
  const { kind, isLeadIn } = units[at]!;
  if (kind === 'heading' || kind === 'note') return undefined;
  const itemsFrom = isLeadIn && kind === 'text' ? at + 1 : at;
  const itemsTo = findListEnd(units, itemsFrom);
  if (itemsTo > itemsFrom && !isOpening(units, at, itemsTo)) {
    const isCertain = itemsFrom > at || units[itemsFrom]!.kind === 'item';
    return { kind: 'list', from: at, to: itemsTo, itemsFrom, isCertain };
  }
  const afterLeadIn = units[at + 1];
  if (itemsFrom > at && afterLeadIn && afterLeadIn.kind !== 'heading' && afterLeadIn.kind !== 'note') {
    return {
      kind: afterLeadIn.kind === 'code' ? 'code' : 'paragraph',
      from: at,
      to: at + 2,
      itemsFrom: at + 1,
      isCertain: true,
    };
  }
  return {
    kind: kind === 'code' || kind === 'table' ? kind : 'paragraph',
    from: at,
    to: at + 1,
    itemsFrom: at,
    isCertain: true,
  };
}

const OPENED_STEPS_MIN = 3;

/** Whether the article's first line is a summary or an explanation, even if it is as short as the steps after it. */
function isOpening(units: readonly Unit[], at: number, itemsTo: number): boolean {
  return at === 0 && isPlain(units[0]) && !units[0]!.isLeadIn && itemsTo - at > OPENED_STEPS_MIN;
}

/** Returns the end of the list that starts here, or `from` when there is none. */
function findListEnd(units: readonly Unit[], from: number): number {
  return units[from]?.kind === 'item' ? findMarkedEnd(units, from) : findPlainEnd(units, from);
}

/** Returns the end of the items, with text between them if the numbering continues after it. */
function findMarkedEnd(units: readonly Unit[], from: number): number {
  const { isOrdered } = units[from]!;
  let end = from;
  let at = from;
  while (at < units.length && at - end <= LONG_STEPS_MAX) {
    const { kind, isOrdered: isNumber } = units[at]!;
    if (kind === 'heading') break;
    if (kind === 'item' && (at === end || (isOrdered && isNumber))) end = at + 1;
    else if (kind === 'item' && at > end) break;
    at += 1;
  }
  return end;
}

/** Returns the end of two or more short lines (one after a lead-in), with at most two longer lines between them. */
function findPlainEnd(units: readonly Unit[], from: number): number {
  const isAnnounced = units[from - 1]?.isLeadIn === true;
  if (!isStep(units[from]) && !(isAnnounced && isStep(units[from + 1]) && isPlain(units[from]))) return from;
  let steps = 0;
  let end = from;
  let at = from;
  while (at < units.length && at - end <= LONG_STEPS_MAX) {
    const unit = units[at]!;
    if (isStep(unit)) {
      steps += 1;
      end = at + 1;
    } else if (!canBeBetween(unit, at === from)) break;
    at += 1;
  }
  return steps >= (isAnnounced ? 1 : 2) ? end : from;
}

const canBeBetween = (unit: Unit, isFirst: boolean) =>
  unit.kind === 'code' ||
  unit.kind === 'note' ||
  (isPlain(unit) && (isFirst || !unit.isLeadIn) && unit.width <= LONG_STEP_WIDTH_MAX);

function toSections(units: readonly Unit[], blocks: readonly Block[]): Section[] {
  const sections: { heading?: number; blocks: Block[] }[] = [{ blocks: [] }];
  let next = 0;
  units.forEach(({ kind }, index) => {
    if (kind === 'heading') sections.push({ heading: index, blocks: [] });
    else if (blocks[next]?.from === index) {
      sections.at(-1)!.blocks.push(blocks[next]!);
      next += 1;
    }
  });
  return sections;
}

/** Returns the offsets from the start of the first unit to the end of the last. */
export function toSpan(units: readonly Unit[], from: number, to: number): Span {
  return { start: units[from]!.start, end: units[to - 1]!.end };
}
