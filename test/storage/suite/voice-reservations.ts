import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { VoiceReservation, VoiceReservations } from '../../../server/storage/caps.ts';
import { event, HOUR, MINUTE, MORNING, TOMBSTONE } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

type ReservationInput = Parameters<VoiceReservations['reserve']>[0];

const PERIOD = '2026-11';

function reservation(changes: Partial<ReservationInput> = {}): ReservationInput {
  return {
    id: newId('hold'),
    visitorId: newId('vp'),
    kind: 'realtime',
    provider: 'provider_a',
    period: PERIOD,
    openedAt: MORNING,
    isRecordable: true,
    ...changes,
  };
}

const granting =
  (seconds: number, changes: Partial<VoiceReservation> = {}) =>
  () => ({
    seconds,
    defaultChargeSeconds: 0,
    closesAt: MORNING + MINUTE,
    purgeAt: MORNING + HOUR,
    ...changes,
  });

export function describeVoiceReservations(subject: () => Subject): void {
  describe('voice reservations', () => {
    const here = () => subject().store.in(subject().here).voiceReservations;

    it('grants from what the month has counted, separately for each month and workspace', async () => {
      const { store, there } = subject();
      const countedSeconds: number[] = [];
      const grant = (counted: number) => {
        countedSeconds.push(counted);
        return granting(10)();
      };
      await here().reserve(reservation(), grant);
      await here().reserve(reservation(), grant);
      await here().reserve(reservation({ period: '2026-12' }), grant);
      await store.in(there).voiceReservations.reserve(reservation(), grant);
      expect(countedSeconds).toEqual([0, 10, 0, 0]);
      expect(await here().totalSeconds(PERIOD)).toBe(20);
    });

    it('returns reserved and counted seconds, separately for each month and workspace', async () => {
      const { store, there } = subject();
      expect(await here().inMonth(PERIOD)).toEqual({ countedSeconds: 0, reservedSeconds: 0 });
      const granted = (await here().reserve(reservation(), granting(120)))!;
      await here().reserve(reservation(), granting(30));
      await here().reserve(reservation({ period: '2026-12' }), granting(7));
      await store.in(there).voiceReservations.reserve(reservation(), granting(5));
      expect(await here().inMonth(PERIOD)).toEqual({ countedSeconds: 150, reservedSeconds: 150 });
      await here().settle(
        granted.id,
        () => 40,
        () => [],
      );
      expect(await here().inMonth(PERIOD)).toEqual({ countedSeconds: 70, reservedSeconds: 30 });
    });

    it('stores nothing when the grant is denied', async () => {
      expect(await here().reserve(reservation(), () => undefined)).toBeUndefined();
      expect(await here().totalSeconds(PERIOD)).toBe(0);
      expect(await subject().store.expiredReservations.overdue(MORNING + HOUR)).toEqual([]);
    });

    it('settles a reservation once, with its event rows', async () => {
      const granted = (await here().reserve(reservation(), granting(120)))!;
      await here().reserve(reservation(), granting(30));
      const row = event({ atMillis: MORNING });
      const settle = () =>
        here().settle(
          granted.id,
          (held, others) => {
            expect(held).toEqual(granted);
            expect(others).toBe(30);
            return 42;
          },
          (charged) => [{ ...row, data: { charged } }],
        );
      expect(await settle()).toBe(42);
      expect(await settle()).toBeUndefined();
      expect(await here().totalSeconds(PERIOD)).toBe(72);
      const { events } = subject().store.in(subject().here);
      expect((await events.list(10)).map(({ data }) => data)).toEqual([{ charged: 42 }]);
    });

    it('finds a reservation by its visitor and token, in its own workspace only', async () => {
      const { store, there } = subject();
      const granted = (await here().reserve(reservation(), granting(120)))!;
      const change = {
        tokenHash: 'a-hash',
        provider: 'provider_b',
        defaultChargeSeconds: 120,
        closesAt: MORNING + 5 * MINUTE,
        purgeAt: MORNING + 2 * HOUR,
      };
      expect(await store.in(there).voiceReservations.update(granted.id, change)).toBe(false);
      expect(await here().update(granted.id, change)).toBe(true);
      const { visitorId } = granted;
      expect(await here().findByToken(visitorId, 'a-hash')).toEqual({ ...granted, ...change });
      expect(await here().findByToken(visitorId, 'another')).toBeUndefined();
      expect(await here().findByToken('another', 'a-hash')).toBeUndefined();
      expect(await store.in(there).voiceReservations.findByToken(visitorId, 'a-hash')).toBeUndefined();
      expect(
        await store.in(there).voiceReservations.settle(
          granted.id,
          () => 0,
          () => [],
        ),
      ).toBeUndefined();
    });

    it('closes the open reservation of the same visitor and kind', async () => {
      const visitorId = newId('vp');
      const first = (await here().reserve(reservation({ visitorId }), granting(10)))!;
      const speech = (await here().reserve(reservation({ visitorId, kind: 'speech' }), granting(10)))!;
      const openedAt = MORNING + 1000;
      await here().reserve(reservation({ visitorId, openedAt }), granting(10));
      const overdue = await subject().store.expiredReservations.overdue(MORNING + HOUR);
      const closing = new Map(overdue.map(({ id, closesAt }) => [id, closesAt]));
      expect(closing.get(first.id)).toBe(openedAt);
      expect(closing.get(speech.id)).toBe(speech.closesAt);
    });

    it('lists reservations as overdue from their expiry on', async () => {
      const { store, here: workspaceId } = subject();
      const granted = (await here().reserve(reservation(), granting(10)))!;
      expect(await store.expiredReservations.overdue(granted.purgeAt - 1)).toEqual([]);
      expect(await store.expiredReservations.overdue(granted.purgeAt)).toEqual([{ ...granted, workspaceId }]);
    });

    it('removes an erased visitor from reservations and keeps their seconds counted', async () => {
      const { store, here: workspaceId } = subject();
      const granted = (await here().reserve(reservation(), granting(10)))!;
      await store.in(workspaceId).eraseVisitor(granted.visitorId, TOMBSTONE);
      const remaining = await store.expiredReservations.overdue(granted.purgeAt);
      expect(remaining).toEqual([{ ...granted, workspaceId, visitorId: '' }]);
      expect(await here().totalSeconds(PERIOD)).toBe(10);
    });

    it('grants concurrent reservations of one month one after another', async () => {
      const grant = (counted: number) => (counted + 7 > 100 ? undefined : granting(7)());
      const all = await Promise.all(Array.from({ length: 50 }, () => here().reserve(reservation(), grant)));
      expect(all.filter((granted) => granted !== undefined)).toHaveLength(14);
      expect(await here().totalSeconds(PERIOD)).toBe(98);
    });
  });
}

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
