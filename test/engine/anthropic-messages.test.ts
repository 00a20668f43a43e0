import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineQuestion, EngineUsage } from '../../server/engine/engine.ts';
import type { ModelPart, ModelRequest } from '../../server/engine/model.ts';
import { openEngine } from '../../server/engine/open-engine.ts';
import { openModel } from '../../server/engine/open-model.ts';
import {
  type FakeModel,
  messageEnd,
  openFakeModel,
  STREAM,
  sse,
  textBlock,
} from '../support/fake-model/fake-model.ts';
import { buildQuestion, collectEvents, GROUNDED, joinText, only, PASSWORD, RETURNS } from './questions.ts';

let fake: FakeModel;
beforeEach(async () => {
  fake = await openFakeModel();
  fake.speak('anthropic');
});
afterEach(() => fake.close());

const input = { type: 'object', properties: { target: { type: 'string' } } } as const;
const TOOL = { name: 'highlight', description: 'Point.', input };
const HELLO: ModelRequest = {
  messages: [{ role: 'user', text: 'Hello' }],
  tools: [TOOL],
  outputTokensMax: 100,
};

async function read(wire: 'mock' | 'raw' = 'mock', request = HELLO): Promise<ModelPart[]> {
  const model = openModel(fake.settings({}, wire));
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request, new AbortController().signal)) parts.push(part);
  model.close();
  return parts;
}

/** Answers raw requests with these events, and returns the headers and bodies that arrive. */
function record(...answers: string[]) {
  const received: { headers: NodeJS.Dict<string | string[]>; body: unknown }[] = [];
  fake.onRaw((response, request, body) => {
    received.push({ headers: request.headers, body: JSON.parse(body) });
    response.writeHead(200, STREAM).end(answers[received.length - 1] ?? answers.at(-1));
  });
  return received;
}

async function answer(
  change: Partial<EngineQuestion> = {},
  env: Record<string, string> = {},
  onUsage?: (usage: EngineUsage) => void,
) {
  const { engine, close } = await openEngine(fake.settings(env, 'raw'), { now: Date.now, ...{ onUsage } });
  const events = await collectEvents(engine.answer(buildQuestion(change), new AbortController().signal));
  close();
  return events;
}

describe('the reader of Messages', () => {
  const call = { name: 'highlight', arguments: '{"target":"t1"}' };
  it.each([
    ['text', 'Größe: 10 🔑 漢字', {}],
    ['text in one-character chunks', 'Größe: 10 🔑 漢字', { chunkSize: 1 }],
    ['text and a proposal', 'Press it.', { toolCalls: [call] }],
    ['two proposals', '', { toolCalls: [call, call], chunkSize: 2 }],
    ['a stop at the length limit', 'Press', { finishReason: 'max_tokens' }],
    ['a refusal', 'I', { finishReason: 'refusal' }],
    ['usage', 'Yes.', { usage: { prompt_tokens: 1234, completion_tokens: 56 } }],
  ])("matches Anthropic's library for %s", async (_, text, more) => {
    fake.says(text, more);
    const { baseUrl, apiKey, model } = fake.settings();
    const client = new Anthropic({ baseURL: baseUrl.replace(/\/v1$/, ''), apiKey, maxRetries: 0 });
    const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: { ...input } }];
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const message = await client.messages.stream({ model, messages, tools, max_tokens: 100 }).finalMessage();
    const reasons: Record<string, string> = { max_tokens: 'length', tool_use: 'calls', refusal: 'refusal' };

    const parts = await read();
    expect(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(
      message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    );
    expect(
      parts.flatMap((part) => (part.type === 'call' ? [JSON.parse(part.call.input) as unknown] : [])),
    ).toEqual(message.content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : [])));
    expect(parts.at(-1)).toMatchObject({
      reason: reasons[message.stop_reason!] ?? 'stop',
      usage: { inputTokens: message.usage.input_tokens, outputTokens: message.usage.output_tokens },
    });
  });

  it('reports thinking once, without its text', async () => {
    const block = (index: number, fields: object) => ({ index, ...fields });
    fake.onRaw((response) =>
      response.writeHead(200, STREAM).end(
        [
          sse({
            type: 'content_block_start',
            ...block(0, { content_block: { type: 'thinking', thinking: '', signature: '' } }),
          }),
          ...['The rule', ' says'].map((thinking) =>
            sse({
              type: 'content_block_delta',
              ...block(0, { delta: { type: 'thinking_delta', thinking } }),
            }),
          ),
          sse({
            type: 'content_block_delta',
            ...block(0, { delta: { type: 'signature_delta', signature: 'xx' } }),
          }),
          sse({ type: 'content_block_stop', ...block(0, {}) }),
          sse({
            type: 'content_block_start',
            ...block(1, { content_block: { type: 'redacted_thinking', data: 'yy' } }),
          }),
          textBlock('Yes.'),
          messageEnd(),
        ].join(''),
      ),
    );
    const parts = await read('raw');
    expect(parts.slice(0, -1)).toEqual([{ type: 'thought' }, { type: 'text', text: 'Yes.' }]);
  });

  it('counts the tokens that the server read from its cache or wrote to it', async () => {
    record(textBlock('Yes.') + messageEnd('end_turn', 12));
    expect((await read('raw')).at(-1)).toEqual({
      type: 'end',
      reason: 'stop',
      usage: { inputTokens: 4320, outputTokens: 12 },
    });
  });
});

