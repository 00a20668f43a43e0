import type { ChatEvent, ConversationTurn, VisitorHandover } from '../../generated/types.ts';
import { GuideError, type GuideErrorCode, isGuideError } from '../sdk/errors.ts';
import type { ChatTurn } from '../sdk/guide.ts';
import { anySignal, randomId } from '../sdk/http.ts';
import { toMessage } from '../sdk/message.ts';
import type { Action, ActionOutcome } from './actions.ts';
import { AnswerView } from './answer.ts';
import type { Settings } from './boot.ts';
import { readTab, writeTab } from './browser-storage.ts';
import { yieldToPage } from './chunks.ts';
import { formatContext } from './context.ts';
import { type Announcer, button, element, prose } from './element.ts';
import { toErrorMessage } from './error-message.ts';
import {
  type OptionalFeatureDeps,
  type OptionalFeatures,
  openOptionalFeatures,
} from './optional-features.ts';
import type { GuidepostContext, GuidepostEvent, GuidepostEvents } from './public-api.ts';
import { createPassage } from './sources.ts';
import type { Tabs } from './tabs.ts';
import type { Views } from './views.ts';
import type { VoiceControls } from './voice-controls.ts';

export type Emit = <E extends GuidepostEvent>(event: E, detail: GuidepostEvents[E]) => void;

export type ConversationDeps = OptionalFeatureDeps & {
  /** Where the service is, as the page reaches it. */
  settings: Pick<Settings, 'apiUrl'>;
  appId: string;
  tabs: Tabs;
  views: Views;
  log: HTMLElement;
  field: HTMLTextAreaElement;
  /** Present when the workspace has voice. */
  voice: VoiceControls | undefined;
  /** The element that had the focus before the visitor entered the panel. */
  focusedBefore: () => Element | null;
  context: () => GuidepostContext | undefined;
  emit: Emit;
  onBusy: (busy: boolean) => void;
  /** Called when a conversation is shown or continued. */
  onShown: () => void;
  /** Suggests first questions below an empty conversation. */
  showStart: () => void;
};

const ACTION_RESULTS_MAX = 20;
const ANSWERING_ELSEWHERE_MILLIS = 2000;

/** Earlier answers are not announced. */
const SILENT = { grow: () => {}, end: () => {} };

type Outcomes = NonNullable<ChatTurn['actionResults']>;

/** One turn while it is being answered. */
type RunningTurn = {
  message: string;
  root: HTMLElement;
  answer: AnswerView;
  stopping: AbortController;
  /** The turn of an earlier attempt. The service may have started it, so it is sent unchanged. */
  again: ChatTurn | undefined;
  sent?: ChatTurn;
  start?: Extract<ChatEvent, { type: 'message_start' }>;
};

const LOOPBACK = /\/\/(localhost|127\.|\[::1])/;

