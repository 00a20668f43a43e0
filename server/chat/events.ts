import {
  actionKind,
  CHAT_PROTOCOL,
  type ChatEvent,
  type ChatEventType,
  chatEvent,
  type FinishReason,
} from '../../contract/chat-event.ts';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { REQUEST_LIMITS } from '../../contract/limits/requests.ts';
import type { Clock } from '../base/clock.ts';
import type { LiveTurn } from '../coordination/coordination.ts';
import type { EngineEvent } from '../engine/engine.ts';
import { findAddress } from '../knowledge/answer/lines.ts';
import { cleanLabel } from '../sanitize/page-text.ts';
import type { CleanTarget } from './capture.ts';
import type { AnswerSources, Citation, RetrievedPassage } from './citations.ts';
import {
  createDroppedCounts,
  type Dropped,
  OutputRules,
  type PlacedCitation,
  splitDelta,
} from './output-rules.ts';

type End = Extract<EngineEvent, { type: 'end' }>;
type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;

/** Identifies a turn to its reader and limits its actions. */
export type TurnContext = {
  messageId: string;
  requestId: string;
  conversationId: string;
  previousConversationId: string | undefined;
  turnIdx: number;
  requestedLocale: string;
  origin: string;
  page: { targets: readonly CleanTarget[] };
  actionsAllowed: boolean;
};

/** More events than any answer has. Bounds what a client's `Last-Event-ID` can make the service store. */
const SEEN_FRAMES_MAX = 5_000;

/** Converts engine events into events of the contract. Each one is validated against the contract before it is sent. */
export class ChatEventWriter {
  readonly answer = createAnswerText();
  readonly citations: Citation[] = [];
  readonly actions: ActionEvent[] = [];
  /** Counts what the output rules removed so far. */
  readonly dropped: Dropped = createDroppedCounts();
  firstTextAt: number | undefined;
  readonly #turn: Pick<LiveTurn, 'frames' | 'put'>;
  readonly #context: TurnContext;
  readonly #clock: Clock;
  readonly #createAction: ReturnType<typeof createActionFactory>;
  /** Set by the first engine event, cleared by `flush`. */
  #rules: OutputRules | undefined;

