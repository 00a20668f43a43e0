import type { FinishReason } from '../../contract/chat-event.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createLoopTurns } from '../base/loop-turns.ts';
import type { LiveTurn } from '../coordination/coordination.ts';
import { EngineFailure, type EngineQuestion } from '../engine/engine.ts';
import { findNearestArticle } from '../knowledge/search/retrieve.ts';
import { sanitizePageText } from '../sanitize/page-text.ts';
import { StorageUnavailable } from '../storage/availability.ts';
import type { Conversations } from '../storage/conversations.ts';
import type { EventSubject } from '../visitors/consent/event-subject.ts';
import type { TokenAllowance } from '../workspaces/token-budget.ts';
import { isUnanswered, toTurnRows } from './analytics-events.ts';
import { isUndecided, toAnonymousQuestion } from './anonymous-question.ts';
import { type AnswerDeps, type Message, type PastTurn, prepareAnswer } from './answer-message.ts';
import type { CleanPage } from './capture.ts';
import { ChatEventWriter, type TurnContext } from './events.ts';
import type { Dropped } from './output-rules.ts';
import { toUnansweredEvent } from './webhook-events.ts';

/** Everything that is known about a turn before it starts. */
export type TurnInput = TurnContext & {
  /** The run that stores the outcome, see `Turn.attempt`. */
  attempt: number;
  /** How many frames of earlier attempts the reader has. */
  seenFrames: number;
  nextTurnIdx: number;
  /** Path of the page's URL. */
  path: string;
  /** Whether the conversation begins with this turn. */
  first: boolean;
  notices: readonly Notice[];
  workspace: Pick<Message, 'sourceLocale' | 'workspaceName' | 'contact' | 'takesHandovers' | 'origins'>;
  /** Cleared by `takeMessage`. */
  prompt: Prompt | undefined;
};

/** The engine's input besides the retrieved passages. */
export type Prompt = {
  question: string;
  page: CleanPage;
  recentTurns: readonly PastTurn[];
  /** The workspace owner's settings of the guide. */
  guide: Pick<EngineQuestion, 'rules' | 'generalAnswers'>;
  screenshot: EngineQuestion['page']['screenshot'];
};

export type Notice = {
  code: 'screenshot_dropped' | 'targets_dropped' | 'capture_cut';
  text: string;
};

type Deps = Omit<AnswerDeps, 'allowance'> & {
  /** Reserves the tokens that this turn may cost; undefined for engines that cost none. */
  reserveTokens: (() => Promise<TokenAllowance>) | undefined;
  conversations: Conversations;
  clock: Clock;
  log: Log;
  /** Whether the workspace keeps the words of unanswered questions of undecided visitors. */
  keepsAnonymousQuestions: boolean;
  /** Called when the event rows are written; resolves to undefined when the visitor may not be counted. */
  getEventSubject: () => Promise<EventSubject | undefined>;
  /** Called at the end, or before a model is asked, which works elsewhere. */
  endWork: () => void;
  onFinish: (finishReason: string, dropped: Readonly<Dropped>) => void;
};

type Outcome = {
  /** What was asked, without personal data and secrets. */
  question: string;
  nearestArticleId: string | undefined;
  finishReason: FinishReason;
  confidence: number;
  usage: { inputTokens: number; outputTokens: number };
  offersPerson?: boolean;
};

/** Runs one turn to its end and never throws. `message_end` is sent only after its commit. */
export async function runTurn(turn: LiveTurn, input: TurnInput, deps: Deps): Promise<void> {
  const startedAt = deps.clock.now();
  const events = new ChatEventWriter(turn, input, deps.clock);
  try {
    const outcome = await streamAnswer(turn, input, deps, events);
    if (turn.signal.aborted) await saveInterrupted(turn, input, deps, events);
    else await finish(turn, input, deps, events, outcome, startedAt);
  } catch (error) {
    await saveFailed(turn, input, deps, events, error);
  } finally {
    turn.end();
    deps.endWork();
  }
}

const SEARCHES_IN_A_LOOP_TURN = 2;
const nextLoopTurn = createLoopTurns(SEARCHES_IN_A_LOOP_TURN);

async function streamAnswer(
  turn: LiveTurn,
  input: TurnInput,
  deps: Deps,
  events: ChatEventWriter,
): Promise<Outcome> {
  events.start(input.seenFrames);
  for (const notice of input.notices) events.emit({ type: 'notice', level: 'info', ...notice });
  events.emit({ type: 'status', phase: 'retrieving' });
  // Send these frames before the search blocks the event loop.
  await nextLoopTurn();
  if (deps.engine.costsTokens) deps.endWork();
  const allowance = await deps.reserveTokens?.();
  try {
    const message = takeMessage(input);
    const question = message.text;
    const { sources, retrievals, answer } = await prepareAnswer(message, { ...deps, allowance }, turn.signal);
    const nearestArticleId = retrievals.map(findNearestArticle).find((id) => id !== undefined);
    events.emit({ type: 'status', phase: 'generating' });
    let outcome: Outcome = { question, nearestArticleId, ...NO_OUTCOME };
    for await (const event of answer(turn.signal)) {
      if (turn.signal.aborted) break;
      if (event.type === 'end') outcome = { ...outcome, ...event };
      else events.emitEngineEvent(event, sources);
    }
    events.flush();
    return outcome;
  } finally {
    await allowance?.settle();
  }
}

