import type { BootReply } from '../../generated/types.ts';
import { isGuideError } from '../sdk/errors.ts';
import { createGuide, type Guide } from '../sdk/guide.ts';
import { openAnnouncer } from './announcer.ts';
import { wear } from './branding.ts';
import type { Load } from './chunks.ts';
import { consentPrompt, disclosureOf, recordSignal } from './consent.ts';
import { type Conversation, type Emit, openConversation } from './conversation.ts';
import { button, element } from './element.ts';
import { openPointer } from './highlight.ts';
import { buildFrame } from './panel-frame.ts';
import { keepModal } from './panel-modal.ts';
import { openPassages } from './passage.ts';
import type { GuidepostContext } from './public-api.ts';
import { type Complaint, deviceStorage, type Settings } from './settings.ts';
import { styleAt } from './style.ts';
import { openTabs } from './tabs.ts';
import type { Wording } from './texts.ts';
import { troubleOf } from './trouble.ts';
import { type Extras, openExtras } from './voice-controls.ts';
import { nextTask } from './yield.ts';

export type PanelDeps = {
  readonly shadow: ShadowRoot;
  readonly aside: HTMLElement;
  readonly settings: Settings;
  readonly wording: Wording;
  /** The languages of the visitor where they are others than those of the browser. */
  readonly acceptLanguage: string | undefined;
  /** What the page was answered when it booted ahead. */
  readonly booted: BootReply | undefined;
  /** What the page has said of itself. */
  readonly context: () => GuidepostContext | undefined;
  readonly emit: Emit;
  readonly load: Load;
  /** Called when the visitor closes the panel from within. */
  readonly onClose: () => void;
  /** Tells the developer of the page why the guide cannot start; the visitor is told apart. */
  readonly complain: (complaint: Complaint) => void;
};

export type Panel = {
  readonly open: (focusedBefore: Element | null) => void;
  /** Writes a question for the visitor to send. */
  readonly fill: (question: string) => void;
  readonly ask: (question: string) => void;
  readonly close: () => void;
  readonly end: () => void;
};

