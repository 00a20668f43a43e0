import { describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../../server/storage/store.ts';
import { closeTurn, event, MORNING, openTurn } from '../samples.ts';
import type { Subject } from '../temporary-store.ts';

export function describeOperation(subject: () => Subject): void {
  describe('store lifecycle', () => {
    it('is ready once it is open', async () => {
      expect(await subject().store.ready()).toMatchObject({ writable: true });
    });

    it('keeps everything over a restart', async () => {
      const { store, here, reopen } = subject();
      const turn = openTurn();
      await store.in(here).conversations.openTurn(turn, [event()]);
      await store.in(here).conversations.closeTurn(closeTurn(turn.messageId), []);
      const before = await store.in(here).conversations.findTurn(turn.messageId);
      const again = await reopen();
      expect(await again.in(here).conversations.findTurn(turn.messageId)).toStrictEqual(before);
      expect(await again.in(here).events.list(10)).toHaveLength(1);
    });

    it('stores writes queued before it closes, and rejects later ones', async () => {
      const { store, here, reopen } = subject();
      const rows = Array.from({ length: 500 }, (_, index) => event({ atMillis: MORNING + index }));
      const pending = rows.map((row) => store.in(here).events.append([row]));
      const again = await reopen();
      await Promise.all(pending);
      await expect(store.in(here).events.append([event()])).rejects.toThrow(StorageUnavailable);
      expect(await again.in(here).events.list(1_000)).toHaveLength(500);
    });

    it('rejects only the failing write of a batch', async () => {
      const { store, here } = subject();
      const { events } = store.in(here);
      const twice = event({ atMillis: MORNING + 99 });
      const rows = Array.from({ length: 20 }, (_, index) => event({ atMillis: MORNING + 1 + index }));
      const results = await Promise.allSettled([
        ...rows.slice(0, 10).map((row) => events.append([row])),
        events.append([twice, twice]),
        ...rows.slice(10).map((row) => events.append([row])),
      ]);
      expect(results.map(({ status }) => status === 'fulfilled')).toStrictEqual([
        ...Array(10).fill(true),
        false,
        ...Array(10).fill(true),
      ]);
      expect(await events.list(100)).toStrictEqual(rows);
    });
  });
}
