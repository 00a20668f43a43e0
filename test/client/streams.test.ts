import { describe, expect, test } from 'vitest';
import type { ChatEvent, GuideOptions } from '../../client/sdk/index.ts';
import {
  answerFrames,
  aScriptedServerForEach,
  bootReply,
  errorResponse,
  framesText,
  frameText,
  hangUp,
  json,
  openGuide,
  type Responder,
  server,
  stream,
} from './scripted-server.ts';

describe('a broken stream', () => {
  aScriptedServerForEach();

  const turn = { message: 'How?', domDigest: 'h1 Shop', url: 'https://shop.example/' };
  const frames = framesText(answerFrames);

  async function ask(options: Partial<GuideOptions> = {}): Promise<ChatEvent[]> {
    const events: ChatEvent[] = [];
    for await (const event of openGuide(options).chat(turn)) events.push(event);
    return events;
  }

  test('chat() resumes an answer that breaks within a frame, without losing or repeating an event', async () => {
    const cut = `${frames[2]}`.slice(0, 40);
    server.answer('/chat', stream([`${frames[0]}${frames[1]}`, cut], 'break'), stream(frames.slice(2)));
    expect(await ask()).toEqual(answerFrames);

    const [first, second] = server.at('/chat');
    expect(first?.headers['last-event-id']).toBeUndefined();
    expect(second?.headers['last-event-id']).toBe('msg_01kakv2fxse7wtg6x5r0h8rjbm:1');
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toEqual(first?.body);
  });

  test('chat() drops frames that a resumed stream repeats', async () => {
    server.answer('/chat', stream(frames.slice(0, 3), 'end'), stream(frames));
    expect(await ask()).toEqual(answerFrames);
  });

  test('chat() reads characters and frames that arrive byte by byte', async () => {
    const bytes = new TextEncoder().encode(frames.join(''));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
      bytes.subarray(at * 7, at * 7 + 7),
    );
    server.answer('/chat', stream(pieces));
    expect(await ask()).toEqual(answerFrames);
  });

  test('chat() resumes a stream that goes silent', async () => {
    server.answer('/chat', stream(frames.slice(0, 2), 'stay silent'), stream(frames.slice(2)));
    expect(await ask({ streamIdleSeconds: 0.15 })).toEqual(answerFrames);
  });

  test('chat() rejects after three resumptions in a row without progress', async () => {
    server.answer('/chat', stream([`retry: 1\n\n${frames[0]}`], 'break'), stream(['retry: 1\n\n'], 'break'));
    const events: ChatEvent[] = [];
    const asking = (async () => {
      for await (const event of openGuide().chat(turn)) events.push(event);
    })();
    await expect(asking).rejects.toMatchObject({ code: 'network' });
    expect(events).toHaveLength(1);
    expect(server.at('/chat')).toHaveLength(4);
  });

  test('chat() sends the same idempotency key again when the connection breaks before the answer', async () => {
    server.answer('/chat', hangUp, stream(frames));
    expect(await ask()).toEqual(answerFrames);
    const keys = server.at('/chat').map((request) => request.headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
  });

  test('chat() rejects with timeout at the deadline when the service never responds', async () => {
    server.answer('/chat', () => {});
    const started = Date.now();
    await expect(ask({ retry: { deadlineSeconds: 0.3 } })).rejects.toMatchObject({ code: 'timeout' });
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(server.at('/chat')).toHaveLength(1);
  });

  test('chat() rejects at the deadline when the service keeps closing the connection', async () => {
    server.answer('/chat', async (response, received) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      hangUp(response, received);
    });
    const started = Date.now();
    await expect(ask({ retry: { deadlineSeconds: 0.6 } })).rejects.toMatchObject({
      code: expect.stringMatching(/network|timeout/),
    });
    expect(Date.now() - started).toBeLessThan(20_000);
  });

  test.each([
    ['no id', ''],
    ['an id without a position', 'id: a\n'],
  ])('chat() rejects with protocol instead of retrying when events have %s', async (_, id) => {
    server.answer('/chat', stream([`${id}data: {"type":"text_delta","delta":"x"}\n\n`]));
    await expect(ask()).rejects.toMatchObject({ code: 'protocol' });
    expect(server.at('/chat')).toHaveLength(1);
  });

  test('chat() rejects when the answer keeps starting over', async () => {
    let times = 0;
    server.answer('/chat', (response, received) => {
      const firstFrames = answerFrames.slice(0, 2).map((frame) => frameText(`msg_${times}`, frame));
      times++;
      return stream(['retry: 1\n\n', ...firstFrames])(response, received);
    });
    await expect(ask()).rejects.toMatchObject({ code: 'network' });
    expect(times).toBe(4);
  });

  test('chat() passes on events of unknown types', async () => {
    const unknown = { type: 'weather', seq: 1, sky: 'clear' };
    const withUnknown = [answerFrames[0]!, unknown, ...answerFrames.slice(2)];
    server.answer('/chat', stream(framesText(withUnknown)));
    expect(await ask()).toEqual(withUnknown);
  });

  test('chat() yields an error event as the last event instead of throwing', async () => {
    const failure = {
      type: 'error',
      seq: 1,
      code: 'server/shutting_down',
      message: 'Restarting.',
      retryable: true,
      request_id: 'req_1',
      partial: false,
    };
    server.answer('/chat', stream(framesText([answerFrames[0]!, failure])));
    expect((await ask()).at(-1)).toEqual(failure);
    expect(server.at('/chat')).toHaveLength(1);
  });

  test('chat() rejects with protocol when the response is not a stream or its data is not JSON', async () => {
    server.answer('/chat', stream(['data: {"type":\n\n']));
    await expect(ask()).rejects.toMatchObject({ code: 'protocol' });
    server.answer('/chat', json({ hello: true }));
    await expect(ask()).rejects.toMatchObject({ code: 'protocol', status: 200 });
  });

  test('chat() closes the connection when the loop is left', async () => {
    const hungUp = Promise.withResolvers<void>();
    server.answer('/chat', async (response) => {
      response.on('close', hungUp.resolve);
      await stream(frames.slice(0, 2), 'stay silent')(response, server.received[0]!);
    });
    for await (const event of openGuide().chat(turn)) if (event.type === 'text_delta') break;
    await hungUp.promise;
  });

  test('chat() ends a silent stream and a wait for Retry-After when the signal aborts', async () => {
    const abortController = new AbortController();
    server.answer('/chat', stream(frames.slice(0, 1), 'stay silent'));
    const events = openGuide().chat({ ...turn, signal: abortController.signal });
    await events.next();
    setTimeout(() => abortController.abort(), 20);
    await expect(events.next()).rejects.toMatchObject({ code: 'aborted' });

    const waiting = new AbortController();
    server.answer('/chat', errorResponse(429, 'rate_limit/exceeded', {}, { 'retry-after': '60' }));
    const patientGuide = openGuide({ retry: { waitSecondsMax: 120, deadlineSeconds: 300 } });
    const asking = patientGuide.chat({ ...turn, signal: waiting.signal }).next();
    setTimeout(() => waiting.abort(), 100);
    await expect(asking).rejects.toMatchObject({ code: 'aborted' });
  });

  test('chat() ends when the signal aborts, even if more events have arrived', async () => {
    server.answer('/chat', stream([frames.join('')]));
    const abortController = new AbortController();
    const events = openGuide().chat({ ...turn, signal: abortController.signal });
    await events.next();
    abortController.abort();
    await expect(events.next()).rejects.toMatchObject({ code: 'aborted' });
  });

  test('chat() continues the conversation and turn that the service names', async () => {
    server.answer('/chat', stream(frames));
    const guide = openGuide();
    for await (const _ of guide.chat(turn));
    for await (const _ of guide.chat(turn));
    const [first, second] = server.at('/chat');
    expect(first?.body).toMatchObject({
      turn_idx: 0,
      conversation_id: expect.stringMatching(/^conv_\w{32}$/),
    });
    expect(second?.body).toMatchObject({ turn_idx: 1, conversation_id: 'conv_of_the_service' });
    expect(guide.conversationId).toBe('conv_of_the_service');
  });
});

