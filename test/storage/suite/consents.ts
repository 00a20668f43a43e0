import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import {
  consent,
  contentOf,
  currentDecision,
  event,
  HOUR,
  isUnbroken,
  MORNING,
  openTurn,
  sweepAll,
  TOMBSTONE,
} from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { rating } from './conversations.ts';

export function describeConsents(subject: () => Subject): void {
  describe('consent policies', () => {
    it('keeps the first stored version of a policy', async () => {
      const { store, here, there } = subject();
      const policy = { version: 'v1', workspaceId: here, document: '{"a":1}', createdAt: MORNING };
      await store.consentPolicies.keep(policy);
      await store.consentPolicies.keep({ ...policy, document: '{"a":2}', createdAt: MORNING + 1 });
      expect(await store.consentPolicies.find(here, 'v1')).toEqual(policy);
      expect(await store.consentPolicies.find(here, 'v2')).toBeUndefined();
      expect(await store.consentPolicies.find(there, 'v1')).toBeUndefined();
    });

    it('accepts the same policy from concurrent writers', async () => {
      const { store, here } = subject();
      const policy = { version: 'v1', workspaceId: here, document: '{}', createdAt: MORNING };
      await Promise.all(Array.from({ length: 20 }, () => store.consentPolicies.keep(policy)));
      expect(await store.consentPolicies.find(here, 'v1')).toEqual(policy);
    });
  });

  describe('consents', () => {
    it('forms a chain without gaps under concurrent decisions', async () => {
      const { store, here } = subject();
      const { consents } = store.in(here);
      const given = Array.from({ length: 40 }, () => consent());
      await Promise.all(given.map((each) => consents.append(each)));
      const chain = await consents.chain(100);
      expect(chain.map(({ id }) => id).sort()).toEqual(given.map(({ id }) => id).sort());
      expect(isUnbroken(chain)).toBe(true);
      expect(await consents.chain(2, 38)).toEqual(chain.slice(38));
      expect(await consents.chain(3)).toEqual(chain.slice(0, 3));
    });

    it('keeps one chain for each workspace and continues it after a restart', async () => {
      const { store, here, there, reopen } = subject();
      await store.in(here).consents.append(consent());
      await store.in(there).consents.append(consent());
      const again = await reopen();
      await again.in(here).consents.append(consent());
      for (const [id, length] of [
        [here, 2],
        [there, 1],
      ] as const) {
        const chain = await again.in(id).consents.chain(10);
        expect(chain).toHaveLength(length);
        expect(isUnbroken(chain)).toBe(true);
      }
    });

    it("links a visitor's decisions by one pseudonym, each to the one before", async () => {
      const { consents } = subject().store.in(subject().here);
      const visitorId = newId('vp');
      const first = consent({ visitorId });
      const second = consent({ visitorId });
      await consents.append(first);
      await consents.append(consent());
      await consents.append(second);
      const [opening, , closing] = (await consents.chain(10)).map(contentOf);
      expect(opening?.subjectId).toBe(first.newSubjectId);
      expect(opening?.previousDecisionId).toBeUndefined();
      expect(closing?.subjectId).toBe(first.newSubjectId);
      expect(closing?.previousDecisionId).toBe(first.id);
    });

    it('updates the current decision, except when a prompt is dismissed', async () => {
      const { consents } = subject().store.in(subject().here);
      const visitorId = newId('vp');
      expect(await consents.getCurrentDecision(visitorId)).toBeUndefined();
      await consents.append(consent({ visitorId, currentDecision: currentDecision('accepted') }));
      await consents.append(consent({ visitorId, currentDecision: currentDecision('denied') }));
      expect(await consents.getCurrentDecision(visitorId)).toEqual(currentDecision('denied'));
      const { currentDecision: _, ...dismissal } = consent({ visitorId });
      await consents.append(dismissal);
      expect(await consents.getCurrentDecision(visitorId)).toEqual(currentDecision('denied'));
      expect(await consents.chain(10)).toHaveLength(3);
    });

    it('stores nothing when sealing fails', async () => {
      const { consents, events } = subject().store.in(subject().here);
      const visitorId = newId('vp');
      const failing = consent({
        visitorId,
        events: [{ id: newId('evt'), atMillis: MORNING, data: {} }],
        chain: () => {
          throw new Error('no chain');
        },
      });
      await expect(consents.append(failing)).rejects.toThrow('no chain');
      expect(await consents.chain(10)).toEqual([]);
      expect(await consents.getCurrentDecision(visitorId)).toBeUndefined();
      expect(await events.list(10)).toEqual([]);
    });

    it("deletes the visitor's events on request, and records its own", async () => {
      const { consents, events, conversations } = subject().store.in(subject().here);
      const visitorId = newId('vp');
      const turn = openTurn({ visitorId });
      const anonymousTurn = event({ type: 'turn', conversationId: turn.conversationId });
      const foreign = event({ visitorId: newId('vp') });
      await events.append([event({ visitorId }), foreign]);
      await conversations.openTurn(turn, [anonymousTurn]);
      const counted = { id: newId('evt'), atMillis: MORNING + 1, data: { decision: 'denied' } };
      await consents.append(consent({ visitorId, forgetEvents: true, events: [counted] }));
      expect(await events.list(10)).toEqual([foreign, { ...counted, type: 'consent' }]);
    });

    it('sets a deletion deadline on conversations, keeps an earlier one, and removes it after consent', async () => {
      const { store, here } = subject();
      const { consents, conversations } = store.in(here);
      const visitorId = newId('vp');
      const kept = openTurn({ visitorId });
      const expiring = openTurn({ visitorId, deleteAfterMillis: MORNING + HOUR });
      const foreign = openTurn();
      for (const turn of [kept, expiring, foreign]) await conversations.openTurn(turn, []);
      const deadline = (deleteConversationsAfterMillis: number | null) =>
        consents.append(consent({ visitorId, deleteConversationsAfterMillis }));

      await deadline(MORNING + 24 * HOUR);
      expect(await sweepAll(store, MORNING + HOUR)).toMatchObject({ conversations: 1 });
      expect(await conversations.find(expiring.conversationId)).toBeUndefined();
      await deadline(null);
      await consents.append(consent({ visitorId }));
      expect(await sweepAll(store, MORNING + 48 * HOUR)).toMatchObject({ conversations: 0 });
      await deadline(MORNING + 50 * HOUR);
      expect(await sweepAll(store, MORNING + 50 * HOUR)).toMatchObject({ conversations: 1 });
      expect(await conversations.find(kept.conversationId)).toBeUndefined();
      expect(await conversations.find(foreign.conversationId)).toBeDefined();
    });
  });
}

