/** What of the page may be read: visible things that are not private. What visitors typed is never read. */

export const HOST_NAME = 'guidepost-guide';

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
/** Their text is not their name: it is what they hold. */
const HOLDS_VALUES = 'textarea, select, datalist, option';
export const UNSAID = `${NOT_READ},${HOLDS_VALUES}`;

const SECRET_AUTOCOMPLETE =
  /(^|\s)(cc-[\w-]+|one-time-code|current-password|new-password|transaction-(amount|currency))(\s|$)/i;
const SECRET_NAME = /passw|passcode|card.?(num|no\b)|cvc|cvv|csc\b|iban|\botp\b|one.?time|\bpin\b|\bssn\b/i;

export function isReadable(candidate: Element): boolean {
  if (isSecretField(candidate) || shownAs(candidate) === undefined) return false;
  // What stands in a shadow tree is as private as what that stands in.
  for (let part: Element | null = candidate; part; part = hostOf(part))
    if (part.closest(NOT_READ) !== null) return false;
  return true;
}

function hostOf(part: Element): Element | null {
  const root = part.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

export function isVisible(candidate: Element): boolean {
  if (typeof candidate.checkVisibility === 'function')
    return candidate.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return candidate.getClientRects().length > 0;
}

/** Fields for passwords, payment and one-time codes are left out altogether, name and all. */
export function isSecretField(candidate: Element): boolean {
  if (!candidate.matches('input, select, textarea')) return false;
  const { type, name, id } = candidate as HTMLInputElement;
  if (type === 'password' || type === 'hidden') return true;
  const autocomplete = candidate.getAttribute('autocomplete') ?? '';
  return SECRET_AUTOCOMPLETE.test(autocomplete) || SECRET_NAME.test(`${name} ${id}`);
}

/** What visitors see of it: many a checkbox is invisible itself, and drawn by its label. */
export function shownAs(candidate: Element): Element | undefined {
  if (isVisible(candidate)) return candidate;
  const { labels } = candidate as { labels?: NodeListOf<HTMLLabelElement> | null };
  return candidate.matches('[type="checkbox"], [type="radio"], [type="file"]')
    ? Array.from(labels ?? []).find(isVisible)
    : undefined;
}

/** The readable text inside, on one line; without what `unsaid` selects. */
export function textOf(root: Element, charsMax: number, unsaid = UNSAID): string {
  if (root.firstElementChild === null) return oneLine(root.textContent ?? '', charsMax);
  let text = '';
  const read = (parent: Element) => {
    // Some slack, since line breaks and indentation fold into single spaces.
    for (let node = parent.firstChild; node && text.length < charsMax * 2; node = node.nextSibling)
      if (node instanceof Text) text += node.data;
      else if (node instanceof Element && !node.matches(unsaid)) read(node);
  };
  read(root);
  return oneLine(text, charsMax);
}

/** Close enough to the accessible name to be recognised by it. */
export function nameOf(candidate: Element, charsMax: number): string {
  const named = (candidate.getAttribute('aria-labelledby') ?? '')
    .split(/\s+/)
    .map((id) => (id ? treeOf(candidate).getElementById(id) : null))
    .map((label) => (label && label.closest(NOT_READ) === null ? textOf(label, charsMax) : ''))
    .join(' ');
  const name =
    oneLine(named, charsMax) ||
    oneLine(candidate.getAttribute('aria-label') ?? '', charsMax) ||
    labelOf(candidate, charsMax) ||
    textOf(candidate, charsMax) ||
    (candidate.querySelector('img[alt]')?.getAttribute('alt') ?? '') ||
    (candidate.getAttribute('placeholder') ?? '') ||
    (candidate.getAttribute('title') ?? '');
  return oneLine(name, charsMax);
}

/** An id names something within one tree: the document, or a shadow root. */
export function treeOf(part: Element): Document | ShadowRoot {
  const root = part.getRootNode();
  return root instanceof ShadowRoot ? root : document;
}

function labelOf(candidate: Element, charsMax: number): string {
  if (candidate instanceof HTMLInputElement && ['button', 'submit', 'reset'].includes(candidate.type))
    return candidate.value;
  // To find the labels of a button takes a look at all of the page, and buttons have none.
  if (!candidate.matches('input, select, textarea, meter, progress, output')) return '';
  const { labels } = candidate as { labels?: NodeListOf<HTMLLabelElement> | null };
  return Array.from(labels ?? [], (label) => textOf(label, charsMax)).join(' ');
}

export function oneLine(text: string, charsMax: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, charsMax);
}
