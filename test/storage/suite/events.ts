import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import type { AuditEntry } from '../../../server/storage/audit.ts';
import { event, MORNING } from '../samples.ts';
import type { Subject } from '../store.suite.ts';

export function describeEvents(subject: () => Subject): void {
  describe('events', () => {
    it('come back as they were, oldest first, page by page', async () => {
      const { events } = subject().store.in(subject().here);
      const full = event({
        type: 'citation',
        visitorId: newId('vis'),
        conversationId: newId('conv'),
        atMillis: MORNING + 5,
        data: { articleId: 'art_1', rank: 1, stale: false, url: null },
      });
      const sameTime = [event(), event(), event()].sort((a, b) => (a.id < b.id ? -1 : 1));
      await events.append([full, ...sameTime.toReversed()]);
      const first = await events.list(2);
      expect(first).toStrictEqual(sameTime.slice(0, 2));
      expect(await events.list(10, first[1])).toStrictEqual([sameTime[2], full]);
      expect(await events.list(10, full)).toStrictEqual([]);
    });

    it('of one call are stored all or none', async () => {
      const { events } = subject().store.in(subject().here);
      const twice = event();
      await expect(events.append([event(), twice, twice])).rejects.toThrow();
      expect(await events.list(10)).toStrictEqual([]);
    });

    it('are read at once by whoever was told that they are stored', async () => {
      const { events } = subject().store.in(subject().here);
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const row = event({ atMillis: MORNING + index });
          await events.append([row]);
          expect(await events.list(1, { atMillis: row.atMillis - 1, id: 'zzz' })).toStrictEqual([row]);
        }),
      );
      expect(await events.list(1_000)).toHaveLength(100);
    });

    it('are not stored for a workspace that does not exist', async () => {
      await expect(subject().store.in('ws_unknown').events.append([event()])).rejects.toThrow();
    });
  });

  describe('audit rows', () => {
    it('are listed newest first, after a cursor', async () => {
      const { audit } = subject().store.in(subject().here);
      // Written in this order, whatever their clocks say.
      const rows = [3, 1, 2].map((offset) => auditEntry(MORNING + offset));
      for (const row of rows) await audit.append(row);
      expect(await audit.list(10)).toStrictEqual(rows.toReversed());
      expect(await audit.list(1, rows[2]!.id)).toStrictEqual([rows[1]]);
      expect(await audit.list(10, rows[0]!.id)).toStrictEqual([]);
      expect(await audit.list(10, 'aud_unknown')).toStrictEqual([]);
    });

    it('are never replaced', async () => {
      const { audit } = subject().store.in(subject().here);
      const row = auditEntry(MORNING);
      await audit.append(row);
      await expect(audit.append({ ...row, actor: 'somebody else' })).rejects.toThrow();
      expect(await audit.list(10)).toStrictEqual([row]);
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
