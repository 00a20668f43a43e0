import { createCircuitBreaker } from '../base/circuit-breaker.ts';
import type { EngineAllowance, EngineUsage } from './engine.ts';
import { type Model, ModelFailure, type ModelMessage } from './model.ts';
import { createHabits, ThinkingFilter } from './thinking.ts';
import { TokenRates } from './token-rates.ts';

/** Asks a model for a few lines. Undefined when it fails or the signal aborts: whoever asks does without. */
type AskForLines = (
  messages: readonly ModelMessage[],
  allowance: EngineAllowance | undefined,
  signal: AbortSignal,
) => Promise<string | undefined>;

const REPLY_CHARS_MAX = 2_000;
/** Enough for a model that thinks first. */
export const REPLY_TOKENS_MAX = 1_000;

/** How long a model is not asked after three time-outs in a row: each made a visitor wait in vain. */
const PAUSE_MILLIS = 600_000;

export function createAskForLines(
  model: Model,
  { now, onUsage }: { now: () => number; onUsage?: (usage: EngineUsage) => void },
): AskForLines {
  const breaker = createCircuitBreaker(now, PAUSE_MILLIS);
  const habits = createHabits();
  return async (messages, allowance, signal) => {
    const attempt = breaker.begin();
    if (!attempt) return undefined;
    const filter = new ThinkingFilter(habits);
    let text = '';
    let usage: EngineUsage | undefined;
    try {
      for await (const part of model.stream(
        { messages, tools: [], outputTokensMax: REPLY_TOKENS_MAX },
        signal,
      )) {
        if (part.type === 'text') {
          const shown = filter.feed(part.text);
          text = shown.retracts ? shown.text : text + shown.text;
        }
        if (part.type === 'end') usage = part.usage;
        if (text.length > REPLY_CHARS_MAX) break;
      }
    } catch (error) {
      if (error instanceof ModelFailure) return undefined;
      throw error;
    } finally {
      const spent = usage ?? estimateUsage(messages, text);
      allowance?.spend(spent);
      onUsage?.(spent);
      if (isTimeout(signal)) attempt.fail();
      else if (!signal.aborted) attempt.succeed();
      attempt.giveUp();
    }
    return signal.aborted ? undefined : text + filter.end();
  };
}

const isTimeout = ({ aborted, reason }: AbortSignal) =>
  aborted && reason instanceof Error && reason.name === 'TimeoutError';

function estimateUsage(messages: readonly ModelMessage[], reply: string): EngineUsage {
  const promptText = messages.map((message) => ('text' in message ? message.text : '')).join('\n');
  const rates = new TokenRates();
  return { inputTokens: rates.estimate(promptText), outputTokens: rates.estimate(reply) };
}
