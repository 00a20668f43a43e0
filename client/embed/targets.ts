import type { CaptureTarget } from '../sdk/index.ts';
import { closest, contains, getAttribute, getBox, getLocalName, getShadow, matches } from './dom.ts';
import { HOST_NAME } from './host-name.ts';
import { getName, getText, getVisiblePart, toOneLine } from './readable.ts';

const NAME_CHARS_MAX = 200;
const CONTEXT_CHARS_MAX = 60;
const SENT_MAX = 500;

/** An element that the guide could highlight. */
export type Candidate = { element: Element; role: string; name: string };

/** A target as it was sent to the service, to recognize it later or report it missing. */
type SentTarget = { element: WeakRef<Element>; key: string; ordinal: number };

/** An element keeps its id for life; one that replaces it after a re-render gets the same id. */
const ids = new WeakMap<Element, string>();
/** Not a `Map`: pages have functions of that name. */
const sentTargets: Record<string, SentTarget> = Object.create(null);

const ROLES: Readonly<Record<string, string>> = {
  a: 'link',
  button: 'button',
  summary: 'button',
  select: 'combobox',
  textarea: 'textbox',
  nav: 'navigation',
  aside: 'complementary',
  section: 'region',
};
const INPUT_ROLES: Readonly<Record<string, string>> = {
  button: 'button',
  submit: 'button',
  reset: 'button',
  image: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
};

export function getRole(target: Element): string {
  const explicitRole = getAttribute(target, 'role')?.trim().split(/\s+/)[0];
  if (explicitRole) return explicitRole;
  const tag = getLocalName(target);
  if (target instanceof HTMLInputElement) return INPUT_ROLES[target.type] ?? 'textbox';
  return ROLES[tag] ?? (/^h[1-6]$/.test(tag) ? 'heading' : tag);
}

export function toCandidate(target: Element): Candidate | undefined {
  const name = getName(target, NAME_CHARS_MAX);
  return name ? { element: target, role: getRole(target), name } : undefined;
}

/** Assigns ids in document order, so that duplicates keep theirs across re-renders. */
export function nameTargets(
  chosen: readonly Candidate[],
  all: readonly Candidate[],
): WeakMap<Element, string> {
  const groups = Object.groupBy(all, buildPlainKey);
  const keys = new WeakMap<Element, string>();
  const getKey = (candidate: Candidate) => {
    const key = keys.get(candidate.element) ?? buildKey(candidate);
    keys.set(candidate.element, key);
    return key;
  };
  const gpIds = new WeakMap<Element, string>();
  for (const candidate of chosen) {
    const { element } = candidate;
    const key = getKey(candidate);
    const group = groups[buildPlainKey(candidate)] ?? [];
    const before = group.slice(0, Math.max(0, group.indexOf(candidate)));
    const ordinal = before.filter((other) => getKey(other) === key).length;
    const gpId = ids.get(element) ?? createId(candidate.role, key, ordinal);
    ids.set(element, gpId);
    delete sentTargets[gpId];
    sentTargets[gpId] = { element: new WeakRef(element), key, ordinal };
    gpIds.set(element, gpId);
  }
  for (const oldestId of Object.keys(sentTargets).slice(0, -SENT_MAX)) delete sentTargets[oldestId];
  return gpIds;
}

/**
 * Finds the element of a target that was sent with a turn. Frameworks reuse elements, so an element whose role or name
 * has changed does not count. `candidates` returns what the page shows now.
 */
export function findTarget(gpId: string, candidates: () => readonly Candidate[]): Element | undefined {
  const target = sentTargets[gpId];
  if (target === undefined) return undefined;
  const element = target.element.deref();
  const current = element?.isConnected ? toCandidate(element) : undefined;
  if (current && buildKey(current) === target.key) return element;
  const matches = candidates().filter((candidate) => buildKey(candidate) === target.key);
  const replacement = matches[target.ordinal]?.element;
  if (replacement) ids.set(replacement, gpId);
  return replacement;
}

export function describeTarget(
  { element, role, name }: Candidate,
  gpId: string,
  rect: DOMRect,
  confidence: number,
): CaptureTarget {
  const state = getState(element);
  const description = getDescription(element);
  return {
    gp_id: gpId,
    role,
    name,
    viewport_bbox: toBox(rect, 0, 0),
    document_bbox: toBox(rect, scrollX, scrollY),
    confidence,
    in_viewport: distanceFromView(rect) === 0,
    // A variable of the page may be named `CSS`, so ids that need an escape are left out.
    selector: /^[a-z][\w-]*$/i.test(element.id) ? `#${element.id}` : undefined,
    accessibility:
      state || description ? { state: state || undefined, description: description || undefined } : undefined,
  };
}

