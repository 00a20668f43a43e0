import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AliasSuggestion, ArticleRecord } from '../../contract/articles.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { expectRefusal } from '../fixtures/answer.ts';
import { importSeeds } from '../fixtures/seeds.ts';
import { articles } from './parallel-articles.ts';

let office: Office;
let parcelId: string;

beforeEach(async () => {
  office = await openOffice({ articles: [] });
  const { service, clock } = office.harness;
  const seeds = articles.map(({ source, translations }, at) => ({
    ...source,
    slug: `thing-${at}`,
    translations: [...translations],
  }));
  await importSeeds(service.store, office.workspace.id, seeds);
  for (let check = 0; check < 2; check += 1) {
    clock.advance(60_000);
    await service.tick();
  }
  parcelId = (await service.store.in(office.workspace.id).articles.findId('thing-0'))!;
});
afterEach(() => office.close());

const path = (articleId = parcelId) => `/knowledge/articles/${articleId}/alias-suggestions`;
const list = async (articleId = parcelId) =>
  (await office.as('member').get<{ data: AliasSuggestion[] }>(path(articleId))).json.data;
const dismiss = (alias: string, articleId = parcelId) =>
  office.as('owner').post(`${path(articleId)}/dismiss`, { alias, locale: 'en' });

describe('suggested aliases', () => {
  it('are words with the same translations as the words of the title', async () => {
    expect((await list())[0]).toStrictEqual({ alias: 'package', locale: 'en', evidence: ['de', 'fr', 'ja'] });
  });

  it('leave out what the article says already', async () => {
    const owner = office.as('owner');
    const at = `/knowledge/articles/${parcelId}`;
    const { title, answer, revision } = (await owner.get<ArticleRecord>(at)).json;
    await owner.put(at, { baseRevision: revision, title, answer, aliases: ['packages'] });
    expect((await list()).map(({ alias }) => alias)).not.toContain('package');
  });

  it('leave out what was dismissed for the article, also after a restart', async () => {
    expect(await list()).toContainEqual(expect.objectContaining({ alias: 'package' }));
    expect((await dismiss('Package')).json).toStrictEqual({ ok: true });
    expect((await list()).map(({ alias }) => alias)).not.toContain('package');
    const { store } = office.harness.service;
    const { dismissedAliases, articles: stored } = store.in(office.workspace.id);
    expect(await dismissedAliases.list(parcelId)).toStrictEqual([{ alias: 'Package', locale: 'en' }]);
    const { revision } = (await stored.find(parcelId))!;
    expect(revision).toBe(1);
  });

  it('remember a bounded number of dismissed aliases, the newest', async () => {
    const { dismissedAliases } = office.harness.service.store.in(office.workspace.id);
    for (let at = 0; at < 5; at += 1)
      await dismissedAliases.add(parcelId, { alias: `w${at}`, locale: 'en' }, 3);
    await dismissedAliases.add(parcelId, { alias: 'w3', locale: 'en' }, 3);
    expect((await dismissedAliases.list(parcelId)).map(({ alias }) => alias)).toStrictEqual([
      'w2',
      'w4',
      'w3',
    ]);
  });

  it('are none before anything was learned', async () => {
    const elsewhere = office.as('stranger');
    const base = `/api/tenants/${office.elsewhere.id}`;
    const text = { title: 'Send a parcel', answer: 'Bring it to us.' };
    const { id } = (await elsewhere.post<ArticleRecord>(`${base}/knowledge/articles`, text)).json;
    expect((await elsewhere.get(`${base}${path(id)}`)).json).toStrictEqual({ data: [] });
  });

  it('reject an unknown article, and a member who may not edit', async () => {
    const unknown = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
    expectRefusal(await office.as('owner').get(path(unknown)), 'article/not_found');
    expectRefusal(await dismiss('package', unknown), 'article/not_found');
    const body = { alias: 'package', locale: 'en' };
    expectRefusal(await office.as('member').post(`${path()}/dismiss`, body), 'tenant/role_required');
    const tooLong = { alias: 'a'.repeat(LIMITS.aliasCharsMax + 1), locale: 'en' };
    expectRefusal(await office.as('owner').post(`${path()}/dismiss`, tooLong), 'request/invalid');
    const noLanguage = { alias: 'package', locale: 'no language' };
    expectRefusal(await office.as('owner').post(`${path()}/dismiss`, noLanguage), 'request/invalid');
  });
});
