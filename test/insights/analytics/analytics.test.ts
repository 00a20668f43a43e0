import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Analytics, analyticsReport, type Topics } from '../../../contract/analytics.ts';
import { newId } from '../../../server/base/ids.ts';
import { normalizeQuestion } from '../../../server/chat/normalize-question.ts';
import {
  createDistinctCounter,
  createLatencyHistogram,
  createTopCounter,
} from '../../../server/insights/aggregate.ts';
import {
  createFairScheduler,
  getStartOfDays,
  listPeriodStarts,
  parseTimeZone,
  readAnalytics,
  type Zone,
} from '../../../server/insights/read-analytics.ts';
import type { EventRow } from '../../../server/storage/event-queries.ts';
import { GERMANY } from '../../support/decisions.ts';
import { expectError } from '../../support/response.ts';
import { closeTurn, openTurn } from '../../support/stored-samples.ts';
import type { Team } from '../../support/team.ts';
import {
  accept,
  analyticsOf,
  deny,
  KNOWN,
  openShop,
  rate,
  rowsOf,
  sendMessage,
  UNKNOWN,
  visit,
} from '../../support/visitor-actions.ts';
import { addUp, DAY, END, fill, NOTHING } from './reference-analytics.ts';

describe('GET /analytics', () => {
  let team: Team;
  beforeAll(async () => {
    team = await openShop();
    await fill(team);
  });
  afterAll(() => team.close());

  const query = (more = '') =>
    `?from=${new Date(END - 20 * DAY).toISOString()}&to=${new Date(END).toISOString()}&zone=Europe/Berlin${more}`;

  const rowsBetween = async (from: number, to: number) =>
    (await rowsOf(team)).filter(({ atMillis }) => atMillis >= from && atMillis < to);

  it('returns totals of the range and of the range before it', async () => {
    const result = await analyticsOf(team, query());
    expect(result).toMatchObject({ zone: 'Europe/Berlin', by: 'day', to: new Date(END).toISOString() });
    expect(result.totals).toEqual(addUp(await rowsBetween(END - 20 * DAY, END)));
    expect(result.previous).toEqual(addUp(await rowsBetween(END - 40 * DAY, END - 20 * DAY)));
    expect(result.totals.turns).toBeGreaterThan(100);
    expect(result.previous).not.toEqual(result.totals);
  });

  it.each(['day', 'hour'] as const)(
    'returns figures for each %s of the time zone, including empty ones',
    async (by) => {
      const result = await analyticsOf(team, query(`&by=${by}`));
      const rows = await rowsBetween(END - 20 * DAY, END);
      const clock = new Intl.DateTimeFormat('en-CA', {
        timeZone: 'Europe/Berlin',
        dateStyle: 'short',
        ...(by === 'hour' ? { timeStyle: 'short', hourCycle: 'h23' } : {}),
      });
      // The offset distinguishes the two hours with the same name when daylight saving time ends.
      const offset = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeZoneName: 'longOffset' });
      const shown = (millis: number) =>
        by === 'day'
          ? clock.format(millis)
          : `${clock.format(millis).replace(/:\d\d$/, '')} ${offset.format(millis).slice(-6)}`;
      const byPeriod = Map.groupBy(rows, ({ atMillis }) => shown(atMillis));
      expect(result.periods).toHaveLength(by === 'day' ? 21 : 20 * 24);
      for (const { start, ...figures } of result.periods) {
        expect(figures, start).toEqual(addUp(byPeriod.get(shown(Date.parse(start))) ?? []));
      }
      const empty = result.periods.filter(({ boots, visitors }) => boots + visitors === 0);
      if (by === 'hour') expect(empty.length).toBeGreaterThan(100);
      expect(new Set(result.periods.map(({ start }) => shown(Date.parse(start)))).size).toBe(
        result.periods.length,
      );
    },
  );

  it('lists citations, fallbacks, consent decisions, searches and rate-limit hits, most frequent first', async () => {
    const result = await analyticsOf(team, query());
    const rows = await rowsBetween(END - 20 * DAY, END);
    const tally = (type: EventRow['type'], key: (data: EventRow['data']) => unknown) => {
      const keys = rows.filter((row) => row.type === type).map(({ data }) => key(data));
      const counts = Map.groupBy(keys.filter(Boolean), (entry) => entry);
      return new Map([...counts].map(([entry, all]) => [entry, all.length]));
    };
    const cited = tally('citation', (data) => `${data.article_id} ${data.content_locale}`);
    expect(new Map(result.articles.map((row) => [`${row.article} ${row.locale}`, row.citations]))).toEqual(
      cited,
    );
    const fallen = tally('citation', (data) => data.fallback_reason);
    expect(new Map(result.fallbacks.map((row) => [row.reason, row.count]))).toEqual(fallen);
    const decided = tally('consent', (data) => `${data.region_code} ${data.mode} ${data.decision}`);
    expect(
      new Map(result.consents.map((row) => [`${row.region} ${row.mode} ${row.decision}`, row.count])),
    ).toEqual(decided);
    const searched = tally('search', (data) => data.words);
    expect(new Map(result.searched.map((row) => [row.words, row.count]))).toEqual(searched);
    const hits = tally('rate_limited', (data) => data.bucket);
    expect(new Map(result.hits.map((row) => [row.bucket, row.count]))).toEqual(hits);
    for (const counts of [
      result.articles.map((row) => row.citations),
      result.fallbacks.map((row) => row.count),
      result.consents.map((row) => row.count),
      result.hits.map((row) => row.count),
    ]) {
      expect(counts.length).toBeGreaterThan(1);
      expect(counts).toEqual(counts.toSorted((one, other) => other - one));
    }
  });

  it('returns only one-word field names, which are the same in camelCase and snake_case', async () => {
    const names = new Set<string>();
    const walk = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(walk);
      else if (typeof value === 'object' && value !== null) {
        for (const [name, inner] of Object.entries(value)) {
          names.add(name);
          walk(inner);
        }
      }
    };
    walk(await analyticsOf(team, query()));
    expect([...names].filter((name) => !/^[a-z]+\d*$/.test(name))).toEqual([]);
  });

  it('stops counting when the client disconnects', async () => {
    const workspace = team.harness.service.store.in(team.workspace.id);
    const deps = {
      workspace,
      waitForSlot: createFairScheduler(),
      nowMillis: END,
      signal: AbortSignal.abort(),
    };
    const result = await readAnalytics({ by: 'day', zone: 'UTC' }, deps);
    expect([result.totals, result.previous, result.unanswered]).toEqual([NOTHING, NOTHING, []]);
  });

  it('counts only events of the workspace', async () => {
    const { json } = await team
      .as('stranger')
      .get<Analytics>(`/api/tenants/${team.elsewhere.id}/analytics${query()}`);
    const boots = json.totals.boots + json.previous.boots;
    expect(boots).toBeLessThanOrEqual(100);
    expect(boots).toBeGreaterThan(0);
  });

  it('covers the last 28 days by default', async () => {
    const result = await analyticsOf(team);
    expect(() => analyticsReport.parse(result)).not.toThrow();
    expect(result.periods).toHaveLength(28);
    expect(result.zone).toBe('UTC');
    expect(result.from).toBe(result.periods[0]!.start);
    expect(result.from).toMatch(/T00:00:00\.000Z$/);
    expect(Date.parse(result.to)).toBeLessThanOrEqual(team.harness.clock.now());
  });

  it.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
    'accepts %s, an end of the supported range, in every time zone',
    async (to) => {
      for (const zone of ['UTC', 'Pacific/Kiritimati', 'Etc/GMT%2B12', 'Europe/Berlin']) {
        for (const by of ['day', 'hour']) {
          const result = await analyticsOf(team, `?to=${to}&zone=${zone}&by=${by}`);
          expect(() => analyticsReport.parse(result)).not.toThrow();
          expect(result.to).toBe(to);
        }
      }
    },
  );

  it.each([
    ['zone', 'unknown_zone', '?zone=Mars/Olympus'],
    ['from', 'empty_range', '?from=2026-11-02T00:00:00Z&to=2026-11-02T00:00:00Z'],
    ['from', 'empty_range', '?from=2999-11-02T00:00:00Z'],
    ['from', 'range_too_long', '?from=2025-01-01T00:00:00Z&to=2026-11-01T00:00:00Z'],
    ['from', 'range_too_long', '?by=hour&from=2026-09-01T00:00:00Z&to=2026-11-01T00:00:00Z'],
    ['to', 'custom', '?to=0000-01-01T00:00:00Z'],
    ['to', 'custom', '?to=0000-01-02T00:00:00.000Z'],
    ['from', 'custom', '?from=0000-12-31T23:59:59.999Z'],
  ])('rejects an invalid %s with the issue %s', async (field, code, query) => {
    const { issues } = expectError(await team.as('owner').get(`/analytics${query}`), 'request/invalid');
    expect(issues).toMatchObject([{ path: `query.${field}`, code }]);
  });
});