describe('a resumed stream', () => {
  aScriptedServerForEach();

  const turn = { message: 'How?', domDigest: 'h1 Shop', url: 'https://shop.example/' };
  const frames = framesText(answerFrames);
  const streamBytes = new TextEncoder().encode(frames.join(''));

  /** Returns a service that cuts its first answer, and then continues after `Last-Event-ID`. */
  function cutAfter(bytes: number): Responder {
    let isFirst = true;
    return (response, { headers }) => {
      const after = Number(headers['last-event-id']?.toString().split(':')[1] ?? -1);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1\n\n');
      if (!isFirst) return response.end(frames.slice(after + 1).join(''));
      isFirst = false;
      return response.write(streamBytes.subarray(0, bytes), () => response.socket?.destroy());
    };
  }

  async function readText(events: AsyncIterable<ChatEvent>): Promise<{ text: string; seqs: number[] }> {
    const seqs: number[] = [];
    let text = '';
    for await (const event of events) {
      seqs.push(event.seq);
      if (event.type === 'text_delta') text += event.delta;
    }
    return { text, seqs };
  }

  /** Returns whether a cut is within the second delta, or shortly before it. */
  function isInText(at: number): boolean {
    const [start, first, second] = frames.map((frame) => new TextEncoder().encode(frame).length) as number[];
    const from = start! + first!;
    return at > from - 20 && at < from + second!;
  }

  test('an answer that breaks at any byte arrives without lost or repeated characters', async () => {
    const ask = async (cut: number) => {
      const path = `/cut${cut}`;
      server.answer(`${path}/boot`, json(bootReply('token')));
      server.answer(`${path}/chat`, cutAfter(cut));
      const guide = openGuide({ baseUrl: `${server.baseUrl}${path}` });
      expect(await readText(guide.chat(turn)), `cut after ${cut} bytes`).toEqual({
        text: 'Öffnen Sie die Übersicht. 🧭',
        seqs: answerFrames.map(({ seq }) => seq),
      });
      guide.close();
    };
    const cuts = [...streamBytes.keys()].filter((at) => at % 7 === 0 || isInText(at));
    while (cuts.length > 0) await Promise.all(cuts.splice(0, 64).map(ask));
  });

  const page =
    (status: number): Responder =>
    (response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');

  test.each<[string, Responder]>([
    ['502 with a page', page(502)],
    ['503 without Retry-After', errorResponse(503, 'server/overloaded')],
    ['503 with a Retry-After', errorResponse(503, 'server/shutting_down', {}, { 'retry-after': '1' })],
    ['504 with a page', page(504)],
  ])('an answer survives a restart behind a proxy that responds with %s', async (_, restarting) => {
    const cut = stream(['retry: 1\n\n', ...frames.slice(0, 2)], 'break');
    const rest = stream(frames.slice(2));
    server.answer('/chat', cut, restarting, restarting, rest);
    const guide = openGuide({ retry: { attemptsMax: 0 } });
    const { text } = await readText(guide.chat(turn));
    expect(text).toBe('Öffnen Sie die Übersicht. 🧭');
    expect(server.at('/chat')).toHaveLength(4);
  });

  test('a restart that takes too long rejects with the error of the proxy', async () => {
    server.answer('/chat', stream(['retry: 1\n\n', ...frames.slice(0, 2)], 'break'), page(502));
    const guide = openGuide({ retry: { attemptsMax: 0 } });
    await expect(readText(guide.chat(turn))).rejects.toMatchObject({ code: 'protocol', status: 502 });
    expect(server.at('/chat')).toHaveLength(4);
  });

  test('an error of a proxy before the answer rejects the call', async () => {
    server.answer('/chat', page(502));
    const guide = openGuide({ retry: { attemptsMax: 0 } });
    await expect(readText(guide.chat(turn))).rejects.toMatchObject({ status: 502 });
    expect(server.at('/chat')).toHaveLength(1);
  });
});
