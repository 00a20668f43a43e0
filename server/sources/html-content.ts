import { findControlled, isExpandable, nameControlled } from './html-controls.ts';
import { removeExportParts } from './html-exports.ts';
import {
  type Element,
  findElement,
  getAttribute,
  getClasses,
  getText,
  getWords,
  hasElement,
  isElement,
  isTag,
  type Root,
  removeElements,
  walkElements,
} from './html-tree.ts';

/** Finds the main content of a page: the element that its markup names, else the one that contains most of the text. */

const NOT_TEXT = new Set(
  'head script style noscript template iframe object embed svg canvas video audio map dialog nav button input select textarea datalist progress meter del s strike rt rp link meta base'.split(
    ' ',
  ),
);
const BOILERPLATE_ROLES = new Set(
  'navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar tablist'.split(
    ' ',
  ),
);
/** Class names and ids that sites use for what surrounds the text. */
const BOILERPLATE_NAME =
  /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|breadcrumbs?|pagination|pager|toc|table-of-contents|on-this-page|sidebar|skip-?(?:link|nav|to-content|to-main)|sr-only|visually-hidden|screen-reader-text|social(?:-share)?|share-(?:buttons?|links?)|newsletter|edit-?(?:this-?)?page|edit-link|prev-next|site-(?:header|footer|nav)|copy-?(?:button|btn))(?=$|[\s_-])/i;
/** Class names and ids of asides that belong to the text if they are inside the main content. */
const REMARK =
  /(?:^|[\s_-])(?:note|tip|hint|info|important|warn(?:ing)?|caution|danger|attention|admonition|callout|remark)/i;
const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;
/** Attributes by which pages keep a part out of search results and quotes. */
const UNSEARCHED = ['dataPagefindIgnore', 'dataNosnippet'];

/** Removes scripts, hidden elements, and boilerplate: navigation and the like around the content. */
export function removeBoilerplate(root: Root): void {
  const controlled = findControlled(root);
  nameControlled(root);
  removeExportParts(root);
  removeElements(root, (element, ancestors, before) => {
    if (ancestors.some((ancestor) => isTag(ancestor, 'pre', 'code'))) return isTag(element, 'button', 'svg');
    if (NOT_TEXT.has(element.tagName)) return true;
    if (isHidden(element, before, controlled)) return true;
    return isBoilerplate(element, ancestors) && !holdsContent(element);
  });
}

/** Removes scripts and hidden elements from a text that has no page around it. */
export function removeHidden(root: Root): void {
  const controlled = findControlled(root);
  nameControlled(root);
  removeElements(root, (element, ancestors, before) => {
    if (ancestors.some((ancestor) => isTag(ancestor, 'pre', 'code'))) return false;
    return NOT_TEXT.has(element.tagName) || isHidden(element, before, controlled);
  });
}

/** Shorter text that screen readers skip is an icon or a sign. */
const CLOSED_CHARS_MIN = 20;

type Controlled = ReadonlySet<string>;

function isHidden(element: Element, before: Element | undefined, controlled: Controlled): boolean {
  if (UNSEARCHED.some((name) => getAttribute(element, name) !== undefined)) return true;
  const isSilent = getAttribute(element, 'ariaHidden') === 'true';
  if (isSilent && getWords(element).length < CLOSED_CHARS_MIN) return true;
  const isClosed =
    isSilent ||
    getAttribute(element, 'hidden') !== undefined ||
    HIDDEN_STYLE.test(getAttribute(element, 'style') ?? '');
  return isClosed && !isExpandable(element, before, controlled);
}

function isBoilerplate(element: Element, ancestors: readonly Element[]): boolean {
  const role = getAttribute(element, 'role');
  const name = `${getClasses(element)} ${getAttribute(element, 'id') ?? ''}`;
  if (isTag(element, 'aside') || role === 'complementary') return !(isInside(ancestors) && REMARK.test(name));
  if (role !== undefined && BOILERPLATE_ROLES.has(role)) return true;
  if (isTag(element, 'footer')) return true;
  if (isTag(element, 'header')) return !isInside(ancestors);
  return !isTag(element, 'html', 'body', 'main', 'article') && BOILERPLATE_NAME.test(name);
}

const isInside = (ancestors: readonly Element[]) =>
  ancestors.some(
    (ancestor) => isTag(ancestor, 'main', 'article') || getAttribute(ancestor, 'role') === 'main',
  );

const holdsContent = (element: Element) =>
  hasElement(element, 'main', 'article') || (!isTag(element, 'nav', 'aside') && hasElement(element, 'h1'));

/** An article that holds most of the main element's text is the content; its siblings are not. */
const ARTICLE_SHARE_MIN = 0.6;

const measureText = (node: Root | Element) => getText(node).replace(/\s+/g, ' ').length;

/**
 * Selects the main content of a page without its boilerplate: the element that the markup names as such, or
 * the smallest one that contains nearly all text outside of links. Extractors that score paragraphs, as
 * browsers' reading views do, drop short sections, tables and lists of help pages.
 */
export function selectContent(root: Root): Root | Element {
  const main = findLargest(
    root,
    (element) => isTag(element, 'main') || getAttribute(element, 'role') === 'main',
  );
  if (main && measureText(main) > 1) return selectArticle(main) ?? main;
  const article = selectArticle(root);
  if (article) return article;
  const body = findElement(root, (element) => isTag(element, 'body')) ?? root;
  removeElements(body, isMenu);
  return narrowToContent(body);
}

/** If no element names the content, an element with this many links and little other text is a menu. */
const MENU_LINKS_MIN = 4;
const MENU_SHARE_MAX = 0.2;

function isMenu(element: Element): boolean {
  if (!isTag(element, 'div', 'ul', 'ol', 'table', 'section')) return false;
  if (hasElement(element, 'h1', 'p', 'pre', 'dl')) return false;
  const links = [...walkElements(element)].filter((each) => isTag(each, 'a'));
  return (
    links.length >= MENU_LINKS_MIN && measureOutsideLinks(element) < MENU_SHARE_MAX * measureText(element)
  );
}

const TEXT_SHARE_MIN = 0.85;
const WRAPPERS = ['div', 'section', 'form', 'center', 'table', 'tbody', 'tr', 'td'];

function narrowToContent(body: Root | Element): Root | Element {
  let content = body;
  const textMin = TEXT_SHARE_MIN * measureOutsideLinks(body);
  for (;;) {
    const next = content.children.find(
      (child) => isElement(child) && isTag(child, ...WRAPPERS) && measureOutsideLinks(child) >= textMin,
    ) as Element | undefined;
    if (!next) return content;
    content = next;
  }
}

function measureOutsideLinks(node: Root | Element): number {
  let length = 0;
  for (const child of node.children) {
    if (child.type === 'text') length += child.value.replace(/\s+/g, ' ').length;
    else if (isElement(child) && !isTag(child, 'a')) length += measureOutsideLinks(child);
  }
  return length;
}

function selectArticle(node: Root | Element): Element | undefined {
  const article = findLargest(node, (element) => isTag(element, 'article'));
  return article && measureText(article) >= ARTICLE_SHARE_MIN * measureText(node) ? article : undefined;
}

function findLargest(node: Root | Element, matches: (element: Element) => boolean): Element | undefined {
  let largest: { element: Element; size: number } | undefined;
  for (const element of walkElements(node)) {
    if (!matches(element)) continue;
    const size = measureText(element);
    if (!largest || size > largest.size) largest = { element, size };
  }
  return largest?.element;
}
