import type { Telemetry } from '../../telemetry/telemetry.ts';
import { type Embedder, EmbeddingFailure } from './embedder.ts';

/** Records each call as a span, without the texts. */
export function traceEmbedder(embedder: Embedder, baseUrl: string, telemetry: Telemetry): Embedder {
  const { model, close } = embedder;
  return {
    model,
    close,
    async embed(role, texts, signal) {
      const span = telemetry.startSpan(`embeddings ${model}`, {
        kind: 'client',
        attributes: {
          'gen_ai.operation.name': 'embeddings',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': model,
          'server.address': new URL(baseUrl).hostname,
        },
      });
      try {
        const embedded = await embedder.embed(role, texts, signal);
        span.set({ 'gen_ai.usage.input_tokens': embedded.tokens });
        return embedded;
      } catch (error) {
        span.fail(error instanceof EmbeddingFailure ? error.kind : 'internal');
        throw error;
      } finally {
        span.end();
      }
    },
  };
}
