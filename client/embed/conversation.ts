import { type ChatTurn, type Guide, GuideError, type GuideErrorCode } from '../index.ts';
import type { Announcer } from './announcer.ts';
import { type AnswerView, openAnswer, suggestionsOf } from './answer.ts';
import { capturePage } from './capture.ts';
import { element, prose } from './element.ts';
import { ACTION_LIFE_MILLIS_MIN, type Action, type ActionOutcome, type Pointer } from './pointing.ts';
import type { Wording } from './texts.ts';
import { troubleOf } from './trouble.ts';

export type ConversationNeeds = {
  readonly guide: Guide;
  readonly wording: Wording;
  readonly announcer: Announcer;
  readonly pointer: Pointer;
  readonly log: HTMLElement;
  /** The element that had the focus before the visitor came to the panel. */
  readonly focusedBefore: () => Element | null;
  readonly onBusy: (busy: boolean) => void;
};

export type Conversation = {
  readonly ask: (message: string) => Promise<void>;
  readonly stop: () => void;
  /** Shows what an earlier page began, else questions to begin with. */
  readonly begin: () => Promise<void>;
};

const ACTION_RESULTS_MAX = 20;
const NEAR_THE_END_PIXELS = 80;

/** Asks, shows answers as they come, and remembers what became of proposals until the next turn can tell. */
export function openConversation(needs: ConversationNeeds): Conversation {
  const { guide, wording, announcer, pointer, log } = needs;
  const { texts } = wording;
  let running: AbortController | undefined;
  let outcomes: NonNullable<ChatTurn['actionResults']> = [];

  function perform(action: Action, arrivedAtMillis: number): ActionOutcome {
    const voidAtMillis = Math.max(action.expires_at * 1000, arrivedAtMillis + ACTION_LIFE_MILLIS_MIN);
    if (Date.now() > voidAtMillis) return 'expired';
    const outcome = pointer.perform(action);
    if (outcome !== 'expired')
      outcomes = [...outcomes, { action_id: action.action_id, outcome }].slice(-ACTION_RESULTS_MAX);
    return outcome;
  }

  function newAnswer(): AnswerView {
    return openAnswer({
      wording,
      announcer,
      canRate: guide.state?.features.feedback ?? false,
      onAction: perform,
      onRate: (messageId, rating) => guide.rate(messageId, rating),
      onAsk: (message) => void ask(message),
    });
  }

  /** Keeps the newest words in view, unless the visitor has scrolled up to read. */
  function show(change: () => void): void {
    const following = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_THE_END_PIXELS;
    change();
    if (following) log.scrollTop = log.scrollHeight;
  }

  async function ask(message: string): Promise<void> {
    if (running) return;
    const stopping = new AbortController();
    running = stopping;
    needs.onBusy(true);
    pointer.clear();
    for (const old of log.querySelectorAll('.suggestions')) old.remove();
    const question = questionOf(message);
    const answer = newAnswer();
    log.append(question, answer.root);
    log.scrollTop = log.scrollHeight;
    const retry = () => {
      question.remove();
      answer.root.remove();
      void ask(message);
    };
    const told = outcomes;
    try {
      const page = capturePage(needs.focusedBefore());
      const turn = { ...page, message, signal: stopping.signal };
      for await (const event of guide.chat({ ...turn, ...(told.length ? { actionResults: told } : {}) })) {
        if (event.type === 'message_start') outcomes = outcomes.filter((outcome) => !told.includes(outcome));
        if (event.type !== 'error') {
          show(() => answer.apply(event));
          continue;
        }
        const error = new GuideError(event.code as GuideErrorCode, event.message, {
          requestId: event.request_id,
          ...(event.retry_after_sec === undefined ? {} : { retryAfterSeconds: event.retry_after_sec }),
        });
        endBroken(answer, error, event.retryable ? retry : undefined);
      }
    } catch (error) {
      if (stopping.signal.aborted) show(() => answer.breakOff(texts.stopped));
      else endBroken(answer, error, retry);
    } finally {
      running = undefined;
      needs.onBusy(false);
    }
  }

  function endBroken(answer: AnswerView, error: unknown, retry: (() => void) | undefined): void {
    const trouble = troubleOf(error, wording);
    const sentence = answer.hasText() ? `${texts.interrupted} ${trouble.sentence}` : trouble.sentence;
    show(() => answer.breakOff(sentence, trouble.retryable ? retry : undefined));
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
    if (await restore()) return;
    const items = (guide.state?.config.suggestions ?? []).map((title) => ({ title, message: title }));
    if (!running) log.append(suggestionsOf(texts.start, items, (message) => void ask(message)));
  }

  async function restore(): Promise<boolean> {
    if (!guide.conversationId || !guide.state?.features.persist_visitor) return false;
    const earlier = await guide.conversation().catch(() => undefined);
    if (!earlier || running) return false;
    for (const turn of earlier.turns) {
      const answer = newAnswer();
      const { root } = answer;
      answer.apply({ type: 'text_replace', seq: 0, text: turn.answer, reason: 'retry' });
      for (const citation of turn.citations) answer.apply(citation);
      root.querySelector('.status')?.remove();
      log.append(questionOf(turn.message), root);
    }
    log.scrollTop = log.scrollHeight;
    return earlier.turns.length > 0;
  }

  return { ask, stop: () => running?.abort(), begin };
}
