import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { StorageUnavailable } from '../../../server/storage/availability.ts';
import type { WorkspaceStore } from '../../../server/storage/store.ts';
import {
  article,
  closeTurn,
  consent,
  event,
  HOUR,
  MORNING,
  openTurn,
  sweepAll,
  TOMBSTONE,
} from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { rating } from './conversations.ts';
import { auditEntry } from './events.ts';

export function describeIsolation(subject: () => Subject): void {
  describe('workspace isolation', () => {
    const visitorId = newId('vp');
    const turn = openTurn({ visitorId, idempotencyKey: 'key-1', deleteAfterMillis: MORNING + HOUR });
    const { conversationId, messageId } = turn;

    async function fill(workspace: WorkspaceStore) {
      await workspace.conversations.openTurn(turn, [event({ visitorId, conversationId })]);
      await workspace.consents.append(consent({ visitorId }));
      await workspace.audit.append(auditEntry(MORNING));
      const texts = { answer: 'Refunds take five days.' };
      const [outcome] = await workspace.articles.import(
        [article('refunds', texts, { de: { answer: 'Fünf Tage.' } })],
        { actor: 'operator', atMillis: MORNING },
      );
      return outcome!.articleId;
    }

    it('reads nothing of another workspace', async () => {
      const { store, here, there } = subject();
      const own = auditEntry(MORNING);
      await store.in(there).audit.append(own);
      const articleId = await fill(store.in(here));
      const passageIds = (await store.in(here).passages.liveVariants([articleId])).map(
        ({ passageId }) => passageId,
      );
      expect(passageIds).toHaveLength(2);
      const { conversations, events, consents, audit, articles, passages } = store.in(there);
      const [auditId] = (await store.in(here).audit.list(1)).map(({ id }) => id);

      expect(await conversations.find(conversationId)).toBeUndefined();
      expect(await conversations.turns(conversationId, 10)).toEqual([]);
      expect(await conversations.findTurn(messageId)).toBeUndefined();
      expect(await conversations.findTurnByKey(visitorId, 'key-1')).toBeUndefined();
      expect(await events.list(10)).toEqual([]);
      expect(await events.list(10, { atMillis: 0, id: '' })).toEqual([]);
      expect(await consents.chain(10)).toEqual([]);
      expect(await consents.getCurrentDecision(visitorId)).toBeUndefined();
      expect(await audit.list(10)).toEqual([own]);
      expect(await audit.list(10, auditId)).toEqual([]);
      expect(await articles.findLive('refunds')).toBeUndefined();
      expect(await articles.count()).toEqual({ articles: 0, translations: 0, revisions: 0 });
      expect(await passages.partitions()).toEqual([]);
      expect(await passages.liveVariants([articleId])).toEqual([]);
      expect(await passages.load(passageIds)).toEqual([]);
    });

    it('changes nothing in another workspace', async () => {
      const { store, here, there } = subject();
      const articleId = await fill(store.in(here));
      const before = await snapshot(store.in(here));
      const other = store.in(there);

      expect(await other.conversations.reopenTurn(messageId, 1, MORNING + 1)).toBe('conflict');
      expect(await other.conversations.closeTurn(closeTurn(messageId), [event()])).toBe('gone');
      expect(await other.conversations.rate(rating(turn), [event()])).toBe('gone');
      expect(await other.eraseVisitor(visitorId, TOMBSTONE)).toEqual({
        conversations: 0,
        events: 0,
        feedback: 0,
      });
      await other.consents.append(
        consent({ visitorId, forgetEvents: true, deleteConversationsAfterMillis: MORNING }),
      );
      const [outcome] = await other.articles.import([article('refunds', { answer: 'Never.' })], {
        actor: 'operator',
        atMillis: MORNING,
      });
      expect(outcome?.articleId).not.toBe(articleId);
      expect(await sweepAll(store, MORNING)).toMatchObject({ conversations: 0 });
      expect(await snapshot(store.in(here))).toEqual(before);
      expect(await other.events.list(10)).toEqual([]);
    });

    it('gives the same visitor a different pseudonym in each workspace', async () => {
      const { store, here, there } = subject();
      const [first, second] = [consent({ visitorId }), consent({ visitorId })];
      await store.in(here).consents.append(first);
      await store.in(there).consents.append(second);
      const [link] = await store.in(there).consents.chain(1);
      expect(JSON.parse(link!.content)).toMatchObject({ subjectId: second.newSubjectId, position: 0 });
    });

    async function snapshot({ conversations, events, consents, audit, articles, passages }: WorkspaceStore) {
      const live = await articles.findLive('refunds');
      const variants = await passages.liveVariants([live!.articleId]);
      return {
        conversation: await conversations.find(conversationId),
        turn: await conversations.findTurn(messageId),
        events: await events.list(10),
        chain: await consents.chain(10),
        currentDecision: await consents.getCurrentDecision(visitorId),
        audit: await audit.list(10),
        live,
        passages: await passages.load(variants.map(({ passageId }) => passageId)),
      };
    }
  });
}

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
      expect(await again.in(here).conversations.findTurn(turn.messageId)).toEqual(before);
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
      expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
        ...Array(10).fill(true),
        false,
        ...Array(10).fill(true),
      ]);
      expect(await events.list(100)).toEqual(rows);
    });
  });
}
