/** Questions to a service with its own embedding model. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openModel, readModelId } from '../../model/index.ts';
import { DEMO_VECTORS_FILE } from '../../server/demo/demo.ts';
import { hashParts, splitParts } from '../../server/knowledge/embeddings/parts.ts';
import { openShippedVectors } from '../../server/knowledge/embeddings/shipped-vectors.ts';
import { createVectorTable } from '../../server/knowledge/embeddings/vector-table.ts';
import { compareVectors, encodeVectors, joinVectors } from '../../server/knowledge/embeddings/vectors.ts';
import background from '../../server/knowledge/meaning/background-vectors.json' with { type: 'json' };
import { commandLine } from '../support/command-line.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import type { Seed } from '../support/seeds.ts';

const ARTICLES: readonly Seed[] = [
  {
    slug: 'returns',
    locale: 'en',
    title: 'Return an order',
    answer:
      'You can send goods back within thirty days. Print the return label and bring the parcel to a post office.',
  },
  {
    slug: 'opening-hours',
    locale: 'en',
    title: 'Opening hours',
    answer:
      'The shop opens at nine in the morning and closes at six in the evening. On Sundays it stays closed.',
    translations: [
      {
        locale: 'de',
        title: 'Öffnungszeiten',
        answer:
          'Das Geschäft öffnet um neun Uhr morgens und schließt um sechs Uhr abends. Sonntags ist es zu.',
      },
    ],
  },
  {
    slug: 'gift-cards',
    locale: 'en',
    title: 'Gift cards',
    answer: 'A gift card is valid for three years. Enter its code when you pay.',
    translations: [
      {
        locale: 'fr',
        title: 'Cartes cadeaux',
        answer: 'Une carte cadeau est valable trois ans. Saisissez son code au moment du paiement.',
      },
    ],
  },
  {
    slug: 'password',
    locale: 'en',
    title: 'Reset your password',
    answer:
      'Choose "Forgot password" on the sign-in page. We send you a link by e-mail that works for one hour.',
  },
];

const BACKGROUND = new URL('../../server/knowledge/meaning/background.json', import.meta.url);

const readDemo = (): Seed[] =>
  readFileSync(new URL('../../server/demo/knowledge/gnome-help.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the embedding model inside the service', () => {
  let harness: Harness | undefined;
  afterEach(async () => {
    await harness?.close();
    harness = undefined;
  });

  async function open(
    articles: readonly Seed[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Harness> {
    harness = await openHarness({ articles, env: { EMBEDDINGS: 'on', ...env } });
    harness.clock.advance(3_000);
    await harness.service.tick();
    return harness;
  }

  it('finds the English article for a question in Greek, and marks its language', async () => {
    const opened = await open(ARTICLES);
    const headers = { 'accept-language': 'el' };
    const { jwt } = await opened.boot({}, headers);
    const ask = async () => {
      // After late replies, questions do without the model for half a minute.
      opened.clock.advance(31_000);
      const body = { message: 'Πώς μπορώ να επιστρέψω μια παραγγελία;', conversation_id: 'conv-greek' };
      return opened.ask(jwt, body, headers);
    };
    await expect.poll(ask, { timeout: 20_000 }).toContainEqual(
      expect.objectContaining({
        type: 'citation',
        title: 'Return an order',
        requested_locale: 'el',
        content_locale: 'en',
        fallback_reason: 'source_article',
      }),
    );
  });

  it('is reported by the doctor, with the number of articles that it can find', async () => {
    const { config } = await open(ARTICLES);
    const cli = commandLine(config.dataDir, Date.now, { EMBEDDINGS: 'on' });
    const { stdout } = await cli.runInProcess(['doctor']);
    expect(stdout).toContain('The embedding model inside the service answers.');
    expect(stdout).toContain('4 of 4 published articles can be found by meaning.');
  });

  it('finds the demo articles at its first start, without computing their vectors', async () => {
    const sources = readDemo().map(({ translations: _, ...source }) => source);
    const { logged, service, workspace } = await open(sources, { GUIDEPOST_DEMO: 'on' });
    const isIndexed = { msg: 'texts embedded', embedded: sources.length, passages: sources.length };
    expect(logged).toContainEqual(expect.objectContaining(isIndexed));
    const shipped = readFileSync(DEMO_VECTORS_FILE, 'utf8');
    const stored = await service.store.in(workspace.id).embeddings.list(readModelId(), sources.length);
    expect(stored).toHaveLength(sources.length);
    const vectors = stored.map((row) => Buffer.from(row.vectors).toString('base64'));
    expect(vectors.filter((text) => !shipped.includes(text))).toStrictEqual([]);
  });
});

describe('the vectors that come with the service', () => {
  const model = openModel();
  afterAll(() => model.close());

  it('are those of the demo articles', async () => {
    const find = openShippedVectors(DEMO_VECTORS_FILE);
    const articles = readDemo();
    for (const article of [articles[0]!, articles[150]!, articles.at(-1)!]) {
      const parts = splitParts(article, false);
      const vectors = await find(model.id, hashParts(parts));
      const table = createVectorTable();
      table.add([{ articleId: article.slug, passageId: 1, ...vectors! }]);
      for (const { start, end, text } of parts.windows.slice(1, 3)) {
        const [found] = table.search([...model.embed('passage', text)], { limit: 1 });
        expect(found!.window).toMatchObject({ start, end });
        expect(found!.window.score).toBeGreaterThan(0.995);
      }
    }
  });

  it('are those of the background texts', () => {
    const texts = Object.values(
      JSON.parse(readFileSync(BACKGROUND, 'utf8')) as Record<string, string[]>,
    ).flat();
    const block = joinVectors([Buffer.from(background.vectors, 'base64')], model.dimensions);
    expect(background.model).toBe(model.id);
    expect(block.factors).toHaveLength(texts.length);
    for (const at of [0, 150, texts.length - 1]) {
      const vector = [...model.embed('passage', texts[at]!)];
      const cosines = compareVectors(joinVectors([encodeVectors([vector])], model.dimensions), block);
      expect(cosines[at]).toBeGreaterThan(0.995);
    }
  });
});