/** Returns the accessibility states. Values and checked boxes are left out: they may be private. */
export function getState(target: Element): string {
  const states = ['expanded', 'pressed', 'selected', 'current', 'invalid', 'required'].filter((name) => {
    const value = getAttribute(target, `aria-${name}`);
    return value && value !== 'false';
  });
  if (matches(target, ':disabled, [aria-disabled="true"]')) states.push('disabled');
  if (matches(target, ':required') && !states.includes('required')) states.push('required');
  return states.join(' ');
}

function getDescription(target: Element): string {
  const describedByIds = getAttribute(target, 'aria-describedby')?.split(/\s+/) ?? [];
  const texts = describedByIds.map((id) => {
    const described = id ? document.getElementById(id) : null;
    return described && closest(described, '[data-gp-private]') === null ? getText(described, 200) : '';
  });
  return toOneLine(texts.join(' '), 200);
}

export function getRect(element: Element): DOMRect {
  return getBox(getVisiblePart(element) ?? element);
}

export function distanceFromView(rect: DOMRect): number {
  const vertical = Math.max(0, -rect.bottom, rect.top - innerHeight);
  const horizontal = Math.max(0, -rect.right, rect.left - innerWidth);
  return vertical + horizontal;
}

/**
 * True when something else, such as an open dialog, covers the middle of the element. The guide itself does not count.
 */
export function isCovered(element: Element, rect: DOMRect): boolean {
  const x = Math.min(Math.max(rect.left + rect.width / 2, 0), innerWidth - 1);
  const y = Math.min(Math.max(rect.top + rect.height / 2, 0), innerHeight - 1);
  const hit = document.elementFromPoint(x, y);
  if (!hit || getLocalName(hit) === HOST_NAME || getShadow(hit)) return false;
  const shown = getVisiblePart(element) ?? element;
  return !contains(shown, hit) && !contains(hit, shown);
}

const buildPlainKey = ({ role, name }: Candidate) => `${role}\n${name}`;

/** Joins role, name, landmark, and the row or list item that the element belongs to. */
function buildKey(candidate: Candidate): string {
  const { element } = candidate;
  const landmark = closest(
    element,
    'main,nav,aside,header,footer,form,dialog,section,[role="dialog"],[role="region"]',
  );
  const landmarkKey = landmark
    ? `${getRole(landmark)} ${getAttribute(landmark, 'id') ?? ''} ${getAttribute(landmark, 'aria-label') ?? ''}`
    : '';
  const entry = closest(element, 'tr,li,article,[role="row"],[role="listitem"],[role="article"]');
  const entryText = entry ? getText(entry, CONTEXT_CHARS_MAX) : '';
  return `${buildPlainKey(candidate)}\n${landmarkKey}\n${entryText}`;
}

function createId(role: string, key: string, ordinal: number): string {
  const base = `${role.replace(/[^\w-]/g, '').slice(0, 24)}-${hash(key)}`;
  for (let at = ordinal; ; at += 1) {
    const gpId = at === 0 ? base : `${base}-${at + 1}`;
    if (!sentTargets[gpId]?.element.deref()?.isConnected) return gpId;
  }
}

/** Joins two FNV-1a hashes. Unique enough within a page; not for secrets. */
function hash(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x1b873593;
  for (let at = 0; at < text.length; at += 1) {
    first = Math.imul(first ^ text.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return [first, second].map((half) => (half >>> 0).toString(36)).join('');
}

function toBox(rect: DOMRect, left: number, top: number) {
  const { x, y, width, height } = rect;
  return {
    x: toPixels(x + left),
    y: toPixels(y + top),
    width: toLength(width),
    height: toLength(height),
  };
}

const PIXELS_MAX = 10_000_000;

/** Returns whole pixels that the service takes. Parts of pages stand far outside, and scripts replace what windows measure. */
export const toPixels = (value: number): number =>
  Math.round(Math.min(Math.max(Number(value) || 0, -PIXELS_MAX), PIXELS_MAX));

export const toLength = (value: number): number => Math.max(0, toPixels(value));
