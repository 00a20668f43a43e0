import {
  CHAT_PROTOCOL,
  type ChatEvent,
  type ChatEventType,
  chatEvent,
  type FinishReason,
} from '../../contract/chat-event.ts';
import { LIMITS } from '../../contract/limits.ts';
import { REFUSALS, type RefusalCode } from '../../contract/refusals.ts';
import type { Clock } from '../clock.ts';
import type { Engine, EngineEvent, EngineQuestion } from '../engine/engine.ts';
import type { Log } from '../log.ts';
import type { Conversations } from '../storage/conversations.ts';
import { StorageUnavailable } from '../storage/store.ts';
import { type AnswerText, createAnswerText } from './answer-text.ts';
import type { CleanPage } from './capture.ts';
import { type Counted, rowsOfTurn } from './counting.ts';
import type { LiveTurn } from './live-turn.ts';
import { type ActionEvent, createProposals } from './proposals.ts';

/** Everything a turn needs to know before it starts. */
export type TurnJob = {
  readonly messageId: string;
  readonly requestId: string;
  readonly conversationId: string;
  readonly previousConversationId: string | undefined;
  readonly turnIdx: number;
  readonly nextTurnIdx: number;
  readonly question: string;
  readonly requestedLocale: string;
  readonly origin: string;
  readonly page: CleanPage;
  readonly actionsAllowed: boolean;
  readonly notices: readonly {
    readonly code: 'screenshot_dropped' | 'targets_dropped' | 'capture_cut';
    readonly text: string;
  }[];
  readonly recentTurns: EngineQuestion['recentTurns'];
  readonly counted: Counted | undefined;
};

/** What is known of a cited passage beyond what an engine sees. */
export type Provenance = Pick<Citation, 'fallback_reason' | 'stale' | 'requested_locale'>;
export type Findings = {
  readonly question: Pick<EngineQuestion, 'found' | 'passages' | 'nearest'>;
  provenanceOf(articleId: string): Provenance;
};

type Needs = {
  readonly conversations: Conversations;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly search: (question: string) => Promise<Findings>;
  readonly onFinish: (finishReason: string, droppedActions: number) => void;
};

type Citation = Extract<ChatEvent, { type: 'citation' }>;
type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;
type Outcome = {
  finishReason: FinishReason;
  confidence: number;
  usage: { inputTokens: number; outputTokens: number };
};

/**
 * Runs one turn to its end: emits its events, stores its outcome, and never throws. What is stored is stored before it is said: `message_end`
 * goes out after the commit that it acknowledges.
 */
export async function runTurn(turn: LiveTurn, job: TurnJob, needs: Needs): Promise<void> {
  const startedAt = needs.clock.now();
  const said = createSayings(turn, job, needs.clock);
  try {
    const outcome = await answer(turn, job, needs, said);
    if (turn.signal.aborted) await keepPartial(turn, job, needs, said);
    else await finish(turn, job, needs, said, outcome, startedAt);
  } catch (error) {
    await fail(turn, job, needs, said, error);
  } finally {
    turn.end();
  }
}

async function answer(turn: LiveTurn, job: TurnJob, needs: Needs, said: Sayings): Promise<Outcome> {
  said.begin();
  for (const notice of job.notices) said.emit({ type: 'notice', level: 'info', ...notice });
  said.emit({ type: 'status', phase: 'retrieving' });
  const findings = await needs.search(job.question);
  said.emit({ type: 'status', phase: 'generating' });
  const { title, url, digest, selectedText, targets } = job.page;
  const question: EngineQuestion = {
    text: job.question,
    requestedLocale: job.requestedLocale,
    ...findings.question,
    page: { title, url, digest, selectedText, targets: job.actionsAllowed ? targets : [] },
    recentTurns: job.recentTurns,
  };
  let outcome: Outcome = { finishReason: 'stop', confidence: 0, usage: { inputTokens: 0, outputTokens: 0 } };
  for await (const event of needs.engine.answer(question, turn.signal)) {
    if (turn.signal.aborted) break;
    if (event.type === 'end') outcome = event;
    else said.pass(event, findings);
  }
  return outcome;
}

