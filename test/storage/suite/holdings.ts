import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import type { ArrivingRow, Holdings } from '../../../server/storage/holdings.ts';
import type { Workspace } from '../../../server/storage/workspaces.ts';
import { article, closeTurn, consent, event, HOUR, MORNING, openTurn, workspace } from '../samples.ts';
import type { Subject } from '../store.suite.ts';
import { rating } from './conversations.ts';
import { auditEntry } from './events.ts';

const BY = { actor: 'operator', atMillis: MORNING };

export function describeHoldings(subject: () => Subject): void {
  async function fill(workspaceId: string) {
    const { articles, audit, consents, conversations } = subject().store.in(workspaceId);
    const texts = { answer: 'Refunds take five days.' };
    const refunds = article('refunds', texts, { de: { answer: 'Fünf Tage.' } });
    await articles.import([refunds, article('returns', texts)], BY);
    await articles.import([{ ...article('refunds', { answer: 'Refunds take a week.' }) }], BY);
    const turn = openTurn({ idempotencyKey: 'key-1' });
    await conversations.openTurn(turn, [event({ atMillis: MORNING + 1 }), event()]);
    await conversations.closeTurn(closeTurn(turn.messageId), []);
    await conversations.rate(rating(turn), []);
    const secret = openTurn({ deleteAfterMillis: MORNING + HOUR });
    await conversations.openTurn(secret, [event({ conversationId: secret.conversationId })]);
    await consents.append(consent({ visitorId: turn.visitorId }));
    await audit.append(auditEntry(MORNING));
    return { turn, secret };
  }

  /** Page by page, one row each. */
  async function all<Row>(pages: (limit: number, after?: Row) => Promise<readonly Row[]>): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const last = rows.at(-1);
      const page = await (last === undefined ? pages(1) : pages(1, last));
      if (page.length === 0) return rows;
      rows.push(...page);
    }
  }

  async function everythingOf(holdings: Holdings) {
    const articles = await all(holdings.articles);
    const conversations = await all(holdings.conversations);
    return {
      members: await all(holdings.members),
      policies: await all(holdings.policies),
      subjects: await all(holdings.subjects),
      consents: await all(holdings.consents),
      decisions: await all(holdings.decisions),
      articles,
      revisions: await Promise.all(
        articles.map(({ id, revision }) => holdings.articleRevisions(id, revision, 10, 0)),
      ),
      translations: await Promise.all(
        articles.flatMap(({ translations }) =>
          translations.map(({ id, revision }) => holdings.translationRevisions(id, revision, 10, 0)),
        ),
      ),
      conversations,
      turns: await Promise.all(conversations.map(({ id }) => holdings.turns(id, 10))),
      events: await all(holdings.events),
      audit: await all(holdings.audit),
    };
  }

  const newcomer = (): Workspace => ({ ...workspace(), enabled: true, version: 3, updatedAt: MORNING });
  const time = { nowMillis: MORNING, untilMillis: MORNING + HOUR };

  describe('what a workspace holds', () => {
    it('is read in pages, each row once, and nothing of it in another workspace', async () => {
      const { store, here, there } = subject();
      const { turn } = await fill(here);
      const held = await everythingOf(store.in(here).holdings);
      expect(held.articles.map(({ slug }) => slug)).toStrictEqual(['refunds', 'returns']);
      expect(held.revisions.map((revisions) => revisions.map(({ revision }) => revision))).toStrictEqual([
        [1, 2],
        [1],
      ]);
      expect(held.articles[0]!.translations).toMatchObject([{ locale: 'de', live: { revision: 1 } }]);
      expect(held.turns[0]).toMatchObject([{ messageId: turn.messageId, feedback: { rating: 'up' } }]);
      expect(held.events.map(({ atMillis }) => atMillis)).toStrictEqual([MORNING, MORNING + 1]);
      expect([held.subjects, held.consents, held.decisions].map((rows) => rows.length)).toStrictEqual([
        1, 1, 1,
      ]);
      expect(Object.values(await everythingOf(store.in(there).holdings)).flat()).toStrictEqual([]);
      const { articleRevisions, turns } = store.in(there).holdings;
      expect(await articleRevisions(held.articles[0]!.id, 9, 10, 0)).toStrictEqual([]);
      expect(await turns(turn.conversationId, 10)).toStrictEqual([]);
    });

    it('has no conversation that must be deleted by a certain time', async () => {
      const { store, here } = subject();
      const { turn, secret } = await fill(here);
      const { holdings } = store.in(here);
      expect((await all(holdings.conversations)).map(({ id }) => id)).toStrictEqual([turn.conversationId]);
      expect(await holdings.turns(secret.conversationId, 10)).toStrictEqual([]);
      const ids = (await all(holdings.events)).map(({ conversationId }) => conversationId);
      expect(ids).not.toContain(secret.conversationId);
    });
  });

  describe('a workspace that arrives', () => {
    const member = { id: newId('mem'), email: 'new@example.com', role: 'owner' as const, createdAt: MORNING };
    const rows = (): ArrivingRow[] => [
      { kind: 'member', row: { ...member, id: newId('mem') }, newUserId: newId('usr') },
    ];

    it('is seen by nobody before it is complete, and then as it was', async () => {
      const { store } = subject();
      const { arrivals, workspaces } = store;
      const arriving = newcomer();
      expect(await arrivals.begin(arriving, time.untilMillis)).toBe('begun');
      expect(await arrivals.begin(arriving, time.untilMillis)).toBe('id_taken');
      expect(await arrivals.put(arriving.id, rows(), time)).toBe('put');
      expect(await workspaces.find(arriving.id)).toBeUndefined();
      expect(await workspaces.findByAppId(arriving.appId)).toBeUndefined();
      expect(await arrivals.complete(arriving.id, arriving.appId, MORNING)).toBe('complete');
      expect(await workspaces.find(arriving.id)).toStrictEqual(arriving);
      expect(await store.in(arriving.id).members.list()).toMatchObject([{ email: 'new@example.com' }]);
    });

    it('says which row is there already', async () => {
      const { store } = subject();
      const arriving = newcomer();
      await store.arrivals.begin(arriving, time.untilMillis);
      const [row] = rows();
      expect(await store.arrivals.put(arriving.id, [row!, row!], time)).toStrictEqual({ taken: 1 });
    });

    it('takes no app id of another one, and the place of none that holds something', async () => {
      const { store, here, there } = subject();
      const { arrivals, workspaces } = store;
      const arriving = newcomer();
      await fill(here);
      const { appId } = (await workspaces.find(there))!;
      await arrivals.begin(arriving, time.untilMillis);
      expect(await arrivals.complete(arriving.id, appId, MORNING)).toBe('app_id_taken');
      expect(await arrivals.isEmpty(here)).toBe(false);
      expect(await arrivals.complete(arriving.id, arriving.appId, MORNING, here)).toBe('not_empty');
      expect(await arrivals.isEmpty(there)).toBe(true);
      expect(await arrivals.complete(arriving.id, appId, MORNING, there)).toBe('complete');
      expect(await workspaces.find(there)).toBeUndefined();
      expect((await workspaces.findByAppId(appId))?.id).toBe(arriving.id);
    });

    it.each(['abandoned', 'silent'])('that is %s counts as removed', async (how) => {
      const { store } = subject();
      const { arrivals, workspaces } = store;
      const arriving = newcomer();
      await arrivals.begin(arriving, time.untilMillis);
      await arrivals.put(arriving.id, rows(), time);
      const later = how === 'silent' ? time.untilMillis + 1 : MORNING;
      if (how === 'abandoned') await arrivals.abandon(arriving.id);
      expect(await arrivals.put(arriving.id, rows(), { nowMillis: later, untilMillis: later + HOUR })).toBe(
        'gone',
      );
      expect(await arrivals.complete(arriving.id, arriving.appId, later)).toBe('gone');
      while ((await workspaces.removeRest(later)).more);
      expect(await store.users.findByEmail('new@example.com')).toBeUndefined();
      expect(await arrivals.begin(arriving, time.untilMillis)).toBe('begun');
    });
  });

  describe('a workspace that is removed', () => {
    it('is gone at once, and what it held bit by bit', async () => {
      const { store, here, there } = subject();
      await fill(here);
      await store.in(there).audit.append(auditEntry(MORNING));
      const { appId } = (await store.workspaces.find(here))!;
      expect(await store.workspaces.remove(here, MORNING)).toBe('removed');
      expect(await store.workspaces.remove(here, MORNING)).toBe('gone');
      expect(await store.workspaces.find(here)).toBeUndefined();
      expect((await store.workspaces.list()).map(({ id }) => id)).toStrictEqual([there]);
      expect(await store.workspaces.removeRest(MORNING - 1)).toStrictEqual({ more: false, waiting: false });
      expect((await all(store.in(here).holdings.audit)).length).toBeGreaterThan(0);

      while ((await store.workspaces.removeRest(MORNING)).more);
      expect(Object.values(await everythingOf(store.in(here).holdings)).flat()).toStrictEqual([]);
      expect(await store.in(here).passages.partitions()).toStrictEqual([]);
      expect(await store.in(there).audit.list(10)).toHaveLength(1);
      expect(await store.workspaces.create(workspace({ id: here, appId }))).toBe('created');
    });
  });
}
