import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { toUiMessageStream, UiMessageEncoder } from '../../server/chat/ai-sdk-stream.ts';
import { type Engine, EngineFailure } from '../../server/engine/engine.ts';
import { eventsOf, type Harness, openHarness, question, textOf } from '../support/harness.ts';

/** Reads the chunks of a complete body, and validates each with the SDK's own schema. */
async function readChunks(body: string): Promise<UIMessageChunk[]> {
  const frames = body.split('\n\n').filter((frame) => !frame.startsWith(':'));
  expect(frames.splice(-2)).toEqual(['data: [DONE]', '']);
  return Promise.all(frames.map((frame) => parseChunk(/^data: (.*)$/.exec(frame)![1]!)));
}

async function parseChunk(json: string): Promise<UIMessageChunk> {
  const result = await uiMessageChunkSchema().validate!(JSON.parse(json));
  if (!result.success) throw result.error;
  return result.value;
}

/** Returns the message that the SDK builds from chunks, and the error that it reports. */
async function assemble(chunks: readonly UIMessageChunk[]): Promise<{ message: UIMessage; error?: string }> {
  const result: { message: UIMessage; error?: string } = {
    message: { id: '', role: 'assistant', parts: [] },
  };
  const messages = readUIMessageStream({
    stream: ReadableStream.from(chunks),
    onError: (error) => {
      result.error = (error as Error).message;
    },
  });
  for await (const message of messages) result.message = structuredClone(message);
  return result;
}

const textIn = ({ parts }: UIMessage) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
const typesIn = ({ parts }: UIMessage) => parts.map(({ type }) => type);

/** Returns an engine that pauses between two parts, and stops when the reader disconnects. */
function engineOfTwoParts(pause: (signal: AbortSignal) => Promise<void>): Engine {
  return {
    name: 'two parts',
    async *answer(_question, signal) {
      yield { type: 'text', delta: 'First part.' };
      await pause(signal);
      if (signal.aborted) return;
      yield { type: 'text', delta: ' Second part.' };
      const usage = { inputTokens: 0, outputTokens: 0 };
      yield { type: 'end', finishReason: 'stop', confidence: 1, usage };
    },
  };
}

const MESSAGE_ID = 'msg_01kakv2fxse7wtg6x5r0h8rjbm';
type Unnumbered = ChatEvent extends infer E ? (E extends ChatEvent ? Omit<E, 'seq'> : never) : never;

const start: Unnumbered = {
  type: 'message_start',
  protocol: 'guidepost.chat.1',
  conversation_id: 'conv-1',
  conversation_rotated: false,
  turn_idx: 0,
  message_id: MESSAGE_ID,
  requested_locale: 'en',
  ai_generated: true,
};
const cited: Unnumbered & { type: 'citation' } = {
  type: 'citation',
  citation_id: 'cit_1',
  index: 1,
  article_id: 'art_01kakv2fxse7wtg6x5r0h8rjbm',
  revision: 1,
  title: 'Wi-Fi',
  url: 'https://shop.example.com/wifi',
  quote: 'Open the menu.',
  start: 0,
  end: 14,
  requested_locale: 'en',
  content_locale: 'en',
  stale: false,
};
const { url: _, ...withoutAddress } = cited;
const proposed: Unnumbered = {
  type: 'action',
  action_id: 'act_1',
  kind: 'highlight',
  target: { gp_id: 'wifi', label: 'Wi-Fi', confidence: 1 },
  label: 'Show me',
  reason: 'The answer speaks of it.',
  requires_confirmation: false,
  expires_at: 1,
};
const ended = (finish_reason: 'stop' | 'length' | 'refusal' | 'no_knowledge' | 'cancelled'): Unnumbered => ({
  type: 'message_end',
  finish_reason,
  answer_confidence: 1,
  usage: { input_tokens: 0, output_tokens: 0 },
  text_length: 14,
  citation_count: 1,
  next_turn_idx: 1,
});
const failed: Unnumbered = {
  type: 'error',
  code: 'internal',
  message: 'Something went wrong.',
  retryable: true,
  request_id: 'req_1',
  partial: true,
};
const say = (delta: string): Unnumbered => ({ type: 'text_delta', delta, offset: 0 });
const replace = (text: string, reason: 'moderation' | 'retry'): Unnumbered => ({
  type: 'text_replace',
  text,
  reason,
});

/** Encodes events and reads the chunks back as the SDK does. */
async function encode(...events: readonly Unnumbered[]): Promise<UIMessageChunk[]> {
  const encoder = new UiMessageEncoder();
  const chunks = events.flatMap((event, seq) => encoder.encode({ ...event, seq } as ChatEvent));
  return Promise.all([...chunks, ...encoder.breakOff()].map((chunk) => parseChunk(JSON.stringify(chunk))));
}

