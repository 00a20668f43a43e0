import { HOST_NAME } from './host-name.ts';

/** Keeps the events of the guide and those of the page apart. */

/** What listeners of the guide read of an event. */
const COPIED = ['key', 'shiftKey', 'isComposing', 'button', 'detail', 'pointerId', 'clipboardData'];

/**
 * Hears every kind of event before the page does, except for listeners that the page has added to the window's capture phase
 * earlier. The browser itself scrolls, types, pastes and moves the focus regardless of listeners.
 */
export function keepApart(): void {
  const types = ['focusin', 'focusout', 'compositionstart', 'compositionupdate', 'compositionend'];
  // A listener of raw pointer updates makes browsers send them, which costs time.
  for (const name in HTMLElement.prototype) if (/^on(?!pointerraw)/.test(name)) types.push(name.slice(2));
  for (const type of types)
    addEventListener(type, divert, { capture: true, passive: /wheel|touch/.test(type) });
}

/** Stops an event of the guide, and gives its listeners a copy that does not leave the shadow tree. */
function divert(event: Event): void {
  const path = event.composedPath() as Element[];
  const [target] = path;
  const { type, bubbles, cancelable } = event;
  if (!path.some(isGuide)) {
    if (type === 'focusout' && isLeavingModal(event as FocusEvent)) event.stopImmediatePropagation();
    return;
  }
  // Nobody types into a launcher that has the focus, so the page keeps its shortcuts.
  if (/^key/.test(type) && target?.className === 'launcher') return;
  event.stopImmediatePropagation();
  if (isGuide(target)) return;
  // A variable of the page may be named `Event`.
  const copy = new CustomEvent(type, { bubbles, cancelable });
  for (const name of COPIED)
    if (name in event) Object.defineProperty(copy, name, { value: event[name as 'type'] });
  if (!target?.dispatchEvent(copy)) event.preventDefault();
}

const isGuide = (part: unknown) => (part as Element | null)?.localName === HOST_NAME;

/** True for the event by which a focus trap would notice that the focus moves from its dialog to the guide. */
const isLeavingModal = ({ target, relatedTarget }: FocusEvent) =>
  isGuide(relatedTarget) && (target as Element).closest('dialog,[role=dialog],[aria-modal=true]');
