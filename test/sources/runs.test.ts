import { afterEach, describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../contract/articles.ts';
import type { TranslationRecord } from '../../contract/translations.ts';
import type { AuditEntry } from '../../server/storage/audit.ts';
import { expectError } from '../support/response.ts';
import { openSource, type SourceClient } from './source-client.ts';

let open: SourceClient[] = [];
afterEach(async () => {
  await Promise.all(open.map(({ harness }) => harness.close()));
  open = [];
});

async function files(mode: 'review' | 'publish'): Promise<SourceClient> {
  const source = await openSource(mode);
  open.push(source);
  return source;
}

const page = (title: string, text: string) => `# ${title}\n\n${text}\n`;
const LAMP = page('Cleaning the lamp', 'Unplug the lamp and wipe it with a dry cloth.');
const NEW_LAMP = page('Cleaning the lamp', 'Unplug the lamp and wipe it with a damp cloth.');
const LAMPE = page('Die Lampe reinigen', 'Ziehen Sie den Stecker und wischen Sie die Lampe trocken ab.');

const articlesOf = async ({ member, id, call }: SourceClient) =>
  (await call<{ data: ArticleSummary[] }>(member.get(`/knowledge/articles?source=${id}`))).data;
const articleAt = async (source: SourceClient, place: string) => {
  const found = (await articlesOf(source)).find((article) => article.source?.place === place);
  return source.call<ArticleRecord>(source.member.get(`/knowledge/articles/${found!.id}`));
};
const edit = async (source: SourceClient, place: string, answer: string) => {
  const { id, revision, title, aliases } = await articleAt(source, place);
  const body = { baseRevision: revision, title, answer, aliases };
  await source.call(source.member.put(`/knowledge/articles/${id}`, body));
};
const auditOf = async ({ harness }: SourceClient): Promise<readonly AuditEntry[]> =>
  harness.service.store.in(harness.workspace.id).audit.list(200);

describe('a run that publishes', () => {
  it('publishes articles with their translations, and adds one audit row', async () => {
    const source = await files('publish');
    expect(await source.upload('lamp.md', LAMP)).toMatchObject({ documentCount: 1, refusalCount: 0 });
    await source.upload('lamp.de.md', LAMPE);
    await source.upload('desk.md', page('Moving the desk', 'Two people can carry the desk.'));
    const before = (await auditOf(source)).length;
    const run = await source.run();
    expect(run).toMatchObject({ state: 'done', counts: { added: 3, refused: 0 } });
    const lamp = await articleAt(source, 'lamp.md');
    expect(lamp).toMatchObject({ status: 'published', source: { sourceId: source.id, place: 'lamp.md' } });
    expect(lamp.translations).toMatchObject([{ locale: 'de', status: 'published', stale: false }]);
    const rows = (await auditOf(source)).slice(0, -before || undefined);
    expect(rows.map(({ action }) => action)).toStrictEqual(['source.applied']);
    expect(rows[0]!.details).toMatchObject({ added: 3, runId: run.id });
    expect(await source.read()).toMatchObject({ state: 'idle', articles: 2, waiting: 0 });
  });

  it('answers from a changed text at once, and no longer from a removed one', async () => {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    await source.run();
    await source.upload('lamp.md', NEW_LAMP);
    expect((await source.run()).counts).toMatchObject({ added: 0, changed: 1 });
    expect((await articleAt(source, 'lamp.md')).answer).toContain('damp cloth');
  });

  it('unpublishes texts that a new upload of the same name lacks, and publishes them when they are back', async () => {
    const source = await files('publish');
    const line = (slug: string) =>
      JSON.stringify({ slug, locale: 'en', title: slug, answer: `About ${slug}.` });
    await source.upload('all.jsonl', `${line('x1')}\n${line('x2')}`);
    await source.run();
    await source.upload('all.jsonl', line('x1'));
    const removal = await source.run();
    expect(removal.counts).toMatchObject({ unchanged: 1, removed: 1 });
    expect(await source.items(removal.id)).toMatchObject([{ outcome: 'removed', applied: true }]);
    const states = async () =>
      (await articlesOf(source)).map(({ slug, status }) => `${slug} ${status}`).sort();
    expect(await states()).toStrictEqual(['x1 published', 'x2 unpublished']);
    await source.upload('all.jsonl', `${line('x1')}\n${line('x2')}`);
    expect((await source.run()).counts).toMatchObject({ unchanged: 1, changed: 1 });
    expect(await states()).toStrictEqual(['x1 published', 'x2 published']);
  });

  it('makes a translation stale when only its article changes', async () => {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    await source.upload('lamp.de.md', LAMPE);
    await source.run();
    await source.upload('lamp.md', NEW_LAMP);
    expect((await source.run()).counts).toMatchObject({ changed: 1, removed: 0 });
    const [translation] = (await articleAt(source, 'lamp.md')).translations;
    expect(translation).toMatchObject({ locale: 'de', live: true, liveStale: true });
  });

  it('changes nothing when the same files are uploaded again', async () => {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    await source.run();
    const { revision } = await articleAt(source, 'lamp.md');
    await source.upload('lamp.md', LAMP);
    expect((await source.run()).counts).toMatchObject({ added: 0, changed: 0, unchanged: 1 });
    expect((await articleAt(source, 'lamp.md')).revision).toBe(revision);
  });

  it('gives articles with the same title different slugs', async () => {
    const source = await files('publish');
    await source.upload('a.md', page('Lamp', 'The first lamp is red.'));
    await source.upload('b.md', page('Lamp', 'The second lamp is blue.'));
    await source.run();
    const slugs = (await articlesOf(source)).map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(2);
  });

  it('files new articles under collections and tags, but not existing ones', async () => {
    const source = await files('publish');
    const line = (answer: string) =>
      JSON.stringify({ slug: 'x1', locale: 'en', title: 'X1', answer, collection: 'Lamps', tags: ['light'] });
    await source.upload('all.jsonl', line('The X1 is a lamp.'));
    await source.run();
    const [added] = await articlesOf(source);
    expect(added).toMatchObject({ slug: 'x1', tags: ['light'], collectionId: expect.any(String) });
    await source.call(
      source.member.post('/knowledge/article-actions', {
        action: 'untag',
        articleIds: [added!.id],
        tag: 'light',
      }),
    );
    await source.upload('all.jsonl', line('The X1 is a bright lamp.'));
    expect((await source.run()).counts.changed).toBe(1);
    expect(await articlesOf(source)).toMatchObject([{ tags: [] }]);
  });
});

describe('a run for review', () => {
  it('makes drafts, and sends translations to review', async () => {
    const source = await files('review');
    await source.upload('lamp.md', LAMP);
    await source.upload('lamp.de.md', LAMPE);
    expect((await source.run()).counts).toMatchObject({ added: 2 });
    const lamp = await articleAt(source, 'lamp.md');
    expect(lamp.status).toBe('draft');
    expect(lamp.translations).toMatchObject([{ locale: 'de', status: 'in_review' }]);
  });

  it('changes the working copy of a live article, and leaves the live text', async () => {
    const source = await files('review');
    await source.upload('lamp.md', LAMP);
    await source.upload('lamp.de.md', LAMPE);
    await source.run();
    const { id, revision } = await articleAt(source, 'lamp.md');
    await source.call(source.member.post(`/knowledge/articles/${id}/publish`, { baseRevision: revision }));
    await source.upload('lamp.md', NEW_LAMP);
    await source.upload('lamp.de.md', page('Die Lampe reinigen', 'Wischen Sie die Lampe feucht ab.'));
    expect((await source.run()).counts).toMatchObject({ changed: 2, conflicts: 0 });
    const lamp = await articleAt(source, 'lamp.md');
    expect(lamp).toMatchObject({ status: 'published', live: { changed: true } });
    const { data } = await source.call<{ data: TranslationRecord[] }>(
      source.member.get(`/knowledge/articles/${id}/translations`),
    );
    expect(data).toMatchObject([{ status: 'in_review', answer: 'Wischen Sie die Lampe feucht ab.' }]);
  });
});

describe('a preview', () => {
  it('changes nothing until it is applied', async () => {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    const preview = await source.run(true);
    expect(preview).toMatchObject({ state: 'ready', counts: { added: 1 } });
    expect(await source.items(preview.id)).toMatchObject([
      { place: 'lamp.md', outcome: 'added', title: 'Cleaning the lamp', applied: false },
    ]);
    expect(await articlesOf(source)).toStrictEqual([]);
    expect(await source.apply(preview.id)).toMatchObject({ state: 'done', counts: { added: 1 } });
    expect(await source.items(preview.id)).toMatchObject([{ applied: true, articleId: expect.any(String) }]);
  });

  it('is cancelled with its uploads, and cannot be applied then', async () => {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    const preview = await source.run(true);
    const path = `${source.path}/runs/${preview.id}`;
    expectError(await source.member.post(`${source.path}/runs`, {}), 'source/busy');
    const cancelled = await source.call(source.member.post(`${path}/cancel`));
    expect(cancelled).toMatchObject({ state: 'cancelled', counts: { added: 0 } });
    expectError(await source.member.post(`${path}/apply`), 'source/not_allowed');
    expectError(await source.member.post(`${path}/cancel`), 'source/not_allowed');
    expectError(await source.member.post(`${source.path}/runs`, {}), 'source/nothing_uploaded');
    expect(await articlesOf(source)).toStrictEqual([]);
  });

  it('turns an edit since the preview into a conflict', async () => {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    await source.run();
    await source.upload('lamp.md', NEW_LAMP);
    const preview = await source.run(true);
    await edit(source, 'lamp.md', 'Do not clean the lamp.');
    expect((await source.apply(preview.id)).counts).toMatchObject({ changed: 0, conflicts: 1 });
    expect((await articleAt(source, 'lamp.md')).answer).toBe('Do not clean the lamp.');
  });
});

describe('a conflict', () => {
  async function inConflict() {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    await source.run();
    await edit(source, 'lamp.md', 'Ask us before you clean the lamp.');
    await source.upload('lamp.md', NEW_LAMP);
    expect((await source.run()).counts).toMatchObject({ changed: 0, conflicts: 1 });
    return source;
  }

  it('shows both texts, and overwrites nothing', async () => {
    const source = await inConflict();
    expect(await source.conflicts()).toMatchObject([
      {
        place: 'lamp.md',
        current: { answer: 'Ask us before you clean the lamp.' },
        incoming: { title: 'Cleaning the lamp', answer: expect.stringContaining('damp cloth') },
      },
    ]);
    expect(await source.read()).toMatchObject({ conflicts: 1 });
    expect((await articleAt(source, 'lamp.md')).answer).toBe('Ask us before you clean the lamp.');
  });

  it("keeps the workspace's text until the source changes again", async () => {
    const source = await inConflict();
    expect(await source.resolve(['lamp.md', 'other.md'], 'keep')).toBe(1);
    expect(await source.conflicts()).toStrictEqual([]);
    await source.upload('lamp.md', NEW_LAMP);
    expect((await source.run()).counts).toMatchObject({ unchanged: 1, conflicts: 0 });
    await source.upload('lamp.md', page('Cleaning the lamp', 'Never clean it.'));
    expect((await source.run()).counts.conflicts).toBe(1);
  });

  it("replaces the workspace's text with that of the source", async () => {
    const source = await inConflict();
    expect(await source.resolve(['lamp.md'], 'replace')).toBe(1);
    const lamp = await articleAt(source, 'lamp.md');
    expect(lamp.answer).toContain('damp cloth');
    expect(lamp.live?.changed).toBe(false);
    expect(await source.read()).toMatchObject({ conflicts: 0, articles: 1 });
    await source.upload('lamp.md', LAMP);
    expect((await source.run()).counts.changed).toBe(1);
  });

  it('arises with an article of the same stated slug, which the source can take over', async () => {
    const source = await files('publish');
    await source.call(
      source.member.post('/knowledge/articles', { title: 'X1', answer: 'Ours.', slug: 'x1' }),
    );
    const line = { slug: 'x1', locale: 'en', title: 'X1', answer: 'Theirs.' };
    await source.upload('all.jsonl', JSON.stringify(line));
    expect((await source.run()).counts).toMatchObject({ added: 0, conflicts: 1 });
    expect(await articlesOf(source)).toStrictEqual([]);
    const [conflict] = await source.conflicts();
    expect(conflict!.current?.answer).toBe('Ours.');
    await source.resolve([conflict!.place], 'replace');
    expect(await articlesOf(source)).toMatchObject([{ slug: 'x1', status: 'published' }]);
  });
});

describe('a conflict of a translation', () => {
  const NEUE_LAMPE = page('Die Lampe reinigen', 'Wischen Sie die Lampe mit einem feuchten Tuch ab.');
  const OURS = 'Fragen Sie uns, bevor Sie die Lampe reinigen.';

  const findTranslation = async (source: SourceClient) => {
    const { id } = await articleAt(source, 'lamp.md');
    const path = `/knowledge/articles/${id}/translations`;
    const { data } = await source.call<{ data: TranslationRecord[] }>(source.member.get(path));
    return { path: `${path}/${data[0]?.id}`, translation: data[0]! };
  };
  const upload = async (source: SourceClient, english: string, german: string) => {
    await source.upload('lamp.md', english);
    await source.upload('lamp.de.md', german);
    return (await source.run()).counts;
  };
  async function openLamp(mode: 'review' | 'publish') {
    const source = await files(mode);
    expect(await upload(source, LAMP, LAMPE)).toMatchObject({ added: 2 });
    return source;
  }
  async function editHere(source: SourceClient) {
    const { path, translation } = await findTranslation(source);
    const { revision: baseRevision, title } = translation;
    await source.call(source.member.put(path, { baseRevision, title, answer: OURS }));
  }

  it.each(['review', 'publish'] as const)('waits with both texts, in mode %s', async (mode) => {
    const source = await openLamp(mode);
    await editHere(source);
    expect(await upload(source, LAMP, NEUE_LAMPE)).toMatchObject({ changed: 0, unchanged: 1, conflicts: 1 });
    const { translation } = await findTranslation(source);
    expect(translation.answer).toBe(OURS);
    expect(await source.conflicts()).toMatchObject([
      {
        ...{ place: 'lamp.de.md', locale: 'de', translationId: translation.id },
        current: { answer: OURS },
        incoming: { answer: expect.stringContaining('feuchten Tuch') },
      },
    ]);
  });

  it('does not block the change of the article', async () => {
    const source = await openLamp('publish');
    await editHere(source);
    expect(await upload(source, NEW_LAMP, NEUE_LAMPE)).toMatchObject({ changed: 1, conflicts: 1 });
    expect((await articleAt(source, 'lamp.md')).answer).toContain('damp cloth');
    expect((await findTranslation(source)).translation.answer).toBe(OURS);
  });

  it("keeps the workspace's translation until the source changes again", async () => {
    const source = await openLamp('publish');
    await editHere(source);
    await upload(source, LAMP, NEUE_LAMPE);
    expect(await source.resolve(['lamp.de.md'], 'keep')).toBe(1);
    expect(await source.conflicts()).toStrictEqual([]);
    expect(await upload(source, LAMP, NEUE_LAMPE)).toMatchObject({ unchanged: 2, conflicts: 0 });
    expect((await findTranslation(source)).translation.answer).toBe(OURS);
    expect(await upload(source, LAMP, LAMPE)).toMatchObject({ unchanged: 1, conflicts: 1 });
  });

  it("replaces the workspace's translation, live at once or for review", async () => {
    for (const [mode, status] of [
      ['publish', 'published'],
      ['review', 'in_review'],
    ] as const) {
      const source = await openLamp(mode);
      await editHere(source);
      await upload(source, LAMP, NEUE_LAMPE);
      expect(await source.resolve(['lamp.de.md'], 'replace')).toBe(1);
      const { translation } = await findTranslation(source);
      expect(translation).toMatchObject({ status, answer: expect.stringContaining('feuchten Tuch') });
      expect(await source.read()).toMatchObject({ conflicts: 0, articles: 1 });
      expect(await upload(source, LAMP, LAMPE)).toMatchObject({ changed: 1, conflicts: 0 });
    }
  });

  it('arises when a translation was archived in the workspace, and restores it on request', async () => {
    const source = await openLamp('publish');
    const { path, translation } = await findTranslation(source);
    await source.call(source.member.post(`${path}/archive`, { baseRevision: translation.revision }));
    expect(await upload(source, LAMP, LAMPE)).toMatchObject({ unchanged: 2, conflicts: 0 });
    expect(await upload(source, LAMP, NEUE_LAMPE)).toMatchObject({ changed: 0, conflicts: 1 });
    expect((await findTranslation(source)).translation.status).toBe('archived');
    await source.resolve(['lamp.de.md'], 'replace');
    expect((await findTranslation(source)).translation).toMatchObject({
      ...{ status: 'published', live: expect.anything() },
      answer: expect.stringContaining('feuchten Tuch'),
    });
  });

  it('arises when a translation was deleted in the workspace, and adds it on request', async () => {
    const source = await openLamp('review');
    const { path, translation } = await findTranslation(source);
    await source.call(source.member.delete(`${path}?baseRevision=${translation.revision}`));
    expect(await upload(source, LAMP, NEUE_LAMPE)).toMatchObject({ added: 0, conflicts: 1 });
    const [conflict] = await source.conflicts();
    expect(conflict).not.toHaveProperty('current');
    expect(conflict).not.toHaveProperty('translationId');
    expect(await source.resolve(['lamp.de.md'], 'replace')).toBe(1);
    expect((await findTranslation(source)).translation).toMatchObject({
      ...{ status: 'in_review', answer: expect.stringContaining('feuchten Tuch') },
    });
  });

  it('is resolved together with that of its article, the article first', async () => {
    const source = await openLamp('publish');
    await editHere(source);
    await edit(source, 'lamp.md', 'Ask us before you clean the lamp.');
    expect(await upload(source, NEW_LAMP, NEUE_LAMPE)).toMatchObject({ changed: 0, conflicts: 2 });
    expect(await source.resolve(['lamp.de.md', 'lamp.md'], 'replace')).toBe(2);
    expect(await articleAt(source, 'lamp.md')).toMatchObject({
      ...{ status: 'published', answer: expect.stringContaining('damp cloth') },
      translations: [{ locale: 'de', live: true, liveStale: false }],
    });
    expect(await upload(source, NEW_LAMP, NEUE_LAMPE)).toMatchObject({ unchanged: 2 });
  });
});

describe('deleting a source', () => {
  it('keeps its articles as ordinary articles', async () => {
    const source = await files('publish');
    await source.upload('lamp.md', LAMP);
    await source.run();
    const { id } = await articleAt(source, 'lamp.md');
    await source.call(source.member.delete(source.path));
    const article = await source.call<ArticleRecord>(source.member.get(`/knowledge/articles/${id}`));
    expect(article.status).toBe('published');
    expect(article.source).toBeUndefined();
    expectError(await source.member.get(source.path), 'source/not_found');
  });
});
