import { toMdast } from 'hast-util-to-mdast';
import type { Link } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { resolveUrl } from './html-head.ts';
import {
  createElement,
  createText,
  type Element,
  type ElementContent,
  findElement,
  getAttribute,
  getClasses,
  getText,
  getWords,
  hasElement,
  isElement,
  isTag,
  type Nodes,
  type Root,
  removeElements,
  replaceChildren,
  walkElements,
} from './html-tree.ts';
import { formatRaised, type Place } from './raised-text.ts';

/**
 * Converts HTML to the Markdown of articles with the libraries that the dashboard's editor uses for
 * pasted content: they keep nested lists, tables and code, and work on a tree, so that the rules here
 * need no text replacements.
 */

/**
 * @param base base URL of relative links
 * @param page address of the page; headings then link to themselves, which gives citations their anchors
 */
export function toArticleMarkdown(
  content: Root | Element,
  base: string | undefined,
  page: string | undefined,
): string {
  const root: Root = { type: 'root', children: [structuredClone(content) as Element] };
  if (content.type === 'root') root.children = (structuredClone(content) as Root).children;
  replaceChildren(root, replaceCode);
  writeRaised(root);
  linkHeadings(root, page);
  replaceChildren(root, (element, parent) => replaceElement(element, parent, base));
  const tree = toMdast(root, { document: true });
  return toMarkdown(tree as Parameters<typeof toMarkdown>[0], OPTIONS)
    .replaceAll('\u00a0', ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const LANGUAGE =
  /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-|text-)?|brush:\s*|sourceCode\s+)([\w+#.-]+)/i;
const NO_LANGUAGE = /^(?:none|text|txt|plain|plaintext|default|notranslate|console-output)$/i;
const LINE_NUMBERS =
  /(?:^|[\s_-])(?:linenos?|line-?numbers?|lnt|gutter|hljs-ln-numbers|linenodiv)(?=$|[\s_-])/i;

/** Replaces a code block by plain text with its language, however it is highlighted and numbered. */
function replaceCode(element: Element): readonly ElementContent[] | undefined {
  if (isTag(element, 'table')) {
    const hasLineNumbers = LINE_NUMBERS.test([...walkElements(element)].map(getClasses).join(' '));
    const codes = [...walkElements(element)].filter((each) => isTag(each, 'pre'));
    return hasLineNumbers && codes.length > 0 ? codes.slice(-1) : undefined;
  }
  if (!isTag(element, 'pre')) return copyLanguageToCode(element);
  removeElements(element, (each) => LINE_NUMBERS.test(getClasses(each)));
  const language = readLanguage(element) ?? [...walkElements(element)].map(readLanguage).find(Boolean);
  const text = getCodeText(element).replace(/^\n+|\s+$/g, '');
  return text === '' ? [] : [createCode(text, language)];
}

/** Copies the language to the code from an element around it, where some highlighters name it. */
function copyLanguageToCode(element: Element): undefined {
  const language = isTag(element, 'div', 'figure') ? readLanguage(element) : undefined;
  const code =
    language &&
    findElement(element, (each) => isTag(each, 'code') && each.properties.className === undefined);
  if (code && getWords(element) === getWords(code)) code.properties = { className: [`language-${language}`] };
  return undefined;
}

const createCode = (text: string, language: string | undefined) =>
  createElement('pre', [
    createElement('code', [createText(`${text}\n`)], language ? { className: [`language-${language}`] } : {}),
  ]);

function readLanguage(element: Element): string | undefined {
  const declaredLanguage = getAttribute(element, 'dataLang') ?? getAttribute(element, 'dataLanguage');
  const language = declaredLanguage ?? LANGUAGE.exec(getClasses(element))?.[1];
  return language && !NO_LANGUAGE.test(language) ? language.toLowerCase() : undefined;
}

/** Returns code with line breaks; some highlighters use an element for each line instead. */
function getCodeText(node: ElementContent): string {
  if (!isElement(node)) return getText(node);
  if (isTag(node, 'br')) return '\n';
  const text = node.children.map(getCodeText).join('');
  return isTag(node, 'div', 'li', 'tr') && !text.endsWith('\n') ? `${text}\n` : text;
}

const isHeading = (element: Element) => /^h[1-6]$/.test(element.tagName);

/** Replaces the content of headings by plain text that links to the heading. */
function linkHeadings(root: Root, page: string | undefined): void {
  const visit = (node: Root | Element, section: string | undefined) => {
    let id = section;
    for (const child of node.children) {
      if (!isElement(child)) continue;
      if (isHeading(child)) {
        linkHeading(child, page, id);
        id = undefined;
      } else if (isTag(child, 'a') && getWords(child) === '') id = getAnchor(child);
      else visit(child, isTag(child, 'section', 'div') ? getAttribute(child, 'id') : undefined);
    }
  };
  visit(root, undefined);
}

const getAnchor = (element: Element) => getAttribute(element, 'id') ?? getAttribute(element, 'name');
const WORD = /[\p{L}\p{N}]/u;

function linkHeading(heading: Element, page: string | undefined, section: string | undefined): void {
  const links = [...walkElements(heading)].filter((each) => isTag(each, 'a'));
  const permalink = links.map((link) => getAttribute(link, 'href') ?? '').find((href) => /^#./.test(href));
  const id =
    getAttribute(heading, 'id') ?? links.map(getAnchor).find(Boolean) ?? permalink?.slice(1) ?? section;
  removeElements(heading, (each) => isTag(each, 'a') && !WORD.test(getText(each)));
  const words = getWords(heading).replace(/[[\]]/g, (bracket) => (bracket === '[' ? '(' : ')'));
  const text = createText(words.replace(/\s*[#¶§🔗]+$/u, ''));
  heading.children =
    page && id
      ? [createElement('a', [text], { href: `${page}#${encodeFragment(id)}`, dataAnchor: true })]
      : [text];
}

const encodeFragment = (id: string) => {
  const decoded = decodeText(id);
  return encodeURIComponent(decoded).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
};

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function replaceElement(
  element: Element,
  parent: Root | Element,
  base: string | undefined,
): readonly ElementContent[] | undefined {
  const { tagName, children } = element;
  if (isHeading(element)) return getWords(element) === '' ? [] : undefined;
  switch (tagName) {
    case 'hr':
      return [];
    case 'img':
    case 'picture':
      return replaceImage(element, parent);
    case 'a':
      return replaceLink(element, base);
    case 'table':
      return replaceTable(element);
    case 'dt':
    case 'summary':
      return replaceTerm(element);
    case 'ol':
      return numberItems(element);
    case 'dl':
    case 'dd':
    case 'details':
    case 'figure':
      return [createElement('div', children)];
    case 'figcaption':
      return [createElement('p', children)];
    default:
      return undefined;
  }
}

/** Writes raised and lowered text with letters that keep its meaning, and leaves out marks of footnotes. */
export function writeRaised(root: Root): void {
  removeElements(root, isLinkedFootnote);
  replaceChildren(root, (element, parent) =>
    isTag(element, 'sup', 'sub') ? replaceRaised(element, parent) : undefined,
  );
}

function replaceRaised(element: Element, parent: Root | Element): readonly ElementContent[] {
  const at = (parent.children as Nodes[]).indexOf(element);
  const before = parent.children
    .slice(0, at)
    .map((child) => getText(child as Nodes))
    .join('');
  const place = element.tagName as Place;
  const words = getWords(element);
  // The first words of a part stand behind others that this part does not contain.
  return [createText(formatRaised(words, place, before === '' && place === 'sup' ? 'x1' : before))];
}

/** Whether raised text leads to a footnote. */
const isLinkedFootnote = (element: Element) => isTag(element, 'sup') && hasElement(element, 'a');

/** Splits a list where its items state other numbers than the next ones; items with a label of their own get no number. */
function numberItems(list: Element): readonly ElementContent[] {
  const lists: Element[] = [];
  let next = Number(getAttribute(list, 'start') ?? 1);
  for (const item of list.children) {
    if (!isTag(item, 'li')) continue;
    const value = Number(getAttribute(item as Element, 'value') ?? next);
    const isLabelled = getAttribute(item as Element, 'dataLabel') !== undefined;
    const last = lists.at(-1);
    if (last && isLabelled === isTag(last, 'ul') && (isLabelled || value === next)) last.children.push(item);
    else lists.push(isLabelled ? createElement('ul', [item]) : createElement('ol', [item], { start: value }));
    next = value + 1;
  }
  return lists;
}

/** Replaces a term, or a question that toggles its answer, by a bold line, which articles treat as a heading. */
function replaceTerm(element: Element): readonly ElementContent[] {
  if (findElement(element, isHeading)) return element.children;
  const words = getWords(element);
  return words === '' ? [] : [createElement('p', [createElement('strong', [createText(words)])])];
}

const ALT_CHARS_MAX = 60;

/** Replaces a picture in a sentence by its description; drops others, as answers show no pictures of other sites. */
function replaceImage(element: Element, parent: Root | Element): readonly ElementContent[] {
  const image = isTag(element, 'img') ? element : findElement(element, (each) => isTag(each, 'img'));
  const alt = (image && getAttribute(image, 'alt')?.trim()) ?? '';
  const isInSentence =
    isElement(parent) &&
    !isTag(parent, 'body', 'main', 'article', 'section', 'div', 'figure') &&
    WORD.test(getText(parent));
  return isInSentence && alt !== '' && alt.length <= ALT_CHARS_MAX ? [createText(alt)] : [];
}

/** Links to web and mail addresses are kept; others become plain text. */
function replaceLink(element: Element, base: string | undefined): readonly ElementContent[] | undefined {
  const href = getAttribute(element, 'href')?.trim() ?? '';
  const words = getWords(element);
  if (words === '') return element.children.filter((child) => !isElement(child) || WORD.test(getText(child)));
  // Headings may link to the article itself; links to it elsewhere become plain text.
  if (getAttribute(element, 'dataAnchor') === undefined && href.startsWith('#')) return element.children;
  const url = /^mailto:/i.test(href) ? href : resolveUrl(href, base);
  if (url === undefined || hasElement(element, 'p', 'div', 'ul', 'ol', 'table', 'pre'))
    return element.children;
  const address = url.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
  element.properties = { href: address };
  return undefined;
}

const BLOCKS = ['table', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote'];

/** Replaces layout tables by the content of their cells. Gives other tables a header row, which Markdown requires. */
function replaceTable(table: Element): readonly ElementContent[] {
  const rows = [...walkElements(table)].filter((each) => isTag(each, 'tr'));
  const cells = rows.map((row) => row.children.filter((cell) => isTag(cell, 'td', 'th')) as Element[]);
  const isLayout =
    /^(?:presentation|none)$/.test(getAttribute(table, 'role') ?? '') ||
    cells.every((row) => row.length < 2) ||
    cells.flat().some((cell) => hasElement(cell, ...BLOCKS));
  if (isLayout) return cells.flat().map((cell) => createElement('div', cell.children));
  cells.flat().forEach((cell) => {
    cell.children = flattenCell(cell);
  });
  cells[0]?.forEach((cell) => {
    cell.tagName = 'th';
  });
  const caption = findElement(table, (each) => isTag(each, 'caption'));
  removeElements(table, (each) => isTag(each, 'caption', 'colgroup'));
  const captionParts = caption && getWords(caption) !== '' ? [createElement('p', caption.children)] : [];
  return [...captionParts, table];
}

/** Flattens a cell to one line, as Markdown tables require. */
function flattenCell(cell: Element): ElementContent[] {
  const parts: ElementContent[] = [];
  const add = (children: readonly ElementContent[]) => {
    for (const child of children) {
      if (!isElement(child)) parts.push(child);
      else if (isTag(child, 'br')) parts.push(createText(' '));
      else if (isTag(child, 'p', 'div', 'ul', 'ol', 'li', 'section')) {
        add(child.children);
        parts.push(createText(isTag(child, 'li') ? '; ' : ' '));
      } else parts.push(child);
    }
  };
  add(cell.children);
  while (parts.length > 0 && /^[\s;]*$/.test(getText(parts.at(-1)!)) && !isElement(parts.at(-1)!))
    parts.pop();
  return parts;
}

/** Text that looks like a tag would be parsed as one. */
const TAG = /<\/?[a-z!][^<>\n]*>/gi;

/**
 * Writes text without escapes, because articles support only some Markdown and no escapes:
 * `snake_case`, not `snake\_case`.
 */
const OPTIONS: Options = {
  bullet: '-',
  emphasis: '*',
  rule: '-',
  listItemIndent: 'one',
  resourceLink: true,
  fences: true,
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
  handlers: {
    text(node: { value: string }, _parent, state) {
      const text = node.value.replace(TAG, (tag) => `\`${tag}\``);
      if (state.stack.includes('tableCell')) return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
      return state.stack.includes('label') ? text.replace(/[[\]]/g, '') : text;
    },
    strong: (node, _parent, state, info) => addEmphasis('**', state.containerPhrasing(node, info)),
    emphasis: (node, _parent, state, info) => addEmphasis('*', state.containerPhrasing(node, info)),
    break: (_node, _parent, state) => (state.stack.includes('tableCell') ? ' ' : '\n'),
    image: (node: { alt?: string | null }) => node.alt ?? '',
    link(node: Link, _parent, state, info) {
      const exit = state.enter('label');
      const text = state.containerPhrasing(node, { ...info, before: '[', after: ']' });
      exit();
      return `[${text}](${node.url.replaceAll(' ', '%20')})`;
    },
  },
};

/** Adds emphasis markers, which must touch the words that they mark. */
function addEmphasis(sign: string, text: string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return words === '' || words.includes(sign) ? text : `${before}${sign}${words}${sign}${after}`;
}
