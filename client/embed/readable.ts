/** What of the page may be read: visible things that are not private. What visitors typed is never read. */

export const HOST_NAME = 'guidepost-guide';

const NOT_READ = [
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
].join();
/** Their text is not their name: it is what they hold. */
const HOLDS_VALUES = 'textarea, select, datalist, option';

const SECRET_AUTOCOMPLETE = /(^|\s)(cc-[\w-]+|one-time-code|current-password|new-password)(\s|$)/i;
const SECRET_NAME = /passw|passcode|card.?(num|no\b)|cvc|cvv|csc\b|iban|\botp\b|one.?time|\bpin\b|\bssn\b/i;

export function isReadable(candidate: Element): boolean {
  return candidate.closest(NOT_READ) === null && !isSecretField(candidate) && isVisible(candidate);
}

export function isVisible(candidate: Element): boolean {
  if (typeof candidate.checkVisibility === 'function')
    return candidate.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return candidate.getClientRects().length > 0;
}

/** Fields for passwords, payment and one-time codes are left out altogether, name and all. */
export function isSecretField(candidate: Element): boolean {
  if (!(candidate instanceof HTMLInputElement)) return false;
  if (candidate.type === 'password' || candidate.type === 'hidden') return true;
  return (
    SECRET_AUTOCOMPLETE.test(candidate.autocomplete) || SECRET_NAME.test(`${candidate.name} ${candidate.id}`)
  );
}

/** The readable text inside, on one line. */
export function textOf(root: Element, charsMax: number): string {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
    return node.matches(`${NOT_READ}, ${HOLDS_VALUES}`) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  let text = '';
  // Some slack, since line breaks and indentation fold into single spaces.
  while (text.length < charsMax * 2 && walker.nextNode()) text += walker.currentNode.nodeValue;
  return oneLine(text, charsMax);
}

/** Close enough to the accessible name to be recognised by it. */
export function nameOf(candidate: Element, charsMax: number): string {
  const named = (candidate.getAttribute('aria-labelledby') ?? '')
    .split(/\s+/)
    .map((id) => (id ? document.getElementById(id) : null))
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

function labelOf(candidate: Element, charsMax: number): string {
  if (candidate instanceof HTMLInputElement && ['button', 'submit', 'reset'].includes(candidate.type))
    return candidate.value;
  const { labels } = candidate as { labels?: NodeListOf<HTMLLabelElement> | null };
  return Array.from(labels ?? [], (label) => textOf(label, charsMax)).join(' ');
}

function oneLine(text: string, charsMax: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, charsMax);
}
