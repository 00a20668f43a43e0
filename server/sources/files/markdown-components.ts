import {
  createElement,
  createText,
  type Element,
  type ElementContent,
  getAttribute,
  isElement,
  isTag,
  type Root,
  replaceChildren,
} from '../html-tree.ts';

/** Turns components of documentation tools into HTML: what they show as text stays, the rest is dropped. */

const PREFIX = 'gp-';
const STEP = `${PREFIX}step`;

/** Components that visitors of the tool's own site do not see, or that show no text. */
const DROPPED =
  /^(?:head|seo|meta|script|style|icon|fa|image|img|video|iframe|youtube|comment|todo|draft|hidden|private|internal|editornote|doccardlist|tableofcontents|toc|snippet|include|prompt)$|icon$|^(?:theme)?image$/;
const QUOTES =
  /^(?:aside|note|tip|info|warning|caution|danger|check|success|error|important|callout|admonition|alert|hint|banner|highlight)$/;
const FOLDS =
  /^(?:accordion|expandable|details|collapse|collapsible|disclosure|faq|faqitem|accordionitem|toggle)$/;
const TABS = /^(?:tabs|tabgroup|codegroup|codetabs|packagemanagertabs)$/;

const TITLES = ['title', 'label', 'heading', 'header', 'question', 'summary', 'term'];
const TEXTS = ['description', 'text', 'content', 'caption', 'answer', 'message', 'body', 'desc', 'subtitle'];
/** Components that describe a field, whose name is a prop. */
const FIELD_NAMES = ['name', 'path', 'query', 'body', 'header', 'cookie'];

export function replaceComponents(root: Root): void {
  replaceChildren(root, (element) =>
    isTag(element, 'p') && holdsComponents(element) ? element.children : undefined,
  );
  nameTabs(root);
  replaceChildren(root, (element, parent) =>
    element.tagName.startsWith(PREFIX) ? replaceComponent(element, parent) : undefined,
  );
  // Steps that stand outside of a list.
  replaceChildren(root, (element) => (element.tagName === STEP ? element.children : undefined));
}

/** Whether a paragraph consists of components with content: MDX makes one of components on a line. */
const holdsComponents = ({ children }: Element) =>
  children.some((child) => isElement(child) && child.children.length > 0) &&
  children.every((child) =>
    isElement(child) ? child.tagName.startsWith(PREFIX) : child.type === 'text' && child.value.trim() === '',
  );

/** Gives tabs the names that their group lists: `<Tabs items={['npm', 'pnpm']}>`. */
function nameTabs(node: Root | Element): void {
  for (const child of node.children) {
    if (!isElement(child)) continue;
    const names = getAttribute(child, 'items') ?? getAttribute(child, 'values');
    const tabs = child.children.filter(
      (each) => isElement(each) && each.tagName.startsWith(PREFIX),
    ) as Element[];
    if (names && tabs.length > 0)
      names.split('\u001f').forEach((name, at) => {
        const tab = tabs[at];
        if (tab && !TITLES.some((title) => getAttribute(tab, title))) tab.properties.title = name;
      });
    nameTabs(child);
  }
}

function getProp(element: Element, names: readonly string[]): string {
  for (const name of names) {
    const text = (getAttribute(element, name) ?? '').replaceAll('\u001f', ', ').trim();
    if (text !== '' && text !== 'true' && text !== 'false') return text;
  }
  return '';
}

const isInline = (children: readonly ElementContent[]) =>
  children.every(
    (child) =>
      !isElement(child) ||
      isTag(child, 'a', 'em', 'strong', 'code', 'span', 'br', 'kbd', 'sup', 'sub', 'b', 'i', 'img'),
  );

const TEXT_HOLDERS = /^(?:p|span|a|li|td|th|strong|em|h[1-6])$/;

/** Whether the children of an element are words in a line. */
const holdsText = (element: Root | Element) => 'tagName' in element && TEXT_HOLDERS.test(element.tagName);

function replaceComponent(element: Element, parent: Root | Element): readonly ElementContent[] {
  const name = element.tagName.slice(PREFIX.length);
  const last = name.slice(name.lastIndexOf('-') + 1);
  if (DROPPED.test(last) || /^(?:agents?|bots?|llms?)$/i.test(getAttribute(element, 'for') ?? '')) return [];
  const isField = /(?:field|param|parameter|property)$/.test(last);
  const title =
    (isField && getProp(element, FIELD_NAMES)) ||
    getProp(element, TITLES) ||
    (last === 'tabitem' ? getProp(element, ['value']) : '');
  const text = getProp(element, TEXTS);
  if (holdsText(parent) && isInline(element.children))
    return element.children.length > 0 ? element.children : [title || text].filter(Boolean).map(createText);
  if (last === 'steps') return replaceSteps(element);
  const body = toBlocks([...(text ? [createElement('p', [createText(text)])] : []), ...element.children]);
  const heading = title ? [createElement('p', [createElement('strong', [createText(title)])])] : [];
  if (last === 'step') return [createElement(STEP, [...heading, ...body])];
  if (FOLDS.test(last) && title)
    return [createElement('details', [createElement('summary', [createText(title)]), ...body])];
  if (QUOTES.test(last) && (title || body.length > 0))
    return [createElement('blockquote', [...heading, ...body])];
  if (TABS.test(last)) return body;
  return [...heading, ...body];
}

/** Steps become a numbered list; steps that are headings or a list already stay as they are. */
function replaceSteps(element: Element): readonly ElementContent[] {
  const steps = element.children.filter((child) => isTag(child, STEP)) as Element[];
  if (steps.length === 0) return element.children;
  const items = steps.map((step) => {
    for (const heading of step.children)
      if (isElement(heading) && /^h[1-6]$/.test(heading.tagName)) {
        heading.tagName = 'p';
        heading.children = [createElement('strong', heading.children)];
      }
    return createElement('li', step.children);
  });
  return [createElement('ol', items)];
}

/** Puts loose text into paragraphs. */
function toBlocks(children: readonly ElementContent[]): ElementContent[] {
  const blocks: ElementContent[] = [];
  let words: ElementContent[] = [];
  const finish = () => {
    if (words.some((word) => isElement(word) || (word.type === 'text' && word.value.trim() !== '')))
      blocks.push(createElement('p', words));
    words = [];
  };
  for (const child of children) {
    if (isInline([child])) words.push(child);
    else {
      finish();
      blocks.push(child);
    }
  }
  finish();
  return blocks;
}
