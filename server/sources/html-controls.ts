import {
  createElement,
  createText,
  type Element,
  findElement,
  getAttribute,
  getClasses,
  getWords,
  isElement,
  isTag,
  type Root,
  removeElements,
  replaceChildren,
  walkElements,
} from './html-tree.ts';

/** Finds what the controls of a page show: panels of tabs, accordions and toggles belong to its text though they are closed. */

/** Class names of what opens and closes, and of what it shows. */
const EXPANDING =
  /(?:^|[\s_-])(?:accordions?|collaps\w*|toggles?|expand\w*|tab-?(?:s|content|panes?|panels?)|faq|spoiler|disclosure|hidden-content)(?=$|[\s_-])/i;
const TARGETS = [
  'ariaControls',
  'dataTarget',
  'dataBsTarget',
  'dataAccordionTarget',
  'dataTab',
  'dataToggleTarget',
  'htmlFor',
];
const TOGGLES = ['dataToggle', 'dataBsToggle', 'ariaExpanded', 'onClick'];

const isControl = (element: Element) =>
  isTag(element, 'button', 'summary', 'label') ||
  /^(?:button|tab)$/.test(getAttribute(element, 'role') ?? '') ||
  TOGGLES.some((name) => getAttribute(element, name) !== undefined) ||
  (isTag(element, 'a') && EXPANDING.test(getClasses(element)));

/** Returns the ids of elements that controls show. */
export function findControlled(root: Root): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = (text: string) => {
    for (const id of text.split(/[\s,]+/)) if (id !== '') ids.add(id.replace(/^#/, ''));
  };
  for (const element of walkElements(root)) {
    for (const name of TARGETS) add(getAttribute(element, name) ?? '');
    if (!isControl(element)) continue;
    add(/^#.+/.exec(getAttribute(element, 'href') ?? '')?.[0] ?? '');
    for (const [, id] of (getAttribute(element, 'onClick') ?? '').matchAll(/["'`]#?([\w:.-]+)["'`]/g))
      ids.add(id!);
  }
  return ids;
}

/** Whether a closed element is one that readers can open. */
export function isExpandable(
  element: Element,
  before: Element | undefined,
  controlled: ReadonlySet<string>,
): boolean {
  if (getAttribute(element, 'hidden') === 'until-found' || getAttribute(element, 'role') === 'tabpanel')
    return true;
  if (controlled.has(getAttribute(element, 'id') ?? '')) return true;
  const name = `${getClasses(element)} ${getAttribute(element, 'id') ?? ''}`;
  if (EXPANDING.test(name)) return true;
  return (
    before !== undefined &&
    (isControl(before) || findElement(before, isControl) !== undefined) &&
    !/menu|nav|dropdown|modal|popup|dialog/i.test(name)
  );
}

/** Writes the names of tabs at the beginning of their panels, and the texts of buttons that open a part before it. */
export function nameControlled(root: Root): void {
  const panels = new Map<string, Element>();
  const tabs = new Map<string, Element>();
  for (const element of walkElements(root)) {
    const id = getAttribute(element, 'id');
    if (id !== undefined) panels.set(id, element);
    if (getAttribute(element, 'role') === 'tab' || isTabLink(element))
      tabs.set(getTarget(element) ?? `by ${id}`, element);
  }
  const named = new Set<Element>();
  const name = (panel: Element | undefined, tab: Element | undefined) => {
    const words = tab ? getWords(tab) : '';
    if (!panel || words === '' || named.has(panel) || isNamed(panel, words)) return;
    named.add(panel);
    panel.children.unshift(createElement('p', [createElement('strong', [createText(words)])]));
  };
  for (const [target, tab] of tabs) name(panels.get(target), tab);
  for (const panel of panels.values())
    if (getAttribute(panel, 'role') === 'tabpanel')
      name(panel, panels.get((getAttribute(panel, 'ariaLabelledBy') ?? '').split(/\s+/)[0]!));
  removeElements(root, (element) => isTag(element, 'ul', 'ol', 'div') && consistsOfTabs(element));
  replaceChildren(root, (element, parent) => {
    if (!isTag(element, 'button') || getWords(element) === '') return undefined;
    if (isElement(parent) && /^(?:h[1-6]|dt|summary)$/.test(parent.tagName)) return element.children;
    const target = panels.get(getTarget(element) ?? '');
    const opens = target
      ? isText(target)
      : getAttribute(element, 'ariaExpanded') !== undefined &&
        EXPANDING.test(`${getClasses(element)} ${isElement(parent) ? getClasses(parent) : ''}`);
    if (!opens || getAttribute(element, 'role') === 'tab') return undefined;
    return [createElement('p', [createElement('strong', [createText(getWords(element))])])];
  });
}

/** A list of tabs, whose names stand at their panels. */
function consistsOfTabs(element: Element): boolean {
  const tabs = [...walkElements(element)].filter(isTabLink);
  const squeeze = (text: string) => text.replace(/\s+/g, '');
  return tabs.length > 0 && squeeze(tabs.map(getWords).join('')) === squeeze(getWords(element));
}

const isTabLink = (element: Element) =>
  /^(?:tab|pill)$/.test(getAttribute(element, 'dataToggle') ?? getAttribute(element, 'dataBsToggle') ?? '');

const getTarget = (element: Element): string | undefined =>
  [...TARGETS.map((name) => getAttribute(element, name)), getAttribute(element, 'href')]
    .find((text) => text !== undefined && text !== '' && !/^https?:/.test(text))
    ?.split(/\s+/)[0]
    ?.replace(/^#/, '');

const isNamed = (panel: Element, words: string) => {
  const first = findElement(panel, (each) => /^(?:h[1-6]|strong|b|summary|p)$/.test(each.tagName));
  return first !== undefined && getWords(first) === words;
};

/** Menus and dialogs are no text of the page. */
const isText = (target: Element) =>
  !isTag(target, 'nav', 'dialog', 'form') &&
  !/^(?:menu|dialog|navigation|search|listbox)$/.test(getAttribute(target, 'role') ?? '') &&
  !/menu|nav|dropdown|modal|popup|search|sidebar/i.test(
    `${getClasses(target)} ${getAttribute(target, 'id') ?? ''}`,
  );