export function describeErasure(subject: () => Subject): void {
  describe('erasing a visitor', () => {
    it('deletes everything of the visitor and returns the counts', async () => {
      const { store, here } = subject();
      const { conversations, events, consents, eraseVisitor } = store.in(here);
      const visitorId = newId('vp');
      const turns = [openTurn({ visitorId }), openTurn({ visitorId })];
      for (const turn of turns) await conversations.openTurn(turn, [event({ visitorId })]);
      await conversations.rate(rating(turns[0]!), [event({ conversationId: turns[0]!.conversationId })]);
      await consents.append(consent({ visitorId }));

      expect(await consents.findReturning(visitorId, TOMBSTONE.mark)).toBeDefined();
      expect(await eraseVisitor(visitorId, TOMBSTONE)).toEqual({
        conversations: 2,
        events: 3,
        feedback: 1,
      });
      for (const { conversationId, messageId } of turns) {
        expect(await conversations.find(conversationId)).toBeUndefined();
        expect(await conversations.findTurn(messageId)).toBeUndefined();
      }
      expect(await events.list(10)).toEqual([]);
      expect(await consents.findReturning(visitorId, TOMBSTONE.mark)).toBe('erased');
      const elsewhere = store.in(subject().there).consents;
      expect(await elsewhere.findReturning(visitorId, TOMBSTONE.mark)).toBeUndefined();
      expect(await store.listErasedVisitors(MORNING)).toEqual([]);
      expect(await store.listErasedVisitors(MORNING - 1)).toEqual([TOMBSTONE]);
      expect(await consents.getCurrentDecision(visitorId)).toBeUndefined();
      expect(await eraseVisitor(visitorId, TOMBSTONE)).toEqual({
        conversations: 0,
        events: 0,
        feedback: 0,
      });
    });

    it('keeps data of other visitors and anonymous events', async () => {
      const { store, here } = subject();
      const { conversations, events, consents, eraseVisitor } = store.in(here);
      const other = openTurn();
      const rows = [event({ visitorId: other.visitorId }), event()].sort((a, b) => (a.id < b.id ? -1 : 1));
      await conversations.openTurn(other, rows);
      await consents.append(consent({ visitorId: other.visitorId }));
      const visitorId = newId('vp');
      await conversations.openTurn(openTurn({ visitorId }), [event({ visitorId })]);
      await eraseVisitor(visitorId, TOMBSTONE);
      expect(await conversations.findTurn(other.messageId)).toBeDefined();
      expect(await events.list(10)).toEqual(rows);
      expect(await consents.getCurrentDecision(other.visitorId)).toBeDefined();
    });

    it("keeps the consent log valid, and never reuses the visitor's old pseudonym", async () => {
      const { store, here } = subject();
      const { consents, eraseVisitor } = store.in(here);
      const visitorId = newId('vp');
      await consents.append(consent({ visitorId }));
      await consents.append(consent());
      const before = await consents.chain(10);
      await eraseVisitor(visitorId, TOMBSTONE);
      expect(await consents.chain(10)).toEqual(before);
      const returning = consent({ visitorId });
      await consents.append(returning);
      const chain = await consents.chain(10);
      expect(isUnbroken(chain)).toBe(true);
      expect(contentOf(chain[2]!).subjectId).toBe(returning.newSubjectId);
      expect(contentOf(chain[2]!).previousDecisionId).toBeUndefined();
    });
  });
}
