import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, streamText, tool } from 'ai';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openChatCompletions } from '../../server/engine/chat-completions.ts';
import { CitedText } from '../../server/engine/cited-text.ts';
import { type EngineEvent, EngineFailure } from '../../server/engine/engine.ts';
import { openEngine } from '../../server/engine/open-engine.ts';
import { chunk, END, type FakeModel, openFakeModel, STREAM } from '../support/fake-model/fake-model.ts';
import { fc } from '../support/seeded-random.ts';
import { type Front, openFront, trustCertificate } from '../support/tls/front.ts';
import {
  BEGUN,
  buildQuestion,
  collectEvents,
  GROUNDED,
  joinText,
  only,
  PASSWORD,
  RETURNS,
} from './questions.ts';

const input = { type: 'object', properties: { target: { type: 'string' } } } as const;

describe('chat completions over HTTP/1.1', () => {
  let fake: FakeModel;
  beforeEach(async () => {
    fake = await openFakeModel();
  });
  afterEach(() => fake.close());

  /** Returns what our client reads. */
  async function readWithClient() {
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
      else if (part.type === 'end') {
        read.reason = part.reason;
        read.input = part.usage?.inputTokens ?? 0;
        read.output = part.usage?.outputTokens ?? 0;
      }
    }
    model.close();
    return read;
  }

  /** Returns what the reference library reads from the same bytes. */
  async function readWithReference() {
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

  describe('the chunk parser', () => {
    const call = { name: 'highlight', arguments: '{"target":"t1"}' };
    it.each([
      ['text', 'Größe: 10 🔑 漢字', {}],
      ['text in one-character chunks', 'Größe: 10 🔑 漢字', { chunkSize: 1 }],
      ['text and a proposal', 'Press it.', { toolCalls: [call] }],
      [
        'two proposals only',
        '',
        { toolCalls: [call, { name: 'highlight', arguments: '{"target":"t2"}' }], chunkSize: 2 },
      ],
      ['a stop at the length limit', 'Press', { finishReason: 'length' }],
      ['a stop by the content filter', 'I', { finishReason: 'content_filter' }],
      ['usage', 'Yes.', { usage: { prompt_tokens: 1234, completion_tokens: 56 } }],
    ])('matches the `ai` package for %s', async (_, text, more) => {
      fake.says(text, more);
      expect(await readWithClient()).toEqual(await readWithReference());
    });
  });

  describe('CitedText', () => {
    const read = (pieces: readonly string[]) => {
      const sources = [PASSWORD, RETURNS].map((passage) => ({ text: passage.text, passage }));
      const text = new CitedText(sources, (statement) => statement.startsWith('Echo'));
      const read = [...pieces.flatMap((piece) => text.feed(piece)), ...text.end()];
      const said = read.map((piece) => (piece.type === 'text' ? piece.delta : '')).join('');
      return { said, rest: read.filter(({ type }) => type !== 'text') };
    };
    const written = fc.array(
      fc.oneof(
        fc.constantFrom(
          'Open it 🔑 now.',
          ' [[1|choose "Forgot password"]]',
          ' [1] ',
          '【1†source】',
          'The link works for one hour and only once. ',
          'Echo of it.\n',
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
});

const failures: string[] = [];
const closing: (() => unknown)[] = [];

const WHOLE = `${chunk('Choose "Forgot password" ')}${chunk('on the sign-in page.')}${END}`;
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('chat completions over HTTP/2', () => {
  /** A model behind HTTPS, like hosted ones: answers share a connection where the server offers HTTP/2. */

  let fake: FakeModel;
  let front: Front;
  beforeAll(trustCertificate);
  beforeEach(async () => {
    failures.length = 0;
    fake = await openFakeModel();
    closing.push(() => fake.close());
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function open(options: Parameters<typeof openFront>[1] = {}, env: Record<string, string> = {}) {
    front = await openFront(fake.mock.url, options);
    closing.push(() => front.close());
    const settings = fake.settings({ LLM_BASE_URL: `${front.origin}/raw/v1`, ...env });
    const opened = await openEngine(settings, {
      now: Date.now,
      onFailure: (kind) => failures.push(kind),
    });
    closing.push(() => opened.close());
    return opened.engine;
  }
  type Engine = Awaited<ReturnType<typeof open>>;
  const answer = (engine: Engine, signal = new AbortController().signal) =>
    collectEvents(engine.answer(buildQuestion(), signal));

  /** Begins to read an answer; `begun` resolves with its first text. */
  function begin(engine: Engine) {
    const begun = Promise.withResolvers<void>();
    const read = async () => {
      const collected: EngineEvent[] = [];
      for await (const event of engine.answer(buildQuestion(), new AbortController().signal)) {
        collected.push(event);
        if (event.type === 'text') begun.resolve();
      }
      return collected;
    };
    return { begun: begun.promise, whole: read() };
  }

  /** Makes the model begin answers and leave them open until the test continues them. */
  function openAnswers() {
    const open = new Set<{ end(text: string): unknown }>();
    fake.onRaw((response) => {
      response.writeHead(200, STREAM).write(chunk(BEGUN));
      open.add(response);
      response.on('close', () => open.delete(response));
    });
    return {
      open,
      continueAfter: () => {
        for (const response of open) response.end(END);
      },
    };
  }

  describe('openChatCompletions over HTTP/2', () => {
    it('shares one connection between answers and reuses it', async () => {
      const engine = await open();
      const { open: waiting, continueAfter } = openAnswers();
      const answers = Array.from({ length: 40 }, () => answer(engine));
      await until(() => waiting.size === 40);
      continueAfter();
      for (const events of await Promise.all(answers)) expect(joinText(events)).toBe(BEGUN);
      expect(front.connections()).toBe(1);
      fake.onRaw((response) => response.writeHead(200, STREAM).end(WHOLE));
      expect(joinText(await answer(engine))).toBe(GROUNDED);
      expect(front.connections()).toBe(1);
    });

    it('opens another connection at MAX_CONCURRENT_STREAMS', async () => {
      const engine = await open({ streamsMax: 8 });
      const { open: waiting, continueAfter } = openAnswers();
      const answers = Array.from({ length: 30 }, () => answer(engine));
      await until(() => waiting.size === 30);
      expect(front.connections()).toBeGreaterThanOrEqual(4);
      continueAfter();
      for (const events of await Promise.all(answers)) expect(joinText(events)).toBe(BEGUN);
    });

    it('cancels one answer without touching the others on its connection', async () => {
      const engine = await open();
      const { open: waiting, continueAfter } = openAnswers();
      const keptAnswer = answer(engine);
      await until(() => waiting.size === 1);
      const abortController = new AbortController();
      const abortedAnswer = answer(engine, abortController.signal);
      await until(() => waiting.size === 2);
      abortController.abort();
      await until(() => waiting.size === 1);
      expect(only(await abortedAnswer, 'end')).toEqual([]);
      continueAfter();
      expect(joinText(await keptAnswer)).toBe(BEGUN);
      expect(front.connections()).toBe(1);
      expect(failures).toEqual([]);
    });

    it('ends all answers of a broken connection and reconnects for the next one', async () => {
      const engine = await open();
      openAnswers();
      const answers = [begin(engine), begin(engine)];
      const rejections = answers.map(({ whole }) => expect(whole).rejects.toThrow(EngineFailure));
      await Promise.all(answers.map(({ begun }) => begun));
      front.cut();
      await Promise.all(rejections);
      expect(failures).toEqual(['broken', 'broken']);
      fake.onRaw((response) => response.writeHead(200, STREAM).end(WHOLE));
      expect(joinText(await answer(engine))).toBe(GROUNDED);
      expect(front.connections()).toBe(2);
    });

    it('opens a new connection after a silence without ending other answers', async () => {
      const engine = await open({}, { LLM_FIRST_TOKEN_TIMEOUT_MILLIS: '500' });
      const { continueAfter } = openAnswers();
      const openAnswer = begin(engine);
      await openAnswer.begun;
      fake.onRaw(() => {});
      await answer(engine);
      expect(failures).toEqual(['first_token_timeout']);
      fake.onRaw((response) => response.writeHead(200, STREAM).end(WHOLE));
      expect(joinText(await answer(engine))).toBe(GROUNDED);
      expect(front.connections()).toBe(2);
      continueAfter();
      expect(joinText(await openAnswer.whole)).toBe(BEGUN);
    });

    it('reports an error status as over HTTP/1.1', async () => {
      const engine = await open();
      for (const [status, kind] of [
        [401, 'refused'],
        [429, 'rate_limited'],
        [503, 'overloaded'],
      ] as const) {
        failures.length = 0;
        fake.onRaw((response) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end('{}'),
        );
        expect(only(await answer(engine), 'notice')).toHaveLength(1);
        expect(failures).toEqual([kind]);
      }
      expect(front.connections()).toBe(1);
    });

    it('sends a question with a screenshot completely', async () => {
      const engine = await open({}, { LLM_IMAGES: 'on' });
      let bytes = 0;
      fake.onRaw((response, request) => {
        bytes = Number(request.headers['content-length']);
        response.writeHead(200, STREAM).end(WHOLE);
      });
      const screenshot = {
        mime: 'image/jpeg' as const,
        base64: Buffer.alloc(3_000_000, 7).toString('base64'),
      };
      const question = buildQuestion({ page: { ...buildQuestion().page, screenshot } });
      expect(joinText(await collectEvents(engine.answer(question, new AbortController().signal)))).toBe(
        GROUNDED,
      );
      expect(bytes).toBeGreaterThan(3_900_000);
    });
  });

  it('falls back to HTTP/1.1 with keep-alive', async () => {
    const engine = await open({ versions: ['http/1.1'] });
    fake.onRaw((response) => response.writeHead(200, STREAM).end(WHOLE));
    expect(joinText(await answer(engine))).toBe(GROUNDED);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(joinText(await answer(engine))).toBe(GROUNDED);
    expect(front.connections()).toBe(1);
  });
});
