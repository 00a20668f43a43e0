import { createCircuitBreaker } from '../base/circuit-breaker.ts';
import type { LlmSettings } from '../settings/model.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { OnRefusedField } from './chat-completions.ts';
import {
  type Engine,
  type EngineEvent,
  EngineFailure,
  type EngineQuestion,
  TURN_TOKENS_MIN,
} from './engine.ts';
import { createExtractiveEngine } from './extractive.ts';
import { createLlmEngine, type LlmOptions } from './llm.ts';
import { type Model, ModelFailure, type ModelFailureKind } from './model.ts';
import { traceModel } from './traced-model.ts';

/**
 * The configured engine: extractive, or a language model with the extractive engine as its
 * fallback.
 */
export async function openEngine(
  settings: LlmSettings | undefined,
  observe: FallbackOptions &
    Pick<LlmOptions, 'embedTexts' | 'onFirstText' | 'onUsage'> & {
      telemetry?: Telemetry | undefined;
      /** Called when the server does not take a field of the request. */
      onRefusedField?: OnRefusedField;
    },
): Promise<{ engine: Engine; close(): void }> {
  const extractive = createExtractiveEngine(observe.embedTexts);
  if (!settings) return { engine: extractive, close() {} };
  const openModel = await loadModels();
  const { embedTexts, onFirstText, onUsage, onRefusedField, telemetry, ...fallback } = observe;
  const open = (name: string) => {
    const untraced = openModel({ ...settings, model: name }, onRefusedField);
    return telemetry ? traceModel(untraced, settings, telemetry) : untraced;
  };
  const model = open(settings.model);
  const rewriteModel = settings.rewriteModel === undefined ? undefined : open(settings.rewriteModel);
  const llm = createLlmEngine(model, {
    inputTokensMax: settings.inputTokensMax,
    outputTokensMax: settings.outputTokensMax,
    images: settings.images,
    now: observe.now,
    rewriteModel,
    embedTexts,
    onFirstText,
    onUsage,
    onUngrounded: () => observe.onFallback?.('ungrounded'),
  });
  return {
    engine: withFallback(llm, extractive, fallback),
    close() {
      model.close();
      rewriteModel?.close();
    },
  };
}

/** Loads what opens models, on demand: it takes a tenth of the startup time, and most services have no model. */
export async function loadModels(): Promise<
  (settings: LlmSettings, onRefusedField?: OnRefusedField) => Model
> {
  const { openModel } = await import('./open-model.ts');
  return openModel;
}

/**
 * Falls back to the second engine when the first fails before its first text or has no tokens left,
 * and sends a notice. After the first text the answer is interrupted instead, because two halves
 * would not fit together.
 */

export type FallbackReason = ModelFailureKind | 'budget' | 'circuit_open' | 'ungrounded' | 'internal';

type FallbackOptions = {
  now: () => number;
  onFailure?: (kind: ModelFailureKind | 'internal', error: unknown) => void;
  onFallback?: (reason: FallbackReason) => void;
};

function withFallback(first: Engine, second: Engine, options: FallbackOptions): Engine {
  const breaker = createCircuitBreaker(options.now);
  async function* fallBack(
    reason: FallbackReason,
    question: EngineQuestion,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent> {
    options.onFallback?.(reason);
    yield reason === 'budget' ? BUDGET_SPENT : UNAVAILABLE;
    yield* second.answer(question, signal);
  }

  const mayAsk = ({ allowance }: Pick<EngineQuestion, 'allowance'>) =>
    breaker.isClosed && (!allowance || allowance.tokensMax >= TURN_TOKENS_MIN);

  return {
    name: first.name,
    costsTokens: first.costsTokens,
    acceptsImages: first.acceptsImages,
    rewrite: async (request, signal) => (mayAsk(request) ? first.rewrite?.(request, signal) : undefined),
    summarize: async (request, signal) => (mayAsk(request) ? first.summarize?.(request, signal) : undefined),
    async *answer(question, signal) {
      if (question.allowance && question.allowance.tokensMax < TURN_TOKENS_MIN) {
        yield* fallBack('budget', question, signal);
        return;
      }
      const attempt = breaker.begin();
      if (!attempt) {
        yield* fallBack('circuit_open', question, signal);
        return;
      }
      /** Events before the first text, discarded when the fallback answers. */
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
          }
          if (event.type === 'end' && hasAskedModel(event)) attempt.succeed();
          yield event;
        }
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof ModelFailure ? error : undefined;
        const kind = failure?.kind ?? 'internal';
        const retryAfterSeconds = failure?.retryAfterSeconds;
        if (failure?.isOutage) attempt.fail(retryAfterSeconds);
        options.onFailure?.(kind, error);
        if (!early) throw new EngineFailure(`the model broke off: ${kind}`, retryAfterSeconds);
        yield* fallBack(kind, question, signal);
      } finally {
        attempt.giveUp();
      }
    },
  };
}

/** An answer that used no tokens says nothing about the model's health. */
const hasAskedModel = ({ usage }: Extract<EngineEvent, { type: 'end' }>) =>
  usage.inputTokens + usage.outputTokens > 0;

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
