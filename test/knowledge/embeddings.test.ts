import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TenantUsage } from '../../generated/types.ts';
import { splitParts } from '../../server/knowledge/embeddings/parts.ts';
import { createVectorTable, encodeParts } from '../../server/knowledge/embeddings/vector-table.ts';
import { compareVectors, encodeVectors, joinVectors } from '../../server/knowledge/embeddings/vectors.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fake-embeddings.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { fc } from '../support/seeded-random.ts';
import { importSeeds, type Seed } from '../support/seeds.ts';
import { openTeam } from '../support/team.ts';

const SCREEN: Seed = {
  slug: 'brightness',
  locale: 'en',
  title: 'Monitor brightness',
  answer: 'Drag the slider until the monitor has the brightness that suits you.',
};
const BICYCLE: Seed = {
  slug: 'bicycle',
  locale: 'en',
  title: 'Rent a bicycle',
  answer: 'Scan the code on the frame and pull the lock.',
};
const PRINTER: Seed = {
  slug: 'printer',
  locale: 'en',
  title: 'Load paper into a printer',
  answer: 'Open the drawer, load paper and close the drawer.',
};
const METRICS_TOKEN = 'a-token-of-the-metrics';
const PARAPHRASE = 'my display is so dark';

describe('embeddings', () => {
  let fake: FakeEmbeddings;
  let harness: Harness;
  beforeEach(async () => {
    fake = await openFakeEmbeddings();
  });
  afterEach(async () => {
    await harness.close();
    await fake.close();
  });

  async function open(
    articles: readonly Seed[],
    env: Readonly<Record<string, string>> = fake.env(),
  ): Promise<void> {
    harness = await openHarness({ articles, env: { ...env, METRICS_TOKEN } });
  }

  async function tick(millis = 3_000): Promise<void> {
    harness.clock.advance(millis);
    await harness.service.tick();
  }

  const importHere = (...articles: Seed[]) =>
    importSeeds(harness.service.store, harness.workspace.id, articles);
  const count = (model = 'a-model') => harness.service.store.in(harness.workspace.id).embeddings.count(model);
  const sent = () => fake.requests().flat();
  /** What is sent of an article in a small workspace. */
  function textsOf(article: Seed): string[] {
    const { windows, sentences } = splitParts(article, true);
    return [...windows, ...sentences].map(({ text }) => text);
  }

  async function readMetrics(): Promise<string> {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    return (await harness.fetch('/metrics', { headers })).text();
  }

  /** Asks a question and returns everything that the visitor receives. */
  async function ask(
    message: string,
    { appId, origin }: { appId: string; origin: string } = harness,
  ): Promise<string> {
    const { jwt } = await harness.boot({ app_id: appId, origin });
    const events = await harness.ask(jwt, { message, conversation_id: `conv-${message.length}` });
    return JSON.stringify(events);
  }

  /** Repeats the question until it is answered: on a busy machine, the vectors may not be ready at first. */
  async function askUntil(text: string, read = () => ask(PARAPHRASE)): Promise<void> {
    const retry = async () => {
      harness.clock.advance(31_000);
      return read();
    };
    await expect.poll(retry, { timeout: 10_000 }).toContain(text);
  }

  const logged = (message: string) => harness.logged.filter(({ msg }) => msg === message);

  describe('embedding what is published', () => {
    it('sends the newest article first: its title, its text below the title, and its sentences', async () => {
      await open([SCREEN, { ...BICYCLE, answer: 'Scan the code. Pull the lock.' }]);
      await tick();
      expect(sent()).toStrictEqual([
        'Rent a bicycle',
        'Rent a bicycle\nScan the code. Pull the lock.',
        'Scan the code.',
        'Pull the lock.',
        SCREEN.title,
        `${SCREEN.title}\n${SCREEN.answer}`,
        SCREEN.answer,
      ]);
      expect(await count()).toBe(2);
      await tick();
      expect(fake.requests()).toHaveLength(1);
      expect(logged('texts embedded')).toMatchObject([{ embedded: 2, total: 2, passages: 2 }]);
    });

    it('sends passages and questions with the prefixes of the model', async () => {
      const prefixes = { EMBEDDINGS_PASSAGE_PREFIX: 'passage: ', EMBEDDINGS_QUERY_PREFIX: 'query: ' };
      await open([SCREEN], fake.env(prefixes));
      await tick();
      expect(sent()).toContain(`passage: ${SCREEN.title}`);
      expect(sent().filter((text) => !text.startsWith('passage: '))).toStrictEqual([]);
      await askUntil(`query: ${PARAPHRASE}`, async () => {
        await ask(PARAPHRASE);
        return sent().join('\n');
      });
    });

    it('embeds everything again with another prefix of passages', async () => {
      await open([SCREEN, BICYCLE]);
      await tick();
      await harness.service.close();
      const env = fake.env({ EMBEDDINGS_PASSAGE_PREFIX: 'passage: ' });
      harness = await openHarness({ dataDir: harness.dataDir, env });
      fake.forget();
      await tick();
      expect(sent()).toEqual(
        expect.arrayContaining([`passage: ${SCREEN.title}`, `passage: ${BICYCLE.title}`]),
      );
    });

    it('sends only what has changed', async () => {
      await open([SCREEN, BICYCLE, PRINTER]);
      await tick();
      fake.forget();
      await importHere(
        { ...SCREEN, url: 'https://shop.example.com/screen' },
        { ...BICYCLE, answer: 'Ask us.' },
      );
      await tick();
      expect(sent()).toStrictEqual([BICYCLE.title, `${BICYCLE.title}\nAsk us.`, 'Ask us.']);
      expect(await count()).toBe(3);
    });

    it('sends no translations', async () => {
      const translation = { locale: 'de', title: 'Fahrrad mieten', answer: 'Den Code scannen.' };
      await open([{ ...BICYCLE, translations: [translation] }]);
      await tick();
      expect(sent()).toStrictEqual(textsOf(BICYCLE));
      expect(await count()).toBe(1);
      expect(logged('texts embedded')).toMatchObject([{ embedded: 1, total: 1, passages: 1 }]);
    });

    it('sends no sentences in large workspaces', async () => {
      const articles = Array.from({ length: 1_001 }, (_, at) => ({
        ...BICYCLE,
        slug: `bicycle-${at}`,
        title: `Rent bicycle number ${at}`,
      }));
      await open(articles);
      await tick();
      fake.forget();
      await importHere(PRINTER);
      await tick();
      expect(sent()).toStrictEqual(splitParts(PRINTER, false).windows.map(({ text }) => text));
    });

    it('sends a long answer in windows of whole sentences below the title', async () => {
      const sentences = Array.from({ length: 40 }, (_, at) => `This is sentence number ${at} of many.`);
      await open([{ ...SCREEN, answer: sentences.join(' ') }]);
      await tick();
      const windows = sent().filter((text) => text.startsWith(`${SCREEN.title}\n`));
      expect(windows).toHaveLength(4);
      expect(windows.map((text) => text.slice(SCREEN.title.length + 1)).join(' ')).toBe(sentences.join(' '));
      expect(windows.every((text) => text.endsWith('many.') && text.length < 480)).toBe(true);
    });

    it('continues with what was published meanwhile, before older articles', async () => {
      await open(Array.from({ length: 70 }, (_, at) => ({ ...BICYCLE, slug: `bicycle-${at}` })));
      let requests = 0;
      fake.onRequest(async () => {
        requests += 1;
        if (requests === 1) await importHere(PRINTER);
      });
      await tick();
      const printer = sent().indexOf(PRINTER.title);
      expect(printer).toBe(64 * textsOf(BICYCLE).length);
      expect(await count()).toBe(71);
    });

    it('sends the articles that answers cite before all others of a large import', async () => {
      await open([SCREEN]);
      expect(await ask('monitor brightness')).toContain(SCREEN.answer);
      await tick();
      fake.forget();
      // Changed, because the service may have embedded it before it was cited.
      const changed = { ...SCREEN, answer: 'Turn the wheel below the monitor.' };
      const bicycles = Array.from({ length: 70 }, (_, at) => ({ ...BICYCLE, slug: `bicycle-${at}` }));
      await importHere(changed, ...bicycles);
      await tick();
      expect(sent().slice(0, textsOf(changed).length)).toStrictEqual(textsOf(changed));
      expect(sent()).toHaveLength(textsOf(changed).length + 70 * textsOf(BICYCLE).length);
    });

    it('sends nothing again after a restart, and continues where it was interrupted', async () => {
      await open([SCREEN, BICYCLE]);
      await tick();
      await importHere(PRINTER);
      fake.forget();
      harness = await harness.restart();
      await tick();
      expect(sent()).toStrictEqual(textsOf(PRINTER));
    });

    it('embeds everything again with another model', async () => {
      await open([SCREEN, BICYCLE]);
      await tick();
      await harness.service.close();
      harness = await openHarness({
        dataDir: harness.dataDir,
        env: fake.env({ EMBEDDINGS_MODEL: 'another' }),
      });
      await tick();
      expect(await count('another')).toBe(2);
      expect(await count()).toBe(0);
    });

    it('forgets what was unpublished', async () => {
      await open([SCREEN, BICYCLE]);
      await tick();
      const { articles } = harness.service.store.in(harness.workspace.id);
      const { id } = (await articles.list(1))[0]!;
      await articles.remove(id, 1, {
        ...{ id: 'aud_1', actor: 'test', action: 'article.deleted', atMillis: 1, subject: id, details: {} },
      });
      expect(await count()).toBe(1);
    });

    it('shortens texts that are too long for the model', async () => {
      fake.limit(1_200);
      await open([SCREEN, { ...BICYCLE, answer: 'Scan the code, '.repeat(100) }]);
      await tick();
      expect(await count()).toBe(2);
    });

    it('skips texts that the model rejects, and logs that', async () => {
      fake.limit(70);
      await open([SCREEN, { ...BICYCLE, answer: 'Scan it.' }]);
      await tick();
      expect(await count()).toBe(1);
      expect(logged('the embedding model rejected texts')).toMatchObject([{ passages: 1 }]);
      fake.forget();
      await tick();
      expect(sent()).toStrictEqual([]);
    });

    it.each([429, 500])('retries after status %i, with a longer pause each time', async (status) => {
      await open([SCREEN]);
      fake.fails(status, { times: 2 });
      await tick();
      await tick();
      expect(fake.requests()).toHaveLength(1);
      await tick(6_000);
      expect(fake.requests()).toHaveLength(2);
      await tick(6_000);
      expect(fake.requests()).toHaveLength(2);
      await tick(6_000);
      expect(await count()).toBe(1);
      expect(JSON.stringify(harness.logged)).not.toMatch(/sk-of-a-test|brightness/);
    });

    it('waits as long as the server asks for', async () => {
      await open([SCREEN]);
      fake.fails(429, { retryAfter: 300 });
      await tick();
      await tick(290_000);
      expect(await count()).toBe(0);
      await tick(20_000);
      expect(await count()).toBe(1);
    });

    it('stops at the budget and continues in the next month', async () => {
      const articles = [BICYCLE, PRINTER].map((one) => ({ ...one, answer: 'Scan the code. '.repeat(10) }));
      await open(articles, fake.env({ EMBEDDINGS_MONTHLY_TOKENS_MAX: '150' }));
      await tick();
      await tick();
      expect(await count()).toBe(1);
      expect(logged('the budget of embeddings is used up until next month')).toHaveLength(1);
      await tick(32 * 24 * 3_600_000);
      expect(await count()).toBe(2);
      expect(fake.requests()).toHaveLength(2);
    });

    it('does nothing when embeddings are off', async () => {
      await open([SCREEN], fake.env({ EMBEDDINGS: 'off' }));
      await tick();
      expect(await ask(PARAPHRASE)).not.toContain(SCREEN.title);
      expect(fake.requests()).toStrictEqual([]);
    });

    it('ends a request when the service closes', async () => {
      await open([SCREEN]);
      fake.hang(true);
      const { promise: isAsked, resolve } = Promise.withResolvers<void>();
      fake.onRequest(async () => resolve());
      const ticking = tick();
      await isAsked;
      harness = await harness.restart();
      await ticking;
      fake.hang(false);
      await tick();
      expect(await count()).toBe(1);
    });
  });

  describe('questions', () => {
    it('find an article that shares no word with them', async () => {
      await open([SCREEN, BICYCLE, PRINTER]);
      expect(await ask(PARAPHRASE)).not.toContain(SCREEN.title);
      await tick();
      await askUntil(SCREEN.title);
    });

    it('find what was published since the previous question', async () => {
      await open([BICYCLE, PRINTER]);
      await tick();
      await askUntil('•');
      await importHere(SCREEN);
      await tick();
      await askUntil(SCREEN.title);
    });

    it('never find the articles of another workspace', async () => {
      await open([BICYCLE, PRINTER]);
      const other = await harness.addWorkspace({ allowedOrigins: ['https://elsewhere.example'] });
      await importSeeds(harness.service.store, other.id, [SCREEN]);
      await tick();
      await askUntil('outcome="found"', async () => {
        expect(await ask(PARAPHRASE)).not.toContain(SCREEN.title);
        return readMetrics();
      });
    });

    it('are answered by words when the embedding server never replies', async () => {
      await open([SCREEN, BICYCLE]);
      await tick();
      fake.hang(true);
      expect(await ask('How do I rent a bicycle?')).toContain('pull the lock');
    });

    it('are answered by words when the embedding server fails, which then gets no requests for a while', async () => {
      await open([SCREEN, BICYCLE]);
      await tick();
      fake.forget();
      fake.fails(500, { times: 9 });
      for (let attempt = 0; attempt < 5; attempt += 1) {
        expect(await ask('How do I rent a bicycle?')).toContain('pull the lock');
      }
      expect(fake.requests().length).toBeLessThanOrEqual(3);
      expect(logged('questions are answered without embeddings')).toHaveLength(1);
      expect(JSON.stringify(harness.logged)).not.toMatch(/sk-of-a-test|rent a bicycle/);
    });
  });

  it('count waiting and embedded articles in the metrics', async () => {
    await open([SCREEN, BICYCLE]);
    expect(await readMetrics()).toContain('guidepost_embedding_passages{state="waiting"} 2');
    await tick();
    expect(await readMetrics()).toContain('guidepost_embedding_passages{state="embedded"} 2');
  });

  it('report embedded texts and used tokens to members', async () => {
    const team = await openTeam({ env: fake.env(), articles: [SCREEN, BICYCLE] });
    harness = team.harness;
    const read = async () => (await team.as('member').get<TenantUsage>('/usage')).json.embeddings;
    const monthlyTokensMax = 20_000_000;
    expect(await read()).toStrictEqual({ texts: 2, embeddedTexts: 0, usedTokens: 0, monthlyTokensMax });
    await tick();
    expect(await read()).toStrictEqual({ texts: 2, embeddedTexts: 2, usedTokens: 60, monthlyTokensMax });
  });

  it('come from a fake that the official client understands', async () => {
    await open([], {});
    const { EMBEDDINGS_BASE_URL: baseURL, EMBEDDINGS_API_KEY: apiKey } = fake.env();
    const client = new OpenAI({ baseURL: baseURL!, apiKey: apiKey! });
    const input = ['screen', 'money'];
    const { data } = await client.embeddings.create({ model: 'a-model', input, encoding_format: 'float' });
    expect(data.map(({ index, embedding }) => [index, embedding.length])).toStrictEqual([
      [1, 256],
      [0, 256],
    ]);
  });
});

