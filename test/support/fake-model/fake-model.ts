import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ChatCompletionRequest, LLMock, type ToolCall } from '@copilotkit/aimock';
import { readConfig } from '../../../server/settings/config.ts';
import type { LlmSettings } from '../../../server/settings/model.ts';

/**
 * A third party's server, of OpenAI's protocol or Anthropic's, that answers by rules, with the real tools, usage, errors and timing.
 */
export type FakeModel = {
  /** Makes the settings and the raw routes those of another protocol. */
  speak(provider: Provider): void;
  /** What the raw routes send in that protocol. */
  wire: Wire;
  /** Settings for this server; `wire` picks the well-behaved routes or the raw ones. */
  env(more?: Readonly<Record<string, string>>, wire?: 'mock' | 'raw'): Record<string, string>;
  settings(more?: Readonly<Record<string, string>>, wire?: 'mock' | 'raw'): LlmSettings;
  mock: LLMock;
  /** All requests, oldest first. */
  requests(): ChatCompletionRequest[];
  says(text: string, more?: AnswerOptions): void;
  errors(status: number, retryAfter?: number): void;
  /** Sets the behaviour of the raw routes. */
  onRaw(serve: ServeRaw): void;
  close(): Promise<void>;
};

type ServeRaw = (response: ServerResponse, request: IncomingMessage, body: string) => void;

type AnswerOptions = {
  toolCalls?: readonly ToolCall[];
  finishReason?: string;
  usage?: { prompt_tokens: number; completion_tokens: number };
  /** Characters per chunk, and milliseconds before each. */
  chunkSize?: number;
  latency?: number;
  truncateAfterChunks?: number;
  when?: (request: ChatCompletionRequest) => boolean;
};

export const PROVIDERS = ['openai', 'anthropic'] as const;
type Provider = (typeof PROVIDERS)[number];

export async function openFakeModel(): Promise<FakeModel> {
  let provider: Provider = 'openai';
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  let serveRaw: ServeRaw = (response) => response.end();
  mock.mount('/raw', {
    async handleRequest(request, response) {
      // What the server knows of its models.
      if (request.method === 'GET') {
        response.writeHead(404).end();
        return true;
      }
      const body = Buffer.concat(await request.toArray()).toString();
      if (provider === 'anthropic') startMessage(response);
      serveRaw(response, request, body);
      return true;
    },
  });
  await mock.start();
  const fake: FakeModel = {
    mock,
    speak(other) {
      provider = other;
    },
    get wire() {
      return WIRES[provider];
    },
    env: (more = {}, wire = 'mock') => ({
      LLM_BASE_URL: `${mock.url}${wire === 'raw' ? '/raw' : ''}/v1`,
      LLM_API_KEY: 'sk-of-a-test',
      LLM_MODEL: 'a-model',
      LLM_PROVIDER: provider,
      ...more,
    }),
    settings: (more, wire) => readConfig(fake.env(more, wire)).llm!,
    requests: () => mock.getRequests().flatMap(({ body }) => (body ? [body as ChatCompletionRequest] : [])),
    says(content, { toolCalls, finishReason, usage, when, ...pace } = {}) {
      mock.prependFixture({
        match: { predicate: when ?? (() => true) },
        response: {
          ...(content === '' && toolCalls ? {} : { content }),
          ...(toolCalls ? { toolCalls: [...toolCalls] } : {}),
          ...(finishReason ? { finishReason } : {}),
          ...(usage ? { usage } : {}),
        } as never,
        ...pace,
      });
    },
    errors(status, retryAfter) {
      mock.prependFixture({
        match: { predicate: () => true },
        response: {
          error: { message: 'no: sk-of-a-test', type: 'an_error' },
          status,
          retryAfter,
        },
      });
    },
    onRaw(serve) {
      serveRaw = serve;
    },
    close: () => mock.stop(),
  };
  return fake;
}

export const STREAM = { 'content-type': 'text/event-stream' };

/** Returns a protocol chunk with a text delta, or the last chunk. */
export function chunk(content: string | undefined, finishReason: string | null = null): string {
  const choice = { index: 0, delta: content === undefined ? {} : { content }, finish_reason: finishReason };
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] })}\n\n`;
}

/** The end of a complete answer. */
export const END = `${chunk(undefined, 'stop')}data: [DONE]\n\n`;

type Wire = {
  /** A piece of text. */
  chunk(text: string): string;
  /** The end of a complete answer. */
  end: string;
  /** An error within the stream: of the request, or of the server. */
  error(of: 'request' | 'server'): string;
};

export const sse = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Returns a block of text of Anthropic's protocol, with what its documents say. */
export function textBlock(text: string, citations: readonly object[] = []): string {
  const delta = (fields: object) => sse({ type: 'content_block_delta', ...{ index: 0, delta: fields } });
  return [
    sse({
      type: 'content_block_start',
      ...{ index: 0, content_block: { type: 'text', text: '', citations: [] } },
    }),
    ...citations.map((citation) => delta({ type: 'citations_delta', citation })),
    delta({ type: 'text_delta', text }),
    sse({ type: 'content_block_stop', ...{ index: 0 } }),
  ].join('');
}

/** Returns the last events of an answer of Anthropic's protocol. */
export function messageEnd(stopReason = 'end_turn', outputTokens = 7): string {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return (
    sse({ type: 'message_delta', ...{ delta, usage: { output_tokens: outputTokens } } }) +
    sse({ type: 'message_stop' })
  );
}

const WIRES: Readonly<Record<Provider, Wire>> = {
  openai: {
    chunk,
    end: END,
    error: (of) =>
      `data: ${JSON.stringify({ error: { message: 'no', ...(of === 'server' ? { code: 503 } : {}) } })}\n\n`,
  },
  anthropic: {
    chunk: textBlock,
    end: messageEnd(),
    error(of) {
      const type = of === 'server' ? 'overloaded_error' : 'invalid_request_error';
      return sse({ type: 'error', ...{ error: { type, message: 'no' }, request_id: 'req_1' } });
    },
  },
};

/** Makes a response begin as every answer of Anthropic does. */
function startMessage(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    writeHead.apply(response, head);
    if (head[0] !== 200) return response;
    const usage = {
      ...{ input_tokens: 20, cache_creation_input_tokens: 300, cache_read_input_tokens: 4000 },
      output_tokens: 1,
    };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'a-model', content: [], usage };
    response.write(sse({ type: 'message_start', ...{ message } }));
    response.write(sse({ type: 'ping' }));
    return response;
  }) as typeof writeHead;
}
