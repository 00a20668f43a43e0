import type { LlmSettings } from '../settings/model.ts';
import type { Span, SpanOptions, Telemetry } from '../telemetry/telemetry.ts';
import { type Model, ModelFailure, type ModelPart, type ModelRequest } from './model.ts';

/** Wraps the calls of a model in spans, named by the semantic conventions for generative AI, without any text of the conversation. */
export function traceModel(
  model: Model,
  { baseUrl, provider }: Pick<LlmSettings, 'baseUrl' | 'provider'>,
  telemetry: Telemetry,
): Model {
  const { hostname, port, protocol } = new URL(baseUrl);
  const server = {
    // The protocol of the server, independent of the model's vendor.
    'gen_ai.provider.name': provider,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  };

  return {
    ...model,
    // Not a generator, which would keep the prompt in memory while the answer is open.
    stream(request, signal) {
      const span = telemetry.startSpan(`chat ${model.name}`, describeCall(model.name, request, server));
      return observe(model.stream({ ...request, traceHeaders: span.headers }, signal), span);
    },
  };
}

async function* observe(parts: AsyncIterable<ModelPart>, span: Span): AsyncGenerator<ModelPart, void> {
  try {
    for await (const part of parts) {
      if (part.type === 'end') recordEnd(span, part);
      yield part;
    }
  } catch (error) {
    span.fail(error instanceof ModelFailure ? error.kind : 'internal');
    throw error;
  } finally {
    span.end();
  }
}

function describeCall(
  name: string,
  { outputTokensMax }: ModelRequest,
  server: SpanOptions['attributes'],
): SpanOptions {
  return {
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': name,
      'gen_ai.request.max_tokens': outputTokensMax,
      ...server,
    },
  };
}

function recordEnd(span: Span, { reason, usage }: Extract<ModelPart, { type: 'end' }>): void {
  span.set({
    'gen_ai.response.finish_reasons': [reason],
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
  });
}
