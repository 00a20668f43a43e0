import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { ConversationFilter } from '../../../server/storage/conversation-queries.ts';
import type { CloseTurn, OpenTurn } from '../../../server/storage/conversations.ts';
import type { EventFilter } from '../../../server/storage/event-queries.ts';
import type { EventPosition, Scan } from '../../../server/storage/keyset.ts';
import {
  closeTurn,
  consent,
  currentDecision,
  event,
  HOUR,
  MINUTE,
  MORNING,
  openTurn,
  sweepAll,
  TOMBSTONE,
} from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { rating } from './conversations.ts';

/** Tests the queries behind the export endpoints. */
export function describeExportReading(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);

  /** Collects all results in pages of this many rows. */
  async function readPages<Row>(
    limit: number,
    query: (limit: number, after?: EventPosition) => Promise<Scan<readonly Row[]>>,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    for (let after: EventPosition | undefined; ; ) {
      const { found, continueAfter } = await query(limit, after);
      expect(found.length).toBeLessThanOrEqual(limit);
      rows.push(...found);
      if (!continueAfter) return rows;
      after = continueAfter;
    }
  }

  describe('event export queries', () => {
    const [visitorId, conversationId] = [newId('vp'), newId('conv')];
    const rows = [
      event({ data: { locale: 'de' } }),
      event({ atMillis: MORNING + 1, visitorId, data: { locale: 'en' } }),
      event({
        atMillis: MORNING + 2,
        type: 'turn',
        visitorId,
        conversationId,
        data: { requested_locale: 'de-AT' },
      }),
      event({
        atMillis: MORNING + 3,
        type: 'turn',
        conversationId,
        data: { requested_locale: 'pt-BR', locale: 'de' },
      }),
      event({
        atMillis: MORNING + 4,
        type: 'feedback',
        visitorId,
        data: { rating: 'up', note: 'a "b" \\ c', none: null },
      }),
    ];
    const within = { fromMillis: MORNING + 1, beforeMillis: MORNING + 4 };
    const filters: [string, EventFilter, number[]][] = [
      ['nothing', {}, [0, 1, 2, 3, 4]],
      ['a range', { within }, [1, 2, 3]],
      ['a type', { type: 'turn' }, [2, 3]],
      ['a visitor', { visitorId }, [1, 2, 4]],
      ['a visitor in a range', { visitorId, within }, [1, 2]],
      ['a conversation', { conversationId }, [2, 3]],
      ['a conversation and a visitor', { conversationId, visitorId }, [2]],
      ['a language', { locale: 'DE-at' }, [2]],
      ['another language', { locale: 'de' }, [0]],
      ['a type without rows', { type: 'voice', visitorId, locale: 'fr' }, []],
    ];

    it.each(filters)(
      'returns events by %s in pages of any size, as rows and as lines',
      async (_what, wanted, places) => {
        await here().events.append(rows);
        await subject()
          .store.in(subject().there)
          .events.append(rows.map((row) => ({ ...row, id: newId('evt') })));
        const expected = places.map((at) => rows[at]);
        for (const limit of [1, 2, 3, 10]) {
          expect(
            await readPages(limit, (most, after) => here().events.queryRows(most, wanted, after)),
          ).toEqual(expected);
          const lines = await readPages(limit, async (most, after) => {
            const { found, ...step } = await here().events.queryLines(most, wanted, after);
            return { ...step, found: found === '' ? [] : found.split('\n') };
          });
          expect(lines.map((line) => JSON.parse(line))).toEqual(
            places.map((at) => {
              const { id, atMillis, type, data, ...named } = rows[at]!;
              return {
                id,
                at: new Date(atMillis).toISOString(),
                type,
                ...(named.visitorId ? { visitor_id: named.visitorId } : {}),
                ...(named.conversationId ? { conversation_id: named.conversationId } : {}),
                data,
              };
            }),
          );
        }
      },
    );
  });

  describe('conversation export queries', () => {
    const turnsOf = (wanted: ConversationFilter = {}, after?: EventPosition) =>
      here().conversations.queryTurns(100, wanted, after);
    const idsOf = async (wanted: ConversationFilter = {}, after?: EventPosition) =>
      (await turnsOf(wanted, after)).found.map(({ messageId }) => messageId);

    async function ask(opened: Partial<OpenTurn> = {}, closed: Partial<CloseTurn> = {}): Promise<OpenTurn> {
      const turn = openTurn(opened);
      const { conversations } = here();
      await conversations.openTurn(turn, []);
      await conversations.closeTurn(closeTurn(turn.messageId, closed), []);
      return turn;
    }

    it('returns turns with text, outcome and rating, in the order they finished', async () => {
      const { conversations } = here();
      const [first, second] = [openTurn({ requestedLocale: 'de' }), openTurn({ askedAt: MORNING + 1 })];
      for (const turn of [first, second]) await conversations.openTurn(turn, []);
      expect((await turnsOf()).found).toEqual([]);
      await conversations.closeTurn(closeTurn(second.messageId, { finishedAt: MORNING + 5 }), []);
      // The clock of another process may lag behind.
      await conversations.closeTurn(
        closeTurn(first.messageId, { finishedAt: MORNING + 2, requestedLocale: 'de' }),
        [],
      );
      await conversations.rate(rating(first, { rating: 'down', comment: 'No', reasons: '["outdated"]' }), []);
      const {
        idempotencyKey: _,
        payloadHash: __,
        attempt: ___,
        ...listTranscript
      } = (await conversations.findTurn(first.messageId))!;
      const { found } = await turnsOf();
      expect(found).toHaveLength(2);
      expect(found[0]).toMatchObject({ messageId: second.messageId, atMillis: MORNING + 5 });
      expect(found[1]).toEqual({
        ...listTranscript,
        atMillis: MORNING + 6,
        rating: 'down',
        comment: 'No',
        reasons: '["outdated"]',
      });
      const started = (await conversations.queryConversations(10, {})).found;
      expect(started).toEqual([
        { ...(await conversations.findKept(first.conversationId)), atMillis: MORNING },
        { ...(await conversations.findKept(second.conversationId)), atMillis: MORNING + 1 },
      ]);
    });

    it('applies filters in every page', async () => {
      const visitorId = newId('vp');
      const turns = [
        await ask({ visitorId }),
        await ask({ askedAt: MORNING + 10_000 }, { finishedAt: MORNING + 20_000, requestedLocale: 'pt-BR' }),
        await ask(
          { visitorId, requestedLocale: 'de', askedAt: MORNING + 21_000 },
          { finishedAt: MORNING + 30_000, requestedLocale: 'de' },
        ),
      ];
      await ask(
        { visitorId, conversationId: turns[2]!.conversationId, askedAt: MORNING + 40_000 },
        { finishedAt: MORNING + 50_000 },
      );
      const conversationId = turns[2]!.conversationId;
      const within = { fromMillis: MORNING + 20_000, beforeMillis: MORNING + 50_000 };
      const listFinishTimes = async (wanted: ConversationFilter) => {
        const pagesByLimit = [1, 2, 10].map(async (limit) => {
          const found = await readPages(limit, (most, after) =>
            here().conversations.queryTurns(most, wanted, after),
          );
          return found.map(({ atMillis }) => atMillis - MORNING);
        });
        const [ones, twos, tens] = await Promise.all(pagesByLimit);
        expect([ones, twos]).toEqual([tens, tens]);
        return tens;
      };
      expect(await listFinishTimes({})).toEqual([1000, 20_000, 30_000, 50_000]);
      expect(await listFinishTimes({ within })).toEqual([20_000, 30_000]);
      expect(await listFinishTimes({ visitorId })).toEqual([1000, 30_000, 50_000]);
      expect(await listFinishTimes({ visitorId, within })).toEqual([30_000]);
      expect(await listFinishTimes({ conversationId })).toEqual([30_000, 50_000]);
      expect(await listFinishTimes({ conversationId, visitorId: newId('vp') })).toEqual([]);
      expect(await listFinishTimes({ locale: 'PT-br' })).toEqual([20_000]);
      const listStartedTurns = async (wanted: ConversationFilter) => {
        const found = await readPages(1, (limit, after) =>
          here().conversations.queryConversations(limit, wanted, after),
        );
        return found.map(({ id }) => turns.findIndex((turn) => turn.conversationId === id));
      };
      expect(await listStartedTurns({})).toEqual([0, 1, 2]);
      expect(await listStartedTurns({ visitorId })).toEqual([0, 2]);
      expect(await listStartedTurns({ conversationId })).toEqual([2]);
      expect(await listStartedTurns({ locale: 'DE' })).toEqual([2]);
      expect(
        await listStartedTurns({ within: { fromMillis: MORNING + 1, beforeMillis: MORNING + 20_000 } }),
      ).toEqual([1]);
      const elsewhere = subject().store.in(subject().there).conversations;
      expect(await elsewhere.queryTurns(10, { visitorId })).toEqual({ found: [] });
      expect(await elsewhere.queryTurns(10, { conversationId })).toEqual({ found: [] });
      expect(await elsewhere.queryConversations(10, { conversationId })).toEqual({ found: [] });
    });

    it('excludes turns with a deadline and assigns a new position once it is removed', async () => {
      const { consents, conversations } = here();
      const visitorId = newId('vp');
      const hidden = await ask({ visitorId, deleteAfterMillis: MORNING + 24 * HOUR });
      const shown = await ask({}, { finishedAt: MORNING + MINUTE });
      expect(await idsOf()).toEqual([shown.messageId]);
      const { found } = await turnsOf();
      const position = { atMillis: found[0]!.atMillis, id: shown.messageId };
      const decided = { ...currentDecision(), decidedAt: MORNING + HOUR };
      await consents.append(
        consent({ visitorId, currentDecision: decided, deleteConversationsAfterMillis: null }),
      );
      const nextPage = await turnsOf({}, position);
      expect(nextPage.found).toMatchObject([{ messageId: hidden.messageId, atMillis: MORNING + HOUR }]);
      expect(await idsOf()).toEqual([shown.messageId, hidden.messageId]);
      const conversationRows = (await conversations.queryConversations(10, {})).found;
      expect(conversationRows).toMatchObject([
        { id: shown.conversationId },
        { id: hidden.conversationId, atMillis: MORNING + HOUR },
      ]);
      await consents.append(consent({ visitorId, deleteConversationsAfterMillis: MORNING + 2 * HOUR }));
      expect(await idsOf()).toEqual([shown.messageId]);
    });

    it('removes a restarted turn from its position and assigns a new one when it finishes', async () => {
      const { conversations } = here();
      const interrupted = await ask({}, { state: 'interrupted' });
      const other = await ask({}, { finishedAt: MORNING + MINUTE });
      expect(await idsOf()).toEqual([interrupted.messageId, other.messageId]);
      await conversations.reopenTurn(interrupted.messageId, 1, MORNING + 2 * MINUTE);
      expect(await idsOf()).toEqual([other.messageId]);
      await conversations.closeTurn(
        closeTurn(interrupted.messageId, { attempt: 2, finishedAt: MORNING + 3 * MINUTE }),
        [],
      );
      expect(await idsOf()).toEqual([other.messageId, interrupted.messageId]);
    });

    it('assigns positions behind turns erased before', async () => {
      const first = await ask({}, { finishedAt: MORNING + MINUTE });
      const { found } = await turnsOf();
      const position = { atMillis: found[0]!.atMillis, id: first.messageId };
      await here().eraseVisitor(first.visitorId, TOMBSTONE);
      const next = await ask({}, { finishedAt: MORNING });
      expect(await idsOf({}, position)).toEqual([next.messageId]);
    });

    it('assigns a position to turns that only the sweep finished', async () => {
      const abandoned = openTurn();
      await here().conversations.openTurn(abandoned, []);
      await sweepAll(subject().store, MORNING + HOUR);
      expect((await turnsOf()).found).toMatchObject([
        { messageId: abandoned.messageId, state: 'interrupted', atMillis: MORNING + HOUR },
      ]);
    });

    it('assigns positions behind all others after the clock was set back', async () => {
      const ahead = await ask({}, { finishedAt: MORNING + 2 * HOUR });
      const next = await ask({}, { finishedAt: MORNING + MINUTE });
      const later = await ask({}, { finishedAt: MORNING + 2 * MINUTE });
      const { found } = await turnsOf();
      expect(found).toMatchObject([
        { messageId: ahead.messageId, atMillis: MORNING + 2 * HOUR },
        { messageId: next.messageId, atMillis: MORNING + MINUTE },
        { messageId: later.messageId, atMillis: MORNING + 2 * MINUTE },
      ]);
      expect(await idsOf({}, { ...found[1]!, id: next.messageId })).toEqual([later.messageId]);
      const within = { fromMillis: MORNING + 2 * MINUTE, beforeMillis: MORNING + HOUR };
      expect(await idsOf({ within })).toEqual([later.messageId]);
    });
  });
}