describe('requests of Messages', () => {
  it('sends rules to cache, documents to cite, tools and the screenshot', async () => {
    const received = record(textBlock('Hm.') + messageEnd());
    const page = {
      ...buildQuestion().page,
      screenshot: { mime: 'image/jpeg' as const, base64: 'aGk=' },
      targets: [{ gpId: 'save', name: 'Save', role: 'button', confidence: 1, inViewport: true }],
    };
    const recentTurns = [{ question: 'Hello', answer: 'Hello!' }];
    await answer(
      { page, recentTurns },
      { LLM_IMAGES: 'on', LLM_EXTRA_BODY: '{"service_tier":"standard_only"}' },
    );

    const [{ headers, body }] = received as [{ headers: NodeJS.Dict<string>; body: Record<string, never> }];
    expect(headers).toMatchObject({ 'x-api-key': 'sk-of-a-test', 'anthropic-version': '2023-06-01' });
    expect(headers.authorization).toBeUndefined();
    const reason = { type: 'string', maxLength: 300, description: expect.any(String) };
    const documentOf = (number: number, { title, text }: typeof PASSWORD) => ({
      type: 'document' as const,
      source: { type: 'text' as const, media_type: 'text/plain' as const, data: text },
      title: `Passage ${number}: ${title} (language: en)`,
      citations: { enabled: true },
    });
    const expected: Anthropic.MessageCreateParamsStreaming = {
      service_tier: 'standard_only',
      model: 'a-model',
      stream: true,
      max_tokens: 1024,
      system: [{ type: 'text', text: expect.any(String), cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello!' }] },
        {
          role: 'user',
          content: [
            documentOf(1, PASSWORD),
            documentOf(2, RETURNS),
            { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
            { type: 'text', text: expect.stringContaining('t1 button "Save"') },
          ],
        },
      ],
      tools: expect.arrayContaining([
        {
          name: 'highlight',
          description: expect.any(String),
          input_schema: {
            type: 'object',
            properties: { target: { type: 'string', enum: ['t1'] }, reason },
            required: ['target', 'reason'],
            additionalProperties: false,
          },
        } satisfies Anthropic.Tool,
      ]),
    };
    expect(body).toEqual(expected);
    const rules = JSON.stringify(body.system);
    expect(rules).toContain('Cite the passages');
    expect(rules).not.toContain('[[n|words]]');
  });

  it('asks for the answer after calls without text, without thinking', async () => {
    const callBlock =
      sse({
        type: 'content_block_start',
        ...{ index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'highlight', input: {} } },
      }) +
      sse({
        type: 'content_block_delta',
        ...{ index: 0, delta: { type: 'input_json_delta', partial_json: '{"target":"t1",' } },
      }) +
      sse({
        type: 'content_block_delta',
        ...{ index: 0, delta: { type: 'input_json_delta', partial_json: '"reason":"Here."}' } },
      }) +
      sse({ type: 'content_block_stop', ...{ index: 0 } });
    const received = record(callBlock + messageEnd('tool_use'), textBlock(GROUNDED) + messageEnd());
    const page = {
      ...buildQuestion().page,
      targets: [{ gpId: 'save', name: 'Save', role: 'button', confidence: 1, inViewport: true }],
    };
    const thinking = JSON.stringify({ thinking: { type: 'enabled', budget_tokens: 1024 } });
    const events = await answer({ page }, { LLM_EXTRA_BODY: thinking });
    expect(joinText(events)).toBe(GROUNDED);
    expect(only(events, 'action')).toMatchObject([{ gpId: 'save', reason: 'Here.' }]);
    const expected: Partial<Anthropic.MessageCreateParamsStreaming> = {
      thinking: { type: 'disabled' },
      tool_choice: { type: 'none' },
    };
    const toolUse: Anthropic.MessageParam = {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'toolu_1', name: 'highlight', input: { target: 't1', reason: 'Here.' } },
      ],
    };
    const result: Anthropic.MessageParam = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: expect.any(String) }],
    };
    expect(received[1]!.body).toMatchObject(expected);
    const { messages } = received[1]!.body as { messages: object[] };
    expect(messages.slice(1)).toEqual([toolUse, result]);
  });

  it('rewrites a follow-up', async () => {
    const received = record(textBlock('How do I return an order?') + messageEnd());
    const { engine, close } = await openEngine(fake.settings({}, 'raw'), { now: Date.now });
    const recentTurns = [{ question: 'Can I return an order?', answer: 'Yes.' }];
    const request = { text: 'How?', recentTurns, sourceLocale: 'en' };
    expect(await engine.rewrite!(request, new AbortController().signal)).toEqual([
      'How do I return an order?',
    ]);
    close();
    expect(received).toHaveLength(1);
  });
});

