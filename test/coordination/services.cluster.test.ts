import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import { type RedisServer, startRedis } from '../support/cluster/servers.ts';
import { type Harness, ORIGIN, openHarness, question } from '../support/harness.ts';

/** Services with the same keys over one Redis; each has its own copy of the database. */

const METRICS_TOKEN = 'token-of-the-metrics';

let release = () => {};
/** Finishes its answer when the test releases it. */
const engine: Engine = {
  name: 'waiting',
  async *answer(_question, signal) {
    yield { type: 'text', delta: 'First part.' };
    await new Promise<void>((resolve) => {
      release = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
  },
};

let redis: RedisServer;
let nodes: readonly [Harness, Harness, Harness];
beforeAll(async () => {
  redis = await startRedis();
  const env = { REDIS_URL: redis.url, METRICS_TOKEN, TRUSTED_PROXIES: 'loopback' };
  const firstNode = await openHarness({ env, engine });
  nodes = [firstNode, await firstNode.afterCrash(), await firstNode.afterCrash()];
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  await redis.remove();
});

const bootFrom = async (node: Harness, address: string) => {
  const json = { app_id: node.appId, origin: ORIGIN, path: '/' };
  const { status } = await node.fetch('/boot', { json, headers: { 'x-forwarded-for': address } });
  return status;
};

const readiness = async (node: Harness) => (await (await node.fetch('/readyz')).json()) as object;

describe('three services over one Redis', () => {
  it('limit the boots of one address across all nodes', async () => {
    const boots = Array.from({ length: 360 }, (_, at) => bootFrom(nodes[at % 3]!, '203.0.113.7'));
    const statuses = await Promise.all(boots);
    expect(statuses.filter((status) => status === 200)).toHaveLength(120);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  it('limit a visitor to two streams across all nodes', async () => {
    const { jwt } = await nodes[0].boot();
    const chat = (node: Harness, at: number) =>
      node.fetch('/chat', {
        json: question({ conversation_id: `c${at}` }),
        headers: { authorization: `Bearer ${jwt}` },
      });
    const open = [await chat(nodes[0], 0), await chat(nodes[1], 1)];
    let hasBegun = false;
    const third = chat(nodes[2], 2).then((answer) => {
      hasBegun = true;
      return answer;
    });
    await pause(1_000);
    expect(hasBegun).toBe(false);
    for (const { body } of open) await body?.cancel();
    expect((await third).status).toBe(200);
    release();
  });

  it('reject an erased visitor on every node at once', async () => {
    const { jwt } = await nodes[0].boot();
    const headers = { authorization: `Bearer ${jwt}` };
    const erased = await nodes[0].fetch('/visitor', { method: 'DELETE', headers });
    expect(erased.status).toBe(200);
    await expect.poll(async () => (await nodes[1].fetch('/conversations/any', { headers })).status).toBe(401);
  });

  it('report that Redis is away, serve alone, and share limits again when it is back', async () => {
    await redis.stop('SIGKILL');
    await expect.poll(() => readiness(nodes[0])).toMatchObject({ status: 'ready', coordination: 'alone' });
    const metrics = await nodes[0].fetch('/metrics', {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    expect(await metrics.text()).toContain('guidepost_coordination_alone 1');
    expect(nodes[0].logged).toContainEqual(
      expect.objectContaining({ level: 40, msg: expect.stringContaining('Redis is away') }),
    );
    expect(await bootFrom(nodes[0], '203.0.113.7')).toBe(200);
    await redis.start();
    await expect.poll(() => readiness(nodes[0])).toMatchObject({ coordination: 'shared' });
    await expect.poll(() => readiness(nodes[1])).toMatchObject({ coordination: 'shared' });
    const boots = Array.from({ length: 200 }, (_, at) => bootFrom(nodes[at % 2]!, '203.0.113.8'));
    expect((await Promise.all(boots)).filter((status) => status === 200)).toHaveLength(120);
  });
});
