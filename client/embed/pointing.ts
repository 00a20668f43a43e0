import type { ChatEvent } from '../index.ts';
import { isVisible } from './readable.ts';
import { findTarget } from './targets.ts';

export type Action = Extract<ChatEvent, { type: 'action' }>;
export type ActionOutcome = 'done' | 'target_missing' | 'failed' | 'expired';

export type Pointer = {
  /** Does what the visitor has just agreed to. */
  readonly perform: (action: Action) => ActionOutcome;
  readonly clear: () => void;
};

const SHOWN_MILLIS = 8000;
/** A device whose clock runs ahead would find every proposal too old: each lives at least this long from its arrival. */
export const ACTION_LIFE_MILLIS_MIN = 60_000;

/** Points at things of the page with a frame that lies over it and takes no click. */
export function openPointer(frame: HTMLElement, panel: HTMLElement): Pointer {
  let following = 0;

  function clear(): void {
    cancelAnimationFrame(following);
    following = 0;
    frame.hidden = true;
  }

  function follow(target: Element): void {
    const endsAt = performance.now() + SHOWN_MILLIS;
    const draw = () => {
      const rect = target.getBoundingClientRect();
      if (performance.now() > endsAt || !target.isConnected) return clear();
      frame.style.inset = `${rect.top - 6}px auto auto ${rect.left - 6}px`;
      frame.style.width = `${rect.width + 12}px`;
      frame.style.height = `${rect.height + 12}px`;
      panel.toggleAttribute('data-aside', covers(panel.getBoundingClientRect(), rect));
      following = requestAnimationFrame(draw);
    };
    frame.hidden = false;
    draw();
  }

  return {
    clear,
    perform: ({ kind, target: named, url }) => {
      clear();
      panel.removeAttribute('data-aside');
      if (kind === 'navigate') return navigate(url);
      const target = named && findTarget(named.gp_id);
      if (!target || !isVisible(target)) return 'target_missing';
      const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
      target.scrollIntoView({ block: 'center', inline: 'nearest', behavior });
      if (kind === 'focus' && target instanceof HTMLElement) target.focus({ preventScroll: true });
      follow(target);
      return 'done';
    },
  };
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
