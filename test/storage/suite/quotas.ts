import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { closeTurn, event, MINUTE, MORNING, openTurn, sweepAll } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { rating } from './conversations.ts';

export function describeQuotas(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const there = () => subject().store.in(subject().there);

  /** Runs steps until nothing is left, and returns the total that they deleted. */
  async function deleteOlder(conversationsBeforeMillis: number, eventsBeforeMillis: number) {
    const sum = { conversations: 0, events: 0, steps: 0 };
    for (let more = true; more; sum.steps += 1) {
      const step = await here().storedData.deleteOlder({
        conversationsBeforeMillis,
        eventsBeforeMillis,
        anonymousQuestionsBeforeMillis: 0,
        webhookEventsBeforeMillis: 0,
      });
      sum.conversations += step.conversations;
      sum.events += step.events;
      more = step.more;
    }
    return sum;
  }

  describe('deleting what is too old', () => {
    it('deletes conversations that began before the time, with their turns and ratings', async () => {
      const [old, recent] = [openTurn(), openTurn({ askedAt: MORNING + MINUTE })];
      for (const turn of [old, recent]) {
        await here().conversations.openTurn(turn, []);
        await here().conversations.closeTurn(closeTurn(turn.messageId), []);
        await here().conversations.rate(rating(turn), []);
      }
      const { conversationId, visitorId } = old;
      await here().conversations.openTurn(
        openTurn({ conversationId, visitorId, askedAt: MORNING + MINUTE }),
        [],
      );
      expect(await deleteOlder(MORNING, MORNING)).toMatchObject({ conversations: 0, events: 0 });
      expect(await deleteOlder(MORNING + 1, MORNING)).toMatchObject({ conversations: 1, events: 0 });
      expect(await here().conversations.find(conversationId)).toBeUndefined();
      expect(await here().conversations.findTurn(old.messageId)).toBeUndefined();
      expect(await here().conversations.ratings(recent.conversationId)).toHaveLength(1);
      expect(await here().conversations.turns(recent.conversationId, 10)).toHaveLength(1);
    });

    it('deletes events from before the time, and lists later ones behind them', async () => {
      const rows = [0, 1, 2].map((minute) => event({ atMillis: MORNING + minute * MINUTE }));
      await here().events.append(rows);
      expect(await deleteOlder(MORNING, MORNING + MINUTE)).toMatchObject({ events: 1 });
      expect(await here().events.list(10)).toEqual(rows.slice(1));
      expect(await deleteOlder(MORNING, MORNING + 3 * MINUTE)).toMatchObject({ events: 2 });
      // A reader that had reached the deleted rows must not miss a row with an earlier time.
      const late = event({ atMillis: MORNING });
      await here().events.append([late]);
      expect(await here().events.list(10, rows[2])).toMatchObject([{ id: late.id }]);
    });

    it('leaves other workspaces alone', async () => {
      const turn = openTurn();
      const row = event();
      await there().conversations.openTurn(turn, [row]);
      expect(await deleteOlder(MORNING + 1, MORNING + 1)).toMatchObject({ conversations: 0, events: 0 });
      expect(await there().conversations.find(turn.conversationId)).toBeDefined();
      expect(await there().events.list(10)).toEqual([row]);
    });

    it('deletes in bounded steps, also a single long conversation', async () => {
      const first = openTurn();
      const { conversationId, visitorId } = first;
      const turns = [first, ...Array.from({ length: 400 }, () => openTurn({ conversationId, visitorId }))];
      await Promise.all(turns.map((turn) => here().conversations.openTurn(turn, [])));
      await here().events.append(Array.from({ length: 1000 }, () => event()));
      const { steps, ...deleted } = await deleteOlder(MORNING + 1, MORNING + 1);
      expect(deleted).toEqual({ conversations: 1, events: 1000 });
      expect(steps).toBeGreaterThan(2);
    });
  });

  describe('a restricted workspace', () => {
    const DAY = 24 * 60 * MINUTE;
    const restrict = () => subject().store.restrict(new Set([subject().here]), DAY);

    it('stores no event rows, and deletes new conversations after the given time', async () => {
      const earlier = openTurn();
      await here().conversations.openTurn(earlier, []);
      restrict();
      const { conversationId, visitorId } = earlier;
      const soon = openTurn({ deleteAfterMillis: MORNING + MINUTE });
      for (const turn of [openTurn({ conversationId, visitorId }), openTurn(), soon]) {
        expect(await here().conversations.openTurn(turn, [event()])).toBe('opened');
      }
      await here().events.append([event()]);
      expect(await here().events.list(10)).toEqual([]);
      expect(await sweepAll(subject().store, MORNING + MINUTE)).toMatchObject({ conversations: 1 });
      expect(await sweepAll(subject().store, MORNING + DAY - 1)).toMatchObject({ conversations: 0 });
      expect(await sweepAll(subject().store, MORNING + DAY)).toMatchObject({ conversations: 1 });
      expect(await here().conversations.find(conversationId)).toBeDefined();
    });

    it('stores as before when the restriction is lifted', async () => {
      restrict();
      await there().events.append([event()]);
      expect(await there().events.list(10)).toHaveLength(1);
      subject().store.restrict(new Set(), DAY);
      await here().events.append([event()]);
      expect(await here().events.list(10)).toHaveLength(1);
    });
  });

  describe('measuring', () => {
    it('counts the rows of a workspace by kind, with size and age', async () => {
      const turn = openTurn({ question: 'x'.repeat(5000) });
      await here().conversations.openTurn(turn, [event({ atMillis: MORNING + 1 })]);
      await here().conversations.closeTurn(closeTurn(turn.messageId), []);
      await here().conversations.rate(rating(turn), []);
      await there().events.append([event(), event()]);
      const kinds = await here().storedData.measure(async () => undefined);
      const byKind = new Map(kinds.map(({ kind, ...rest }) => [kind, rest]));
      expect(byKind.get('conversations')).toMatchObject({ rows: 1, oldestAtMillis: MORNING });
      expect(byKind.get('turns')).toMatchObject({ rows: 1, oldestAtMillis: MORNING });
      expect(byKind.get('turns')!.bytes).toBeGreaterThan(5000);
      expect(byKind.get('events')).toMatchObject({ rows: 1, oldestAtMillis: MORNING + 1 });
      expect(byKind.get('consent')).toEqual({ rows: 0, bytes: 0 });
    });

    it('reads many rows in steps, each of them once', async () => {
      const conversationId = newId('conv');
      await here().events.append(
        Array.from({ length: 1200 }, (_, at) => event({ conversationId, atMillis: MORNING + (at >> 3) })),
      );
      let pauses = 0;
      const kinds = await here().storedData.measure(async () => {
        pauses += 1;
      });
      expect(kinds.find(({ kind }) => kind === 'events')).toMatchObject({ rows: 1200 });
      expect(pauses).toBe(2);
    });
  });
}
