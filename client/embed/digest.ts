import {
  getName,
  getText,
  getVisiblePart,
  isSecretField,
  isVisible,
  NOT_READ,
  NOT_TEXT,
} from './readable.ts';
import { type Candidate, getRole, getState, toCandidate } from './targets.ts';

/** What a screen reader would say about the page, limited in size and time. */
export type Reading = {
  /** One line for each landmark, heading, control, message and visible passage, in document order. */
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
/** Always read this many: on a busy machine the time limit may pass while the page waits. */
const ELEMENTS_MIN = 300;

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

/** Elements without meaning, which are most of a page. */
const PRESENTATIONAL = new Set([
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

/** Parts of a passage that have lines of their own, and labels, which may name a secret field. */
const OWN_LINES = `${NOT_TEXT},${CONTROLS},${HEADINGS},${PASSAGES},label`;

export function readPage(): Reading {
  const lines = [`title ${document.title || location.pathname}`];
  const candidates: Candidate[] = [];
  const deadline = performance.now() + MILLIS_MAX;
  let elements = 0;
  let chars = 0;
  let passageChars = 0;

  const isLimitReached = () =>
    elements > ELEMENTS_MAX ||
    candidates.length > CANDIDATES_MAX ||
    (elements > ELEMENTS_MIN && performance.now() > deadline);

  function addLine(line: string): void {
    if (line === '' || chars > DIGEST_CHARS_MAX) return;
    lines.push(line);
    chars += line.length + 1;
  }

  function read(part: Element): void {
    if (PRESENTATIONAL.has(part.localName) && !part.hasAttribute('role')) return;
    const kind = KINDS.find(([, selector]) => part.matches(selector))?.[0];
    if (kind === 'control' || kind === 'heading') addCandidate(part);
    else if (kind === 'landmark') addLine(describeLandmark(part));
    else if (kind === 'message') addLine(withText('message', getText(part, PASSAGE_CHARS_MAX)));
    else if (kind === 'passage') addPassage(part);
  }

  function addCandidate(part: Element): void {
    if (isSecretField(part) || getVisiblePart(part) === undefined) return;
    const candidate = toCandidate(part);
    if (candidate === undefined) return;
    candidates.push(candidate);
    const { role, name } = candidate;
    const states = getState(part);
    const kind = role === 'heading' ? part.localName : role;
    addLine(`${kind} ${name.slice(0, NAME_CHARS_MAX)}${states ? ` (${states})` : ''}`);
  }

  function addPassage(part: Element): void {
    if (passageChars > PASSAGES_CHARS_MAX || !isVisible(part) || !isInView(part)) return;
    const text = getText(part, PASSAGE_CHARS_MAX, OWN_LINES);
    passageChars += text.length;
    addLine(withText('text', text));
  }

  function walk(parent: Element | ShadowRoot): void {
    for (let part = parent.firstElementChild; part && !isLimitReached(); part = part.nextElementSibling) {
      elements += 1;
      if (part.matches(NOT_READ) || isHidden(part)) continue;
      read(part);
      if (part.shadowRoot) walk(part.shadowRoot);
      if (part.firstElementChild && part.localName !== 'svg') walk(part);
    }
  }

  walk(document.body);
  return { lines, candidates };
}

/** True when nothing in it is visible. An element without a box may have children with one. */
function isHidden(part: Element): boolean {
  if (typeof part.checkVisibility !== 'function' || part.checkVisibility()) return false;
  return getComputedStyle(part).display !== 'contents';
}

function describeLandmark(landmark: Element): string {
  const isNamed = landmark.hasAttribute('aria-label') || landmark.hasAttribute('aria-labelledby');
  const name = isNamed ? getName(landmark, NAME_CHARS_MAX) : '';
  return `[${getRole(landmark)}${name ? ` ${name}` : ''}]`;
}

function isInView(part: Element): boolean {
  const { top, bottom, left, right } = part.getBoundingClientRect();
  return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

const withText = (kind: string, text: string) => (text ? `${kind} ${text}` : '');
