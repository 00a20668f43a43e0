import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUCKETS, type BucketName } from '../../contract/limits/rate-limits.ts';
import type {
  Coordination,
  LiveTurn,
  RateLimitKey,
  TurnFrame,
  TurnRun,
} from '../../server/coordination/coordination.ts';

/** The contract suite of the coordination port, on one node. */

export type Nodes = {
  /** Opens another node of the same installation. */
  open(): Promise<Coordination>;
  /** Lets time pass for rate limits. */
  advance(millis: number): Promise<void>;
  close(): Promise<void>;
};

const MINUTE = 60_000;
export const SLOTS_MAX = 2;

export const window = (bucket: BucketName, key: string): RateLimitKey => ({ bucket, key });

export const runOf = (messageId: string, visitorId = 'vp_a', attempt = 1): TurnRun => ({
  messageId,
  visitorId,
  attempt,
});

export const frame = (messageId: string, seq: number): TurnFrame => ({
  id: `${messageId}:${seq}`,
  event: 'text_delta',
  data: JSON.stringify({ type: 'text_delta', seq, delta: `part ${seq}` }),
});

/** A turn whose frames the test writes. */
type OpenedTurn = {
  turn: LiveTurn;
  write(seq: number): void;
  /** Finishes the turn. */
  finish(): void;
};

export async function startTurn(
  { liveTurns }: Coordination,
  run: TurnRun,
  earlierFrames: readonly TurnFrame[] = [],
): Promise<OpenedTurn> {
  const slot = await liveTurns.reserve(run, SLOTS_MAX, () => {});
  if (!slot) throw new Error('all slots of the visitor are taken');
  const work = Promise.withResolvers<void>();
  const turn = slot.open(earlierFrames);
  slot.run(work.promise);
  return {
    turn,
    write: (seq) => turn.put(frame(run.messageId, seq)),
    finish() {
      turn.end();
      work.resolve();
    },
  };
}

/** Reads a turn in the background, as a response does. */
export function readAll(frames: AsyncIterable<TurnFrame>): {
  ids: string[];
  ended: Promise<void>;
} {
  const ids: string[] = [];
  const ended = (async () => {
    for await (const { id } of frames) ids.push(id);
  })();
  ended.catch(() => {});
  return { ids, ended };
}

