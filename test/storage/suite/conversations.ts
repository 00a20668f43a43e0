import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { Feedback, Turn } from '../../../server/storage/conversation-queries.ts';
import type { OpenTurn } from '../../../server/storage/conversations.ts';
import type { Span } from '../../../server/storage/keyset.ts';
import {
  closeTurn,
  event,
  HOUR,
  MINUTE,
  MORNING,
  openTurn,
  sweepAll,
  TOMBSTONE,
} from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

export function describeConversations(subject: () => Subject): void {
  const conversations = () => subject().store.in(subject().here).conversations;
  const events = () => subject().store.in(subject().here).events;

  describe('conversations', () => {
    it('starts a conversation with its first question', async () => {
      const turn = openTurn({ idempotencyKey: 'key-1', payloadHash: 'abc' });
      expect(await conversations().openTurn(turn, [])).toBe('opened');
      expect(await conversations().find(turn.conversationId)).toEqual({
        id: turn.conversationId,
        visitorId: turn.visitorId,
        startedAt: MORNING,
        nextTurnIdx: 1,
        turnCount: 1,
        ended: false,
      });
      expect(await conversations().findTurn(turn.messageId)).toEqual(running(turn));
      expect(await conversations().findTurnByKey(turn.visitorId, 'key-1')).toEqual(running(turn));
    });

    it('returns nothing for unknown ids', async () => {
      expect(await conversations().find('conv_unknown')).toBeUndefined();
      expect(await conversations().turns('conv_unknown', 10)).toEqual([]);
      expect(await conversations().findTurn('msg_unknown')).toBeUndefined();
      expect(await conversations().findTurnByKey(newId('vp'), 'key-1')).toBeUndefined();
    });

    it('stores the outcome of a turn together with its events', async () => {
      const turn = openTurn();
      const opened = event({ type: 'turn' });
      await conversations().openTurn(turn, [opened]);
      const outcome = closeTurn(turn.messageId, { requestedLocale: 'de' });
      const cited = event({ type: 'citation', atMillis: MORNING + 1 });
      expect(await conversations().closeTurn(outcome, [cited])).toBe('closed');
      expect(await conversations().findTurn(turn.messageId)).toEqual({ ...running(turn), ...outcome });
      expect(await conversations().find(turn.conversationId)).toMatchObject({ nextTurnIdx: 1, turnCount: 1 });
      expect(await events().list(10)).toEqual([opened, cited]);
    });

    it('lists the newest turns, oldest first', async () => {
      const first = openTurn();
      const later = [1, 2, 3].map((step) => ({
        ...openTurn(),
        conversationId: first.conversationId,
        visitorId: first.visitorId,
        turnIdx: 1,
        askedAt: MORNING + step * MINUTE,
      }));
      for (const turn of [first, ...later]) await conversations().openTurn(turn, []);
      const ids = async (limit: number) =>
        (await conversations().turns(first.conversationId, limit)).map(({ messageId }) => messageId);
      const all = [first, ...later].map(({ messageId }) => messageId);
      expect(await ids(10)).toEqual(all);
      expect(await ids(2)).toEqual(all.slice(2));
      expect(await conversations().find(first.conversationId)).toMatchObject({
        turnCount: 4,
        nextTurnIdx: 2,
      });
      await conversations().closeTurn(closeTurn(later[2]!.messageId, { answer: 'Within thirty days.' }), []);
      expect(await conversations().turns(first.conversationId, 2)).toMatchObject([
        { question: later[1]!.question, answer: '' },
        { question: later[2]!.question, answer: 'Within thirty days.' },
      ]);
    });

    it('rejects a conversation id that another visitor of the workspace uses', async () => {
      const turn = openTurn();
      await conversations().openTurn(turn, []);
      const { conversationId } = turn;
      const stranger = openTurn({ conversationId });
      expect(await conversations().openTurn(stranger, [event()])).toBe('conflict');
      expect(await conversations().turns(conversationId, 10)).toHaveLength(1);
      expect(await conversations().findTurn(stranger.messageId)).toBeUndefined();
      expect(await events().list(10)).toEqual([]);
    });

    it('opens a conversation whose id another workspace uses, and keeps the two apart', async () => {
      const { store, here, there } = subject();
      const [own, theirs] = [here, there].map((id) => store.in(id));
      const first = openTurn();
      const { conversationId, visitorId } = first;
      const second = openTurn({ conversationId, visitorId, deleteAfterMillis: MORNING + HOUR });
      const third = openTurn({ conversationId, visitorId });
      expect(await own!.conversations.openTurn(first, [event({ conversationId })])).toBe('opened');
      expect(await theirs!.conversations.openTurn(second, [event({ conversationId })])).toBe('opened');
      expect(await theirs!.conversations.openTurn(third, [])).toBe('opened');
      for (const { messageId } of [second, third]) {
        await theirs!.conversations.closeTurn(closeTurn(messageId), []);
      }
      expect(await own!.conversations.find(conversationId)).toMatchObject({ turnCount: 1 });
      expect(await own!.conversations.turns(conversationId, 10)).toMatchObject([{ state: 'running' }]);
      expect(await own!.conversations.findKept(conversationId)).toMatchObject({ turnCount: 1 });
      expect(await theirs!.conversations.turns(conversationId, 10)).toHaveLength(2);
      expect(await theirs!.conversations.findKept(conversationId)).toBeUndefined();
      expect(await own!.conversations.queryTurns(10, { conversationId })).toEqual({ found: [] });
      expect((await own!.conversations.queryConversations(10, { conversationId })).found).toHaveLength(1);
      expect((await theirs!.conversations.queryConversations(10, { conversationId })).found).toEqual([]);
      expect(await sweepAll(store, MORNING + HOUR)).toMatchObject({ conversations: 1, events: 1 });
      expect(await theirs!.conversations.find(conversationId)).toBeUndefined();
      expect(await own!.conversations.find(conversationId)).toMatchObject({ turnCount: 1 });
      expect(await own!.events.list(10)).toHaveLength(1);
    });

    it('accepts an idempotency key once for each visitor', async () => {
      const turn = openTurn({ idempotencyKey: 'key-1' });
      const repeated = openTurn({ visitorId: turn.visitorId, idempotencyKey: 'key-1' });
      const [first, second] = await Promise.all([
        conversations().openTurn(turn, []),
        conversations().openTurn(repeated, [event()]),
      ]);
      expect([first, second]).toEqual(['opened', 'conflict']);
      expect(await conversations().find(repeated.conversationId)).toBeUndefined();
      expect(await conversations().openTurn(openTurn({ idempotencyKey: 'key-1' }), [])).toBe('opened');
      expect(await events().list(10)).toEqual([]);
    });
  });

  describe('turns', () => {
    it.each(['interrupted', 'failed'] as const)(
      'restarts a turn in state %s and keeps its partial answer',
      async (state) => {
        const turn = openTurn();
        await conversations().openTurn(turn, []);
        expect(await conversations().reopenTurn(turn.messageId, 1, MORNING + 1)).toBe('opened');
        expect(await conversations().findTurn(turn.messageId)).toEqual({
          ...running(turn),
          askedAt: MORNING + 1,
          attempt: 2,
        });
        const partial = closeTurn(turn.messageId, { attempt: 2, state, answer: 'On its' });
        await conversations().closeTurn(partial, []);
        expect(await conversations().reopenTurn(turn.messageId, 2, MORNING + 2)).toBe('opened');
        expect(await conversations().findTurn(turn.messageId)).toEqual({
          ...running(turn),
          askedAt: MORNING + 2,
          attempt: 3,
          answer: 'On its',
          frames: partial.frames,
        });
      },
    );

    it('does not restart a turn that is complete or erased', async () => {
      const turn = openTurn();
      await conversations().openTurn(turn, []);
      await conversations().closeTurn(closeTurn(turn.messageId), []);
      const before = await conversations().findTurn(turn.messageId);
      expect(await conversations().reopenTurn(turn.messageId, 1, MORNING + 1)).toBe('conflict');
      expect(await conversations().findTurn(turn.messageId)).toEqual(before);
      expect(await conversations().reopenTurn('msg_unknown', 1, MORNING)).toBe('conflict');
    });

    it('is claimed by one restart at a time', async () => {
      const turn = openTurn();
      await conversations().openTurn(turn, []);
      const claims = [1, 1, 2].map((attempt) =>
        conversations().reopenTurn(turn.messageId, attempt, MORNING + 1),
      );
      expect(await Promise.all(claims)).toEqual(['opened', 'conflict', 'opened']);
    });

    it('keeps the stored answer when earlier or later runs of its turn end', async () => {
      const turn = openTurn();
      await conversations().openTurn(turn, []);
      await conversations().reopenTurn(turn.messageId, 1, MORNING + 1);
      const close = (attempt: number, answer: string) =>
        conversations().closeTurn(closeTurn(turn.messageId, { attempt, answer }), [event()]);
      expect(await close(1, 'Of the first run')).toBe('gone');
      expect(await close(2, 'Acknowledged')).toBe('closed');
      for (const attempt of [1, 2, 3]) expect(await close(attempt, 'Too late')).toBe('gone');
      expect(await conversations().findTurn(turn.messageId)).toMatchObject({
        state: 'complete',
        answer: 'Acknowledged',
      });
      expect(await events().list(10)).toHaveLength(1);
    });

    it('does not bring back a turn that was erased while it ran', async () => {
      const { store, here } = subject();
      const turn = openTurn();
      await conversations().openTurn(turn, []);
      await store.in(here).eraseVisitor(turn.visitorId, TOMBSTONE);
      expect(await conversations().closeTurn(closeTurn(turn.messageId), [event()])).toBe('gone');
      expect(await conversations().findTurn(turn.messageId)).toBeUndefined();
      expect(await conversations().find(turn.conversationId)).toBeUndefined();
      expect(await events().list(10)).toEqual([]);
    });

    it('lets only the visitor of a turn rate it and keeps the last rating', async () => {
      const { store, here } = subject();
      const turn = openTurn();
      await conversations().openTurn(turn, []);
      const up = rating(turn, { rating: 'up' });
      const down = rating(turn, { rating: 'down', comment: 'Wrong shop' });
      const counted = event({ type: 'feedback' });
      expect(await conversations().rate(up, [])).toBe('rated');
      expect(await conversations().rate(down, [counted])).toBe('rated');
      // Only adds reasons.
      const explained = rating(turn, { rating: 'down', reasons: '["outdated"]' });
      expect(await conversations().rate(explained, [event({ type: 'feedback' })])).toBe('rated');
      expect(await conversations().listRated(10)).toMatchObject([
        { rating: 'down', reasons: '["outdated"]' },
      ]);
      expect(await conversations().rate(rating({ ...turn, visitorId: newId('vp') }), [event()])).toBe('gone');
      expect(await conversations().rate(rating(openTurn()), [event()])).toBe('gone');
      expect(await events().list(10)).toEqual([counted]);
      expect(await store.in(here).eraseVisitor(turn.visitorId, TOMBSTONE)).toMatchObject({ feedback: 1 });
    });
  });

  describe('sweeping', () => {
    it('deletes conversations at their deadline, with their turns, ratings and events', async () => {
      const { store } = subject();
      const turn = openTurn({ deleteAfterMillis: MORNING + HOUR });
      const counted = event({ type: 'turn', conversationId: turn.conversationId });
      const foreign = event({ conversationId: newId('conv') });
      await conversations().openTurn(turn, [counted, foreign]);
      await conversations().rate(rating(turn), []);
      const noDeletions = { conversations: 0, events: 0, interrupted: 0 };
      await conversations().closeTurn(closeTurn(turn.messageId), []);
      expect(await sweepAll(store, MORNING + HOUR - 1)).toEqual(noDeletions);
      expect(await sweepAll(store, MORNING + HOUR)).toEqual({
        ...noDeletions,
        conversations: 1,
        events: 1,
      });
      expect(await conversations().find(turn.conversationId)).toBeUndefined();
      expect(await conversations().findTurn(turn.messageId)).toBeUndefined();
      expect(await conversations().rate(rating(turn), [])).toBe('gone');
      expect(await events().list(10)).toEqual([foreign]);
    });

    it('keeps the earliest deadline set by any turn', async () => {
      const { store } = subject();
      const turn = openTurn({ deleteAfterMillis: MORNING + HOUR });
      const { conversationId, visitorId } = turn;
      const next = (deadline?: number) =>
        openTurn({ conversationId, visitorId, ...(deadline ? { deleteAfterMillis: deadline } : {}) });
      await conversations().openTurn(turn, []);
      await conversations().openTurn(next(MORNING + 3 * HOUR), []);
      await conversations().openTurn(next(), []);
      expect(await sweepAll(store, MORNING + HOUR - 1)).toMatchObject({ conversations: 0 });
      expect(await sweepAll(store, MORNING + HOUR)).toMatchObject({ conversations: 1 });
    });

    it('marks turns that have run for over ten minutes as interrupted', async () => {
      const { store } = subject();
      const [lost, late] = [openTurn(), openTurn({ askedAt: MORNING + MINUTE })];
      await conversations().openTurn(lost, []);
      await conversations().openTurn(late, []);
      const now = MORNING + 10 * MINUTE + 1;
      expect(await sweepAll(store, now)).toMatchObject({ interrupted: 1 });
      expect(await conversations().findTurn(lost.messageId)).toEqual({
        ...running(lost),
        state: 'interrupted',
        finishedAt: now,
      });
      expect(await conversations().findTurn(late.messageId)).toEqual(running(late));
      expect(await sweepAll(store, now)).toMatchObject({ interrupted: 0 });
    });

    it('interrupts every running turn when a process takes over', async () => {
      const { store } = subject();
      const [lost, done] = [openTurn(), openTurn()];
      for (const turn of [lost, done]) await conversations().openTurn(turn, []);
      await conversations().closeTurn(closeTurn(done.messageId), []);
      expect(await store.interruptRunning(MORNING + 1)).toBe(1);
      expect(await conversations().findTurn(lost.messageId)).toEqual({
        ...running(lost),
        state: 'interrupted',
        finishedAt: MORNING + 1,
      });
      expect(await conversations().findTurn(done.messageId)).toMatchObject({ state: 'complete' });
      expect(await conversations().closeTurn(closeTurn(lost.messageId), [])).toBe('gone');
    });

    it('deletes in bounded steps until nothing is due', async () => {
      const { store } = subject();
      const due = Array.from({ length: 120 }, () => openTurn({ deleteAfterMillis: MORNING }));
      await Promise.all(due.map((turn) => conversations().openTurn(turn, [])));
      let swept = 0;
      let steps = 0;
      for (let more = true; more; steps += 1) {
        const step = await store.sweep(MORNING);
        swept += step.conversations;
        more = step.more;
      }
      expect(swept).toBe(120);
      expect(steps).toBeGreaterThan(1);
    });
  });
}

