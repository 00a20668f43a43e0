import type { CaptureTarget } from '../index.ts';
import { nameOf } from './readable.ts';

export const TARGETS_MAX = 50;
const NAME_CHARS_MAX = 200;

/** Elements keep their name as long as they live; a name leads back to its element without keeping it alive. */
const names = new WeakMap<Element, string>();
const elements = new Map<string, WeakRef<Element>>();

export function gpIdOf(target: Element): string {
  const known = names.get(target);
  if (known) return known;
  const gpId = `e${elements.size + 1}`;
  names.set(target, gpId);
  elements.set(gpId, new WeakRef(target));
  return gpId;
}

/** The element of a target that an earlier turn named; undefined once it has left the page. */
export function findTarget(gpId: string): Element | undefined {
  const target = elements.get(gpId)?.deref();
  return target?.isConnected ? target : undefined;
}

export type Candidate = { readonly element: Element; readonly role: string; readonly name: string };

const ROLES: Readonly<Record<string, string>> = {
  a: 'link',
  button: 'button',
  summary: 'button',
  select: 'combobox',
  textarea: 'textbox',
};
const INPUT_ROLES: Readonly<Record<string, string>> = {
  button: 'button',
  submit: 'button',
  reset: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
};

export function roleOf(target: Element): string {
  const stated = target.getAttribute('role');
  if (stated) return stated;
  const tag = target.tagName.toLowerCase();
  if (target instanceof HTMLInputElement) return INPUT_ROLES[target.type] ?? 'textbox';
  return ROLES[tag] ?? (/^h[1-6]$/.test(tag) ? 'heading' : tag);
}

export function candidateOf(target: Element): Candidate | undefined {
  const name = nameOf(target, NAME_CHARS_MAX);
  return name ? { element: target, role: roleOf(target), name } : undefined;
}

/** The best targets: what is in view before what is not, controls before headings, then by distance. */
export function rankTargets(candidates: readonly Candidate[]): CaptureTarget[] {
  return candidates
    .map((candidate) => ({ candidate, rect: candidate.element.getBoundingClientRect() }))
    .filter(({ rect }) => rect.width > 0 && rect.height > 0)
    .map(({ candidate, rect }) => ({ target: targetOf(candidate, rect), distance: distanceFromView(rect) }))
    .sort((a, b) => (b.target.confidence ?? 0) - (a.target.confidence ?? 0) || a.distance - b.distance)
    .slice(0, TARGETS_MAX)
    .map(({ target }) => target);
}

export function targetOf({ element, role, name }: Candidate, rect: DOMRect): CaptureTarget {
  const inViewport = distanceFromView(rect) === 0;
  const state = stateOf(element);
  return {
    gp_id: gpIdOf(element),
    role,
    name,
    viewport_bbox: boxOf(rect, 0, 0),
    document_bbox: boxOf(rect, scrollX, scrollY),
    confidence: (inViewport ? 0.9 : 0.7) - (role === 'heading' ? 0.1 : 0),
    in_viewport: inViewport,
    ...(element.id ? { selector: `#${CSS.escape(element.id)}` } : {}),
    ...(state ? { accessibility: { state } } : {}),
  };
}

function stateOf(target: Element): string {
  const states = ['expanded', 'pressed', 'selected', 'current'].flatMap((name) => {
    const value = target.getAttribute(`aria-${name}`);
    return value && value !== 'false' ? [name] : [];
  });
  if (target.matches(':disabled, [aria-disabled="true"]')) states.push('disabled');
  return states.join(' ');
}

function boxOf(rect: DOMRect, left: number, top: number) {
  const x = Math.round(rect.x + left);
  const y = Math.round(rect.y + top);
  return { x, y, width: Math.round(rect.width), height: Math.round(rect.height) };
}

function distanceFromView(rect: DOMRect): number {
  const vertical = Math.max(0, -rect.bottom, rect.top - innerHeight);
  const horizontal = Math.max(0, -rect.right, rect.left - innerWidth);
  return vertical + horizontal;
}
