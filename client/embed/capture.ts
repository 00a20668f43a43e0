import type { CaptureContext, CaptureTarget, ChatTurn } from '../sdk/index.ts';
import { getAddress } from './address.ts';
import {
  checkVisibility,
  findAll,
  getBody,
  getBox,
  getFirstElement,
  getLocalName,
  getNextElement,
  getShadow,
  getTitle,
  hasAttribute,
  isElement,
  matches,
} from './dom.ts';
import {
  getName,
  getText,
  getVisiblePart,
  isReadable,
  isSecretField,
  isVisible,
  NOT_READ,
  NOT_TEXT,
} from './readable.ts';
import { segment } from './segment.ts';
import {
  type Candidate,
  describeTarget,
  distanceFromView,
  findTarget,
  getRect,
  getRole,
  getState,
  isCovered,
  nameTargets,
  toCandidate,
  toLength,
  toPixels,
} from './targets.ts';

/** A description of the page as a screen reader would give it, limited in size and time. */
type Reading = {
  /** One line for each landmark, heading, control, message and visible passage, in document order. */
  lines: readonly string[];
  candidates: readonly Candidate[];
};

const DIGEST_CHARS_MAX = 12_000;
const PASSAGE_CHARS_MAX = 160;
const PASSAGES_CHARS_MAX = 3000;
const NAME_CHARS_MAX = 120;
const ELEMENTS_MAX = 20_000;
const CANDIDATES_MAX = 1500;
const MILLIS_MAX = 24;
/** Elements that are always read: on a busy machine the time limit may pass while the page waits. */
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
const PRESENTATIONAL = [
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
];

/** Parts of a passage that have lines of their own, and labels, which may name a secret field. */
const OWN_LINES = `${NOT_TEXT},${CONTROLS},${HEADINGS},${PASSAGES},label`;

export function readPage(): Reading {
  const lines = [`title ${getTitle() || location.pathname}`];
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
    if (PRESENTATIONAL.includes(getLocalName(part)) && !hasAttribute(part, 'role')) return;
    const kind = KINDS.find(([, selector]) => matches(part, selector))?.[0];
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
    const kind = role === 'heading' ? getLocalName(part) : role;
    addLine(`${kind} ${name.slice(0, NAME_CHARS_MAX)}${states ? ` (${states})` : ''}`);
  }

  function addPassage(part: Element): void {
    if (passageChars > PASSAGES_CHARS_MAX || !isVisible(part) || !isInView(part)) return;
    const text = getText(part, PASSAGE_CHARS_MAX, OWN_LINES);
    passageChars += text.length;
    addLine(withText('text', text));
  }

  function walk(parent: Element | ShadowRoot): void {
    for (let part = getFirstElement(parent); part && !isLimitReached(); part = getNextElement(part)) {
      elements += 1;
      if (matches(part, NOT_READ) || isHidden(part)) continue;
      read(part);
      const shadow = getShadow(part);
      if (shadow) walk(shadow);
      if (getFirstElement(part) && getLocalName(part) !== 'svg') walk(part);
    }
  }

  walk(getBody());
  return { lines, candidates };
}

/** True when nothing in the element is visible. An element without a box may have children with one. */
const isHidden = (part: Element) => !checkVisibility(part) && getComputedStyle(part).display !== 'contents';

function describeLandmark(landmark: Element): string {
  const isNamed = hasAttribute(landmark, 'aria-label') || hasAttribute(landmark, 'aria-labelledby');
  const name = isNamed ? getName(landmark, NAME_CHARS_MAX) : '';
  return `[${getRole(landmark)}${name ? ` ${name}` : ''}]`;
}

