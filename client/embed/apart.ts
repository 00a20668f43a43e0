import { HOST_NAME } from './host-name.ts';

/** Keeps the events of the guide and those of the page apart. */

/** What listeners of the guide read of an event. */
const COPIED = [
  'key',
  'shiftKey',
  'ctrlKey',
  'metaKey',
  'isComposing',
  'button',
  'detail',
  'deltaY',
  'changedTouches',
  'pointerId',
  'clipboardData',
];

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

/** The key that was pressed in the guide last. The focus may be elsewhere when it is released, but the key is not the page's. */
let pressedKey = '';

/** Stops an event of the guide, and gives its listeners a copy that does not leave the shadow tree. */
function divert(event: Event): void {
  const path = event.composedPath() as Element[];
  const [target] = path;
  const { type, bubbles, cancelable, key } = event as KeyboardEvent;
  // Nobody types into a launcher that has the focus, so the page keeps its shortcuts.
  const isOwn = path.some(isGuide) && !(key && target?.className === 'launcher');
  if (type === 'keydown') pressedKey = isOwn ? key : '';
  if (isOwn || isAboutGuide(event as FocusEvent & KeyboardEvent)) event.stopImmediatePropagation();
  if (!isOwn || isGuide(target)) return;
  // A variable of the page may be named `Event`. An event of no special kind has none of these properties yet.
  const copy = document.createEvent('Event') as Event & { isPrevented?: boolean };
  copy.initEvent(type, bubbles, cancelable);
  for (const name of COPIED as 'type'[]) if (name in event) (copy as { type: string })[name] = event[name];
  copy.isPrevented = event.defaultPrevented;
  if (!target?.dispatchEvent(copy)) event.preventDefault();
}

const isGuide = (part: unknown) => (part as Element | null)?.localName === HOST_NAME;

/**
 * True for the event by which a focus trap would notice that the focus moves from its dialog to the guide, and for the release of a
 * key that was pressed in the guide.
 */
const isAboutGuide = ({ type, key, target, relatedTarget }: FocusEvent & KeyboardEvent) =>
  type === 'focusout'
    ? isGuide(relatedTarget) && (target as Element).closest('dialog,[role=dialog],[aria-modal=true]')
    : type === 'keyup' && key === pressedKey;
