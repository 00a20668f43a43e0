import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import { consent, contentOf, event, isUnbroken, openTurn } from '../samples.ts';
import type { Subject } from '../subject.ts';
import { rating } from './conversations.ts';

export function describeErasure(subject: () => Subject): void {
  describe('erasing a visitor', () => {
    it('deletes everything of the visitor and returns the counts', async () => {
      const { store, here } = subject();
      const { conversations, events, consents, eraseVisitor } = store.in(here);
      const visitorId = newId('vis');
      const turns = [openTurn({ visitorId }), openTurn({ visitorId })];
      for (const turn of turns) await conversations.openTurn(turn, [event({ visitorId })]);
      await conversations.rate(rating(turns[0]!), [event({ conversationId: turns[0]!.conversationId })]);
      await consents.append(consent({ visitorId }));

      expect(await eraseVisitor(visitorId)).toStrictEqual({ conversations: 2, events: 3, feedback: 1 });
      for (const { conversationId, messageId } of turns) {
        expect(await conversations.find(conversationId)).toBeUndefined();
        expect(await conversations.findTurn(messageId)).toBeUndefined();
      }
      expect(await events.list(10)).toStrictEqual([]);
      expect(await consents.getCurrentDecision(visitorId)).toBeUndefined();
      expect(await eraseVisitor(visitorId)).toStrictEqual({ conversations: 0, events: 0, feedback: 0 });
    });

    it('keeps data of other visitors and anonymous events', async () => {
      const { store, here } = subject();
      const { conversations, events, consents, eraseVisitor } = store.in(here);
      const other = openTurn();
      const rows = [event({ visitorId: other.visitorId }), event()].sort((a, b) => (a.id < b.id ? -1 : 1));
      await conversations.openTurn(other, rows);
      await consents.append(consent({ visitorId: other.visitorId }));
      const visitorId = newId('vis');
      await conversations.openTurn(openTurn({ visitorId }), [event({ visitorId })]);
      await eraseVisitor(visitorId);
      expect(await conversations.findTurn(other.messageId)).toBeDefined();
      expect(await events.list(10)).toStrictEqual(rows);
      expect(await consents.getCurrentDecision(other.visitorId)).toBeDefined();
    });

    it("keeps the consent log valid, and never reuses the visitor's old pseudonym", async () => {
      const { store, here } = subject();
      const { consents, eraseVisitor } = store.in(here);
      const visitorId = newId('vis');
      await consents.append(consent({ visitorId }));
      await consents.append(consent());
      const before = await consents.chain(10);
      await eraseVisitor(visitorId);
      expect(await consents.chain(10)).toStrictEqual(before);
      const returning = consent({ visitorId });
      await consents.append(returning);
      const chain = await consents.chain(10);
      expect(isUnbroken(chain)).toBe(true);
      expect(contentOf(chain[2]!).subjectId).toBe(returning.newSubjectId);
      expect(contentOf(chain[2]!).previousDecisionId).toBeUndefined();
    });
  });
}
