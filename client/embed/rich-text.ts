import { buildBlock, type CitationMarker, splitBlocks, type TextNode } from '../text-tree.ts';
import { element } from './element.ts';

export type RichText = {
  /** `isQuote` when an article contains the whole text word for word. */
  draw: (text: string, markers: readonly CitationMarker<() => Node>[], isQuote?: boolean) => void;
};

/** Draws the Markdown of an answer. Unchanged blocks keep their nodes, and with them selection and focus. */
export function createRichText(body: HTMLElement, baseUrl: string): RichText {
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
        if (previousNode) body.replaceChild(node, previousNode);
        else body.append(node);
      });
      for (const { node } of drawn.slice(next.length)) (node as ChildNode).remove();
      drawn = next;
    },
  };
}

function toNode(node: TextNode<() => Node>): Node | string {
  if (typeof node === 'string') return node;
  if ('citation' in node) return node.node();
  const created = element(node.name, node.attributes, ...node.children.map(toNode));
  // A table scrolls sideways, also by keyboard.
  return node.name === 'table'
    ? element('div', { class: 'table', dir: 'auto', tabindex: 0 }, created)
    : created;
}
