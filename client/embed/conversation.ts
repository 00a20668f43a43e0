import type { ChatEvent, Conversation as Earlier } from '../../generated/types.ts';
import { GuideError, type GuideErrorCode, isGuideError } from '../sdk/errors.ts';
import type { ChatTurn, Guide } from '../sdk/guide.ts';
import { anySignal } from '../sdk/http.ts';
import type { Announcer } from './announcer.ts';
import { type AnswerView, type Citation, openAnswer, suggestionsOf } from './answer.ts';
import { capturePage } from './capture.ts';
import { element, prose } from './element.ts';
import { ACTION_LIFE_MILLIS_MIN, type Action, type ActionOutcome, type Pointer } from './highlight.ts';
import { linesOf } from './page-context.ts';
import { keepOutcomes, takeOutcomes } from './pending-outcomes.ts';
import type { GuidepostContext, GuidepostEvent, GuidepostEvents } from './public-api.ts';
import type { Tabs } from './tabs.ts';
import type { Wording } from './texts.ts';
import { troubleOf } from './trouble.ts';
import type { Extras } from './voice-controls.ts';
import { nextTask } from './yield.ts';

export type Emit = <E extends GuidepostEvent>(event: E, detail: GuidepostEvents[E]) => void;

export type ConversationDeps = {
  readonly appId: string;
  readonly guide: Guide;
  readonly tabs: Tabs;
  readonly wording: Wording;
  readonly announcer: Announcer;
  readonly pointer: Pointer;
  readonly log: HTMLElement;
  readonly extras: Extras;
  /** Ends with the guide. */
  readonly signal: AbortSignal;
  /** The element that had the focus before the visitor came to the panel. */
  readonly focusedBefore: () => Element | null;
  readonly context: () => GuidepostContext | undefined;
  readonly emit: Emit;
  readonly onBusy: (busy: boolean) => void;
  readonly onCitation: (citation: Citation, from: HTMLElement) => void;
};

export type Conversation = {
  readonly ask: (message: string) => Promise<void>;
  readonly stop: () => void;
  /** Shows what an earlier page began, else questions to begin with. */
  readonly begin: () => Promise<void>;
  /** Shows what another page has gone on with. */
  readonly catchUp: () => Promise<void>;
};

const ACTION_RESULTS_MAX = 20;
const NEAR_THE_END_PIXELS = 80;
const ANSWERING_ELSEWHERE_MILLIS = 2000;

/** What was answered before is there to be read; it is no news. */
const UNSAID = { grow: () => {}, end: () => {} };

