import { buildBlock, splitBlocks, type TextElement, type TextNode } from '../../client/text-tree.ts';
import { escapeHtml, Html } from './html.ts';

/** Renders the text of an article: the tree that the guide shows, as HTML. No HTML of the text gets through. */
export function renderText(text: string, baseUrl: string): Html {
  const blocks = splitBlocks<never>(text, [], true).map(({ block, markers }) => {
    const element = buildBlock<never>({ block, markers }, text, baseUrl);
    if (block.kind === 'h') return renderElement({ ...element, name: 'p' }, 'h2', stripStrong(element));
    const rendered = renderElement(element);
    return block.kind === 'table' ? `<div class="scroll" tabindex="0">${rendered}</div>` : rendered;
  });
  return new Html(blocks.join('\n'));
}

/** The guide shows headings as strong lines, because its panel is no document. */
function stripStrong({ children: [first] }: TextElement<never>): readonly TextNode<never>[] {
  return typeof first === 'object' && 'name' in first ? first.children : [];
}

const ATTRIBUTE_NAMES: Readonly<Record<string, string>> = { tabIndex: 'tabindex' };

function renderElement(
  element: TextElement<never>,
  name: string = element.name,
  children: readonly TextNode<never>[] = element.children,
): string {
  const attributes = Object.entries(element.attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${ATTRIBUTE_NAMES[key] ?? key}="${escapeHtml(String(value))}"`);
  const start = `<${name}${attributes.join('')}>`;
  return name === 'img' ? start : `${start}${children.map(renderNode).join('')}</${name}>`;
}

function renderNode(node: TextNode<never>): string {
  if (typeof node === 'string') return escapeHtml(node);
  return 'name' in node ? renderElement(node) : '';
}
