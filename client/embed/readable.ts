/** Decides which parts of the page may be read: visible and not private. Visitors' input is never read. */

import {
  checkVisibility,
  closest,
  find,
  getAttribute,
  getFirstChild,
  getFirstElement,
  getNextNode,
  getRoot,
  getTextContent,
  isElement,
  isText,
  matches,
} from './dom.ts';
import { HOST_NAME } from './host-name.ts';

export const NOT_READ = [
  '[data-gp-private]',
  '[aria-hidden="true"]',
  '[hidden]',
  '[inert]',
  '[contenteditable]:not([contenteditable="false"])',
  HOST_NAME,
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'head',
].join();
/** Elements whose text is their value, not their name. */
const VALUE_ELEMENTS = 'textarea, select, datalist, option';
export const NOT_TEXT = `${NOT_READ},${VALUE_ELEMENTS}`;

const SECRET_AUTOCOMPLETE =
  /(^|\s)(cc-[\w-]+|one-time-code|current-password|new-password|transaction-(amount|currency))(\s|$)/i;
const SECRET_NAME = /passw|passcode|card.?(num|no\b)|cvc|cvv|csc\b|iban|\botp\b|one.?time|\bpin\b|\bssn\b/i;

export function isReadable(candidate: Element): boolean {
  if (isSecretField(candidate) || getVisiblePart(candidate) === undefined) return false;
  // A shadow tree is as private as its host.
  for (let part: Element | null = candidate; part; part = getHost(part))
    if (closest(part, NOT_READ) !== null) return false;
  return true;
}

function getHost(part: Element): Element | null {
  const root = getRoot(part);
  return root instanceof ShadowRoot ? root.host : null;
}

export const isVisible = (candidate: Element): boolean =>
  checkVisibility(candidate, { visibilityProperty: true, opacityProperty: true });

/** True for fields for passwords, payment and one-time codes, which are left out, including their names. */
export function isSecretField(candidate: Element): boolean {
  if (!matches(candidate, 'input, select, textarea')) return false;
  const { type, name, id } = candidate as HTMLInputElement;
  if (type === 'password' || type === 'hidden') return true;
  const autocomplete = getAttribute(candidate, 'autocomplete') ?? '';
  return SECRET_AUTOCOMPLETE.test(autocomplete) || SECRET_NAME.test(`${name} ${id}`);
}

/** Returns the element itself, or the label that is drawn instead of an invisible checkbox. */
export function getVisiblePart(candidate: Element): Element | undefined {
  if (isVisible(candidate)) return candidate;
  const { labels } = candidate as { labels?: NodeListOf<HTMLLabelElement> | null };
  return matches(candidate, '[type="checkbox"], [type="radio"], [type="file"]')
    ? [...(labels ?? [])].find(isVisible)
    : undefined;
}

/** Returns the readable text on one line, without the elements that `excluded` selects. */
export function getText(root: Element, charsMax: number, excluded = NOT_TEXT): string {
  if (getFirstElement(root) === null) return toOneLine(getTextContent(root) ?? '', charsMax);
  let text = '';
  const read = (parent: Element) => {
    // Read more than needed: whitespace is collapsed afterwards.
    for (let node = getFirstChild(parent); node && text.length < charsMax * 2; node = getNextNode(node))
      if (isText(node)) text += node.data;
      else if (isElement(node) && !matches(node, excluded)) read(node);
  };
  read(root);
  return toOneLine(text, charsMax);
}

/** Returns an approximation of the accessible name. */
export function getName(candidate: Element, charsMax: number): string {
  const labelledByText = (getAttribute(candidate, 'aria-labelledby') ?? '')
    .split(/\s+/)
    .map((id) => (id ? getTree(candidate).getElementById(id) : null))
    .map((label) => (label && closest(label, NOT_READ) === null ? getText(label, charsMax) : ''))
    .join(' ');
  const name =
    toOneLine(labelledByText, charsMax) ||
    toOneLine(getAttribute(candidate, 'aria-label') ?? '', charsMax) ||
    getLabel(candidate, charsMax) ||
    getText(candidate, charsMax) ||
    (find(candidate, 'img[alt]')?.getAttribute('alt') ?? '') ||
    (getAttribute(candidate, 'placeholder') ?? '') ||
    (getAttribute(candidate, 'title') ?? '');
  return toOneLine(name, charsMax);
}

/** Returns the tree in which ids are unique: the document or a shadow root. */
function getTree(part: Element): Document | ShadowRoot {
  const root = getRoot(part);
  return root instanceof ShadowRoot ? root : document;
}

function getLabel(candidate: Element, charsMax: number): string {
  if (candidate instanceof HTMLInputElement && ['button', 'submit', 'reset'].includes(candidate.type))
    return candidate.value;
  // Looking up labels searches the whole page, and buttons have none.
  if (!matches(candidate, 'input, select, textarea, meter, progress, output')) return '';
  const { labels } = candidate as { labels?: NodeListOf<HTMLLabelElement> | null };
  return [...(labels ?? [])].map((label) => getText(label, charsMax)).join(' ');
}

export function toOneLine(text: string, charsMax: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, charsMax);
}
