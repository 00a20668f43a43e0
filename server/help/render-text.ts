import { buildBlock, splitBlocks, type TextElement, type TextNode } from '../../client/text-tree.ts';
import type { ImageSize } from '../storage/images.ts';
import { escapeHtml, Html } from './html.ts';

/**
 * Renders the text of an article: the tree that the guide shows, as HTML. No HTML of the text gets through. Images of known
 * sizes keep their place while they load.
 */
export function renderText(text: string, baseUrl: string, sizes: readonly ImageSize[]): Html {
  const blocks = splitBlocks<never>(text, [], true).map(({ block, markers }) => {
    const element = buildBlock<never>({ block, markers }, text, baseUrl);
    if (block.kind === 'h')
      return renderElement({ ...element, name: 'p' }, sizes, 'h2', stripStrong(element));
    const rendered = renderElement(element, sizes);
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
  sizes: readonly ImageSize[],
  name: string = element.name,
  children: readonly TextNode<never>[] = element.children,
): string {
  const attributes = Object.entries(element.attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${ATTRIBUTE_NAMES[key] ?? key}="${escapeHtml(String(value))}"`);
  const start = `<${name}${attributes.join('')}`;
  if (name === 'img') return `${start}${renderSize(element.attributes.src, sizes)}>`;
  return `${start}>${children.map((child) => renderNode(child, sizes)).join('')}</${name}>`;
}

function renderSize(address: unknown, sizes: readonly ImageSize[]): string {
  const size = sizes.find(({ id }) => String(address).endsWith(`/images/${id}`));
  return size ? ` width="${size.width}" height="${size.height}"` : '';
}

function renderNode(node: TextNode<never>, sizes: readonly ImageSize[]): string {
  if (typeof node === 'string') return escapeHtml(node);
  return 'name' in node ? renderElement(node, sizes) : '';
}
