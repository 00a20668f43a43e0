import { button, element } from './element.ts';
import type { Wording } from './texts.ts';

export type FrameDeps = {
  readonly onSubmit: () => void;
  readonly onStop: () => void;
  readonly onPrivacy: () => void;
  readonly onClose: () => void;
  readonly onEscape: () => unknown;
};

/** The parts of the dialog that are always there, and what the keyboard does in it. */
export function buildFrame({ texts, locale, direction }: Wording, deps: FrameDeps) {
  const title = element('h2', { id: 'title', dir: 'auto' }, texts.guide);
  const log = element('div', {
    class: 'log',
    role: 'log',
    'aria-live': 'off',
    'aria-label': texts.conversation,
    tabindex: 0,
  });
  const consentArea = element('div', { class: 'consent-area' });
  const field = element('textarea', {
    id: 'question',
    rows: 2,
    disabled: true,
    placeholder: texts.placeholder,
  });
  const send = button('', { class: 'send', label: texts.send, icon: 'send' }, deps.onSubmit);
  const stop = button('', { class: 'send', label: texts.stop, icon: 'stop' }, deps.onStop);
  const form = element(
    'form',
    {},
    element('label', { for: 'question', class: 'unseen' }, texts.question),
    field,
    send,
    stop,
  );
  const privacy = button(texts.privacy, { class: 'quiet' }, deps.onPrivacy);
  const branding = element('span', { class: 'branding', hidden: true }, 'Guidepost');
  const dialog = element(
    'section',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'title', tabindex: -1, hidden: true },
    element(
      'header',
      {},
      title,
      button('', { class: 'quiet', label: texts.close, icon: 'close' }, deps.onClose),
    ),
    log,
    consentArea,
    form,
    element('footer', {}, privacy, branding),
  );
  const pointed = element('div', { class: 'frame', hidden: true });
  const said = element('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  const root = element('div', { class: 'guide', lang: locale, dir: direction }, dialog, pointed, said);
  stop.hidden = privacy.hidden = true;

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
    if (event.key === 'Escape' && !event.isComposing) deps.onEscape();
  });
  // To the page, typing in here would look like typing into no field at all, and set off its shortcuts.
  for (const type of ['keydown', 'keypress', 'keyup'])
    root.addEventListener(type, (event) => event.stopPropagation());

  return { root, dialog, title, log, consentArea, form, field, send, stop, privacy, branding, pointed, said };
}