const DIMENSIONS = 48;
const aVector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: DIMENSIONS,
  maxLength: DIMENSIONS,
});

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, one, at) => sum + one * b[at]!, 0);
const cosine = (a: readonly number[], b: readonly number[]) =>
  dot(a, b) / (Math.sqrt(dot(a, a) * dot(b, b)) || 1);

type Vector = readonly number[];
const toSpans = (vectors: readonly Vector[]) =>
  vectors.map((_, at) => ({ start: at * 10, end: at * 10 + 9 }));

const row = (
  articleId: string,
  passageId: number,
  windows: readonly Vector[],
  sentences: readonly Vector[] = [],
) => ({
  articleId,
  passageId,
  dimensions: windows[0]!.length,
  vectors: encodeParts({ windows: toSpans(windows), sentences: toSpans(sentences) }, [
    ...windows,
    ...sentences,
  ]),
});

describe('vectors of bytes', () => {
  it('are nearly as similar as the vectors that they were made from', () => {
    fc.assert(
      fc.property(aVector, fc.array(aVector, { minLength: 1, maxLength: 4 }), (question, vectors) => {
        const query = joinVectors([encodeVectors([question])], DIMENSIONS);
        const found = compareVectors(query, joinVectors([encodeVectors(vectors)], DIMENSIONS));
        expect(found).toHaveLength(vectors.length);
        vectors.forEach((vector, at) => {
          expect(Math.abs(found[at]! - cosine(question, vector))).toBeLessThan(0.02);
        });
      }),
    );
  });

  it('find each article by the mean of its title and its most similar window, in order of similarity', () => {
    const table = createVectorTable();
    const title = [1, 0, 0];
    table.add([row('far', 1, [title, [0, 0, 1]]), row('near', 2, [title, [0, 1, 0], [1, 0.1, 0]])]);
    table.add([
      row('between', 3, [title, [1, 1, 0]]),
      row('title', 4, [[1, 0.5, 0]]),
      row('other', 5, [
        [1, 0],
        [1, 0],
      ]),
    ]);
    const found = table.search([1, 0, 0], { limit: 3 });
    expect(found).toMatchObject([
      { articleId: 'near', passageId: 2, window: { start: 20, end: 29 } },
      { articleId: 'title', passageId: 4, window: { start: 0, end: 9 } },
      { articleId: 'between', passageId: 3, window: { start: 10, end: 19 } },
    ]);
    expect(found.map(({ score }) => score.toFixed(2))).toStrictEqual(['1.00', '0.89', '0.80']);
  });

  it('count the most similar sentence of each article, except in large workspaces', () => {
    const table = createVectorTable();
    table.add([
      row(
        'near',
        1,
        [[0, 1, 0]],
        [
          [0, 0, 1],
          [1, 0, 0],
        ],
      ),
    ]);
    table.add([row('far', 2, [[0, 0, 1]])]);
    const [near, far] = table.search([1, 0, 0], { limit: 2 });
    expect(near).toMatchObject({ articleId: 'near', window: { start: 0 }, sentence: { start: 10, end: 19 } });
    expect(near!.sentence!.score).toBeCloseTo(1, 2);
    expect(near!.score).toBeCloseTo(1 / 3, 2);
    expect(far).not.toHaveProperty('sentence');
    table.add(Array.from({ length: 999 }, (_, at) => row(`other-${at}`, 3 + at, [[0, 0, 1]])));
    expect(table.search([1, 0, 0], { limit: 1 })[0]).not.toHaveProperty('sentence');
  });
});