  constructor(turn: Pick<LiveTurn, 'frames' | 'put'>, context: TurnContext, clock: Clock) {
    this.#turn = turn;
    this.#context = context;
    this.#clock = clock;
    this.#createAction = createActionFactory({
      targets: context.page.targets,
      origin: context.origin,
      allowed: context.actionsAllowed,
    });
  }

  /** `seenFrames` is the number of frames of earlier attempts that the reader has received. */
  start(seenFrames = 0): void {
    const { frames } = this.#turn;
    const isRetry = frames.length > 0 || seenFrames > 0;
    if (frames.length === 0) this.#emitStart();
    if (!isRetry) return;
    // A killed node may have sent frames without storing them. Fill their numbers: the reader continues after them.
    const framesToFill = Math.min(seenFrames, SEEN_FRAMES_MAX);
    while (frames.length < framesToFill) this.emit({ type: 'status', phase: 'retrieving' });
    // The reader must discard its part of an earlier attempt.
    this.emit({ type: 'text_replace', text: '', reason: 'retry' });
  }

  #emitStart(): void {
    const { conversationId, previousConversationId, turnIdx, messageId, requestedLocale } = this.#context;
    this.emit({
      type: 'message_start',
      protocol: CHAT_PROTOCOL,
      conversation_id: conversationId,
      conversation_rotated: previousConversationId !== undefined,
      previous_conversation_id: previousConversationId,
      turn_idx: turnIdx,
      message_id: messageId,
      requested_locale: requestedLocale,
      ai_generated: true,
    });
  }

  emit(event: WithoutSeq<ChatEvent>): void {
    this.#turn.put(this.toFrame(event));
  }

  toFrame(event: WithoutSeq<ChatEvent>): { id: string; event: ChatEventType; data: string } {
    const seq = this.#turn.frames.length;
    const complete = chatEvent.parse({ ...event, seq });
    return {
      id: `${this.#context.messageId}:${seq}`,
      event: complete.type,
      data: JSON.stringify(complete),
    };
  }

  /** Returns the last frame without emitting it: a turn is stored before its reader gets it. */
  toEndFrame(
    {
      finishReason,
      confidence,
      usage,
      offersPerson,
    }: Pick<End, 'confidence' | 'usage' | 'offersPerson'> & { finishReason: FinishReason },
    nextTurnIdx: number,
  ) {
    return this.toFrame({
      type: 'message_end',
      finish_reason: finishReason,
      answer_confidence: confidence,
      usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
      text_length: this.answer.length,
      citation_count: this.citations.length,
      ...(offersPerson && { offers_person: true }),
      next_turn_idx: nextTurnIdx,
    });
  }

  emitEngineEvent(event: Exclude<EngineEvent, { type: 'end' }>, sources: AnswerSources): void {
    this.#rules ??= new OutputRules(sources, this.dropped);
    const rules = this.#rules;
    switch (event.type) {
      case 'text':
        this.#emitText(rules.addText(event.delta));
        this.#emitCitations(rules);
        return;
      case 'citation':
      case 'page_citation':
        if (rules.cite(event)) this.#emitCitations(rules);
        else this.dropped.citations += 1;
        return;
      case 'action':
        this.#emitAction(event, rules);
        return;
      case 'notice':
        this.emit({
          type: 'notice',
          level: 'warning',
          code: event.code,
          text: rules.cleanLine(event.text, 500),
        });
        return;
      case 'suggestions': {
        const items = toSuggestions(event, rules);
        this.dropped.suggestions += event.items.length - items.length;
        if (items.length > 0) this.emit({ type: 'suggestions', items });
      }
    }
  }

  /** Emits the text that the output rules still hold back, once the engine has finished. */
  flush(): void {
    const rules = this.#rules;
    if (!rules) return;
    this.#rules = undefined;
    this.#emitText(rules.flush());
    this.#emitCitations(rules);
  }

  emitError(code: ErrorCode, retryable: boolean, retryAfterSeconds: number): void {
    this.emit({
      type: 'error',
      code,
      message: ERROR_CODES[code].message,
      retryable,
      retry_after_sec: retryAfterSeconds,
      request_id: this.#context.requestId,
      partial: this.answer.length > 0,
    });
  }

  #emitText(text: string): void {
    for (const delta of splitDelta(text, this.answer)) {
      this.firstTextAt ??= this.#clock.now();
      this.emit({ type: 'text_delta', delta, offset: this.answer.length });
      this.answer.append(delta);
    }
  }

  #emitCitations(rules: OutputRules): void {
    for (const placed of rules.takePlaced()) {
      const { passage, quote } = placed;
      const range = {
        start: this.answer.codePointsAt(placed.start),
        end: this.answer.codePointsAt(placed.end),
      };
      if (!passage) {
        this.emit({ type: 'page_citation', quote, ...range });
        continue;
      }
      const { requestedLocale } = this.#context;
      const placement = { passage, quote, ...range, requestedLocale };
      const citation = toCitation(placement, rules, this.citations.length + 1);
      if (!citation) {
        this.dropped.citations += 1;
        continue;
      }
      this.emit(citation);
      this.citations.push({ ...citation, seq: this.#turn.frames.length - 1 });
    }
  }

  #emitAction(proposed: EngineAction, rules: OutputRules): void {
    const action = this.#createAction(proposed, this.#clock.now(), (text, charsMax) =>
      rules.cleanLine(text, charsMax),
    );
    if (!action) {
      this.dropped.actions += 1;
      return;
    }
    this.emit(action);
    this.actions.push({ ...action, seq: this.#turn.frames.length - 1 });
  }
}

/** The answer as it grows. Engines count UTF-16 units, the wire counts code points; this tracks both. */
type AnswerText = {
  text: string;
  /** In Unicode code points. */
  length: number;
  append(delta: string): void;
  /** Converts a UTF-16 position into code points. */
  codePointsAt(position: number): number;
};

export function createAnswerText(): AnswerText {
  const answer = {
    text: '',
    length: 0,
    append(delta: string) {
      answer.text += delta;
      answer.length += countCodePoints(delta);
    },
    codePointsAt: (position: number) => countCodePoints(answer.text.slice(0, position)),
  };
  return answer;
}

function countCodePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff) pairs += 1;
  }
  return text.length - pairs;
}

const SUGGESTIONS_MAX = 10;

