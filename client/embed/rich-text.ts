import { buildBlock, type CitationMarker, splitBlocks, type TextNode } from '../text-tree.ts';
import { button, element, setLabel } from './element.ts';
import { ENLARGE } from './icons.ts';
import type { Texts } from './language.ts';
import { createCopyButton } from './message-tools.ts';

export type RichText = {
  /** `isQuote` when an article contains the whole text word for word. */
  draw: (text: string, markers: readonly CitationMarker<() => Node>[], isQuote?: boolean) => void;
};

/** Draws the Markdown of an answer. Unchanged blocks keep their nodes, and with them selection and focus. */
export function createRichText(body: HTMLElement, baseUrl: string, texts?: Texts): RichText {
  const toNode = createNodeBuilder(texts);
  let drawn: readonly { key: string; node: Node }[] = [];
  return {
    draw: (text, markers, isQuote) => {
      const next = splitBlocks(text, markers, isQuote).map((marked, index) => {
        const { kind, lines, to } = marked.block;
        const from = lines[0]?.from ?? 0;
        const places = marked.markers.map(({ citation, at }) => `${citation.citation_id}@${at - from}`);
        const key = [kind, text.slice(from, to), ...places].join('\n');
        const previous = drawn[index];
        if (previous?.key === key) return previous;
        return { key, node: toNode(buildBlock(marked, text, baseUrl)) as HTMLElement };
      });
      next.forEach(({ node }, index) => {
        const previousNode = drawn[index]?.node;
        if (previousNode === node) return;
        if (previousNode) {
          markFresh(node, previousNode);
          body.replaceChild(node, previousNode);
        } else body.append(node);
      });
      for (const { node } of drawn.slice(next.length)) (node as ChildNode).remove();
      drawn = next;
    },
  };
}

type Tree = TextNode<() => Node>;

/** Builds the elements. A table scrolls sideways, also by keyboard. In the guide, code can be copied, and images enlarge. */
function createNodeBuilder(texts: Texts | undefined): (node: Tree) => Node | string {
  function toNode(node: Tree): Node | string {
    if (typeof node === 'string') return node;
    if ('citation' in node) return node.node();
    const created = element(node.name, node.attributes, ...toChildren(node.children));
    if (node.name === 'table') return element('div', { class: 'table', dir: 'auto', tabindex: 0 }, created);
    if (texts && node.name === 'img') return createZoom(created as HTMLImageElement, texts);
    if (texts && node.name === 'pre')
      return element('div', { class: 'copyable' }, created, createCopy(created, texts));
    return created;
  }

  /** Keeps the last word and the markers after it on one line. */
  function toChildren(children: readonly Tree[]): (Node | string)[] {
    const built: (Node | string)[] = [];
    let kept: HTMLElement | undefined;
    for (const child of children) {
      if (typeof child === 'string' || !('citation' in child)) {
        kept = undefined;
        built.push(toNode(child));
        continue;
      }
      if (!kept) {
        const before = built.at(-1);
        const word = typeof before === 'string' ? (LAST_WORD.exec(before)?.[0] ?? '') : '';
        if (typeof before === 'string')
          built[built.length - 1] = before.slice(0, before.length - word.length);
        kept = element('span', { class: 'keep' }, word);
        built.push(kept);
      }
      kept.append(child.node());
    }
    return built;
  }

  return toNode;
}

function createCopy(code: HTMLElement, { copy, copied, failed }: Texts): HTMLElement {
  const copyButton = createCopyButton(
    () => code.textContent ?? '',
    copy,
    (isCopied) => setLabel(copyButton, isCopied ? copied : failed),
  );
  return copyButton;
}

/** Long enough for a word, and short enough for scripts without spaces. */
const LAST_WORD = /\S{1,24}$/u;

/** An image that can be shown in the size of the window. */
function createZoom(image: HTMLImageElement, { enlarge }: Texts): HTMLElement {
  const show = () => {
    const dialog = element('dialog', {}, image.cloneNode());
    dialog.addEventListener('close', () => dialog.remove());
    dialog.addEventListener('click', () => dialog.close());
    // The panel would close instead.
    dialog.addEventListener('keydown', (event) => event.key === 'Escape' && event.stopPropagation());
    image.after(dialog);
    dialog.showModal();
  };
  image.addEventListener('click', show);
  const zoom = button('', { class: 'tool', label: enlarge, icon: ENLARGE }, show);
  return element('span', { class: 'zoom' }, image, zoom);
}

/** Marks the words that a growing paragraph has gained, which fade in. */
function markFresh(node: Node, previous: Node): void {
  const gained = (node.textContent?.length ?? 0) - (previous.textContent?.length ?? 0);
  const last = node.lastChild;
  if (gained <= 0 || last?.nodeName !== '#text') return;
  const text = last as Text;
  if (text.length <= gained) return;
  const fresh = text.splitText(text.length - gained);
  const span = element('span', { class: 'fresh' });
  fresh.replaceWith(span);
  span.append(fresh);
}
