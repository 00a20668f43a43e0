import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { AuditEntry } from '../../../server/storage/audit.ts';
import type {
  AppliedItem,
  LastApplied,
  NewRun,
  RunCounts,
  RunItem,
  Snapshot,
  Source,
} from '../../../server/storage/source-rows.ts';
import { article, HOUR, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

const SOURCES_MAX = 10;
const RUNS_KEPT = 3;
const STAGED = { documentsMax: 100, bytesMax: 100_000 };
const NO_COUNTS: RunCounts = { added: 0, changed: 0, unchanged: 0, removed: 0, refused: 0, conflicts: 0 };

const auditRow = (action: string, details: AuditEntry['details'] = {}): AuditEntry => ({
  ...{ id: newId('aud'), atMillis: MORNING, actor: 'mem_1', action, subject: 'src_1', details },
});
const noAudit = () => undefined;

function source(changes: Partial<Source> = {}): Source {
  return {
    ...{ id: newId('src'), type: 'files', name: 'Manual', mode: 'review', schedule: 'manual' },
    ...{ paused: false, token: 'token-of-source', createdAt: MORNING, createdBy: 'mem_1' },
    ...changes,
  };
}

function snapshot(place: string, changes: Partial<Snapshot> = {}): Snapshot {
  const text = { title: place, answer: `About ${place}.`, aliases: [] };
  const hash = { contentHash: `hash of ${place}` };
  return { place, kind: 'document', upload: '', locale: 'en', title: place, ...hash, text, ...changes };
}

const item = (place: string, changes: Partial<RunItem> = {}): RunItem => ({
  ...{ place, root: place, outcome: 'added', locale: 'en', title: place, applied: false },
  ...changes,
});

const document = (place: string, changes: Partial<LastApplied> = {}): LastApplied => ({
  ...{ place, locale: 'en', contentHash: `hash of ${place}`, upload: '', removed: false },
  ...changes,
});

export function describeSources(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const there = () => subject().store.in(subject().there);
  const sources = () => here().sources;
  const runs = () => here().sources.runs;

  async function create(changes: Partial<Source> = {}): Promise<Source> {
    const created = source(changes);
    expect(await sources().create(created, SOURCES_MAX, auditRow('source.created'))).toBe('created');
    return created;
  }

  const createWebsite = (changes: Partial<Source> = {}) =>
    create({ type: 'website', website: { startUrls: ['https://a.example/'] }, ...changes });

  async function upload(sourceId: string, name: string, snapshots: readonly Snapshot[]): Promise<void> {
    expect(await sources().beginUpload(sourceId, name)).toBe('begun');
    const uploaded = snapshots.map((each) => ({ ...each, upload: name }));
    expect(await sources().addSnapshots(sourceId, uploaded, STAGED)).toBe('added');
    await sources().completeUpload(sourceId, name);
  }

  const newRun = (sourceId: string, changes: Partial<NewRun> = {}): NewRun => ({
    ...{ id: newId('run'), sourceId, preview: false, scheduled: false, createdAt: MORNING },
    ...{ createdBy: 'mem_1', ...changes },
  });

  async function start(sourceId: string, changes: Partial<NewRun> = {}): Promise<string> {
    const run = newRun(sourceId, changes);
    expect(await sources().startRun(run, RUNS_KEPT)).toBe('started');
    return run.id;
  }

  /** Starts a run that is about to apply these items. */
  async function startApplying(sourceId: string, items: readonly RunItem[]): Promise<string> {
    const runId = await start(sourceId);
    expect(await runs().begin(runId, MORNING)).toBe('begun');
    expect(await runs().addItems(runId, items)).toBe('added');
    expect(await runs().finishPlan(runId, NO_COUNTS, items.length)).toBe('applying');
    return runId;
  }

  const applied = (place: string, outcome: RunItem['outcome'] = 'added'): AppliedItem => ({
    item: item(place, { outcome, articleId: 'art_1' }),
    lastApplied: document(place),
  });

  const end = (runId: string, state: 'done' | 'failed' | 'cancelled' = 'done') =>
    runs().finish(runId, { state, atMillis: MORNING + HOUR }, noAudit);

  const listActions = async () => (await here().audit.list(20)).map(({ action }) => action);

  describe('the settings of sources', () => {
    it('are stored as they are, for websites and for files', async () => {
      const website = { startUrls: ['https://a.example/'], exclude: ['/blog/*'], pagesMax: 5 };
      const one = await createWebsite({ website, schedule: 'daily', nextRunAt: MORNING });
      const files = { baseUrl: 'https://a.example/manuals/' };
      const two = await create({ files, mode: 'publish', createdAt: MORNING + 1 });
      const none = { articles: 0, conflicts: 0, waiting: 0 };
      expect(await sources().list()).toEqual([
        { ...two, ...none },
        { ...one, ...none },
      ]);
      await subject().reopen();
      expect(await sources().find(two.id)).toEqual({ ...two, ...none });
    });

    it('replace each other, and leave what does not change', async () => {
      const { id, type, token, createdAt, createdBy } = await createWebsite({ nextRunAt: MORNING });
      const website = { startUrls: ['https://b.example/'] };
      const changed = { name: 'Shop', website, mode: 'publish', schedule: 'weekly', paused: true } as const;
      const change = { ...changed, nextRunAt: MORNING + HOUR };
      expect(await sources().change(id, change, auditRow('source.changed'))).toBe('changed');
      expect(await sources().find(id)).toMatchObject({ ...change, id, type, token, createdAt, createdBy });
      expect(await sources().change(id, changed, auditRow('source.changed'))).toBe('changed');
      expect(await sources().find(id)).not.toHaveProperty('nextRunAt');
      expect(await sources().change(newId('src'), change, auditRow('source.unknown'))).toBe('gone');
      expect(await listActions()).not.toContain('source.unknown');
    });

    it('are limited in number', async () => {
      await create();
      expect(await sources().create(source(), 1, auditRow('source.created'))).toBe('too_many');
      expect(await sources().list()).toHaveLength(1);
    });

    it('belong to one workspace', async () => {
      const { id } = await create();
      await upload(id, 'a.md', [snapshot('a.md')]);
      const runId = await start(id);
      const other = there().sources;
      expect(await other.list()).toEqual([]);
      expect(await other.find(id)).toBeUndefined();
      expect(await other.findRun(id, runId)).toBeUndefined();
      expect(await other.listRuns(id)).toEqual([]);
      expect(await other.runs.begin(runId, MORNING)).toBe('stopped');
      expect(await other.runs.finish(runId, { state: 'done', atMillis: MORNING }, noAudit)).toBeUndefined();
      expect(await other.runs.listSnapshots(id, 10, '')).toEqual([]);
      expect(await other.beginUpload(id, 'a.md')).toBe('gone');
      expect(await other.startRun(newRun(id), RUNS_KEPT)).toBe('gone');
      expect(await other.change(id, source(), auditRow('source.changed'))).toBe('gone');
      expect(await other.remove(id, auditRow('source.deleted'))).toBe('gone');
      expect(await sources().find(id)).toBeDefined();
    });
  });

  describe('deleting a source', () => {
    const removeAll = async (sourceId: string) => {
      const rows = auditRow('source.deleted');
      let outcome = await sources().remove(sourceId, rows);
      while (outcome === 'more') outcome = await sources().remove(sourceId, rows);
      return outcome;
    };

    it('deletes its rows, and keeps its articles without it', async () => {
      const { id } = await create();
      const other = await create();
      const [outcome] = await here().articles.import([article('lamp', { answer: 'A lamp.' })], {
        actor: 'mem_1',
        atMillis: MORNING,
      });
      const { articleId } = outcome!;
      await sources().adopt(id, articleId, 'a.md');
      await upload(id, 'a.md', [snapshot('a.md')]);
      await end(await startApplying(id, [item('a.md')]));
      expect(await sources().find(id)).toMatchObject({ articles: 1 });
      expect(await removeAll(id)).toBe('removed');
      expect(await sources().find(id)).toBeUndefined();
      expect(await here().articles.find(articleId)).not.toHaveProperty('source');
      expect(await sources().list()).toMatchObject([{ id: other.id }]);
      expect(await removeAll(id)).toBe('gone');
      expect((await listActions()).filter((action) => action === 'source.deleted')).toHaveLength(1);
    });

    it('leaves articles that a run writes afterwards without a source', async () => {
      const { id } = await create();
      await removeAll(id);
      const origin = { sourceId: id, place: 'a.md' };
      const content = { title: 'Lamp', answer: 'A lamp.', aliases: [] };
      const by = { authorId: 'mem_1', atMillis: MORNING, contentHash: 'hash', searchSummary: '' };
      const articleId = newId('art');
      const draft = { articleId, slug: 'lamp', locale: 'en', content, ...by, origin };
      expect(await here().articles.create(draft)).toBe('created');
      const late = { ...article('desk', { answer: 'A desk.' }) };
      const importOrigin = { ...origin, revision: undefined, translationRevisions: new Map() };
      const [outcome] = await here().articles.import([{ ...late, origin: importOrigin }], {
        actor: 'mem_1',
        atMillis: MORNING,
      });
      for (const each of [articleId, outcome!.articleId])
        expect(await here().articles.find(each)).not.toHaveProperty('source');
    });
  });

  describe('uploads of a source', () => {
    it('wait for a run, and replace earlier ones of the same name', async () => {
      const { id } = await create();
      await upload(id, 'a.zip', [snapshot('a.zip/1.md'), snapshot('a.zip/2.md')]);
      await upload(id, 'b.md', [snapshot('b.md')]);
      expect(await sources().find(id)).toMatchObject({ waiting: 3 });
      expect(await sources().beginUpload(id, 'a.zip')).toBe('more');
      await upload(id, 'a.zip', [snapshot('a.zip/3.md')]);
      expect((await runs().listSnapshots(id, 10, '')).map(({ place }) => place)).toEqual([
        'a.zip/3.md',
        'b.md',
      ]);
      expect([...(await runs().listUploads(id))].sort()).toEqual(['a.zip', 'b.md']);
    });

    it('count only when they are complete', async () => {
      const { id } = await create();
      expect(await sources().beginUpload(id, 'a.md')).toBe('begun');
      await sources().addSnapshots(id, [snapshot('a.md', { upload: 'a.md' })], STAGED);
      expect(await runs().listUploads(id)).toEqual([]);
      expect(await sources().startRun(newRun(id), RUNS_KEPT)).toBe('nothing_uploaded');
    });

    it('store nothing beyond the limits of documents and of text', async () => {
      const { id } = await create();
      await upload(id, 'a.md', [snapshot('a.md')]);
      const tooManyReadings = [snapshot('b.md', { upload: 'b.md' }), snapshot('c.md', { upload: 'b.md' })];
      expect(await sources().addSnapshots(id, tooManyReadings, { ...STAGED, documentsMax: 2 })).toBe('full');
      expect(await sources().addSnapshots(id, tooManyReadings, { ...STAGED, bytesMax: 100 })).toBe('full');
      expect(await sources().find(id)).toMatchObject({ waiting: 1 });
    });

    it('are refused while a run is under way', async () => {
      const { id } = await create();
      await upload(id, 'a.md', [snapshot('a.md')]);
      const runId = await start(id);
      expect(await sources().beginUpload(id, 'b.md')).toBe('busy');
      expect(await sources().addSnapshots(id, [snapshot('b.md')], STAGED)).toBe('busy');
      await end(runId);
      expect(await sources().beginUpload(id, 'b.md')).toBe('begun');
    });

    it('keep every field of what was read', async () => {
      const { id } = await create();
      const text = {
        ...{ title: 'Lamp', answer: 'A lamp.', aliases: ['light'], url: 'https://a.example/a.pdf#page=2' },
        ...{ slug: 'lamp', collection: 'Lamps', tags: ['light'] },
      };
      const given = snapshot('a.pdf', { text, url: text.url, slug: 'lamp', translationOf: 'b.pdf' });
      await upload(id, 'a.pdf', [given]);
      const { text: _, ...head } = { ...given, upload: 'a.pdf' };
      expect(await runs().listSnapshots(id, 10, '')).toEqual([head]);
      const runId = await startApplying(id, [item('a.pdf')]);
      expect(await runs().listToApply(runId, 10)).toEqual([
        { item: item('a.pdf'), snapshot: { ...head, text } },
      ]);
    });
  });

  describe('runs of a source', () => {
    it('start one at a time, and keep the newest', async () => {
      const { id } = await createWebsite();
      for (let at = 0; at < RUNS_KEPT + 1; at += 1) {
        const runId = await start(id, { createdAt: MORNING + at });
        expect(await sources().startRun(newRun(id), RUNS_KEPT)).toBe('busy');
        await end(runId);
      }
      const kept = await sources().listRuns(id);
      expect(kept.map(({ createdAt }) => createdAt - MORNING)).toEqual([3, 2, 1]);
      expect(await sources().find(id)).toMatchObject({ lastRun: { id: kept[0]!.id, state: 'done' } });
      expect(await sources().startRun(newRun(newId('src')), RUNS_KEPT)).toBe('gone');
    });

    it('are due by their schedule, unless it is paused, and then at the next time', async () => {
      const { store, here: workspaceId } = subject();
      const { id } = await createWebsite({ schedule: 'hourly', nextRunAt: MORNING });
      await createWebsite({ schedule: 'hourly', nextRunAt: MORNING, paused: true });
      await createWebsite();
      const due = [{ workspaceId, sourceId: id }];
      expect(await store.sources.listDue(MORNING - 1, 10)).toEqual([]);
      expect(await store.sources.listDue(MORNING, 10)).toEqual(due);
      const run = newRun(id, { scheduled: true });
      expect(await sources().startRun(run, RUNS_KEPT, MORNING + HOUR)).toBe('started');
      expect(await store.sources.listDue(MORNING + HOUR - 1, 10)).toEqual([]);
      expect(await sources().find(id)).toMatchObject({ nextRunAt: MORNING + HOUR });
      await end(run.id);
      expect(await store.sources.listDue(MORNING + HOUR, 10)).toEqual(due);
    });

    it('are active until they end, except while they wait for somebody', async () => {
      const { store, here: workspaceId } = subject();
      const { id } = await createWebsite();
      const runId = await start(id, { preview: true });
      const active = [{ workspaceId, sourceId: id, runId }];
      expect(await store.sources.listActive()).toEqual(active);
      await runs().begin(runId, MORNING);
      expect(await store.sources.listActive()).toEqual(active);
      expect(await runs().finishPlan(runId, { ...NO_COUNTS, added: 2 }, 2)).toBe('ready');
      expect(await store.sources.listActive()).toEqual([]);
      expect(await runs().confirm(runId)).toBe('confirmed');
      expect(await runs().confirm(runId)).toBe('stopped');
      expect(await store.sources.listActive()).toEqual(active);
      expect(await end(runId)).toMatchObject({ state: 'done', finishedAt: MORNING + HOUR });
      expect(await end(runId)).toBeUndefined();
      expect(await store.sources.listActive()).toEqual([]);
    });

    it('store nothing when a step does not belong to their state', async () => {
      const { id } = await createWebsite();
      const runId = await start(id);
      await runs().addUrls(runId, ['https://a.example/'], 10);
      expect(await runs().storeSnapshot(runId, 'https://a.example/', snapshot('a'))).toBe('stopped');
      expect(await runs().addItems(runId, [item('a')])).toBe('stopped');
      expect(await runs().finishPlan(runId, NO_COUNTS, 1)).toBe('stopped');
      expect(await runs().storeApplied(runId, [applied('a')], noAudit)).toBe('stopped');
      await runs().begin(runId, MORNING);
      expect(await runs().begin(runId, MORNING)).toBe('stopped');
      expect(await runs().listUrls(runId, 0, 10)).toEqual([]);
      await end(runId, 'failed');
      expect(await runs().storeSnapshot(runId, 'https://a.example/', snapshot('a'))).toBe('stopped');
      expect(await runs().storeApplied(runId, [applied('a')], noAudit)).toBe('stopped');
      expect(await runs().listSnapshots(id, 10, '')).toEqual([]);
      expect(await sources().listItems(runId, 10, { afterPlace: '' })).toEqual([]);
    });

    it('read each address once, in the order in which they were added', async () => {
      const { id } = await createWebsite();
      const runId = await start(id);
      await runs().begin(runId, MORNING);
      const urls = ['c', 'a', 'b'].map((path) => `https://a.example/${path}`);
      const [, , last] = urls;
      expect(await runs().addUrls(runId, [urls[0]!, urls[1]!, urls[0]!], 10)).toBeUndefined();
      const more = ['https://a.example/d', 'https://a.example/e'];
      expect(await runs().addUrls(runId, [urls[1]!, last!, last!, ...more], 3)).toBe(more[0]);
      expect(await runs().addUrls(runId, urls, 3)).toBeUndefined();
      const listed = await runs().listUrls(runId, 0, 10);
      expect(listed.map(({ url }) => url)).toEqual(urls);
      expect(await runs().storeSnapshot(runId, urls[0]!, snapshot('c', { readUrl: urls[0] }))).toBe(
        'settled',
      );
      const remaining = await runs().listUrls(runId, 0, 10);
      expect(remaining.map(({ url }) => url)).toEqual(urls.slice(1));
      expect((await runs().listUrls(runId, remaining[0]!.position, 10)).map(({ url }) => url)).toEqual([
        urls[2],
      ]);
      expect(await sources().findRun(id, runId)).toMatchObject({ state: 'reading', done: 1, total: 3 });
    });

    it('keep the first of two texts for one place, and a text rather than a refusal', async () => {
      const { id } = await createWebsite();
      const runId = await start(id);
      await runs().begin(runId, MORNING);
      const refused = { place: 'a', kind: 'refused', upload: '', reason: 'timeout' } as const;
      await runs().storeSnapshot(runId, 'https://a.example/1', refused);
      await runs().storeSnapshot(runId, 'https://a.example/2', snapshot('a', { title: 'First' }));
      await runs().storeSnapshot(runId, 'https://a.example/3', snapshot('a', { title: 'Second' }));
      await runs().storeSnapshot(runId, 'https://a.example/4', refused);
      expect(await runs().listSnapshots(id, 10, '')).toMatchObject([{ kind: 'document', title: 'First' }]);
    });

    it('know the last content of a page, and skip items that are already applied', async () => {
      const { id } = await createWebsite();
      const readUrl = 'https://a.example/1';
      const first = await startApplying(id, [item('a')]);
      const delivered = document('a', { readUrl, etag: '"1"', lastModified: 'yesterday' });
      await runs().storeApplied(first, [{ item: item('a'), lastApplied: delivered }], noAudit);
      await end(first);
      expect(await runs().listKnownUrls(id, 10, '')).toEqual([readUrl]);

      const second = await start(id, { createdAt: MORNING + 1 });
      await runs().begin(second, MORNING);
      await runs().addUrls(second, [readUrl], 10);
      expect(await runs().listUrls(second, 0, 10)).toEqual([
        { position: 1, url: readUrl, place: 'a', etag: '"1"', lastModified: 'yesterday' },
      ]);
      await runs().storeSnapshot(second, readUrl, snapshot('a', { readUrl, etag: '"2"' }));
      expect(await runs().listSnapshots(id, 10, '')).toMatchObject([{ place: 'a', kind: 'unchanged' }]);
      const [knownDocument] = await runs().listLastApplied(id, 10, '');
      expect(knownDocument).toEqual({ ...document('a', { readUrl, etag: '"2"' }) });
    });
  });

  describe('applying a run', () => {
    it('continues where it stopped, and counts the applied items', async () => {
      const { id } = await create();
      await upload(id, 'a.md', [snapshot('a'), snapshot('b')]);
      const items = [item('a'), item('b', { outcome: 'changed' }), item('b.de', { root: 'b' })];
      const runId = await startApplying(id, items);
      expect((await runs().listToApply(runId, 10)).map((each) => each.item.place)).toEqual([
        'a',
        'b',
        'b.de',
      ]);
      expect(await runs().storeApplied(runId, [applied('a')], noAudit)).toBe('settled');
      expect(await runs().storeApplied(runId, [applied('b', 'changed')], noAudit)).toBe('settled');
      expect((await runs().listToApply(runId, 10)).map((each) => each.item.place)).toEqual(['b.de']);
      expect(await sources().findRun(id, runId)).toMatchObject({ state: 'applying', done: 2, total: 3 });
      expect(await runs().listLastApplied(id, 1, '')).toEqual([document('a')]);
      expect(await runs().listLastApplied(id, 10, 'a')).toEqual([document('b')]);
      const changedOnes = await sources().listItems(runId, 10, { afterPlace: '', outcome: 'changed' });
      expect(changedOnes).toEqual([item('b', { outcome: 'changed', articleId: 'art_1', applied: true })]);

      const counted: RunCounts[] = [];
      const ended = await runs().finish(runId, { state: 'done', atMillis: MORNING }, (counts) => {
        counted.push(counts);
        return auditRow('source.applied', { added: counts.added });
      });
      expect(ended).toMatchObject({ state: 'done', added: 1, changed: 1, removed: 0 });
      expect(counted.at(-1)).toEqual({ ...NO_COUNTS, added: 1, changed: 1 });
      expect((await here().audit.list(1))[0]).toMatchObject({
        action: 'source.applied',
        details: { added: 1 },
      });
      while ((await runs().clearSnapshots(runId)) === 'more');
      expect(await sources().find(id)).toMatchObject({ waiting: 0 });
      expect(await runs().listUploads(id)).toEqual([]);
    });

    it('keeps finished work of a run that is cancelled, with an audit row of its own', async () => {
      const { id } = await create();
      await upload(id, 'a.md', [snapshot('a'), snapshot('b'), snapshot('c')]);
      const runId = await startApplying(id, [item('a'), item('b'), item('c')]);
      const audit = (counts: RunCounts) => auditRow('source.applied', { added: counts.added });
      expect(await runs().storeApplied(runId, [applied('a')], audit)).toBe('settled');
      expect(await runs().finish(runId, { state: 'cancelled', atMillis: MORNING }, audit)).toMatchObject({
        added: 1,
      });
      expect(await runs().storeApplied(runId, [applied('b'), applied('c')], audit)).toBe('stopped');
      expect(await sources().findRun(id, runId)).toMatchObject({ state: 'cancelled', added: 3 });
      expect((await runs().listLastApplied(id, 10, '')).map(({ place }) => place)).toEqual(['a', 'b', 'c']);
      const rows = (await here().audit.list(10)).filter(({ action }) => action === 'source.applied');
      expect(rows.map(({ details }) => details.added).sort()).toEqual([1, 2]);
    });

    it('discards a plan that was not finished, and plans again', async () => {
      const { id } = await createWebsite();
      const runId = await start(id);
      await runs().begin(runId, MORNING);
      await runs().addItems(runId, [item('a'), item('b')]);
      while ((await runs().clearPlan(runId)) === 'more');
      await runs().addItems(runId, [item('c')]);
      await runs().addItems(runId, [item('c', { outcome: 'changed' })]);
      const items = await sources().listItems(runId, 10, { afterPlace: '' });
      expect(items).toEqual([item('c', { outcome: 'changed' })]);
    });
  });

  describe('conflicts of a source', () => {
    it('wait beside what was applied last, until they are resolved', async () => {
      const { id } = await createWebsite();
      const first = await startApplying(id, [item('a'), item('b')]);
      await runs().storeApplied(first, [applied('a'), applied('b')], noAudit);
      await end(first);
      const incoming = snapshot('a', { contentHash: 'hash of the new text', upload: 'a.md' });
      const second = await startApplying(id, [item('a')]);
      const conflict = { snapshot: incoming, atMillis: MORNING };
      const conflicting = { item: item('a', { outcome: 'conflict' }), conflict } as const;
      await runs().storeApplied(second, [conflicting], noAudit);
      expect(await end(second)).toMatchObject({ conflicts: 1 });
      expect(await sources().find(id)).toMatchObject({ conflicts: 1 });
      const [found, ...others] = await sources().listConflicts(id, 10, '');
      expect(others).toEqual([]);
      expect(found).toMatchObject({ place: 'a', locale: 'en', foundAt: MORNING, snapshot: incoming });
      expect(await sources().listConflicts(id, 10, 'a')).toEqual([]);
      expect(await sources().findConflicts(id, ['b', 'c'])).toEqual([]);
      expect(await sources().findConflicts(id, ['a'])).toEqual([found]);
      const last = (await sources().states(id, ['a'])).lastApplied;
      expect(last).toMatchObject([{ contentHash: 'hash of a' }]);

      const resolved = document('a', { contentHash: 'hash of the new text' });
      await sources().resolve(id, [resolved], auditRow('source.conflicts_resolved'));
      expect(await sources().listConflicts(id, 10, '')).toEqual([]);
      expect((await sources().states(id, ['a', 'b'])).lastApplied).toEqual([resolved, document('b')]);
      expect((await listActions())[0]).toBe('source.conflicts_resolved');
      await sources().resolve(newId('src'), [document('c')], auditRow('source.unknown'));
      expect(await listActions()).not.toContain('source.unknown');
    });
  });

  describe('the articles of a source', () => {
    it('are found by place and by slug, with their translations', async () => {
      const { id } = await create();
      const texts = { de: { title: 'Lampe', answer: 'Eine Lampe.' } };
      const by = { actor: 'mem_1', atMillis: MORNING };
      const [lamp] = await here().articles.import([article('lamp', { answer: 'A lamp.' }, texts)], by);
      await here().articles.import([article('desk', { answer: 'A desk.' })], by);
      await sources().adopt(id, lamp!.articleId, 'lamp.md');
      const state = {
        ...{ id: lamp!.articleId, slug: 'lamp', locale: 'en', status: 'published' },
        ...{ sourceId: id, sourcePlace: 'lamp.md', translations: [{ locale: 'de', status: 'published' }] },
      };
      expect((await sources().states(id, ['lamp.md', 'desk.md'])).articles).toMatchObject([state]);
      expect(await runs().listArticles(id, 10, '')).toMatchObject([state]);
      expect(await runs().listArticles(id, 10, 'lamp.md')).toEqual([]);
      const bySlug = await sources().statesBySlug(['lamp', 'desk', 'chair']);
      expect(bySlug.map(({ slug }) => slug).sort()).toEqual(['desk', 'lamp']);
      expect(await there().sources.statesBySlug(['lamp'])).toEqual([]);
      expect(await sources().find(id)).toMatchObject({ articles: 1 });
    });
  });
}