/** Asks, shows answers as they come, and remembers what became of proposals until the next turn can tell. */
export function openConversation(deps: ConversationDeps): Conversation {
  const { guide, wording, announcer, pointer, log, tabs, emit } = deps;
  const { texts } = wording;
  let running: AbortController | undefined;
  let outcomes = takeOutcomes(deps.appId, guide.conversationId);

  function perform(action: Action, arrivedAtMillis: number): ActionOutcome {
    const voidAtMillis = Math.max(action.expires_at * 1000, arrivedAtMillis + ACTION_LIFE_MILLIS_MIN);
    if (Date.now() > voidAtMillis) return 'expired';
    const outcome = pointer.perform(action);
    return outcome === 'expired' ? outcome : note(action, outcome);
  }

  /** The next turn tells it, on whichever page of the tab that is asked. */
  function note<O extends Exclude<ActionOutcome, 'expired'>>(action: Action, outcome: O): O {
    emit('action', { actionId: action.action_id, kind: action.kind, outcome });
    outcomes = [...outcomes, { action_id: action.action_id, outcome }].slice(-ACTION_RESULTS_MAX);
    if (action.kind === 'navigate' && guide.state?.features.persist_visitor)
      keepOutcomes(deps.appId, guide.conversationId, outcomes);
    return outcome;
  }

  function newAnswer(teller: Announcer = announcer): AnswerView {
    return openAnswer({
      wording,
      announcer: teller,
      canRate: guide.state?.features.feedback ?? false,
      onAction: perform,
      onDecline: (action) => note(action, 'declined'),
      readAloud: deps.extras.readAloud,
      onRate: async (messageId, rating) => {
        await guide.rate(messageId, rating);
        emit('feedback', { messageId, rating });
      },
      onAsk: (message) => void ask(message),
      onCitation: deps.onCitation,
    });
  }

  /** Keeps the newest words in view, unless the visitor has scrolled up to read. */
  function show(change: () => void): void {
    const following = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_THE_END_PIXELS;
    change();
    if (following) log.scrollTop = log.scrollHeight;
  }

  /** What goes away must not take the focus with it: it stays in the conversation. */
  function takeAway(parts: Iterable<Element>): void {
    for (const part of parts) {
      if (part.contains((log.getRootNode() as ShadowRoot).activeElement)) log.focus();
      part.remove();
    }
  }

  /** `again` is a turn that the service may have begun already: sent as it was, it is not asked twice. */
  async function ask(message: string, again?: ChatTurn): Promise<void> {
    if (running) return;
    const stopping = new AbortController();
    running = stopping;
    deps.onBusy(true);
    pointer.clear();
    deps.extras.quiet();
    takeAway(log.querySelectorAll('.suggestions'));
    const question = questionOf(message);
    const answer = newAnswer();
    log.append(question, answer.root);
    log.scrollTop = log.scrollHeight;
    if (!again) emit('question', { message });
    const waiting = new AbortController();
    const retryWith = (sent?: ChatTurn) => () => {
      waiting.abort();
      takeAway([question, answer.root]);
      void ask(message, sent);
    };
    let sent: ChatTurn | undefined;
    try {
      await tabs.takeTurn(stopping.signal, async () => {
        await nextTask();
        const told = outcomes;
        sent = again ?? { ...(await turnOf(message)), ...(told.length ? { actionResults: told } : {}) };
        let start: { readonly message_id: string; readonly conversation_id: string } | undefined;
        for await (const event of guide.chat({ ...sent, signal: stopping.signal })) {
          if (event.type === 'message_start') {
            start = event;
            outcomes = outcomes.filter((outcome) => !told.includes(outcome));
            const conversationId = event.previous_conversation_id ?? event.conversation_id;
            sent = { ...sent, conversationId, turnIdx: event.turn_idx };
          }
          if (event.type === 'error') {
            endBroken(answer, errorIn(event), event.retryable ? retryWith() : undefined);
            continue;
          }
          show(() => answer.apply(event));
          if (event.type === 'message_end' && start)
            tell(answer, start.message_id, start.conversation_id, event.finish_reason);
        }
      });
    } catch (error) {
      const isLost = isGuideError(error, 'network') || isGuideError(error, 'timeout');
      if (stopping.signal.aborted) show(() => answer.breakOff({ sentence: texts.stopped }));
      else if (again && isGuideError(error, 'chat/idempotency_mismatch')) queueMicrotask(retryWith());
      else {
        const retry = retryWith(isLost ? sent : undefined);
        endBroken(answer, error, retry);
        if (isLost && !navigator.onLine)
          addEventListener('online', retry, {
            once: true,
            signal: anySignal(waiting.signal, deps.signal),
          });
      }
    } finally {
      running = undefined;
      deps.onBusy(false);
    }
  }

  async function turnOf(message: string): Promise<ChatTurn> {
    const page = capturePage({ focused: deps.focusedBefore(), question: message, locale: wording.locale });
    const domDigest = linesOf(deps.context()) + page.domDigest;
    const picture = await deps.extras.picture();
    return { ...page, ...picture, domDigest, message, idempotencyKey: randomKey() };
  }

  function tell(answer: AnswerView, messageId: string, conversationId: string, finishReason: string): void {
    const { text, citations } = answer.soFar();
    const sources = citations.map(({ article_id: articleId, title, url }) => ({
      articleId,
      title,
      ...(url ? { url } : {}),
    }));
    emit('answer', { messageId, conversationId, text, finishReason, citations: sources });
  }

  function endBroken(answer: AnswerView, error: unknown, retry: (() => void) | undefined): void {
    emit('error', { code: isGuideError(error) ? error.code : 'broken' });
    const trouble = troubleOf(error, wording);
    const sentence = answer.soFar().text ? `${texts.interrupted} ${trouble.sentence}` : trouble.sentence;
    show(() => answer.breakOff({ ...trouble, sentence }, trouble.retryable ? retry : undefined));
  }

  function questionOf(message: string): HTMLElement {
    return element(
      'div',
      { class: 'question' },
      element('span', { class: 'unseen' }, texts.you),
      prose(message),
    );
  }

  async function begin(): Promise<void> {
    const known = guide.conversationId && guide.state?.features.persist_visitor;
    if (known && (await restore(guide.conversationId))) return;
    const items = (guide.state?.config.suggestions ?? []).map((title) => ({ title, message: title }));
    if (!running) log.append(suggestionsOf(texts.start, items, (message) => void ask(message)));
  }

  /** Shows the conversation as the service has it, above a question that is being asked. */
  async function restore(conversationId: string | undefined): Promise<boolean> {
    const asking = running && Array.from(log.querySelectorAll('.question')).at(-1);
    const earlier = conversationId
      ? await guide.conversation(conversationId).catch(() => undefined)
      : undefined;
    // What was erased meanwhile is not drawn again.
    if (deps.signal.aborted) return true;
    if (!earlier || earlier.turns.length === 0) return false;
    const shownBefore = Array.from(log.querySelectorAll('.question, .answer, .suggestions'));
    takeAway(asking ? shownBefore.slice(0, shownBefore.indexOf(asking)) : shownBefore);
    const shown = earlier.turns.flatMap((turn, index) => shownTurn(turn, index === earlier.turns.length - 1));
    if (asking) asking.before(...shown);
    else log.append(...shown);
    log.scrollTop = log.scrollHeight;
    return true;
  }

  function shownTurn(turn: Earlier['turns'][number], isLast: boolean): HTMLElement[] {
    const answer = newAnswer({ ...announcer, follow: () => UNSAID });
    const question = questionOf(turn.message);
    answer.restore(turn);
    const retry = () => {
      takeAway([question, answer.root]);
      void ask(turn.message);
    };
    if (turn.state === 'running') lookAgainLater();
    else if (turn.state !== 'complete') answer.markBroken(texts.interrupted, isLast ? retry : undefined);
    return [question, answer.root];
  }

  /** Another page is being answered, or was until its visitor came here. */
  function lookAgainLater(): void {
    const timer = setTimeout(() => void catchUp(), ANSWERING_ELSEWHERE_MILLIS);
    deps.signal.addEventListener('abort', () => clearTimeout(timer));
  }

  async function catchUp(): Promise<void> {
    await restore(tabs.conversationId() ?? guide.conversationId);
    tabs.settle();
  }

  return { ask, stop: () => running?.abort(), begin, catchUp };
}

function errorIn({
  code,
  message,
  request_id: requestId,
  retry_after_sec: seconds,
}: Extract<ChatEvent, { type: 'error' }>): GuideError {
  const wait = seconds === undefined ? {} : { retryAfterSeconds: seconds };
  return new GuideError(code as GuideErrorCode, message, { requestId, ...wait });
}

/** 128 random bits. `crypto.randomUUID` exists on secure pages only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