function toSuggestions(event: Extract<EngineEvent, { type: 'suggestions' }>, rules: OutputRules) {
  return event.items
    .slice(0, SUGGESTIONS_MAX)
    .map(({ title, message }) => ({
      title: rules.cleanLine(title, ARTICLE_LIMITS.titleCharsMax),
      message: rules.cleanLine(message, CHAT_LIMITS.messageCharsMax),
    }))
    .filter(({ title, message }) => title !== '' && message !== '')
    .map((item, index) => ({ suggestion_id: `sug_${index + 1}`, ...item }));
}

const CITATIONS_MAX = 100;
const QUOTE_CHARS_MAX = 20_000;

function toCitation(
  {
    passage,
    quote,
    start,
    end,
    requestedLocale,
  }: PlacedCitation & Pick<TurnContext, 'requestedLocale'> & { passage: RetrievedPassage },
  rules: OutputRules,
  index: number,
): Omit<Citation, 'seq'> | undefined {
  if (index > CITATIONS_MAX || quote.length > QUOTE_CHARS_MAX) return undefined;
  return {
    type: 'citation',
    citation_id: `cit_${index}`,
    index,
    article_id: passage.articleId,
    ...(passage.translationId ? { translation_id: passage.translationId } : {}),
    revision: passage.revision,
    title: rules.cleanLine(passage.title, ARTICLE_LIMITS.titleCharsMax),
    ...(passage.url && /^https?:/i.test(passage.url)
      ? { url: findAddress(passage.text, quote, passage.url) }
      : {}),
    quote,
    start,
    end,
    content_locale: passage.contentLocale,
    requested_locale: requestedLocale,
    ...(passage.fallbackReason ? { fallback_reason: passage.fallbackReason } : {}),
    stale: passage.stale,
  };
}

type EngineAction = Extract<EngineEvent, { type: 'action' }>;
export type ActionEvent = Extract<ChatEvent, { type: 'action' }>;

/** Cleans one line of text that an engine or a page wrote. */
type CleanLine = (text: string, charsMax: number) => string;

const ACTIONS_PER_TURN_MAX = 3;
const REASON_CHARS_MAX = 500;

/**
 * Allows only the kinds of the contract, on targets that the page sent with this turn or on URLs of the visitor's own origin. The
 * factory returns undefined for anything else.
 */
export function createActionFactory(turn: {
  targets: readonly CleanTarget[];
  origin: string;
  allowed: boolean;
}): (
  proposed: EngineAction,
  nowMillis: number,
  cleanLine?: CleanLine,
) => Omit<ActionEvent, 'seq'> | undefined {
  const targets = new Map(turn.targets.map((target) => [target.gpId, target]));
  let count = 0;
  return (proposed, nowMillis, cleanLine = cleanLabel) => {
    if (!turn.allowed || count >= ACTIONS_PER_TURN_MAX) return undefined;
    if (!actionKind.safeParse(proposed.kind).success) return undefined;
    const destination =
      proposed.kind === 'navigate'
        ? parseUrl(proposed, turn.origin)
        : findTarget(proposed, targets, cleanLine);
    if (!destination) return undefined;
    count += 1;
    return {
      type: 'action',
      action_id: `act_${count}`,
      kind: proposed.kind,
      ...destination,
      label: cleanLine(proposed.label, CHAT_LIMITS.labelCharsKept),
      reason: cleanLine(proposed.reason, REASON_CHARS_MAX),
      requires_confirmation: proposed.kind === 'navigate' || proposed.kind === 'focus',
      expires_at: Math.floor(nowMillis / 1000) + CHAT_LIMITS.actionLifeSeconds,
    };
  };
}

function parseUrl(proposed: EngineAction, origin: string): { url: string } | undefined {
  if (!proposed.url || !URL.canParse(proposed.url, origin)) return undefined;
  const url = new URL(proposed.url, origin);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  return url.href.length <= REQUEST_LIMITS.urlCharsMax ? { url: url.href } : undefined;
}

function findTarget(
  proposed: EngineAction,
  targets: ReadonlyMap<string, CleanTarget>,
  cleanLine: CleanLine,
): Pick<ActionEvent, 'target'> | undefined {
  const target = targets.get(proposed.gpId ?? '');
  if (!target) return undefined;
  return {
    target: {
      gp_id: target.gpId,
      label: cleanLine(target.name, CHAT_LIMITS.labelCharsKept),
      ...(target.documentBox ? { document_bbox: target.documentBox } : {}),
      confidence: target.confidence,
    },
  };
}