function running(turn: OpenTurn): Turn {
  const { deleteAfterMillis: _, ...kept } = turn;
  return { ...kept, answer: '', state: 'running', frames: [], attempt: 1 };
}

export function rating(turn: OpenTurn, changes: Partial<Feedback> = {}): Feedback {
  const { messageId, visitorId } = turn;
  return { id: newId('fb'), messageId, visitorId, rating: 'up', atMillis: MORNING, ...changes };
}

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
      expect(turns).toEqual(whole);
      const start = await conversations().listTranscript(conversationId, 1);
      const rest = await conversations().listTranscript(conversationId, 10, start[0]);
      expect([...start, ...rest]).toEqual(whole);
      expect(await conversations().listTranscript(gone.conversationId, 10)).toEqual([]);
      const { store, there } = subject();
      expect(await store.in(there).conversations.listTranscript(conversationId, 10)).toEqual([]);
      expect(await store.in(there).conversations.listRated(10)).toEqual([]);
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
      expect([...one, ...two]).toEqual(whole);
      const within = { fromMillis: MORNING, beforeMillis: MORNING + MINUTE };
      expect(await conversations().listRated(10, undefined, within)).toEqual(whole.slice(2));
      expect(await conversations().listRated(10, whole[0], within)).toEqual(whole.slice(2));
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
      await conversations().rate(
        rating(third, { rating: 'down', reasons: '["outdated"]', atMillis: MORNING + 1 }),
        [],
      );
      const found = await conversations().findKept(conversationId);
      expect(found).toEqual({
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
      expect(await conversations().listConversations(10)).toEqual([found]);
      const ratings = await conversations().ratings(conversationId);
      expect(ratings.toSorted((one) => (one.rating === 'up' ? -1 : 1))).toEqual([
        { messageId: first.messageId, rating: 'up', comment: 'Danke' },
        { messageId: third.messageId, rating: 'down', reasons: '["outdated"]' },
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
      expect(await list(10)).toEqual(['d', 'c', 'b', 'a']);
      const [, second] = await conversations().listConversations(2);
      expect(await list(2, second)).toEqual(['b', 'a']);
      expect(await list(10, { id: 'b', startedAt: MORNING })).toEqual(['a']);
      const within = { fromMillis: MORNING, beforeMillis: MORNING + HOUR };
      expect(await list(10, undefined, within)).toEqual(['c', 'b', 'a']);
      expect(await list(10, second, within)).toEqual(['b', 'a']);
      expect(await list(10, undefined, { ...within, fromMillis: MORNING + 1 })).toEqual(['c']);
      expect(await list(2, undefined, undefined, visitorId)).toEqual(['d', 'c']);
      expect(await list(2, second, within, visitorId)).toEqual(['b']);
      expect(await list(2, undefined, undefined, newId('vp'))).toEqual([]);
    });

    it('excludes conversations with a deadline and those of another workspace', async () => {
      const { store, there } = subject();
      const denied = await ask({ deleteAfterMillis: MORNING + HOUR });
      await finish(denied, 'no_knowledge');
      const kept = await ask();
      await finish(kept, 'no_knowledge');
      await conversations().rate(rating(kept), []);
      expect(await conversations().findKept(denied.conversationId)).toBeUndefined();
      expect((await conversations().listConversations(10)).map(({ id }) => id)).toEqual([
        kept.conversationId,
      ]);
      expect(await conversations().listConversations(10, undefined, undefined, denied.visitorId)).toEqual([]);
      expect(await conversations().listQuestions('no_knowledge', 10)).toEqual([
        { messageId: kept.messageId, question: kept.question, requestedLocale: 'en', askedAt: MORNING },
      ]);
      const elsewhere = store.in(there).conversations;
      expect(await elsewhere.findKept(kept.conversationId)).toBeUndefined();
      expect(await elsewhere.listConversations(10)).toEqual([]);
      expect(await elsewhere.listConversations(10, undefined, undefined, kept.visitorId)).toEqual([]);
      expect(await elsewhere.ratings(kept.conversationId)).toEqual([]);
      expect(await elsewhere.listQuestions('no_knowledge', 10)).toEqual([]);
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
      expect(await list(2)).toEqual(['One?', 'Two?']);
      expect(await list(2, turns[1])).toEqual(['Three?']);
      const within = { fromMillis: MORNING + 1, beforeMillis: MORNING + 2 };
      expect(await list(2, undefined, within)).toEqual(['Two?']);
      expect(await list(2, turns[0], within)).toEqual(['Two?']);
      expect(await list(2, turns[1], within)).toEqual([]);
      expect(await conversations().listQuestions('refusal', 10)).toEqual([]);
    });
  });
}
