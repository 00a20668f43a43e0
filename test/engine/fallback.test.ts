import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EngineEvent, EngineFailure } from '../../server/engine/engine.ts';
import { openEngine } from '../../server/engine/open-engine.ts';
import { type FakeModel, openFakeModel, PROVIDERS, STREAM } from '../support/fake-model/fake-model.ts';
import { BEGUN, buildQuestion, collectEvents, GROUNDED, joinText, only, PASSWORD } from './questions.ts';

/** Failures of the model server, and their fallback. */

let fake: FakeModel;
let opened: Awaited<ReturnType<typeof openEngine>> | undefined;
const fallbacks: string[] = [];
const failures: string[] = [];
beforeEach(async () => {
  fake = await openFakeModel();
  fallbacks.length = 0;
  failures.length = 0;
});
afterEach(async () => {
  opened?.close();
  await fake.close();
});

/** Timeouts longer than any test; each test shortens only the one that it is about. */
const LONG = {
  LLM_TIMEOUT_MILLIS: '60000',
  LLM_FIRST_TOKEN_TIMEOUT_MILLIS: '60000',
  LLM_IDLE_TIMEOUT_MILLIS: '60000',
};
const FIRST_TOKEN = { LLM_FIRST_TOKEN_TIMEOUT_MILLIS: '200' };

async function open(env: Record<string, string> = {}, wire: 'mock' | 'raw' = 'mock', now = Date.now) {
  opened = await openEngine(fake.settings({ ...LONG, ...env }, wire), {
    now,
    onFallback: (reason) => fallbacks.push(reason),
    onFailure: (kind) => failures.push(kind),
  });
  return opened.engine;
}
const answer = async (engine: ReturnType<typeof open>, signal = new AbortController().signal) =>
  collectEvents((await engine).answer(buildQuestion(), signal));

function expectQuoted(events: readonly EngineEvent[]): void {
  expect(events[0]).toMatchObject({ type: 'notice', code: 'llm_unavailable' });
  expect(joinText(events)).toBe('Open the sign-in page and choose "Forgot password".');
  expect(only(events, 'citation')[0]!.passage).toBe(PASSWORD);
  expect(only(events, 'end')).toHaveLength(1);
}

describe.each(PROVIDERS)('withFallback before the first text of %s', (provider) => {
  beforeEach(() => fake.speak(provider));

  it.each([
    [401, 'refused'],
    [404, 'refused'],
    [429, 'rate_limited'],
    [500, 'overloaded'],
    [503, 'overloaded'],
    [529, 'overloaded'],
  ])('falls back with a notice on status %d', async (status, kind) => {
    fake.errors(status);
    expectQuoted(await answer(open()));
    expect(fallbacks).toEqual([kind]);
    expect(failures).toEqual([kind]);
  });

  it('falls back with a notice when nothing listens', async () => {
    expectQuoted(await answer(open({ LLM_BASE_URL: 'http://127.0.0.1:9/v1' })));
    expect(fallbacks).toEqual(['unreachable']);
  });

  it('falls back with a notice when the server is silent', async () => {
    fake.onRaw((response) => response.writeHead(200, STREAM).flushHeaders());
    expectQuoted(await answer(open(FIRST_TOKEN, 'raw')));
    expect(fallbacks).toEqual(['first_token_timeout']);
  });

  it('falls back with a notice when the server only sends keep-alives', async () => {
    let keepAlive: NodeJS.Timeout | undefined;
    fake.onRaw((response) => {
      response.writeHead(200, STREAM);
      keepAlive = setInterval(() => response.write(': still here\n\n'), 20);
      response.on('close', () => clearInterval(keepAlive));
    });
    expectQuoted(await answer(open(FIRST_TOKEN, 'raw')));
    expect(fallbacks).toEqual(['first_token_timeout']);
  });

  it.each([
    ['a chunk is torn', 'data: {"choices":[{"del\n\n'],
    ['a chunk is not an object', 'data: null\n\n'],
    ['the stream is cut', ''],
    ['an event is too long', `data: ${'x'.repeat(1_100_000)}`],
    ['the response is an HTML page', '<html>Welcome</html>'],
    ['the response is an object that is cut', '{"choices":[{"message":{"con'],
    ['an object is too long', `{"choices":[${' '.repeat(1_100_000)}`],
  ])('falls back with a notice when %s', async (_, body) => {
    fake.onRaw((response) => response.writeHead(200, STREAM).end(body));
    expectQuoted(await answer(open({}, 'raw')));
    expect(fallbacks).toEqual(['broken']);
  });

  it.each([
    ['an event is an error of the request', 'rejected', () => fake.wire.error('request')],
    ['an event is an error of the server', 'overloaded', () => fake.wire.error('server')],
    ['the stream ends without text', 'empty', () => fake.wire.end],
  ])('falls back with a notice when %s', async (_, kind, body) => {
    fake.onRaw((response) => response.writeHead(200, STREAM).end(body()));
    expectQuoted(await answer(open({}, 'raw')));
    expect(fallbacks).toEqual([kind]);
  });

  it.runIf(provider === 'openai')('falls back with a notice when the response is an error', async () => {
    fake.onRaw((response) => response.writeHead(200, STREAM).end('{"error":{"message":"no","code":503}}'));
    expectQuoted(await answer(open({}, 'raw')));
    expect(fallbacks).toEqual(['overloaded']);
  });

  it.each([
    ['the request is refused', 400, () => '{"error":{"code":"invalid_value","param":"messages"}}'],
    ['the answer is empty', 200, () => fake.wire.end],
    ['an event is an error of the request', 200, () => fake.wire.error('request')],
  ])('keeps the circuit closed however often %s', async (_, status, body) => {
    fake.onRaw((response) => response.writeHead(status, STREAM).end(body()));
    const engine = open({}, 'raw');
    for (let turn = 0; turn < 5; turn++) expectQuoted(await answer(engine));
    expect(fallbacks).not.toContain('circuit_open');
  });

  it('ends with a refusal, and keeps the circuit closed, when the server filters the content', async () => {
    const error = {
      message: 'sk-of-a-test',
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
    };
    fake.onRaw((response) => response.writeHead(400).end(JSON.stringify({ error })));
    const engine = open({}, 'raw');
    for (let turn = 0; turn < 4; turn++) {
      const events = await answer(engine);
      expect(events.at(-1)).toMatchObject({ finishReason: 'refusal' });
      expect(only(events, 'notice')).toEqual([]);
    }
    expect(fallbacks).toEqual([]);
  });

  it('opens the circuit after three failures and closes it after a pause', async () => {
    let now = 0;
    const engine = open({}, 'mock', () => now);
    fake.errors(500);
    for (let turn = 0; turn < 4; turn++) expectQuoted(await answer(engine));
    expect(fallbacks).toEqual(['overloaded', 'overloaded', 'overloaded', 'circuit_open']);
    expect(fake.requests()).toHaveLength(3);
    now += 15_001;
    fake.says(GROUNDED);
    expect(joinText(await answer(engine))).toBe(GROUNDED);
  });

  it('keeps the circuit open for the Retry-After of the server', async () => {
    let now = 0;
    const engine = open({ LLM_RETRIES: '1' }, 'mock', () => now);
    fake.errors(429, 20);
    await answer(engine);
    now += 19_000;
    await answer(engine);
    expect(fake.requests()).toHaveLength(1);
    now += 2000;
    await answer(engine);
    expect(fake.requests()).toHaveLength(2);
  });
});

