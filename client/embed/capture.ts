import type { CaptureContext, ChatTurn } from '../index.ts';
import { isReadable, nameOf, textOf } from './readable.ts';
import { type Candidate, candidateOf, rankTargets, roleOf, targetOf } from './targets.ts';

/** What a turn says about the page. Bounded in size and in time, so that no page is too large for it. */
const DIGEST_CHARS_MAX = 12_000;
const ELEMENTS_MAX = 1500;
const MILLIS_MAX = 40;
const NAME_CHARS_MAX = 120;
const SELECTION_CHARS_MAX = 2000;
const URL_CHARS_MAX = 4000;

const LANDMARKS = 'main, nav, aside, form, [role="search"], [role="region"]';
const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role="heading"]';
const CONTROLS = [
  'a[href]',
  'button',
  'summary',
  'select',
  'textarea',
  'input',
  '[role="button"]',
  '[role="link"]',
  '[role="tab"]',
  '[role="menuitem"]',
  '[role="checkbox"]',
  '[role="switch"]',
].join();

export type PageCapture = Required<
  Pick<ChatTurn, 'domDigest' | 'url' | 'viewport' | 'document' | 'scrollPos' | 'captureContext'>
>;

/** Reads the page as it is now. `focused` is the element that had the focus before the visitor came to the panel. */
export function capturePage(focused: Element | null): PageCapture {
  const { lines, candidates } = readPage();
  const root = document.documentElement;
  const viewport = { width: innerWidth, height: innerHeight, dpr: Math.min(devicePixelRatio || 1, 100) };
  const size = { width: root.scrollWidth, height: root.scrollHeight };
  const url = pageUrl();
  const selectedText = selection();
  const focusedTarget = focused && isReadable(focused) ? candidateOf(focused) : undefined;
  const captureContext: CaptureContext = {
    page: { title: document.title, url },
    viewport,
    document: size,
    scroll: { x: scrollX, y: scrollY },
    targets: rankTargets(candidates),
    ...(selectedText ? { selected_text: selectedText } : {}),
    ...(focusedTarget
      ? { focused_target: targetOf(focusedTarget, focusedTarget.element.getBoundingClientRect()) }
      : {}),
  };
  const domDigest = lines.join('\n').slice(0, DIGEST_CHARS_MAX);
  return { domDigest, url, viewport, document: size, scrollPos: scrollY, captureContext };
}

/** One line for each landmark, heading and control, in the order of the page. */
function readPage(): { lines: string[]; candidates: Candidate[] } {
  const lines = [`title ${document.title || location.pathname}`];
  const candidates: Candidate[] = [];
  const deadline = performance.now() + MILLIS_MAX;
  const found = document.body.querySelectorAll(`${LANDMARKS}, ${HEADINGS}, ${CONTROLS}`);
  let chars = 0;
  for (const part of Array.from(found).slice(0, ELEMENTS_MAX)) {
    if (chars > DIGEST_CHARS_MAX || performance.now() > deadline) break;
    if (!isReadable(part)) continue;
    const line = part.matches(LANDMARKS) ? landmarkLine(part) : controlLine(part, candidates);
    if (line) lines.push(line);
    chars += line.length + 1;
  }
  return { lines, candidates };
}

function landmarkLine(landmark: Element): string {
  const stated = landmark.getAttribute('aria-label') ?? '';
  const heading = document.getElementById(landmark.getAttribute('aria-labelledby') ?? '');
  const name = stated || (heading && isReadable(heading) ? textOf(heading, NAME_CHARS_MAX) : '');
  return `[${roleOf(landmark)}${name ? ` ${name.slice(0, NAME_CHARS_MAX)}` : ''}]`;
}

function controlLine(control: Element, candidates: Candidate[]): string {
  const candidate = candidateOf(control);
  if (candidate === undefined) return '';
  candidates.push(candidate);
  const tag = control.tagName.toLowerCase();
  return `${candidate.role === 'heading' ? tag : candidate.role} ${nameOf(control, NAME_CHARS_MAX)}`;
}

/** What the visitor selected, unless any of it is private. */
function selection(): string {
  const selected = getSelection();
  if (!selected || selected.isCollapsed) return '';
  const around = selected.getRangeAt(0).commonAncestorContainer;
  const root = around instanceof Element ? around : around.parentElement;
  if (!root || !isReadable(root)) return '';
  const privates = root.querySelectorAll('[data-gp-private], [contenteditable], textarea, input');
  if (Array.from(privates).some((part) => selected.containsNode(part, true))) return '';
  return selected.toString().slice(0, SELECTION_CHARS_MAX);
}

function pageUrl(): string {
  return location.href.length > URL_CHARS_MAX ? location.origin + location.pathname : location.href;
}
