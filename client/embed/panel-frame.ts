import { button, element, icon, setLabel } from './element.ts';
import { BOOK, CLOSE, ENLARGE, LIST, PLUS, SEND, SHRINK, STOP } from './icons.ts';
import type { Localization, Texts } from './language.ts';

type FrameDeps = {
  onSubmit: () => void;
  onStop: () => void;
  onNewChat: () => void;
  onConversations: () => void;
  onHelp: () => void;
  onEnlarge: () => void;
  onPrivacy: () => void;
  onClose: () => void;
  onEscape: () => unknown;
};

/** Builds the permanent parts of the dialog, and its keyboard handling. */
export function buildFrame({ texts, locale, direction }: Localization, deps: FrameDeps) {
  const title = element('h2', { id: 'title', dir: 'auto' }, texts.guide);
  const log = element('div', {
    class: 'log',
    role: 'log',
    'aria-live': 'off',
    'aria-label': texts.conversation,
    'aria-busy': 'true',
    tabindex: 0,
  });
  const consentArea = element('div', { class: 'consent-area' });
  const { form, field, send, stop } = buildForm(texts, deps);
  const newChat = button('', { class: 'quiet', label: texts.newChat, icon: PLUS }, deps.onNewChat);
  const conversations = button(
    '',
    { class: 'quiet', label: texts.conversations, icon: LIST },
    deps.onConversations,
  );
  const help = button('', { class: 'quiet', label: texts.help, icon: BOOK }, deps.onHelp);
  const enlarge = button('', { class: 'quiet enlarge', label: texts.enlarge, icon: ENLARGE }, deps.onEnlarge);
  enlarge.setAttribute('aria-pressed', 'false');
  newChat.hidden = conversations.hidden = help.hidden = true;
  const privacy = button(texts.privacy, { class: 'quiet privacy' }, deps.onPrivacy);
  const branding = element('span', { class: 'branding', hidden: true }, 'Guidepost');
  const dialog = element(
    'section',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'title', tabindex: -1, hidden: true },
    element(
      'header',
      {},
      title,
      newChat,
      conversations,
      help,
      enlarge,
      button('', { class: 'quiet close', label: texts.close, icon: CLOSE }, deps.onClose),
    ),
    log,
    consentArea,
    form,
    element('footer', {}, privacy, branding),
  );
  const spotlight = element('div', { class: 'frame', hidden: true });
  const liveRegion = element('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  const root = element(
    'div',
    { class: 'guide', lang: locale, dir: direction },
    dialog,
    spotlight,
    liveRegion,
  );
  stop.hidden = privacy.hidden = true;

  handleKeys(root, form, field, deps);
  return {
    root,
    dialog,
    title,
    newChat,
    conversations,
    help,
    enlarge,
    log,
    consentArea,
    form,
    field,
    send,
    stop,
    privacy,
    branding,
    spotlight,
    liveRegion,
  };
}

function buildForm(texts: Texts, deps: FrameDeps) {
  const field = element('textarea', {
    id: 'question',
    rows: 1,
    placeholder: texts.placeholder,
  });
  const send = button('', { class: 'send', label: texts.send, icon: SEND }, deps.onSubmit);
  const stop = button('', { class: 'send', label: texts.stop, icon: STOP }, deps.onStop);
  const form = element(
    'form',
    {},
    element('label', { for: 'question', class: 'unseen' }, texts.question),
    field,
    send,
    stop,
  );
  return { form, field, send, stop };
}

function handleKeys(root: HTMLElement, form: HTMLElement, field: HTMLElement, deps: FrameDeps): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    deps.onSubmit();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    deps.onSubmit();
  });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    // Otherwise it would also close a dialog of the page around the guide.
    event.preventDefault();
    deps.onEscape();
  });
}

/** Enlarges the panel to the full height and the width of a comfortable line, or shrinks it again. */
export function showLarge(
  { dialog, enlarge }: Record<'dialog' | 'enlarge', HTMLElement>,
  large: boolean,
): void {
  dialog.toggleAttribute('data-large', large);
  enlarge.setAttribute('aria-pressed', String(large));
  enlarge.replaceChildren(icon(large ? SHRINK : ENLARGE));
}

/** True when the panel fills the screen. The style sheet decides, by the size of the screen. */
export const fillsScreen = (dialog: HTMLElement) =>
  getComputedStyle(dialog).getPropertyValue('--gp-modal') === 'true';

/** Keeps the focus of the keyboard and of screen readers in the panel while it fills the screen. */
export function keepModal(dialog: HTMLElement): void {
  const update = () => {
    const isModal = fillsScreen(dialog);
    dialog.setAttribute('aria-modal', String(isModal));
    if (isModal && !dialog.hidden && !dialog.contains(getFocused(dialog))) dialog.focus();
  };
  // Its size changes whenever it starts or stops filling the screen.
  new ResizeObserver(update).observe(dialog);

  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab' || !fillsScreen(dialog)) return;
    // The first and last focusable elements of the panel are buttons.
    const buttons = Array.from(dialog.querySelectorAll('button')).filter((each) => each.checkVisibility());
    const [first, last] = [buttons.at(0), buttons.at(-1)];
    const focused = getFocused(dialog);
    const isAtEnd = event.shiftKey ? focused === first || focused === dialog : focused === last;
    if (!isAtEnd) return;
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  });
}

const TAKEN_BACK_MILLIS = 100;

/**
 * Keeps the focus in the field where an element of the page takes it back as soon as it has lost it, as terminals and fields for
 * scanners do: such an element no longer hears that it loses the focus to the guide.
 */
export function keepFocus(host: Element, { dialog, field }: FocusParts, signal: AbortSignal): void {
  let left: EventTarget | null = null;
  let leftAt = 0;
  let greedy: EventTarget | null = null;
  const leave = (event: FocusEvent) => {
    if (event.relatedTarget !== host) return;
    if (event.target === greedy) event.stopImmediatePropagation();
    left = event.target;
    leftAt = performance.now();
  };
  const options = { capture: true, signal };
  for (const type of ['blur', 'focusout'] as const) addEventListener(type, leave, options);
  const enter = ({ target }: Event) => {
    if (target !== left || dialog.hidden || performance.now() - leftAt > TAKEN_BACK_MILLIS) return;
    greedy = target;
    setTimeout(() => field.focus({ preventScroll: true }));
  };
  addEventListener('focus', enter, options);
  // The visitor may go back at once, too.
  const forget = () => {
    left = null;
  };
  addEventListener('pointerdown', forget, options);
  dialog.addEventListener('keydown', ({ key }) => key === 'Tab' && forget());
}

type FocusParts = Record<'dialog' | 'field', HTMLElement>;

const getFocused = (part: HTMLElement) => (part.getRootNode() as ShadowRoot).activeElement;

const findLauncher = (aside: HTMLElement) => aside.querySelector<HTMLElement>('.launcher')!;

/** Shows that an answer was finished after the visitor had closed the panel. */
export function markUnread(aside: HTMLElement, { unread }: Texts): void {
  const launcher = findLauncher(aside);
  launcher.setAttribute('data-unread', '');
  setLabel(launcher, `${launcher.title} (${unread})`);
}

/** Focuses the element that opened the panel, or the launcher if that element is gone or not focusable. */
export function restoreFocus(openedBy: Element | null, aside: HTMLElement): void {
  (openedBy as HTMLElement | null)?.focus?.({ preventScroll: true });
  if (!openedBy?.matches(':focus')) findLauncher(aside).focus();
}