describe('GET /analytics after visits', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openShop();
  });
  afterEach(() => team.close());

  it('counts a visit with its turns, feedback and consent', async () => {
    const visitor = await visit(team);
    await accept(team, visitor);
    const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
    await sendMessage(team, visitor, 'c1', UNKNOWN, { turn_idx: 1 });
    await rate(team, visitor, { message_id: messageId, rating: 'up' });
    team.harness.clock.advance(1000);
    const result = await analyticsOf(team);
    expect(result.totals).toEqual({
      ...NOTHING,
      deflection: { conversations: 1, answered: 0 },
      boots: 1,
      visitors: 1,
      conversations: 1,
      turns: 2,
      answered: 1,
      unanswered: 1,
      citations: 1,
      feedback: { up: 1, down: 0 },
      latency: expect.anything(),
    });
    expect(result.previous).toEqual(NOTHING);
    expect(result.periods.at(-1)).toEqual({ start: expect.any(String), ...result.totals });
    expect(result.consents).toEqual([{ region: 'US-TX', mode: 'opt_out', decision: 'accepted', count: 1 }]);
    expect(result.unanswered).toEqual([{ question: UNKNOWN, count: 1, last: expect.any(String) }]);
    expect(result.pages).toEqual([{ path: expect.stringMatching(/^\//), turns: 2, answered: 1 }]);
    expect(result.languages.map(({ turns, answered }) => [turns, answered])).toEqual([[2, 1]]);
  });

  it('counts a rating once when reasons are added later, and only its current reasons', async () => {
    const visitor = await visit(team);
    await accept(team, visitor);
    const { messageId: message_id } = await sendMessage(team, visitor, 'c1', KNOWN);
    await rate(team, visitor, { message_id, rating: 'down' });
    await rate(team, visitor, { message_id, rating: 'down', reasons: ['outdated', 'incorrect'] });
    const { messageId: other } = await sendMessage(team, visitor, 'c2', KNOWN);
    await rate(team, visitor, { message_id: other, rating: 'down', reasons: ['outdated'] });
    const { messageId: changed } = await sendMessage(team, visitor, 'c3', KNOWN);
    await rate(team, visitor, { message_id: changed, rating: 'down', reasons: ['off_topic'] });
    await rate(team, visitor, { message_id: changed, rating: 'up' });
    team.harness.clock.advance(1000);
    const { totals, reasons } = await analyticsOf(team);
    expect(totals.feedback).toEqual({ up: 1, down: 3 });
    expect(reasons).toEqual([
      { reason: 'outdated', count: 2 },
      { reason: 'incorrect', count: 1 },
    ]);
  });

  it('counts no reasons from outside the range or of visitors who denied storage', async () => {
    const [early, denier] = [await visit(team), await visit(team)];
    const { messageId } = await sendMessage(team, early, 'c1', KNOWN);
    await rate(team, early, { message_id: messageId, rating: 'down', reasons: ['incorrect'] });
    const deniedTurn = await sendMessage(team, denier, 'c2', KNOWN);
    await rate(team, denier, { message_id: deniedTurn.messageId, rating: 'down', reasons: ['off_topic'] });
    await deny(team, denier);
    team.harness.clock.advance(1000);
    expect((await analyticsOf(team)).reasons).toEqual([{ reason: 'incorrect', count: 1 }]);
    const from = new Date(team.harness.clock.now() - 500).toISOString();
    expect((await analyticsOf(team, `?from=${from}`)).reasons).toEqual([]);
  });

  it('groups unanswered questions of visitors who consented to storage only', async () => {
    const visitor = await visit(team);
    const denier = await visit(team);
    const repeated = '  do you sell SUBMARINES, in norway ';
    await sendMessage(team, visitor, 'c1', UNKNOWN);
    await sendMessage(team, visitor, 'c2', 'Who painted the moon green?');
    await sendMessage(team, visitor, 'c3', repeated);
    await sendMessage(team, denier, 'c4', 'Who painted the moon blue?');
    await deny(team, denier);
    team.harness.clock.advance(1000);
    const { unanswered } = await analyticsOf(team);
    expect(unanswered.map(({ question, count }) => [question, count])).toEqual([
      [repeated.trim(), 2],
      ['Who painted the moon green?', 1],
    ]);
    expect(Date.parse(unanswered[0]!.last)).toBeGreaterThan(Date.parse(unanswered[1]!.last));
  });

  it('reads more unanswered questions than fit on one page', async () => {
    const { conversations } = team.harness.service.store.in(team.workspace.id);
    const askedAt = team.harness.clock.now() - 1000;
    await Promise.all(
      Array.from({ length: 600 }, async (_, at) => {
        const turn = openTurn({ question: `Question ${at % 150}?`, askedAt });
        await conversations.openTurn(turn, []);
        const finishReason = at % 2 === 0 ? 'refusal' : 'no_knowledge';
        await conversations.closeTurn(closeTurn(turn.messageId, { finishReason }), []);
      }),
    );
    const { unanswered } = await analyticsOf(team);
    expect(unanswered).toHaveLength(100);
    expect(unanswered.every(({ count }) => count === 4)).toBe(true);
  });
});

describe('GET /analytics/topics', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openShop();
  });
  afterEach(() => team.close());

  const topicsOf = async (query = '') =>
    (await team.as('member').get<Topics>(`/analytics/topics${query}`)).json;

  it('groups questions by meaning, with counts for each day and the range before', async () => {
    const visitor = await visit(team);
    const { clock } = team.harness;
    await sendMessage(team, visitor, 'c0', 'How can I reset the password?');
    clock.advance(DAY / 30);
    await sendMessage(team, await visit(team), 'c1', KNOWN);
    await sendMessage(team, await visit(team), 'c2', 'how do i reset my PASSWORD');
    await sendMessage(team, await visit(team), 'c3', 'How can I reset the password?');
    await sendMessage(team, await visit(team), 'c4', UNKNOWN);
    await sendMessage(team, await visit(team), 'c5', 'Hello');
    clock.advance(1000);
    const from = new Date(clock.now() - DAY / 48).toISOString();
    const { topics, starts } = await topicsOf(`?from=${from}`);
    expect(topics.map(({ turns, answered, before }) => [turns, answered, before])).toEqual([
      [3, 3, 1],
      [1, 0, 0],
    ]);
    expect(topics[0]!.question).toMatch(/password/i);
    expect(topics[0]!.examples).toHaveLength(1);
    expect(topics[1]!.question).toBe(UNKNOWN);
    for (const { periods } of topics) expect(periods).toHaveLength(starts.length);
    expect(topics[0]!.periods.at(-1)).toBe(3);
  });

  it('leaves out visitors who denied storage or have not decided', async () => {
    const denier = await visit(team);
    await sendMessage(team, denier, 'c1', KNOWN);
    await deny(team, denier);
    await sendMessage(team, await visit(team, GERMANY), 'c2', KNOWN);
    team.harness.clock.advance(1000);
    expect((await topicsOf()).topics).toEqual([]);
  });

  it('rejects an unknown time zone', async () => {
    expectError(await team.as('member').get('/analytics/topics?zone=Mars/Olympus'), 'request/invalid');
  });
});

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
  const waitForSlot = createFairScheduler();
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
      await waitForSlot();
      order.push(`${name} ${turn}`);
    }
  };
  await Promise.all([read('one'), read('other')]);
  going = false;
  expect(order.map((step) => step.split(' ')[0])).toEqual(['one', 'other', 'one', 'other', 'one', 'other']);
  expect(new Set(order.map((step) => step.split(' ')[1])).size).toBe(6);
});

