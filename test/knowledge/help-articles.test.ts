import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { HelpArticle, HelpArticleText, HelpPage } from '../../generated/types.ts';
import { newId } from '../../server/base/ids.ts';
import { expectError, readResponse } from '../support/response.ts';
import { importSeeds } from '../support/seeds.ts';
import { openTeam, type Team } from '../support/team.ts';

const GERMAN = { 'accept-language': 'de-AT,de;q=0.9' };

describe('published articles for visitors', () => {
  let team: Team;
  let token: string;

  beforeAll(async () => {
    team = await openTeam();
    token = (await team.harness.boot()).jwt;
  });
  afterAll(() => team.close());

  async function get<T>(path: string, headers: Record<string, string> = {}) {
    const sent = { authorization: `Bearer ${token}`, ...headers };
    return readResponse<T>(team.harness.fetch(path, { headers: sent }));
  }
  const list = async (query = '', headers?: Record<string, string>) =>
    (await get<HelpPage>(`/articles${query}`, headers)).json;
  const search = async (q: string, headers?: Record<string, string>) =>
    (await get<{ data: HelpArticle[] }>(`/articles/search?q=${encodeURIComponent(q)}`, headers)).json.data;
  const titles = ({ data }: { data: readonly HelpArticle[] }) => data.map(({ title }) => title);

  async function write(title: string, more: Record<string, unknown> = {}): Promise<string> {
    const { json } = await team
      .as('admin')
      .post<{ id: string }>('/knowledge/articles', { title, answer: `All about ${title}.`, ...more });
    return json.id;
  }
  async function publish(title: string, more?: Record<string, unknown>): Promise<string> {
    const id = await write(title, more);
    await team.as('admin').post(`/knowledge/articles/${id}/publish`, { baseRevision: 1 });
    return id;
  }
  async function collect(name: string, articleIds: readonly string[]): Promise<string> {
    const { json } = await team.as('admin').post<{ id: string }>('/knowledge/collections', { name });
    await team
      .as('admin')
      .post('/knowledge/article-actions', { action: 'move', articleIds, collectionId: json.id });
    team.harness.clock.advance(10_000);
    return json.id;
  }

  it('lists published articles by title, in the language of the visitor or the closest one', async () => {
    const english = await list();
    expect(titles(english)).toEqual(titles(english).toSorted());
    expect(titles(english)).toContain('Return an order');
    const returned = (await list('', GERMAN)).data.find(({ title }) => title.startsWith('Eine Bestellung'));
    expect(returned).toMatchObject({
      requested_locale: 'de-AT',
      content_locale: 'de',
      fallback_reason: 'base_language',
      stale: false,
    });
    const untranslated = (await list('', GERMAN)).data.find(({ title }) => title === 'Delivery times');
    expect(untranslated).toMatchObject({ content_locale: 'en', fallback_reason: 'source_article' });
  });

  it('counts the published articles of collections, and leaves out drafts and empty collections', async () => {
    const ids = [
      await publish('Invoice by post'),
      await publish('Invoice by mail'),
      await write('A secret draft'),
    ];
    const id = await collect('Invoices', ids);
    await collect('Nothing yet', []);
    await collect('Drafts', [await write('Another draft')]);
    expect((await list()).collections).toEqual([{ id, name: 'Invoices', articles: 2 }]);
    expect(titles(await list())).not.toContain('Invoice by mail');
    expect(await list(`?collection=${id}`)).toMatchObject({
      collections: [],
      data: [{ title: 'Invoice by mail' }, { title: 'Invoice by post' }],
    });
  });

  it('pages through more articles than one answer holds', async () => {
    const { store } = team.harness.service;
    const many = Array.from({ length: ARTICLE_LIMITS.helpPageRowsMax + 5 }, (_, at) => ({
      slug: `many-${at}`,
      locale: 'en',
      title: `Zebra ${String(at).padStart(3, '0')}`,
      answer: 'Zebras are striped.',
    }));
    await importSeeds(store, team.workspace.id, many);
    const first = await list();
    expect(first.data).toHaveLength(ARTICLE_LIMITS.helpPageRowsMax);
    const second = await list(`?cursor=${first.nextCursor}`);
    expect(second.nextCursor).toBeUndefined();
    const all = [...titles(first), ...titles(second)];
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((title) => title.startsWith('Zebra'))).toHaveLength(many.length);
    expectError(await get('/articles?cursor=wrong'), 'request/invalid');
  });

  it('finds articles by words, by their beginnings and in another language, with the matching part', async () => {
    expect((await search('return an order'))[0]).toMatchObject({
      title: 'Return an order',
      snippet: expect.stringContaining('within thirty days'),
    });
    expect(titles({ data: await search('passw') })).toContain('Reset your password');
    expect((await search('Bestellung zurückgeben', GERMAN))[0]).toMatchObject({ content_locale: 'de' });
    expect(await search('qqqqzzzz')).toEqual([]);
    expectError(await get('/articles/search?q='), 'request/invalid');
  });

  it('reads an article in the translation for the visitor', async () => {
    const id = (await search('return an order'))[0]!.article_id;
    const { json } = await get<HelpArticleText>(`/articles/${id}`, GERMAN);
    expect(json).toMatchObject({
      article_id: id,
      title: 'Eine Bestellung zurückgeben',
      url: 'https://shop.example.com/help/returns',
      answer: expect.stringContaining('dreißig Tagen'),
    });
  });

  it('says nothing of drafts, unpublished articles, unreviewed translations and other workspaces', async () => {
    const draft = await write('Wombat draft');
    expectError(await get(`/articles/${draft}`), 'article/not_found');
    const gone = await publish('Wombat care');
    await team.as('admin').post(`/knowledge/articles/${gone}/translations`, {
      locale: 'de',
      title: 'Wombatpflege',
      answer: 'Alles über Wombats.',
    });
    expect((await get<HelpArticleText>(`/articles/${gone}`, GERMAN)).json.title).toBe('Wombat care');
    await team.as('admin').post(`/knowledge/articles/${gone}/unpublish`, { baseRevision: 2 });
    expectError(await get(`/articles/${gone}`), 'article/not_found');
    expect(titles({ data: await search('wombat') })).toEqual([]);

    const { json } = await team
      .as('stranger')
      .post<{ id: string }>(`/api/tenants/${team.elsewhere.id}/knowledge/articles`, {
        title: 'Aardvark of the neighbours',
        answer: 'An aardvark.',
      });
    const path = `/api/tenants/${team.elsewhere.id}/knowledge`;
    await team.as('stranger').post(`${path}/articles/${json.id}/publish`, { baseRevision: 1 });
    const other = await team.as('stranger').post<{ id: string }>(`${path}/collections`, { name: 'Theirs' });
    expectError(await get(`/articles/${json.id}`), 'article/not_found');
    expect(titles({ data: await search('aardvark') })).toEqual([]);
    expect((await list(`?collection=${other.json.id}`)).data).toEqual([]);
  });

  it('stores and logs nothing of what a visitor searches and reads', async () => {
    const { dataDir, logged } = team.harness;
    await search('xylophones marimbas');
    await get(`/articles/${(await search('return an order'))[0]!.article_id}`);
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const stored = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    for (const text of [...stored, JSON.stringify(logged)]) {
      expect(text).not.toContain('xylophones');
      expect(text).not.toContain('marimbas');
    }
    const { json } = await team.as('owner').get<{ totals: { boots: number } }>('/analytics');
    expect(json.totals).toMatchObject({ turns: 0, conversations: 0 });
  });

  it('limits the requests of a visitor, without costing questions', async () => {
    const { jwt } = await team.harness.boot();
    const headers = { authorization: `Bearer ${jwt}` };
    const { points } = BUCKETS['articles/visitor-burst'];
    team.harness.clock.stop();
    for (let sent = 0; sent < points; sent += 1) await team.harness.fetch('/articles', { headers });
    const refused = await get('/articles', headers);
    expectError(refused, 'rate_limit/exceeded');
    expect(refused.json).toMatchObject({ bucket: 'articles/visitor-burst' });
    expect((await team.harness.ask(jwt)).at(-1)).toMatchObject({ type: 'message_end' });
    team.harness.clock.resume();
  });

  it('are not served while the guide is paused', async () => {
    await team.harness.pause();
    for (const path of ['/articles', '/articles/search?q=order', `/articles/${newId('art')}`])
      expectError(await get(path), 'guide/paused');
    await team.harness.pause(false);
    expect(titles(await list()).length).toBeGreaterThan(0);
  });
});
