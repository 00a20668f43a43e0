import type { BootReply } from '../../generated/types.ts';
import { isGuideError } from '../sdk/errors.ts';
import { createGuide, type Guide } from '../sdk/guide.ts';
import { deviceStorage, type InstallError, type Settings } from './boot.ts';
import { type LoadChunk, yieldToPage } from './chunks.ts';
import { createConsentPrompt, createDisclosure, recordSignal } from './consent.ts';
import { Conversation, type Emit } from './conversation.ts';
import { type Announcer, button, element, openAnnouncer } from './element.ts';
import { isPaused, RECHECK_SECONDS_MAX, RECHECK_SECONDS_MIN, toErrorMessage } from './error-message.ts';
import type { Localization } from './language.ts';
import { type OptionalFeatures, openOptionalFeatures } from './optional-features.ts';
import { buildFrame, keepModal } from './panel-frame.ts';
import type { GuidepostContext } from './public-api.ts';
import { openPassages, type Passages } from './sources.ts';
import { applyBranding, buildPanelStyle } from './style.ts';
import { openTabs, type Tabs } from './tabs.ts';

export type PanelDeps = {
  readonly shadow: ShadowRoot;
  readonly aside: HTMLElement;
  readonly settings: Settings;
  readonly localization: Localization;
  /** The visitor's languages, if they differ from those of the browser. */
  readonly acceptLanguage: string | undefined;
  /** The reply to the boot of the launcher. */
  readonly booted: BootReply | undefined;
  /** The context that the page has set. */
  readonly context: () => GuidepostContext | undefined;
  readonly emit: Emit;
  readonly load: LoadChunk;
  /** Called when the panel has a boot reply. */
  readonly onBoot: (reply: BootReply) => void;
  /** Called when the visitor closes the panel. */
  readonly onClose: () => void;
  /** Explains to the page's developer why the guide cannot start. */
  readonly reportError: (error: InstallError) => void;
};

/** The dialog with the guide. */
export class Panel {
  readonly #deps: PanelDeps;
  readonly #frame: ReturnType<typeof buildFrame>;
  readonly #announcer: Announcer;
  readonly #passages: Passages;
  readonly #tabs: Tabs;
  readonly #ending = new AbortController();
  #guide: Guide | undefined;
  #recheckSeconds = RECHECK_SECONDS_MIN;
  #guideEnding = new AbortController();
  #booted: BootReply | undefined;
  #conversation: Conversation | undefined;
  #features: OptionalFeatures | undefined;
  #focusedBefore: Element | null = null;
  #pendingQuestion = '';

