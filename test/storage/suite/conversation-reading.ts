import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import type { OpenTurn } from '../../../server/storage/conversations.ts';
import type { Span } from '../../../server/storage/events.ts';
import { closeTurn, HOUR, MINUTE, MORNING, openTurn } from '../samples.ts';
import type { Subject } from '../temporary-store.ts';
import { rating } from './conversations.ts';

export function describeConversationReading(subject: () => Subject): void {
  const conversations = () => subject().store.in(subject().here).conversations;

  async function ask(changes: Partial<OpenTurn> = {}): Promise<OpenTurn> {
    const turn = openTurn(changes);
    await conversations().openTurn(turn, []);
    return turn;
  }

  async function finish({ messageId, requestedLocale }: OpenTurn, finishReason: string): Promise<void> {
    await conversations().closeTurn(closeTurn(messageId, { finishReason, requestedLocale }), []);
  }

  describe('conversations kept with consent', () => {
    it('returns turns with their ratings', async () => {
      const first = await ask({ question: 'One?' });
      const { conversationId } = first;
      const others = [
        await ask({ conversationId, visitorId: first.visitorId, question: 'Two?' }),
        await ask({ conversationId, visitorId: first.visitorId, question: 'Three?', askedAt: MORNING - 1 }),
      ];
      const gone = await ask({ question: 'Four?', deleteAfterMillis: MORNING + HOUR });
      const rated = { rating: 'up', comment: 'Danke' } as const;
      await conversations().rate(rating(first, rated), []);
      await conversations().rate(rating(gone, { rating: 'down' }), []);
      const turns = await conversations().listTranscript(conversationId, 10);
      const whole = [first, ...others]
        .map(({ messageId, askedAt, question }) => ({ messageId, askedAt, question, answer: '' }))
        .map((turn) => (turn.messageId === first.messageId ? { ...turn, ...rated } : turn))
        .toSorted((a, b) => a.askedAt - b.askedAt || (a.messageId < b.messageId ? -1 : 1));
      expect(turns).toStrictEqual(whole);
      const start = await conversations().listTranscript(conversationId, 1);
      const rest = await conversations().listTranscript(conversationId, 10, start[0]);
      expect([...start, ...rest]).toStrictEqual(whole);
      expect(await conversations().listTranscript(gone.conversationId, 10)).toStrictEqual([]);
      const { store, there } = subject();
      expect(await store.in(there).conversations.listTranscript(conversationId, 10)).toStrictEqual([]);
      expect(await store.in(there).conversations.listRated(10)).toStrictEqual([]);
    });

    it('lists ratings newest first, in pages and within a time range', async () => {
      const turns: OpenTurn[] = [];
      for (let minute = 0; minute < 4; minute += 1) {
        const turn = await ask();
        // Two share a timestamp.
        const atMillis = MORNING + Math.floor(minute / 2) * MINUTE;
        await conversations().rate(rating(turn, { rating: 'down', atMillis }), []);
        turns.push(turn);
      }
      const whole = await conversations().listRated(10);
      expect(whole).toHaveLength(4);
      expect(whole[0]).toMatchObject({
        rating: 'down',
        atMillis: MORNING + MINUTE,
        question: turns[0]!.question,
      });
      const [one, two] = [await conversations().listRated(2), await conversations().listRated(2, whole[1])];
      expect([...one, ...two]).toStrictEqual(whole);
      const within = { fromMillis: MORNING, beforeMillis: MORNING + MINUTE };
      expect(await conversations().listRated(10, undefined, within)).toStrictEqual(whole.slice(2));
      expect(await conversations().listRated(10, whole[0], within)).toStrictEqual(whole.slice(2));
    });

    it('summarizes conversations', async () => {
      const first = await ask({ requestedLocale: 'de', question: 'Wo ist mein Paket?' });
      const { conversationId, visitorId } = first;
      const more = [1, 2, 3].map((minutes) => ({
        conversationId,
        visitorId,
        askedAt: MORNING + minutes * MINUTE,
      }));
      const [second, third, fourth] = [await ask(more[0]), await ask(more[1]), await ask(more[2])];
      await finish(first, 'stop');
      await finish(second, 'stop');
      await finish(third, 'no_knowledge');
      await conversations().rate(rating(first, { rating: 'up', comment: 'Danke' }), []);
      await conversations().rate(rating(third, { rating: 'down', atMillis: MORNING + 1 }), []);
      const found = await conversations().findKept(conversationId);
      expect(found).toStrictEqual({
        id: conversationId,
        visitorId,
        startedAt: MORNING,
        turnCount: 4,
        lastAskedAt: fourth.askedAt,
        firstQuestion: 'Wo ist mein Paket?',
        requestedLocale: 'de',
        outcomes: expect.anything(),
        rating: 'down',
      });
      const { outcomes } = found!;
      expect(outcomes.toSorted((one, other) => other.turns - one.turns)).toHaveLength(3);
      expect(outcomes).toEqual(
        expect.arrayContaining([
          { state: 'complete', finishReason: 'stop', turns: 2 },
          { state: 'complete', finishReason: 'no_knowledge', turns: 1 },
          { state: 'running', turns: 1 },
        ]),
      );
      expect(await conversations().listConversations(10)).toStrictEqual([found]);
      const ratings = await conversations().ratings(conversationId);
      expect(ratings.toSorted((one) => (one.rating === 'up' ? -1 : 1))).toStrictEqual([
        { messageId: first.messageId, rating: 'up', comment: 'Danke' },
        { messageId: third.messageId, rating: 'down' },
      ]);
    });

    it('lists conversations newest first, in pages, by time range and by visitor', async () => {
      const visitorId = newId('vp');
      const turns = [
        await ask({ conversationId: 'a' }),
        await ask({ conversationId: 'b', visitorId }),
        await ask({ conversationId: 'c', askedAt: MORNING + MINUTE, visitorId }),
        await ask({ conversationId: 'd', askedAt: MORNING + HOUR, visitorId }),
      ];
      expect(turns).toHaveLength(4);
      const list = async (...args: Parameters<ReturnType<typeof conversations>['listConversations']>) =>
        (await conversations().listConversations(...args)).map(({ id }) => id);
      expect(await list(10)).toStrictEqual(['d', 'c', 'b', 'a']);
      const [, second] = await conversations().listConversations(2);
      expect(await list(2, second)).toStrictEqual(['b', 'a']);
      expect(await list(10, { id: 'b', startedAt: MORNING })).toStrictEqual(['a']);
      const within = { fromMillis: MORNING, beforeMillis: MORNING + HOUR };
      expect(await list(10, undefined, within)).toStrictEqual(['c', 'b', 'a']);
      expect(await list(10, second, within)).toStrictEqual(['b', 'a']);
      expect(await list(10, undefined, { ...within, fromMillis: MORNING + 1 })).toStrictEqual(['c']);
      expect(await list(2, undefined, undefined, visitorId)).toStrictEqual(['d', 'c']);
      expect(await list(2, second, within, visitorId)).toStrictEqual(['b']);
      expect(await list(2, undefined, undefined, newId('vp'))).toStrictEqual([]);
    });

    it('excludes conversations with a deadline and those of another workspace', async () => {
      const { store, there } = subject();
      const denied = await ask({ deleteAfterMillis: MORNING + HOUR });
      await finish(denied, 'no_knowledge');
      const kept = await ask();
      await finish(kept, 'no_knowledge');
      await conversations().rate(rating(kept), []);
      expect(await conversations().findKept(denied.conversationId)).toBeUndefined();
      expect((await conversations().listConversations(10)).map(({ id }) => id)).toStrictEqual([
        kept.conversationId,
      ]);
      expect(
        await conversations().listConversations(10, undefined, undefined, denied.visitorId),
      ).toStrictEqual([]);
      expect(await conversations().listQuestions('no_knowledge', 10)).toStrictEqual([
        { messageId: kept.messageId, question: kept.question, askedAt: MORNING },
      ]);
      const elsewhere = store.in(there).conversations;
      expect(await elsewhere.findKept(kept.conversationId)).toBeUndefined();
      expect(await elsewhere.listConversations(10)).toStrictEqual([]);
      expect(await elsewhere.listConversations(10, undefined, undefined, kept.visitorId)).toStrictEqual([]);
      expect(await elsewhere.ratings(kept.conversationId)).toStrictEqual([]);
      expect(await elsewhere.listQuestions('no_knowledge', 10)).toStrictEqual([]);
    });

    it('lists questions by how their turn ended, oldest first', async () => {
      const turns = [
        await ask({ question: 'One?' }),
        await ask({ question: 'Two?', askedAt: MORNING + 1 }),
        await ask({ question: 'Three?', askedAt: MORNING + 2 }),
      ];
      for (const turn of turns) await finish(turn, 'no_knowledge');
      await finish(await ask(), 'stop');
      await ask();
      const list = async (...more: [number, { messageId: string; askedAt: number }?, Span?]) =>
        (await conversations().listQuestions('no_knowledge', ...more)).map(({ question }) => question);
      expect(await list(2)).toStrictEqual(['One?', 'Two?']);
      expect(await list(2, turns[1])).toStrictEqual(['Three?']);
      const within = { fromMillis: MORNING + 1, beforeMillis: MORNING + 2 };
      expect(await list(2, undefined, within)).toStrictEqual(['Two?']);
      expect(await list(2, turns[0], within)).toStrictEqual(['Two?']);
      expect(await list(2, turns[1], within)).toStrictEqual([]);
      expect(await conversations().listQuestions('refusal', 10)).toStrictEqual([]);
    });
  });
}
