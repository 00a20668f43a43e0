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
import { element } from './element.ts';

/**
 * Renders the Markdown that answers use: paragraphs, lists, tables, headings (shown as strong lines), code, **strong**,
 * *emphasis*, `code`, web links and images. Everything else stays plain text; nothing is parsed as HTML.
 */

/** A node to insert at a position of the text, counted in code points as the service does. */
export type CitationMarker = {
  /** Start of the cited words, if the text repeats them exactly. */
  quotedFrom?: number | undefined;
  end: number;
  id: string;
  node: () => Node;
};

type PlacedMarker = { at: number; quotedFrom: number | undefined; marker: CitationMarker };

export type RichText = {
  /** `isQuote` when an article contains the whole text word for word. */
  draw: (text: string, markers: readonly CitationMarker[], isQuote?: boolean) => void;
};

/** Draws into an element. Unchanged blocks keep their nodes, and with them selection and focus. */
export function createRichText(body: HTMLElement, baseUrl: string): RichText {
  let drawn: readonly { key: string; node: Node }[] = [];
  return {
    draw: (text, markers, isQuote) => {
      const pendingMarkers = placeMarkers(text, markers);
      const quotes = pendingMarkers.flatMap(({ at, quotedFrom }) =>
        quotedFrom === undefined ? [] : { from: quotedFrom, to: at },
      );
      const blocks = parseTextBlocks(text, isQuote ? [{ from: 0, to: text.length }] : quotes);
      const next = blocks.map((block, index) => {
        const isLast = index === blocks.length - 1;
        const blockMarkers: PlacedMarker[] = [];
        while (pendingMarkers[0] && (isLast || pendingMarkers[0].at <= block.to))
          blockMarkers.push(pendingMarkers.shift() as PlacedMarker);
        const from = block.lines[0]?.from ?? 0;
        const key = [
          block.kind,
          text.slice(from, block.to),
          ...blockMarkers.map(({ marker, at }) => `${marker.id}@${at - from}`),
        ].join('\n');
        const previous = drawn[index];
        return previous?.key === key
          ? previous
          : { key, node: createBlock(block, text, blockMarkers, baseUrl) };
      });
      next.forEach(({ node }, index) => {
        const previousNode = drawn[index]?.node;
        if (previousNode === node) return;
        if (previousNode) body.replaceChild(node, previousNode);
        else body.append(node);
      });
      for (const { node } of drawn.slice(next.length)) (node as ChildNode).remove();
      drawn = next;
    },
  };
}

function placeMarkers(text: string, markers: readonly CitationMarker[]): PlacedMarker[] {
  const characters = Array.from(text);
  const toUnits = (end: number) => characters.slice(0, end).join('').length;
  return markers
    .map((marker) => ({
      marker,
      at: toUnits(marker.end),
      quotedFrom: marker.quotedFrom === undefined ? undefined : toUnits(marker.quotedFrom),
    }))
    .sort((a, b) => a.at - b.at);
}

function createBlock(
  { kind, lines, to, hasHead }: TextBlock,
  text: string,
  markers: PlacedMarker[],
  baseUrl: string,
): HTMLElement {
  const appendRange = (parent: HTMLElement, start: number, end: number) => {
    let from = start;
    const appendText = (next: number, ...nodes: readonly Node[]) => {
      const words = text.slice(from, next);
      parent.append(kind === 'table' ? unescapeBars(words) : words, ...nodes);
      from = next;
    };
    while (markers[0] && markers[0].at <= end) {
      const { at, marker } = markers.shift() as PlacedMarker;
      appendText(Math.max(from, at), marker.node());
    }
    if (from < end) appendText(end);
  };
  const appendInline = (parent: HTMLElement, { from: start, to: end }: TextRange) => {
    let from = start;
    for (const match of text.slice(start, end).matchAll(INLINE)) {
      const [whole, strong, strong2, emphasis, code, label, address] = match;
      const at = start + match.index;
      appendRange(parent, from, at);
      const url = address && toUrl(address, baseUrl);
      const inner = element(
        (strong ?? strong2) ? 'strong' : emphasis ? 'em' : code ? 'code' : 'a',
        url ? { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' } : {},
      );
      const words = strong ?? strong2 ?? emphasis ?? code ?? label ?? '';
      const innerAt = at + whole.indexOf(words);
      if (url && isImage(whole, url, baseUrl))
        inner.append(element('img', { src: url, alt: words, loading: 'lazy' }));
      else appendRange(inner, innerAt, innerAt + words.length);
      parent.append(inner);
      from = at + whole.length;
    }
    appendRange(parent, from, end);
  };
  const appendLines = (parent: HTMLElement) => {
    lines.forEach((line, index) => {
      if (index > 0) parent.append('\n');
      appendInline(parent, line);
    });
  };
  if (kind === 'list') return createList(lines, text, appendInline, markers);
  if (kind === 'table') {
    const rows = lines.map((line, index) =>
      element(
        'tr',
        {},
        ...splitCells(text, line).map((range) => {
          // An empty `th` would give its column an empty name.
          const cell = element(hasHead && index === 0 && range.from < range.to ? 'th' : 'td');
          appendInline(cell, range);
          return cell;
        }),
      ),
    );
    for (const { marker } of markers) rows.at(-1)?.lastChild?.appendChild(marker.node());
    // The table scrolls sideways, also by keyboard. Cells have no `dir`, so that the first one sets the direction of
    // all.
    return element('div', { class: 'table', dir: 'auto', tabindex: 0 }, element('table', {}, ...rows));
  }
  // Code scrolls sideways, also by keyboard.
  const root = element(
    kind === 'h' ? 'p' : kind,
    kind === 'pre' ? { dir: 'ltr', tabindex: 0 } : { dir: 'auto' },
  );
  if (kind === 'h') {
    const strong = element('strong');
    appendLines(strong);
    root.append(strong);
  } else if (kind === 'pre') appendRange(root, lines[0]?.from ?? to, to);
  else appendLines(root);
  // Add the markers after the last visible character.
  for (const { marker } of markers) root.append(marker.node());
  return root;
}

/** Creates a list. Deeper items form a list inside of the item above them. */
function createList(
  lines: readonly TextLine[],
  text: string,
  appendInline: (parent: HTMLElement, line: TextRange) => void,
  markers: readonly PlacedMarker[],
): HTMLElement {
  const open: { list: HTMLElement; indent: number }[] = [];
  // Items have no `dir`, so that the first one sets the direction of the list and the side of its markers.
  let item = element('li');
  for (const line of lines) {
    if (!line.isItem) {
      item.append('\n');
      appendInline(item, line);
      continue;
    }
    while (open.length > 1 && line.indent < (open.at(-1)?.indent ?? 0)) open.pop();
    if (open.length === 0 || line.indent > (open.at(-1)?.indent ?? 0) + 1) {
      const list = element(line.isNumbered ? 'ol' : 'ul', { dir: 'auto' });
      if (line.isNumbered) list.setAttribute('start', readNumber(text, line));
      if (open.length > 0) item.append(list);
      open.push({ list, indent: line.indent });
    }
    item = element('li');
    appendInline(item, line);
    open.at(-1)?.list.append(item);
  }
  for (const { marker } of markers) item.append(marker.node());
  return open[0]?.list ?? element('ul');
}
