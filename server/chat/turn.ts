import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FinishReason } from '../../contract/chat-event.ts';
import type { RefusalCode } from '../../contract/refusals.ts';
import type { Clock } from '../clock.ts';
import type { Engine, EngineQuestion } from '../engine/engine.ts';
import type { Log } from '../log.ts';
import type { Conversations } from '../storage/conversations.ts';
import { StorageUnavailable } from '../storage/store.ts';
import type { CleanPage } from './capture.ts';
import { type Counted, rowsOfTurn } from './counting.ts';
import type { LiveTurn } from './live-turn.ts';
import { createSayings, type Findings, type Place, type Sayings } from './sayings.ts';

/** Everything a turn needs to know before it starts. */
export type TurnJob = Place & {
  readonly nextTurnIdx: number;
  readonly question: string;
  readonly page: CleanPage;
  readonly notices: readonly Notice[];
  readonly recentTurns: EngineQuestion['recentTurns'];
  /** Who the event rows are about; undefined where nothing is counted. */
  readonly counted: Counted | undefined;
};

export type Notice = {
  readonly code: 'screenshot_dropped' | 'targets_dropped' | 'capture_cut';
  readonly text: string;
};

type Needs = {
  readonly conversations: Conversations;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly search: (question: string) => Promise<Findings>;
  readonly onFinish: (finishReason: string, droppedActions: number) => void;
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
  // What was said so far leaves before the search takes the event loop.
  await nextTurn();
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
