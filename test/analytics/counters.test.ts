import { describe, expect, it } from 'vitest';
import {
  createDistinctCounter,
  createLatencyHistogram,
  createTopCounter,
  normalizeQuestion,
} from '../../server/analytics/aggregate.ts';
import { createFairScheduler } from '../../server/analytics/read-analytics.ts';
import { newId } from '../../server/ids.ts';

describe('createDistinctCounter', () => {
  it('counts exactly up to its capacity', () => {
    const distinct = createDistinctCounter();
    const names = Array.from({ length: 20_000 }, () => newId('vp'));
    for (const name of [...names, ...names]) distinct.add(name);
    expect(distinct.count()).toBe(20_000);
  });

  it('estimates within five percent above its capacity', () => {
    const distinct = createDistinctCounter(4096);
    for (let at = 0; at < 100_000; at += 1) {
      distinct.add(`vis_${at}`);
      distinct.add(`vis_${at >> 1}`);
    }
    expect(Math.abs(distinct.count() - 100_000)).toBeLessThan(5_000);
  });
});

describe('createLatencyHistogram', () => {
  it('returns exact percentiles up to 100 ms and within one percent above', () => {
    for (const scale of [0.2, 1, 30, 4000]) {
      const sorted = Array.from({ length: 500 }, (_, at) => Math.round(at * scale));
      const latencies = createLatencyHistogram();
      for (const millis of sorted.toReversed()) latencies.add(millis);
      const { p50, p90, p99 } = latencies.percentiles()!;
      const pairs = [
        [p50, sorted[249]!],
        [p90, sorted[449]!],
        [p99, sorted[494]!],
      ] as const;
      for (const [estimate, exact] of pairs) {
        expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact <= 100 ? 0 : exact / 100);
      }
    }
  });

  it('returns no percentiles without values and accepts any value', () => {
    const latencies = createLatencyHistogram();
    expect(latencies.percentiles()).toBeUndefined();
    for (const millis of [0, -4, 1e12]) latencies.add(millis);
    expect(latencies.percentiles()).toEqual({ p50: 0, p90: expect.any(Number), p99: expect.any(Number) });
  });
});

describe('createTopCounter', () => {
  it('returns the most frequent keys first, each with its newest value', () => {
    const tally = createTopCounter<{ value: number }>();
    for (const [at, key] of ['b', 'a', 'c', 'b', 'a', 'b'].entries()) tally.add(key, { value: at });
    expect(tally.top(2)).toEqual([
      { value: 5, count: 3 },
      { value: 4, count: 2 },
    ]);
  });

  it('drops rare keys when it is full', () => {
    const tally = createTopCounter<{ key: string }>(10);
    for (let at = 0; at < 200; at += 1) {
      tally.add('often', { key: 'often' });
      tally.add(`rare ${at}`, { key: `rare ${at}` });
    }
    expect(tally.top(1)).toEqual([{ key: 'often', count: 200 }]);
    expect(tally.top(100).length).toBeLessThanOrEqual(10);
  });
});

describe('normalizeQuestion', () => {
  it('ignores case, spaces and punctuation in keys', () => {
    const key = (question: string) => normalizeQuestion(question).key;
    expect(key('  Do you ship to NORWAY?? ')).toBe(key('do you ship, to Norway'));
    expect(key('ＷiFi？')).toBe(key('wifi'));
    expect(key('Größe 42?')).not.toBe(key('Größe 43?'));
    expect(key('क्या?')).not.toBe(key('कया?'));
    expect(key('???')).not.toBe(key('!!!'));
  });

  it('keeps the original text and truncates it between characters', () => {
    expect(normalizeQuestion(' Why? ').shown).toBe('Why?');
    const { shown } = normalizeQuestion(`${'x'.repeat(299)}😀 and more`);
    expect(shown).toBe('x'.repeat(299));
  });
});

it('createFairScheduler runs one reader per turn of the event loop, in rotation', async () => {
  const waitForTurn = createFairScheduler();
  const order: string[] = [];
  let turn = 0;
  let going = true;
  const beat = () => {
    turn += 1;
    if (going) setImmediate(beat);
  };
  setImmediate(beat);
  const read = async (name: string) => {
    for (let page = 0; page < 3; page += 1) {
      await waitForTurn();
      order.push(`${name} ${turn}`);
    }
  };
  await Promise.all([read('one'), read('other')]);
  going = false;
  expect(order.map((step) => step.split(' ')[0])).toEqual(['one', 'other', 'one', 'other', 'one', 'other']);
  expect(new Set(order.map((step) => step.split(' ')[1])).size).toBe(6);
});
