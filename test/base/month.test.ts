import { describe, expect, it } from 'vitest';
import { getCalendarMonth } from '../../server/base/month.ts';
import { fc } from '../support/seeded-random.ts';

const HOUR = 3_600_000;

describe('getCalendarMonth', () => {
  it.each([
    ['UTC', '2026-11-21T20:00:00Z', '2026-11', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['Europe/Berlin', '2026-10-31T22:59:59Z', '2026-10', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
    ['Europe/Berlin', '2026-10-31T23:00:00Z', '2026-11', '2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z'],
    // The clocks change in the middle of the month.
    ['Europe/Berlin', '2026-10-01T00:00:00Z', '2026-10', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
    ['America/New_York', '2026-12-31T23:00:00Z', '2026-12', '2026-12-01T05:00:00Z', '2027-01-01T05:00:00Z'],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01', '2026-12-31T10:00:00Z', '2027-01-31T10:00:00Z'],
    ['Asia/Kathmandu', '2027-02-10T00:00:00Z', '2027-02', '2027-01-31T18:15:00Z', '2027-02-28T18:15:00Z'],
  ])('returns for %s at %s the month %s, from %s until %s', (zone, now, period, start, end) => {
    expect(getCalendarMonth(Date.parse(now), zone)).toEqual({
      period,
      startsAt: Date.parse(start),
      endsAt: Date.parse(end),
    });
  });

  it('returns months that begin when the previous one ends, in any time zone', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const times = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2036, 0) });
    fc.assert(
      fc.property(zones, times, (zone, now) => {
        const { period, startsAt, endsAt } = getCalendarMonth(now, zone);
        expect(startsAt).toBeLessThanOrEqual(now);
        expect(endsAt).toBeGreaterThan(now);
        // The clocks of Antarctica/Troll go back by two hours.
        expect(endsAt - startsAt).toBeLessThanOrEqual(31 * 24 * HOUR + 2 * HOUR);
        expect(getCalendarMonth(startsAt, zone)).toEqual({ period, startsAt, endsAt });
        expect(getCalendarMonth(endsAt - 1, zone).period).toBe(period);
        expect(getCalendarMonth(endsAt, zone)).toMatchObject({ startsAt: endsAt });
      }),
      { numRuns: 500 },
    );
  });
});
