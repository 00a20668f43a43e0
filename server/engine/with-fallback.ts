import { type Engine, type EngineEvent, EngineFailure, type EngineQuestion } from './engine.ts';
import { ModelFailure, type ModelTrouble } from './model.ts';

/**
 * The engine that writes, with the one that quotes behind it: where the first fails before a word was said, or has nothing left to spend,
 * the second answers and a notice says so. After the first word the answer breaks off instead: half of each would be neither.
 */

export type FallbackReason = ModelTrouble | 'budget' | 'resting' | 'internal';

export type FallbackOptions = {
  readonly now: () => number;
  readonly onFailure?: (trouble: ModelTrouble | 'internal', error: unknown) => void;
  readonly onFallback?: (reason: FallbackReason) => void;
};

/** A turn that may cost less is not begun. */
const TURN_TOKENS_MIN = 256;
const FAILURES_BEFORE_REST = 3;
const REST_MILLIS = 15_000;
const REST_MILLIS_MAX = 60_000;

export function withFallback(first: Engine, second: Engine, options: FallbackOptions): Engine {
  const health = createHealth(options.now);
  async function* instead(
    reason: FallbackReason,
    question: EngineQuestion,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent> {
    options.onFallback?.(reason);
    yield reason === 'budget' ? BUDGET_SPENT : UNAVAILABLE;
    yield* second.answer(question, signal);
  }
  return {
    name: first.name,
    ...(first.costsTokens === undefined ? {} : { costsTokens: first.costsTokens }),
    ...(first.looks === undefined ? {} : { looks: first.looks }),
    async *answer(question, signal) {
      if (question.allowance && question.allowance.tokensMax < TURN_TOKENS_MIN) {
        yield* instead('budget', question, signal);
        return;
      }
      if (health.isResting()) {
        yield* instead('resting', question, signal);
        return;
      }
      /** What came before the first word; it goes with the answer that it came with. */
      let early: EngineEvent[] | undefined = [];
      try {
        for await (const event of first.answer(question, signal)) {
          if (early && event.type !== 'text' && event.type !== 'end') {
            early.push(event);
            continue;
          }
          if (early) {
            yield* early;
            early = undefined;
            health.succeeded();
          }
          yield event;
        }
      } catch (error) {
        if (signal.aborted) return;
        const trouble = error instanceof ModelFailure ? error.trouble : 'internal';
        const retryAfterSeconds = error instanceof ModelFailure ? error.retryAfterSeconds : undefined;
        options.onFailure?.(trouble, error);
        if (!early) throw new EngineFailure(`the model broke off: ${trouble}`, retryAfterSeconds);
        health.failed(retryAfterSeconds);
        yield* instead(trouble, question, signal);
      }
    },
  };
}

const UNAVAILABLE = {
  type: 'notice',
  code: 'llm_unavailable',
  text: 'The language model did not answer; this answer is quoted from the articles.',
} as const;
const BUDGET_SPENT = {
  type: 'notice',
  code: 'llm_budget_spent',
  text: 'The tokens of this workspace are used up; this answer is quoted from the articles.',
} as const;

/** After some failures in a row nobody waits for the model for a while; a server that says how long is taken at its word. */
function createHealth(now: () => number) {
  let failures = 0;
  let restsUntil = 0;
  return {
    isResting: () => now() < restsUntil,
    succeeded() {
      failures = 0;
    },
    failed(retryAfterSeconds: number | undefined) {
      failures += 1;
      if (retryAfterSeconds !== undefined) {
        restsUntil = now() + Math.min(retryAfterSeconds * 1000, REST_MILLIS_MAX);
      } else if (failures >= FAILURES_BEFORE_REST) restsUntil = now() + REST_MILLIS;
    },
  };
}
