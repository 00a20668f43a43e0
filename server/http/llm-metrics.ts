import { Counter, Histogram, type Registry } from 'prom-client';

/** What is counted of the language model. */
export type LlmTraffic = {
  firstText(millis: number): void;
  used(usage: { readonly inputTokens: number; readonly outputTokens: number }): void;
  failed(trouble: string): void;
  fellBack(reason: string): void;
};

const FIRST_TOKEN_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

export function createLlmMetrics(registry: Registry): LlmTraffic {
  const registers = [registry];
  const firstTokenSeconds = new Histogram({
    name: 'guidepost_llm_first_token_seconds',
    help: 'From the request to the language model to the first text of its answer.',
    buckets: FIRST_TOKEN_SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: 'guidepost_llm_tokens_total',
    help: 'Tokens that the language model has read (input) and written (output).',
    labelNames: ['kind'] as const,
    registers,
  });
  const failures = new Counter({
    name: 'guidepost_llm_failures_total',
    help: 'Answers of the language model that did not come or broke off.',
    labelNames: ['trouble'] as const,
    registers,
  });
  const fallbacks = new Counter({
    name: 'guidepost_llm_fallbacks_total',
    help: 'Turns that were answered with quotes instead of by the language model.',
    labelNames: ['reason'] as const,
    registers,
  });
  return {
    firstText: (millis) => firstTokenSeconds.observe(millis / 1000),
    used({ inputTokens, outputTokens }) {
      tokens.inc({ kind: 'input' }, inputTokens);
      tokens.inc({ kind: 'output' }, outputTokens);
    },
    failed: (trouble) => failures.inc({ trouble }),
    fellBack: (reason) => fallbacks.inc({ reason }),
  };
}
