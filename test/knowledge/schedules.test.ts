import { describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../contract/articles.ts';
import type { TranslationRecord } from '../../contract/translations.ts';
import { createScheduledPublisher } from '../../server/knowledge/schedules.ts';
import { createIndexing } from '../../server/knowledge/search/indexing.ts';
import { expectError } from '../support/response.ts';
import {
  addArticle,
  aTeamWithoutArticles,
  bringTo,
  changeArticle,
  ENGLISH,
  expectOk,
  liveTitles,
  pathOf,
  readTranslation,
  takeStep,
  team,
  translate,
} from './translating.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const UNKNOWN_ARTICLE = 'art_01kakv2fxse7wtg6x5r0h8rjbm';

describe('schedules', () => {
  aTeamWithoutArticles();
  const after = (millis: number) => new Date(team.harness.clock.now() + millis).toISOString();
  const wait = async (millis: number) => {
    team.harness.clock.advance(millis);
    await team.harness.service.tick();
  };
  const read = async (id: string) =>
    expectOk(await team.as('member').get<ArticleRecord>(`/knowledge/articles/${id}`));
  const schedule = (
    { id, revision: baseRevision }: Pick<ArticleRecord, 'id' | 'revision'>,
    publishAt: string | null,
  ) => team.as('admin').put<ArticleRecord>(`/knowledge/articles/${id}/schedule`, { baseRevision, publishAt });
  const scheduleTranslation = (translation: TranslationRecord, publishAt: string | null) =>
    team.as('admin').put<TranslationRecord>(`${pathOf(translation)}/schedule`, {
      baseRevision: translation.revision,
      publishAt,
    });
  const list = async (query: string) =>
    expectOk(
      await team.as('member').get<{ data: ArticleSummary[]; total: number }>(`/knowledge/articles?${query}`),
    );
  const audit = async (subject: string) =>
    expectOk(
      await team
        .as('owner')
        .get<{ data: { action: string; actor: string; details: string }[] }>(`/audit?subject=${subject}`),
    ).data.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) }));

  describe('of articles', () => {
    it('publishes the working copy when it is due, in the name of the member', async () => {
      const draft = await addArticle(team, ENGLISH, false);
      const admin = team.as('admin').memberId;
      const at = after(HOUR);
      expect(expectOk(await schedule(draft, at)).scheduled).toEqual({ at, by: admin });
      expect((await list('scheduled=true')).data).toMatchObject([{ id: draft.id, scheduled: { at } }]);
      const edit = { baseRevision: draft.revision, ...ENGLISH, title: 'Wrapping gifts' };
      expectOk(await team.as('owner').put(`/knowledge/articles/${draft.id}`, edit));

      await wait(HOUR - 60_000);
      expect(await read(draft.id)).toMatchObject({ status: 'draft', scheduled: { at } });
      await wait(60_000);

      const published = await read(draft.id);
      expect(published).toMatchObject({
        status: 'published',
        title: edit.title,
        live: { publishedBy: admin, changed: false },
      });
      expect(published).not.toHaveProperty('scheduled');
      expect(await liveTitles(team, draft.id)).toEqual({ en: edit.title });
      expect(await list('scheduled=true')).toMatchObject({ data: [], total: 0 });
      expect(await audit(draft.id)).toMatchObject([
        { action: 'article.published', actor: admin, details: { scheduled: true, toRevision: 3 } },
        { action: 'article.edited' },
        { action: 'article.scheduled', actor: admin, details: { publishAt: at } },
        { action: 'article.created' },
      ]);
    });

    it('publishes once when two nodes try at the same time', async () => {
      const { id, revision } = await addArticle(team, ENGLISH, false);
      expectOk(await schedule({ id, revision }, after(HOUR)));
      team.harness.clock.advance(HOUR);
      const { store, log, clock } = team.harness.service;
      const indexing = createIndexing();
      await Promise.all([
        team.harness.service.tick(),
        createScheduledPublisher({ store, clock, log, indexing }).tick(),
        team.harness.service.tick(),
      ]);
      expect(await read(id)).toMatchObject({ status: 'published', revision: revision + 1 });
      const actions = (await audit(id)).map(({ action }) => action);
      expect(actions).toEqual(['article.published', 'article.scheduled', 'article.created']);
    });

    it('moves and cancels a publication', async () => {
      const draft = await addArticle(team, ENGLISH, false);
      expectOk(await schedule(draft, after(HOUR)));
      const later = after(3 * HOUR);
      expect(expectOk(await schedule(draft, later)).scheduled?.at).toBe(later);
      await wait(2 * HOUR);
      expect(await read(draft.id)).toMatchObject({ status: 'draft', scheduled: { at: later } });
      expect(expectOk(await schedule(draft, null))).not.toHaveProperty('scheduled');
      expectOk(await schedule(draft, null));
      await wait(2 * HOUR);
      expect((await read(draft.id)).status).toBe('draft');
      expect((await audit(draft.id)).map(({ action }) => action)).toEqual([
        ...['article.schedule_ended', 'article.scheduled', 'article.scheduled', 'article.created'],
      ]);
    });

    it('ends when the article is published or taken offline by hand', async () => {
      const draft = await addArticle(team, ENGLISH, false);
      expectOk(await schedule(draft, after(HOUR)));
      const base = { baseRevision: draft.revision };
      const path = `/knowledge/articles/${draft.id}`;
      const published = expectOk(await team.as('owner').post<ArticleRecord>(`${path}/publish`, base));
      expect(published).not.toHaveProperty('scheduled');
      const edit = { baseRevision: published.revision, ...ENGLISH, title: 'Other' };
      const edited = expectOk(await team.as('owner').put<ArticleRecord>(path, edit));
      expectOk(await schedule(edited, after(HOUR)));
      const offline = { baseRevision: edited.revision };
      expect(
        expectOk(await team.as('owner').post<ArticleRecord>(`${path}/unpublish`, offline)),
      ).not.toHaveProperty('scheduled');
      await wait(HOUR);
      expect((await read(draft.id)).status).toBe('unpublished');
    });

    it('ends with a reason when there is nothing to publish any more', async () => {
      const live = await addArticle(team);
      const path = `/knowledge/articles/${live.id}`;
      const put = async (title: string, baseRevision: number) =>
        expectOk(await team.as('owner').put<ArticleRecord>(path, { baseRevision, ...ENGLISH, title }));
      const edited = await put('Other', live.revision);
      expectOk(await schedule(edited, after(HOUR)));
      await put(ENGLISH.title, edited.revision);
      await wait(HOUR);
      expect(await read(live.id)).not.toHaveProperty('scheduled');
      expect((await audit(live.id))[0]).toMatchObject({
        action: 'article.schedule_ended',
        details: { reason: 'article/not_allowed' },
      });
    });

    it('refuses a time in the past or too far ahead, an older revision, and a text that is live already', async () => {
      const draft = await addArticle(team, ENGLISH, false);
      for (const at of [after(-1000), after(1831 * DAY)]) {
        expect(expectError(await schedule(draft, at), 'request/invalid').issues?.[0]?.path).toBe(
          'body.publishAt',
        );
      }
      expectError(await schedule({ ...draft, revision: 7 }, after(HOUR)), 'article/conflict');
      expectError(await schedule(await addArticle(team), after(HOUR)), 'article/not_allowed');
      expectError(await schedule({ ...draft, id: UNKNOWN_ARTICLE }, after(HOUR)), 'article/not_found');
    });
  });

  describe('of translations', () => {
    const approve = async (articleId: string) =>
      bringTo('approved', team.as('owner'), await translate(team.as('owner'), articleId));

    it('publishes the approved revision when it is due, after the article', async () => {
      const draft = await addArticle(team, ENGLISH, false);
      const translation = await approve(draft.id);
      const at = after(HOUR);
      expect(expectOk(await scheduleTranslation(translation, at)).scheduled?.at).toBe(at);
      expectOk(await schedule(draft, at));
      expect((await list('scheduled=true')).data[0]?.translations).toMatchObject([{ scheduled: { at } }]);
      await wait(HOUR);
      expect(Object.keys(await liveTitles(team, draft.id)).sort()).toEqual(['de', 'en']);
      const published = await readTranslation(team, translation);
      expect(published).toMatchObject({
        status: 'published',
        live: { publishedBy: team.as('admin').memberId },
      });
      expect(published).not.toHaveProperty('scheduled');
      expect((await audit(translation.id))[0]).toMatchObject({
        action: 'translation.published',
        details: { scheduled: true },
      });
    });

    it('is refused without an approval, and ends with the edit that voids it', async () => {
      const { id } = await addArticle(team);
      const draft = await translate(team.as('owner'), id);
      expectError(await scheduleTranslation(draft, after(HOUR)), 'translation/not_allowed');
      const approved = await bringTo('approved', team.as('owner'), draft);
      expectOk(await scheduleTranslation(approved, after(HOUR)));
      const edited = await takeStep(team.as('owner'), 'edit', approved);
      expect(edited).not.toHaveProperty('scheduled');
      await wait(HOUR);
      expect((await readTranslation(team, draft)).status).toBe('draft');
    });

    it('ends with a reason when the article has changed meanwhile', async () => {
      const { id } = await addArticle(team);
      const approved = await approve(id);
      expectOk(await scheduleTranslation(approved, after(HOUR)));
      await changeArticle(team, id, 'We wrap gifts for three euros.');
      expectError(await scheduleTranslation(approved, after(DAY)), 'translation/stale');
      await wait(HOUR);
      const kept = await readTranslation(team, approved);
      expect(kept.status).toBe('approved');
      expect(kept).not.toHaveProperty('scheduled');
      expect((await audit(approved.id))[0]).toMatchObject({
        action: 'translation.schedule_ended',
        details: { reason: 'translation/stale' },
      });
    });

    it('cancels, and refuses an older revision or an unknown translation', async () => {
      const { id } = await addArticle(team);
      const approved = await approve(id);
      expectOk(await scheduleTranslation(approved, after(HOUR)));
      expect(expectOk(await scheduleTranslation(approved, null))).not.toHaveProperty('scheduled');
      expectOk(await scheduleTranslation(approved, null));
      expectError(
        await scheduleTranslation({ ...approved, revision: 1 }, after(HOUR)),
        'translation/conflict',
      );
      const unknown = { ...approved, id: 'tr_01kakv2fxse7wtg6x5r0h8rjbm' };
      expectError(await scheduleTranslation(unknown, after(HOUR)), 'translation/not_found');
      const elsewhere = { ...approved, articleId: UNKNOWN_ARTICLE };
      expectError(await scheduleTranslation(elsewhere, after(HOUR)), 'article/not_found');
    });
  });

  it('lists articles to verify from their date on, until somebody confirms them', async () => {
    const { id, revision } = await addArticle(team);
    const verify = (verifyAfter: string | null, articleId = id) =>
      team.as('admin').put<ArticleRecord>(`/knowledge/articles/${articleId}/verification`, { verifyAfter });
    const at = after(2 * HOUR);
    const by = team.as('admin').memberId;
    expect(expectOk(await verify(at)).verify).toMatchObject({ after: at, checkedBy: by });
    expect((await list('toVerify=true')).total).toBe(0);
    await wait(2 * HOUR);
    expect((await list('toVerify=true')).data).toMatchObject([{ id, verify: { after: at } }]);
    expect((await list('toVerify=false')).data.map((row) => row.id)).not.toContain(id);
    expect(expectOk(await verify(after(2 * HOUR))).revision).toBe(revision);
    expect((await list('toVerify=true')).total).toBe(0);
    expect(expectOk(await verify(null))).not.toHaveProperty('verify');
    expect((await audit(id)).filter(({ action }) => action === 'article.verified')).toHaveLength(3);
    expect(expectError(await verify(after(-DAY)), 'request/invalid').issues?.[0]?.path).toBe(
      'body.verifyAfter',
    );
    expectError(await verify(null, UNKNOWN_ARTICLE), 'article/not_found');
  });
});