const at = (moment: string) => Date.parse(moment);
const zone = (name: string): Zone => parseTimeZone(name)!;

function starts(by: 'day' | 'hour', name: string, from: string, to: string): string[] {
  const span = { fromMillis: at(from), beforeMillis: at(to) };
  return listPeriodStarts(by, span, zone(name)).map((start) => new Date(start).toISOString().slice(0, 16));
}

function hoursOf(days: readonly string[]): number[] {
  return days.slice(1).map((day, index) => (at(`${day}Z`) - at(`${days[index]}Z`)) / 3_600_000);
}

describe('periods by day', () => {
  it('start at local midnight; the first starts with the range', () => {
    expect(starts('day', 'UTC', '2026-11-01T08:00Z', '2026-11-03T08:00Z')).toEqual([
      '2026-11-01T08:00',
      '2026-11-02T00:00',
      '2026-11-03T00:00',
    ]);
    expect(starts('day', 'Asia/Kolkata', '2026-11-01T18:30Z', '2026-11-03T18:30Z')).toEqual([
      '2026-11-01T18:30',
      '2026-11-02T18:30',
    ]);
    expect(starts('day', 'America/New_York', '2026-11-21T04:59Z', '2026-11-21T05:01Z')).toEqual([
      '2026-11-21T04:59',
      '2026-11-21T05:00',
    ]);
  });

  it('last 23 or 25 hours when clocks change', () => {
    const berlin = (from: string, to: string) => hoursOf(starts('day', 'Europe/Berlin', from, to));
    expect(berlin('2026-03-27T23:00Z', '2026-03-30T23:00Z')).toEqual([24, 23, 24]);
    expect(berlin('2026-10-23T22:00Z', '2026-10-27T00:00Z')).toEqual([24, 25, 24]);
    expect(hoursOf(starts('day', 'Australia/Lord_Howe', '2026-10-02T13:30Z', '2026-10-05T14:00Z'))).toEqual([
      24, 23.5, 24,
    ]);
  });

  it('start at the first instant of the date when midnight is skipped or repeated', () => {
    // Beirut skips 00:00 to 00:59, Havana repeats it, and Asuncion repeated 23:00 to 23:59.
    expect(starts('day', 'Asia/Beirut', '2026-03-28T12:00Z', '2026-03-30T12:00Z')).toEqual([
      '2026-03-28T12:00',
      '2026-03-28T22:00',
      '2026-03-29T21:00',
    ]);
    expect(starts('day', 'America/Havana', '2026-10-31T12:00Z', '2026-11-02T12:00Z')).toEqual([
      '2026-10-31T12:00',
      '2026-11-01T04:00',
      '2026-11-02T05:00',
    ]);
    expect(starts('day', 'America/Asuncion', '2023-03-25T12:00Z', '2023-03-27T12:00Z')).toEqual([
      '2023-03-25T12:00',
      '2023-03-26T04:00',
      '2023-03-27T04:00',
    ]);
  });

  it('omit dates that a time zone skipped', () => {
    // Samoa skipped 30 December 2011.
    expect(starts('day', 'Pacific/Apia', '2011-12-29T10:00Z', '2012-01-01T09:00Z')).toEqual([
      '2011-12-29T10:00',
      '2011-12-30T10:00',
      '2011-12-31T10:00',
    ]);
  });

  it('agree with Intl in every time zone', () => {
    const [from, to] = [at('2026-02-01T00:00Z'), at('2027-02-01T00:00Z')];
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const date = new Intl.DateTimeFormat('en-CA', { timeZone: name });
      const days = listPeriodStarts('day', { fromMillis: from, beforeMillis: to }, zone(name)).slice(1);
      const dates = days.map((day) => date.format(day));
      expect(
        days.filter((day, at) => date.format(day - 1) === dates[at]),
        name,
      ).toEqual([]);
      expect(new Set(dates).size, name).toBe(days.length);
      expect([364, 365], name).toContain(days.length);
    }
  });
});

