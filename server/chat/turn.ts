import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FinishReason } from '../../contract/chat-event.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { type Engine, EngineFailure, type EnginePassage, type EngineQuestion } from '../engine/engine.ts';
import type { Log } from '../log.ts';
import { readableText } from '../sanitize/page-text.ts';
import type { Conversations } from '../storage/conversations.ts';
import { StorageUnavailable } from '../storage/store.ts';
import { type Counted, rowsOfTurn } from './analytics-events.ts';
import type { CleanPage } from './capture.ts';
import { type ChatEventWriter, createSayings, type Place, type RetrievalResult } from './events.ts';
import type { LiveTurn } from './live-turn.ts';
import type { Dropped } from './output-rules.ts';
import type { TokenAllowance } from './token-allowance.ts';

/** Everything a turn needs to know before it starts. */
export type TurnJob = Place & {
  readonly nextTurnIdx: number;
  /** Whether the conversation begins with this turn. */
  readonly first: boolean;
  readonly notices: readonly Notice[];
  /** Taken when the engine is asked: an open answer need not hold the page that it was asked on. */
  asking: Asking | undefined;
};

/** What the engine is asked, but for what the search finds. */
export type Asking = {
  readonly question: string;
  readonly page: CleanPage;
  readonly recentTurns: EngineQuestion['recentTurns'];
  /** What the owner asks of the guide. */
  readonly guide: Pick<EngineQuestion, 'instructions' | 'generalAnswers'>;
  readonly screenshot: EngineQuestion['page']['screenshot'];
};

export type Notice = {
  readonly code: 'screenshot_dropped' | 'targets_dropped' | 'capture_cut';
  readonly text: string;
};

type Deps = {
  readonly conversations: Conversations;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly search: (question: string) => Promise<RetrievalResult>;
  /** Where answers cost tokens: sets aside what this one may cost. */
  readonly allowance: (() => Promise<TokenAllowance>) | undefined;
  /** Who the event rows are about, asked when they are written; undefined where nothing is counted. */
  readonly counted: () => Promise<Counted | undefined>;
  readonly onFinish: (finishReason: string, dropped: Readonly<Dropped>) => void;
};

type Outcome = {
  finishReason: FinishReason;
  confidence: number;
  usage: { inputTokens: number; outputTokens: number };
};

/**
 * Runs one turn to its end: emits its events, stores its outcome, and never throws. What is stored is stored before it is said: `message_end`
 * goes out after the commit that it acknowledges.
 */
export async function runTurn(turn: LiveTurn, job: TurnJob, deps: Deps): Promise<void> {
  const startedAt = deps.clock.now();
  const said = createSayings(turn, job, deps.clock);
  try {
    const outcome = await answer(turn, job, deps, said);
    if (turn.signal.aborted) await keepPartial(turn, job, deps, said);
    else await finish(turn, job, deps, said, outcome, startedAt);
  } catch (error) {
    await fail(turn, job, deps, said, error);
  } finally {
    turn.end();
  }
}

async function answer(turn: LiveTurn, job: TurnJob, deps: Deps, said: ChatEventWriter): Promise<Outcome> {
  said.begin();
  for (const notice of job.notices) said.emit({ type: 'notice', level: 'info', ...notice });
  said.emit({ type: 'status', phase: 'retrieving' });
  // What was said so far leaves before the search takes the event loop.
  await nextTurn();
  const findings = await deps.search(job.asking!.question);
  said.emit({ type: 'status', phase: 'generating' });
  const allowance = await deps.allowance?.();
  const question = questionOf(job, findings, allowance);
  let outcome: Outcome = { finishReason: 'stop', confidence: 0, usage: { inputTokens: 0, outputTokens: 0 } };
  let hasBegun = false;
  try {
    // What the engine yields is passed on as it comes.
    for await (const event of deps.engine.answer(question, turn.signal)) {
      if (turn.signal.aborted) break;
      if (event.type === 'text' && !hasBegun) {
        hasBegun = true;
        letGo(question);
      }
      if (event.type === 'end') outcome = event;
      else said.pass(event, findings);
    }
    said.settle();
    return outcome;
  } finally {
    await allowance?.settle();
  }
}

