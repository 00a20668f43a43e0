import { afterEach, describe, expect, it } from 'vitest';
import type { Conversation } from '../../contract/chat.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { Engine } from '../../server/engine/engine.ts';
import { onSqlite } from '../support/cluster/harness-cluster.ts';
import { decide, TEXAS } from '../support/decisions.ts';
import { eventsOf, type Harness, openHarness, question } from '../support/harness.ts';
import { closeTurn } from '../support/stored-samples.ts';

/** Returns an engine that waits until the test lets it answer. */
function heldEngine(): { engine: Engine; letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const engine: Engine = {
    name: 'held',
    async *answer(_question, signal) {
      yield { type: 'text', delta: 'Well, ' };
      await Promise.race([promise, new Promise((gone) => signal.addEventListener('abort', gone))]);
      yield { type: 'text', delta: 'yes.' };
      yield {
        type: 'end',
        finishReason: 'stop',
        confidence: 1,
        usage: { inputTokens: 0, outputTokens: 0 },
      };
    },
  };
  return { engine, letGo: resolve };
}

const tally = (answers: readonly Response[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]),
  );

describe('concurrent turns', () => {
  /** Concurrent questions, and a consent decision while an answer is open. */

  let harness: Harness;
  afterEach(() => harness.close());

  const send = (jwt: string, conversation_id: string) =>
    harness.fetch('/chat', {
      json: question({ conversation_id }),
      headers: { authorization: `Bearer ${jwt}` },
    });

  describe('concurrent POST /chat', () => {
    it('lets the turns of a visitor beyond two at work wait, up to the burst', async () => {
      const { engine, letGo } = heldEngine();
      harness = await openHarness({ engine });
      const { jwt } = await harness.boot();
      let begun = 0;
      const turns = Array.from({ length: BUCKETS['chat/visitor-burst'].points }, async (_, at) => {
        const answer = await send(jwt, `conv-${at}`);
        begun += 1;
        return answer;
      });
      await expect.poll(() => begun).toBe(CHAT_LIMITS.streamsPerVisitorMax);
      letGo();
      const answers = await Promise.all(turns);
      expect(tally(answers)).toEqual({ 200: turns.length });
      for (const answer of answers) expect(await answer.text()).toContain('event: message_end');
    });

    it('rejects a turn of a visitor for whom as many wait as the burst allows', async () => {
      const { engine, letGo } = heldEngine();
      harness = await openHarness({ engine, env: { METRICS_TOKEN: 'a-token-for-the-metrics' } });
      const { jwt } = await harness.boot();
      const { points, windowSeconds } = BUCKETS['chat/visitor-burst'];
      const turns = Array.from({ length: points }, (_, at) => send(jwt, `conv-${at}`));
      const open = points + CHAT_LIMITS.streamsPerVisitorMax;
      const readMetrics = async () => {
        const headers = { authorization: 'Bearer a-token-for-the-metrics' };
        return (await harness.fetch('/metrics', { headers })).text();
      };
      await expect.poll(readMetrics).toContain(`guidepost_held{resource="streams"} ${points}`);
      harness.clock.advance(windowSeconds * 1000);
      for (let at = points; at < open; at += 1) turns.push(send(jwt, `conv-${at}`));
      await expect.poll(readMetrics).toContain(`guidepost_held{resource="streams"} ${open}`);
      const refused = await send(jwt, 'one more');
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({ error: 'chat/too_many_streams' });
      letGo();
      for (const turn of turns) expect(await (await turn).text()).toContain('event: message_end');
    });

    it('lets the next turn of a visitor begin when the client of one that waits leaves', async () => {
      const { engine, letGo } = heldEngine();
      harness = await openHarness({ engine });
      const { jwt } = await harness.boot();
      const atWork = await Promise.all([send(jwt, 'conv-0'), send(jwt, 'conv-1')]);
      const hangUp = new AbortController();
      const left = harness.fetch('/chat', {
        json: question({ conversation_id: 'left' }),
        headers: { authorization: `Bearer ${jwt}` },
        signal: hangUp.signal,
      });
      const waiting = send(jwt, 'waiting');
      hangUp.abort();
      await expect(left).rejects.toThrow();
      letGo();
      for (const answer of [...atWork, await waiting])
        expect(await answer.text()).toContain('event: message_end');
    });

    it('limits the open answers of one network to half of the server', async () => {
      const { engine, letGo } = heldEngine();
      harness = await openHarness({ engine, env: { STREAMS_MAX: '6' } });
      const visitors = [];
      for (let at = 0; at < 12; at += 1) visitors.push(await harness.boot());
      const answers = await Promise.all(visitors.map(({ jwt }, at) => send(jwt, `conv-${at}`)));
      expect(tally(answers)).toEqual({ 200: 3, 503: 9 });
      letGo();
      await Promise.all(answers.map((answer) => answer.text()));
    });

    it('consumes no rate limit when it is rejected for overload', async () => {
      const { engine, letGo } = heldEngine();
      harness = await openHarness({ engine, env: { STREAMS_MAX: '1' } });
      const holder = await harness.boot();
      const open = await send(holder.jwt, 'held');
      const { jwt } = await harness.boot();
      for (let tries = 0; tries < 40; tries += 1) {
        const rejected = await send(jwt, 'waiting');
        expect(rejected.status).toBe(503);
        expect(rejected.headers.get('ratelimit')).toBeNull();
        await rejected.body?.cancel();
      }
      letGo();
      await open.text();
      const response = await send(jwt, 'waiting');
      expect(response.headers.get('ratelimit')).toMatch(/"chat\/visitor-burst";r=29;/);
      await response.text();
    });
  });

  it('writes no event row when the visitor refuses consent while the answer is open', async () => {
    const { engine, letGo } = heldEngine();
    harness = await openHarness({
      engine,
      env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' },
    });
    const visitor = await harness.boot({}, TEXAS);
    const answer = await send(visitor.jwt, 'conv-refused');
    expect((await decide(harness, visitor, { decision: 'denied' })).status).toBe(200);
    letGo();
    expect(await answer.text()).toContain('event: message_end');
    expect(await harness.service.store.in(harness.workspace.id).events.list(100)).toEqual([]);
  });
});

