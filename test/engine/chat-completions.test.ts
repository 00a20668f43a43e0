import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, streamText, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openChatCompletions } from '../../server/engine/chat-completions.ts';
import { CitedText } from '../../server/engine/cited-text.ts';
import { SseDataParser } from '../../server/engine/streamed-answer.ts';
import { fc } from '../fixtures/seeded-random.ts';
import { type FakeModel, openFakeModel } from './fake-model/fake-model.ts';
import { PASSWORD, RETURNS } from './questions.ts';

let fake: FakeModel;
beforeEach(async () => {
  fake = await openFakeModel();
});
afterEach(() => fake.close());

const input = { type: 'object', properties: { target: { type: 'string' } } } as const;

/** Our reader's result. */
async function ours() {
  const model = openChatCompletions(fake.settings());
  const read = { text: '', calls: [] as object[], reason: '', input: 0, output: 0 };
  const request = {
    messages: [{ role: 'user' as const, text: 'Hello' }],
    tools: [{ name: 'highlight', description: 'Point.', input }],
    outputTokensMax: 100,
  };
  for await (const part of model.stream(request, new AbortController().signal)) {
    if (part.type === 'text') read.text += part.text;
    else if (part.type === 'call')
      read.calls.push({ name: part.call.name, input: JSON.parse(part.call.input) });
    else {
      read.reason = part.reason;
      read.input = part.usage?.inputTokens ?? 0;
      read.output = part.usage?.outputTokens ?? 0;
    }
  }
  model.close();
  return read;
}

/** The reference library's result for the same bytes. */
async function theirs() {
  const { baseUrl, apiKey, model } = fake.settings();
  const provider = createOpenAICompatible({
    name: 'reference',
    baseURL: baseUrl,
    apiKey,
    includeUsage: true,
  });
  const result = streamText({
    model: provider(model),
    prompt: 'Hello',
    tools: { highlight: tool({ description: 'Point.', inputSchema: jsonSchema(input) }) },
    maxOutputTokens: 100,
    maxRetries: 0,
    onError() {},
  });
  const reasons: Record<string, string> = {
    stop: 'stop',
    length: 'length',
    'tool-calls': 'calls',
    'content-filter': 'refusal',
  };
  const calls = await result.toolCalls;
  const usage = await result.usage;
  return {
    text: await result.text,
    calls: calls.map((call) => ({ name: call.toolName, input: call.input })),
    reason: reasons[await result.finishReason] ?? '',
    input: usage.inputTokens ?? 0,
    output: usage.outputTokens ?? 0,
  };
}

describe('chunk parser matches the `ai` package', () => {
  const call = { name: 'highlight', arguments: '{"target":"t1"}' };
  it.each([
    ['text', 'Größe: 10 🔑 漢字', {}],
    ['text in crumbs', 'Größe: 10 🔑 漢字', { chunkSize: 1 }],
    ['text and a proposal', 'Press it.', { toolCalls: [call] }],
    [
      'two proposals only',
      '',
      { toolCalls: [call, { name: 'highlight', arguments: '{"target":"t2"}' }], chunkSize: 2 },
    ],
    ['a length stop', 'Press', { finishReason: 'length' }],
    ['a filter', 'I', { finishReason: 'content_filter' }],
    ['usage', 'Yes.', { usage: { prompt_tokens: 1234, completion_tokens: 56 } }],
  ])('%s', async (_, text, more) => {
    fake.says(text, more);
    expect(await ours()).toEqual(await theirs());
  });
});

describe('EventData', () => {
  it('parses the same events at any chunk boundaries', () => {
    const wire =
      ': hi\r\n\r\ndata: {"a":1}\n\nevent: x\ndata:two\ndata: lines\r\n\r\nid: 3\n\ndata: [DONE]\n\n';
    fc.assert(
      fc.property(fc.array(fc.nat(wire.length), { maxLength: 20 }), (cuts) => {
        const reader = new SseDataParser(1000);
        const places = [0, ...cuts.sort((a, b) => a - b), wire.length];
        const events = places.slice(1).flatMap((to, at) => reader.feed(wire.slice(places[at], to)));
        expect(events).toEqual(['{"a":1}', 'two\nlines', '[DONE]']);
      }),
    );
  });
});

describe('CitedText', () => {
  const read = (pieces: readonly string[]) => {
    const text = new CitedText([PASSWORD, RETURNS], '');
    const read = [...pieces.flatMap((piece) => text.feed(piece)), ...text.end()];
    return { said: text.emittedText, rest: read.filter(({ type }) => type !== 'text') };
  };
  const written = fc.array(
    fc.oneof(
      fc.constantFrom(
        'Open it 🔑 now.',
        ' [[1|choose "Forgot password"]]',
        '[[2|Print the return label]]',
        ' [[none]]',
        '[[',
        ']]',
        '[',
        '|',
        ' ',
        '\n- ',
        '[[1|invented words here]]',
        '[[3|no such passage]]',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 30 },
  );

  it('parses the same text at any chunk boundaries and cites only verbatim quotes', () => {
    fc.assert(
      fc.property(written, fc.array(fc.nat(400), { maxLength: 30 }), (parts, cuts) => {
        const whole = parts.join('');
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
          whole.length,
        ];
        const pieces = places.slice(1).map((to, at) => whole.slice(places[at], to));
        const once = read([whole]);
        expect(read(pieces)).toEqual(once);
        expect(once.said.isWellFormed()).toBe(true);
        for (const piece of once.rest) {
          if (piece.type !== 'citation') continue;
          expect(piece.passage.text).toContain(piece.quote);
          expect(piece.end).toBeLessThanOrEqual(once.said.length);
          expect(piece.start).toBeLessThanOrEqual(piece.end);
        }
      }),
    );
  });
});
