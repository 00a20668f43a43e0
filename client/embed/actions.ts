import type { ChatEvent } from '../sdk/index.ts';
import { type Announcer, button, element } from './element.ts';
import { fillIn, type Localization, type TextsOf } from './language.ts';

/** Actions on the page that the guide proposes. Loaded with the first proposal. */

export type Action = Extract<ChatEvent, { type: 'action' }>;
export type ActionOutcome = 'done' | 'target_missing' | 'failed' | 'declined';

export type ActionDeps = {
  localization: Localization;
  texts: TextsOf<'actions'>;
  announcer: Announcer;
  spotlight: HTMLElement;
  dialog: HTMLElement;
  /** Passed along because this file has its own copies of the modules. */
  page: {
    findElement: (gpId: string) => Element | undefined;
    getVisiblePart: (element: Element) => Element | undefined;
    fillsScreen: (dialog: HTMLElement) => boolean;
  };
  onOutcome: (action: Action, outcome: ActionOutcome) => void;
};

export type Actions = {
  /** Creates a proposal with its buttons; undefined for kinds that only a newer version knows. */
  createProposal: (action: Action) => HTMLElement | undefined;
  /** Removes the highlight. */
  clear: () => void;
};

type Highlighter = {
  perform: (action: Action) => ActionOutcome;
  clear: () => void;
};

export const STYLE = `
.proposal { display: grid; gap: 0.3rem; }
.frame {
  position: fixed; pointer-events: none; border: 4px solid var(--accent); border-radius: 10px; z-index: -1;
  outline: 3px solid var(--paper); box-shadow: 0 0 0 200vmax #0007;
}
@media (prefers-reduced-motion: no-preference) {
  .frame { animation: beat 900ms ease-in-out 3; }
  @keyframes beat { 50% { outline-offset: 8px; } }
}
@media (forced-colors: active) {
  .frame { border-color: Highlight; }
}
`;

const SHOWN_MILLIS = 8000;
const AROUND_PIXELS = 6;
/** Minimum lifetime from arrival: on a device whose clock is ahead, every action would be expired. */
const ACTION_LIFE_MILLIS_MIN = 60_000;

const KINDS: readonly Action['kind'][] = ['highlight', 'scroll_to', 'focus', 'navigate'];

export function openActions(deps: ActionDeps): Actions {
  const highlighter = createHighlighter(deps);
  return {
    createProposal: (action) =>
      KINDS.includes(action.kind) ? createProposal(action, deps, highlighter) : undefined,
    clear: highlighter.clear,
  };
}

/** Highlights elements of the page with a spotlight that lets clicks through. */
function createHighlighter({ spotlight, dialog, page }: ActionDeps): Highlighter {
  const { findElement, getVisiblePart, fillsScreen } = page;
  let animationFrame = 0;

  function hide(): void {
    cancelAnimationFrame(animationFrame);
    animationFrame = 0;
    spotlight.hidden = true;
  }

  /** Removes the highlight and moves the panel back. */
  function clear(): void {
    hide();
    dialog.removeAttribute('data-aside');
  }

  /** Keeps the spotlight on the target, also when the page renders the target again. */
  function follow(gpId: string, first: Element): void {
    const endsAt = performance.now() + SHOWN_MILLIS;
    let target: Element | undefined = first;
    const draw = () => {
      if (!target?.isConnected) target = findElement(gpId);
      const visiblePart = target && getVisiblePart(target);
      if (performance.now() > endsAt || !visiblePart) return hide();
      const rect = visiblePart.getBoundingClientRect();
      spotlight.style.inset = `${rect.top - AROUND_PIXELS}px auto auto ${rect.left - AROUND_PIXELS}px`;
      spotlight.style.width = `${rect.width + 2 * AROUND_PIXELS}px`;
      spotlight.style.height = `${rect.height + 2 * AROUND_PIXELS}px`;
      // Keep the panel aside, or it would jump back and forth.
      if (fillsScreen(dialog) || overlaps(dialog.getBoundingClientRect(), rect))
        dialog.setAttribute('data-aside', '');
      animationFrame = requestAnimationFrame(draw);
    };
    spotlight.hidden = false;
    draw();
  }

  return {
    clear,
    perform: ({ kind, target: proposed, url }) => {
      clear();
      if (kind === 'navigate') return navigate(url);
      const target = proposed && findElement(proposed.gp_id);
      const visiblePart = target && getVisiblePart(target);
      if (!target || !visiblePart) return 'target_missing';
      // If the panel covers more than half of the screen, it moves aside.
      if (fillsScreen(dialog)) dialog.setAttribute('data-aside', '');
      bringIntoView(visiblePart, kind !== 'scroll_to', dialog.getBoundingClientRect());
      if (kind === 'focus' && !tryFocus(target)) return 'failed';
      follow(proposed.gp_id, target);
      return 'done';
    },
  };
}