describe('periods by hour', () => {
  it('start at the full local hour; the first starts with the range', () => {
    expect(starts('hour', 'Asia/Kolkata', '2026-11-21T08:10Z', '2026-11-21T10:00Z')).toEqual([
      '2026-11-21T08:10',
      '2026-11-21T08:30',
      '2026-11-21T09:30',
    ]);
  });

  it('skip an hour in spring and repeat one in autumn', () => {
    expect(starts('hour', 'Europe/Berlin', '2026-03-28T23:00Z', '2026-03-29T22:00Z')).toHaveLength(23);
    expect(starts('hour', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T23:00Z')).toHaveLength(25);
  });

  it('are shorter when clocks change by half an hour', () => {
    expect(starts('hour', 'Australia/Lord_Howe', '2026-04-04T14:00Z', '2026-04-04T16:30Z')).toEqual([
      '2026-04-04T14:00',
      '2026-04-04T15:00',
      '2026-04-04T15:30',
    ]);
  });
});

describe('getStartOfDays', () => {
  it('returns the local midnight that starts the given number of days', () => {
    const start = (days: number, before: string, name: string) =>
      new Date(getStartOfDays(days, at(before), zone(name))).toISOString().slice(0, 16);
    expect(start(1, '2026-11-21T09:30Z', 'UTC')).toBe('2026-11-21T00:00');
    expect(start(28, '2026-11-21T09:30Z', 'UTC')).toBe('2026-10-25T00:00');
    expect(start(28, '2026-11-21T00:00Z', 'UTC')).toBe('2026-10-24T00:00');
    expect(start(28, '2026-11-21T09:30Z', 'Europe/Berlin')).toBe('2026-10-24T22:00');
  });
});

it('parseTimeZone accepts only IANA names and returns historical offsets', () => {
  expect(parseTimeZone('europe/berlin')?.name).toBe('Europe/Berlin');
  expect(parseTimeZone('Mars/Olympus')).toBeUndefined();
  // Before standard time, clocks followed the sun.
  expect(zone('Europe/Berlin').getUtcOffset(at('1890-01-01T00:00Z'))).toBe((53 * 60 + 28) * 1000);
  expect(zone('America/New_York').getUtcOffset(at('2026-11-21T00:00Z'))).toBe(-5 * 3_600_000);
  expect(zone('UTC').getUtcOffset(0)).toBe(0);
});
