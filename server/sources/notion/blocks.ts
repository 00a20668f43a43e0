import type { BlockObjectResponse, RichTextItemResponse } from '@notionhq/client';
import { createElement, createText, type ElementContent, type Root } from '../html-tree.ts';

/** Converts the blocks of a page of Notion to a tree of HTML, which is then converted like that of any page. */

/** A block with those inside of it. */
export type Block = BlockObjectResponse & { children: readonly Block[] };

/** Blocks whose content is not text of their page. */
export const NOT_READ: ReadonlySet<BlockObjectResponse['type']> = new Set([
  'child_page',
  'child_database',
  'link_to_page',
  'template',
  'meeting_notes',
  'transcription',
  'table_of_contents',
  'breadcrumb',
  'unsupported',
] as const);

export const toTree = (blocks: readonly Block[]): Root => ({ type: 'root', children: toElements(blocks) });

const LISTS: Readonly<Record<string, 'ul' | 'ol'>> = {
  bulleted_list_item: 'ul',
  to_do: 'ul',
  numbered_list_item: 'ol',
};

/** Puts items that follow one another into one list. */
function toElements(blocks: readonly Block[]): ElementContent[] {
  const elements: ElementContent[] = [];
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at]!;
    const list = LISTS[block.type];
    let end = at + 1;
    while (list && blocks[end]?.type === block.type) end += 1;
    if (list) elements.push(createElement(list, blocks.slice(at, end).map(toItem), toStart(block)));
    else elements.push(...toBlockElements(block));
    at = end;
  }
  return elements;
}

const toStart = (block: Block) =>
  block.type === 'numbered_list_item' && block.numbered_list_item.list_start_index
    ? { start: block.numbered_list_item.list_start_index }
    : {};

function toItem(block: Block): ElementContent {
  const text =
    block.type === 'to_do'
      ? [createText(block.to_do.checked ? '☑ ' : '☐ '), ...toInline(block.to_do.rich_text)]
      : toInline(getRichText(block));
  return createElement('li', [...text, ...toElements(block.children)]);
}

function toBlockElements(block: Block): ElementContent[] {
  const children = () => toElements(block.children);
  if (NOT_READ.has(block.type)) return [];
  switch (block.type) {
    case 'heading_1':
    case 'heading_2':
    case 'heading_3':
    case 'heading_4':
      return [toHeading(block), ...children()];
    case 'toggle':
      return [
        createElement('details', [createElement('summary', toInline(block.toggle.rich_text)), ...children()]),
      ];
    case 'quote':
      return [createElement('blockquote', [...toParagraph(toInline(block.quote.rich_text)), ...children()])];
    case 'callout':
      return [createElement('blockquote', [...toParagraph(toCallout(block)), ...children()])];
    case 'code':
      return [toCode(block), ...toParagraph(toInline(block.code.caption))];
    case 'equation':
      return toParagraph([createElement('code', [createText(block.equation.expression)])]);
    case 'table':
      return [toTable(block)];
    default:
      return [...toParagraph([...toInline(getRichText(block)), ...toMedia(block)]), ...children()];
  }
}

type OfType<Type> = Extract<Block, { type: Type }>;

/** A heading with the anchor that it has on a published page. Notion's largest heading is below the title. */
function toHeading(block: OfType<'heading_1' | 'heading_2' | 'heading_3' | 'heading_4'>): ElementContent {
  const level = Number(block.type.at(-1)) + 1;
  return createElement(`h${level}`, toInline(getRichText(block)), { id: block.id.replaceAll('-', '') });
}

function toCallout({ callout: { icon, rich_text: text } }: OfType<'callout'>): ElementContent[] {
  const emoji = icon?.type === 'emoji' ? [createText(`${icon.emoji} `)] : [];
  return [...emoji, ...toInline(text)];
}

function toCode({ code: { language, rich_text: text } }: OfType<'code'>): ElementContent {
  const plain = text.map(({ plain_text: part }) => part).join('');
  const name = language === 'plain text' ? {} : { className: [`language-${language.replace(/\s+/g, '-')}`] };
  return createElement('pre', [createElement('code', [createText(plain)], name)]);
}

function toTable({ table, children }: OfType<'table'>): ElementContent {
  const rows = children.flatMap((row) => (row.type === 'table_row' ? [row.table_row.cells] : []));
  return createElement(
    'table',
    rows.map((cells, at) =>
      createElement(
        'tr',
        cells.map((cell) => createElement(table.has_column_header && at === 0 ? 'th' : 'td', toInline(cell))),
      ),
    ),
  );
}

/** The text of a block that has one. */
function getRichText(block: Block): readonly RichTextItemResponse[] {
  const content = (block as unknown as Record<string, { rich_text?: RichTextItemResponse[] } | undefined>)[
    block.type
  ];
  return content?.rich_text ?? [];
}

/** The caption of a picture or file, or a link to a page elsewhere. Addresses of files in Notion expire within an hour. */
function toMedia(block: Block): ElementContent[] {
  switch (block.type) {
    case 'bookmark':
    case 'embed':
      return toLink(getContent(block));
    case 'link_preview':
      return toLink({ url: block.link_preview.url });
    case 'image':
      return toInline(block.image.caption);
    case 'video':
    case 'audio':
    case 'file':
    case 'pdf': {
      const content = getContent(block) as MediaContent;
      return content.external
        ? toLink({ url: content.external.url, caption: content.caption })
        : toInline(content.caption ?? []);
    }
    default:
      return [];
  }
}

type MediaContent = { url?: string; external?: { url: string }; caption?: RichTextItemResponse[] };

const getContent = (block: Block) => (block as unknown as Record<string, MediaContent>)[block.type]!;

function toLink({ url, caption = [] }: MediaContent): ElementContent[] {
  const words = toInline(caption);
  if (url === undefined || !isPublic(url)) return words;
  return [createElement('a', words.length > 0 ? words : [createText(url)], { href: url })];
}

const toParagraph = (text: readonly ElementContent[]): ElementContent[] =>
  text.length === 0 ? [] : [createElement('p', text)];

/** Struck text is no longer valid, as in HTML. */
const toInline = (items: readonly RichTextItemResponse[]): ElementContent[] =>
  items
    .filter(({ annotations, plain_text: text }) => !annotations.strikethrough && text !== '')
    .map(toInlineItem);

function toInlineItem({ type, plain_text: text, annotations, href }: RichTextItemResponse): ElementContent {
  const isCode = annotations.code || type === 'equation';
  const lines = text
    .split('\n')
    .flatMap((line, at) => [...(at > 0 ? [createElement('br', [])] : []), createText(line)]);
  let element: ElementContent = isCode
    ? createElement('code', [createText(text)])
    : createElement('span', lines);
  if (annotations.bold) element = createElement('strong', [element]);
  if (annotations.italic) element = createElement('em', [element]);
  return href && isPublic(href) ? createElement('a', [element], { href }) : element;
}

/** Visitors cannot open pages of the workspace at Notion. */
function isPublic(url: string): boolean {
  const host = URL.parse(url)?.hostname;
  return host !== undefined && !/^(?:www\.|app\.)?notion\.(?:so|com)$/.test(host);
}
