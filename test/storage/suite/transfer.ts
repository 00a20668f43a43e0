import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { WorkspaceExport } from '../../../server/storage/workspace-export.ts';
import type { ImportRow } from '../../../server/storage/workspace-import.ts';
import type { Workspace } from '../../../server/storage/workspaces.ts';
import {
  article,
  closeTurn,
  consent,
  event,
  HOUR,
  MORNING,
  openTurn,
  workspace,
} from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { rating } from './conversations.ts';
import { auditEntry } from './events.ts';

const BY = { actor: 'operator', atMillis: MORNING };

export function describeTransfer(subject: () => Subject): void {
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

  /** Reads in pages of one row each. */
  async function readPages<Row>(
    pages: (limit: number, after?: Row) => Promise<readonly Row[]>,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const last = rows.at(-1);
      const page = await (last === undefined ? pages(1) : pages(1, last));
      if (page.length === 0) return rows;
      rows.push(...page);
    }
  }

  async function everythingOf(workspaceExport: WorkspaceExport) {
    const articles = await readPages(workspaceExport.articles);
    const conversations = await readPages(workspaceExport.conversations);
    return {
      members: await readPages(workspaceExport.members),
      policies: await readPages(workspaceExport.consentPolicies),
      subjects: await readPages(workspaceExport.consentSubjects),
      consents: await readPages(workspaceExport.consentRecords),
      decisions: await readPages(workspaceExport.consentCurrent),
      articles,
      revisions: await Promise.all(articles.map(({ id }) => workspaceExport.articleRevisions(id, 10, 0))),
      translations: await Promise.all(
        articles.flatMap(({ translations }) =>
          translations.map(({ id }) => workspaceExport.translationRevisions(id, 10, 0)),
        ),
      ),
      conversations,
      turns: await Promise.all(conversations.map(({ id }) => workspaceExport.turns(id, 10))),
      events: await readPages(workspaceExport.events),
      audit: await readPages(workspaceExport.audit),
    };
  }

  const newWorkspace = (): Workspace => ({ ...workspace(), enabled: true, version: 3, updatedAt: MORNING });
  const time = { nowMillis: MORNING, untilMillis: MORNING + HOUR };

  describe('workspace snapshot', () => {
    it('returns each row once, in pages, and nothing of another workspace', async () => {
      const { store, here, there } = subject();
      const { turn } = await fill(here);
      const exportedRows = await everythingOf(store.in(here).workspaceExport);
      expect(exportedRows.articles.map(({ slug }) => slug)).toEqual(['refunds', 'returns']);
      expect(exportedRows.revisions.map((revisions) => revisions.map(({ revision }) => revision))).toEqual([
        [1, 2],
        [1],
      ]);
      expect(exportedRows.articles[0]!.translations).toMatchObject([{ locale: 'de', liveRevision: 1 }]);
      expect(exportedRows.turns[0]).toMatchObject([
        { messageId: turn.messageId, feedback: { rating: 'up' } },
      ]);
      expect(exportedRows.events.map(({ atMillis }) => atMillis)).toEqual([MORNING, MORNING + 1]);
      expect(
        [exportedRows.subjects, exportedRows.consents, exportedRows.decisions].map((rows) => rows.length),
      ).toEqual([1, 1, 1]);
      expect(Object.values(await everythingOf(store.in(there).workspaceExport)).flat()).toEqual([]);
      const { articleRevisions, turns } = store.in(there).workspaceExport;
      expect(await articleRevisions(exportedRows.articles[0]!.id, 10, 0)).toEqual([]);
      expect(await turns(turn.conversationId, 10)).toEqual([]);
    });

    it('excludes conversations with a deletion deadline', async () => {
      const { store, here } = subject();
      const { turn, secret } = await fill(here);
      const { workspaceExport } = store.in(here);
      expect((await readPages(workspaceExport.conversations)).map(({ id }) => id)).toEqual([
        turn.conversationId,
      ]);
      expect(await workspaceExport.turns(secret.conversationId, 10)).toEqual([]);
      const ids = (await readPages(workspaceExport.events)).map(({ conversationId }) => conversationId);
      expect(ids).not.toContain(secret.conversationId);
    });
  });

  describe('workspace import', () => {
    const member = { id: newId('mem'), email: 'new@example.com', role: 'owner' as const, createdAt: MORNING };
    const rows = (): ImportRow[] => [
      { table: 'members', row: { ...member, id: newId('mem'), workspaceId: '', userId: newId('usr') } },
    ];

    it('hides the workspace until it is complete, then matches the export', async () => {
      const { store } = subject();
      const { workspaceImports, workspaces } = store;
      const imported = newWorkspace();
      expect(await workspaceImports.begin(imported, time.untilMillis)).toBe('begun');
      expect(await workspaceImports.begin(imported, time.untilMillis)).toBe('id_taken');
      expect(await workspaceImports.put(imported.id, rows(), time)).toBe('put');
      expect(await workspaces.find(imported.id)).toBeUndefined();
      expect(await workspaces.findByAppId(imported.appId)).toBeUndefined();
      expect(await workspaceImports.complete(imported.id, imported.appId, MORNING)).toBe('complete');
      expect(await workspaces.find(imported.id)).toEqual(imported);
      expect(await store.in(imported.id).members.list()).toMatchObject([{ email: 'new@example.com' }]);
    });

    it('names the row that already exists, and stores none of its call', async () => {
      const { store } = subject();
      const imported = newWorkspace();
      await store.workspaceImports.begin(imported, time.untilMillis);
      const [row] = rows();
      expect(await store.workspaceImports.put(imported.id, [row!, row!], time)).toEqual({ taken: 1 });
      expect(await store.workspaceImports.put(imported.id, [row!], time)).toBe('put');
    });

    it('rejects a taken app id, and replaces a workspace only if it is empty', async () => {
      const { store, here, there } = subject();
      const { workspaceImports, workspaces } = store;
      const imported = newWorkspace();
      await fill(here);
      const { appId } = (await workspaces.find(there))!;
      await workspaceImports.begin(imported, time.untilMillis);
      expect(await workspaceImports.complete(imported.id, appId, MORNING)).toBe('app_id_taken');
      expect(await workspaceImports.isEmpty(here)).toBe(false);
      expect(await workspaceImports.complete(imported.id, imported.appId, MORNING, here)).toBe('not_empty');
      expect(await workspaceImports.isEmpty(there)).toBe(true);
      expect(await workspaceImports.complete(imported.id, appId, MORNING, there)).toBe('complete');
      expect(await workspaces.find(there)).toBeUndefined();
      expect((await workspaces.findByAppId(appId))?.id).toBe(imported.id);
    });

    it.each(['abandoned', 'silent'])('treats a workspace that is %s as removed', async (how) => {
      const { store } = subject();
      const { workspaceImports, workspaces } = store;
      const imported = newWorkspace();
      await workspaceImports.begin(imported, time.untilMillis);
      await workspaceImports.put(imported.id, rows(), time);
      const later = how === 'silent' ? time.untilMillis + 1 : MORNING;
      if (how === 'abandoned') await workspaceImports.abandon(imported.id);
      expect(
        await workspaceImports.put(imported.id, rows(), { nowMillis: later, untilMillis: later + HOUR }),
      ).toBe('gone');
      expect(await workspaceImports.complete(imported.id, imported.appId, later)).toBe('gone');
      while ((await workspaces.purgeRemoved(later)).more);
      expect(await store.users.listByEmail('new@example.com').then(([first]) => first)).toBeUndefined();
      expect(await workspaceImports.begin(imported, time.untilMillis)).toBe('begun');
    });
  });

  describe('workspace removal', () => {
    it('hides the workspace at once and purges its rows step by step', async () => {
      const { store, here, there } = subject();
      await fill(here);
      await store.in(there).audit.append(auditEntry(MORNING));
      const { appId } = (await store.workspaces.find(here))!;
      expect(await store.workspaces.remove(here, MORNING)).toBe('removed');
      expect(await store.workspaces.remove(here, MORNING)).toBe('gone');
      expect(await store.workspaces.find(here)).toBeUndefined();
      expect((await store.workspaces.list()).map(({ id }) => id)).toEqual([there]);
      expect(await store.workspaces.purgeRemoved(MORNING - 1)).toEqual({ more: false, waiting: false });
      expect((await readPages(store.in(here).workspaceExport.audit)).length).toBeGreaterThan(0);

      while ((await store.workspaces.purgeRemoved(MORNING)).more);
      expect(Object.values(await everythingOf(store.in(here).workspaceExport)).flat()).toEqual([]);
      expect(await store.in(here).passages.partitions()).toEqual([]);
      expect(await store.in(there).audit.list(10)).toHaveLength(1);
      expect(await store.workspaces.create(workspace({ id: here, appId }))).toBe('created');
    });
  });
}
