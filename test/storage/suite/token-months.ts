import { describe, expect, it } from 'vitest';
import type { Subject } from '../subject.ts';

export function describeTokenMonths(subject: () => Subject): void {
  describe('monthly tokens', () => {
    it('counts tokens by workspace and month, and returns unused ones', async () => {
      const { store, here, there } = subject();
      const { tokenMonths } = store.in(here);
      expect(await tokenMonths.used('2026-11')).toBe(0);
      expect(await tokenMonths.reserve('2026-11', () => 1000)).toBe(1000);
      expect(await tokenMonths.reserve('2026-11', (used) => used - 1400)).toBe(-400);
      expect(await tokenMonths.used('2026-11')).toBe(600);
      expect(await tokenMonths.used('2026-12')).toBe(0);
      expect(await store.in(there).tokenMonths.used('2026-11')).toBe(0);
    });

    it('leaves the count unchanged when nothing is granted', async () => {
      const { store, here } = subject();
      const { tokenMonths } = store.in(here);
      await tokenMonths.reserve('2026-11', () => 10);
      expect(await tokenMonths.reserve('2026-11', () => undefined)).toBeUndefined();
      expect(await tokenMonths.reserve('2026-11', () => 0)).toBe(0);
      expect(await tokenMonths.used('2026-11')).toBe(10);
    });

    it('grants concurrent requests one after another', async () => {
      const { store, here } = subject();
      const { tokenMonths } = store.in(here);
      const requests = Array.from({ length: 20 }, () =>
        tokenMonths.reserve('2026-11', (used) => Math.min(100, 950 - used)),
      );
      const granted = await Promise.all(requests);
      expect(granted.reduce<number>((sum, tokens) => sum + tokens!, 0)).toBe(950);
      expect(await tokenMonths.used('2026-11')).toBe(950);
    });

    it('keeps counts over a restart', async () => {
      const { store, here, reopen } = subject();
      await store.in(here).tokenMonths.reserve('2026-11', () => 7);
      expect(await (await reopen()).in(here).tokenMonths.used('2026-11')).toBe(7);
    });
  });
}