describe.each(PROVIDERS)('withFallback after the first text of %s', (provider) => {
  beforeEach(() => fake.speak(provider));

  async function readUntilFailure(engine: ReturnType<typeof open>): Promise<EngineEvent[]> {
    const collected: EngineEvent[] = [];
    const reading = async () => {
      for await (const event of (await engine).answer(buildQuestion(), new AbortController().signal))
        collected.push(event);
    };
    await expect(reading()).rejects.toThrow(EngineFailure);
    return collected;
  }

  it('throws a retryable failure when the connection is cut', async () => {
    fake.onRaw((response) => {
      response.writeHead(200, STREAM).write(fake.wire.chunk(BEGUN));
      setTimeout(() => (response.socket as Socket).destroy(), 30);
    });
    expect(joinText(await readUntilFailure(open({}, 'raw')))).toBe(`${GROUNDED} `);
    expect(failures).toEqual(['broken']);
    expect(fallbacks).toEqual([]);
  });

  it('opens the circuit when the model interrupts three answers, and lets one request probe', async () => {
    let now = 0;
    const engine = open({}, 'raw', () => now);
    let modelRequests = 0;
    fake.onRaw((response) => {
      modelRequests += 1;
      response.writeHead(200, STREAM).write(fake.wire.chunk(BEGUN));
      setTimeout(() => (response.socket as Socket).destroy(), 10);
    });
    for (let turn = 0; turn < 3; turn++) await readUntilFailure(engine);
    expectQuoted(await answer(engine));
    expect(fallbacks).toEqual(['circuit_open']);
    now += 15_001;
    let finishProbe = () => {};
    fake.onRaw((response) => {
      modelRequests += 1;
      response.writeHead(200, STREAM).write(fake.wire.chunk(GROUNDED));
      finishProbe = () => response.end(fake.wire.end);
    });
    const probe = answer(engine);
    await vi.waitFor(() => expect(modelRequests).toBe(4));
    expectQuoted(await answer(engine));
    finishProbe();
    expect(joinText(await probe)).toBe(GROUNDED);
    const next = answer(engine);
    await vi.waitFor(() => expect(modelRequests).toBe(5));
    finishProbe();
    expect(joinText(await next)).toBe(GROUNDED);
  });

  it('lets the next request probe the model when the visitor disconnects during a probe', async () => {
    let now = 0;
    const engine = open({}, 'mock', () => now);
    fake.errors(500);
    for (let turn = 0; turn < 3; turn++) await answer(engine);
    now += 15_001;
    fake.says(GROUNDED, { chunkSize: 2, latency: 20 });
    const visitor = new AbortController();
    for await (const event of (await engine).answer(buildQuestion(), visitor.signal)) {
      if (event.type === 'text') visitor.abort();
    }
    fake.says(GROUNDED);
    expect(joinText(await answer(engine))).toBe(GROUNDED);
  });

  it('asks again after a clock that was ahead is set back', async () => {
    let now = 7_200_000;
    const engine = open({}, 'mock', () => now);
    fake.errors(500);
    for (let turn = 0; turn < 3; turn++) await answer(engine);
    now = 0;
    fake.says(GROUNDED);
    expect(joinText(await answer(engine))).toBe(GROUNDED);
  });

  it('throws a retryable failure when the stream ends early', async () => {
    fake.onRaw((response) => response.writeHead(200, STREAM).end(fake.wire.chunk(BEGUN)));
    await readUntilFailure(open({}, 'raw'));
    expect(failures).toEqual(['broken']);
  });

  it('throws a retryable failure when a chunk is torn', async () => {
    fake.onRaw((response) =>
      response.writeHead(200, STREAM).end(`${fake.wire.chunk(BEGUN)}data: {"choi\n\n`),
    );
    await readUntilFailure(open({}, 'raw'));
    expect(failures).toEqual(['broken']);
  });

  it('throws a retryable failure when the model falls silent', async () => {
    fake.onRaw((response) => response.writeHead(200, STREAM).write(fake.wire.chunk(BEGUN)));
    await readUntilFailure(open({ LLM_IDLE_TIMEOUT_MILLIS: '150' }, 'raw'));
    expect(failures).toEqual(['idle_timeout']);
  });

  it('throws a retryable failure when the total timeout expires', async () => {
    let drip: NodeJS.Timeout | undefined;
    let step = 0;
    fake.onRaw((response) => {
      response.writeHead(200, STREAM);
      drip = setInterval(() => response.write(fake.wire.chunk(`${GROUNDED} Step ${step++}. `)), 40);
      response.on('close', () => clearInterval(drip));
    });
    const events = await readUntilFailure(open({ LLM_TIMEOUT_MILLIS: '600' }, 'raw'));
    expect(joinText(events).length).toBeGreaterThan(20);
    expect(failures).toEqual(['total_timeout']);
  });
});

