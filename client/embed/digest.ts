import { isSecretField, isVisible, NOT_READ, nameOf, shownAs, textOf, UNSAID } from './readable.ts';
import { type Candidate, candidateOf, roleOf, stateOf } from './targets.ts';

/** What assistive technology would be told of the page, bounded in size and in time, so that no page is too large for it. */
export type Reading = {
  /** One line for each landmark, heading, control, message and passage in view, in the order of the page. */
  readonly lines: readonly string[];
  readonly candidates: readonly Candidate[];
};

const DIGEST_CHARS_MAX = 12_000;
const PASSAGE_CHARS_MAX = 160;
const PASSAGES_CHARS_MAX = 3000;
const NAME_CHARS_MAX = 120;
const ELEMENTS_MAX = 20_000;
const CANDIDATES_MAX = 1500;
const MILLIS_MAX = 24;
/** Read however long it takes: on a busy machine the clock runs while the page does not. */
const ELEMENTS_ALWAYS = 300;

const LANDMARKS =
  'main,nav,aside,form,dialog,section[aria-label],section[aria-labelledby],[role="main"],[role="navigation"],' +
  '[role="search"],[role="region"],[role="dialog"],[role="alertdialog"],[role="form"],[role="tabpanel"]';
const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role="heading"]';
const CONTROLS =
  'a[href],button,summary,select,textarea,input,[role="button"],[role="link"],[role="tab"],[role="menuitem"],' +
  '[role="menuitemcheckbox"],[role="menuitemradio"],[role="checkbox"],[role="radio"],[role="switch"],[role="combobox"],' +
  '[role="textbox"],[role="searchbox"],[role="slider"],[role="spinbutton"],[role="option"],[role="treeitem"]';
const MESSAGES = '[role="alert"],[role="status"],output';
const PASSAGES = 'p,li,td,th,dt,dd,blockquote,figcaption,caption,legend';
const KINDS: readonly (readonly [Kind, string])[] = [
  ['control', CONTROLS],
  ['heading', HEADINGS],
  ['landmark', LANDMARKS],
  ['message', MESSAGES],
  ['passage', PASSAGES],
];
type Kind = 'control' | 'heading' | 'landmark' | 'message' | 'passage';

/** Most elements of most pages are only there for the looks. */
const PLAIN = new Set([
  'div',
  'span',
  'b',
  'i',
  'em',
  'strong',
  'small',
  'br',
  'hr',
  'img',
  'ul',
  'ol',
  'tr',
  'tbody',
  'label',
]);

/** Parts of a passage that are said by themselves, or that name a field which may not be named. */
const SAID_APART = `${UNSAID},${CONTROLS},${HEADINGS},${PASSAGES},label`;

export function readPage(): Reading {
  const lines = [`title ${document.title || location.pathname}`];
  const candidates: Candidate[] = [];
  const deadline = performance.now() + MILLIS_MAX;
  let elements = 0;
  let chars = 0;
  let passageChars = 0;

  const isEnough = () =>
    elements > ELEMENTS_MAX ||
    candidates.length > CANDIDATES_MAX ||
    (elements > ELEMENTS_ALWAYS && performance.now() > deadline);

  function say(line: string): void {
    if (line === '' || chars > DIGEST_CHARS_MAX) return;
    lines.push(line);
    chars += line.length + 1;
  }

  function read(part: Element): void {
    if (PLAIN.has(part.localName) && !part.hasAttribute('role')) return;
    const kind = KINDS.find(([, selector]) => part.matches(selector))?.[0];
    if (kind === 'control' || kind === 'heading') sayCandidate(part);
    else if (kind === 'landmark') say(landmarkLine(part));
    else if (kind === 'message') say(withText('message', textOf(part, PASSAGE_CHARS_MAX)));
    else if (kind === 'passage') sayPassage(part);
  }

  function sayCandidate(part: Element): void {
    if (isSecretField(part) || shownAs(part) === undefined) return;
    const candidate = candidateOf(part);
    if (candidate === undefined) return;
    candidates.push(candidate);
    const { role, name } = candidate;
    const states = stateOf(part);
    const kind = role === 'heading' ? part.localName : role;
    say(`${kind} ${name.slice(0, NAME_CHARS_MAX)}${states ? ` (${states})` : ''}`);
  }

  function sayPassage(part: Element): void {
    if (passageChars > PASSAGES_CHARS_MAX || !isVisible(part) || !isInView(part)) return;
    const text = textOf(part, PASSAGE_CHARS_MAX, SAID_APART);
    passageChars += text.length;
    say(withText('text', text));
  }

  function walk(parent: Element | ShadowRoot): void {
    for (let part = parent.firstElementChild; part && !isEnough(); part = part.nextElementSibling) {
      elements += 1;
      if (part.matches(NOT_READ) || isGone(part)) continue;
      read(part);
      if (part.shadowRoot) walk(part.shadowRoot);
      if (part.firstElementChild && part.localName !== 'svg') walk(part);
    }
  }

  walk(document.body);
  return { lines, candidates };
}

/** Neither it nor anything in it is there to be seen. What has no box of its own may still hold things that have. */
function isGone(part: Element): boolean {
  if (typeof part.checkVisibility !== 'function' || part.checkVisibility()) return false;
  return getComputedStyle(part).display !== 'contents';
}

function landmarkLine(landmark: Element): string {
  const isNamed = landmark.hasAttribute('aria-label') || landmark.hasAttribute('aria-labelledby');
  const name = isNamed ? nameOf(landmark, NAME_CHARS_MAX) : '';
  return `[${roleOf(landmark)}${name ? ` ${name}` : ''}]`;
}

function isInView(part: Element): boolean {
  const { top, bottom, left, right } = part.getBoundingClientRect();
  return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

const withText = (kind: string, text: string) => (text ? `${kind} ${text}` : '');
