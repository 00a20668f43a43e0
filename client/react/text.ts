import { createElement, Fragment, type ReactNode } from 'react';
import { buildBlock, type Mark, splitBlocks, type TextNode } from '../text-tree.ts';

/** Renders the Markdown that answers use as React nodes, and inserts the marks. */
export function renderText(text: string, marks: readonly Mark<ReactNode>[], baseUrl: string): ReactNode {
  const base = baseUrl.replace(/\/+$/, '');
  return splitBlocks(text, marks).map((marked, key) =>
    createElement(Fragment, { key }, toReactNode(buildBlock(marked, text, base))),
  );
}

/** Children never move, and so need no keys. */
function toReactNode(node: TextNode<ReactNode>): ReactNode {
  if (typeof node === 'string') return node;
  if ('citation' in node) return node.node;
  const children = node.children.map(toReactNode);
  if (node.name !== 'table') return createElement(node.name, node.attributes, ...children);
  const table = createElement('table', null, createElement('tbody', null, ...children));
  // A table scrolls sideways, also by keyboard.
  return createElement('div', { dir: 'auto', tabIndex: 0, style: { overflowX: 'auto' } }, table);
}
