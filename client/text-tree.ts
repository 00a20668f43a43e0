import type { CitationEvent } from '../generated/types.ts';
import { isImage, toUrl } from './image-url.ts';
import {
  INLINE,
  parseTextBlocks,
  readNumber,
  splitCells,
  type TextBlock,
  type TextLine,
  type TextRange,
  unescapeBars,
} from './text-blocks.ts';

/**
 * An answer as a tree of elements, which the script tag and the React components render alike: paragraphs, lists,
 * tables, headings (as strong lines), code, **strong**, *emphasis*, `code`, web links and images. Everything else stays
 * plain text; nothing is parsed as HTML.
 */
export type TextNode<Inserted> = string | CitationMarker<Inserted> | TextElement<Inserted>;

export type TextElement<Inserted> = {
  name:
    | 'p'
    | 'pre'
    | 'ul'
    | 'ol'
    | 'li'
    | 'table'
    | 'tr'
    | 'th'
    | 'td'
    | 'strong'
    | 'em'
    | 'code'
    | 'a'
    | 'img';
  attributes: Readonly<Record<string, string | number | undefined>>;
  children: TextNode<Inserted>[];
};

/** What is inserted at the end of the words that a citation belongs to. */
export type CitationMarker<Inserted> = {
  citation: Pick<CitationEvent, 'citation_id' | 'start' | 'end' | 'quote'>;
  node: Inserted;
};

type PlacedMarker<Inserted> = CitationMarker<Inserted> & { at: number };

/** A block of an answer with the markers in it. */
type MarkedBlock<Inserted> = { block: TextBlock; markers: readonly PlacedMarker<Inserted>[] };

/** @param isQuote when an article contains the whole text word for word */
export function splitBlocks<Inserted>(
  text: string,
  markers: readonly CitationMarker<Inserted>[],
  isQuote = false,
): MarkedBlock<Inserted>[] {
  // The service counts code points.
  const characters = Array.from(text);
  const toUnits = (end: number) => characters.slice(0, end).join('').length;
  const pending = markers
    .map((marker) => ({ ...marker, from: toUnits(marker.citation.start), at: toUnits(marker.citation.end) }))
    .sort((a, b) => a.at - b.at);
  const quotes = isQuote
    ? [{ from: 0, to: text.length }]
    : pending
        .filter(({ citation, from, at }) => text.slice(from, at) === citation.quote)
        .map(({ from, at }) => ({ from, to: at }));
  const blocks = parseTextBlocks(text, quotes);
  return blocks.map((block, index) => {
    const isLast = index === blocks.length - 1;
    const next = pending.findIndex(({ at }) => at > block.to);
    return { block, markers: pending.splice(0, isLast || next < 0 ? pending.length : next) };
  });
}

export function buildBlock<Inserted>(
  { block, markers }: MarkedBlock<Inserted>,
  text: string,
  baseUrl: string,
): TextElement<Inserted> {
  const { kind, lines, to } = block;
  const reader = createReader(text, baseUrl, markers, kind === 'table');
  if (kind === 'list') return buildList(lines, text, reader);
  if (kind === 'table') return buildTable(block, text, reader);
  const children =
    kind === 'pre'
      ? reader.readWords(lines[0]?.from ?? to, to)
      : lines.flatMap((line, index) => [...(index > 0 ? ['\n'] : []), ...reader.readLine(line)]);
  // The rest of the markers follow the last visible character.
  if (kind === 'h')
    return create('p', { dir: 'auto' }, [create('strong', {}, children), ...reader.takeRest()]);
  const attributes = kind === 'pre' ? CODE : { dir: 'auto' };
  return create(kind, attributes, [...children, ...reader.takeRest()]);
}

/** Code scrolls sideways, also by keyboard. */
const CODE = { dir: 'ltr', tabIndex: 0 };

const create = <Inserted>(
  name: TextElement<Inserted>['name'],
  attributes: TextElement<Inserted>['attributes'],
  children: TextNode<Inserted>[] = [],
): TextElement<Inserted> => ({ name, attributes, children });

