import { createElement, Fragment, type ReactNode } from 'react';
import { buildBlock, type CitationMarker, splitBlocks, type TextNode } from '../text-tree.ts';

/** Renders the Markdown that answers use as React nodes, and inserts the markers. */
export function renderText(
  text: string,
  markers: readonly CitationMarker<ReactNode>[],
  baseUrl: string,
): ReactNode {
  const base = baseUrl.replace(/\/+$/, '');
  return splitBlocks(text, markers).map((marked, key) =>
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