/** Asks questions, shows the answers, and reports outcomes of actions with the next turn. */
export class Conversation {
  readonly #deps: ConversationDeps;
  readonly #features: OptionalFeatures;
  #running: AbortController | undefined;
  #outcomes: Outcomes;

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.#features = openOptionalFeatures(deps);
    this.#outcomes = takeOutcomes(deps.appId, deps.guide.conversationId);
  }

  stop(): void {
    this.#running?.abort();
  }

  clearHighlight(): void {
    this.#features.clearHighlight();
  }

  async ask(message: string, again?: ChatTurn): Promise<void> {
    if (this.#running) return;
    const { log, voice, emit, onBusy, tabs } = this.#deps;
    const stopping = new AbortController();
    this.#running = stopping;
    onBusy(true);
    this.clearHighlight();
    voice?.stop();
    this.#remove(log.querySelectorAll('.suggestions'));
    const answer = this.#createAnswer();
    const root = this.#createTurn(message, answer);
    log.append(root);
    showTurn(root);
    this.#deps.onShown();
    if (!again) emit('question', { message });
    const turn: RunningTurn = { message, root, answer, stopping, again };
    try {
      await tabs.takeTurn(stopping.signal, () => this.#stream(turn));
    } catch (error) {
      this.#handleFailure(turn, error);
    } finally {
      if (this.#running === stopping) this.#leaveTurn();
      this.#deps.onShown();
    }
  }

  #leaveTurn(): void {
    this.stop();
    this.#running = undefined;
    this.#deps.onBusy(false);
  }

  /** Leaves the conversation; the next question starts another. */
  startOver(): void {
    const { guide, log, showStart } = this.#deps;
    this.#leaveTurn();
    this.clearHighlight();
    guide.startConversation();
    this.#outcomes = [];
    this.#remove(log.querySelectorAll('.turn, .suggestions'));
    showStart();
    log.scrollTop = 0;
  }

  /** Shows another conversation of the visitor and continues it. */
  async open(conversationId: string): Promise<boolean> {
    this.#leaveTurn();
    this.#outcomes = [];
    return this.restore(conversationId);
  }

  /** Shows what another tab has added. */
  async catchUp(): Promise<void> {
    const { tabs, guide } = this.#deps;
    await this.restore(tabs.conversationId() ?? guide.conversationId);
    tabs.settle();
  }

  async #stream(turn: RunningTurn): Promise<void> {
    await yieldToPage();
    // The SDK would try for seconds before it gives up. Only a service on this machine answers without a network.
    if (!navigator.onLine && !LOOPBACK.test(this.#deps.settings.apiUrl))
      throw new GuideError('network', 'The browser is offline.');
    const reported = this.#outcomes;
    turn.sent = turn.again ?? {
      ...(await this.#buildTurn(turn.message)),
      actionResults: reported.length ? reported : undefined,
    };
    for await (const event of this.#deps.guide.chat({ ...turn.sent, signal: turn.stopping.signal })) {
      if (event.type === 'message_start') {
        turn.start = event;
        this.#outcomes = this.#outcomes.filter((outcome) => !reported.includes(outcome));
        const conversationId = event.previous_conversation_id ?? event.conversation_id;
        turn.sent = { ...turn.sent, conversationId, turnIdx: event.turn_idx };
      }
      if (event.type === 'error') {
        this.#showError(turn, toGuideError(event), event.retryable && (() => this.#retry(turn)));
        continue;
      }
      turn.answer.apply(event);
      if (event.type === 'message_end') this.#emitAnswer(turn, event.finish_reason);
    }
  }

  #handleFailure(turn: RunningTurn, error: unknown): void {
    const { localization } = this.#deps;
    const { answer, stopping, again } = turn;
    if (stopping.signal.aborted)
      answer.breakOff({ sentence: localization.texts.stopped, isWanted: true }, () => this.#retry(turn));
    else if (again && isGuideError(error, 'chat/idempotency_mismatch'))
      queueMicrotask(() => this.#retry(turn));
    else this.#showFailure(turn, error);
  }

  /** Retries a lost turn by itself when the browser is back online. */
  #showFailure(turn: RunningTurn, error: unknown): void {
    const isLost = isGuideError(error, 'network') || isGuideError(error, 'timeout');
    const waiting = new AbortController();
    const retry = () => {
      waiting.abort();
      this.#retry(turn, isLost ? turn.sent : undefined);
    };
    this.#showError(turn, error, retry);
    if (isLost && !navigator.onLine)
      addEventListener('online', retry, { once: true, signal: anySignal(waiting.signal, this.#deps.signal) });
  }

  #retry({ message, root }: RunningTurn, sent?: ChatTurn): void {
    this.#remove([root]);
    void this.ask(message, sent);
  }

  #showError({ answer, message }: RunningTurn, error: unknown, retry: (() => void) | false): void {
    const { emit, field, localization } = this.#deps;
    emit('error', { code: isGuideError(error) ? error.code : 'broken' });
    const errorMessage = toErrorMessage(error, localization);
    const sentence = answer.text
      ? `${localization.texts.interrupted} ${errorMessage.sentence}`
      : errorMessage.sentence;
    // Without a retry button the visitor would have to type the question again.
    if (!errorMessage.retryable || !retry) field.value ||= message;
    answer.breakOff({ ...errorMessage, sentence }, (errorMessage.retryable && retry) || undefined);
  }

  async #buildTurn(message: string): Promise<ChatTurn> {
    const { focusedBefore, localization, context } = this.#deps;
    const page = await this.#features.capturePage({
      focused: focusedBefore(),
      question: message,
      locale: localization.locale,
    });
    const domDigest = formatContext(context()) + page.domDigest;
    const screenshot = await this.#features.takeScreenshot();
    return { ...page, ...screenshot, domDigest, message, idempotencyKey: randomId() };
  }

  #emitAnswer({ answer, start }: RunningTurn, finishReason: string): void {
    if (!start) return;
    const { message_id: messageId, conversation_id: conversationId } = start;
    const citations = answer.citations.map(({ article_id: articleId, title, url }) => ({
      articleId,
      title,
      ...(url ? { url } : {}),
    }));
    this.#deps.emit('answer', { messageId, conversationId, text: answer.text, finishReason, citations });
  }

  /** Notes an outcome for the next turn, which may be asked on another page of this tab. */
  #noteOutcome(action: Action, outcome: ActionOutcome): void {
    const { emit, guide, appId } = this.#deps;
    const { action_id, kind } = action;
    emit('action', { actionId: action_id, kind, outcome });
    this.#outcomes = [...this.#outcomes, { action_id, outcome }].slice(-ACTION_RESULTS_MAX);
    if (kind === 'navigate' && guide.state?.features.persist_visitor)
      keepOutcomes(appId, guide.conversationId, this.#outcomes);
  }

  #createAnswer(announcer: Announcer = this.#deps.announcer): AnswerView {
    const { guide, localization, voice, emit, settings, views } = this.#deps;
    return new AnswerView({
      baseUrl: settings.apiUrl,
      localization,
      announcer,
      canRate: guide.state?.features.feedback ?? false,
      contact: guide.state?.config.contact,
      createAskPerson: guide.state?.config.handover && (() => this.#createAskPerson()),
      alwaysOffersPerson: guide.state?.config.handover?.mode === 'always',
      createProposal: (action) =>
        this.#features.createProposal(action, (...outcome) => this.#noteOutcome(...outcome)),
      readAloud: (text) => voice?.readAloud(text),
      createRatingForm: this.#features.createRatingForm,
      onRate: async (messageId, rating, details) => {
        await guide.rate(messageId, rating, details);
        emit('feedback', { messageId, rating });
      },
      onAsk: (message) => void this.ask(message),
      onCitation: (citation, from) =>
        views.show(createPassage(citation, localization, settings.apiUrl, views.back), from),
    });
  }

  #createAskPerson(): HTMLElement {
    const { texts } = this.#deps.localization;
    const open = button(texts.askPerson, { class: 'action ask-person' }, () => void this.askPerson(open));
    return open;
  }

  /** Shows the form with which the visitor asks a person. `from` gets the focus back afterwards. */
  async askPerson(from: HTMLElement): Promise<void> {
    const { localization, guide, views, announcer, log } = this.#deps;
    const [chunk, conversation] = await Promise.all([this.#features.loadHandover(), this.#readTurns()]);
    if (!chunk) return announcer.say(localization.texts.failed);
    const { createHandoverView, createThread, texts } = chunk;
    const deps = { guide, localization, texts, announcer, conversation };
    const onSent = (handover: VisitorHandover) => log.append(createThread(handover, deps));
    views.show(createHandoverView({ ...deps, onBack: views.back, onSent }), from);
  }

  /** Reads the turns of the conversation; none if it is not stored. */
  async #readTurns(): Promise<readonly ConversationTurn[]> {
    const { guide } = this.#deps;
    if (!guide.conversationId) return [];
    return guide.conversation().then(
      ({ turns }) => turns,
      () => [],
    );
  }

  /** Shows what the visitor has sent to a person, from this conversation or else from any, with the replies. */
  async showThreads(conversationId?: string): Promise<void> {
    const { guide, log, localization, signal } = this.#deps;
    if (!guide.state?.config.handover) return;
    const { data } = await guide.handovers().catch(() => ({ data: [] as VisitorHandover[] }));
    const own = data.filter(({ conversation_id: id }) => !id || !conversationId || id === conversationId);
    const chunk = own.length > 0 ? await this.#features.loadHandover() : undefined;
    if (!chunk || signal.aborted || guide.conversationId !== conversationId) return;
    this.#remove(log.querySelectorAll('.thread'));
    const { scrollTop } = log;
    const threads = own
      .toReversed()
      .map((handover) => chunk.createThread(handover, { ...chunk, localization }));
    const running = this.#running && Array.from(log.querySelectorAll<HTMLElement>('.turn')).at(-1);
    for (const thread of threads) log.insertBefore(thread, running || null);
    const answered = own.findIndex(({ replies }) => replies.length > 0);
    const seen = threads.at(-1 - answered);
    if (answered >= 0 && seen && !running) showTurn(seen);
    else log.scrollTop = scrollTop;
  }

  #createTurn(message: string, answer: AnswerView): HTMLElement {
    const speaker = element('span', { class: 'unseen' }, this.#deps.localization.texts.you);
    const question = element('div', { class: 'question' }, speaker, prose(message));
    return element('div', { class: 'turn' }, question, answer.root);
  }

  /** Removes elements and keeps the focus in the conversation. */
  #remove(parts: Iterable<Element>): void {
    const { log } = this.#deps;
    for (const part of parts) {
      if (part.contains((log.getRootNode() as ShadowRoot).activeElement)) log.focus();
      part.remove();
    }
  }

  /** Shows the stored conversation above a question that is being asked. False when there is none. */
  async restore(conversationId: string | undefined): Promise<boolean> {
    const { guide, log, signal } = this.#deps;
    const runningRoot = this.#running && Array.from(log.querySelectorAll<HTMLElement>('.turn')).at(-1);
    const stored = conversationId
      ? await guide.conversation(conversationId).catch(() => undefined)
      : undefined;
    // The data was deleted meanwhile.
    if (signal.aborted) return true;
    if (!stored || stored.turns.length === 0) return false;
    const shownParts = Array.from(log.querySelectorAll('.turn, .suggestions'));
    this.#remove(runningRoot ? shownParts.slice(0, shownParts.indexOf(runningRoot)) : shownParts);
    const { turns, conversation_id: id } = stored;
    const parts = turns.map((turn, index) => this.#restoreTurn(turn, id, index === turns.length - 1));
    for (const part of parts) log.insertBefore(part, runningRoot ?? null);
    const last = runningRoot || parts.at(-1);
    if (last) showTurn(last);
    this.#deps.onShown();
    void this.showThreads(id);
    return true;
  }

  #restoreTurn(turn: ConversationTurn, conversationId: string, isLast: boolean): HTMLElement {
    const { announcer, localization } = this.#deps;
    const answer = this.#createAnswer({ ...announcer, follow: () => SILENT });
    const root = this.#createTurn(turn.message, answer);
    answer.restore(toMessage(turn, conversationId), turn.rating);
    const retry = () => {
      this.#remove([root]);
      void this.ask(turn.message);
    };
    if (turn.state === 'running') this.#scheduleCatchUp();
    else if (turn.state !== 'complete')
      answer.markBroken({ sentence: localization.texts.interrupted }, isLast ? retry : undefined);
    return root;
  }

  /**
   * Catches up later with an answer that another tab is getting, unless a turn of this tab runs, which has caught up
   * itself.
   */
  #scheduleCatchUp(): void {
    const timer = setTimeout(() => {
      if (!this.#running) void this.catchUp();
    }, ANSWERING_ELSEWHERE_MILLIS);
    this.#deps.signal.addEventListener('abort', () => clearTimeout(timer));
  }
}

