import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ChatCompletionRequest, LLMock, type ToolCall } from '@copilotkit/aimock';
import { readConfig } from '../../../server/settings/config.ts';
import type { LlmSettings } from '../../../server/settings/model.ts';

/**
 * A third-party OpenAI-compatible server that answers by rules, with the real tools, usage, errors and timing.
 */
export type FakeModel = {
  /** Settings for this server; `wire` picks the well-behaved routes or the raw ones. */
  env(more?: Readonly<Record<string, string>>, wire?: 'mock' | 'raw'): Record<string, string>;
  settings(more?: Readonly<Record<string, string>>, wire?: 'mock' | 'raw'): LlmSettings;
  mock: LLMock;
  /** All requests, oldest first. */
  requests(): ChatCompletionRequest[];
  says(text: string, more?: AnswerOptions): void;
  errors(status: number, retryAfter?: number): void;
  /** Sets the behaviour of the raw routes. */
  onRaw(serve: (response: ServerResponse, request: IncomingMessage) => void): void;
  close(): Promise<void>;
};

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

export async function openFakeModel(): Promise<FakeModel> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  let serveRaw: (response: ServerResponse, request: IncomingMessage) => void = (response) => response.end();
  mock.mount('/raw', {
    async handleRequest(request, response) {
      // What the server knows of its models.
      if (request.method === 'GET') {
        response.writeHead(404).end();
        return true;
      }
      request.resume();
      await once(request, 'end');
      serveRaw(response, request);
      return true;
    },
  });
  await mock.start();
  const fake: FakeModel = {
    mock,
    env: (more = {}, wire = 'mock') => ({
      LLM_BASE_URL: `${mock.url}${wire === 'raw' ? '/raw' : ''}/v1`,
      LLM_API_KEY: 'sk-of-a-test',
      LLM_MODEL: 'a-model',
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