describe('citations of Messages', () => {
  const cite = (document: number, quote: string, start = 0): Anthropic.CitationCharLocation => ({
    type: 'char_location',
    cited_text: quote,
    document_index: document,
    document_title: null,
    file_id: null,
    start_char_index: start,
    end_char_index: start + quote.length,
  });
  const LABEL = 'Print the return label from your order page.';

  it('become ours, at the text that they belong to', async () => {
    const usages: EngineUsage[] = [];
    record(
      textBlock('Two things: ') +
        textBlock('get the label', [cite(1, LABEL)]) +
        textBlock(', then ') +
        textBlock('sign in again', [cite(0, 'Open the sign-in page and choose "Forgot password". ')]) +
        textBlock('.') +
        messageEnd(),
    );
    const events = await answer({}, {}, (usage) => usages.push(usage));
    const text = joinText(events);
    expect(text).toBe('Two things: get the label, then sign in again.');
    const cited = only(events, 'citation');
    expect(cited.map(({ passage, quote }) => [passage, quote])).toEqual([
      [RETURNS, LABEL.slice(0, -1)],
      [PASSWORD, 'Open the sign-in page and choose "Forgot password"'],
    ]);
    expect(cited.map(({ start, end }) => text.slice(start, end))).toEqual([
      'Two things: get the label',
      'then sign in again',
    ]);
    expect(events.at(-1)).toMatchObject({ finishReason: 'stop', confidence: 0.9 });
    expect(usages).toEqual([{ inputTokens: 4320, outputTokens: 7 }]);
  });

  it('are dropped when no passage contains the words', async () => {
    record(textBlock('Call us.', [cite(1, 'Call our hotline at any time.')]) + messageEnd());
    const events = await answer();
    expect(joinText(events)).toBe(PASSWORD.quotes[0]!.text);
  });
});