const NO_OUTCOME = {
  finishReason: 'stop',
  confidence: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
} as const;

/** Moves the prompt out of the input: an open answer need not keep its page in memory. */
function takeMessage(input: TurnInput): Message {
  const { question, page, recentTurns, guide, screenshot } = input.prompt!;
  input.prompt = undefined;
  const { title, url, digest, selectedText } = page;
  return {
    text: sanitizePageText(question, CHAT_LIMITS.messageCharsMax),
    requestedLocale: input.requestedLocale,
    ...input.workspace,
    page: {
      title,
      url,
      digest,
      selectedText,
      targets: input.actionsAllowed ? page.targets : [],
      ...(screenshot ? { screenshot } : {}),
    },
    recentTurns: recentTurns.map((recent) => ({
      ...recent,
      question: sanitizePageText(recent.question, CHAT_LIMITS.messageCharsMax),
    })),
    ...guide,
  };
}

async function finish(
  turn: LiveTurn,
  input: TurnInput,
  deps: Deps,
  events: ChatEventWriter,
  outcome: Outcome,
  startedAt: number,
): Promise<void> {
  const { finishReason, confidence, nearestArticleId } = outcome;
  const end = events.toEndFrame(outcome, input.nextTurnIdx);
  const atMillis = deps.clock.now();
  const subject = await deps.getEventSubject();
  const rows = subject
    ? toTurnRows({
        subject,
        messageId: input.messageId,
        path: input.path,
        turnIdx: input.turnIdx,
        first: input.first,
        atMillis,
        finishReason,
        confidence,
        requestedLocale: input.requestedLocale,
        millis: atMillis - startedAt,
        firstTextMillis: events.firstTextAt === undefined ? undefined : events.firstTextAt - startedAt,
        citations: events.citations,
        actions: events.actions,
        nearestArticleId,
      })
    : [];
  const isKept =
    subject && isUndecided(subject) && deps.keepsAnonymousQuestions && isUnanswered(finishReason);
  const closed = await deps.conversations.closeTurn(
    {
      messageId: input.messageId,
      attempt: input.attempt,
      answer: events.answer.text,
      frames: [...turn.frames.map((frame) => frame.data), end.data],
      requestedLocale: input.requestedLocale,
      state: 'complete',
      finishReason,
      finishedAt: atMillis,
    },
    rows,
    isKept
      ? toAnonymousQuestion(outcome.question, atMillis, {
          ...{ locale: input.requestedLocale, path: input.path },
          ...{ nearestArticleId: nearestArticleId ?? null, results: null },
        })
      : undefined,
    subject && isUnanswered(finishReason)
      ? toUnansweredEvent({ ...input, ...outcome, locale: input.requestedLocale }, subject, atMillis)
      : undefined,
  );
  // Do not acknowledge an answer that was not stored.
  if (closed === 'closed') turn.put(end);
  else events.emitError('chat/answer_broke_off', true, 1);
  deps.onFinish(closed === 'closed' ? finishReason : 'error', events.dropped);
}

/** Stores the partial answer when the last reader has left, the server shuts down or the guide is paused. */
async function saveInterrupted(
  turn: LiveTurn,
  input: TurnInput,
  deps: Deps,
  events: ChatEventWriter,
): Promise<void> {
  events.flush();
  await savePartial(turn, input, deps, events, 'interrupted', 'cancelled');
  if (turn.signal.reason === 'shutdown') events.emitError('server/shutting_down', true, 2);
  if (turn.signal.reason === 'paused') events.emitError('guide/paused', true, 30);
  deps.onFinish('cancelled', events.dropped);
}

async function saveFailed(
  turn: LiveTurn,
  input: TurnInput,
  deps: Deps,
  events: ChatEventWriter,
  error: unknown,
): Promise<void> {
  deps.log.error({ err: error, request_id: input.requestId, message_id: input.messageId }, 'turn failed');
  try {
    events.flush();
    await savePartial(turn, input, deps, events, 'failed', undefined);
  } catch (storeError) {
    deps.log.error({ err: storeError, request_id: input.requestId }, 'failed to store a failed turn');
  }
  const retryAfterSeconds = error instanceof EngineFailure ? error.retryAfterSeconds : 5;
  events.emitError(toErrorCode(error), true, retryAfterSeconds);
  deps.onFinish('error', events.dropped);
}

function toErrorCode(error: unknown): ErrorCode {
  if (error instanceof StorageUnavailable) return 'storage/unavailable';
  return error instanceof EngineFailure ? 'chat/answer_broke_off' : 'internal';
}

async function savePartial(
  turn: LiveTurn,
  input: TurnInput,
  deps: Deps,
  events: ChatEventWriter,
  state: 'interrupted' | 'failed',
  finishReason: 'cancelled' | undefined,
): Promise<void> {
  await deps.conversations.closeTurn(
    {
      messageId: input.messageId,
      attempt: input.attempt,
      answer: events.answer.text,
      frames: turn.frames.map((frame) => frame.data),
      requestedLocale: input.requestedLocale,
      state,
      ...(finishReason ? { finishReason } : {}),
      finishedAt: deps.clock.now(),
    },
    [],
  );
}
