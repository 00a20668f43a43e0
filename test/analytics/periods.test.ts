import { describe, expect, it } from 'vitest';
import {
  getStartOfDays,
  listPeriodStarts,
  parseTimeZone,
  type Zone,
} from '../../server/analytics/read-analytics.ts';

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
      const wrong = days.filter((day) => date.format(day) === date.format(day - 1));
      expect(wrong, name).toEqual([]);
      const dates = new Set(days.map((day) => date.format(day)));
      expect(dates.size, name).toBe(days.length);
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