it('the LLM engine waits for a slow answer that keeps arriving', async () => {
  fake.says(GROUNDED, { chunkSize: 4, latency: 150 });
  const timeouts = { LLM_FIRST_TOKEN_TIMEOUT_MILLIS: '2000', LLM_IDLE_TIMEOUT_MILLIS: '2000' };
  expect(joinText(await answer(open(timeouts)))).toBe(GROUNDED);
});

it('the LLM engine retries once before the first token when configured', async () => {
  let requests = 0;
  fake.onRaw((response) => {
    requests += 1;
    if (requests === 1) response.writeHead(503).end();
    else response.writeHead(200, STREAM).end(`${fake.wire.chunk(GROUNDED)}${fake.wire.end}`);
  });
  expect(joinText(await answer(open({ LLM_RETRIES: '1' }, 'raw')))).toBe(GROUNDED);
  expect(requests).toBe(2);
});

it('the LLM engine closes the connection after an abort, while streaming and while waiting', async () => {
  for (const words of [BEGUN, '']) {
    const closed = Promise.withResolvers<void>();
    fake.onRaw((response) => {
      response.writeHead(200, STREAM).flushHeaders();
      if (words) response.write(fake.wire.chunk(words));
      response.on('close', () => closed.resolve());
    });
    const abortController = new AbortController();
    const reading = answer(open({}, 'raw'), abortController.signal);
    await new Promise((resolve) => setTimeout(resolve, 300));
    abortController.abort();
    await closed.promise;
    expect(joinText(await reading)).toBe(words && `${GROUNDED} `);
    expect(failures).toEqual([]);
    opened?.close();
  }
});

it('the LLM engine reuses a connection after a complete answer', async () => {
  const sockets = new Set<Socket>();
  fake.onRaw((response, request) => {
    sockets.add(request.socket);
    response.writeHead(200, STREAM).end(`${fake.wire.chunk(GROUNDED)}${fake.wire.end}`);
  });
  const engine = open({}, 'raw');
  await answer(engine);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await answer(engine);
  expect(sockets.size).toBe(1);
});

it("the LLM engine never quotes the server's error text", async () => {
  fake.errors(401);
  const failures: string[] = [];
  const { engine, close } = await openEngine(fake.settings(), {
    now: Date.now,
    onFailure: (_, error) => failures.push(JSON.stringify(error) + String((error as Error).stack)),
  });
  await answer(Promise.resolve(engine));
  close();
  expect(failures.join()).toContain('status 401');
  expect(failures.join()).not.toContain('sk-of-a-test');
});
