import { createClient } from '@redis/client';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Coordination, TurnLost } from '../../server/coordination/coordination.ts';
import { openRedisCoordination } from '../../server/coordination/redis/redis.ts';
import { type RedisServer, startRedis } from '../support/cluster/servers.ts';
import { clock } from '../support/harness.ts';
import {
  coordinationSuite,
  frame,
  ids,
  type Nodes,
  readAll,
  runOf,
  SLOTS_MAX,
  startTurn,
  window,
} from './coordination.suite.ts';

const MINUTE = 60_000;
const never = new AbortController().signal;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.remove());

/** Opens nodes with a key prefix of their own. */
async function openNodes(): Promise<Nodes & { keys: () => Promise<string[]> }> {
  const installationId = `test-${crypto.randomUUID()}`;
  const client = createClient({ url: redis.url });
  client.on('error', () => {});
  await client.connect();
  const opened: Coordination[] = [];
  const keys = () => client.keys(`guidepost:${installationId}:*`);
  return {
    keys,
    async open() {
      const log = pino({ level: 'silent' });
      const node = await openRedisCoordination({
        ...{ url: redis.url, installationId, secret: 'a secret', clock, log, onOpenTurns() {} },
      });
      opened.push(node);
      return node;
    },
    // Redis has its own clock, so the windows are ended early instead.
    async advance(millis) {
      for (const key of await keys()) {
        if (key.includes(':w:')) await client.pExpire(key, (await client.pTTL(key)) - millis);
      }
    },
    async close() {
      for (const node of opened) await node.close();
      client.destroy();
    },
  };
}

describe('coordination over Redis', () => {
  coordinationSuite(openNodes);
});

