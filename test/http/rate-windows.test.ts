import { describe, expect, it } from 'vitest';
import { RateWindowMap } from '../../server/http/rate-windows.ts';

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
    expect(windows.size).toBe(1000);
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
