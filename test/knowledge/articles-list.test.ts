import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary, KnowledgeHit } from '../../contract/articles.ts';
import { expectError } from '../support/response.ts';
import type { Seed } from '../support/seeds.ts';
import { openTeam, type Team } from '../support/team.ts';

const german = (title: string) => ({ locale: 'de', title, answer: 'Eine Antwort auf Deutsch.' });
const shop: readonly Seed[] = [
  {
    slug: 'returns',
    locale: 'en',
    title: 'Returns',
    answer: 'Thirty days.',
    translations: [german('Rückgabe')],
  },
  {
    slug: 'crème-brûlée',
    locale: 'fr',
    title: 'Crème brûlée',
    answer: 'Avec du sucre.',
    aliases: ['dessert'],
  },
  { slug: 'retours', locale: 'de', title: 'Rücksendung', answer: 'Dreißig Tage.' },
  { slug: 'istanbul', locale: 'tr', title: 'İSTANBUL', answer: 'Mağazamız açık.', aliases: ['ΟΔΟΣ', '返品'] },
];

type Page<T> = { data: T[]; nextCursor?: string };

describe('lists of articles', () => {
  let team: Team;

  beforeAll(async () => {
    team = await openTeam({ articles: shop });
  });
  afterAll(() => team.close());
  const list = (query = '') => team.as('member').get<Page<ArticleSummary>>(`/knowledge/articles${query}`);
  const slugs = async (query: string) => (await list(query)).json.data.map(({ slug }) => slug);

  async function readAllPages(query: string): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const { json } = await list(`?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      pages.push(json.data.map(({ slug }) => slug));
      cursor = json.nextCursor;
    } while (cursor !== undefined);
    return pages;
  }

  describe('GET /knowledge/articles', () => {
    it('lists articles newest first, without texts, with the states of their translations', async () => {
      const { json } = await list();
      expect(json.data.map(({ slug }) => slug)).toEqual(['istanbul', 'retours', 'crème-brûlée', 'returns']);
      expect(json).not.toHaveProperty('nextCursor');
      expect(json.data[3]).toEqual({
        id: expect.stringMatching(/^art_/),
        slug: 'returns',
        locale: 'en',
        title: 'Returns',
        status: 'published',
        revision: 1,
        liveRevision: 1,
        changed: false,
        updatedAt: expect.stringMatching(/Z$/),
        updatedBy: 'test',
        tags: [],
        translations: [
          {
            translationId: expect.stringMatching(/^tr_/),
            locale: 'de',
            status: 'published',
            stale: false,
            live: true,
            liveStale: false,
          },
        ],
      });
    });

    it('returns pages, also of filtered articles', async () => {
      expect(await readAllPages('limit=3')).toEqual([['istanbul', 'retours', 'crème-brûlée'], ['returns']]);
      expect(await readAllPages('limit=2')).toEqual([
        ['istanbul', 'retours'],
        ['crème-brûlée', 'returns'],
      ]);
      expect(await readAllPages('limit=1&missing=de')).toEqual([['istanbul'], ['crème-brûlée']]);
    });

    it.each([
      ['RETUR', ['returns']],
      ['creme BRULEE', ['crème-brûlée']],
      ['dessert creme', ['crème-brûlée']],
      ['istanbul', ['istanbul']],
      ['οδός', ['istanbul']],
      ['返', ['istanbul']],
      ['rucksend', ['retours']],
      ['Thirty', []],
    ])('finds %s in titles, slugs and aliases', async (q, expected) => {
      expect(await slugs(`?q=${encodeURIComponent(q)}`)).toEqual(expected);
    });

    it('filters by status', async () => {
      await team.as('admin').post('/knowledge/articles', { title: 'A draft', answer: 'Still a draft.' });
      expect(await slugs('?status=draft')).toEqual(['a-draft']);
      expect(await slugs('?status=unpublished')).toEqual([]);
      expect(await slugs('?status=published&q=draft')).toEqual([]);
    });

    it('filters articles without an up-to-date published translation in a locale', async () => {
      expect(await slugs('?missing=DE&status=published')).toEqual(['istanbul', 'crème-brûlée']);
      const [article] = (await list('?q=returns')).json.data;
      const path = `/knowledge/articles/${article!.id}`;
      const put = await team.as('admin').put<ArticleRecord>(path, {
        baseRevision: 1,
        title: 'Returns',
        answer: 'Sixty days.',
      });
      expect(put.json.translations).toMatchObject([{ locale: 'de', stale: false, liveStale: false }]);
      expect((await list('?q=returns')).json.data).toMatchObject([
        { changed: true, revision: 2, liveRevision: 1 },
      ]);
      const { json } = await team.as('admin').post<ArticleRecord>(`${path}/publish`, { baseRevision: 2 });
      expect(json.translations).toMatchObject([
        { locale: 'de', stale: true, liveStale: true, status: 'published' },
      ]);
      expect(await slugs('?missing=de&status=published')).toEqual(['istanbul', 'crème-brûlée', 'returns']);
    });

    it('rejects unknown cursors and invalid locales', async () => {
      expectError(await list('?cursor=bm90aGluZw'), 'request/invalid');
      expectError(await list('?missing=e-n'), 'request/invalid');
    });
  });

  describe('GET /knowledge/articles/{id}/revisions', () => {
    it('ends a page early when the texts are long', async () => {
      const long = (number: number) => `${number}. ${'All of it is true. '.repeat(5_000)}`;
      const { json: article } = await team
        .as('admin')
        .post<ArticleRecord>('/knowledge/articles', { title: 'Long', answer: long(1) });
      for (let revision = 1; revision < 14; revision += 1) {
        await team.as('admin').put(`/knowledge/articles/${article.id}`, {
          baseRevision: revision,
          title: 'Long',
          answer: long(revision + 1),
        });
      }
      const page = (query: string) =>
        team
          .as('member')
          .get<Page<{ revision: number }>>(`/knowledge/articles/${article.id}/revisions?${query}`);
      const first = (await page('limit=12')).json;
      expect(first.data.map(({ revision }) => revision)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
      const second = (await page(`limit=3&cursor=${first.nextCursor}`)).json;
      expect(second.data.map(({ revision }) => revision)).toEqual([4, 3, 2]);
      const last = (await page(`limit=3&cursor=${second.nextCursor}`)).json;
      expect(last.data.map(({ revision }) => revision)).toEqual([1]);
      expect(last).not.toHaveProperty('nextCursor');
      expectError(await page('cursor=bm90aGluZw'), 'request/invalid');
    });
  });
});

type Reply = { data: KnowledgeHit[]; found: boolean; confidence: number };

const question = 'How do I reset my password?';
describe('GET /knowledge/search', () => {
  let team: Team;

  beforeAll(async () => {
    team = await openTeam();
  });
  afterAll(() => team.close());
  async function search(q: string, more = '', headers: Record<string, string> = {}): Promise<Reply> {
    const path = `/api/tenants/${team.workspace.id}/knowledge/search?q=${encodeURIComponent(q)}${more}`;
    const { cookie } = team.as('member');
    const response = await team.harness.fetch(path, { headers: { cookie, ...headers } });
    expect(response.status).toBe(200);
    return (await response.json()) as Reply;
  }

  it.each([
    ['de', 'de', undefined],
    ['de-AT', 'de', 'base_language'],
    ['pt-br', 'pt-BR', undefined],
    ['pt-PT', 'en', 'source_article'],
    ['fr', 'en', 'source_article'],
    ['en', 'en', undefined],
    ['en-GB', 'en', undefined],
  ])('returns what a visitor with locale %s is served', async (locale, contentLocale, fallbackReason) => {
    const { data, found, confidence } = await search(question, `&locale=${locale}`);
    expect(found).toBe(true);
    expect(confidence).toBeGreaterThan(0.5);
    const [hit] = data;
    expect(hit).toMatchObject({ slug: 'reset-password', contentLocale });
    expect(hit!.requestedLocale).toBe(Intl.getCanonicalLocales(locale)[0]);
    expect(hit!.fallbackReason).toBe(fallbackReason);
    expect(hit!.translationId === undefined).toBe(contentLocale === 'en');

    const { jwt } = await team.harness.boot();
    const events = await team.harness.ask(
      jwt,
      { conversation_id: `conv-${locale}` },
      { 'accept-language': locale },
    );
    const cited = events.find((event) => event.type === 'citation');
    expect(cited).toMatchObject({ article_id: hit!.articleId, content_locale: contentLocale });
    expect(cited?.fallback_reason).toBe(fallbackReason);
  });

  it('returns a matching part of the answer as one short line', async () => {
    const { data } = await search('How long does the link work?', '&locale=en');
    expect(data[0]?.snippet).toContain('The link works for one hour');
    for (const { snippet } of data) expect(snippet.length).toBeLessThanOrEqual(280);
  });

  it('rejects a limit that is not a positive integer in plain digits', async () => {
    for (const limit of ['', '0', '0x2', '2e0', '%202', '2.0', '-2', '2&limit=3']) {
      const response = await team.as('member').get(`/knowledge/search?q=password&limit=${limit}`);
      const { issues } = expectError(response, 'request/invalid');
      expect(issues, limit).toMatchObject([{ path: 'query.limit' }]);
    }
  });

  it('reports when the guide would not answer', async () => {
    const { found, confidence } = await search('quantum chromodynamics of neutron stars', '&locale=en');
    expect(found).toBe(false);
    expect(confidence).toBeLessThan(0.5);
  });

  it('searches source texts when neither a locale nor a usable Accept-Language is given', async () => {
    for (const header of ['*', '', ';;;']) {
      const { data } = await search(question, '', { 'accept-language': header });
      expect(data[0]).toMatchObject({ requestedLocale: 'und', contentLocale: 'en' });
    }
  });

  it('reads Accept-Language when no locale is given', async () => {
    const headers = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
    const { data } = await search(question, '', headers);
    expect(data[0]).toMatchObject({
      requestedLocale: 'de-AT',
      contentLocale: 'de',
      fallbackReason: 'base_language',
    });
    const chosen = await search(question, '&locale=pt-BR', headers);
    expect(chosen.data[0]).toMatchObject({ requestedLocale: 'pt-BR', contentLocale: 'pt-BR' });
  });

  it('returns up to the limit, best first', async () => {
    const { data } = await search('order delivery gift password', '&locale=en&limit=2');
    expect(data.length).toBeLessThanOrEqual(2);
    const scores = data.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('finds neither drafts nor unpublished edits', async () => {
    const { json } = await team.as('admin').post<ArticleRecord>('/knowledge/articles', {
      title: 'Secret sale',
      answer: 'The secret sale begins on Monday.',
    });
    expect(
      (await search('When does the secret sale begin?', '&locale=en')).data.map(({ slug }) => slug),
    ).not.toContain(json.slug);
  });

  it('finds translations again once their article is republished', async () => {
    const memberClient = team.as('owner');
    const { articleId } = (await search(question, '&locale=de')).data[0]!;
    const path = `/knowledge/articles/${articleId}`;
    const before = await search(question, '&locale=de');
    await memberClient.post(`${path}/unpublish`, { baseRevision: 1 });
    for (const locale of ['de', 'en', 'pt-BR']) {
      const { data } = await search(question, `&locale=${locale}`);
      expect(data.map((hit) => hit.articleId)).not.toContain(articleId);
    }
    await memberClient.post(`${path}/publish`, { baseRevision: 2 });
    expect(await search(question, '&locale=de')).toEqual(before);
  });

  it('rejects an invalid locale', async () => {
    const response = await team.as('member').get('/knowledge/search?q=a&locale=e-n');
    expect(expectError(response, 'request/invalid').issues).toMatchObject([{ path: 'query.locale' }]);
  });
});
