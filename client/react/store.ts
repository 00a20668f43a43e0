import {
  type ActionEvent,
  accumulate,
  type ChatTurn,
  type ConsentDecision,
  createGuide,
  type FeedbackRating,
  type Guide,
  type GuideMessage,
  type GuideOptions,
  type GuideStorage,
  isGuideError,
  type VisitorHandover,
} from '@guidepost/client';
import { type Denial, openDenial } from '../denial.ts';
import type { GuideSource, HandoverForm } from './controls.ts';
import { loadOnDemand } from './load-on-demand.ts';
import {
  type ActionOutcome,
  type Answer,
  derive,
  type GuideState,
  INITIAL,
  isAnswer,
  type Message,
  type OpenVoice,
  toFailure,
  type VoiceControl,
} from './state.ts';

export type GuideSettings = Omit<GuideOptions, 'booted' | 'storage'> & {
  /**
   * Keeps visitor and conversation between pages while consent allows it, and a denial without an id. Defaults to
   * `localStorage`; with `null` nothing is kept.
   */
  storage?: GuideStorage | null | undefined;
  /**
   * Describes the page for each question, instead of its title, headings and elements with `data-gp-target`. Omitted
   * fields keep their defaults.
   */
  page?: ((question: string) => Partial<ChatTurn>) | undefined;
  /** Opens a page that the guide proposes, such as the `push` of a router; by default the browser loads it. */
  navigate?: ((url: string) => void) | undefined;
  /** `voice` of this package, to add dictation and reading aloud. Pages that do not import it do not load it. */
  voice?: OpenVoice | undefined;
};

const ACTION_RESULTS_MAX = 20;
const ANSWERING_ELSEWHERE_MILLIS = 2000;

type Outcomes = NonNullable<ChatTurn['actionResults']>;
type Turn = {
  text: string;
  key: string;
  stopping: AbortController;
  sent: ChatTurn | undefined;
};

/** A guide and its state. Nothing is sent before `connect()`, so creating a store while rendering is harmless. */
export class GuideStore implements GuideSource {
  readonly settings: GuideSettings;
  readonly baseUrl: string;
  readonly voice: VoiceControl;
  readonly #listeners = new Set<() => void>();
  readonly #denial: Denial;
  readonly #arrivedAt = new WeakMap<ActionEvent, number>();
  #state = INITIAL;
  #users = 0;
  #keys = 0;
  #guide: Guide | undefined;
  /** Where the next turn continues the conversation after a disconnection. */
  #resume: Partial<ChatTurn> = {};
  /** Settles when the boot has failed, or has succeeded and the conversation of an earlier page is shown. */
  #starting: Promise<void> = Promise.resolve();
  /** Turns whose connection broke. The service may have answered them, so they are sent again unchanged. */
  readonly #lost = new Map<string, ChatTurn>();
  #turn: Turn | undefined;
  #outcomes: Outcomes = [];

  constructor(settings: GuideSettings) {
    this.settings = settings;
    this.baseUrl = settings.baseUrl;
    const { appId, storage } = settings;
    this.#denial = openDenial(appId, storage === undefined ? undefined : () => storage);
    this.voice = (settings.voice ?? openNoVoice)({
      open: () => this.#open(),
      get: this.getState,
      change: (voice) => this.#change({ voice: { ...this.#state.voice, ...voice } }),
      write: (draft) => this.setDraft(draft),
    });
  }