async function finish(
  turn: LiveTurn,
  job: TurnJob,
  needs: Needs,
  said: Sayings,
  outcome: Outcome,
  startedAt: number,
): Promise<void> {
  const { finishReason, confidence, usage } = outcome;
  const end = said.frame({
    type: 'message_end',
    finish_reason: finishReason,
    answer_confidence: confidence,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    text_length: said.answer.length,
    citation_count: said.citations.length,
    next_turn_idx: job.nextTurnIdx,
  });
  const atMillis = needs.clock.now();
  const rows = job.counted
    ? rowsOfTurn({
        counted: job.counted,
        messageId: job.messageId,
        atMillis,
        finishReason,
        confidence,
        requestedLocale: job.requestedLocale,
        millis: atMillis - startedAt,
        firstTextMillis: said.firstTextAt === undefined ? undefined : said.firstTextAt - startedAt,
        citations: said.citations,
        actions: said.actions,
      })
    : [];
  await needs.conversations.closeTurn(
    {
      messageId: job.messageId,
      answer: said.answer.text,
      frames: [...turn.frames.map((frame) => frame.data), end.data],
      requestedLocale: job.requestedLocale,
      state: 'complete',
      finishReason,
      finishedAt: atMillis,
      nextTurnIdx: job.nextTurnIdx,
    },
    rows,
  );
  turn.put(end);
  needs.onFinish(finishReason, said.droppedActions);
}

/** Nobody listens any more, or the server is going down: the part that was said is kept. */
async function keepPartial(turn: LiveTurn, job: TurnJob, needs: Needs, said: Sayings): Promise<void> {
  await store(turn, job, needs, said, 'interrupted', 'cancelled');
  if (turn.signal.reason === 'shutdown') said.error('server/shutting_down', true, 2);
  needs.onFinish('cancelled', said.droppedActions);
}

async function fail(
  turn: LiveTurn,
  job: TurnJob,
  needs: Needs,
  said: Sayings,
  error: unknown,
): Promise<void> {
  const code: RefusalCode = error instanceof StorageUnavailable ? 'storage/unavailable' : 'internal';
  needs.log.error({ err: error, request_id: job.requestId, message_id: job.messageId }, 'a turn failed');
  try {
    await store(turn, job, needs, said, 'failed', undefined);
  } catch (again) {
    needs.log.error({ err: again, request_id: job.requestId }, 'a failed turn could not be stored');
  }
  said.error(code, true, 5);
  needs.onFinish('error', said.droppedActions);
}

async function store(
  turn: LiveTurn,
  job: TurnJob,
  needs: Needs,
  said: Sayings,
  state: 'interrupted' | 'failed',
  finishReason: 'cancelled' | undefined,
): Promise<void> {
  await needs.conversations.closeTurn(
    {
      messageId: job.messageId,
      answer: said.answer.text,
      frames: turn.frames.map((frame) => frame.data),
      requestedLocale: job.requestedLocale,
      state,
      ...(finishReason ? { finishReason } : {}),
      finishedAt: needs.clock.now(),
      nextTurnIdx: job.nextTurnIdx,
    },
    [],
  );
}

type Sayings = {
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

/** Turns what an engine yields into events of the contract; every one is checked against it before it leaves. */
function createSayings(turn: LiveTurn, job: TurnJob, clock: Clock): Sayings {
  const answerText = createAnswerText();
  const citations: Citation[] = [];
  const actions: ActionEvent[] = [];
  const propose = createProposals({
    targets: job.page.targets,
    origin: job.origin,
    allowed: job.actionsAllowed,
  });
  let droppedActions = 0;
  let firstTextAt: number | undefined;

  const frame: Sayings['frame'] = (event) => {
    const seq = turn.frames.length;
    const whole = chatEvent.parse({ ...event, seq });
    return { id: `${job.messageId}:${seq}`, event: whole.type, data: JSON.stringify(whole) };
  };
  const emit: Sayings['emit'] = (event) => turn.put(frame(event));

  return {
    answer: answerText,
    citations,
    actions,
    get droppedActions() {
      return droppedActions;
    },
    get firstTextAt() {
      return firstTextAt;
    },
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
          firstTextAt ??= clock.now();
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
            droppedActions += 1;
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
