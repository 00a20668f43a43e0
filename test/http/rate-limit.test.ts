import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits.ts';
import { BucketLimiter, RateWindowMap } from '../../server/http/rate-windows.ts';
import { toAddress, toNetwork } from '../../server/network.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../harness.ts';

describe('rate limits over HTTP', () => {
  let harness: Harness;
  beforeAll(async () => {
    clock.stop();
    harness = await openHarness();
  });
  afterAll(async () => {
    await harness.close();
    clock.resume();
  });

  const send = async (path: string, init: Parameters<Harness['fetch']>[1]) => {
    const { status, headers, body } = await harness.fetch(path, init);
    await body?.cancel();
    return { status, policy: headers.get('ratelimit-policy'), limit: headers.get('ratelimit') };
  };
  const boot = () => send('/boot', { json: { app_id: harness.appId, origin: ORIGIN, path: '/' } });

  describe('RateLimit headers', () => {
    it('report the remaining requests and seconds with every boot, down to zero', async () => {
      expect(await boot()).toEqual({
        status: 200,
        policy: '"boot/rate-limited";q=120;w=60',
        limit: '"boot/rate-limited";r=119;t=60',
      });
      clock.advance(20_000);
      expect((await boot()).limit).toMatch(/^"boot\/rate-limited";r=118;t=(40|39)$/);
      for (let drawn = 0; drawn < 118; drawn += 1) await send('/boot', { json: {} });
      const empty = await boot();
      expect(empty.status).toBe(429);
      expect(empty.limit).toMatch(/^"boot\/rate-limited";r=0;t=(40|39)$/);
      clock.advance(60_000);
    });

    it('report no more than the window after the clock was set back', async () => {
      await boot();
      clock.advance(-7_200_000);
      expect((await boot()).limit).toMatch(/;t=60$/);
      clock.advance(60_000);
      expect((await boot()).limit).toMatch(/;r=119;t=60$/);
      clock.advance(7_200_000);
    });

    it('are sent with errors that count, and not with errors before rate limiting', async () => {
      const invalid = await send('/boot', { json: { surprise: 1 } });
      expect(invalid).toMatchObject({
        status: 400,
        limit: expect.stringContaining('"boot/rate-limited";r='),
      });
      const stranger = await send('/chat', { json: question() });
      expect(stranger.limit).toMatch(/^"chat\/ip-rate-limited";r=119;t=60$/);
      expect(await send('/api/session', { json: {}, headers: { origin: 'https://other.example' } })).toEqual({
        status: 403,
        policy: null,
        limit: null,
      });
    });

    it('report every bucket of a turn except those of the whole workspace', async () => {
      const { jwt } = await harness.boot();
      const turn = await send('/chat', { json: question(), headers: { authorization: `Bearer ${jwt}` } });
      expect(turn).toEqual({
        status: 200,
        policy: '"chat/visitor-burst";q=30;w=60, "chat/visitor-hour";q=100;w=3600',
        limit: '"chat/visitor-burst";r=29;t=60, "chat/visitor-hour";r=99;t=3600',
      });
      expect(BUCKETS['chat/tenant-burst'].per).toBe('workspace');
    });

    it('are exposed to the requesting page', async () => {
      const { headers } = await harness.fetch('/boot', { json: {} });
      const exposed = headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
    });
  });

  describe('one address', () => {
    it.each([
      ['203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::FFFF:203.0.113.7', '203.0.113.7'],
      ['::ffff:cb00:7107', '203.0.113.7'],
      ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ])('of %s is the IPv4 address %s', (address, plain) => {
      expect(toAddress(address)).toBe(plain);
    });

    it.each([
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
      ['2001:0DB8:0001:0002::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
      ['2001:db8::1', '2001:db8:0:0:1::'],
      ['fe80::1%eth0', 'fe80::2%eth1'],
      ['::1', '::2'],
    ])('is the same for %s and %s', (one, other) => {
      expect(toAddress(one)).toBe(toAddress(other));
    });

    it.each([
      ['2001:db8:1:2::', '2001:db8:1:3::'],
      ['2001:db8::', '2001:db8:0:1::'],
      ['203.0.113.7', '203.0.113.8'],
      ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
      ['::ffff:cb00:7107', '::1'],
      ['', 'garbage'],
    ])('differs for %s and %s', (one, other) => {
      expect(toAddress(one)).not.toBe(toAddress(other));
    });
  });

  describe('one network', () => {
    it('is an IPv6 /48, or one IPv4 address', () => {
      expect(toNetwork('2001:db8:1:2::1')).toBe(toNetwork('2001:db8:1:ffff::1'));
      expect(toNetwork('2001:db8:1::')).not.toBe(toNetwork('2001:db8:2::'));
      expect(toNetwork('203.0.113.7')).not.toBe(toNetwork('203.0.113.8'));
      expect(toNetwork('::ffff:203.0.113.7')).toBe('203.0.113.7');
    });
  });
});

const MINUTE = 60_000;
const bucket = { points: 120, windowSeconds: 60 };

/** Consumes points of a key and returns how many it has consumed in its window. */
function consume(windows: RateWindowMap, key: string, points: number, now = 0): number {
  const window = windows.open(key, now);
  window.points += points;
  return window.points;
}

describe('rate windows', () => {
  it('stay below their number under a flood of new keys', () => {
    const windows = new RateWindowMap(bucket, 1000);
    for (let at = 0; at < 100_000; at += 1) consume(windows, `k${at}`, 1);
    expect(windows.size).toBeLessThanOrEqual(1000);
    expect(windows.size).toBeGreaterThan(900);
  });

  it('that hold somebody back survive a flood of new keys', () => {
    const windows = new RateWindowMap(bucket, 1000);
    for (let at = 0; at < 200; at += 1) consume(windows, `full${at}`, 120);
    for (let at = 0; at < 100_000; at += 1) consume(windows, `k${at}`, 3);
    for (let at = 0; at < 200; at += 1) expect(consume(windows, `full${at}`, 0)).toBe(120);
  });

  it('begin anew when their time is over, and are dropped then', () => {
    const windows = new RateWindowMap(bucket);
    expect(consume(windows, 'a', 120)).toBe(120);
    expect(consume(windows, 'a', 1, MINUTE - 1)).toBe(121);
    expect(consume(windows, 'a', 1, MINUTE)).toBe(1);
    consume(windows, 'b', 1, MINUTE + 10);
    windows.dropExpired(2 * MINUTE + 5);
    expect(windows.size).toBe(1);
    windows.dropExpired(2 * MINUTE + 10);
    expect(windows.size).toBe(0);
  });
});

describe('a limiter of one bucket', () => {
  beforeAll(() => clock.stop());
  afterAll(() => clock.resume());

  const openLimiter = () => new BucketLimiter({ points: 3, windowSeconds: 60 }, clock);
  const consumeMany = async (limiter: BucketLimiter, times: number) => {
    for (let at = 0; at < times; at += 1) await limiter.consume('a').catch(() => undefined);
  };

  it('is one of rate-limiter-flexible, whose windows end by the clock of the service', async () => {
    const limiter = openLimiter();
    expect(limiter).toBeInstanceOf(RateLimiterMemory);
    await consumeMany(limiter, 3);
    clock.advance(MINUTE - 1);
    await expect(limiter.consume('a')).rejects.toMatchObject({ remainingPoints: 0, msBeforeNext: 1 });
    clock.advance(1);
    expect(await limiter.consume('a')).toMatchObject({ remainingPoints: 2, msBeforeNext: MINUTE });
  });

  it('makes room for one request with one refund, however many it has refused', async () => {
    const limiter = openLimiter();
    await consumeMany(limiter, 10);
    await limiter.reward('a');
    expect(await limiter.consume('a')).toMatchObject({ remainingPoints: 0 });
    await expect(limiter.consume('a')).rejects.toMatchObject({ remainingPoints: 0 });
  });

  it('gives no credit for a refund after the window', async () => {
    const limiter = openLimiter();
    await consumeMany(limiter, 3);
    clock.advance(MINUTE);
    await limiter.reward('a');
    expect(await limiter.consume('a')).toMatchObject({ remainingPoints: 2 });
  });

  it('continues a window that was set, until its end', async () => {
    const limiter = openLimiter();
    await limiter.set('a', 2, 20.001);
    expect(await limiter.consume('a')).toMatchObject({ remainingPoints: 0, msBeforeNext: 20_001 });
    await expect(limiter.consume('a')).rejects.toMatchObject({ msBeforeNext: 20_001 });
  });

  it('stores no row for a single point or a refused request', async () => {
    const limiter = openLimiter();
    await consumeMany(limiter, 1);
    expect([...limiter.takeChanged()]).toEqual([]);
    await consumeMany(limiter, 1);
    expect([...limiter.takeChanged()]).toMatchObject([{ key: 'a', points: 2 }]);
    await consumeMany(limiter, 1);
    expect([...limiter.takeChanged()]).toMatchObject([{ key: 'a', points: 3 }]);
    await consumeMany(limiter, 5);
    expect([...limiter.takeChanged()]).toEqual([]);
  });
});