  constructor(deps: PanelDeps) {
    const { settings, localization, shadow, onClose } = deps;
    this.#deps = deps;
    this.#booted = deps.booted;
    this.#frame = buildFrame(localization, {
      onSubmit: () => void this.#submit(),
      onStop: () => this.#conversation?.stop(),
      onPrivacy: () => this.#togglePrivacy(),
      onClose,
      onEscape: () => this.#passages.back() || onClose(),
    });
    const { root, dialog, log, stop, liveRegion } = this.#frame;
    this.#announcer = openAnnouncer(liveRegion);
    this.#passages = openPassages(log, localization);
    this.#tabs = openTabs({
      appId: settings.appId,
      guide: () => this.#guide,
      signal: this.#ending.signal,
      onBehind: async () => {
        if (stop.hidden) await this.#conversation?.catchUp();
      },
      onVisitorChange: () => void this.#restart(),
    });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(buildPanelStyle(Number.parseFloat(getComputedStyle(shadow.host).fontSize)));
    shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
    deps.aside.append(root);
    keepModal(dialog);
  }

  /** A panel that opens by itself leaves the focus where it is. */
  open(focusedBefore: Element | null, takesFocus: boolean): void {
    const { dialog } = this.#frame;
    this.#focusedBefore = focusedBefore;
    dialog.hidden = false;
    if (takesFocus) dialog.focus();
    if (this.#conversation) this.#moveFocusIn();
    else void this.#start();
  }

  /** Writes a question into the field, for the visitor to send. */
  fill(question: string): void {
    if (question) this.#frame.field.value = question;
  }

  ask(question: string): void {
    const { field, stop } = this.#frame;
    const message = question.trim();
    if (message === '') return;
    // A question that cannot be sent now stays in the field for the visitor.
    if (message.length > field.maxLength && field.maxLength > 0) field.value = message;
    else if (!this.#conversation) this.#pendingQuestion = message;
    else if (stop.hidden) void this.#conversation.ask(message);
    else field.value = message;
  }

  /** Shows the suggestions for another path, until the visitor has asked. */
  updateSuggestions(): void {
    this.#conversation?.updateSuggestions();
  }

  close(): void {
    this.#features?.stopVoice();
    this.#features?.clearHighlight();
    this.#frame.dialog.hidden = true;
  }

  end(): void {
    this.#ending.abort();
    this.#guideEnding.abort();
    this.#frame.root.remove();
  }

  async #submit(): Promise<void> {
    const { field, stop } = this.#frame;
    const message = field.value.trim();
    if (message === '' || this.#conversation === undefined || field.disabled || !stop.hidden) return;
    field.value = '';
    this.#passages.close();
    await this.#conversation.ask(message);
  }

  #setBusy(busy: boolean): void {
    const { send, stop, field } = this.#frame;
    const focused = this.#deps.shadow.activeElement;
    send.hidden = busy;
    stop.hidden = !busy;
    // The focused button disappears.
    if (focused === send || focused === stop) field.focus();
  }

  async #start(): Promise<void> {
    const { localization, shadow, reportError } = this.#deps;
    const { log, dialog } = this.#frame;
    const { texts } = localization;
    const connecting = element('p', { class: 'status' }, texts.connecting);
    // The retry button disappears; keep the focus in the dialog.
    if (log.contains(shadow.activeElement)) dialog.focus();
    log.replaceChildren(connecting);
    this.#announcer.say(texts.connecting);
    this.#guide ??= this.#openGuide();
    const guide = this.#guide;
    try {
      const state = guide.state ?? (await guide.boot());
      await yieldToPage();
      if (this.#guide !== guide) return;
      connecting.remove();
      if (state.features.chat) return await this.#begin(guide, state);
      reportError({ code: 'chat_off' });
      this.#showError(texts.unavailable);
    } catch (error) {
      if (isGuideError(error, 'aborted')) return;
      if (isGuideError(error)) reportError(error);
      const { sentence, retryable } = toErrorMessage(error, localization);
      const paused = isGuideError(error) && isPaused(error);
      this.#showError(sentence, retryable && !paused);
      if (paused) this.#checkLater();
    }
  }

  /** Asks again for a paused guide. */
  #checkLater(): void {
    const seconds = this.#recheckSeconds;
    this.#recheckSeconds = Math.min(seconds * 2, RECHECK_SECONDS_MAX);
    const guide = this.#guide;
    setTimeout(() => {
      if (this.#guide === guide && this.#frame.log.isConnected) void this.#start();
    }, seconds * 1000);
  }

  #showError(sentence: string, retryable = false): void {
    const { retry } = this.#deps.localization.texts;
    this.#announcer.say(sentence);
    const again = retryable ? button(retry, { class: 'action' }, () => void this.#start()) : undefined;
    this.#frame.log.replaceChildren(element('div', { class: 'trouble' }, element('p', {}, sentence), again));
  }

  #openGuide(): Guide {
    const { acceptLanguage, settings } = this.#deps;
    const guide = createGuide({
      baseUrl: settings.apiUrl,
      appId: settings.appId,
      storage: deviceStorage,
      booted: this.#booted,
      acceptLanguage,
    });
    this.#booted = undefined;
    this.#guideEnding = new AbortController();
    this.#guideEnding.signal.addEventListener('abort', guide.close);
    return guide;
  }

  /** Starts over after another tab has deleted or started to store this visitor. */
  async #restart(): Promise<void> {
    const { stop, field, consentArea, dialog, log } = this.#frame;
    if (this.#guide === undefined || !stop.hidden) return;
    this.#guideEnding.abort();
    this.#guide = this.#conversation = undefined;
    field.disabled = true;
    consentArea.replaceChildren();
    this.#passages.close();
    if (dialog.hidden) log.replaceChildren();
    else await this.#start();
  }

  async #begin(guide: Guide, state: BootReply): Promise<void> {
    this.#showState(state);
    this.#deps.onBoot(state);
    if (state.consent_directive.ask) this.#askForConsent(guide);
    void recordSignal({ guide, emit: this.#deps.emit }).finally(this.#tabs.settle);
    const shared = {
      ...this.#frame,
      ...this.#deps,
      guide,
      announcer: this.#announcer,
      signal: this.#guideEnding.signal,
    };
    this.#features = openOptionalFeatures(shared);
    this.#conversation = new Conversation({
      ...shared,
      appId: this.#deps.settings.appId,
      tabs: this.#tabs,
      features: this.#features,
      focusedBefore: () => this.#focusedBefore,
      onBusy: (busy) => this.#setBusy(busy),
      onCitation: this.#passages.show,
    });
    this.#tabs.settle();
    this.#moveFocusIn();
    const message = this.#pendingQuestion;
    this.#pendingQuestion = '';
    await this.#conversation.begin();
    if (message) await this.#conversation?.ask(message);
  }

  #showState(state: BootReply): void {
    const { config } = state;
    const { title, log, branding, privacy, field } = this.#frame;
    title.textContent = config.branding.title ?? (config.name || this.#deps.localization.texts.guide);
    applyBranding(this.#deps.aside, config.branding);
    const disclosure = createDisclosure(state);
    log.append(disclosure);
    for (const part of disclosure.children) this.#announcer.say(part.textContent);
    branding.hidden = !state.show_branding;
    privacy.hidden = false;
    field.disabled = false;
    field.maxLength = config.message_chars_max;
  }

  #askForConsent(guide: Guide): void {
    const { consentArea, field } = this.#frame;
    const prompt = createConsentPrompt({
      guide,
      texts: this.#deps.localization.texts,
      announcer: this.#announcer,
      emit: this.#deps.emit,
      onDecided: () => {
        this.#tabs.settle();
        consentArea.replaceChildren();
        field.focus();
      },
    });
    consentArea.replaceChildren(prompt);
  }

  /** Lets visitors change their choice at any time. */
  #togglePrivacy(): void {
    const { consentArea } = this.#frame;
    const guide = this.#guide;
    if (!guide?.state) return;
    const isShown = consentArea.querySelector('.erase') !== null;
    consentArea.replaceChildren();
    if (!isShown || guide.state.consent_directive.ask) this.#askForConsent(guide);
    if (!isShown) consentArea.append(this.#createEraseButton(guide));
    consentArea.querySelector<HTMLElement>('.consent')?.focus();
  }

  #createEraseButton(guide: Guide): HTMLElement {
    const { texts } = this.#deps.localization;
    let isConfirming = false;
    const erase = button(texts.erase, { class: 'quiet erase' }, async () => {
      if (!isConfirming) {
        isConfirming = true;
        erase.textContent = texts.eraseNow;
        return;
      }
      const erased = await guide.erase().catch(() => undefined);
      this.#tabs.settle();
      const sentence = erased ? texts.erased : texts.failed;
      this.#announcer.say(sentence);
      erase.textContent = sentence;
      if (!erased) return;
      this.#frame.consentArea.replaceChildren();
      this.#frame.field.focus();
      await this.#start();
    });
    return erase;
  }

  /** Moves the focus from the dialog to its first field, unless the visitor has moved it already. */
  #moveFocusIn(): void {
    const { dialog, consentArea, field } = this.#frame;
    if (this.#deps.shadow.activeElement !== dialog) return;
    const prompt = consentArea.querySelector<HTMLElement>('.consent');
    (prompt ?? field).focus();
  }
}
