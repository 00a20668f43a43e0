import type { BootReply } from '../../generated/types.ts';
import { resendDenial } from '../consent-defaults.ts';
import { type Denial, openDenial } from '../denial.ts';
import { isGuideError } from '../sdk/errors.ts';
import type { Guide } from '../sdk/guide.ts';
import { readTab, writeTab } from './browser-storage.ts';
import { yieldToPage } from './chunks.ts';
import { addWording, createDisclosure, recordSignal } from './consent.ts';
import type * as conversationChunk from './conversation.ts';
import { createConversationList } from './conversation-list.ts';
import { addQuestion, type Draft, openDraft } from './draft.ts';
import { type Announcer, button, element, openAnnouncer } from './element.ts';
import {
  createTrouble,
  type ErrorMessage,
  isPaused,
  RECHECK_SECONDS_MAX,
  RECHECK_SECONDS_MIN,
  toErrorMessage,
} from './error-message.ts';
import { openGuide } from './open-guide.ts';
import type { PanelDeps } from './panel-deps.ts';
import { buildFrame, keepFocus, keepModal, markUnread, restoreFocus, showLarge } from './panel-frame.ts';
import { openPanelHelp } from './panel-help.ts';
import { handlePreventedEvents } from './prevented-events.ts';
import { askForConsent, leavePrivacy, type PrivacyDeps, togglePrivacy } from './privacy.ts';
import { createStart } from './start.ts';
import { addStyle, applyBranding, PANEL_STYLE } from './style.ts';
import { openTabs, type Tabs } from './tabs.ts';
import { openViews, type Views } from './views.ts';
import { openVoiceControls, type VoiceControls } from './voice-controls.ts';

/** The dialog with the guide. */
export class Panel {
  readonly #deps: PanelDeps;
  readonly #frame: ReturnType<typeof buildFrame>;
  readonly #announcer: Announcer;
  readonly #views: Views;
  readonly #tabs: Tabs;
  readonly #draft: Draft;
  readonly #denial: Denial;
  readonly #ending = new AbortController();
  #guide: Guide | undefined;
  #recheckSeconds = RECHECK_SECONDS_MIN;
  #guideEnding = new AbortController();
  #booted: BootReply | undefined;
  /** Loads what shows questions and answers, once the guide is connected. */
  #openConversation: (() => Promise<conversationChunk.Conversation>) | undefined;
  #conversation: conversationChunk.Conversation | undefined;
  readonly #help: ReturnType<typeof openPanelHelp>;
  #voice: VoiceControls | undefined;
  #focusedBefore: Element | null = null;
  #pendingQuestion = '';
  /** The visitor has sent the question in the field before the guide was connected. */
  #sendsWhenReady = false;

