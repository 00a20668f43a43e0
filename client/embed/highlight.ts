import type { ChatEvent } from '../sdk/index.ts';
import { readPage } from './digest.ts';
import { fillsScreen } from './panel-modal.ts';
import { shownAs } from './readable.ts';
import { findTarget } from './targets.ts';

export type Action = Extract<ChatEvent, { type: 'action' }>;
export type ActionOutcome = 'done' | 'target_missing' | 'failed' | 'expired' | 'declined';

export type Pointer = {
  /** Does what the visitor has just agreed to. */
  readonly perform: (action: Action) => ActionOutcome;
  readonly clear: () => void;
};

const SHOWN_MILLIS = 8000;
const AROUND_PIXELS = 6;
/** A device whose clock runs ahead would find every proposal too old: each lives at least this long from its arrival. */
export const ACTION_LIFE_MILLIS_MIN = 60_000;

const KINDS: readonly Action['kind'][] = ['highlight', 'scroll_to', 'focus', 'navigate'];

/** A service that is newer than this page may propose what nobody here can do. */
export const isKnown = ({ kind }: Action) => KINDS.includes(kind);

/** Points at things of the page with a spotlight that lies over it and takes no click. */
export function openPointer(frame: HTMLElement, panel: HTMLElement): Pointer {
  let following = 0;

  function hide(): void {
    cancelAnimationFrame(following);
    following = 0;
    frame.hidden = true;
  }

  /** The panel comes back when the visitor goes on in it, and not over what was just shown. */
  function clear(): void {
    hide();
    panel.removeAttribute('data-aside');
  }

  /** Also while the page is drawn anew. */
  function follow(gpId: string, first: Element): void {
    const endsAt = performance.now() + SHOWN_MILLIS;
    let target: Element | undefined = first;
    const draw = () => {
      if (!target?.isConnected) target = find(gpId);
      const shown = target && shownAs(target);
      if (performance.now() > endsAt || !shown) return hide();
      const rect = shown.getBoundingClientRect();
      frame.style.inset = `${rect.top - AROUND_PIXELS}px auto auto ${rect.left - AROUND_PIXELS}px`;
      frame.style.width = `${rect.width + 2 * AROUND_PIXELS}px`;
      frame.style.height = `${rect.height + 2 * AROUND_PIXELS}px`;
      // Once aside it stays there, or it would jump to and fro.
      if (fillsScreen(panel) || covers(panel.getBoundingClientRect(), rect))
        panel.setAttribute('data-aside', '');
      following = requestAnimationFrame(draw);
    };
    frame.hidden = false;
    draw();
  }

  return {
    clear,
    perform: ({ kind, target: named, url }) => {
      clear();
      if (kind === 'navigate') return navigate(url);
      const target = named && find(named.gp_id);
      const shown = target && shownAs(target);
      if (!target || !shown) return 'target_missing';
      bringIntoView(shown, kind !== 'scroll_to');
      if (kind === 'focus' && !takesFocus(target)) return 'failed';
      follow(named.gp_id, target);
      return 'done';
    },
  };
}

const find = (gpId: string) => findTarget(gpId, () => readPage().candidates);

/** What stands in full view need not move for being shown. */
function bringIntoView(shown: Element, mayStay: boolean): void {
  const { top, bottom, left, right } = shown.getBoundingClientRect();
  if (mayStay && top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth) return;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  shown.scrollIntoView({ block: 'center', inline: 'nearest', behavior });
}

function takesFocus(target: Element): boolean {
  if (!(target instanceof HTMLElement)) return false;
  target.focus({ preventScroll: true });
  const { activeElement } = target.getRootNode() as Document | ShadowRoot;
  return activeElement === target;
}

/** Only within the site: whatever the service proposes, the page is the last to check. */
function navigate(url: string | undefined): ActionOutcome {
  try {
    const destination = new URL(url ?? '', location.href);
    if (destination.origin !== location.origin) return 'failed';
    location.assign(destination);
    return 'done';
  } catch {
    return 'failed';
  }
}

function covers(panel: DOMRect, target: DOMRect): boolean {
  const apart =
    panel.right < target.left ||
    panel.left > target.right ||
    panel.bottom < target.top ||
    panel.top > target.bottom;
  return !apart;
}
