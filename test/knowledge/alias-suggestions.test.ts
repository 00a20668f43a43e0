import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AliasSuggestion, ArticleRecord } from '../../contract/articles.ts';
import { LIMITS } from '../../contract/limits.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { expectError } from '../fixtures/answer.ts';
import { importSeeds } from '../fixtures/seeds.ts';
import { articles } from './parallel-articles.ts';

let team: Team;
let parcelId: string;

beforeEach(async () => {
  team = await openTeam({ articles: [] });
  const { service, clock } = team.harness;
  const seeds = articles.map(({ source, translations }, at) => ({
    ...source,
    slug: `thing-${at}`,
    translations: [...translations],
  }));
  await importSeeds(service.store, team.workspace.id, seeds);
  for (let check = 0; check < 2; check += 1) {
    clock.advance(60_000);
    await service.tick();
  }
  parcelId = (await service.store.in(team.workspace.id).articles.findId('thing-0'))!;
});
afterEach(() => team.close());

const path = (articleId = parcelId) => `/knowledge/articles/${articleId}/alias-suggestions`;
const list = async (articleId = parcelId) =>
  (await team.as('member').get<{ data: AliasSuggestion[] }>(path(articleId))).json.data;
const dismiss = (alias: string, articleId = parcelId) =>
  team.as('owner').post(`${path(articleId)}/dismiss`, { alias, locale: 'en' });

describe('suggested aliases', () => {
  it('are words with the same translations as the words of the title', async () => {
    expect((await list())[0]).toStrictEqual({ alias: 'package', locale: 'en', evidence: ['de', 'fr', 'ja'] });
  });

  it('leave out what the article says already', async () => {
    const owner = team.as('owner');
    const at = `/knowledge/articles/${parcelId}`;
    const { title, answer, revision } = (await owner.get<ArticleRecord>(at)).json;
    await owner.put(at, { baseRevision: revision, title, answer, aliases: ['packages'] });
    expect((await list()).map(({ alias }) => alias)).not.toContain('package');
  });

  it('leave out what was dismissed for the article, also after a restart', async () => {
    expect(await list()).toContainEqual(expect.objectContaining({ alias: 'package' }));
    expect((await dismiss('Package')).json).toStrictEqual({ ok: true });
    expect((await list()).map(({ alias }) => alias)).not.toContain('package');
    const { store } = team.harness.service;
    const { dismissedAliases, articles: stored } = store.in(team.workspace.id);
    expect(await dismissedAliases.list(parcelId)).toStrictEqual([{ alias: 'Package', locale: 'en' }]);
    const { revision } = (await stored.find(parcelId))!;
    expect(revision).toBe(1);
  });

  it('remember a bounded number of dismissed aliases, the newest', async () => {
    const { dismissedAliases } = team.harness.service.store.in(team.workspace.id);
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
    const elsewhere = team.as('stranger');
    const base = `/api/tenants/${team.elsewhere.id}`;
    const text = { title: 'Send a parcel', answer: 'Bring it to us.' };
    const { id } = (await elsewhere.post<ArticleRecord>(`${base}/knowledge/articles`, text)).json;
    expect((await elsewhere.get(`${base}${path(id)}`)).json).toStrictEqual({ data: [] });
  });

  it('reject an unknown article, and a member who may not edit', async () => {
    const unknown = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
    expectError(await team.as('owner').get(path(unknown)), 'article/not_found');
    expectError(await dismiss('package', unknown), 'article/not_found');
    const body = { alias: 'package', locale: 'en' };
    expectError(await team.as('member').post(`${path()}/dismiss`, body), 'tenant/role_required');
    const tooLong = { alias: 'a'.repeat(LIMITS.aliasCharsMax + 1), locale: 'en' };
    expectError(await team.as('owner').post(`${path()}/dismiss`, tooLong), 'request/invalid');
    const noLanguage = { alias: 'package', locale: 'no language' };
    expectError(await team.as('owner').post(`${path()}/dismiss`, noLanguage), 'request/invalid');
  });
});
