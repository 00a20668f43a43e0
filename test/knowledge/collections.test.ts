import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleSummary } from '../../contract/articles.ts';
import type { CollectionRecord } from '../../contract/collections.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { newId } from '../../server/base/ids.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';

describe('collections of articles', () => {
  let team: Team;

  beforeAll(async () => {
    team = await openTeam({ articles: [] });
  });
  afterAll(() => team.close());
  const create = (name: string) =>
    team.as('admin').post<CollectionRecord>('/knowledge/collections', { name });
  const collections = async () =>
    (await team.as('member').get<{ data: CollectionRecord[] }>('/knowledge/collections')).json.data;
  const actions = async () => {
    const { json } = await team.as('owner').get<{ data: { action: string }[] }>('/audit?action=collection.');
    return json.data.map(({ action }) => action);
  };

  it('creates, renames and deletes collections, and audits it', async () => {
    const { status, json } = await create('  Orders \n and returns ');
    expect(status).toBe(201);
    expect(json).toEqual({ id: expect.stringMatching(/^col_/), name: 'Orders and returns', articles: 0 });
    const path = `/knowledge/collections/${json.id}`;
    const renamed = await team.as('admin').put<CollectionRecord>(path, { name: 'Orders' });
    expect(renamed.json).toEqual({ ...json, name: 'Orders' });
    expect(await collections()).toEqual([renamed.json]);
    expect((await team.as('admin').delete(path)).status).toBe(200);
    expect(await collections()).toEqual([]);
    expectError(await team.as('admin').delete(path), 'collection/not_found');
    expectError(await team.as('admin').put(path, { name: 'Orders' }), 'collection/not_found');
    expect(await actions()).toEqual(['collection.deleted', 'collection.renamed', 'collection.created']);
  });

  it('rejects taken, blank and overlong names, and changes by members', async () => {
    const { json } = await create('Billing');
    expectError(await create('Billing'), 'collection/name_taken');
    const other = await create('Shipping');
    expectError(
      await team.as('admin').put(`/knowledge/collections/${other.json.id}`, { name: 'Billing' }),
      'collection/name_taken',
    );
    expectError(await create('\u200b'), 'request/invalid');
    expectError(await create('x'.repeat(ARTICLE_LIMITS.collectionNameCharsMax + 1)), 'request/invalid');
    expectError(
      await team.as('member').post('/knowledge/collections', { name: 'Mine' }),
      'tenant/role_required',
    );
    expect((await collections()).map(({ name }) => name)).toEqual([json.name, 'Shipping']);
  });

  it('rejects a collection beyond the maximum', async () => {
    const { harness, elsewhere } = team;
    const { collections } = harness.service.store.in(elsewhere.id);
    const [createdAt, createdBy] = [harness.clock.now(), 'operator'];
    for (let at = 0; at < ARTICLE_LIMITS.collectionsMax; at += 1) {
      const [id, audit] = [newId('col'), { id: newId('aud'), atMillis: createdAt, actor: createdBy }];
      const row = { id, name: `Topic ${at}`, createdAt, createdBy };
      const entry = { ...audit, action: 'collection.created', subject: id, details: {} };
      expect(await collections.create(row, ARTICLE_LIMITS.collectionsMax, entry)).toBe('created');
    }
    const path = `/api/tenants/${elsewhere.id}/knowledge/collections`;
    expectError(await team.as('stranger').post(path, { name: 'One more' }), 'collection/too_many');
  });

  it('counts articles, and filters them by collection, on the first page with the total', async () => {
    const [collection] = await collections();
    const ids: string[] = [];
    for (const title of ['Invoices', 'Refunds', 'Parcels']) {
      const { json } = await team
        .as('admin')
        .post<ArticleSummary>('/knowledge/articles', { title, answer: 'Yes.' });
      ids.push(json.id);
    }
    const { articles } = team.harness.service.store.in(team.workspace.id);
    await articles.organize(ids.slice(0, 2), { collectionId: collection!.id });
    await articles.organize(ids.slice(1), { tag: 'money', tagsMax: 5 });
    type Listed = { data: ArticleSummary[]; nextCursor?: string; total?: number };
    const list = (query: string) => team.as('member').get<Listed>(`/knowledge/articles?${query}`);
    const first = (await list(`collection=${collection!.id}&sort=title_asc&limit=1`)).json;
    expect(first).toMatchObject({ total: 2, data: [{ title: 'Invoices', collectionId: collection!.id }] });
    const second = (
      await list(`collection=${collection!.id}&sort=title_asc&limit=1&cursor=${first.nextCursor}`)
    ).json;
    expect(second).toMatchObject({ data: [{ title: 'Refunds', tags: ['money'] }] });
    expect(second).not.toHaveProperty('total');
    expect((await list('collection=none')).json).toMatchObject({ total: 1, data: [{ title: 'Parcels' }] });
    expect((await list('tag=MONEY&sort=title_desc')).json.data.map(({ title }) => title)).toEqual([
      'Refunds',
      'Parcels',
    ]);
    expectError(await list(`sort=updated_asc&cursor=${first.nextCursor}`), 'request/invalid');
    expectError(await list('tag=%22'), 'request/invalid');
    const tags = await team.as('member').get('/knowledge/tags');
    expect(tags.json).toEqual({ data: [{ tag: 'money', articles: 2 }] });
    expect(await collections()).toMatchObject([{ articles: 2 }, { articles: 0 }]);
  });
});
