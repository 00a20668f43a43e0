import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import type { Engine } from '../../server/engine/engine.ts';
import { decide, TEXAS } from '../consent/decisions.ts';
import { type Harness, openHarness, question } from '../harness.ts';

/** Concurrent questions, and a consent decision while an answer is open. */

let harness: Harness;
afterEach(() => harness.close());

/** An engine that waits until the test lets it answer. */
function heldEngine(): { readonly engine: Engine; readonly letGo: () => void } {
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

const send = (jwt: string, conversation_id: string) =>
  harness.fetch('/chat', {
    json: question({ conversation_id }),
    headers: { authorization: `Bearer ${jwt}` },
  });

const tally = (answers: readonly Response[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]),
  );

describe('concurrent POST /chat', () => {
  it('limits the open answers of one visitor', async () => {
    const { engine, letGo } = heldEngine();
    harness = await openHarness({ engine });
    const { jwt } = await harness.boot();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => send(jwt, `conv-${at}`)));
    expect(tally(answers)).toEqual({
      200: LIMITS.streamsPerVisitorMax,
      409: 20 - LIMITS.streamsPerVisitorMax,
    });
    letGo();
    await Promise.all(answers.map((answer) => answer.text()));
    expect((await send(jwt, 'later')).status).toBe(200);
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

  it('refused for overload consume from no rate limit', async () => {
    const { engine, letGo } = heldEngine();
    harness = await openHarness({ engine, env: { STREAMS_MAX: '1' } });
    const holder = await harness.boot();
    const open = await send(holder.jwt, 'held');
    const { jwt } = await harness.boot();
    for (let tries = 0; tries < 40; tries += 1) {
      const refused = await send(jwt, 'waiting');
      expect(refused.status).toBe(503);
      expect(refused.headers.get('ratelimit')).toBeNull();
      await refused.body?.cancel();
    }
    letGo();
    await open.text();
    const answer = await send(jwt, 'waiting');
    expect(answer.headers.get('ratelimit')).toMatch(/"chat\/visitor-burst";r=29;/);
    await answer.text();
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
