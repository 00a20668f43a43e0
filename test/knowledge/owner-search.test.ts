import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleRecord, KnowledgeHit } from '../../contract/articles.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { expectError } from '../fixtures/answer.ts';

let team: Team;

beforeAll(async () => {
  team = await openTeam();
});
afterAll(() => team.close());

type Reply = { data: KnowledgeHit[]; found: boolean; confidence: number };
async function search(q: string, more = ''): Promise<Reply> {
  const query = `?q=${encodeURIComponent(q)}${more}`;
  const { status, json } = await team.as('member').get<Reply>(`/knowledge/search${query}`);
  expect(status).toBe(200);
  return json;
}

const question = 'How do I reset my password?';

describe('GET /knowledge/search', () => {
  it.each([
    ['de', 'de', undefined],
    ['de-AT', 'de', 'base_language'],
    ['pt-br', 'pt-BR', undefined],
    ['pt-PT', 'en', 'source_article'],
    ['fr', 'en', 'source_article'],
    ['en', 'en', undefined],
    ['en-GB', 'en', 'base_language'],
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

  it('accepts a limit in plain digits and rejects any other', async () => {
    for (const limit of ['', '0', '0x2', '2e0', '%202', '2.0', '-2', '2&limit=3']) {
      const answer = await team.as('member').get(`/knowledge/search?q=password&limit=${limit}`);
      const { issues } = expectError(answer, 'request/invalid');
      expect(issues, limit).toMatchObject([{ path: 'query.limit' }]);
    }
  });

  it('reports when the guide would not answer', async () => {
    const { found, confidence } = await search('quantum chromodynamics of neutron stars', '&locale=en');
    expect(found).toBe(false);
    expect(confidence).toBeLessThan(0.5);
  });

  it('searches source texts when no locale is given', async () => {
    const { data } = await search(question);
    expect(data[0]).toMatchObject({ requestedLocale: 'und', contentLocale: 'en' });
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
    const answer = await team.as('member').get('/knowledge/search?q=a&locale=e-n');
    expect(expectError(answer, 'request/invalid').issues).toMatchObject([{ path: 'query.locale' }]);
  });
});