describe('two nodes', () => {
  let nodes: Awaited<ReturnType<typeof openNodes>>;
  let a: Coordination;
  let b: Coordination;
  beforeEach(async () => {
    nodes = await openNodes();
    [a, b] = [await nodes.open(), await nodes.open()];
  });
  afterEach(() => nodes.close());

  it('share every rate limit exactly', async () => {
    const boot = window('boot/rate-limited', '203.0.113.7');
    const requests = Array.from({ length: 300 }, (_, at) => (at % 3 ? a : b).rateLimits.consume([boot]));
    const outcomes = await Promise.all(requests);
    expect(outcomes.filter(({ exceededAt }) => exceededAt === undefined)).toHaveLength(120);
    await nodes.advance(MINUTE);
    expect(await b.rateLimits.consume([boot])).toMatchObject({ remaining: [{ points: 119 }] });
  });

  it('store no address and no visitor id in Redis', async () => {
    await a.rateLimits.consume([window('boot/rate-limited', '203.0.113.7')]);
    await a.liveTurns.reserve(runOf('msg_1', 'vp_secret'), SLOTS_MAX, () => {});
    const keys = (await nodes.keys()).join('\n');
    expect(keys).toContain('boot/rate-limited');
    expect(keys).not.toContain('203.0.113.7');
    expect(keys).not.toContain('vp_secret');
  });

  it('read each other’s turns from any position, each frame once', async () => {
    const { turn, write, finish } = await startTurn(a, runOf('msg_1'), [frame('msg_1', 0)]);
    const own = readAll(turn.subscribe(0, never));
    write(1);
    const whole = readAll((await b.liveTurns.follow('msg_1', 0, never))!);
    const rest = readAll((await b.liveTurns.follow('msg_1', 2, never))!);
    await expect.poll(() => whole.ids).toEqual(ids('msg_1', 0, 1));
    for (let seq = 2; seq < 50; seq += 1) {
      write(seq);
      if (seq % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    finish();
    await Promise.all([own.ended, whole.ended, rest.ended]);
    expect(own.ids).toEqual(ids('msg_1', 0, 49));
    expect(whole.ids).toEqual(ids('msg_1', 0, 49));
    expect(rest.ids).toEqual(ids('msg_1', 2, 49));
    await expect.poll(() => b.liveTurns.follow('msg_1', 0, never)).toBeUndefined();
  });

  it('know of a turn as soon as its slot is taken', async () => {
    const slot = (await a.liveTurns.reserve(runOf('msg_1'), SLOTS_MAX, () => {}))!;
    expect(await b.liveTurns.follow('msg_1', 0, never)).toBeDefined();
    slot.release();
    await expect.poll(() => b.liveTurns.follow('msg_1', 0, never)).toBeUndefined();
  });

  it('share the slots of a visitor, even when streams start together', async () => {
    const reservations = await Promise.all(
      [a, b, a, b].map(({ liveTurns }, at) => liveTurns.reserve(runOf(`msg_${at}`), SLOTS_MAX, () => {})),
    );
    const slots = reservations.filter((slot) => slot !== undefined);
    expect(slots).toHaveLength(SLOTS_MAX);
    slots[0]!.release();
    await expect
      .poll(async () => (await b.liveTurns.reserve(runOf('msg_9'), SLOTS_MAX, () => {})) !== undefined)
      .toBe(true);
  });

  it('keep a turn running for a reader at the other node, and stop it when that reader leaves', async () => {
    const { turn, write } = await startTurn(a, runOf('msg_1'));
    const [here, there] = [new AbortController(), new AbortController()];
    const own = readAll(turn.subscribe(0, here.signal));
    write(0);
    const other = readAll((await b.liveTurns.follow('msg_1', 0, there.signal))!);
    await expect.poll(() => other.ids).toEqual(ids('msg_1', 0, 0));
    here.abort();
    await own.ended;
    write(1);
    await expect.poll(() => other.ids).toEqual(ids('msg_1', 0, 1));
    expect(turn.signal.aborted).toBe(false);
    there.abort();
    await other.ended;
    await expect.poll(() => turn.signal.reason).toBe('disconnected');
  });

  it('report a turn as lost when its node disappears, and recover its frames', async () => {
    const { write } = await startTurn(a, runOf('msg_1'));
    write(0);
    write(1);
    const other = readAll((await b.liveTurns.follow('msg_1', 0, never))!);
    await expect.poll(() => other.ids).toEqual(ids('msg_1', 0, 1));
    await a.close();
    await expect(other.ended).rejects.toThrow(TurnLost);
    expect(await b.liveTurns.follow('msg_1', 0, never)).toBeUndefined();
    const recovered = await b.liveTurns.recover({ messageId: 'msg_1', attempt: 1 });
    expect(recovered).toEqual([frame('msg_1', 0), frame('msg_1', 1)]);
    const next = await startTurn(b, runOf('msg_1', 'vp_a', 2), recovered);
    next.write(2);
    expect(next.turn.frames.map(({ id }) => id)).toEqual(ids('msg_1', 0, 2));
  });

  it('end a turn for readers at both nodes when the node of the turn shuts down', async () => {
    const slot = (await a.liveTurns.reserve(runOf('msg_1'), SLOTS_MAX, () => {}))!;
    const turn = slot.open([]);
    const work = Promise.withResolvers<void>();
    slot.run(work.promise);
    turn.put(frame('msg_1', 0));
    const other = readAll((await b.liveTurns.follow('msg_1', 0, never))!);
    turn.signal.addEventListener('abort', () => {
      turn.put(frame('msg_1', 1));
      turn.end();
      work.resolve();
    });
    await a.liveTurns.shutDown();
    await a.close();
    await other.ended;
    expect(other.ids).toEqual(ids('msg_1', 0, 1));
  });

  it('reject frames of an earlier attempt after a later one has started', async () => {
    const old = await startTurn(a, runOf('msg_1'));
    old.write(0);
    const next = await startTurn(b, runOf('msg_1', 'vp_a', 2), [frame('msg_1', 0)]);
    next.write(1);
    const reader = readAll((await (await nodes.open()).liveTurns.follow('msg_1', 0, never))!);
    await expect.poll(() => reader.ids).toEqual(ids('msg_1', 0, 1));
    old.write(1);
    old.finish();
    await new Promise((resolve) => setTimeout(resolve, 100));
    next.write(2);
    next.finish();
    await reader.ended;
    expect(reader.ids).toEqual(ids('msg_1', 0, 2));
  });

  it('have one leader, and soon another one when it closes', async () => {
    expect([a, b].filter((node) => node.isLeader())).toHaveLength(1);
    const [leader, other] = a.isLeader() ? [a, b] : [b, a];
    await leader.close();
    await expect.poll(() => other.isLeader()).toBe(true);
  });

  it('receive each other’s messages but not their own', async () => {
    const received: unknown[][] = [[], []];
    a.announcements.listen((news) => received[0]!.push(news));
    b.announcements.listen((news) => received[1]!.push(news));
    await expect
      .poll(() => {
        a.announcements.announce({ kind: 'visitor_erased', erasureKey: 'm' });
        return received[1];
      })
      .toContainEqual({ kind: 'visitor_erased', erasureKey: 'm' });
    expect(received[0]).toEqual([]);
  });
});

describe('coordination while Redis is away', () => {
  let nodes: Nodes;
  let a: Coordination;
  let b: Coordination;
  beforeEach(async () => {
    nodes = await openNodes();
    [a, b] = [await nodes.open(), await nodes.open()];
  });
  afterEach(() => nodes.close());
  const boot = window('boot/rate-limited', '203.0.113.7');
  const areBothIn = (state: string) => () => a.state() === state && b.state() === state;

  it('limits rates on each node alone, and on all nodes together once Redis is back', async () => {
    for (let at = 0; at < 100; at += 1) await a.rateLimits.consume([boot]);
    await redis.stop('SIGKILL');
    expect(await a.rateLimits.consume([boot])).toMatchObject({ remaining: [{ points: 119 }] });
    await expect.poll(areBothIn('alone')).toBe(true);
    expect(await b.rateLimits.consume([boot])).toMatchObject({ remaining: [{ points: 119 }] });
    expect([a.isLeader(), b.isLeader()]).toEqual([true, true]);
    await redis.start();
    await expect.poll(areBothIn('shared')).toBe(true);
    await a.rateLimits.consume([boot]);
    expect(await b.rateLimits.consume([boot])).toMatchObject({ remaining: [{ points: 118 }] });
    expect([a, b].filter((node) => node.isLeader())).toHaveLength(1);
  });

  it('continues turns at their nodes, and offers them completely to the other node once Redis is back', async () => {
    const { turn, write, finish } = await startTurn(a, runOf('msg_1'));
    const own = readAll(turn.subscribe(0, never));
    write(0);
    const cut = readAll((await b.liveTurns.follow('msg_1', 0, never))!);
    await expect.poll(() => cut.ids).toEqual(ids('msg_1', 0, 0));
    await redis.stop('SIGKILL');
    await expect(cut.ended).rejects.toThrow(TurnLost);
    write(1);
    expect(turn.signal.aborted).toBe(false);
    await expect.poll(() => own.ids).toEqual(ids('msg_1', 0, 1));
    expect(await b.liveTurns.follow('msg_1', 0, never)).toBeUndefined();
    await redis.start();
    await expect.poll(areBothIn('shared')).toBe(true);
    await expect.poll(async () => (await b.liveTurns.follow('msg_1', 0, never)) !== undefined).toBe(true);
    const again = readAll((await b.liveTurns.follow('msg_1', 1, never))!);
    write(2);
    finish();
    await Promise.all([own.ended, again.ended]);
    expect(own.ids).toEqual(ids('msg_1', 0, 2));
    expect(again.ids).toEqual(ids('msg_1', 1, 2));
  });

  it('stops a turn without a reader at its own node', async () => {
    await redis.stop('SIGKILL');
    await expect.poll(areBothIn('alone')).toBe(true);
    const { turn } = await startTurn(a, runOf('msg_1'));
    const readerAbort = new AbortController();
    const { ended } = readAll(turn.subscribe(0, readerAbort.signal));
    readerAbort.abort();
    await ended;
    expect(turn.signal.reason).toBe('disconnected');
    await redis.start();
  });

  it('reports that messages may have been missed, once Redis is back', async () => {
    const received: unknown[] = [];
    a.announcements.listen((news) => received.push(news));
    await redis.stop('SIGKILL');
    await expect.poll(areBothIn('alone')).toBe(true);
    await redis.start();
    await expect.poll(() => received).toEqual([undefined]);
  });

  it('starts a node without Redis', async () => {
    await redis.stop('SIGKILL');
    const newNode = await nodes.open();
    expect(newNode.state()).toBe('alone');
    expect(await newNode.rateLimits.consume([boot])).toMatchObject({ remaining: [{ points: 119 }] });
    await redis.start();
    await expect.poll(() => newNode.state()).toBe('shared');
  });
});
