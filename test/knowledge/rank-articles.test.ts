import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Similarity } from '../../server/knowledge/embeddings/similarity.ts';
import { createRetriever, type Retriever } from '../../server/knowledge/search/retrieve.ts';
import { type Corpus, english, german, openCorpus } from './corpus.ts';

/** The model whose cosines the service knows, and one that it does not know. */
const KNOWN_MODEL = 'multilingual-e5-small-q4-69eb2fc0';
const OTHER_MODEL = 'another-model';
const NONSENSE = 'qwx zzkv';
/** Of texts that have nothing to do with each other, as the known model compares them. */
const UNRELATED = 0.76;

describe('ranking by words and meaning', () => {
  let corpus: Corpus;
  beforeAll(() => {
    corpus = openCorpus();
    corpus.publish('w1', ...english);
    corpus.publish('w2', english[0]!, german[0]!, english[1]!);
  });
  afterAll(() => corpus.close());

  type Cosines = readonly (readonly [articleId: string, cosine: number])[];

  /** Compares every text with the same result, or the texts with one result each. */
  async function openRetriever(
    workspaceId: string,
    model: string,
    ...results: Cosines[]
  ): Promise<Retriever> {
    const passages = corpus.passages(workspaceId);
    const live = await passages.liveVariants(results.flat().map(([articleId]) => articleId));
    const toSimilarity = (cosines: Cosines): Similarity => {
      const articles = cosines.map(([articleId, score]) => {
        const source = live.find((variant) => variant.articleId === articleId && variant.source);
        const window = { start: 0, end: 20, score };
        return { articleId, passageId: source?.passageId ?? 99_999, window, score };
      });
      const nearestMean = articles.reduce((sum, { score }) => sum + score, 0) / articles.length;
      return { model, articles, nearestMean, background: UNRELATED };
    };
    return createRetriever({
      passages: corpus.passages,
      findSimilar: async ({ texts }) => ({
        similarities: texts.map((_text, at) => toSimilarity(results[at] ?? results[0]!)),
        toBefore: UNRELATED,
      }),
    });
  }

  async function ask(
    question: string,
    cosines: Cosines,
    { model = KNOWN_MODEL, workspaceId = 'w1', acceptLanguage = 'en' } = {},
  ) {
    const retriever = await openRetriever(workspaceId, model, cosines);
    return retriever.retrieve({ workspaceId, question, acceptLanguage });
  }

  const [first, second, third, fourth] = english.map(({ articleId }) => articleId) as [
    string,
    string,
    string,
    string,
  ];
  const { title } = english[0]!;

  it('offers an article that is only similar, and does not quote it without words', async () => {
    const { found, results, nearest } = await ask(NONSENSE, [
      [second, 0.79],
      [third, 0.78],
      [fourth, 0.77],
    ]);
    expect(found).toBe(false);
    expect(results[0]!.articleId).toBe(second);
    expect(nearest[0]!.articleId).toBe(second);
    expect(results[0]!.sentences.length).toBeGreaterThan(0);
  });

  it('is neither sure nor offers choices when nothing is nearer than unrelated texts', async () => {
    const { found, likely } = await ask(NONSENSE, [
      [second, 0.75],
      [third, 0.75],
      [fourth, 0.75],
    ]);
    expect({ found, likely }).toStrictEqual({ found: false, likely: false });
  });

  it('is more confident when words and meaning agree than when they disagree', async () => {
    const agreed = await ask(title, [
      [first, 0.86],
      [second, 0.79],
    ]);
    expect([agreed.found, agreed.results[0]!.articleId]).toStrictEqual([true, first]);
    const disputed = await ask(title, [
      [second, 0.86],
      [first, 0.79],
    ]);
    expect(disputed.confidence).toBeLessThan(agreed.confidence);
  });

  it('keeps the order of the words when all articles are equally similar', async () => {
    const byWords = await createRetriever(corpus).retrieve({
      workspaceId: 'w1',
      question: title,
      acceptLanguage: 'en',
    });
    const all = await ask(
      title,
      english.slice(0, 8).map(({ articleId }) => [articleId, 0.8] as const),
    );
    expect(all.results.slice(0, 3).map(({ articleId }) => articleId)).toStrictEqual(
      byWords.results.slice(0, 3).map(({ articleId }) => articleId),
    );
  });

  it('finds the source of an article without a translation by meaning, and marks its language', async () => {
    const { found, results } = await ask(
      'Fahrradschloss entsperren qwx',
      [
        [second, 0.87],
        [first, 0.78],
      ],
      { workspaceId: 'w2', acceptLanguage: 'de' },
    );
    expect([found, results[0]!.articleId]).toStrictEqual([true, second]);
    expect(results[0]).toMatchObject({
      requestedLocale: 'de',
      contentLocale: 'en',
      fallbackReason: 'source_article',
    });
    expect(results[0]!.sentences.length).toBeGreaterThan(0);
  });

  it('ignores articles that are no longer published', async () => {
    const { found, results } = await ask(NONSENSE, [['gone', 0.95]]);
    expect(found).toBe(false);
    expect(results.map(({ articleId }) => articleId)).not.toContain('gone');
  });

  it.each([KNOWN_MODEL, OTHER_MODEL])('finds the same article by words when %s is late', async (model) => {
    const late = createRetriever({ passages: corpus.passages, findSimilar: async () => undefined });
    const byWords = await late.retrieve({ workspaceId: 'w1', question: title, acceptLanguage: 'en' });
    const { found, results } = await ask(title, [[first, 0.85]], { model });
    expect([found, results[0]!.articleId]).toStrictEqual([byWords.found, byWords.results[0]!.articleId]);
  });

  describe('with a model that the confidence was not fitted for', () => {
    it('offers, but does not quote, an article that is only similar', async () => {
      const { found, likely, results } = await ask(
        NONSENSE,
        [
          [second, 0.8],
          [third, 0.7],
        ],
        { model: OTHER_MODEL },
      );
      expect({ found, likely }).toStrictEqual({ found: false, likely: true });
      expect(results.slice(0, 2).map(({ articleId }) => articleId)).toStrictEqual([second, third]);
    });

    it('is as confident as by words when both agree', async () => {
      const byWords = await createRetriever(corpus).retrieve({
        workspaceId: 'w1',
        question: title,
        acceptLanguage: 'en',
      });
      const both = await ask(
        title,
        [
          [first, 0.6],
          [second, 0.5],
        ],
        { model: OTHER_MODEL },
      );
      expect(both.results[0]!.articleId).toBe(first);
      expect(both.confidence).toBeCloseTo(byWords.confidence, 5);
    });
  });

  describe('in a conversation', () => {
    const context = { text: title, articleIds: [first] };

    it('understands a message without a subject together with the question before it', async () => {
      const retriever = await openRetriever(
        'w1',
        KNOWN_MODEL,
        [
          [second, 0.78],
          [third, 0.78],
          [first, 0.78],
        ],
        [
          [first, 0.88],
          [second, 0.79],
          [third, 0.78],
        ],
      );
      const request = { workspaceId: 'w1', question: 'and how do I do that?', acceptLanguage: 'en' };
      expect((await retriever.retrieve(request)).found).toBe(false);
      const { found, results } = await retriever.retrieve({ ...request, context });
      expect([found, results[0]!.articleId]).toStrictEqual([true, first]);
    });

    it('understands a question about another subject alone', async () => {
      const retriever = await openRetriever(
        'w1',
        KNOWN_MODEL,
        [
          [second, 0.89],
          [third, 0.78],
          [first, 0.78],
        ],
        [
          [first, 0.85],
          [second, 0.84],
          [third, 0.78],
        ],
      );
      const question = english[1]!.title;
      const { found, results } = await retriever.retrieve({
        workspaceId: 'w1',
        question,
        acceptLanguage: 'en',
        context,
      });
      expect([found, results[0]!.articleId]).toStrictEqual([true, second]);
    });
  });
});