/** The largest part of the view that a long question may take. */
const QUESTION_SHARE_MAX = 1 / 3;
const GAP_PIXELS = 8;

/** Scrolls so that the question is at the top and its answer below it. The page itself never scrolls. */
function showTurn(turn: HTMLElement): void {
  const log = turn.parentElement as HTMLElement;
  const question = turn.firstElementChild as HTMLElement;
  const cut = Math.max(0, question.offsetHeight - log.clientHeight * QUESTION_SHARE_MAX);
  // Makes room below, so that a turn with a short answer also gets to the top.
  turn.style.setProperty('--gp-cut', `${cut}px`);
  log.scrollTop += turn.getBoundingClientRect().top - log.getBoundingClientRect().top - GAP_PIXELS + cut;
  // On a very low screen the whole panel scrolls.
  if (log.parentElement) log.parentElement.scrollTop = 0;
}

function toGuideError(event: Extract<ChatEvent, { type: 'error' }>): GuideError {
  const { code, message, request_id: requestId, retry_after_sec: seconds } = event;
  const retryDelay = seconds === undefined ? {} : { retryAfterSeconds: seconds };
  return new GuideError(code as GuideErrorCode, message, { requestId, ...retryDelay });
}

/** Hands outcomes to the next page of the tab. Only for visitors who may be stored. */
const keepOutcomes = (appId: string, conversationId: string | undefined, outcomes: Outcomes) =>
  writeTab(appId, 'outcomes', JSON.stringify({ conversationId, outcomes }));

/** Takes the outcomes that the previous page kept; drops those of another conversation. */
function takeOutcomes(appId: string, conversationId: string | undefined): Outcomes {
  try {
    const stored = JSON.parse(readTab(appId, 'outcomes') ?? '{}') as {
      conversationId?: string;
      outcomes?: Outcomes;
    };
    writeTab(appId, 'outcomes', '');
    return stored.conversationId === conversationId ? (stored.outcomes ?? []) : [];
  } catch {
    return [];
  }
}