/** A question whose larger parts are let go once its answer has begun. */
type OpenQuestion = Omit<EngineQuestion, 'page' | 'passages' | 'recentTurns'> & {
  readonly passages: readonly (Omit<EnginePassage, 'sentences'> & {
    sentences: EnginePassage['sentences'];
  })[];
  readonly page: { -readonly [K in keyof EngineQuestion['page']]: EngineQuestion['page'][K] };
  recentTurns: EngineQuestion['recentTurns'];
};

function questionOf(
  job: TurnJob,
  findings: RetrievalResult,
  allowance: TokenAllowance | undefined,
): OpenQuestion {
  const { question, page, recentTurns, guide, screenshot } = job.asking!;
  job.asking = undefined;
  const { title, url, digest, selectedText } = page;
  return {
    text: readableText(question, LIMITS.messageCharsMax),
    requestedLocale: job.requestedLocale,
    ...findings.question,
    page: {
      title,
      url,
      digest,
      selectedText,
      targets: job.actionsAllowed ? page.targets : [],
      ...(screenshot ? { screenshot } : {}),
    },
    recentTurns: recentTurns.map(({ question: asked, answer: told }) => ({
      question: readableText(asked, LIMITS.messageCharsMax),
      answer: told,
    })),
    ...guide,
    ...(allowance ? { allowance } : {}),
  };
}

/** An engine that has begun to write has read these; thousands of open answers would hold thousands of pages. */
function letGo(question: OpenQuestion): void {
  for (const passage of question.passages) passage.sentences = [];
  question.page.digest = '';
  question.page.selectedText = '';
  delete question.page.screenshot;
  question.recentTurns = [];
}

async function finish(
  turn: LiveTurn,
  job: TurnJob,
  deps: Deps,
  said: ChatEventWriter,
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
  const atMillis = deps.clock.now();
  const counted = await deps.counted();
  const rows = counted
    ? rowsOfTurn({
        counted,
        messageId: job.messageId,
        turnIdx: job.turnIdx,
        first: job.first,
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
  await deps.conversations.closeTurn(
    {
      messageId: job.messageId,
      answer: said.answer.text,
      frames: [...turn.frames.map((frame) => frame.data), end.data],
      requestedLocale: job.requestedLocale,
      state: 'complete',
      finishReason,
      finishedAt: atMillis,
    },
    rows,
  );
  turn.put(end);
  deps.onFinish(finishReason, said.dropped);
}

/** Nobody listens any more, or the server is going down: the part that was said is kept. */
async function keepPartial(turn: LiveTurn, job: TurnJob, deps: Deps, said: ChatEventWriter): Promise<void> {
  said.settle();
  await store(turn, job, deps, said, 'interrupted', 'cancelled');
  if (turn.signal.reason === 'shutdown') said.error('server/shutting_down', true, 2);
  deps.onFinish('cancelled', said.dropped);
}

async function fail(
  turn: LiveTurn,
  job: TurnJob,
  deps: Deps,
  said: ChatEventWriter,
  error: unknown,
): Promise<void> {
  const code = codeOf(error);
  deps.log.error({ err: error, request_id: job.requestId, message_id: job.messageId }, 'a turn failed');
  try {
    said.settle();
    await store(turn, job, deps, said, 'failed', undefined);
  } catch (again) {
    deps.log.error({ err: again, request_id: job.requestId }, 'a failed turn could not be stored');
  }
  said.error(code, true, error instanceof EngineFailure ? error.retryAfterSeconds : 5);
  deps.onFinish('error', said.dropped);
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof StorageUnavailable) return 'storage/unavailable';
  return error instanceof EngineFailure ? 'chat/answer_broke_off' : 'internal';
}

async function store(
  turn: LiveTurn,
  job: TurnJob,
  deps: Deps,
  said: ChatEventWriter,
  state: 'interrupted' | 'failed',
  finishReason: 'cancelled' | undefined,
): Promise<void> {
  await deps.conversations.closeTurn(
    {
      messageId: job.messageId,
      answer: said.answer.text,
      frames: turn.frames.map((frame) => frame.data),
      requestedLocale: job.requestedLocale,
      state,
      ...(finishReason ? { finishReason } : {}),
      finishedAt: deps.clock.now(),
    },
    [],
  );
}
