import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import type { Feedback, OpenTurn, Turn } from '../../../server/storage/conversations.ts';
import { closeTurn, event, HOUR, MINUTE, MORNING, openTurn, sweepAll, TOMBSTONE } from '../samples.ts';
import type { Subject } from '../temporary-store.ts';

export function describeConversations(subject: () => Subject): void {
  const conversations = () => subject().store.in(subject().here).conversations;
  const events = () => subject().store.in(subject().here).events;

  describe('conversations', () => {
    it('starts a conversation with its first question', async () => {
      const turn = openTurn({ idempotencyKey: 'key-1', payloadHash: 'abc' });
      expect(await conversations().openTurn(turn, [])).toBe('opened');
      expect(await conversations().find(turn.conversationId)).toStrictEqual({
        id: turn.conversationId,
        visitorId: turn.visitorId,
        startedAt: MORNING,
        nextTurnIdx: 1,
        turnCount: 1,
        ended: false,
      });
      expect(await conversations().findTurn(turn.messageId)).toStrictEqual(running(turn));
      expect(await conversations().findTurnByKey(turn.visitorId, 'key-1')).toStrictEqual(running(turn));
    });

    it('returns nothing for unknown ids', async () => {
      expect(await conversations().find('conv_unknown')).toBeUndefined();
      expect(await conversations().turns('conv_unknown', 10)).toStrictEqual([]);
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
      expect(await conversations().findTurn(turn.messageId)).toStrictEqual({ ...running(turn), ...outcome });
      expect(await conversations().find(turn.conversationId)).toMatchObject({ nextTurnIdx: 1, turnCount: 1 });
      expect(await events().list(10)).toStrictEqual([opened, cited]);
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
      expect(await ids(10)).toStrictEqual(all);
      expect(await ids(2)).toStrictEqual(all.slice(2));
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
      expect(await events().list(10)).toStrictEqual([]);
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
      expect(await own!.conversations.queryTurns(10, { conversationId })).toStrictEqual({ found: [] });
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
      expect([first, second]).toStrictEqual(['opened', 'conflict']);
      expect(await conversations().find(repeated.conversationId)).toBeUndefined();
      expect(await conversations().openTurn(openTurn({ idempotencyKey: 'key-1' }), [])).toBe('opened');
      expect(await events().list(10)).toStrictEqual([]);
    });
  });

  describe('turns', () => {
    it.each(['interrupted', 'failed'] as const)(
      'restarts a turn in state %s and keeps its partial answer',
      async (state) => {
        const turn = openTurn();
        await conversations().openTurn(turn, []);
        expect(await conversations().reopenTurn(turn.messageId, 1, MORNING + 1)).toBe('opened');
        expect(await conversations().findTurn(turn.messageId)).toStrictEqual({
          ...running(turn),
          askedAt: MORNING + 1,
          attempt: 2,
        });
        const partial = closeTurn(turn.messageId, { attempt: 2, state, answer: 'On its' });
        await conversations().closeTurn(partial, []);
        expect(await conversations().reopenTurn(turn.messageId, 2, MORNING + 2)).toBe('opened');
        expect(await conversations().findTurn(turn.messageId)).toStrictEqual({
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
      expect(await conversations().findTurn(turn.messageId)).toStrictEqual(before);
      expect(await conversations().reopenTurn('msg_unknown', 1, MORNING)).toBe('conflict');
    });

    it('is claimed by one restart at a time', async () => {
      const turn = openTurn();
      await conversations().openTurn(turn, []);
      const claims = [1, 1, 2].map((attempt) =>
        conversations().reopenTurn(turn.messageId, attempt, MORNING + 1),
      );
      expect(await Promise.all(claims)).toStrictEqual(['opened', 'conflict', 'opened']);
    });

    it('keeps an answer from earlier and later runs of its turn once it is stored', async () => {
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
      expect(await events().list(10)).toStrictEqual([]);
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
      expect(await conversations().rate(rating({ ...turn, visitorId: newId('vp') }), [event()])).toBe('gone');
      expect(await conversations().rate(rating(openTurn()), [event()])).toBe('gone');
      expect(await events().list(10)).toStrictEqual([counted]);
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
      const nothing = { conversations: 0, events: 0, interrupted: 0 };
      await conversations().closeTurn(closeTurn(turn.messageId), []);
      expect(await sweepAll(store, MORNING + HOUR - 1)).toStrictEqual(nothing);
      expect(await sweepAll(store, MORNING + HOUR)).toStrictEqual({
        ...nothing,
        conversations: 1,
        events: 1,
      });
      expect(await conversations().find(turn.conversationId)).toBeUndefined();
      expect(await conversations().findTurn(turn.messageId)).toBeUndefined();
      expect(await conversations().rate(rating(turn), [])).toBe('gone');
      expect(await events().list(10)).toStrictEqual([foreign]);
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
      expect(await conversations().findTurn(lost.messageId)).toStrictEqual({
        ...running(lost),
        state: 'interrupted',
        finishedAt: now,
      });
      expect(await conversations().findTurn(late.messageId)).toStrictEqual(running(late));
      expect(await sweepAll(store, now)).toMatchObject({ interrupted: 0 });
    });

    it('interrupts every running turn when a process takes over', async () => {
      const { store } = subject();
      const [lost, done] = [openTurn(), openTurn()];
      for (const turn of [lost, done]) await conversations().openTurn(turn, []);
      await conversations().closeTurn(closeTurn(done.messageId), []);
      expect(await store.interruptRunning(MORNING + 1)).toBe(1);
      expect(await conversations().findTurn(lost.messageId)).toStrictEqual({
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
