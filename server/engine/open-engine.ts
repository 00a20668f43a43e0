import type { LlmSettings } from '../llm-settings.ts';
import type { Engine } from './engine.ts';
import { createExtractiveEngine } from './extractive.ts';
import { createLlmEngine, type LlmOptions } from './llm.ts';
import { type FallbackOptions, withFallback } from './with-fallback.ts';

/** The engine that the settings ask for: the one that quotes, or a model that writes with the other one behind it. */
export async function openEngine(
  settings: LlmSettings | undefined,
  observe: FallbackOptions & Pick<LlmOptions, 'onFirstText' | 'onUsage'>,
): Promise<{ readonly engine: Engine; close(): void }> {
  const extractive = createExtractiveEngine();
  if (!settings) return { engine: extractive, close() {} };
  // What speaks to a model takes a tenth of the start, and few services have one.
  const { openChatCompletions } = await import('./chat-completions.ts');
  const model = openChatCompletions(settings);
  const { onFirstText, onUsage, ...fallback } = observe;
  const llm = createLlmEngine(model, {
    inputTokensMax: settings.inputTokensMax,
    outputTokensMax: settings.outputTokensMax,
    images: settings.images,
    ...(onFirstText ? { onFirstText } : {}),
    ...(onUsage ? { onUsage } : {}),
  });
  return { engine: withFallback(llm, extractive, fallback), close: () => model.close() };
}
