import { readModelId } from 'guidepost-model';
import { afterEach, describe, expect, it } from 'vitest';
import type { TenantUsage } from '../../generated/types.ts';
import { connectAgent, type Found, readerKey } from '../mcp/agent.ts';
import { openFakeModel } from '../support/fake-model/fake-model.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import type { Seed } from '../support/seeds.ts';
import { openTeam } from '../support/team.ts';

const article = (slug: string, title: string, answer: string): Seed => ({
  slug,
  locale: 'en',
  title,
  answer,
});
const ARTICLES = [
  article('returns', 'Returns', 'Send goods back to us within 30 days, and you receive a refund.'),
  article('hours', 'Opening hours', 'The shop opens at nine and closes at six, and is closed on Sundays.'),
  article('bicycle', 'Rent a bicycle', 'Scan the code on the frame and pull the lock.'),
];
const MEANING = { EMBEDDINGS: 'on' };
/** Shares no word with the article. */
const PARAPHRASE = '返金してほしい';

describe('the model inside the service', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  async function indexAll(): Promise<void> {
    harness.clock.advance(3_000);
    await harness.service.tick();
  }

  async function ask(message: string): Promise<string> {
    // A pause after questions that were answered too late ends.
    harness.clock.advance(31_000);
    const { jwt } = await harness.boot();
    return JSON.stringify(await harness.ask(jwt, { message }));
  }

  it('finds an article by its meaning, in another language', async () => {
    harness = await openHarness({ articles: ARTICLES, env: MEANING });
    expect(await ask(PARAPHRASE)).not.toContain('Returns');
    await indexAll();
    await expect.poll(() => ask(PARAPHRASE), { timeout: 20_000 }).toContain('Returns');
  });

  it.each([
    ['Japanese', 'ja', PARAPHRASE],
    ['Russian', 'ru', 'Хочу вернуть деньги'],
  ])('lets agents find an article by its meaning, in %s', async (_, locale, query) => {
    harness = await openHarness({ articles: ARTICLES, env: MEANING });
    const agent = await connectAgent(harness, await readerKey(harness));
    const search = async () => {
      harness.clock.advance(31_000);
      const { articles } = await agent.call<Found>('search_articles', { query, locale });
      return articles[0]?.slug;
    };
    expect(await search()).toBeUndefined();
    await indexAll();
    await expect.poll(search, { timeout: 20_000 }).toBe('returns');
    await agent.client.close();
  });

  it('lets the language model read an article that was found by its meaning', async () => {
    const fake = await openFakeModel();
    fake.says('はい。');
    harness = await openHarness({ articles: ARTICLES, env: { ...MEANING, ...fake.env() } });
    const sent = async () => {
      await ask(PARAPHRASE);
      return JSON.stringify(fake.requests().at(-1) ?? '');
    };
    expect(await sent()).not.toContain(ARTICLES[0]!.answer);
    await indexAll();
    await expect.poll(sent, { timeout: 20_000 }).toContain(ARTICLES[0]!.answer);
    await fake.close();
  });

  it('embeds each text once, under the name of its weights', async () => {
    harness = await openHarness({ articles: ARTICLES, env: MEANING });
    await indexAll();
    const { embeddings } = harness.service.store.in(harness.workspace.id);
    expect(await embeddings.count(readModelId())).toBe(3);
    harness = await harness.restart();
    await indexAll();
    expect(harness.logged.filter(({ msg }) => msg === 'texts embedded')).toStrictEqual([]);
  });

  it('has no budget', async () => {
    const team = await openTeam({ env: MEANING, articles: ARTICLES });
    harness = team.harness;
    await indexAll();
    const { embeddings } = (await team.as('member').get<TenantUsage>('/usage')).json;
    expect(embeddings).toStrictEqual({ texts: 3, embeddedTexts: 3, usedTokens: 0 });
  });

  it('is not there when embeddings are off', async () => {
    const team = await openTeam({ env: { EMBEDDINGS: 'off' }, articles: ARTICLES });
    harness = team.harness;
    await indexAll();
    expect((await team.as('member').get<TenantUsage>('/usage')).json.embeddings).toBeUndefined();
    expect(await ask(PARAPHRASE)).not.toContain('Returns');
  });
});
