import { createGuide, type Guide, isGuideError } from '../index.ts';
import { openAnnouncer } from './announcer.ts';
import { consentPrompt, disclosureOf, recordSignal } from './consent.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { button, element } from './element.ts';
import { openPointer } from './pointing.ts';
import { bootComplaint, deviceStorage, type Settings } from './settings.ts';
import type { Wording } from './texts.ts';
import { troubleOf } from './trouble.ts';

export type PanelNeeds = {
  readonly settings: Settings;
  readonly wording: Wording;
  readonly languages: readonly string[];
  /** Called when the visitor closes the panel from within. */
  readonly onClose: () => void;
  /** Tells the developer of the page why the guide cannot start; the visitor is told apart. */
  readonly complain: (sentence: string) => void;
};

export type Panel = {
  readonly root: HTMLElement;
  readonly open: (focusedBefore: Element | null, question?: string) => void;
  readonly close: () => void;
};

/** The dialog with the guide. It boots when it is opened for the first time, and not before. */
export function buildPanel({ settings, wording, languages, onClose, complain }: PanelNeeds): Panel {
  const { texts } = wording;
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
  const send = button('', { class: 'send', label: texts.send, icon: 'send' }, () => void submit());
  const stop = button('', { class: 'send', label: texts.stop, icon: 'stop' }, () => conversation?.stop());
  const form = element(
    'form',
    {},
    element('label', { for: 'question', class: 'unseen' }, texts.question),
    field,
    send,
    stop,
  );
  const privacy = button(texts.privacy, { class: 'quiet' }, togglePrivacy);
  const branding = element('span', { class: 'branding', hidden: true }, 'Guidepost');
  const dialog = element(
    'section',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'title', tabindex: -1, hidden: true },
    element(
      'header',
      {},
      title,
      button('', { class: 'quiet', label: texts.close, icon: 'close' }, () => onClose()),
    ),
    log,
    consentArea,
    form,
    element('footer', {}, privacy, branding),
  );
  const frame = element('div', { class: 'frame', hidden: true });
  const announcer = openAnnouncer(element('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' }));
  const pointer = openPointer(frame, dialog);
  const root = element(
    'div',
    { class: 'guide', lang: wording.locale, dir: wording.direction },
    dialog,
    frame,
    announcer.region,
  );
  stop.hidden = privacy.hidden = true;

  let guide: Guide | undefined;
  let conversation: Conversation | undefined;
  let focusedBefore: Element | null = null;

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  });
  root.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) onClose();
  });
  // To the page, typing in here would look like typing into no field at all, and set off its shortcuts.
  for (const type of ['keydown', 'keypress', 'keyup'])
    root.addEventListener(type, (event) => event.stopPropagation());

  async function submit(): Promise<void> {
    const message = field.value.trim();
    if (message === '' || conversation === undefined || field.disabled || !stop.hidden) return;
    field.value = '';
    await conversation.ask(message);
  }

  function setBusy(busy: boolean): void {
    const focused = (root.getRootNode() as ShadowRoot).activeElement;
    send.hidden = busy;
    stop.hidden = !busy;
    // A button that goes away must not take the focus with it.
    if (focused === send || focused === stop || (focused as HTMLElement | null)?.isConnected === false)
      field.focus();
  }

  async function start(): Promise<void> {
    const connecting = element('p', { class: 'status' }, texts.connecting);
    log.replaceChildren(connecting);
    announcer.say(texts.connecting);
    guide ??= openGuide();
    try {
      const state = await guide.boot();
      connecting.remove();
      if (state.jwt !== null && state.features.chat) return await begin(guide);
      complain(
        state.jwt === null
          ? 'The service takes this browser for a bot and gave it no visitor token.'
          : 'Chat is switched off for this workspace.',
      );
      refuse(texts.unavailable);
    } catch (error) {
      if (isGuideError(error)) complain(bootComplaint(settings, error));
      const { sentence, retryable } = troubleOf(error, wording);
      refuse(sentence, retryable);
    }
  }

  function refuse(sentence: string, retryable = false): void {
    announcer.say(sentence);
    const again = retryable ? button(texts.retry, { class: 'action' }, () => void start()) : undefined;
    log.replaceChildren(element('div', { class: 'trouble' }, element('p', {}, sentence), again));
  }

  function openGuide(): Guide {
    const chosen = settings.chosenLanguage();
    return createGuide({
      baseUrl: settings.apiUrl,
      appId: settings.appId,
      storage: deviceStorage,
      // Browsers send their own languages; only a choice made on the page is put before them.
      ...(chosen ? { acceptLanguage: acceptLanguageOf(languages) } : {}),
    });
  }

  async function begin(booted: Guide): Promise<void> {
    const state = booted.state!;
    const { config, consent_directive: directive } = state;
    title.textContent = config.name || texts.guide;
    const disclosure = disclosureOf(state);
    log.append(disclosure);
    for (const part of disclosure.children) announcer.say(part.textContent);
    branding.hidden = !state.show_branding;
    privacy.hidden = false;
    field.disabled = false;
    field.maxLength = config.message_chars_max;
    if (directive.ask) askForConsent(booted);
    void recordSignal(booted);
    conversation = openConversation({
      guide: booted,
      wording,
      announcer,
      pointer,
      log,
      focusedBefore: () => focusedBefore,
      onBusy: setBusy,
    });
    moveFocusIn();
    await conversation.begin();
  }

  function askForConsent(booted: Guide): void {
    consentArea.replaceChildren(
      consentPrompt({
        guide: booted,
        texts,
        announcer,
        onDecided: () => {
          consentArea.replaceChildren();
          field.focus();
        },
      }),
    );
  }

  /** A choice can be changed at any time, as easily as it was made. */
  function togglePrivacy(): void {
    if (!guide?.state) return;
    const shown = consentArea.querySelector('.erase') !== null;
    consentArea.replaceChildren();
    if (!shown || guide.state.consent_directive.ask) askForConsent(guide);
    if (!shown) consentArea.append(eraseButton(guide));
    focusFirst('.consent');
  }

  function eraseButton(booted: Guide): HTMLElement {
    let sure = false;
    const erase = button(texts.erase, { class: 'quiet erase' }, async () => {
      if (!sure) {
        sure = true;
        erase.textContent = texts.eraseNow;
        return;
      }
      const erased = await booted.erase().catch(() => undefined);
      announcer.say(erased ? texts.erased : texts.failed);
      erase.textContent = erased ? texts.erased : texts.failed;
      if (!erased) return;
      consentArea.replaceChildren();
      field.focus();
      await start();
    });
    return erase;
  }

  function moveFocusIn(): void {
    const shadow = root.getRootNode() as ShadowRoot;
    // Only from where opening has put it: a visitor who has moved on is not pulled back.
    if (shadow.activeElement === dialog && !focusFirst('.consent')) field.focus();
  }

  function focusFirst(selector: string): boolean {
    const found = consentArea.querySelector<HTMLElement>(selector);
    found?.focus();
    return found !== null;
  }

  return {
    root,
    open: (before, question) => {
      focusedBefore = before;
      dialog.hidden = false;
      if (question) field.value = question;
      dialog.focus();
      if (guide?.state) moveFocusIn();
      else void start();
    },
    close: () => {
      pointer.clear();
      dialog.hidden = true;
    },
  };
}

/** As many languages as fit into what a browser lets a page send without asking the server first. */
function acceptLanguageOf(languages: readonly string[]): string {
  const ranges = languages
    .slice(0, 9)
    .map((language, rank) => (rank ? `${language};q=0.${10 - rank}` : language));
  while (ranges.join().length > 128) ranges.pop();
  return ranges.join();
}