  constructor(deps: PanelDeps) {
    const { settings, localization, shadow, aside, onClose } = deps;
    this.#deps = {
      ...deps,
      emit: (event, detail) => {
        if (event === 'answer' && this.#frame.dialog.hidden) markUnread(aside, localization.texts);
        deps.emit(event, detail);
      },
    };
    this.#booted = deps.booted && addWording(deps.booted, localization.wording);
    this.#frame = buildFrame(localization, {
      onSubmit: () => void this.#submit(),
      onStop: () => this.#conversation?.stop(),
      onNewChat: () => this.#startOver(),
      onConversations: () => this.#showConversations(),
      onHelp: () => this.#showHelp(),
      onEnlarge: () => this.#enlarge(!this.#frame.dialog.hasAttribute('data-large')),
      onPrivacy: () => this.#guide?.state && togglePrivacy(this.#getPrivacyDeps(this.#guide)),
      onClose,
      onEscape: () => this.#views.back() || onClose(),
    });
    const { root, dialog, log, field, stop, liveRegion } = this.#frame;
    this.#announcer = openAnnouncer(liveRegion);
    this.#views = openViews(log);
    this.#help = openPanelHelp({
      ...this.#frame,
      ...deps,
      announcer: this.#announcer,
      views: this.#views,
      guide: () => (this.#guide ??= this.#openGuide()),
      signal: () => this.#guideEnding.signal,
      onAsk: (question) => this.ask(question),
    });
    this.#tabs = openTabs({
      appId: settings.appId,
      guide: () => this.#guide,
      signal: this.#ending.signal,
      onBehind: async () => {
        if (stop.hidden) await this.#conversation?.catchUp();
      },
      onVisitorChange: (isDeleted) => {
        if (isDeleted || stop.hidden) void this.#restart();
      },
    });
    this.#denial = openDenial(settings.appId);
    this.#draft = openDraft(settings.appId, field, () => this.#mayStore());
    addStyle(shadow, PANEL_STYLE);
    aside.append(root);
    keepModal(dialog);
    handlePreventedEvents(root);
    keepFocus(deps.host, this.#frame, this.#ending.signal);
  }

  /** Opens the panel. One that opens by itself leaves the focus where it is. */
  open(focusedBefore: Element | null, takesFocus: boolean): void {
    const { dialog } = this.#frame;
    this.#focusedBefore = focusedBefore === this.#deps.host ? null : focusedBefore;
    dialog.hidden = false;
    if (takesFocus) this.#frame.field.focus({ preventScroll: true });
    if (!this.#openConversation) void this.#start();
  }

  /** Writes a question into the field, for the visitor to send. Keeps what the visitor has typed. */
  fill(question: unknown): void {
    if (question && isText(question)) addQuestion(this.#frame.field, question);
  }

  search(): Promise<void> {
    return this.#help.search();
  }

  ask(question: unknown): void {
    const { field, stop } = this.#frame;
    const message = isText(question) ? question.trim() : '';
    if (message === '') return;
    this.#views.close();
    // A question that cannot be sent now stays in the field for the visitor.
    if (message.length > field.maxLength && field.maxLength > 0) addQuestion(field, message);
    else if (!this.#openConversation) this.#pendingQuestion = message;
    else if (stop.hidden) void this.#send(message);
    else addQuestion(field, message);
  }

  /** Shows the suggestions for another path, until the visitor has asked. */
  updateSuggestions(): void {
    const { log } = this.#frame;
    const current = log.querySelector('.suggestions');
    if (current && !log.querySelector('.question')) current.replaceWith(this.#createStart());
  }

  close(): void {
    const { shadow, aside } = this.#deps;
    const hadFocus = shadow.activeElement !== null;
    this.#voice?.stop();
    this.#conversation?.clearHighlight();
    this.#frame.dialog.hidden = true;
    this.#leavePrivacy();
    if (hadFocus) restoreFocus(this.#focusedBefore, aside);
  }

  end(): void {
    this.#ending.abort();
    this.#guideEnding.abort();
    this.#frame.root.remove();
  }

  async #submit(): Promise<void> {
    const { field, stop } = this.#frame;
    const message = field.value.trim();
    if (message === '' || !stop.hidden || (field.maxLength > 0 && message.length > field.maxLength)) return;
    this.#sendsWhenReady = this.#openConversation === undefined;
    if (this.#sendsWhenReady) return;
    field.value = '';
    this.#draft.clear();
    // Close an on-screen keyboard, which would cover the answer.
    if (matchMedia('(hover: none)').matches)
      this.#frame.log.focus({ preventScroll: true, focusVisible: false } as FocusOptions);
    this.#views.close();
    await this.#send(message);
  }

  async #send(message: string): Promise<void> {
    const { field } = this.#frame;
    this.#setBusy(true);
    this.#voice?.stop();
    this.#leavePrivacy();
    try {
      const conversation = await this.#openConversation!();
      await conversation.ask(message);
    } catch (error) {
      this.#setBusy(false);
      addQuestion(field, message);
      this.#showFailure(error);
    }
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
    const { log, field } = this.#frame;
    const { texts } = localization;
    const connecting = element('p', { class: 'status' }, texts.connecting);
    // The retry button disappears; keep the focus in the dialog.
    if (log.contains(shadow.activeElement)) field.focus();
    log.replaceChildren(connecting);
    log.setAttribute('aria-busy', 'true');
    this.#announcer.say(texts.connecting);
    this.#guide ??= this.#openGuide();
    const guide = this.#guide;
    try {
      if (!guide.state) await guide.boot();
      if (this.#denial.isKept()) await resendDenial(guide);
      const state = guide.state ?? (await guide.boot());
      const { user_token: result = 'accepted' } = state;
      if (result !== 'accepted') console.warn(`Guidepost: the user token is not used (${result}).`);
      await yieldToPage();
      if (this.#guide !== guide) return;
      connecting.remove();
      if (state.features.chat) return await this.#begin(guide, state);
      reportError({ code: 'chat_off' });
      this.#showError({ sentence: texts.unavailable, retryable: false });
    } catch (error) {
      this.#showFailure(error);
    }
  }

  #showFailure(error: unknown): void {
    const { localization, reportError } = this.#deps;
    if (isGuideError(error, 'aborted')) return;
    if (isGuideError(error)) reportError(error);
    const message = toErrorMessage(error, localization);
    const isGuidePaused = isGuideError(error) && isPaused(error);
    this.#showError({ ...message, retryable: message.retryable && !isGuidePaused });
    if (isGuidePaused) this.#checkLater();
  }

  /** Checks after a while whether a paused guide is available again. */
  #checkLater(): void {
    const seconds = this.#recheckSeconds;
    this.#recheckSeconds = Math.min(seconds * 2, RECHECK_SECONDS_MAX);
    const guide = this.#guide;
    setTimeout(() => {
      if (this.#guide === guide && this.#frame.log.isConnected) void this.#start();
    }, seconds * 1000);
  }

  #showError(error: ErrorMessage): void {
    const { texts } = this.#deps.localization;
    this.#announcer.say(error.sentence);
    const retryButton = error.retryable
      ? button(texts.retry, { class: 'action' }, () => void this.#start())
      : undefined;
    const { log } = this.#frame;
    log.removeAttribute('aria-busy');
    log.replaceChildren(createTrouble(error, texts, retryButton));
  }

  #openGuide(): Guide {
    const guide = openGuide(this.#deps, this.#denial.storage, this.#booted);
    this.#booted = undefined;
    this.#guideEnding = new AbortController();
    this.#guideEnding.signal.addEventListener('abort', guide.close);
    return guide;
  }

  /** Starts over after another tab has deleted or started to store this visitor. */
  async #restart(): Promise<void> {
    const { consentArea, dialog, log } = this.#frame;
    if (this.#guide === undefined) return;
    this.#conversation?.stop();
    this.#guideEnding.abort();
    this.#guide = this.#conversation = this.#openConversation = undefined;
    consentArea.replaceChildren();
    this.#views.close();
    if (dialog.hidden) log.replaceChildren();
    else await this.#start();
  }

  async #begin(guide: Guide, state: BootReply): Promise<void> {
    this.#showState(guide, state);
    await this.#deps.onBoot(state);
    if (this.#guide !== guide) return;
    if (state.consent_directive.ask) askForConsent(this.#getPrivacyDeps(guide));
    void recordSignal({ guide, emit: this.#deps.emit }).finally(this.#tabs.settle);
    const sharedDeps = {
      ...this.#frame,
      ...this.#deps,
      guide,
      announcer: this.#announcer,
      signal: this.#guideEnding.signal,
    };
    this.#voice = openVoiceControls(sharedDeps);
    const conversationDeps = {
      ...sharedDeps,
      appId: this.#deps.settings.appId,
      tabs: this.#tabs,
      views: this.#views,
      voice: this.#voice,
      focusedBefore: () => this.#focusedBefore,
      onBusy: (busy: boolean) => this.#setBusy(busy),
      onShown: () => this.#updateHeader(),
      showStart: () => this.#frame.log.append(this.#createStart()),
    };
    this.#openConversation = async () => {
      const { Conversation } = await this.#deps.load<typeof conversationChunk>('conversation');
      if (this.#guide === guide) this.#conversation ??= new Conversation(conversationDeps);
      return this.#conversation!;
    };
    this.#tabs.settle();
    this.#draft.restore();
    if (this.#mayStore() && readTab(this.#deps.settings.appId, 'large')) this.#enlarge(true);
    await this.#showFirst(guide);
    const message = this.#pendingQuestion;
    this.#pendingQuestion = '';
    if (message) await this.#send(message);
    else if (this.#sendsWhenReady) await this.#submit();
  }

  /** Restores the conversation of an earlier page, or suggests first questions. */
  async #showFirst(guide: Guide): Promise<void> {
    const { log, field } = this.#frame;
    const open = this.#openConversation!;
    const { signal } = this.#guideEnding;
    field.addEventListener('input', () => void open().catch(() => {}), { once: true, signal });
    // A customer may have asked on another device.
    if (this.#isCustomer() && !guide.conversationId) await guide.readConversations().catch(() => {});
    const isKnown = guide.conversationId && (this.#mayStore() || this.#isCustomer());
    if (isKnown && (await (await open()).restore(guide.conversationId))) return;
    if (!log.querySelector('.turn')) log.append(this.#createStart());
    const { handover } = guide.state!.config;
    // A customer may have asked on another device, and any visitor before the first question.
    const mayHaveAsked = this.#isCustomer() || (handover?.mode === 'always' && this.#mayStore());
    if (mayHaveAsked && handover)
      void open().then(
        (conversation) => conversation.showThreads(),
        () => {},
      );
  }

  #createStart(): HTMLElement {
    const { branding, handover } = this.#guide!.state!.config;
    return createStart({
      ...this.#deps,
      branding,
      onAsk: (message) => void this.#send(message),
      onBrowse: () => this.#showHelp(),
      onAskPerson: handover?.mode === 'always' ? (from) => this.#askPerson(from) : undefined,
    });
  }

  #leavePrivacy(): void {
    if (this.#guide?.state) leavePrivacy(this.#getPrivacyDeps(this.#guide));
  }

  #showHelp(): void {
    this.#leavePrivacy();
    void this.#help.show();
  }

  #askPerson(from: HTMLElement): void {
    this.#leavePrivacy();
    void this.#openConversation!().then(
      (conversation) => conversation.askPerson(from),
      (error) => this.#showFailure(error),
    );
  }

  #showState(guide: Guide, state: BootReply): void {
    const { config } = state;
    const { dialog, title, log, branding, privacy, field, help } = this.#frame;
    title.textContent = config.branding.title ?? (config.name || this.#deps.localization.texts.guide);
    applyBranding(this.#deps.aside, this.#deps.shadow.host, config.branding);
    const disclosure = createDisclosure(this.#getPrivacyDeps(guide));
    dialog.querySelector('.disclosure')?.remove();
    privacy.before(disclosure);
    for (const part of disclosure.querySelectorAll('details, p')) this.#announcer.say(part.textContent);
    branding.hidden = !state.show_branding;
    privacy.hidden = help.hidden = false;
    field.maxLength = config.message_chars_max;
    log.removeAttribute('aria-busy');
  }

  #mayStore(): boolean {
    return this.#guide?.state?.features.persist_visitor ?? false;
  }

  #isCustomer(): boolean {
    return this.#guide?.state?.user_token === 'accepted';
  }

  #clearTab(): void {
    this.#draft.clear();
    writeTab(this.#deps.settings.appId, 'large', '');
  }

  #enlarge(large: boolean): void {
    showLarge(this.#frame, large);
    if (this.#mayStore()) writeTab(this.#deps.settings.appId, 'large', large ? '1' : '');
  }

  /** Offers the list of conversations only while the device may store it, or the service has it. */
  #updateHeader(): void {
    const { newChat, conversations, log } = this.#frame;
    newChat.hidden = !log.querySelector('.turn');
    const others = this.#guide?.conversations.filter(
      ({ conversationId: id }) => id !== this.#guide?.conversationId,
    );
    conversations.hidden = !(this.#mayStore() || this.#isCustomer()) || !others?.length;
  }

  #startOver(): void {
    this.#views.close();
    this.#conversation?.startOver();
    this.#tabs.settle();
    this.#updateHeader();
    this.#frame.field.focus();
  }

  #showConversations(): void {
    const guide = this.#guide;
    if (!guide) return;
    this.#leavePrivacy();
    const list = createConversationList({
      conversations: guide.conversations,
      currentId: guide.conversationId,
      localization: this.#deps.localization,
      onSelect: (conversationId) => void this.#select(conversationId),
      onBack: this.#views.back,
    });
    this.#views.show(list, this.#frame.conversations);
  }

  async #select(conversationId: string): Promise<void> {
    this.#views.close();
    this.#frame.field.focus();
    const isShown = await this.#conversation?.open(conversationId);
    this.#tabs.settle();
    this.#updateHeader();
    if (!isShown) this.#announcer.say(this.#deps.localization.texts.failed);
  }

  #getPrivacyDeps(guide: Guide): PrivacyDeps {
    const { consentArea, privacy, field, dialog } = this.#frame;
    return {
      guide,
      consentArea,
      privacy,
      denial: this.#denial,
      texts: this.#deps.localization.texts,
      announcer: this.#announcer,
      emit: this.#deps.emit,
      onDecided: () => {
        this.#tabs.settle();
        if (this.#mayStore()) this.#draft.save();
        else this.#clearTab();
        this.#updateHeader();
        consentArea.replaceChildren();
        dialog.querySelector('.notice')?.remove();
        field.focus();
      },
      erase: async () => {
        this.#conversation?.stop();
        const erased = await guide.erase().catch(() => undefined);
        this.#tabs.settle();
        return erased !== undefined;
      },
      onErased: async () => {
        this.#clearTab();
        consentArea.replaceChildren();
        field.focus();
        await this.#start();
      },
    };
  }
}

/** `Guidepost.open` gets an event when it is used directly as an event handler. */
const isText = (question: unknown) => typeof question === 'string';
