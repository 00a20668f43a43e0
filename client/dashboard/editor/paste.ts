import type { Root } from 'hast';
import { fromDom } from 'hast-util-from-dom';
import { toMdast } from 'hast-util-to-mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { toMarkdown } from 'mdast-util-to-markdown';

/** Converts HTML from the clipboard (Word, Google Docs, browsers) to Markdown. Loaded on the first such paste. */

/** Elements without text of the article. */
const NOT_TEXT =
  'script, style, meta, link, title, template, noscript, iframe, object, svg, form, input, button, img, o\\:p';

/** Renames style attributes: the content security policy would report them, even in an inert document. */
const toInert = (html: string) =>
  html.replace(/<style[\s\S]*?<\/style>/gi, '').replace(/\sstyle=/gi, ' data-style=');

/** Returns the Markdown, empty if there is no text. `images` counts the images that were left out. */
export function toPastedMarkdown(html: string): { markdown: string; images: number } {
  // A parsed document runs no scripts and loads nothing.
  const { body } = new DOMParser().parseFromString(toInert(html), 'text/html');
  const images = body.querySelectorAll('img').length;
  for (const each of body.querySelectorAll(NOT_TEXT)) each.remove();
  removeComments(body);
  readWordLists(body);
  readGoogleDocs(body);
  nameColumns(body);
  dropUnsafeLinks(body);
  const tree = toMdast(fromDom(body) as Root, { document: true });
  const markdown = toMarkdown(tree as Parameters<typeof toMarkdown>[0], {
    bullet: '-',
    emphasis: '*',
    rule: '-',
    listItemIndent: 'one',
    extensions: [gfmTableToMarkdown()],
  });
  return { markdown: markdown.replaceAll('\u00a0', ' ').trim(), images };
}

function removeComments(body: HTMLElement): void {
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_COMMENT);
  const comments: Node[] = [];
  while (walker.nextNode()) comments.push(walker.currentNode);
  for (const comment of comments) comment.parentNode?.removeChild(comment);
}

const WORD_LIST = /mso-list:\s*l(\d+)\s+level(\d+)/;

/** Restores lists from Word, whose items are paragraphs with a level and a drawn bullet or number. */
function readWordLists(body: HTMLElement): void {
  const open: { list: HTMLElement; level: number }[] = [];
  let last: Element | undefined;
  for (const paragraph of body.querySelectorAll<HTMLElement>('p[data-style*="mso-list"]')) {
    const level = Number(WORD_LIST.exec(paragraph.getAttribute('data-style') ?? '')?.[2] ?? 1);
    if (paragraph.previousElementSibling !== last) open.length = 0;
    while (open.length > 0 && open.at(-1)!.level > level) open.pop();
    const marker = takeDrawnMarker(paragraph);
    if (open.length === 0 || open.at(-1)!.level < level) {
      const list = document.createElement(/^[\da-z]+[.)]/i.test(marker) ? 'ol' : 'ul');
      const parent = open.at(-1)?.list.lastElementChild;
      if (parent) parent.append(list);
      else paragraph.before(list);
      open.push({ list, level });
    }
    const item = document.createElement('li');
    item.append(...paragraph.childNodes);
    open.at(-1)!.list.append(item);
    paragraph.remove();
    last = open[0]!.list;
  }
}

function takeDrawnMarker(paragraph: HTMLElement): string {
  const drawn = [...paragraph.querySelectorAll('span')].find((span) =>
    /mso-list:\s*ignore/i.test(span.getAttribute('data-style') ?? ''),
  );
  drawn?.remove();
  return (drawn?.textContent ?? '').trim();
}

/** Handles Google Docs, which wraps the text in a `b` element with a normal weight and marks bold text by styles. */
function readGoogleDocs(body: HTMLElement): void {
  for (const wrapper of body.querySelectorAll('b, strong'))
    if (readStyle(wrapper, 'font-weight') === 'normal') wrapper.replaceWith(...wrapper.childNodes);
  for (const item of body.querySelectorAll('li > p[role="presentation"]'))
    item.replaceWith(...item.childNodes);
  for (const span of body.querySelectorAll<HTMLElement>('span[data-style]')) {
    if (span.closest('h1, h2, h3, h4, h5, h6') || !/\S/.test(span.textContent ?? '')) continue;
    const weight = readStyle(span, 'font-weight');
    if (Number(weight) >= 600 || weight === 'bold') wrap(span, 'strong');
    if (readStyle(span, 'font-style') === 'italic') wrap(span, 'em');
  }
}

function readStyle(element: Element, property: string): string | undefined {
  const rules = (element.getAttribute('data-style') ?? '').split(';').map((rule) => rule.split(':'));
  return rules.find(([name]) => name?.trim().toLowerCase() === property)?.[1]?.trim();
}

/** Makes the first row of a table its headings if it has none, because Markdown requires headings. */
function nameColumns(body: HTMLElement): void {
  for (const table of body.querySelectorAll('table')) {
    if (table.querySelector('th')) continue;
    for (const cell of table.querySelectorAll('tr')[0]?.querySelectorAll('td') ?? []) {
      const heading = document.createElement('th');
      heading.append(...cell.childNodes);
      cell.replaceWith(heading);
    }
  }
}

function wrap(span: HTMLElement, name: 'strong' | 'em'): void {
  const wrapper = document.createElement(name);
  wrapper.append(...span.childNodes);
  span.append(wrapper);
}

/** Keeps only links that an article may contain; others are replaced by their text. */
function dropUnsafeLinks(body: HTMLElement): void {
  for (const link of body.querySelectorAll('a'))
    if (!/^(?:https?|mailto):/i.test(link.getAttribute('href') ?? '')) link.replaceWith(...link.childNodes);
}
