import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AliasSuggestion, ArticleRecord } from '../../contract/articles.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { type ChangeDeps, publishArticle, unpublishArticle } from '../../server/knowledge/article-changes.ts';
import { createIndexing } from '../../server/knowledge/search/indexing.ts';
import type { Articles } from '../../server/storage/articles.ts';
import { expectError } from '../support/response.ts';
import { importSeeds } from '../support/seeds.ts';
import { openTeam, type Team } from '../support/team.ts';
import { anEmptyWorkspaceForEach, importLines, returns, store, WORKSPACE } from './importing.ts';
import { articles } from './parallel-articles.ts';

const path = '/knowledge/articles';
const gifts = { title: 'Gift wrapping', answer: 'Choose gift wrapping at the checkout. It costs two euros.' };

describe('articles of a workspace', () => {
  let team: Team;

  beforeAll(async () => {
    team = await openTeam({ articles: [] });
  });
  afterAll(() => team.close());

  async function create(content: Record<string, unknown> = gifts): Promise<ArticleRecord> {
    team.harness.clock.advance(1000);
    const { status, json } = await team.as('admin').post<ArticleRecord>(path, content);
    expect(status).toBe(201);
    return json;
  }

  async function step(
    name: 'publish' | 'unpublish',
    { id, revision }: ArticleRecord,
  ): Promise<ArticleRecord> {
    const response = await team
      .as('owner')
      .post<ArticleRecord>(`${path}/${id}/${name}`, { baseRevision: revision });
    expect(response.status).toBe(200);
    return response.json;
  }

  async function edit(
    { id, revision }: ArticleRecord,
    content: Record<string, unknown>,
  ): Promise<ArticleRecord> {
    const response = await team
      .as('admin')
      .put<ArticleRecord>(`${path}/${id}`, { baseRevision: revision, ...content });
    expect(response.status).toBe(200);
    return response.json;
  }

  async function served(q: string): Promise<string[]> {
    const { json } = await team
      .as('member')
      .get<{ data: { slug: string; snippet: string }[] }>(
        `/knowledge/search?q=${encodeURIComponent(q)}&locale=en`,
      );
    return json.data.map(({ snippet }) => snippet);
  }

  async function newestAudit() {
    const [row] = await team.harness.service.store.in(team.workspace.id).audit.list(1);
    return row!;
  }

  describe('article lifecycle', () => {
    it('starts as a draft that visitors are not served', async () => {
      const article = await create({
        ...gifts,
        aliases: ['wrapping paper'],
        url: 'https://shop.example.com/gifts',
      });
      expect(article).toMatchObject({
        ...gifts,
        slug: 'gift-wrapping',
        locale: 'en',
        status: 'draft',
        revision: 1,
        aliases: ['wrapping paper'],
        url: 'https://shop.example.com/gifts',
        searchSummary: gifts.answer,
        translations: [],
        createdBy: team.as('admin').memberId,
        updatedBy: team.as('admin').memberId,
      });
      expect(article).not.toHaveProperty('live');
      expect((await team.as('member').get(`${path}/${article.id}`)).json).toEqual(article);
      expect(await served('gift wrapping')).toEqual([]);
      expect(await newestAudit()).toMatchObject({
        actor: team.as('admin').memberId,
        action: 'article.created',
        subject: article.id,
        details: { slug: 'gift-wrapping', toRevision: 1 },
      });
    });

    it('serves the published revision until an edit is published', async () => {
      const published = await step(
        'publish',
        await create({ title: 'Coupons', answer: 'Coupons are valid for a year.' }),
      );
      expect(published).toMatchObject({
        status: 'published',
        revision: 2,
        live: { revision: 2, publishedBy: team.as('owner').memberId, changed: false },
      });
      const edited = await edit(published, { title: 'Coupons', answer: 'Coupons are valid for ten years.' });
      expect(edited).toMatchObject({
        status: 'published',
        revision: 3,
        live: { revision: 2, changed: true },
      });
      expect(await served('How long are coupons valid?')).toEqual(['Coupons are valid for a year.']);
      await step('publish', edited);
      expect(await served('How long are coupons valid?')).toEqual(['Coupons are valid for ten years.']);
      expect(await newestAudit()).toMatchObject({
        action: 'article.published',
        details: { slug: 'coupons', fromRevision: 3, toRevision: 4 },
      });
    });

    it('stops serving an unpublished article and serves it again once republished', async () => {
      const published = await step(
        'publish',
        await create({ title: 'Loyalty points', answer: 'Points never expire.' }),
      );
      const down = await step('unpublish', published);
      expect(down).toMatchObject({ status: 'unpublished', revision: 3 });
      expect(down).not.toHaveProperty('live');
      expect(await served('Do loyalty points expire?')).toEqual([]);
      const edited = await edit(down, { title: 'Loyalty points', answer: 'Points expire soon.' });
      expect(edited.status).toBe('unpublished');
      await step('publish', edited);
      expect(await served('Do loyalty points expire?')).toEqual(['Points expire soon.']);
    });

    it('keeps every revision unchanged, with its author', async () => {
      const first = await create({ title: 'Sizes', answer: 'One size.' });
      await step(
        'unpublish',
        await step('publish', await edit(first, { title: 'Sizes', answer: 'Two sizes.' })),
      );
      const { json } = await team
        .as('member')
        .get<{ data: Record<string, unknown>[] }>(`${path}/${first.id}/revisions`);
      expect(json.data.map(({ revision, event, answer }) => [revision, event, answer])).toEqual([
        [4, 'unpublished', 'Two sizes.'],
        [3, 'published', 'Two sizes.'],
        [2, 'edited', 'Two sizes.'],
        [1, 'created', 'One size.'],
      ]);
      expect(json.data.map(({ authorId }) => authorId)).toEqual(
        (['owner', 'owner', 'admin', 'admin'] as const).map((person) => team.as(person).memberId),
      );
    });

    it('adds no revision for an edit that changes nothing', async () => {
      const article = await create({ title: 'Colours', answer: 'Red.', aliases: ['hue'] });
      const same = await edit(article, { title: ' Colours ', answer: 'Red.\r\n', aliases: ['hue', 'hue'] });
      expect(same).toEqual(article);
    });

    it('removes aliases and URL that an edit omits', async () => {
      const article = await create({
        title: 'Fit',
        answer: 'Snug.',
        aliases: ['cut'],
        url: 'https://shop.example.com/fit',
      });
      const edited = await edit(article, { title: 'Fit', answer: 'Snug.' });
      expect(edited).toMatchObject({ revision: 2, aliases: [] });
      expect(edited).not.toHaveProperty('url');
    });

    it('adds a revision for a new URL alone and serves it once published', async () => {
      const at = (url: string) => ({ title: 'Warranty', answer: 'The warranty lasts two years.', url });
      const published = await step('publish', await create(at('https://shop.example.com/a')));
      const moved = await edit(published, at('https://shop.example.com/b'));
      expect(moved.live).toMatchObject({ changed: true });
      await step('publish', moved);
      const { json } = await team.as('member').get<{ data: unknown[] }>('/knowledge/search?q=warranty');
      expect(json.data).toMatchObject([{ url: 'https://shop.example.com/b' }]);
    });

    it('deletes an article with everything that belongs to it', async () => {
      const article = await step(
        'publish',
        await create({ title: 'Umbrellas', answer: 'Umbrellas are sold out.' }),
      );
      const gone = await team.as('owner').delete(`${path}/${article.id}`);
      expect([gone.status, gone.json]).toEqual([200, { ok: true }]);
      expect(await served('umbrellas')).toEqual([]);
      for (const below of ['', '/revisions']) {
        expectError(await team.as('owner').get(`${path}/${article.id}${below}`), 'article/not_found');
      }
      expect(await newestAudit()).toMatchObject({
        action: 'article.deleted',
        subject: article.id,
        details: { slug: 'umbrellas', fromRevision: 2 },
      });
    });

    it('accepts an article of maximum length and finds it by its last words', async () => {
      const filler = 'Every shelf has a number and a name. '.repeat(2_690);
      const article = await create({
        title: 'Shelves',
        answer: `${filler}The zebra sleeps behind shelf ninety.`,
      });
      expect(article.answer.length).toBeGreaterThan(99_000);
      await step('publish', article);
      expect((await served('Where does the zebra sleep?')).join('\n')).toContain(
        'zebra sleeps behind shelf ninety',
      );
    });
  });

  describe('changing an article', () => {
    it('rejects an outdated base revision and returns the newest one', async () => {
      const first = await create({ title: 'Boots', answer: 'Brown.' });
      const second = await edit(first, { title: 'Boots', answer: 'Black.' });
      const late = { baseRevision: first.revision };
      const attempts = [
        team.as('owner').put(`${path}/${first.id}`, { ...late, title: 'Boots', answer: 'Green.' }),
        team.as('owner').post(`${path}/${first.id}/publish`, late),
        team.as('owner').post(`${path}/${first.id}/unpublish`, late),
      ];
      for (const attempt of await Promise.all(attempts)) {
        expect(expectError(attempt, 'article/conflict')).toMatchObject({
          currentRevision: 2,
          changedBy: team.as('admin').memberId,
          changedAt: second.updatedAt,
        });
      }
    });

    it('accepts exactly one of many edits of the same revision', async () => {
      const article = await create({ title: 'Hats', answer: 'Hats.' });
      const attempts = Array.from({ length: 20 }, (_, number) =>
        team.as('owner').put(`${path}/${article.id}`, {
          baseRevision: 1,
          title: 'Hats',
          answer: `Hats, edition ${number}.`,
        }),
      );
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    });

    it('does not publish a published article or unpublish one that is not live', async () => {
      const draft = await create({ title: 'Scarves', answer: 'Scarves.' });
      const call = (name: string, baseRevision: number) =>
        team.as('owner').post(`${path}/${draft.id}/${name}`, { baseRevision });
      expect(expectError(await call('unpublish', 1), 'article/not_allowed').currentStatus).toBe('draft');
      await step('publish', draft);
      expect(expectError(await call('publish', 2), 'article/not_allowed').currentStatus).toBe('published');
    });

    it('returns 404 for articles of another workspace', async () => {
      const article = await create({ title: 'Ours', answer: 'Ours alone.' });
      const there = `/api/tenants/${team.elsewhere.id}${path}/${article.id}`;
      const stranger = team.as('stranger');
      const attempts = await Promise.all([
        stranger.get(there),
        stranger.get(`${there}/revisions`),
        stranger.put(there, { baseRevision: 1, ...gifts }),
        stranger.post(`${there}/publish`, { baseRevision: 1 }),
        stranger.post(`${there}/unpublish`, { baseRevision: 1 }),
        stranger.delete(there),
      ]);
      for (const attempt of attempts) expectError(attempt, 'article/not_found');
      expect((await team.as('member').get(`${path}/${article.id}`)).json).toEqual(article);
    });

    it.each([
      ['a title of control characters only', { title: '\u0000\u0007x'.replace('x', '\u0001') }, 'body.title'],
      ['an alias of a byte order mark only', { aliases: ['\ufeff\u0000'] }, 'body.aliases.0'],
      ['an invalid URL', { url: 'http://' }, 'body.url'],
      ['a javascript: URL', { url: 'javascript:alert(1)' }, 'body.url'],
      ['a URL with NUL', { url: 'https://alpha.example/\u0000' }, 'body.url'],
      ['a URL with another control character', { url: 'https://alpha.example/\u009f' }, 'body.url'],
      ['a slug with spaces', { slug: 'gift wrapping' }, 'body.slug'],
      ['an invalid locale', { locale: 'e-n' }, 'body.locale'],
    ])('rejects %s', async (_what, invalid, where) => {
      const error = expectError(
        await team.as('owner').post(path, { ...gifts, ...invalid }),
        'request/invalid',
      );
      expect(error.issues?.map((issue) => issue.path)).toContain(where);
    });
  });

  describe('slug of a new article', () => {
    it('is derived from the title in any script, with a number if taken', async () => {
      const slugs = async (title: string) => (await create({ title, answer: 'An answer.' })).slug;
      expect(await slugs("What's new?")).toBe('whats-new');
      expect(await slugs('Whats new')).toBe('whats-new-2');
      expect(await slugs("What's — NEW!")).toBe('whats-new-3');
      expect(await slugs('بازگرداندن کالا')).toBe('بازگرداندن-کالا');
      expect(await slugs('???')).toBe('article');
    });

    it('is the requested one if it is free', async () => {
      expect((await create({ ...gifts, slug: 'help/gifts', locale: 'PT-br' })).locale).toBe('pt-BR');
      expectError(await team.as('owner').post(path, { ...gifts, slug: 'help/gifts' }), 'article/slug_taken');
    });
  });
});

