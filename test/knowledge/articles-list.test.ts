import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../contract/articles.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { expectError } from '../fixtures/answer.ts';
import type { Seed } from '../fixtures/seeds.ts';

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

let team: Team;

beforeAll(async () => {
  team = await openTeam({ articles: shop });
});
afterAll(() => team.close());

type Page<T> = { data: T[]; nextCursor?: string };
const list = (query = '') => team.as('member').get<Page<ArticleSummary>>(`/knowledge/articles${query}`);
const slugs = async (query: string) => (await list(query)).json.data.map(({ slug }) => slug);

async function walk(query: string): Promise<string[][]> {
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
    expect(await walk('limit=3')).toEqual([['istanbul', 'retours', 'crème-brûlée'], ['returns']]);
    expect(await walk('limit=2')).toEqual([
      ['istanbul', 'retours'],
      ['crème-brûlée', 'returns'],
    ]);
    expect(await walk('limit=1&missing=de')).toEqual([['istanbul'], ['crème-brûlée']]);
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
