import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMemoryCoordination } from '../../server/coordination/memory/memory.ts';
import { BucketLimiter, RateWindowMap } from '../../server/coordination/memory/rate-windows.ts';
import { clock } from '../support/harness.ts';
import { coordinationSuite } from './coordination.suite.ts';

describe('coordination in memory', () => {
  beforeAll(() => clock.stop());
  afterAll(() => clock.resume());

  coordinationSuite(async () => ({
    open: () => openMemoryCoordination({ clock, secret: 'a secret', onOpenTurns() {} }),
    advance: async (millis) => clock.advance(millis),
    async close() {},
  }));
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
  it('are bounded in number under a flood of new keys', () => {
    const windows = new RateWindowMap(bucket, 1000);
    for (let at = 0; at < 100_000; at += 1) consume(windows, `k${at}`, 1);
    expect(windows.size).toBeLessThanOrEqual(1000);
    expect(windows.size).toBeGreaterThan(900);
  });

  it('keep limiting a caller during a flood of new keys', () => {
    const windows = new RateWindowMap(bucket, 1000);
    for (let at = 0; at < 200; at += 1) consume(windows, `full${at}`, 120);
    for (let at = 0; at < 100_000; at += 1) consume(windows, `k${at}`, 3);
    for (let at = 0; at < 200; at += 1) expect(consume(windows, `full${at}`, 0)).toBe(120);
  });

  it('start again when they have expired, and are then dropped', () => {
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

  it('is a limiter of rate-limiter-flexible whose windows follow the clock of the service', async () => {
    const limiter = openLimiter();
    expect(limiter).toBeInstanceOf(RateLimiterMemory);
    await consumeMany(limiter, 3);
    clock.advance(MINUTE - 1);
    await expect(limiter.consume('a')).rejects.toMatchObject({ remainingPoints: 0, msBeforeNext: 1 });
    clock.advance(1);
    expect(await limiter.consume('a')).toMatchObject({ remainingPoints: 2, msBeforeNext: MINUTE });
  });

  it('accepts one request after one refund, however many it has rejected', async () => {
    const limiter = openLimiter();
    await consumeMany(limiter, 10);
    await limiter.reward('a');
    expect(await limiter.consume('a')).toMatchObject({ remainingPoints: 0 });
    await expect(limiter.consume('a')).rejects.toMatchObject({ remainingPoints: 0 });
  });

  it('ignores a refund after the end of the window', async () => {
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

  it('stores no row for a single point or a rejected request', async () => {
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
