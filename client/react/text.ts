import type { CitationEvent } from '@guidepost/client';
import { createElement, Fragment, type ReactNode } from 'react';
import { isImage, toUrl } from '../image-url.ts';
import {
  INLINE,
  parseTextBlocks,
  readNumber,
  splitCells,
  type TextBlock,
  type TextLine,
  type TextRange,
  unescapeBars,
} from '../text-blocks.ts';

/** A node to insert at the end of the statement that a citation belongs to. */
export type CitationMarker = { citation: CitationEvent; node: ReactNode };

type PlacedMarker = { at: number; node: ReactNode };

/** Renders the Markdown that answers use as React nodes, and inserts the markers. Nothing is parsed as HTML. */
export function renderText(text: string, markers: readonly CitationMarker[], baseUrl: string): ReactNode {
  const base = baseUrl.replace(/\/+$/, '');
  // The service counts code points.
  const characters = Array.from(text);
  const toUnits = (end: number) => characters.slice(0, end).join('').length;
  const pendingMarkers: PlacedMarker[] = [];
  const quotes: TextRange[] = [];
  for (const { citation, node } of markers) {
    const { start, end, quote } = citation;
    const at = toUnits(end);
    pendingMarkers.push({ at, node });
    const from = toUnits(start);
    if (text.slice(from, at) === quote) quotes.push({ from, to: at });
  }
  pendingMarkers.sort((a, b) => a.at - b.at);
  const blocks = parseTextBlocks(text, quotes);
  return blocks.map((block, index) => {
    const isLast = index === blocks.length - 1;
    const blockMarkers: PlacedMarker[] = [];
    while (pendingMarkers[0] && (isLast || pendingMarkers[0].at <= block.to))
      blockMarkers.push(pendingMarkers.shift() as PlacedMarker);
    return createElement(Fragment, { key: index }, renderBlock(block, text, blockMarkers, base));
  });
}

function renderBlock(block: TextBlock, text: string, markers: PlacedMarker[], baseUrl: string): ReactNode {
  const { kind, lines, to } = block;
  if (kind === 'list') return renderList(lines, text, markers, baseUrl);
  if (kind === 'table') return renderTable(block, text, markers, baseUrl);
  const content =
    kind === 'pre'
      ? renderWords(text, { from: lines[0]?.from ?? to, to }, markers)
      : lines.map((line, index) => [index > 0 ? '\n' : '', renderLine(text, line, markers, baseUrl)]);
  const end = markers.splice(0).map(({ node }) => node);
  if (kind === 'h') return nest('p', nest('strong', content), end);
  return nest(kind, content, end);
}

/**
 * Creates an element whose children never move and so need no keys. Items have no `dir`, so that the first one sets the
 * direction of the list and the side of its markers.
 */
const nest = (tag: string, ...children: readonly ReactNode[]): ReactNode =>
  createElement(tag, { dir: /li|strong/.test(tag) ? undefined : 'auto' }, ...children.map(spread));

const spread = (node: ReactNode): ReactNode =>
  Array.isArray(node) ? createElement(Fragment, null, ...node.map(spread)) : node;

type Clean = (words: string) => string;
const keepWords: Clean = (words) => words;

/** Renders text without Markdown, and inserts each marker at its position. */
function renderWords(
  text: string,
  { from, to }: TextRange,
  markers: PlacedMarker[],
  clean = keepWords,
): ReactNode[] {
  const nodes: ReactNode[] = [];
  let at = from;
  while (markers[0] && markers[0].at <= to) {
    const marker = markers.shift() as PlacedMarker;
    nodes.push(clean(text.slice(at, Math.max(at, marker.at))), marker.node);
    at = Math.max(at, marker.at);
  }
  return [...nodes, clean(text.slice(at, to))];
}

function renderLine(
  text: string,
  line: TextRange,
  markers: PlacedMarker[],
  baseUrl: string,
  clean = keepWords,
): ReactNode[] {
  const nodes: ReactNode[] = [];
  let from = line.from;
  for (const match of text.slice(line.from, line.to).matchAll(INLINE)) {
    const [whole, strong, strong2, emphasis, code, label, address] = match;
    const href = address && toUrl(address, baseUrl);
    const at = line.from + match.index;
    const words = strong ?? strong2 ?? emphasis ?? code ?? label ?? '';
    const innerAt = at + whole.indexOf(words);
    nodes.push(renderWords(text, { from, to: at }, markers, clean));
    const tag = (strong ?? strong2) ? 'strong' : emphasis ? 'em' : code ? 'code' : 'a';
    const link = href ? { href, target: '_blank', rel: 'noopener noreferrer nofollow' } : null;
    const content =
      href && isImage(whole, href, baseUrl)
        ? [createElement('img', { src: href, alt: words, loading: 'lazy' })]
        : renderWords(text, { from: innerAt, to: innerAt + words.length }, markers, clean);
    nodes.push(createElement(tag, link, ...content.map(spread)));
    from = at + whole.length;
  }
  return [...nodes, renderWords(text, { from, to: line.to }, markers, clean)];
}

/** Renders a table that scrolls sideways, also by keyboard. The first cell sets the direction of all cells. */
function renderTable(
  { lines, hasHead }: TextBlock,
  text: string,
  markers: PlacedMarker[],
  baseUrl: string,
): ReactNode {
  const rows = lines.map((line, index) => {
    const cells = splitCells(text, line).map((range, at, { length }) => {
      const content: ReactNode[] = renderLine(text, range, markers, baseUrl, unescapeBars);
      if (index === lines.length - 1 && at === length - 1)
        content.push(markers.splice(0).map(({ node }) => node));
      // An empty `th` would give its column an empty name.
      const isHeading = hasHead && index === 0 && range.from < range.to;
      return createElement(isHeading ? 'th' : 'td', null, ...content.map(spread));
    });
    return createElement('tr', null, ...cells);
  });
  const body = createElement('tbody', null, ...rows);
  return createElement(
    'div',
    { dir: 'auto', tabIndex: 0, style: { overflowX: 'auto' } },
    createElement('table', null, body),
  );
}

type Item = { content: ReactNode[]; line: TextLine };

/** Renders a list. Deeper items form a list inside of the item above them. */
function renderList(
  lines: readonly TextLine[],
  text: string,
  markers: PlacedMarker[],
  baseUrl: string,
): ReactNode {
  const items: Item[] = [];
  for (const line of lines) {
    const content = renderLine(text, line, markers, baseUrl);
    if (line.isItem) items.push({ line, content });
    else items.at(-1)?.content.push('\n', content);
  }
  items.at(-1)?.content.push(markers.splice(0).map(({ node }) => node));
  return takeItems(items, text, 0);
}

/** Removes the items of one list, with their nested lists, from the front. */
function takeItems(items: Item[], text: string, indentMin: number): ReactNode {
  const first = items[0]?.line;
  if (!first) return null;
  const nodes: ReactNode[] = [];
  while (items[0] && items[0].line.indent >= indentMin) {
    const { line, content } = items.shift() as Item;
    const indent = items[0]?.line.indent ?? 0;
    nodes.push(nest('li', content, indent > line.indent + 1 ? takeItems(items, text, indent) : null));
  }
  const start = first.isNumbered ? Number(readNumber(text, first)) : undefined;
  return createElement(first.isNumbered ? 'ol' : 'ul', { dir: 'auto', start }, ...nodes);
}