describe('UiMessageEncoder', () => {
  /** The chunks that one event adds between the start and the end of an answer. */
  const cases: readonly (readonly [string, Unnumbered, readonly unknown[]])[] = [
    [
      'status as transient data',
      { type: 'status', phase: 'retrieving' },
      [{ type: 'data-status', data: { phase: 'retrieving' }, transient: true }],
    ],
    [
      'text as one part',
      say('Open'),
      [
        { type: 'text-start', id: 'text_1' },
        { type: 'text-delta', id: 'text_1', delta: 'Open' },
        { type: 'text-end', id: 'text_1' },
      ],
    ],
    [
      'a citation with an address as a source',
      cited,
      [
        {
          type: 'source-url',
          sourceId: 'cit_1',
          url: cited.url,
          title: 'Wi-Fi',
          providerMetadata: {
            guidepost: expect.objectContaining({ quote: 'Open the menu.', start: 0, end: 14 }),
          },
        },
      ],
    ],
    [
      'a citation without an address as a document',
      withoutAddress as Unnumbered,
      [expect.objectContaining({ type: 'source-document', sourceId: 'cit_1', title: 'Wi-Fi' })],
    ],
    [
      'a page citation as data',
      { type: 'page_citation', quote: 'Free', start: 0, end: 4 },
      [{ type: 'data-page-citation', data: { quote: 'Free', start: 0, end: 4 } }],
    ],
    [
      'an action as a client tool',
      proposed,
      [
        {
          type: 'tool-input-available',
          toolCallId: `${MESSAGE_ID}:act_1`,
          toolName: 'highlight',
          input: expect.objectContaining({ action_id: 'act_1', label: 'Show me' }),
        },
      ],
    ],
    [
      'suggestions as data',
      { type: 'suggestions', items: [{ suggestion_id: 'sug_1', title: 'More', message: 'More?' }] },
      [
        {
          type: 'data-suggestions',
          data: { items: [{ suggestion_id: 'sug_1', title: 'More', message: 'More?' }] },
        },
      ],
    ],
    [
      'a notice as data',
      { type: 'notice', level: 'info', code: 'targets_dropped', text: '3' },
      [{ type: 'data-notice', data: { level: 'info', code: 'targets_dropped', text: '3' } }],
    ],
  ];

  it.each(cases)('encodes %s', async (_title, event, expected) => {
    const chunks = await encode(start, event, ended('stop'));
    expect(chunks.slice(2, -2)).toEqual(expected);
    expect((await assemble(chunks)).error).toBeUndefined();
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['refusal', 'content-filter'],
    ['no_knowledge', 'stop'],
    ['cancelled', 'other'],
  ] as const)(
    'ends %s with %s and adds the first and last event to the metadata',
    async (reason, expected) => {
      const chunks = await encode(start, say('Open the menu.'), ended(reason));
      expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: expected });
      const { message } = await assemble(chunks);
      expect(message).toMatchObject({
        id: MESSAGE_ID,
        metadata: { conversation_id: 'conv-1', turn_idx: 0, next_turn_idx: 1, finish_reason: reason },
      });
    },
  );

  it('removes text, sources and tools of an interrupted attempt', async () => {
    const chunks = await encode(
      start,
      say('Open the m'),
      cited,
      proposed,
      replace('', 'retry'),
      say('Open the menu.'),
      cited,
      ended('stop'),
    );
    const { message } = await assemble(chunks);
    expect(textIn(message)).toBe('Open the menu.');
    expect(typesIn(message)).toEqual(['step-start', 'text', 'source-url']);
  });

  it('keeps sources and tools when it replaces only the text', async () => {
    const chunks = await encode(
      start,
      say('Bad words.'),
      cited,
      proposed,
      replace('Kind', 'moderation'),
      say(' words.'),
      ended('stop'),
    );
    const { message } = await assemble(chunks);
    expect(textIn(message)).toBe('Kind words.');
    expect(typesIn(message)).toEqual(['step-start', 'text', 'source-url', 'tool-highlight']);
  });

  it('ends the text before an error, whose details are transient data', async () => {
    const chunks = await encode(start, say('Open'), failed);
    expect(chunks.slice(-3)).toEqual([
      { type: 'text-end', id: 'text_1' },
      {
        type: 'data-error',
        data: expect.objectContaining({ code: 'internal', retryable: true, request_id: 'req_1' }),
        transient: true,
      },
      { type: 'error', errorText: 'Something went wrong.' },
    ]);
    const { message, error } = await assemble(chunks);
    expect(textIn(message)).toBe('Open');
    expect(error).toBe('Something went wrong.');
  });

  it('reports an error when the stream breaks off', async () => {
    async function* broken() {
      yield { id: '1', event: 'message_start', data: JSON.stringify({ ...start, seq: 0 }) };
      yield { id: '2', event: 'text_delta', data: JSON.stringify({ ...say('Open'), seq: 1 }) };
    }
    const lines = [];
    for await (const { data } of toUiMessageStream(broken()).stream) lines.push(data);
    expect(lines.pop()).toBe('[DONE]');
    const { message, error } = await assemble(await Promise.all(lines.map(parseChunk)));
    expect(textIn(message)).toBe('Open');
    expect(error).toMatch(/answer/);
  });
});

