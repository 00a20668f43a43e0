import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { AuditEntry } from '../../../server/storage/audit.ts';
import { event, MINUTE, MORNING, TOMBSTONE } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

export function describeEvents(subject: () => Subject): void {
  describe('events', () => {
    it('returns events as stored, oldest first, in pages', async () => {
      const { events } = subject().store.in(subject().here);
      const full = event({
        type: 'citation',
        visitorId: newId('vp'),
        conversationId: newId('conv'),
        atMillis: MORNING + 5,
        data: { articleId: 'art_1', rank: 1, stale: false, url: null },
      });
      const sameTime = [event(), event(), event()].sort((a, b) => (a.id < b.id ? -1 : 1));
      await events.append([full, ...sameTime.toReversed()]);
      const first = await events.list(2);
      expect(first).toEqual(sameTime.slice(0, 2));
      expect(await events.list(10, first[1])).toEqual([sameTime[2], full]);
      expect(await events.list(10, full)).toEqual([]);
    });

    it('stores all events of one call or none', async () => {
      const { events } = subject().store.in(subject().here);
      const twice = event();
      await expect(events.append([event(), twice, twice])).rejects.toThrow();
      expect(await events.list(10)).toEqual([]);
    });

    it('returns deferred events to every reader, in insertion order', async () => {
      const { events } = subject().store.in(subject().here);
      const [later, next] = [event({ atMillis: MORNING }), event({ atMillis: MORNING + 1 })];
      const stored = events.appendDeferred([later]);
      expect(await events.list(10)).toEqual([later]);
      void events.appendDeferred([next]);
      expect((await events.queryRows(10, {}, later)).found).toEqual([next]);
      await stored;
    });

    it('returns events immediately once their write has resolved', async () => {
      const { events } = subject().store.in(subject().here);
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const row = event({ atMillis: MORNING + index });
          await events.append([row]);
          expect(await events.list(1, { atMillis: row.atMillis - 1, id: 'zzz' })).toEqual([row]);
        }),
      );
      expect(await events.list(1_000)).toHaveLength(100);
    });

    it('lists a range that includes its start and excludes its end', async () => {
      const { events } = subject().store.in(subject().here);
      const rows = [0, 1, 2, 3].map((offset) => event({ atMillis: MORNING + offset }));
      await events.append(rows);
      const within = { fromMillis: MORNING + 1, beforeMillis: MORNING + 3 };
      expect(await events.list(10, undefined, within)).toEqual(rows.slice(1, 3));
      expect(await events.list(1, undefined, within)).toEqual([rows[1]]);
      expect(await events.list(10, rows[1], within)).toEqual([rows[2]]);
      expect(await events.list(10, rows[2], within)).toEqual([]);
      expect(await events.list(10, { atMillis: MORNING - 5, id: 'zzz' }, within)).toEqual(rows.slice(1, 3));
    });

    it('appends events behind everything stored before, whatever their timestamps', async () => {
      const { events } = subject().store.in(subject().here);
      const [early, later] = [event({ atMillis: MORNING - 20 }), event({ atMillis: MORNING - 10 })];
      const first = event();
      await events.append([first]);
      await events.append([later, early]);
      // Ids created earlier move to the next millisecond; others share that of the row before.
      expect(await events.list(10)).toEqual([
        first,
        { ...early, atMillis: MORNING + 1 },
        { ...later, atMillis: MORNING + 1 },
      ]);
      const made = event({ atMillis: MORNING - 5 });
      await events.append([made]);
      expect(await events.list(10, { atMillis: MORNING + 1, id: later.id })).toEqual([
        { ...made, atMillis: MORNING + 1 },
      ]);
    });

    it('appends events behind those erased before', async () => {
      const { store, here } = subject();
      const { events, eraseVisitor } = store.in(here);
      const visitorId = newId('vp');
      const waiting = event({ atMillis: MORNING - 1 });
      const erased = event({ visitorId });
      await events.append([event({ atMillis: MORNING - 9 }), erased]);
      await eraseVisitor(visitorId, TOMBSTONE);
      await events.append([waiting]);
      expect(await events.list(10, erased)).toEqual([{ ...waiting, atMillis: MORNING + 1 }]);
      await eraseVisitor(visitorId, TOMBSTONE);
      const next = event({ atMillis: MORNING - 1 });
      await events.append([next]);
      expect(await events.list(1, { atMillis: MORNING + 1, id: waiting.id })).toEqual([
        { ...next, atMillis: MORNING + 1 },
      ]);
    });

    it('lists events behind all others after the clock was set back, with their own times', async () => {
      const { store, here } = subject();
      const { events, eraseVisitor } = store.in(here);
      const ahead = event({ atMillis: MORNING + 120 * MINUTE, visitorId: newId('vp') });
      await events.append([event({ atMillis: MORNING }), ahead]);
      const rows = Array.from({ length: 20 }, (_, at) => event({ atMillis: MORNING + (at + 1) * MINUTE }));
      for (const row of rows) await events.append([row]);
      const listed = await events.list(100, ahead);
      expect(listed.map(({ positionMillis: _, ...row }) => row)).toEqual(rows);
      expect(await events.list(100, listed[9])).toEqual(listed.slice(10));
      expect((await events.queryRows(100, {}, listed[9])).found).toEqual(listed.slice(10));
      await eraseVisitor(ahead.visitorId!, TOMBSTONE);
      const next = event({ atMillis: MORNING + 30 * MINUTE });
      await events.append([next]);
      expect(await events.list(10, listed.at(-1))).toMatchObject([next]);
    });

    it('finds events by their times after the clock was set back', async () => {
      const { store, here } = subject();
      const { events } = store.in(here);
      const [first, ahead] = [event(), event({ atMillis: MORNING + 120 * MINUTE })];
      await events.append([first, ahead]);
      const rows = Array.from({ length: 5 }, (_, at) => event({ atMillis: MORNING + (at + 1) * MINUTE }));
      for (const row of rows) await events.append([row]);
      const within = { fromMillis: MORNING + 2 * MINUTE, beforeMillis: MORNING + 5 * MINUTE };
      const found = [rows[1]!.id, rows[2]!.id, rows[3]!.id];
      expect((await events.list(10, undefined, within)).map(({ id }) => id)).toEqual(found);
      expect((await events.queryRows(10, { within })).found.map(({ id }) => id)).toEqual(found);
      const lines = (await events.queryLines(10, { within })).found.split('\n');
      expect(lines.map((line) => JSON.parse(line).at)).toEqual(
        [2, 3, 4].map((minutes) => new Date(MORNING + minutes * MINUTE).toISOString()),
      );
      const later = { fromMillis: MORNING + 60 * MINUTE, beforeMillis: MORNING + 121 * MINUTE };
      expect((await events.list(10, undefined, later)).map(({ id }) => id)).toEqual([ahead.id]);
    });

    it('rejects events for an unknown workspace', async () => {
      await expect(subject().store.in('ws_unknown').events.append([event()])).rejects.toThrow();
    });
  });

  describe('audit rows', () => {
    it('lists audit rows newest first, after a cursor', async () => {
      const { audit } = subject().store.in(subject().here);
      // Insertion order decides, not the timestamps.
      const rows = [3, 1, 2].map((offset) => auditEntry(MORNING + offset));
      for (const row of rows) await audit.append(row);
      expect(await audit.list(10)).toEqual(rows.toReversed());
      expect(await audit.list(1, rows[2]!.id)).toEqual([rows[1]]);
      expect(await audit.list(10, rows[0]!.id)).toEqual([]);
      expect(await audit.list(10, 'aud_unknown')).toEqual([]);
    });

    it('never replaces an audit row', async () => {
      const { audit } = subject().store.in(subject().here);
      const row = auditEntry(MORNING);
      await audit.append(row);
      await expect(audit.append({ ...row, actor: 'somebody else' })).rejects.toThrow();
      expect(await audit.list(10)).toEqual([row]);
    });
  });
}

export function auditEntry(atMillis: number): AuditEntry {
  return {
    id: newId('aud'),
    atMillis,
    actor: 'operator',
    action: 'workspace.disabled',
    subject: 'ws_1',
    details: { from: { enabled: true }, to: { enabled: false } },
  };
}