/** The dialog with the guide. */
export function buildPanel(deps: PanelDeps): Panel {
  const { settings, wording, onClose, complain, emit } = deps;
  const { texts } = wording;
  const frame = buildFrame(wording, {
    onSubmit: () => void submit(),
    onStop: () => conversation?.stop(),
    onPrivacy: togglePrivacy,
    onClose,
    onEscape: () => passages.back() || onClose(),
  });
  const { root, dialog, title, log, consentArea, field, send, stop, privacy, branding } = frame;
  const announcer = openAnnouncer(frame.said);
  const passages = openPassages(log, wording);
  const pointer = openPointer(frame.pointed, dialog);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styleAt(Number.parseFloat(getComputedStyle(deps.shadow.host).fontSize)));
  deps.shadow.adoptedStyleSheets = [...deps.shadow.adoptedStyleSheets, sheet];
  deps.aside.append(root);
  keepModal(dialog);

  const ending = new AbortController();
  const tabs = openTabs({
    appId: settings.appId,
    guide: () => guide,
    signal: ending.signal,
    onBehind: async () => {
      if (stop.hidden) await conversation?.catchUp();
    },
    onOther: () => void startAnew(),
  });
  let guide: Guide | undefined;
  let guideEnding = new AbortController();
  let booted = deps.booted;
  let conversation: Conversation | undefined;
  let extras: Extras | undefined;
  let focusedBefore: Element | null = null;
  let asked = '';

  async function submit(): Promise<void> {
    const message = field.value.trim();
    if (message === '' || conversation === undefined || field.disabled || !stop.hidden) return;
    field.value = '';
    passages.leave();
    await conversation.ask(message);
  }

  function setBusy(busy: boolean): void {
    const focused = deps.shadow.activeElement;
    send.hidden = busy;
    stop.hidden = !busy;
    // A button that goes away must not take the focus with it.
    if (focused === send || focused === stop) field.focus();
  }

  async function start(): Promise<void> {
    const connecting = element('p', { class: 'status' }, texts.connecting);
    // "Try again" goes away with the rest, and must not take the focus with it.
    if (log.contains(deps.shadow.activeElement)) dialog.focus();
    log.replaceChildren(connecting);
    announcer.say(texts.connecting);
    guide ??= openGuide();
    try {
      const opened = guide;
      const state = opened.state ?? (await opened.boot());
      await nextTask();
      if (guide !== opened) return;
      connecting.remove();
      if (state.jwt !== null && state.features.chat) return await begin(opened);
      complain({ code: state.jwt === null ? 'bot' : 'chat_off' });
      throwApiError(texts.unavailable);
    } catch (error) {
      if (isGuideError(error, 'aborted')) return;
      if (isGuideError(error)) complain(error);
      const { sentence, retryable } = troubleOf(error, wording);
      throwApiError(sentence, retryable);
    }
  }

  function throwApiError(sentence: string, retryable = false): void {
    announcer.say(sentence);
    const again = retryable ? button(texts.retry, { class: 'action' }, () => void start()) : undefined;
    log.replaceChildren(element('div', { class: 'trouble' }, element('p', {}, sentence), again));
  }

  function openGuide(): Guide {
    const { acceptLanguage } = deps;
    const opened = createGuide({
      baseUrl: settings.apiUrl,
      appId: settings.appId,
      storage: deviceStorage,
      ...(booted ? { booted } : {}),
      ...(acceptLanguage ? { acceptLanguage } : {}),
    });
    booted = undefined;
    guideEnding = new AbortController();
    guideEnding.signal.addEventListener('abort', () => opened.close());
    return opened;
  }

  /** Another page of this visitor has deleted what was known of them, or has begun to keep it. */
  async function startAnew(): Promise<void> {
    if (guide === undefined || !stop.hidden) return;
    guideEnding.abort();
    guide = conversation = undefined;
    field.disabled = true;
    consentArea.replaceChildren();
    passages.leave();
    if (dialog.hidden) log.replaceChildren();
    else await start();
  }

  async function begin(open: Guide): Promise<void> {
    const state = open.state!;
    const { config, consent_directive: directive } = state;
    title.textContent = config.branding.title ?? (config.name || texts.guide);
    wear(deps.aside, config.branding);
    const disclosure = disclosureOf(state);
    log.append(disclosure);
    for (const part of disclosure.children) announcer.say(part.textContent);
    branding.hidden = !state.show_branding;
    privacy.hidden = false;
    field.disabled = false;
    field.maxLength = config.message_chars_max;
    if (directive.ask) askForConsent(open);
    void recordSignal({ guide: open, tell }).finally(tabs.settle);
    extras = openExtras({ ...frame, ...deps, guide: open, announcer, signal: guideEnding.signal });
    conversation = openConversation({
      appId: settings.appId,
      guide: open,
      tabs,
      wording,
      announcer,
      pointer,
      log,
      extras,
      signal: guideEnding.signal,
      focusedBefore: () => focusedBefore,
      context: deps.context,
      emit,
      onBusy: setBusy,
      onCitation: passages.show,
    });
    tabs.settle();
    moveFocusIn();
    const message = asked;
    asked = '';
    await conversation.begin();
    if (message) await conversation?.ask(message);
  }

  const tell = (detail: { readonly decision: string; readonly recorded: boolean }) => emit('consent', detail);

  function askForConsent(open: Guide): void {
    const prompt = consentPrompt({
      guide: open,
      texts,
      announcer,
      tell,
      onDecided: () => {
        tabs.settle();
        consentArea.replaceChildren();
        field.focus();
      },
    });
    consentArea.replaceChildren(prompt);
  }

  /** A choice can be changed at any time, as easily as it was made. */
  function togglePrivacy(): void {
    if (!guide?.state) return;
    const shown = consentArea.querySelector('.erase') !== null;
    consentArea.replaceChildren();
    if (!shown || guide.state.consent_directive.ask) askForConsent(guide);
    if (!shown) consentArea.append(eraseButton(guide));
    consentArea.querySelector<HTMLElement>('.consent')?.focus();
  }

  function eraseButton(open: Guide): HTMLElement {
    let sure = false;
    const erase = button(texts.erase, { class: 'quiet erase' }, async () => {
      if (!sure) {
        sure = true;
        erase.textContent = texts.eraseNow;
        return;
      }
      const erased = await open.erase().catch(() => undefined);
      tabs.settle();
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
    // Only from where opening has put it: a visitor who has moved on is not pulled back.
    if (deps.shadow.activeElement !== dialog) return;
    const prompt = consentArea.querySelector<HTMLElement>('.consent');
    (prompt ?? field).focus();
  }

  return {
    open: (before) => {
      focusedBefore = before;
      dialog.hidden = false;
      dialog.focus();
      if (conversation) moveFocusIn();
      else void start();
    },
    fill: (question) => {
      if (question) field.value = question;
    },
    ask: (question) => {
      const message = question.trim();
      if (message === '') return;
      // What cannot be asked now is there for the visitor to send.
      if (message.length > field.maxLength && field.maxLength > 0) field.value = message;
      else if (!conversation) asked = message;
      else if (stop.hidden) void conversation.ask(message);
      else field.value = message;
    },
    close: () => {
      extras?.quiet();
      pointer.clear();
      dialog.hidden = true;
    },
    end: () => {
      ending.abort();
      guideEnding.abort();
      pointer.clear();
      root.remove();
    },
  };
}
