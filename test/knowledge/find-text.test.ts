import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TextMatch } from '../../contract/find-text.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';
import { addArticle, translate } from './translating.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam({ articles: [] });
});
afterEach(() => team.close());

type Page = { data: TextMatch[]; nextCursor?: string };
const find = async (query: string) =>
  (await team.as('member').get<Page>(`/knowledge/text-matches?${query}`)).json;

describe('GET text-matches', () => {
  it('finds words in titles and texts letter by letter, with their line', async () => {
    const answer = 'Costs 5 € (incl. VAT).\nAsk ACME for a.cme boxes.';
    const article = await addArticle(team, { title: 'Acme boxes', answer });
    await addArticle(team, { title: 'Other', answer: 'Nothing here.' }, false);
    const { data } = await find('words=acme');
    expect(data).toStrictEqual([
      {
        articleId: article.id,
        locale: 'en',
        title: 'Acme boxes',
        revision: article.revision,
        live: true,
        hits: [
          { field: 'title', at: 0, before: '', match: 'Acme', after: ' boxes' },
          { field: 'answer', at: 27, before: 'Ask ', match: 'ACME', after: ' for a.cme boxes.' },
        ],
      },
    ]);
    expect((await find('words=acme&matchCase=true')).data).toEqual([]);
    expect((await find(`words=${encodeURIComponent('€ (incl.')}`)).data[0]?.hits).toHaveLength(1);
    expect((await find(`words=${encodeURIComponent('a.c')}`)).data[0]?.hits).toHaveLength(1);
  });

  it('finds words in translations of one language, page by page', async () => {
    const [first, second] = [
      await addArticle(team),
      await addArticle(team, { title: 'Bags', answer: 'Two.' }),
    ];
    const owner = team.as('owner');
    const translations = [await translate(owner, first.id), await translate(owner, second.id)];
    const { title } = (await find('words=e&locale=de')).data[0]!;
    const words = encodeURIComponent(title.slice(0, 5));
    const page = await find(`words=${words}&locale=de&limit=1`);
    expect(page.data).toHaveLength(1);
    const next = await find(`words=${words}&locale=de&limit=1&cursor=${page.nextCursor}`);
    expect([...page.data, ...next.data].map(({ translationId }) => translationId)).toEqual(
      translations.map(({ id }) => id).reverse(),
    );
    expect(page.data[0]).toMatchObject({ locale: 'de', live: false });
    expect((await find(`words=${words}&locale=fr`)).data).toEqual([]);
  });

  it('rejects empty words, a wrong language and a foreign cursor', async () => {
    for (const query of ['words=', 'words=a&locale=12345678901', 'words=a&cursor=bm8'])
      expectError(await team.as('member').get(`/knowledge/text-matches?${query}`), 'request/invalid');
  });
});
