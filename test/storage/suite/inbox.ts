import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { INBOX_KIND, type NewInboxQuestion } from '../../../server/storage/inbox.ts';
import { closeTurn, HOUR, MINUTE, MORNING, openTurn, TOMBSTONE } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

const noAudit = () => undefined;
const PROGRESS = { turnAt: MORNING, messageId: 'msg_1', ratedAt: MORNING };

export function describeInbox(subject: () => Subject): void {
  const own = () => subject().store.in(subject().here);
  const others = () => subject().store.in(subject().there);

  async function finishTurn(changes: Parameters<typeof openTurn>[0] = {}) {
    const turn = openTurn(changes);
    await own().conversations.openTurn(turn, []);
    await own().conversations.closeTurn(closeTurn(turn.messageId, { finishReason: 'no_knowledge' }), []);
    return turn;
  }

  async function add(groupId: string, changes: Partial<NewInboxQuestion> = {}, of = {}) {
    const turn = await finishTurn(of);
    const { messageId, askedAt } = turn;
    const question = { messageId, askedAt, groupId, kinds: INBOX_KIND.unanswered, ...changes };
    await own().inbox.add([question], PROGRESS);
    return turn;
  }

  describe('the inbox', () => {
    it('returns groups with their questions, also after a restart, and none of another workspace', async () => {
      const [often, once] = [newId('ibx'), newId('ibx')];
      await add(once, { kinds: INBOX_KIND.rated_down | INBOX_KIND.low_confidence, confidence: 420 });
      await add(often, { signature: '{}' });
      const last = await add(often, {}, { askedAt: MORNING + HOUR });
      await subject().reopen();
      const open = { states: ['open'] } as const;
      const [first, second] = await own().inbox.list(10, open, 'asked');
      expect(first).toMatchObject({ id: often, asked: 2, lastAskedAt: MORNING + HOUR, askedSince: 0 });
      expect(first!.examples.map(({ messageId }) => messageId)[0]).toBe(last.messageId);
      expect(second).toMatchObject({
        id: once,
        kinds: { unanswered: 0, rated_down: 1, low_confidence: 1 },
        examples: [{ confidence: 420, question: 'Where is my order?' }],
      });
      expect(await own().inbox.list(10, open, 'asked', first)).toEqual([second]);
      expect(await own().inbox.list(10, { ...open, kind: 'low_confidence' }, 'recent')).toEqual([second]);
      expect(await own().inbox.progress()).toEqual(PROGRESS);
      expect((await own().inbox.representatives(10)).map(({ groupId }) => groupId).sort()).toEqual(
        [often, once].sort(),
      );
      expect(await others().inbox.list(10, open, 'asked')).toEqual([]);
      expect(await others().inbox.find(often)).toBeUndefined();
      expect(await others().inbox.change(often, { state: 'resolved' }, MORNING, noAudit)).toBe('gone');
    });

    it('returns equal questions without a visitor as one row, and deletes those before a time', async () => {
      const keep = async (question: string, askedAt: number, results: number | null = null) => {
        const turn = openTurn();
        const row = { id: randomUUID(), askedAt, key: question.toLowerCase(), question };
        const place = { locale: 'en', path: '/pricing', nearestArticleId: null, results };
        await own().conversations.openTurn(turn, []);
        await own().conversations.closeTurn(closeTurn(turn.messageId), [], { ...row, ...place });
      };
      await keep('Whales?', MORNING);
      await keep('Lamps?', MORNING);
      await keep('WHALES?', MORNING + HOUR);
      await keep('whales', MORNING + HOUR, 3);
      await subject().reopen();
      const rows = await own().inbox.anonymousQuestions(10);
      expect(rows).toEqual([
        { question: 'WHALES?', locale: 'en', path: '/pricing', askedAt: MORNING + HOUR, asked: 2 },
        { question: 'Lamps?', locale: 'en', path: '/pricing', askedAt: MORNING, asked: 1 },
      ]);
      expect(await own().inbox.anonymousQuestions(1)).toEqual([rows[0]]);
      expect(await others().inbox.anonymousQuestions(10)).toEqual([]);
      const span = { fromMillis: MORNING, beforeMillis: MORNING + 2 * HOUR };
      expect(await own().inbox.anonymousSearches(10, span)).toEqual([
        { words: 'whales', results: 3, asked: 1 },
      ]);
      const older = {
        conversationsBeforeMillis: 0,
        eventsBeforeMillis: 0,
        anonymousQuestionsBeforeMillis: MORNING + 1,
        webhookEventsBeforeMillis: 0,
      };
      // A call deletes what it has time for.
      let questions = 0;
      for (let more = true; more; ) {
        const deleted = await own().storedData.deleteOlder(older);
        [questions, more] = [questions + deleted.questions, deleted.more];
      }
      expect(questions).toBe(2);
      expect(await own().inbox.anonymousQuestions(10)).toMatchObject([{ question: 'WHALES?', asked: 1 }]);
    });

    it('returns the questions of open groups near an article, those of the largest group first', async () => {
      const articleId = newId('art');
      const content = { title: 'Lamp', answer: 'A lamp.', aliases: [] };
      const by = { authorId: 'mem_1', atMillis: MORNING, contentHash: 'hash', searchSummary: '' };
      await own().articles.create({ articleId, slug: 'lamp', locale: 'en', content, ...by });
      const near = { nearestArticleId: articleId };
      const [small, large, closed] = [newId('ibx'), newId('ibx'), newId('ibx')];
      await add(small, near, { question: 'Is it bright?' });
      await add(large, near, { question: 'A lamp?' });
      await add(large, near, { question: 'Do you have lamps?', askedAt: MORNING + HOUR });
      await add(closed, near);
      await own().inbox.change(closed, { state: 'dismissed' }, MORNING, noAudit);
      const asked = await own().inbox.askedNear(articleId, 10);
      expect(asked.map(({ question }) => question)).toEqual([
        'Do you have lamps?',
        'A lamp?',
        'Is it bright?',
      ]);
      expect(await own().inbox.askedNear(articleId, 1)).toHaveLength(1);
      expect(await others().inbox.askedNear(articleId, 10)).toEqual([]);
    });

    it('adds a kind to a known question, and removes the question with its last kind', async () => {
      const groupId = newId('ibx');
      const { messageId, askedAt } = await add(groupId);
      const rated = { messageId, askedAt, groupId: newId('ibx'), kinds: INBOX_KIND.rated_down };
      await own().inbox.add([rated], PROGRESS);
      expect(await own().inbox.listKnown([messageId])).toEqual([{ messageId, kinds: 3 }]);
      await own().inbox.removeKind([messageId], 'unanswered');
      expect(await own().inbox.find(groupId)).toMatchObject({
        asked: 1,
        kinds: { unanswered: 0, rated_down: 1 },
      });
      await own().inbox.removeKind([messageId], 'rated_down');
      expect(await own().inbox.find(groupId)).toBeUndefined();
    });

    it('opens a resolved group for a later question, and leaves a dismissed one', async () => {
      const [resolved, dismissed] = [newId('ibx'), newId('ibx')];
      await add(resolved);
      await add(dismissed);
      expect(await own().inbox.change(resolved, { state: 'resolved' }, MORNING + MINUTE, noAudit)).toBe(
        'changed',
      );
      expect(await own().inbox.change(dismissed, { state: 'dismissed' }, MORNING + MINUTE, noAudit)).toBe(
        'changed',
      );
      await add(resolved, {}, { askedAt: MORNING + HOUR });
      await add(dismissed, {}, { askedAt: MORNING + HOUR });
      expect(await own().inbox.find(resolved)).toMatchObject({ state: 'open', asked: 2, askedSince: 1 });
      expect(await own().inbox.find(dismissed)).toMatchObject({ state: 'dismissed', asked: 2 });
      expect(await own().inbox.change(resolved, { assigneeId: newId('mem') }, MORNING, noAudit)).toBe(
        'no_member',
      );
      expect(await own().inbox.change(resolved, { articleId: newId('art') }, MORNING, noAudit)).toBe(
        'no_article',
      );
    });

    it('records a change with the group as it was', async () => {
      const groupId = newId('ibx');
      await add(groupId);
      const entry = auditEntry(MORNING);
      const seen: string[] = [];
      await own().inbox.change(groupId, { state: 'resolved' }, MORNING, ({ id, state }) => {
        seen.push(id, state);
        return entry;
      });
      expect(seen).toEqual([groupId, 'open']);
      expect((await own().audit.list(1))[0]).toMatchObject({ id: entry.id });
    });

    it('forgets the questions of an erased visitor and of a conversation with a deadline', async () => {
      const [erased, due] = [newId('ibx'), newId('ibx')];
      const { visitorId } = await add(erased);
      const { conversationId, visitorId: other } = await add(due);
      await own().eraseVisitor(visitorId, TOMBSTONE);
      expect(await own().inbox.find(erased)).toBeUndefined();
      const next = { conversationId, visitorId: other, turnIdx: 1, deleteAfterMillis: MORNING + HOUR };
      await own().conversations.openTurn(openTurn(next), []);
      expect(await own().inbox.find(due)).toBeUndefined();
    });

    it('leaves out a turn that may not be kept', async () => {
      const groupId = newId('ibx');
      await add(groupId, {}, { deleteAfterMillis: MORNING + HOUR });
      expect(await own().inbox.find(groupId)).toBeUndefined();
    });

    it('lists workspaces until their turns and ratings are read', async () => {
      const { inboxes } = subject().store;
      expect(await inboxes.listOutdated(10, '')).toEqual([]);
      const { messageId, visitorId } = await finishTurn();
      expect(await inboxes.listOutdated(10, '')).toEqual([subject().here]);
      await own().inbox.add([], { turnAt: Number.MAX_SAFE_INTEGER, messageId, ratedAt: MORNING });
      expect(await inboxes.listOutdated(10, '')).toEqual([]);
      const rating = {
        id: newId('fb'),
        messageId,
        visitorId,
        rating: 'down',
        atMillis: MORNING + 1,
      } as const;
      await own().conversations.rate(rating, []);
      expect(await inboxes.listOutdated(10, '')).toEqual([subject().here]);
    });
  });
}
