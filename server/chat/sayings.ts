import { CHAT_PROTOCOL, type ChatEvent, type ChatEventType, chatEvent } from '../../contract/chat-event.ts';
import { LIMITS } from '../../contract/limits.ts';
import { REFUSALS, type RefusalCode } from '../../contract/refusals.ts';
import type { Clock } from '../clock.ts';
import type { EngineEvent, EngineQuestion } from '../engine/engine.ts';
import { type AnswerText, createAnswerText } from './answer-text.ts';
import type { CleanTarget } from './capture.ts';
import type { LiveTurn } from './live-turn.ts';
import { type ActionEvent, createProposals } from './proposals.ts';

type Citation = Extract<ChatEvent, { type: 'citation' }>;
type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;

/** What is known of a cited passage beyond what an engine sees. */
export type Provenance = Pick<Citation, 'fallback_reason' | 'stale' | 'requested_locale'>;
export type Findings = {
  readonly question: Pick<EngineQuestion, 'found' | 'passages' | 'nearest'>;
  provenanceOf(articleId: string): Provenance;
};

/** Where a turn stands, as its first event says. */
export type Place = {
  readonly messageId: string;
  readonly requestId: string;
  readonly conversationId: string;
  readonly previousConversationId: string | undefined;
  readonly turnIdx: number;
  readonly requestedLocale: string;
  readonly origin: string;
  readonly page: { readonly targets: readonly CleanTarget[] };
  readonly actionsAllowed: boolean;
};

export type Sayings = {
  readonly answer: AnswerText;
  readonly citations: readonly Citation[];
  readonly actions: readonly ActionEvent[];
  readonly droppedActions: number;
  readonly firstTextAt: number | undefined;
  begin(): void;
  emit(event: WithoutSeq<ChatEvent>): void;
  frame(event: WithoutSeq<ChatEvent>): { id: string; event: ChatEventType; data: string };
  pass(event: Exclude<EngineEvent, { type: 'end' }>, findings: Findings): void;
  error(code: RefusalCode, retryable: boolean, retryAfterSeconds: number): void;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Turns what an engine yields into events of the contract; every one is checked against it before it leaves. */
export function createSayings(turn: LiveTurn, job: Place, clock: Clock): Sayings {
  const answerText = createAnswerText();
  const citations: Citation[] = [];
  const actions: ActionEvent[] = [];
  const propose = createProposals({
    targets: job.page.targets,
    origin: job.origin,
    allowed: job.actionsAllowed,
  });
  const frame: Sayings['frame'] = (event) => {
    const seq = turn.frames.length;
    const whole = chatEvent.parse({ ...event, seq });
    return { id: `${job.messageId}:${seq}`, event: whole.type, data: JSON.stringify(whole) };
  };
  const emit: Sayings['emit'] = (event) => turn.put(frame(event));

  const said: Mutable<Sayings> = {
    answer: answerText,
    citations,
    actions,
    droppedActions: 0,
    firstTextAt: undefined,
    frame,
    emit,
    begin() {
      if (turn.frames.length > 0) {
        // The reader has part of an earlier attempt; it starts over.
        emit({ type: 'text_replace', text: '', reason: 'retry' });
        return;
      }
      emit({
        type: 'message_start',
        protocol: CHAT_PROTOCOL,
        conversation_id: job.conversationId,
        conversation_rotated: job.previousConversationId !== undefined,
        ...(job.previousConversationId === undefined
          ? {}
          : { previous_conversation_id: job.previousConversationId }),
        turn_idx: job.turnIdx,
        message_id: job.messageId,
        requested_locale: job.requestedLocale,
        ai_generated: true,
      });
    },
    pass(event, findings) {
      switch (event.type) {
        case 'text': {
          said.firstTextAt ??= clock.now();
          emit({ type: 'text_delta', delta: event.delta, offset: answerText.length });
          answerText.append(event.delta);
          return;
        }
        case 'citation': {
          const cited = citationOf(event, findings, citations.length + 1, answerText);
          if (!cited) return;
          emit(cited);
          citations.push({ ...cited, seq: turn.frames.length - 1 });
          return;
        }
        case 'action': {
          const action = propose(event, clock.now());
          if (!action) {
            said.droppedActions += 1;
            return;
          }
          emit(action);
          actions.push({ ...action, seq: turn.frames.length - 1 });
          return;
        }
        case 'suggestions':
          emit({
            type: 'suggestions',
            items: event.items.slice(0, 10).map(({ title, message }, index) => ({
              suggestion_id: `sug_${index + 1}`,
              title: title.slice(0, LIMITS.titleCharsMax),
              message: message.slice(0, LIMITS.messageCharsMax),
            })),
          });
      }
    },
    error(code, retryable, retryAfterSeconds) {
      emit({
        type: 'error',
        code,
        message: REFUSALS[code].message,
        retryable,
        retry_after_sec: retryAfterSeconds,
        request_id: job.requestId,
        partial: answerText.length > 0,
      });
    },
  };
  return said;
}

/** A citation leaves only when its quote stands verbatim in the passage that it names. */
function citationOf(
  event: Extract<EngineEvent, { type: 'citation' }>,
  findings: Findings,
  index: number,
  answerText: AnswerText,
): Omit<Citation, 'seq'> | undefined {
  const { passage, quote, start, end } = event;
  const isRetrieved = findings.question.passages.includes(passage);
  const isPlaced = start >= 0 && end >= start && end <= answerText.text.length;
  if (!isRetrieved || !isPlaced || quote === '' || !passage.text.includes(quote)) return undefined;
  return {
    type: 'citation',
    citation_id: `cit_${index}`,
    index,
    article_id: passage.articleId,
    ...(passage.translationId ? { translation_id: passage.translationId } : {}),
    revision: passage.revision,
    title: passage.title,
    ...(passage.url ? { url: passage.url } : {}),
    quote,
    start: answerText.codePointsAt(start),
    end: answerText.codePointsAt(end),
    content_locale: passage.contentLocale,
    ...findings.provenanceOf(passage.articleId),
  };
}
