import type { ActionEvent, CaptureTarget, ChatTurn } from '@guidepost/client';
import type { ActionOutcome } from './state.ts';

/** Describes the page to the guide, and performs the actions that the visitor agrees to. */

/** Marks an element that the guide may point at: `<button data-gp-target="export">`. */
const TARGET = 'data-gp-target';
/** Marks the element that the guide points at, for the page's style sheet. */
const HIGHLIGHTED = 'data-gp-highlighted';
const HIGHLIGHT_MILLIS = 8000;
/** Minimum life of an action, for devices whose clock is wrong. */
const ACTION_LIFE_MILLIS_MIN = 60_000;
const TARGETS_MAX = 50;
const HEADINGS_MAX = 40;
const NAME_CHARS_MAX = 200;

/**
 * Builds the turn of a question, with a description of the page. `describe` adds fields to the description or replaces
 * some.
 */
export const buildTurn = (
  message: string,
  actionResults: ChatTurn['actionResults'],
  describe?: (question: string) => Partial<ChatTurn>,
): ChatTurn => ({
  ...describePage(),
  ...describe?.(message),
  message,
  actionResults: actionResults?.[0] && actionResults,
  idempotencyKey: Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-'),
});

/**
 * Describes the page by its URL, title, headings, marked elements, size and scroll position. Nothing else leaves the
 * browser.
 */
function describePage(): Omit<ChatTurn, 'message'> {
  const headings = Array.from(document.querySelectorAll('h1,h2,h3'))
    .filter((heading) => !heading.closest('[data-gp-private]'))
    .slice(0, HEADINGS_MAX)
    .map((heading) => `${heading.localName} ${readName(heading)}`);
  const { innerWidth: width, innerHeight: height, devicePixelRatio: dpr, scrollY } = window;
  const { scrollWidth, scrollHeight } = document.documentElement;
  return {
    url: location.href,
    domDigest: [document.title, ...headings].join('\n'),
    viewport: { width, height, dpr },
    document: { width: scrollWidth, height: scrollHeight },
    scrollPos: Math.max(0, scrollY),
    captureContext: { targets: listTargets() },
  };
}

function listTargets(): CaptureTarget[] {
  return Array.from(document.querySelectorAll(`[${TARGET}]`))
    .filter((element) => element.getClientRects().length > 0)
    .slice(0, TARGETS_MAX)
    .map((element) => {
      const { x, y, width, height, top, bottom } = element.getBoundingClientRect();
      return {
        gp_id: element.getAttribute(TARGET) || readName(element),
        role: element.getAttribute('role') ?? (element.localName === 'a' ? 'link' : element.localName),
        name: readName(element),
        viewport_bbox: { x, y, width, height },
        document_bbox: { x: x + scrollX, y: y + scrollY, width, height },
        confidence: 1,
        in_viewport: top < innerHeight && bottom > 0,
      };
    });
}

const readName = (element: Element): string =>
  (element.getAttribute('aria-label') ?? element.textContent ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, NAME_CHARS_MAX);

/** Scrolls to, focuses or highlights the marked element, or opens another page of the same origin. */
export function performAction(
  action: ActionEvent,
  arrivedAt = 0,
  navigate = (url: string) => location.assign(url),
): ActionOutcome {
  const { kind, target, url, expires_at: expiresAt } = action;
  if (Date.now() > Math.max(expiresAt * 1000, arrivedAt + ACTION_LIFE_MILLIS_MIN)) return 'expired';
  if (kind === 'navigate') return openPage(url, navigate);
  const element = Array.from(document.querySelectorAll<HTMLElement>(`[${TARGET}]`)).find(
    (element) => (element.getAttribute(TARGET) || readName(element)) === target?.gp_id,
  );
  if (!element) return 'target_missing';
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior });
  if (kind === 'focus') {
    element.focus({ preventScroll: true });
    if (document.activeElement !== element) return 'failed';
  }
  for (const old of document.querySelectorAll(`[${HIGHLIGHTED}]`)) old.removeAttribute(HIGHLIGHTED);
  element.setAttribute(HIGHLIGHTED, '');
  setTimeout(() => element.removeAttribute(HIGHLIGHTED), HIGHLIGHT_MILLIS);
  return 'done';
}

/** Opens only pages of the same origin, whatever the service proposes. */
function openPage(url: string | undefined, navigate: (url: string) => void): ActionOutcome {
  try {
    const destination = new URL(url ?? '', location.href);
    if (url === undefined || destination.origin !== location.origin) return 'failed';
    navigate(destination.href);
    return 'done';
  } catch {
    return 'failed';
  }
}
