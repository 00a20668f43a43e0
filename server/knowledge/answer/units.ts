/** Splits an article into units, the smallest parts that make sense alone: paragraphs, list items, headings, code. */
import { isEditorNote } from './editor-notes.ts';
import {
  countSentences,
  findItemMarker,
  isClosed,
  isImageLine,
  isLeadIn,
  isPageMark,
  type Line,
  measureWidth,
  type Span,
  splitLines,
  withoutImages,
} from './lines.ts';

type UnitKind = 'heading' | 'item' | 'text' | 'code' | 'table' | 'note';

export type Unit = Span & {
  kind: UnitKind;
  /** Where the words start, after a Markdown sign or a list marker. */
  wordsStart: number;
  isOrdered: boolean;
  /** Whether its kind comes from a Markdown sign or a list marker. */
  isMarked: boolean;
  /** Whether it introduces what follows. */
  isLeadIn: boolean;
  isClosed: boolean;
  width: number;
  sentences: number;
};

type Draft = Pick<Unit, 'kind' | 'start' | 'end' | 'wordsStart' | 'isOrdered' | 'isMarked'> & {
  /** Columns before an item. */
  indent: number;
  /** Offsets of the lines of plain text. */
  lines: Line[];
};

const FENCE = /^(?:`{3,}|~{3,})/;
const ATX_HEADING = /^(#{1,6})[ \t]+(?=\S)/;
const BOLD_LINE = /^(?:\*\*|__)(?=\S)[^*_]{1,80}(?:\*\*|__)$/;
const SETEXT_LINE = /^(?:=+|-{2,})$/;
const RULE_LINE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE_MARKER = /^>[ \t]?/;
const COMMENT_START = '<!--';
const COMMENT_END = '-->';

/** Splits text into units. `from` must be the beginning of a line. */
export function splitUnits(text: string, from = 0): Unit[] {
  const drafts = readDrafts(text, from);
  return drafts.flatMap((draft) => splitDraft(text, draft)).map((draft) => toUnit(text, draft));
}

/** Reads lines by their markup. Lines of plain text that follow each other stay together for now. */
function readDrafts(text: string, from: number): Draft[] {
  const drafts: Draft[] = [];
  let isApart = false;
  let open: { fence: string } | 'comment' | undefined;
  for (const line of splitLines(text, from)) {
    const last = drafts.at(-1);
    if (open && last) {
      if (line.end > line.start) last.end = line.end;
      const content = text.slice(line.start, line.end);
      if (open === 'comment' ? content.includes(COMMENT_END) : content.startsWith(open.fence))
        open = undefined;
      continue;
    }
    if (line.start === line.end) {
      isApart = true;
      continue;
    }
    const content = text.slice(line.start, line.end);
    if (last && isImageLine(content) && addImage(last, line)) continue;
    if (content.startsWith(COMMENT_START)) {
      drafts.push(createDraft('note', line));
      if (!content.includes(COMMENT_END)) open = 'comment';
    } else if (isPageMark(content)) {
      drafts.push(createDraft('note', line));
    } else if (FENCE.test(content)) {
      drafts.push({ ...createDraft('code', line), isMarked: true });
      open = { fence: FENCE.exec(content)![0] };
    } else readLine(content, line, drafts, isApart);
    isApart = false;
  }
  return drafts;
}

/** Attaches an image to the step or paragraph before it. Returns false if there is none. */
function addImage(draft: Draft, { end }: Line): boolean {
  if (draft.kind !== 'item' && draft.kind !== 'text') return false;
  draft.end = end;
  draft.lines[draft.lines.length - 1] = { ...draft.lines.at(-1)!, end };
  return true;
}

function createDraft(kind: UnitKind, line: Line): Draft {
  const { start, end, indent } = line;
  return { kind, start, end, wordsStart: start, isOrdered: false, isMarked: false, indent, lines: [line] };
}

function readLine(content: string, line: Line, drafts: Draft[], isApart: boolean): void {
  const last = drafts.at(-1);
  if (
    last?.kind === 'text' &&
    !isApart &&
    last.lines.length === 1 &&
    !last.isMarked &&
    SETEXT_LINE.test(content)
  ) {
    Object.assign(last, { kind: 'heading', isMarked: true });
    return;
  }
  if (RULE_LINE.test(content)) return;
  const atx = ATX_HEADING.exec(content);
  if (atx || BOLD_LINE.test(content)) {
    const wordsStart = line.start + (atx?.[0].length ?? 2);
    drafts.push({ ...createDraft('heading', line), isMarked: true, wordsStart });
    return;
  }
  const marker = findItemMarker(content);
  if (marker) {
    const { length, isOrdered } = marker;
    drafts.push({ ...createDraft('item', line), isMarked: true, isOrdered, wordsStart: line.start + length });
    return;
  }
  if (content.startsWith('|') && content.endsWith('|') && content.length > 1) {
    if (last?.kind === 'table' && !isApart) last.end = line.end;
    else drafts.push({ ...createDraft('table', line), isMarked: true });
    return;
  }
  readText(content, line, drafts, isApart);
}

/** Reads a line that continues an item, or plain text. */
function readText(content: string, line: Line, drafts: Draft[], isApart: boolean): void {
  const last = drafts.at(-1);
  if (last?.kind === 'item' && line.indent >= 2 && line.indent > (last.indent >> 1) * 2) {
    last.end = line.end;
    return;
  }
  const sign = QUOTE_MARKER.exec(content)?.[0].length ?? 0;
  const isQuote = sign > 0;
  if (last?.kind === 'text' && !isApart && last.isMarked === isQuote) {
    last.end = line.end;
    last.lines.push(line);
  } else {
    drafts.push({ ...createDraft('text', line), isMarked: isQuote, wordsStart: line.start + sign });
  }
}

/** Splits plain text into a paragraph per line, unless the lines of one paragraph were wrapped by hand. */
function splitDraft(text: string, draft: Draft): Draft[] {
  if (draft.kind !== 'text' || draft.isMarked || draft.lines.length < 2) return [draft];
  const parts: Draft[] = [];
  const wrapped = isWrapped(text, draft.lines);
  for (const line of draft.lines) {
    const last = parts.at(-1);
    const isNew = !last || !wrapped || isLeadIn(text.slice(last.start, last.end));
    if (isNew) parts.push(createDraft('text', line));
    else last.end = line.end;
  }
  return parts;
}

const WRAP_WIDTH_MIN = 40;
const WRAP_WIDTH_MAX = 160;

/** Whether most lines break off in the middle of a sentence, at about the same width. */
function isWrapped(text: string, lines: readonly Line[]): boolean {
  const texts = lines.map(({ start, end }) => text.slice(start, end));
  const widths = texts.map(measureWidth);
  const widest = widths.reduce((most, width) => Math.max(most, width), 0);
  if (widest > WRAP_WIDTH_MAX) return false;
  const broken = texts.slice(0, -1).filter((line, index) => {
    const next = texts[index + 1]!;
    const width = widths[index]!;
    // In scripts without capital letters, the start of a sentence is hard to detect.
    const widthMin = /^\p{Ll}/u.test(next) ? WRAP_WIDTH_MIN : Math.max(WRAP_WIDTH_MIN, widest * 0.75);
    return width >= widthMin && !isClosed(line) && !isLeadIn(line) && !/^\p{Lu}/u.test(next);
  });
  return broken.length * 2 >= lines.length - 1;
}

function toUnit(text: string, { indent: _, lines: __, ...draft }: Draft): Unit {
  const { kind, wordsStart, end } = draft;
  const words = withoutImages(text.slice(wordsStart, end));
  const isNote = kind === 'note' || ((kind === 'text' || kind === 'item') && isEditorNote(words));
  return {
    ...draft,
    kind: isNote ? 'note' : kind,
    isLeadIn: kind !== 'heading' && isLeadIn(words),
    isClosed: isClosed(words),
    width: measureWidth(words),
    sentences: countSentences(words),
  };
}
