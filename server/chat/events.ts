import { CHAT_PROTOCOL, type ChatEvent, type ChatEventType, chatEvent } from '../../contract/chat-event.ts';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { EngineEvent, EngineQuestion } from '../engine/engine.ts';
import { type AnswerText, createAnswerText } from './answer-text.ts';
import type { CleanTarget } from './capture.ts';
import type { LiveTurn } from './live-turn.ts';
import { type Dropped, nothingDropped, OutputRules, type PlacedCitation, portions } from './output-rules.ts';
import { type ActionEvent, createProposals } from './proposals.ts';

type Citation = Extract<ChatEvent, { type: 'citation' }>;
type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;

/** What is known of a cited passage beyond what an engine sees. */
export type Provenance = Pick<Citation, 'fallback_reason' | 'stale' | 'requested_locale'>;
export type RetrievalResult = {
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

export type ChatEventWriter = {
  readonly answer: AnswerText;
  readonly citations: readonly Citation[];
  readonly actions: readonly ActionEvent[];
  /** What did not leave, so far. */
  readonly dropped: Readonly<Dropped>;
  readonly firstTextAt: number | undefined;
  begin(): void;
  emit(event: WithoutSeq<ChatEvent>): void;
  frame(event: WithoutSeq<ChatEvent>): { id: string; event: ChatEventType; data: string };
  pass(event: Exclude<EngineEvent, { type: 'end' }>, findings: RetrievalResult): void;
  /** The engine says no more: what was held back of its words leaves. */
  settle(): void;
  error(code: ErrorCode, retryable: boolean, retryAfterSeconds: number): void;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Turns what an engine yields into events of the contract; every one is checked against it before it leaves. */
export function createSayings(
  turn: Pick<LiveTurn, 'frames' | 'put'>,
  job: Place,
  clock: Clock,
): ChatEventWriter {
  const answerText = createAnswerText();
  const citations: Citation[] = [];
  const actions: ActionEvent[] = [];
  const dropped = nothingDropped();
  const propose = createProposals({
    targets: job.page.targets,
    origin: job.origin,
    allowed: job.actionsAllowed,
  });
  const frame: ChatEventWriter['frame'] = (event) => {
    const seq = turn.frames.length;
    const whole = chatEvent.parse({ ...event, seq });
    return { id: `${job.messageId}:${seq}`, event: whole.type, data: JSON.stringify(whole) };
  };
  const emit: ChatEventWriter['emit'] = (event) => turn.put(frame(event));
  /** What the engine is answering from, once it is known. */
  let sources: { readonly rules: OutputRules; readonly findings: RetrievalResult } | undefined;

  const say = (text: string) => {
    for (const delta of portions(text, answerText)) {
      said.firstTextAt ??= clock.now();
      emit({ type: 'text_delta', delta, offset: answerText.length });
      answerText.append(delta);
    }
  };
  const citeWhatIsPlaced = ({ rules, findings }: NonNullable<typeof sources>) => {
    for (const placed of rules.placed()) {
      const cited = citationOf(placed, findings, rules, citations.length + 1, answerText);
      if (!cited) {
        dropped.citations += 1;
        continue;
      }
      emit(cited);
      citations.push({ ...cited, seq: turn.frames.length - 1 });
    }
  };

  const said: Mutable<ChatEventWriter> = {
    answer: answerText,
    citations,
    actions,
    dropped,
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
      sources ??= { rules: new OutputRules(findings.question, dropped), findings };
      const { rules } = sources;
      switch (event.type) {
        case 'text':
          say(rules.text(event.delta));
          citeWhatIsPlaced(sources);
          return;
        case 'citation':
          if (rules.cite(event)) citeWhatIsPlaced(sources);
          else dropped.citations += 1;
          return;
        case 'action': {
          const action = propose(event, clock.now(), (text, charsMax) => rules.line(text, charsMax));
          if (!action) {
            dropped.actions += 1;
            return;
          }
          emit(action);
          actions.push({ ...action, seq: turn.frames.length - 1 });
          return;
        }
        case 'notice':
          emit({ type: 'notice', level: 'warning', code: event.code, text: rules.line(event.text, 500) });
          return;
        case 'suggestions': {
          const items = suggestionsOf(event, rules);
          dropped.suggestions += event.items.length - items.length;
          if (items.length > 0) emit({ type: 'suggestions', items });
        }
      }
    },
    settle() {
      if (!sources) return;
      const last = sources;
      sources = undefined;
      say(last.rules.rest());
      citeWhatIsPlaced(last);
    },
    error(code, retryable, retryAfterSeconds) {
      emit({
        type: 'error',
        code,
        message: ERROR_CODES[code].message,
        retryable,
        retry_after_sec: retryAfterSeconds,
        request_id: job.requestId,
        partial: answerText.length > 0,
      });
    },
  };
  return said;
}

const SUGGESTIONS_MAX = 10;

function suggestionsOf(event: Extract<EngineEvent, { type: 'suggestions' }>, rules: OutputRules) {
  return event.items
    .slice(0, SUGGESTIONS_MAX)
    .map(({ title, message }) => ({
      title: rules.line(title, LIMITS.titleCharsMax),
      message: rules.line(message, LIMITS.messageCharsMax),
    }))
    .filter(({ title, message }) => title !== '' && message !== '')
    .map((item, index) => ({ suggestion_id: `sug_${index + 1}`, ...item }));
}

const CITATIONS_MAX = 100;
const QUOTE_CHARS_MAX = 20_000;

function citationOf(
  { event: { passage, quote }, start, end }: PlacedCitation,
  findings: RetrievalResult,
  rules: OutputRules,
  index: number,
  answerText: AnswerText,
): Omit<Citation, 'seq'> | undefined {
  if (index > CITATIONS_MAX || quote.length > QUOTE_CHARS_MAX) return undefined;
  return {
    type: 'citation',
    citation_id: `cit_${index}`,
    index,
    article_id: passage.articleId,
    ...(passage.translationId ? { translation_id: passage.translationId } : {}),
    revision: passage.revision,
    title: rules.line(passage.title, LIMITS.titleCharsMax),
    ...(passage.url && /^https?:/i.test(passage.url) ? { url: passage.url } : {}),
    quote,
    start: answerText.codePointsAt(start),
    end: answerText.codePointsAt(end),
    content_locale: passage.contentLocale,
    ...findings.provenanceOf(passage.articleId),
  };
}
