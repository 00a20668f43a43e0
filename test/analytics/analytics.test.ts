import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Analytics, analyticsReport } from '../../contract/analytics.ts';
import { createFairScheduler, readAnalytics } from '../../server/analytics/read-analytics.ts';
import type { EventRow } from '../../server/storage/events.ts';
import type { Team } from '../accounts/team.ts';
import { expectError } from '../fixtures/answer.ts';
import { closeTurn, openTurn } from '../storage/samples.ts';
import { addUp, DAY, END, fill, NOTHING } from './reference-analytics.ts';
import {
  accept,
  analyticsOf,
  deny,
  KNOWN,
  openShop,
  rate,
  rowsOf,
  say,
  UNKNOWN,
  visit,
} from './visitor-actions.ts';

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
      // The offset distinguishes the hour that repeats when daylight saving time ends.
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

  it('lists citations, fallbacks, consent decisions and rate-limit hits, most frequent first', async () => {
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
      waitForTurn: createFairScheduler(),
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
    const { messageId } = await say(team, visitor, 'c1', KNOWN);
    await say(team, visitor, 'c1', UNKNOWN, { turn_idx: 1 });
    await rate(team, visitor, { message_id: messageId, rating: 'up' });
    team.harness.clock.advance(1000);
    const result = await analyticsOf(team);
    expect(result.totals).toEqual({
      ...NOTHING,
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
  });

  it('groups unanswered questions of visitors who consented to storage only', async () => {
    const visitor = await visit(team);
    const denier = await visit(team);
    const again = '  do you sell SUBMARINES, in norway ';
    await say(team, visitor, 'c1', UNKNOWN);
    await say(team, visitor, 'c2', 'Who painted the moon green?');
    await say(team, visitor, 'c3', again);
    await say(team, denier, 'c4', 'Who painted the moon blue?');
    await deny(team, denier);
    team.harness.clock.advance(1000);
    const { unanswered } = await analyticsOf(team);
    expect(unanswered.map(({ question, count }) => [question, count])).toEqual([
      [again.trim(), 2],
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