type Reader<Inserted> = {
  /** Reads text without Markdown, with each marker at its position. */
  readWords(from: number, to: number): TextNode<Inserted>[];
  readLine(line: TextRange): TextNode<Inserted>[];
  /** Returns the markers that are left. */
  takeRest(): CitationMarker<Inserted>[];
};

function createReader<Inserted>(
  text: string,
  baseUrl: string,
  markers: readonly PlacedMarker<Inserted>[],
  isTable: boolean,
): Reader<Inserted> {
  const pending = [...markers];

  function readWords(start: number, end: number): TextNode<Inserted>[] {
    const nodes: TextNode<Inserted>[] = [];
    let from = start;
    const addText = (to: number) => {
      const words = text.slice(from, to);
      if (words) nodes.push(isTable ? unescapeBars(words) : words);
      from = Math.max(from, to);
    };
    for (let next = pending[0]; next && next.at <= end; next = pending[0]) {
      addText(next.at);
      nodes.push(next);
      pending.shift();
    }
    addText(end);
    return nodes;
  }

  function readLine(line: TextRange): TextNode<Inserted>[] {
    const nodes: TextNode<Inserted>[] = [];
    let { from } = line;
    for (const match of text.slice(line.from, line.to).matchAll(INLINE)) {
      const [whole, strong, strong2, emphasis, code, label, address] = match;
      const href = address && toUrl(address, baseUrl);
      const words = strong ?? strong2 ?? emphasis ?? code ?? label ?? '';
      const at = line.from + match.index;
      const wordsAt = at + whole.indexOf(words);
      nodes.push(...readWords(from, at));
      const name = (strong ?? strong2) ? 'strong' : emphasis ? 'em' : code ? 'code' : 'a';
      const content =
        href && isImage(whole, href, baseUrl)
          ? [create<Inserted>('img', { src: href, alt: words, loading: 'lazy' })]
          : readWords(wordsAt, wordsAt + words.length);
      nodes.push(create(name, href ? { href, ...NEW_TAB } : {}, content));
      from = at + whole.length;
    }
    return [...nodes, ...readWords(from, line.to)];
  }

  return { readWords, readLine, takeRest: () => pending.splice(0) };
}

const NEW_TAB = { target: '_blank', rel: 'noopener noreferrer nofollow' };

/** Cells have no `dir`, so that the first one sets the direction of all. */
function buildTable<Inserted>(
  { lines, hasHead }: TextBlock,
  text: string,
  { readLine, takeRest }: Reader<Inserted>,
): TextElement<Inserted> {
  const rows = lines.map((line, index) => {
    const cells = splitCells(text, line).map((range) => {
      // An empty `th` would give its column an empty name.
      const isHeading = hasHead && index === 0 && range.from < range.to;
      return create(isHeading ? 'th' : 'td', {}, readLine(range));
    });
    if (index === lines.length - 1) cells.at(-1)?.children.push(...takeRest());
    return create<Inserted>('tr', {}, cells);
  });
  return create('table', {}, rows);
}

/**
 * Deeper items form a list inside of the item above them. Items have no `dir`, so that the first one sets the direction
 * of the list and the side of its markers.
 */
function buildList<Inserted>(
  lines: readonly TextLine[],
  text: string,
  { readLine, takeRest }: Reader<Inserted>,
): TextElement<Inserted> {
  const open: { list: TextElement<Inserted>; indent: number }[] = [];
  let item = create<Inserted>('li', {});
  for (const line of lines) {
    if (!line.isItem) {
      item.children.push('\n', ...readLine(line));
      continue;
    }
    while (open.length > 1 && line.indent < (open.at(-1)?.indent ?? 0)) open.pop();
    if (open.length === 0 || line.indent > (open.at(-1)?.indent ?? 0) + 1) {
      const start = line.isNumbered ? Number(readNumber(text, line)) : undefined;
      const list = create<Inserted>(line.isNumbered ? 'ol' : 'ul', { dir: 'auto', start });
      if (open.length > 0) item.children.push(list);
      open.push({ list, indent: line.indent });
    }
    item = create('li', {}, readLine(line));
    open.at(-1)?.list.children.push(item);
  }
  item.children.push(...takeRest());
  return open[0]?.list ?? create('ul', {});
}