/**
 * Scrolls the element into view. With `skipIfVisible`, leaves a fully visible element where it is. A panel as wide as
 * the screen covers everything below the panel's top.
 */
function bringIntoView(visiblePart: Element, skipIfVisible: boolean, panel: DOMRect): void {
  const { top, bottom, left, right } = visiblePart.getBoundingClientRect();
  const height = panel.width < innerWidth ? innerHeight : panel.top;
  if (skipIfVisible && top >= 0 && left >= 0 && bottom <= height && right <= innerWidth) return;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  const { style } = visiblePart as HTMLElement;
  const previousMargin = style.scrollMarginBottom;
  style.scrollMarginBottom = `${innerHeight - height}px`;
  visiblePart.scrollIntoView({ block: 'center', inline: 'nearest', behavior });
  style.scrollMarginBottom = previousMargin;
}

function tryFocus(target: Element): boolean {
  if (!(target instanceof HTMLElement)) return false;
  target.focus({ preventScroll: true });
  const { activeElement } = target.getRootNode() as Document | ShadowRoot;
  return activeElement === target;
}

/** Opens only pages of the same origin, whatever the service proposes. */
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

function overlaps(panel: DOMRect, target: DOMRect): boolean {
  const areApart =
    panel.right < target.left ||
    panel.left > target.right ||
    panel.bottom < target.top ||
    panel.top > target.bottom;
  return !areApart;
}

/** Shows an action that the guide proposes. Nothing happens before the visitor agrees. */
function createProposal(action: Action, deps: ActionDeps, highlighter: Highlighter): HTMLElement {
  const { texts, localization } = deps;
  const expiresAtMillis = Math.max(action.expires_at * 1000, Date.now() + ACTION_LIFE_MILLIS_MIN);
  const name = action.target?.label ?? '';
  // A label that only repeats the name of the target does not say what the button does.
  const label = action.label === name ? fillIn(texts.show, { label: name }) : action.label;
  const result = element('p', { class: 'note', tabindex: -1 });

  function showOutcome(outcome: ActionOutcome | 'expired'): void {
    const sentence = {
      done: texts.shown,
      target_missing: texts.missing,
      failed: localization.texts.failed,
      expired: texts.expired,
      declined: texts.notDone,
    }[outcome];
    result.textContent = fillIn(sentence, { label: name || action.label });
    deps.announcer.say(result.textContent);
  }

  function perform(): void {
    const isExpired = Date.now() > expiresAtMillis;
    const outcome = isExpired ? 'expired' : highlighter.perform(action);
    if (outcome !== 'expired') deps.onOutcome(action, outcome);
    showOutcome(outcome);
  }

  const act = button(label, { class: 'action' }, perform);
  act.dir = 'auto';
  const choices = element('div', { class: 'choices' }, act);
  if (action.requires_confirmation)
    choices.append(
      button(texts.notNow, { class: 'quiet' }, () => {
        deps.onOutcome(action, 'declined');
        choices.remove();
        showOutcome('declined');
        // The focused button is gone.
        result.focus();
      }),
    );
  const reason = [name, action.label].includes(action.reason) ? '' : action.reason;
  return element(
    'div',
    { class: 'proposal' },
    choices,
    element('p', { class: 'note', dir: 'auto' }, reason),
    element('p', { class: 'note', dir: 'ltr' }, getDestination(action)),
    result,
  );
}

/** Returns where `navigate` leads, which the visitor sees before agreeing. */
function getDestination({ url }: Action): string {
  if (url === undefined || !URL.canParse(url, location.href)) return '';
  const { pathname, search, hash } = new URL(url, location.href);
  return pathname + search + hash;
}
