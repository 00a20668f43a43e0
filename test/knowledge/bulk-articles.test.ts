import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../contract/articles.ts';
import type { BulkOutcome } from '../../contract/bulk-articles.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { newId } from '../../server/base/ids.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';

type Reply = { data: BulkOutcome[]; done: number; refused: number };

describe('actions on several articles', () => {
  let team: Team;

  beforeAll(async () => {
    team = await openTeam({ articles: [] });
  });
  afterAll(() => team.close());
  const draft = async (title: string) =>
    (await team.as('admin').post<ArticleRecord>('/knowledge/articles', { title, answer: `${title}.` })).json
      .id;
  const act = (body: object) => team.as('admin').post<Reply>('/knowledge/article-actions', body);
  const read = async (id: string) =>
    (await team.as('member').get<ArticleRecord>(`/knowledge/articles/${id}`)).json;
  const audited = async () => {
    type Row = { action: string; details: string; actor: string };
    const { json } = await team.as('owner').get<{ data: Row[] }>('/audit?limit=1');
    return { ...json.data[0]!, details: JSON.parse(json.data[0]!.details) as object };
  };

  it('publishes and unpublishes, with an outcome for each article and one audit row', async () => {
    const articleIds = [await draft('One'), await draft('Two'), newId('art')];
    const { json } = await act({ action: 'publish', articleIds });
    expect(json).toEqual({
      data: [
        { articleId: articleIds[0], outcome: 'done', previousStatus: 'draft' },
        { articleId: articleIds[1], outcome: 'done', previousStatus: 'draft' },
        { articleId: articleIds[2], outcome: 'refused', error: 'article/not_found' },
      ],
      done: 2,
      refused: 1,
    });
    expect(await audited()).toMatchObject({
      action: 'articles.published',
      actor: team.as('admin').memberId,
      details: { articles: 2, refused: 1, articleIds: articleIds.slice(0, 2) },
    });
    expect(await read(articleIds[0]!)).toMatchObject({ status: 'published', live: { revision: 2 } });
    const { json: again } = await act({ action: 'publish', articleIds: articleIds.slice(0, 1) });
    expect(again).toMatchObject({ data: [{ outcome: 'unchanged' }], done: 0 });
    const { json: hidden } = await act({ action: 'unpublish', articleIds: articleIds.slice(0, 2) });
    expect(hidden).toMatchObject({ done: 2, data: [{ previousStatus: 'published' }, {}] });
    expect(await read(articleIds[1]!)).toMatchObject({ status: 'unpublished' });
  });

  it('moves and tags articles, and returns the previous values', async () => {
    const { json: billing } = await team
      .as('admin')
      .post<{ id: string }>('/knowledge/collections', { name: 'Billing' });
    const articleIds = [await draft('Three'), await draft('Four')];
    const into = (collectionId: string | null, ids = articleIds) =>
      act({ action: 'move', articleIds: ids, collectionId });
    expect((await into(billing.id, articleIds.slice(0, 1))).json).toMatchObject({ done: 1 });
    const { json } = await into(billing.id);
    expect(json.data.map(({ outcome }) => outcome)).toEqual(['unchanged', 'done']);
    expect((await into(null)).json.data).toMatchObject([
      { outcome: 'done', previousCollectionId: billing.id },
      { outcome: 'done', previousCollectionId: billing.id },
    ]);
    await act({ action: 'tag', articleIds, tag: ' Gift  Cards ' });
    expect(await read(articleIds[0]!)).toMatchObject({ tags: ['gift cards'], revision: 1 });
    expect((await act({ action: 'untag', articleIds, tag: 'gift cards' })).json).toMatchObject({ done: 2 });
    expect(await audited()).toMatchObject({ action: 'articles.untagged', details: { tag: 'gift cards' } });
  });

  it('rejects more tags than an article may have', async () => {
    const id = await draft('Tagged');
    for (let number = 0; number < ARTICLE_LIMITS.tagsPerArticleMax; number += 1) {
      await act({ action: 'tag', articleIds: [id], tag: `tag ${number}` });
    }
    expect((await act({ action: 'tag', articleIds: [id], tag: 'one more' })).json).toMatchObject({
      data: [{ outcome: 'refused', error: 'article/too_many_tags' }],
    });
  });

  it('deletes articles', async () => {
    const articleIds = [await draft('Five'), await draft('Six')];
    expect((await act({ action: 'delete', articleIds })).json).toMatchObject({ done: 2 });
    expectError(await team.as('member').get(`/knowledge/articles/${articleIds[0]}`), 'article/not_found');
  });

  it('rejects fields that do not belong to the action, unknown collections and members', async () => {
    const articleIds = [await draft('Seven')];
    for (const body of [{ action: 'move' }, { action: 'publish', tag: 'a' }, { action: 'tag' }]) {
      expectError(await act({ ...body, articleIds }), 'request/invalid');
    }
    const collectionId = newId('col');
    expectError(await act({ action: 'move', articleIds, collectionId }), 'collection/not_found');
    const body = { action: 'publish', articleIds };
    expectError(await team.as('member').post('/knowledge/article-actions', body), 'tenant/role_required');
    const tooMany = Array.from({ length: ARTICLE_LIMITS.bulkArticlesMax + 1 }, () => articleIds[0]);
    expectError(await act({ action: 'publish', articleIds: tooMany }), 'request/invalid');
    const foreign = team
      .as('stranger')
      .post(`/api/tenants/${team.workspace.id}/knowledge/article-actions`, body);
    expectError(await foreign, 'tenant/not_found');
  });

  it('lists the ids of all that match', async () => {
    const ids = async (query: string) =>
      (await team.as('member').get<{ data: string[] }>(`/knowledge/article-ids?${query}`)).json.data;
    const { json } = await team
      .as('member')
      .get<{ data: ArticleSummary[] }>('/knowledge/articles?status=draft');
    expect(await ids('status=draft')).toEqual(json.data.map(({ id }) => id));
  });

  it('exports articles as lines that can be imported', async () => {
    const id = await draft('Exported');
    await act({ action: 'tag', articleIds: [id], tag: 'a' });
    const body = { articleIds: [id, newId('art')] };
    const { text } = await team.as('member').post('/knowledge/article-export', body);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        slug: 'exported',
        locale: 'en',
        title: 'Exported',
        answer: 'Exported.',
        aliases: [],
        tags: ['a'],
        translations: [],
      },
    ]);
  });
});