export const ids = (messageId: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${messageId}:${from + index}`);

const never = new AbortController().signal;

export function coordinationSuite(openNodes: () => Promise<Nodes>): void {
  let nodes: Nodes;
  let node: Coordination;
  beforeEach(async () => {
    nodes = await openNodes();
    node = await nodes.open();
  });
  afterEach(() => nodes.close());

  describe('rate limits', () => {
    const consume = (...windows: RateLimitKey[]) => node.rateLimits.consume(windows);
    const boot = window('boot/rate-limited', '203.0.113.7');
    const burst = window('chat/visitor-burst', 'ws_a/vp_a');
    const hour = window('chat/visitor-hour', 'ws_a/vp_a');

    it('take a point from each window and return what is left', async () => {
      await consume(burst, hour);
      const second = await consume(burst, hour);
      if (second.exceededAt !== undefined) throw new Error('exceeded');
      expect(second.remaining.map(({ points }) => points)).toEqual([28, 98]);
      const [first, other] = second.remaining;
      expect(first!.millis).toBeGreaterThan(MINUTE / 2);
      expect(first!.millis).toBeLessThanOrEqual(MINUTE);
      expect(other!.millis).toBeGreaterThan(30 * MINUTE);
    });

    it('take nothing from any window when one of them is empty', async () => {
      const { points } = BUCKETS['chat/visitor-burst'];
      for (let at = 0; at < points; at += 1) await consume(burst);
      const exceeded = await consume(boot, burst, hour);
      expect(exceeded).toMatchObject({ exceededAt: 1 });
      expect(exceeded.exceededAt === 1 && exceeded.millisLeft).toBeGreaterThan(0);
      expect(await consume(boot, hour)).toMatchObject({ remaining: [{ points: 119 }, { points: 99 }] });
    });

    it('count the windows of different keys and buckets separately', async () => {
      await consume(boot);
      expect(await consume(window('boot/rate-limited', '203.0.113.8'))).toMatchObject({
        remaining: [{ points: 119 }],
      });
      expect(await consume(window('consent/ip-rate-limited', boot.key))).toMatchObject({
        remaining: [{ points: 119 }],
      });
    });

    it('return one point for each refund', async () => {
      const { points } = BUCKETS['session/sign-in'];
      const signIn = window('session/sign-in', '203.0.113.7 o@shop.example.com');
      for (let at = 0; at < points + 5; at += 1) await consume(signIn);
      node.rateLimits.refund([signIn]);
      await expect.poll(() => consume(signIn)).toMatchObject({ remaining: [{ points: 0 }] });
      expect(await consume(signIn)).toMatchObject({ exceededAt: 0 });
    });

    it('start again when the window has ended, and ignore a late refund', async () => {
      for (let at = 0; at < 5; at += 1) await consume(boot);
      await nodes.advance(MINUTE);
      node.rateLimits.refund([boot]);
      expect(await consume(boot)).toMatchObject({ remaining: [{ points: 119 }] });
    });

    it('let exactly as many concurrent requests pass as the window has points', async () => {
      const outcomes = await Promise.all(Array.from({ length: 200 }, () => consume(boot)));
      expect(outcomes.filter(({ exceededAt }) => exceededAt === undefined)).toHaveLength(120);
    });

    describe('of a workspace that networks share', () => {
      const { points, sharing } = BUCKETS['chat/tenant-burst'];
      const shortFrom = points * sharing.beyond;
      const turnOf = (network: string, workspace = 'ws_a'): RateLimitKey => ({
        ...window('chat/tenant-burst', workspace),
        network,
      });
      /** Sends so many requests, a hundred at once, and returns how many of them were within the limits. */
      async function take(windows: RateLimitKey | RateLimitKey[], times: number): Promise<number> {
        let taken = 0;
        for (let sent = 0; sent < times; sent += 100) {
          const requests = Array.from({ length: Math.min(100, times - sent) }, () =>
            consume(...[windows].flat()),
          );
          const outcomes = await Promise.all(requests);
          taken += outcomes.filter(({ exceededAt }) => exceededAt === undefined).length;
        }
        return taken;
      }

      it('give all points to a network that is alone', async () => {
        expect(await take(turnOf('a'), points + 50)).toBe(points);
        expect(await take(turnOf('b'), 1)).toBe(0);
      });

      it('refuse a network over its share once the workspace runs short, and serve others', async () => {
        expect(await take(turnOf('a'), shortFrom)).toBe(shortFrom);
        expect(await take(turnOf('b'), 1)).toBe(1);
        expect(await take(turnOf('a'), 1)).toBe(0);
        expect(await take(turnOf('c'), points)).toBe(points - shortFrom - 1);
      });

      it('let no network wait while the workspace has enough', async () => {
        await take(turnOf('b'), 1);
        expect(await take(turnOf('a'), points)).toBe(shortFrom - 1);
      });

      it('leave the same share to each of several busy networks', async () => {
        const shares = [0, 0, 0, 0];
        for (let round = 0; round < points; round += 1) {
          const at = round % shares.length;
          shares[at]! += await take(turnOf(`n${at}`), 1);
        }
        expect(shares).toEqual(shares.map(() => points / shares.length));
      });

      it('leave every network the least share, however many networks there are', async () => {
        for (let network = 0; network < shortFrom; network += 1) await consume(turnOf(`n${network}`));
        expect(await take(turnOf('n0'), points)).toBe(sharing.leastPoints - 1);
      });

      it('count each workspace separately, and begin again with the next window', async () => {
        await take(turnOf('a'), shortFrom);
        await take(turnOf('b'), 1);
        expect(await take(turnOf('a', 'ws_b'), 1)).toBe(1);
        await nodes.advance(MINUTE);
        expect(await take(turnOf('a'), points)).toBe(points);
      });

      it('return one point of the share for each refund', async () => {
        await take(turnOf('b'), 300);
        expect(await take(turnOf('a'), points)).toBe(points / 2);
        node.rateLimits.refund([turnOf('a')]);
        await expect.poll(() => take(turnOf('a'), 1)).toBe(1);
        expect(await take(turnOf('a'), 1)).toBe(0);
      });

      it('take nothing from the share when another window is empty', async () => {
        await take(turnOf('b'), 300);
        await take(hour, BUCKETS['chat/visitor-hour'].points);
        expect(await take([turnOf('a'), hour], points)).toBe(0);
        expect(await take(turnOf('a'), points)).toBe(points / 2);
      });
    });

    it('accept a request without any window', async () => {
      expect(await consume()).toEqual({ remaining: [] });
    });
  });

  describe('live turns', () => {
    it('can be read from any position to their end', async () => {
      const { write, finish } = await startTurn(node, runOf('msg_1'));
      write(0);
      write(1);
      const whole = readAll((await node.liveTurns.follow('msg_1', 0, never))!);
      const rest = readAll((await node.liveTurns.follow('msg_1', 2, never))!);
      await expect.poll(() => whole.ids).toEqual(ids('msg_1', 0, 1));
      write(2);
      finish();
      await Promise.all([whole.ended, rest.ended]);
      expect(whole.ids).toEqual(ids('msg_1', 0, 2));
      expect(rest.ids).toEqual(ids('msg_1', 2, 2));
    });

    it('start with the frames of earlier attempts', async () => {
      const earlier = [frame('msg_1', 0), frame('msg_1', 1)];
      const { turn, write, finish } = await startTurn(node, runOf('msg_1', 'vp_a', 2), earlier);
      write(2);
      expect(turn.frames.map(({ id }) => id)).toEqual(ids('msg_1', 0, 2));
      const { ids: seen, ended } = readAll((await node.liveTurns.follow('msg_1', 1, never))!);
      finish();
      await ended;
      expect(seen).toEqual(ids('msg_1', 1, 2));
    });

    it('are unknown before they start and after they have ended', async () => {
      expect(await node.liveTurns.follow('msg_1', 0, never)).toBeUndefined();
      const { turn, finish } = await startTurn(node, runOf('msg_1'));
      const { ended } = readAll(turn.subscribe(0, never));
      finish();
      await ended;
      await expect.poll(() => node.liveTurns.follow('msg_1', 0, never)).toBeUndefined();
    });

    it('stop when the last reader has left', async () => {
      const { turn } = await startTurn(node, runOf('msg_1'));
      const [one, two] = [new AbortController(), new AbortController()];
      const readers = [turn.subscribe(0, one.signal), turn.subscribe(0, two.signal)].map(readAll);
      one.abort();
      await readers[0]!.ended;
      expect(turn.signal.aborted).toBe(false);
      two.abort();
      await expect.poll(() => turn.signal.reason).toBe('disconnected');
    });

    it('are limited to the slots of their visitor, even when they start together', async () => {
      const reservations = await Promise.all(
        [1, 2, 3, 4].map((at) => node.liveTurns.reserve(runOf(`msg_${at}`), SLOTS_MAX, () => {})),
      );
      expect(reservations.filter((slot) => slot !== undefined)).toHaveLength(SLOTS_MAX);
      expect(await node.liveTurns.reserve(runOf('msg_5', 'vp_b'), SLOTS_MAX, () => {})).toBeDefined();
    });

    it('free their slot exactly once, on release or when their work is done', async () => {
      let released = 0;
      const reserve = (messageId: string) =>
        node.liveTurns.reserve(runOf(messageId), SLOTS_MAX, () => {
          released += 1;
        });
      const [one, two] = [await reserve('msg_1'), await reserve('msg_2')];
      one!.release();
      one!.release();
      expect(released).toBe(1);
      const work = Promise.withResolvers<void>();
      two!.open([]).end();
      two!.run(work.promise);
      two!.release();
      expect(released).toBe(1);
      work.resolve();
      await expect.poll(() => released).toBe(2);
      await expect.poll(async () => (await reserve('msg_3')) !== undefined).toBe(true);
    });

    it('all stop while the guide is paused', async () => {
      const { turn } = await startTurn(node, runOf('msg_1'));
      node.liveTurns.pause();
      expect(turn.signal.reason).toBe('paused');
    });

    it('have stored their text when a shutdown resolves', async () => {
      const slot = (await node.liveTurns.reserve(runOf('msg_1'), SLOTS_MAX, () => {}))!;
      const turn = slot.open([]);
      let isStored = false;
      slot.run(
        new Promise<void>((resolve) => {
          turn.signal.addEventListener('abort', () =>
            setTimeout(() => {
              isStored = true;
              resolve();
            }, 20),
          );
        }),
      );
      await node.liveTurns.shutDown();
      expect(turn.signal.reason).toBe('shutdown');
      expect(isStored).toBe(true);
    });
  });

  it('has a leader', async () => {
    await expect.poll(() => node.isLeader()).toBe(true);
  });
}