function isInView(part: Element): boolean {
  const { top, bottom, left, right } = getBox(part);
  return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

const withText = (kind: string, text: string) => (text ? `${kind} ${text}` : '');

const SELECTION_CHARS_MAX = 2000;
const URL_CHARS_MAX = 4000;

export type PageCapture = Required<
  Pick<ChatTurn, 'domDigest' | 'url' | 'viewport' | 'document' | 'scrollPos' | 'captureContext'>
>;

export type CaptureDeps = {
  /** The element that had the focus before the visitor entered the panel. */
  focused: Element | null;
  /** Targets that the question mentions rank first. */
  question?: string;
  locale?: string;
};

/** Describes the page as it is now, for a turn. */
export function capturePage({ focused, question = '', locale = 'en' }: CaptureDeps): PageCapture {
  const { lines, candidates } = readPage();
  const root = document.documentElement;
  const viewport = {
    width: toLength(innerWidth),
    height: toLength(innerHeight),
    dpr: Math.min(Number(devicePixelRatio) || 1, 100),
  };
  const size = { width: toLength(root.scrollWidth), height: toLength(root.scrollHeight) };
  const scroll = { x: toPixels(scrollX), y: toPixels(scrollY) };
  const url = getPageUrl();
  const selectedText = getSelectedText();
  // Name these first, in page order, so that the focused target does not take another's id.
  const targets = rankTargets(candidates, question, locale);
  const focusedTarget = focused ? describeFocusedTarget(focused) : undefined;
  const captureContext: CaptureContext = {
    page: { title: getTitle(), url },
    viewport,
    document: size,
    scroll,
    targets,
    selected_text: selectedText || undefined,
    focused_target: focusedTarget,
  };
  const domDigest = lines.join('\n').slice(0, DIGEST_CHARS_MAX);
  return { domDigest, url, viewport, document: size, scrollPos: scroll.y, captureContext };
}

function describeFocusedTarget(focused: Element) {
  const candidate = isReadable(focused) ? toCandidate(focused) : undefined;
  const gpId = candidate && nameTargets([candidate], [candidate]).get(focused);
  return candidate && gpId ? describeTarget(candidate, gpId, getRect(focused), 0.9) : undefined;
}

/** Returns the selected text, unless part of it is private. */
function getSelectedText(): string {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return '';
  const ancestor = selection.getRangeAt(0).commonAncestorContainer;
  const root = isElement(ancestor) ? ancestor : ancestor.parentElement;
  if (!root || !isReadable(root)) return '';
  const privates = findAll(root, '[data-gp-private], [contenteditable], textarea, input');
  if (Array.from(privates).some((part) => selection.containsNode(part, true))) return '';
  return selection.toString().slice(0, SELECTION_CHARS_MAX);
}

function getPageUrl(): string {
  const { href, origin, pathname } = getAddress();
  return href.length > URL_CHARS_MAX ? origin + pathname : href;
}

const TARGETS_MAX = 50;
/** Weight of the question's words, relative to the page's own hints about a target. */
const WORDS_WEIGHT = 0.6;
const WORD_CHARS_KEPT = 5;
const COVER_CHECKS_MAX = 200;

/**
 * Returns the best targets: mentioned in the question, then in view, then controls before headings, then by distance.
 */
function rankTargets(candidates: readonly Candidate[], question: string, locale: string): CaptureTarget[] {
  const toKey = ({ role, name }: Candidate) => `${role} ${name}`;
  const groups = Object.groupBy(candidates, toKey);
  const stems = findStems(question, locale);
  let coverChecks = 0;
  const best = candidates
    .map((candidate) => {
      const rect = getRect(candidate.element);
      return { candidate, rect, distance: distanceFromView(rect) };
    })
    .filter(({ rect }) => rect.width > 0 && rect.height > 0)
    .map((located) => {
      const { candidate, rect, distance } = located;
      let percent = distance === 0 ? 90 : 70;
      if (candidate.role === 'heading') percent -= 10;
      if (groups[toKey(candidate)]?.length !== 1) percent -= 20;
      if (distance === 0 && coverChecks++ < COVER_CHECKS_MAX && isCovered(candidate.element, rect))
        percent -= 30;
      const confidence = percent / 100;
      return { ...located, confidence, score: confidence + WORDS_WEIGHT * scoreName(candidate.name, stems) };
    })
    .sort((a, b) => b.score - a.score || a.distance - b.distance)
    .slice(0, TARGETS_MAX);
  const gpIds = nameTargets(
    best.map(({ candidate }) => candidate),
    candidates,
  );
  return best.map(({ candidate, rect, confidence }) =>
    describeTarget(candidate, gpIds.get(candidate.element) as string, rect, confidence),
  );
}

/** Returns the beginnings of words, since endings differ between a question and a label. */
function findStems(question: string, locale: string): readonly string[] {
  const words = segment(question.slice(0, 500).toLowerCase(), 'word', locale)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => word.slice(0, WORD_CHARS_KEPT));
  // A single letter of an alphabet would match every name.
  return words.filter((word, at) => words.indexOf(word) === at && (word.length > 1 || word > '\u2e80'));
}

/** Returns how much of a name the question mentions, from 0 to 1. A single matching word may be a coincidence. */
function scoreName(name: string, stems: readonly string[]): number {
  const lower = name.toLowerCase();
  const matchingStems = stems.filter((stem) => lower.includes(stem));
  return Math.min(1, matchingStems.join('').length / lower.length) * (1 - 0.5 ** matchingStems.length);
}

/** Finds the element of a target that was sent, as the page is now. */
export const findElement = (gpId: string): Element | undefined =>
  findTarget(gpId, () => readPage().candidates);

export { getVisiblePart };
