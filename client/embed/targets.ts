import type { CaptureTarget } from '../sdk/index.ts';
import { HOST_NAME, nameOf, oneLine, shownAs, textOf } from './readable.ts';

const NAME_CHARS_MAX = 200;
const CONTEXT_CHARS_MAX = 60;
const SENT_MAX = 500;

/** Something that the guide could point at. */
export type Candidate = { readonly element: Element; readonly role: string; readonly name: string };

/** How a target was told to the service: what it was then, so that it is known again or said to be gone. */
type Sent = { readonly element: WeakRef<Element>; readonly key: string; readonly ordinal: number };

/** An element keeps its name as long as it lives; one that is drawn anew gets the name that it had. */
const names = new WeakMap<Element, string>();
const sent = new Map<string, Sent>();

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

export function roleOf(target: Element): string {
  const stated = target.getAttribute('role')?.trim().split(/\s+/)[0];
  if (stated) return stated;
  const tag = target.localName;
  if (target instanceof HTMLInputElement) return INPUT_ROLES[target.type] ?? 'textbox';
  return ROLES[tag] ?? (/^h[1-6]$/.test(tag) ? 'heading' : tag);
}

export function candidateOf(target: Element): Candidate | undefined {
  const name = nameOf(target, NAME_CHARS_MAX);
  return name ? { element: target, role: roleOf(target), name } : undefined;
}

/** Names targets in the order of the page, so that things of the same name keep their names when they are drawn anew. */
export function nameTargets(chosen: readonly Candidate[], all: readonly Candidate[]): Map<Element, string> {
  const alike = groupsOf(all);
  const keys = new Map<Element, string>();
  const keyIn = (candidate: Candidate) => {
    const known = keys.get(candidate.element) ?? keyOf(candidate);
    keys.set(candidate.element, known);
    return known;
  };
  const gpIds = new Map<Element, string>();
  for (const candidate of chosen) {
    const { element } = candidate;
    const key = keyIn(candidate);
    const group = alike.get(plainKeyOf(candidate)) ?? [];
    const before = group.slice(0, Math.max(0, group.indexOf(candidate)));
    const ordinal = before.filter((other) => keyIn(other) === key).length;
    const gpId = names.get(element) ?? freeId(candidate.role, key, ordinal);
    names.set(element, gpId);
    sent.delete(gpId);
    sent.set(gpId, { element: new WeakRef(element), key, ordinal });
    gpIds.set(element, gpId);
  }
  for (const old of sent.keys()) {
    if (sent.size <= SENT_MAX) break;
    sent.delete(old);
  }
  return gpIds;
}

/**
 * The element of a target that a turn named. One that says something else by now is not it: frameworks use elements for
 * another thing of the page. `candidates` is asked for what stands there now.
 */
export function findTarget(gpId: string, candidates: () => readonly Candidate[]): Element | undefined {
  const told = sent.get(gpId);
  if (told === undefined) return undefined;
  const element = told.element.deref();
  const now = element?.isConnected ? candidateOf(element) : undefined;
  if (now && keyOf(now) === told.key) return element;
  const same = candidates().filter((candidate) => keyOf(candidate) === told.key);
  const again = same[told.ordinal]?.element;
  if (again) names.set(again, gpId);
  return again;
}

export function targetOf(
  { element, role, name }: Candidate,
  gpId: string,
  rect: DOMRect,
  confidence: number,
): CaptureTarget {
  const state = stateOf(element);
  const description = descriptionOf(element);
  return {
    gp_id: gpId,
    role,
    name,
    viewport_bbox: boxOf(rect, 0, 0),
    document_bbox: boxOf(rect, scrollX, scrollY),
    confidence,
    in_viewport: distanceFromView(rect) === 0,
    ...(element.id ? { selector: `#${CSS.escape(element.id)}` } : {}),
    ...(state || description
      ? { accessibility: { ...(state ? { state } : {}), ...(description ? { description } : {}) } }
      : {}),
  };
}

