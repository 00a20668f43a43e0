import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VoiceHold } from '../../server/storage/voice-holds.ts';
import { VOICE_USUAL } from '../../server/storage/workspaces.ts';
import {
  chargeOf,
  grantSession,
  grantWhole,
  monthOf,
  recordedSeconds,
  spokenSeconds,
} from '../../server/voice/cap.ts';

const HOUR = 3_600_000;

describe('the month of the cap', () => {
  it.each([
    ['UTC', '2026-11-21T20:00:00Z', '2026-11', '2026-12-01T00:00:00Z'],
    ['Europe/Berlin', '2026-10-31T22:59:59Z', '2026-10', '2026-10-31T23:00:00Z'],
    ['Europe/Berlin', '2026-10-31T23:00:00Z', '2026-11', '2026-11-30T23:00:00Z'],
    // The clocks change in the middle of the month.
    ['Europe/Berlin', '2026-10-01T00:00:00Z', '2026-10', '2026-10-31T23:00:00Z'],
    ['America/New_York', '2026-12-31T23:00:00Z', '2026-12', '2027-01-01T05:00:00Z'],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01', '2027-01-31T10:00:00Z'],
    ['Asia/Kathmandu', '2027-02-10T00:00:00Z', '2027-02', '2027-02-28T18:15:00Z'],
  ])('in %s at %s is %s, until %s', (zone, now, period, end) => {
    expect(monthOf(Date.parse(now), zone)).toEqual({ period, endsAt: Date.parse(end) });
  });

  it('has begun when the one before it ends, in any zone and at any time', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const times = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2036, 0) });
    fc.assert(
      fc.property(zones, times, (zone, now) => {
        const { period, endsAt } = monthOf(now, zone);
        expect(endsAt).toBeGreaterThan(now);
        expect(endsAt - now).toBeLessThanOrEqual(31 * 24 * HOUR + HOUR);
        expect(monthOf(endsAt - 1, zone).period).toBe(period);
        expect(monthOf(endsAt, zone).period).not.toBe(period);
      }),
      { numRuns: 500 },
    );
  });
});

it('never grants or charges past the cap', () => {
  const count = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(count, count, count, fc.boolean(), (cap, counted, used, isWhole) => {
      const voice = { ...VOICE_USUAL, monthlySecondsMax: cap };
      const granted = isWhole ? grantWhole(used, counted, voice, 0) : grantSession(counted, voice, 0);
      if (!granted) return;
      expect(counted + granted.seconds).toBeLessThanOrEqual(cap);
      const hold = { ...granted, openedAt: 0 } as VoiceHold;
      for (const now of [0, granted.closesAt]) {
        const charged = chargeOf(used, hold, counted, voice, now);
        expect(charged).toBeLessThanOrEqual(used);
        expect(counted + charged).toBeLessThanOrEqual(cap);
        if (now === granted.closesAt) expect(charged).toBeLessThanOrEqual(granted.seconds);
      }
    }),
  );
});

it('reckons more time for scripts whose characters are syllables', () => {
  expect(spokenSeconds('a'.repeat(150))).toBe(10);
  expect(spokenSeconds('どうもありがとう')).toBe(2);
  expect(spokenSeconds('!')).toBe(1);
});

it('takes a recording for as long as it says, else for as long as it can be', () => {
  expect(recordedSeconds(100_000, 3.2)).toBe(4);
  expect(recordedSeconds(100_000, undefined)).toBe(50);
});