  readonly getState = (): GuideState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Boots the guide, and closes it once no component uses it. Disconnecting and connecting again at once, as strict
   * mode does, changes nothing.
   */
  readonly connect = (): (() => void) => {
    this.#users += 1;
    if (!this.#guide) void this.#boot();
    return () => {
      this.#users -= 1;
      queueMicrotask(() => {
        if (this.#users === 0) this.#close();
      });
    };
  };

  /** Boots unless the guide has booted. Never rejects: `status` and `failure` say what happened. */
  #boot(): Promise<void> {
    this.#starting = this.#start(this.#open());
    return this.#starting;
  }

  readonly send = (text: string): void => {
    const question = text.trim();
    if (question === '' || this.#turn) return;
    const questionMessage: Message = { role: 'visitor', key: this.#createKey(), text: question };
    void this.#run(this.#createTurn(question), [...this.#state.messages, questionMessage]);
  };

  readonly stop = (): void => this.#turn?.stopping.abort();

  readonly retry = (): void => {
    const { status, messages } = this.#state;
    if (status === 'unavailable') void this.#boot();
    const [question, answer] = messages.slice(-2);
    if (this.#turn || question?.role !== 'visitor' || !isAnswer(answer)) return;
    if (answer.state !== 'failed' && answer.state !== 'stopped') return;
    const turn = this.#createTurn(question.text, this.#lost.get(answer.key));
    this.#lost.delete(answer.key);
    void this.#run(turn, messages.slice(0, -1));
  };

  readonly feedback = async (
    messageId: string,
    rating: FeedbackRating,
    comment?: string,
  ): Promise<boolean> => {
    const isRated = (message: Message) => isAnswer(message) && message.id === messageId;
    const previousRating = this.#state.messages.filter(isAnswer).find(isRated)?.rating;
    this.#patch(isRated, { rating });
    try {
      await this.#open().rate(messageId, rating, comment ? { comment } : {});
      return true;
    } catch {
      this.#patch(isRated, { rating: previousRating });
      return false;
    }
  };

  readonly perform = async (action: ActionEvent): Promise<ActionOutcome> => {
    const { performAction } = await loadOnDemand();
    const outcome = performAction(action, this.#arrivedAt.get(action), this.settings.navigate);
    this.#noteOutcome(action, outcome);
    return outcome;
  };

  readonly decline = (action: ActionEvent): void => this.#noteOutcome(action, 'declined');

  readonly accept = (): Promise<void> => this.#decide('accepted');
  readonly deny = (): Promise<void> => this.#decide('denied');

  readonly help: GuideSource['help'] = () => this.#open();

  readonly openHandover = async (): Promise<HandoverForm> =>
    (await import('./person-form.tsx')).openHandoverForm(this.#open(), this.settings.acceptLanguage, (sent) =>
      this.#showHandovers(sent),
    );

  /** Shows what was sent to the team below the messages. */
  #showHandovers(sent: readonly VisitorHandover[]): void {
    const { messages, handovers } = this.#state;
    // A question that is being answered stays at the end.
    const above = messages.at(this.#turn ? -3 : -1)?.key ?? '';
    this.#change({ handovers: [...handovers, ...sent.map((handover) => ({ handover, above }))] });
  }

  readonly erase = async (): Promise<void> => {
    this.stop();
    await this.#open().erase();
    this.#outcomes = [];
    this.#resume = {};
    this.#change(INITIAL);
    await this.#boot();
  };

  readonly setDraft = (draft: string): void => this.#change({ draft });

  #change(patch: Partial<GuideState>): void {
    this.#state = derive(this.#state, { ...this.#state, ...patch });
    for (const listener of this.#listeners) listener();
  }

  #patch(matches: (message: Message) => boolean, patch: Partial<Answer>): void {
    const messages = this.#state.messages.map((message) =>
      matches(message) ? ({ ...message, ...patch } as Message) : message,
    );
    this.#change({ messages });
  }

  /** Returns the guide. After a disconnection, creates it again for the same visitor. */
  #open(): Guide {
    if (this.#guide) return this.#guide;
    const { storage: _, page: __, navigate: ___, voice: ____, ...options } = this.settings;
    const { boot: booted } = this.#state;
    const visitorId = options.visitorId ?? booted?.visitor_id;
    this.#guide = createGuide({ ...options, visitorId, booted, storage: this.#denial.storage });
    return this.#guide;
  }

  #close(): void {
    const last = this.#state.messages.findLast(isAnswer);
    if (last?.id) this.#resume = { conversationId: last.conversationId, turnIdx: last.turnIdx + 1 };
    this.stop();
    this.voice.close();
    this.#guide?.close();
    this.#guide = undefined;
  }

  #sync(): void {
    const boot = this.#guide?.state;
    if (!boot || boot === this.#state.boot) return;
    const isAvailable = boot.features.voice && this.settings.voice !== undefined;
    const voice = { ...this.#state.voice, isAvailable };
    this.#change({ boot, voice, status: 'ready', failure: undefined });
  }

  async #start(guide: Guide): Promise<void> {
    if (!guide.state) this.#change({ status: 'booting', failure: undefined });
    try {
      if (!guide.state) await guide.boot();
      if (this.#denial.isKept()) await (await loadOnDemand()).resendDenial(guide);
      if (guide !== this.#guide) return;
      this.#sync();
      this.#recordSignal(guide);
      const isNew = !this.#state.messages.some((message) => isAnswer(message) && message.id);
      if (isNew) await this.#restore(guide);
      void this.#readHandovers(guide);
    } catch (error) {
      if (guide === this.#guide) this.#change({ status: 'unavailable', failure: toFailure(error) });
    }
  }

  /** Shows the conversation of an earlier page, and waits for an answer that another page is still getting. */
  async #restore(guide: Guide): Promise<void> {
    if (!guide.state) return;
    const { user_token, features } = guide.state;
    // A customer may have asked on another device.
    const isCustomer = user_token === 'accepted';
    if (isCustomer && !guide.conversationId) await guide.readConversations().catch(() => {});
    if (!guide.conversationId || !(features.persist_visitor || isCustomer)) return;
    const { toMessages } = await loadOnDemand();
    const stored = await guide.conversation().catch(() => undefined);
    if (!stored || guide !== this.#guide) return;
    const runningMessages = this.#turn ? this.#state.messages.slice(-2) : [];
    this.#change({ messages: [...toMessages(stored), ...runningMessages] });
    if (stored.turns.at(-1)?.state !== 'running') return;
    setTimeout(() => {
      if (guide === this.#guide && !this.#turn) void this.#restore(guide);
    }, ANSWERING_ELSEWHERE_MILLIS);
  }

  /** Shows what the visitor asked the team on earlier pages. */
  async #readHandovers(guide: Guide): Promise<void> {
    if (!guide.state?.config.handover || this.#state.handovers.length > 0) return;
    const asked = await loadOnDemand()
      .then(({ readHandovers }) => readHandovers(guide))
      .catch(() => []);
    if (guide === this.#guide) this.#showHandovers(asked);
  }

  /** Logs that the browser's privacy signal was taken as a denial. */
  #recordSignal(guide: Guide): void {
    if (guide.state?.consent_directive.reason !== 'gpc') return;
    const details = { url: location.href, overrideSource: 'gpc' as const };
    guide.consent('gpc_auto_optout', details).then(
      () => this.#sync(),
      () => {},
    );
  }

  async #decide(decision: ConsentDecision): Promise<void> {
    const guide = this.#open();
    this.#change({ consent: { ...this.#state.consent, isSaving: true, hasFailed: false } });
    this.#denial.keep(decision === 'denied');
    const reply = await guide.consent(decision, { url: location.href }).catch(() => undefined);
    const state = decision === 'accepted' ? 'granted' : 'denied';
    const decided = reply?.recorded ? ({ state } as const) : { hasFailed: true };
    this.#sync();
    this.#change({ consent: { ...this.#state.consent, isSaving: false, ...decided } });
  }

  #noteOutcome(action: ActionEvent, outcome: ActionOutcome): void {
    const { action_id } = action;
    if (outcome !== 'expired')
      this.#outcomes = [...this.#outcomes, { action_id, outcome }].slice(-ACTION_RESULTS_MAX);
    const answer = this.#state.messages.filter(isAnswer).find(({ actions }) => actions.includes(action));
    const outcomes = { ...answer?.outcomes, [action_id]: outcome };
    this.#patch((message) => message === answer, { outcomes });
  }

  #createKey(): string {
    this.#keys += 1;
    return `message-${this.#keys}`;
  }

  #createTurn(text: string, sent?: ChatTurn): Turn {
    return { text, key: this.#createKey(), stopping: new AbortController(), sent };
  }

  /** Sends a question and adds its answer below the messages. */
  async #run(turn: Turn, messages: readonly Message[]): Promise<void> {
    const { key, stopping } = turn;
    this.#turn = turn;
    this.voice.close();
    const pendingAnswer: Answer = { ...NO_ANSWER, key };
    this.#change({ messages: [...messages, pendingAnswer], isAnswering: true });
    try {
      await Promise.race([this.#starting, whenAborted(stopping.signal)]);
      await this.#stream(turn);
    } catch (error) {
      const failure = toFailure(error);
      const isStopped = stopping.signal.aborted;
      const isLost = failure.code === 'network' || failure.code === 'timeout';
      if (isLost && turn.sent) this.#lost.set(key, turn.sent);
      this.#patch(
        (message) => message.key === key,
        isStopped ? { state: 'stopped' } : { state: 'failed', failure },
      );
    } finally {
      this.#turn = undefined;
      this.#change({ isAnswering: false });
      this.#sync();
    }
  }

  async #stream(turn: Turn): Promise<void> {
    const { key, stopping } = turn;
    const isSentAgain = turn.sent !== undefined;
    const reported = this.#outcomes;
    const { buildTurn, toPatch } = await loadOnDemand();
    // A guide that was closed meanwhile must not be opened again.
    stopping.signal.throwIfAborted();
    turn.sent ??= { ...buildTurn(turn.text, reported, this.settings.page), ...this.#resume };
    let message: GuideMessage | undefined;
    try {
      for await (const event of this.#open().chat({ ...turn.sent, signal: stopping.signal })) {
        if (event.type === 'message_start') {
          this.#outcomes = this.#outcomes.filter((outcome) => !reported.includes(outcome));
          this.#resume = {};
          const conversationId = event.previous_conversation_id ?? event.conversation_id;
          turn.sent = { ...turn.sent, conversationId, turnIdx: event.turn_idx };
          this.#sync();
        }
        if (event.type === 'action') this.#arrivedAt.set(event, Date.now());
        const next = accumulate(message, event);
        if (next !== message) this.#patch((shown) => shown.key === key, toPatch(next));
        message = next;
      }
    } catch (error) {
      // The page has changed since the turn was lost, so send it as a new question.
      if (!isSentAgain || !isGuideError(error, 'chat/idempotency_mismatch')) throw error;
      turn.sent = undefined;
      await this.#stream(turn);
    }
  }
}

const openNoVoice: OpenVoice = () => {
  const doNothing = async () => {};
  return { listen: doNothing, stopListening: doNothing, speak: doNothing, silence() {}, close() {} };
};

const NO_ANSWER: Omit<Answer, 'key'> = {
  role: 'guide',
  id: '',
  conversationId: '',
  turnIdx: 0,
  seq: -1,
  state: 'waiting',
  text: '',
  citations: [],
  pageCitations: [],
  actions: [],
  suggestions: [],
  notices: [],
  outcomes: {},
};

const whenAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