/** States as assistive technology is told them. What was typed is none; what is ticked may be telling and is left out. */
export function stateOf(target: Element): string {
  const states = ['expanded', 'pressed', 'selected', 'current', 'invalid', 'required'].filter((name) => {
    const value = target.getAttribute(`aria-${name}`);
    return value && value !== 'false';
  });
  if (target.matches(':disabled, [aria-disabled="true"]')) states.push('disabled');
  if (target.matches(':required') && !states.includes('required')) states.push('required');
  return states.join(' ');
}

function descriptionOf(target: Element): string {
  const ids = target.getAttribute('aria-describedby')?.split(/\s+/) ?? [];
  const texts = ids.map((id) => {
    const described = id ? document.getElementById(id) : null;
    return described && described.closest('[data-gp-private]') === null ? textOf(described, 200) : '';
  });
  return oneLine(texts.join(' '), 200);
}

export function rectOf(element: Element): DOMRect {
  return (shownAs(element) ?? element).getBoundingClientRect();
}

export function distanceFromView(rect: DOMRect): number {
  const vertical = Math.max(0, -rect.bottom, rect.top - innerHeight);
  const horizontal = Math.max(0, -rect.right, rect.left - innerWidth);
  return vertical + horizontal;
}

/** Something else lies over the middle of it, such as an open dialog; the guide itself does not count. */
export function isCovered(element: Element, rect: DOMRect): boolean {
  const x = Math.min(Math.max(rect.left + rect.width / 2, 0), innerWidth - 1);
  const y = Math.min(Math.max(rect.top + rect.height / 2, 0), innerHeight - 1);
  const hit = document.elementFromPoint(x, y);
  if (!hit || hit.localName === HOST_NAME || hit.shadowRoot) return false;
  const shown = shownAs(element) ?? element;
  return !shown.contains(hit) && !hit.contains(shown);
}

const plainKeyOf = ({ role, name }: Candidate) => `${role}\n${name}`;

/** Role, name and path: the landmark that it stands in, and the row or entry of a list that it belongs to. */
function keyOf(candidate: Candidate): string {
  const { element } = candidate;
  const landmark = element.closest(
    'main,nav,aside,header,footer,form,dialog,section,[role="dialog"],[role="region"]',
  );
  const place = landmark
    ? `${roleOf(landmark)} ${landmark.id} ${landmark.getAttribute('aria-label') ?? ''}`
    : '';
  const entry = element.closest('tr,li,article,[role="row"],[role="listitem"],[role="article"]');
  const said = entry ? textOf(entry, CONTEXT_CHARS_MAX) : '';
  return `${plainKeyOf(candidate)}\n${place}\n${said}`;
}

function freeId(role: string, key: string, ordinal: number): string {
  const base = `${role.replace(/[^\w-]/g, '').slice(0, 24)}-${hashOf(key)}`;
  for (let at = ordinal; ; at += 1) {
    const gpId = at === 0 ? base : `${base}-${at + 1}`;
    if (!sent.get(gpId)?.element.deref()?.isConnected) return gpId;
  }
}

/** FNV-1a over two halves: it names things within one page and keeps no secret. */
function hashOf(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x1b873593;
  for (let at = 0; at < text.length; at += 1) {
    first = Math.imul(first ^ text.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return [first, second].map((half) => (half >>> 0).toString(36)).join('');
}

function groupsOf(all: readonly Candidate[]): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of all) {
    const key = plainKeyOf(candidate);
    const group = groups.get(key);
    if (group) group.push(candidate);
    else groups.set(key, [candidate]);
  }
  return groups;
}

function boxOf(rect: DOMRect, left: number, top: number) {
  const x = Math.round(rect.x + left);
  const y = Math.round(rect.y + top);
  return { x, y, width: Math.round(rect.width), height: Math.round(rect.height) };
}
