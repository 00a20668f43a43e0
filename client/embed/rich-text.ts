import { element } from './element.ts';

/**
 * The Markdown that answers use: paragraphs, lists, headings (shown as strong lines), code, **strong**, `code`, and web
 * links. Everything else stays plain text; nothing is parsed as HTML.
 */

/** A node to insert at a position of the text, counted in code points as the service does. */
export type Mark = { readonly end: number; readonly id: string; readonly node: () => Node };

type Kind = 'p' | 'ul' | 'ol' | 'pre' | 'h';
type Line = { readonly from: number; readonly to: number };
type Block = { readonly kind: Kind; readonly lines: Line[]; readonly to: number };
type PlacedMark = { readonly at: number; readonly mark: Mark };

const BULLET = /^\s{0,3}[-*•]\s+/;
const NUMBER = /^\s{0,3}\d{1,3}[.)]\s+/;
const HEADING = /^#{1,6}\s+/;
const INLINE = /\*\*(?=\S)((?:(?!\*\*).)+)(?<=\S)\*\*|`([^`\n]+)`|\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)/g;

export type RichText = { readonly draw: (text: string, marks: readonly Mark[]) => void };

/** Draws into an element. Unchanged blocks keep their nodes, and with them selection and focus. */
export function createRichText(body: HTMLElement): RichText {
  let drawn: readonly { readonly key: string; readonly node: Node }[] = [];
  return {
    draw: (text, marks) => {
      const waiting = placeMarks(text, marks);
      const blocks = parseBlocks(text);
      const next = blocks.map((block, index) => {
        const isLast = index === blocks.length - 1;
        const own: PlacedMark[] = [];
        while (waiting[0] && (isLast || waiting[0].at <= block.to)) own.push(waiting.shift() as PlacedMark);
        const from = block.lines[0]?.from ?? 0;
        const key = [
          block.kind,
          text.slice(from, block.to),
          ...own.map(({ mark, at }) => `${mark.id}@${at - from}`),
        ].join('\n');
        const known = drawn[index];
        return known?.key === key ? known : { key, node: createBlock(block, text, own) };
      });
      next.forEach(({ node }, index) => {
        const old = drawn[index]?.node;
        if (old === node) return;
        if (old) body.replaceChild(node, old);
        else body.append(node);
      });
      for (const { node } of drawn.slice(next.length)) (node as ChildNode).remove();
      drawn = next;
    },
  };
}

function placeMarks(text: string, marks: readonly Mark[]): PlacedMark[] {
  const characters = Array.from(text);
  return marks
    .map((mark) => ({ mark, at: characters.slice(0, mark.end).join('').length }))
    .sort((a, b) => a.at - b.at);
}

function parseBlocks(text: string): Block[] {
  const blocks: { kind: Kind; lines: Line[]; to: number }[] = [];
  let from = 0;
  let isCode = false;
  let isOpen = false;
  for (const line of text.split('\n')) {
    const to = from + line.length;
    const last = blocks.at(-1);
    if (/^\s*```/.test(line)) {
      isCode = !isCode;
      if (isCode) blocks.push({ kind: 'pre', lines: [], to });
      isOpen = isCode;
    } else if (isCode && last) {
      last.lines.push({ from, to });
      last.to = to;
    } else if (line.trim() === '') isOpen = false;
    else {
      const kind = BULLET.test(line) ? 'ul' : NUMBER.test(line) ? 'ol' : HEADING.test(line) ? 'h' : 'p';
      const joins = last && isOpen && last.kind === kind && kind !== 'h';
      if (joins) {
        last.lines.push({ from, to });
        last.to = to;
      } else blocks.push({ kind, lines: [{ from, to }], to });
      isOpen = true;
    }
    from = to + 1;
  }
  return blocks.length > 0 ? blocks : [{ kind: 'p', lines: [], to: 0 }];
}

function createBlock({ kind, lines, to }: Block, text: string, marks: PlacedMark[]): HTMLElement {
  const write = (parent: Node, start: number, end: number) => {
    let from = start;
    while (marks[0] && marks[0].at <= end) {
      const { at, mark } = marks.shift() as PlacedMark;
      parent.appendChild(document.createTextNode(text.slice(from, Math.max(from, at))));
      parent.appendChild(mark.node());
      from = Math.max(from, at);
    }
    if (from < end) parent.appendChild(document.createTextNode(text.slice(from, end)));
  };
  const inline = (parent: HTMLElement, start: number, end: number) => {
    let from = start;
    for (const match of text.slice(start, end).matchAll(INLINE)) {
      const [whole, strong, code, label, address] = match;
      const at = start + match.index;
      write(parent, from, at);
      const inner = element(
        strong ? 'strong' : code ? 'code' : 'a',
        address ? createLinkAttributes(address) : {},
      );
      const words = strong ?? code ?? label ?? '';
      const begins = at + (strong ? 2 : 1);
      write(inner, begins, begins + words.length);
      parent.append(inner);
      from = at + whole.length;
    }
    write(parent, from, end);
  };
  const first = lines[0]?.from ?? to;
  const root = element(kind === 'h' ? 'p' : kind, { dir: 'auto' });
  if (kind === 'ul' || kind === 'ol') {
    if (kind === 'ol') root.setAttribute('start', String(Number.parseInt(text.slice(first).trim(), 10)));
    for (const line of lines) {
      const item = element('li', { dir: 'auto' });
      const sign = (kind === 'ul' ? BULLET : NUMBER).exec(text.slice(line.from, line.to))?.[0].length ?? 0;
      inline(item, line.from + sign, line.to);
      root.append(item);
    }
  } else if (kind === 'h') {
    const strong = element('strong');
    inline(strong, first + (HEADING.exec(text.slice(first, to))?.[0].length ?? 0), to);
    root.append(strong);
  } else if (kind === 'pre') write(root, first, to);
  else inline(root, first, to);
  // Marks after the last visible character.
  for (const { mark } of marks)
    (root.lastElementChild?.matches('li') ? root.lastElementChild : root).append(mark.node());
  return root;
}

function createLinkAttributes(address: string) {
  return { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' };
}

/** The text without its Markdown. */
export function toPlainText(text: string): string {
  return text
    .replace(INLINE, (_, strong, code, label) => strong ?? code ?? label)
    .replace(/^#{1,6}\s+/gm, '');
}