describe('POST /chat?stream=ai-sdk-ui-v1', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  const ask = (jwt: string, headers: Record<string, string> = {}, signal: AbortSignal | null = null) =>
    harness.fetch('/chat?stream=ai-sdk-ui-v1', {
      json: question(),
      headers: { authorization: `Bearer ${jwt}`, ...headers },
      signal,
    });

  it("streams the same answer as the service's own events", async () => {
    harness = await openHarness();
    const { jwt } = await harness.boot();
    const response = await ask(jwt, { 'idempotency-key': 'one' });
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const { message } = await assemble(await readChunks(await response.text()));
    const events = await harness.ask(jwt, {}, { 'idempotency-key': 'one' });
    expect(message.id).toBe(events[0]?.type === 'message_start' ? events[0].message_id : '');
    expect(textIn(message)).toBe(textOf(events));
    const citations = events.filter(({ type }) => type === 'citation');
    expect(citations.length).toBeGreaterThan(0);
    expect(message.parts.filter(({ type }) => type === 'source-url')).toHaveLength(citations.length);
  });

  it("returns the service's own events by default and by name", async () => {
    harness = await openHarness();
    const { jwt } = await harness.boot();
    for (const path of ['/chat', '/chat?stream=guidepost']) {
      const response = await harness.fetch(path, {
        json: question(),
        headers: { authorization: `Bearer ${jwt}` },
      });
      expect(response.headers.has('x-vercel-ai-ui-message-stream')).toBe(false);
      expect(eventsOf(await response.text()).at(-1)?.type).toBe('message_end');
    }
  });

  it('rejects an unknown stream format', async () => {
    harness = await openHarness();
    const { jwt } = await harness.boot();
    const response = await harness.fetch('/chat?stream=ai-sdk-ui-v2', {
      json: question(),
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'request/invalid' });
  });

  it('replays a finished answer from its start, whatever Last-Event-ID says', async () => {
    harness = await openHarness();
    const { jwt } = await harness.boot();
    const first = await (await ask(jwt, { 'idempotency-key': 'one' })).text();
    const { message } = await assemble(await readChunks(first));
    const again = await ask(jwt, { 'idempotency-key': 'one', 'last-event-id': `${message.id}:3` });
    expect(await again.text()).toBe(first);
  });

  it('continues an answer that another reader keeps running', async () => {
    const held = Promise.withResolvers<void>();
    const engine = engineOfTwoParts(() => held.promise);
    harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'one' };
    const running = await harness.fetch('/chat', {
      json: question(),
      headers: { authorization: `Bearer ${jwt}`, ...key },
    });
    const attached = await ask(jwt, key);
    held.resolve();
    const { message } = await assemble(await readChunks(await attached.text()));
    expect(textIn(message)).toBe('First part. Second part.');
    expect(textOf(eventsOf(await running.text()))).toBe(textIn(message));
  });

  it('writes an interrupted answer again under the same id', async () => {
    const stopped = Promise.withResolvers<void>();
    let runs = 0;
    const engine = engineOfTwoParts(async (signal) => {
      runs += 1;
      if (runs > 1) return;
      await new Promise((hungUp) => signal.addEventListener('abort', hungUp));
      stopped.resolve();
    });
    harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const hangUp = new AbortController();
    const broken = await ask(jwt, { 'idempotency-key': 'one' }, hangUp.signal);
    const reader = broken.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!seen.includes('First part.')) seen += (await reader.read()).value;
    hangUp.abort();
    await stopped.promise;
    const messageId = /"messageId":"(\w+)"/.exec(seen)![1]!;
    const { conversations } = harness.service.store.in(harness.workspace.id);
    await expect.poll(async () => (await conversations.findTurn(messageId))?.state).toBe('interrupted');
    const again = await ask(jwt, { 'idempotency-key': 'one' });
    const { message, error } = await assemble(await readChunks(await again.text()));
    expect(error).toBeUndefined();
    expect(message.id).toBe(messageId);
    expect(textIn(message)).toBe('First part. Second part.');
  });

  it('reports a failure of the engine as an error of the stream', async () => {
    const engine: Engine = {
      name: 'failing',
      async *answer() {
        yield { type: 'text', delta: 'Well' };
        throw new EngineFailure('the provider hung up');
      },
    };
    harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const { message, error } = await assemble(await readChunks(await (await ask(jwt)).text()));
    expect(textIn(message)).toBe('Well');
    expect(error).toMatch(/\w/);
  });
});