const needsWith = (articles: Articles): ChangeDeps => ({
  articles,
  indexing: createIndexing(),
  clock: { now: () => 7 },
  actor: 'mem_1',
});

async function takenDown(): Promise<{ articleId: string; articles: Articles }> {
  await importLines(returns);
  const { articles } = store.in(WORKSPACE);
  const articleId = (await articles.findId('returns'))!;
  await unpublishArticle({ articleId, baseRevision: 1 }, needsWith(articles));
  return { articleId, articles };
}

async function servedLocales(articleId: string): Promise<string[]> {
  return (await store.in(WORKSPACE).passages.liveVariants([articleId])).map(({ locale }) => locale);
}
describe('republishing an article', () => {
  anEmptyWorkspaceForEach();

  it('reads the translations again when they changed after the first read', async () => {
    const { articleId, articles } = await takenDown();
    let readings = 0;
    const changing: Articles = {
      ...articles,
      // A read that started before the change, when no translation was published.
      liveTexts: async (id) => {
        readings += 1;
        return readings < 3 ? [] : articles.liveTexts(id);
      },
    };
    await publishArticle({ articleId, baseRevision: 2 }, needsWith(changing));
    expect(readings).toBe(3);
    expect(await servedLocales(articleId)).toEqual(['de', 'en']);
    expect(await articles.find(articleId)).toMatchObject({ revision: 3, live: { revision: 3 } });
  });

  it('never serves a partial set of translations, however often they change', async () => {
    const { articleId, articles } = await takenDown();
    const changing: Articles = { ...articles, liveTexts: async () => [] };
    await expect(publishArticle({ articleId, baseRevision: 2 }, needsWith(changing))).rejects.toThrow(
      'changed',
    );
    expect(await servedLocales(articleId)).toEqual([]);
    expect(await articles.find(articleId)).toMatchObject({ status: 'unpublished', revision: 2 });
  });
});

