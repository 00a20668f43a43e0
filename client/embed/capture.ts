import type { CaptureContext, ChatTurn } from '../sdk/index.ts';
import { readPage } from './digest.ts';
import { rankTargets } from './ranking.ts';
import { isReadable } from './readable.ts';
import { candidateOf, nameTargets, rectOf, targetOf } from './targets.ts';

const DIGEST_CHARS_MAX = 12_000;
const SELECTION_CHARS_MAX = 2000;
const URL_CHARS_MAX = 4000;

export type PageCapture = Required<
  Pick<ChatTurn, 'domDigest' | 'url' | 'viewport' | 'document' | 'scrollPos' | 'captureContext'>
>;

export type CaptureDeps = {
  /** The element that had the focus before the visitor came to the panel. */
  readonly focused: Element | null;
  /** What the visitor asks: what it names ranks first among the targets. */
  readonly question?: string;
  readonly locale?: string;
};

/** What a turn says about the page, read from it as it is now. */
export function capturePage({ focused, question = '', locale = 'en' }: CaptureDeps): PageCapture {
  const { lines, candidates } = readPage();
  const root = document.documentElement;
  const viewport = { width: innerWidth, height: innerHeight, dpr: Math.min(devicePixelRatio || 1, 100) };
  const size = { width: root.scrollWidth, height: root.scrollHeight };
  const url = pageUrl();
  const selectedText = selection();
  // First those in the order of the page, so that the one with the focus takes nobody's name.
  const targets = rankTargets(candidates, question, locale);
  const focusedTarget = focused ? targetWithFocus(focused) : undefined;
  const captureContext: CaptureContext = {
    page: { title: document.title, url },
    viewport,
    document: size,
    scroll: { x: scrollX, y: scrollY },
    targets,
    ...(selectedText ? { selected_text: selectedText } : {}),
    ...(focusedTarget ? { focused_target: focusedTarget } : {}),
  };
  const domDigest = lines.join('\n').slice(0, DIGEST_CHARS_MAX);
  return { domDigest, url, viewport, document: size, scrollPos: scrollY, captureContext };
}

function targetWithFocus(focused: Element) {
  const candidate = isReadable(focused) ? candidateOf(focused) : undefined;
  const gpId = candidate && nameTargets([candidate], [candidate]).get(focused);
  return candidate && gpId ? targetOf(candidate, gpId, rectOf(focused), 0.9) : undefined;
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