/** Disconnects, repeated requests and resumed streams. */

const types = (events: readonly ChatEvent[]) => events.map(({ type }) => type);

/** Returns an engine that writes a first part, then waits for the test or the abort signal. */
function pausingEngine(): Engine & {
  continueAfter(): void;
  stopped: Promise<void>;
  runs: () => number;
} {
  const continued = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let runs = 0;
  return {
    name: 'pausing',
    continueAfter: () => continued.resolve(),
    stopped: stopped.promise,
    runs: () => runs,
    async *answer(_question, signal) {
      runs += 1;
      yield { type: 'text', delta: 'First part.' };
      const hungUp = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await Promise.race([continued.promise, hungUp]);
      if (signal.aborted) {
        stopped.resolve();
        return;
      }
      yield { type: 'text', delta: ' Second part.' };
      yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };
}

async function openTurn(harness: Harness, jwt: string, headers: Record<string, string> = {}, body = {}) {
  const hangUp = new AbortController();
  const response = await harness.fetch('/chat', {
    json: question(body),
    headers: { authorization: `Bearer ${jwt}`, ...headers },
    signal: hangUp.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    hangUp: () => hangUp.abort(),
    async until(wanted: string): Promise<string> {
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended without ${wanted}: ${text}`);
        text += value;
      }
      return text;
    },
    async rest(): Promise<ChatEvent[]> {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return eventsOf(text);
        text += value;
      }
    },
  };
}

describe('a reader who disconnects', () => {
  it('stops the engine and stores the partial answer as interrupted', async () => {
    const engine = pausingEngine();
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const turn = await openTurn(harness, jwt);
    await turn.until('First part.');
    turn.hangUp();
    // Only the disconnect can stop the engine.
    await engine.stopped;
    await expect
      .poll(async () => {
        const read = await harness.fetch('/conversations/conv-of-a-test', {
          headers: { authorization: `Bearer ${jwt}` },
        });
        return ((await read.json()) as Conversation).turns;
      })
      .toEqual([
        expect.objectContaining({ state: 'interrupted', answer: 'First part.', finish_reason: 'cancelled' }),
      ]);
    await harness.close();
  });
});

describe('repeated Idempotency-Key', () => {
  it('runs a turn once for requests that arrive together', async () => {
    const engine = pausingEngine();
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-0' };
    const turns = [harness.ask(jwt, {}, key), harness.ask(jwt, {}, key)];
    await expect.poll(engine.runs).toBe(1);
    engine.continueAfter();
    const [one, two] = await Promise.all(turns);
    expect(two).toEqual(one);
    expect(one!.at(-1)?.type).toBe('message_end');
    expect(engine.runs()).toBe(1);
    await harness.close();
  });

  it('attaches to the running turn, and both readers get every frame', async () => {
    const engine = pausingEngine();
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-1' };
    const one = await openTurn(harness, jwt, key);
    await one.until('First part.');
    const two = await openTurn(harness, jwt, key);
    await two.until('First part.');
    one.hangUp();
    // The service logs a request when its connection has closed.
    await expect
      .poll(() => harness.logged.filter(({ operation }) => operation === 'sendMessage'))
      .toHaveLength(1);
    engine.continueAfter();
    const events = await two.rest();
    expect(types(events)).toEqual([
      'message_start',
      'status',
      'status',
      'text_delta',
      'text_delta',
      'message_end',
    ]);
    expect(engine.runs()).toBe(1);
    await harness.close();
  });

  it('replays a complete turn from the start or from Last-Event-ID', async () => {
    const harness = await openHarness();
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-2' };
    const whole = await harness.ask(jwt, {}, key);
    expect(await harness.ask(jwt, {}, key)).toEqual(whole);
    const start = whole[0] as Extract<ChatEvent, { type: 'message_start' }>;
    const rest = await harness.ask(jwt, {}, { ...key, 'last-event-id': `${start.message_id}:2` });
    expect(rest).toEqual(whole.slice(3));
    const read = await harness.fetch('/conversations/conv-of-a-test', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(((await read.json()) as Conversation).turns).toHaveLength(1);
    await harness.close();
  });

  it('replays a complete turn after a restart', async () => {
    const harness = await openHarness();
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-3' };
    const whole = await harness.ask(jwt, {}, key);
    const restarted = await harness.restart();
    expect(await restarted.ask(jwt, {}, key)).toEqual(whole);
    await restarted.close();
  });

  it('rejects another body', async () => {
    const harness = await openHarness();
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-4' };
    await harness.ask(jwt, {}, key);
    const response = await harness.fetch('/chat', {
      json: question({ message: 'Something else?' }),
      headers: { authorization: `Bearer ${jwt}`, ...key },
    });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: 'chat/idempotency_mismatch' });
    await harness.close();
  });

  it('treats the same key of another visitor as a new turn', async () => {
    const harness = await openHarness();
    const [a, b] = [await harness.boot(), await harness.boot()];
    const key = { 'idempotency-key': 'turn-5' };
    const one = await harness.ask(a.jwt, { conversation_id: 'a' }, key);
    const two = await harness.ask(b.jwt, { conversation_id: 'b' }, key);
    expect(two[0]).not.toMatchObject({ message_id: (one[0] as { message_id: string }).message_id });
    await harness.close();
  });

  it('restarts an interrupted answer with text_replace', async () => {
    const engine = pausingEngine();
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-6' };
    const broken = await openTurn(harness, jwt, key);
    const seen = eventsOf(await broken.until('First part.'));
    broken.hangUp();
    await engine.stopped;
    engine.continueAfter();
    const start = seen[0] as Extract<ChatEvent, { type: 'message_start' }>;
    await expect
      .poll(
        async () =>
          (await harness.service.store.in(harness.workspace.id).conversations.findTurn(start.message_id))
            ?.state,
      )
      .toBe('interrupted');
    const rest = await harness.ask(
      jwt,
      {},
      { ...key, 'last-event-id': `${start.message_id}:${seen.length - 1}` },
    );
    expect(types(rest)).toEqual([
      'text_replace',
      'status',
      'status',
      'text_delta',
      'text_delta',
      'message_end',
    ]);
    expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, index) => seen.length + index));
    expect(rest.at(-1)).toMatchObject({
      finish_reason: 'stop',
      text_length: 'First part. Second part.'.length,
    });
    await harness.close();
  });

  it('answers once for two concurrent requests with a new key', async () => {
    const harness = await openHarness();
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-7' };
    const [one, two] = await Promise.all([harness.ask(jwt, {}, key), harness.ask(jwt, {}, key)]);
    expect(two).toEqual(one);
    await harness.close();
  });
});

describe('engine failures', () => {
  const failing: Engine = {
    name: 'failing',
    async *answer() {
      yield { type: 'text', delta: 'So far' };
      throw new Error('the secret is four-seven-one-one');
    },
  };

  it('ends the stream with one retryable error that hides the cause', async () => {
    const harness = await openHarness({ engine: failing });
    const { jwt } = await harness.boot();
    const events = await harness.ask(jwt);
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'internal', retryable: true, partial: true });
    expect(JSON.stringify(events)).not.toContain('four-seven');
    const read = await harness.fetch('/conversations/conv-of-a-test', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(((await read.json()) as Conversation).turns).toMatchObject([
      { state: 'failed', answer: 'So far' },
    ]);
    await harness.close();
  });
});

describe('visitor token expiry', () => {
  it('does not end a stream that is open', async () => {
    const engine = pausingEngine();
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const turn = await openTurn(harness, jwt);
    await turn.until('First part.');
    harness.clock.advance(3_600_000);
    engine.continueAfter();
    expect((await turn.rest()).at(-1)?.type).toBe('message_end');
    await harness.close();
  });
});

describe('reading a conversation', () => {
  it('returns what an answer cites from the page', async () => {
    const engine: Engine = {
      name: 'page reader',
      costsTokens: true,
      async *answer() {
        yield { type: 'text', delta: 'Shipping is free.' };
        yield { type: 'page_citation', quote: 'Free shipping', start: 0, end: 17 };
        yield {
          type: 'end',
          finishReason: 'stop',
          confidence: 1,
          usage: { inputTokens: 0, outputTokens: 0 },
        };
      },
    };
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    await harness.ask(jwt, { dom_digest: 'main > p Free shipping' });
    const read = await harness.fetch('/conversations/conv-of-a-test', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(((await read.json()) as Conversation).turns).toMatchObject([
      { citations: [], page_citations: [{ quote: 'Free shipping', start: 0, end: 17 }] },
    ]);
    await harness.close();
  });
});

describe('a crash during an answer', () => {
  // Copying the folder simulates a crash only with SQLite; test/cluster/turns.test.ts kills a node.
  it.runIf(onSqlite)('leaves an interrupted turn that can be repeated', async () => {
    const engine = pausingEngine();
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const key = { 'idempotency-key': 'turn-9' };
    const cut = await openTurn(harness, jwt, key);
    await cut.until('First part.');
    const next = await harness.afterCrash();
    const read = await next.fetch('/conversations/conv-of-a-test', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(((await read.json()) as Conversation).turns).toMatchObject([{ state: 'interrupted' }]);
    engine.continueAfter();
    expect((await next.ask(jwt, {}, key)).at(-1)?.type).toBe('message_end');
    await harness.close();
    await next.close();
  });

  // Runs only with SQLite, for the same reason as the test above.
  it.runIf(onSqlite)(
    'lets the next attempt continue the numbering of frames that only the reader still has',
    async () => {
      const engine = pausingEngine();
      const harness = await openHarness({ engine });
      const { jwt } = await harness.boot();
      const key = { 'idempotency-key': 'turn-10' };
      const cut = await openTurn(harness, jwt, key);
      const seen = eventsOf(await cut.until('First part.'));
      const start = seen[0] as Extract<ChatEvent, { type: 'message_start' }>;
      const next = await harness.afterCrash();
      engine.continueAfter();
      const lastEventId = `${start.message_id}:${seen.length - 1}`;
      const rest = await next.ask(jwt, {}, { ...key, 'last-event-id': lastEventId });
      expect(rest[0]).toMatchObject({ type: 'text_replace', text: '', seq: seen.length });
      expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, index) => seen.length + index));
      const whole = await next.ask(jwt, {}, key);
      expect(whole[0]).toMatchObject({ type: 'message_start', message_id: start.message_id });
      expect(whole.slice(seen.length)).toEqual(rest);
      await harness.close();
      await next.close();
    },
  );

  it('does not let an older attempt acknowledge the answer of a newer one', async () => {
    const engine = pausingEngine();
    const harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const slow = await openTurn(harness, jwt);
    const [start] = eventsOf(await slow.until('First part.'));
    const { conversations } = harness.service.store.in(harness.workspace.id);
    const messageId = start?.type === 'message_start' ? start.message_id : '';
    await conversations.reopenTurn(messageId, 1, harness.clock.now());
    const acknowledged = { attempt: 2, answer: 'Acknowledged' };
    await conversations.closeTurn(closeTurn(messageId, acknowledged), []);
    engine.continueAfter();
    expect((await slow.rest()).at(-1)).toMatchObject({ type: 'error', code: 'chat/answer_broke_off' });
    expect(await conversations.findTurn(messageId)).toMatchObject(acknowledged);
    await harness.close();
  });
});

describe('a second server', () => {
  it('does not start on the data folder of a running server until that server has stopped', async () => {
    const harness = await openHarness();
    await expect(openHarness({ dataDir: harness.dataDir })).rejects.toThrow(
      `another server uses the data folder ${harness.dataDir}`,
    );
    const next = await harness.restart();
    await next.boot();
    await next.close();
  });
});
