import { expect, it } from 'vitest';
import type { VoiceReservation } from '../../server/storage/voice-reservations.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspaces.ts';
import {
  computeCharge,
  estimateRecordedSeconds,
  estimateSpokenSeconds,
  grantExpected,
  grantSession,
} from '../../server/voice/cap.ts';
import { fc } from '../fixtures/seeded-random.ts';

it('never grants or charges more than the cap', () => {
  const count = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(count, count, count, fc.boolean(), (cap, counted, used, isWhole) => {
      const voice = { ...VOICE_DEFAULTS, monthlySecondsMax: cap };
      const granted = isWhole ? grantExpected(used, counted, voice, 0) : grantSession(counted, voice, 0);
      if (!granted) return;
      expect(counted + granted.seconds).toBeLessThanOrEqual(cap);
      const reservation = { ...granted, openedAt: 0 } as VoiceReservation;
      for (const now of [0, granted.closesAt]) {
        const charged = computeCharge(used, reservation, counted, voice, now);
        expect(charged).toBeLessThanOrEqual(used);
        expect(counted + charged).toBeLessThanOrEqual(cap);
        if (now === granted.closesAt) expect(charged).toBeLessThanOrEqual(granted.seconds);
      }
    }),
  );
});

it('estimates more time for syllabic scripts', () => {
  expect(estimateSpokenSeconds('a'.repeat(150))).toBe(10);
  expect(estimateSpokenSeconds('どうもありがとう')).toBe(2);
  expect(estimateSpokenSeconds('!')).toBe(1);
});

it("uses the recording's duration, or the longest possible for its size", () => {
  expect(estimateRecordedSeconds(100_000, 3.2)).toBe(4);
  expect(estimateRecordedSeconds(100_000, undefined)).toBe(50);
});