describe('suggested aliases', () => {
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

  const aliasPath = (articleId = parcelId) => `${path}/${articleId}/alias-suggestions`;
  const list = async (articleId = parcelId) =>
    (await team.as('member').get<{ data: AliasSuggestion[] }>(aliasPath(articleId))).json.data;
  const dismiss = (alias: string, articleId = parcelId) =>
    team.as('owner').post(`${aliasPath(articleId)}/dismiss`, { alias, locale: 'en' });

  it('are words with the same translations as the words of the title', async () => {
    expect((await list())[0]).toStrictEqual({ alias: 'package', locale: 'en', evidence: ['de', 'fr', 'ja'] });
  });

  it('leave out words that the article already contains', async () => {
    const owner = team.as('owner');
    const at = `/knowledge/articles/${parcelId}`;
    const { title, answer, revision } = (await owner.get<ArticleRecord>(at)).json;
    await owner.put(at, { baseRevision: revision, title, answer, aliases: ['packages'] });
    expect((await list()).map(({ alias }) => alias)).not.toContain('package');
  });

  it('leave out aliases that were dismissed for the article, also after a restart', async () => {
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

  it('are empty before anything was learned', async () => {
    const elsewhere = team.as('stranger');
    const base = `/api/tenants/${team.elsewhere.id}`;
    const text = { title: 'Send a parcel', answer: 'Bring it to us.' };
    const { id } = (await elsewhere.post<ArticleRecord>(`${base}/knowledge/articles`, text)).json;
    expect((await elsewhere.get(`${base}${aliasPath(id)}`)).json).toStrictEqual({ data: [] });
  });

  it('are not found for an unknown article, nor dismissed by a member who may not edit or with invalid input', async () => {
    const unknown = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
    expectError(await team.as('owner').get(aliasPath(unknown)), 'article/not_found');
    expectError(await dismiss('package', unknown), 'article/not_found');
    const body = { alias: 'package', locale: 'en' };
    expectError(await team.as('member').post(`${aliasPath()}/dismiss`, body), 'tenant/role_required');
    const tooLong = { alias: 'a'.repeat(ARTICLE_LIMITS.aliasCharsMax + 1), locale: 'en' };
    expectError(await team.as('owner').post(`${aliasPath()}/dismiss`, tooLong), 'request/invalid');
    const noLanguage = { alias: 'package', locale: 'no language' };
    expectError(await team.as('owner').post(`${aliasPath()}/dismiss`, noLanguage), 'request/invalid');
  });
});
