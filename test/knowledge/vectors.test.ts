import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVectorTable } from '../../server/knowledge/embeddings/vector-table.ts';
import { compareVectors, encodeVectors, joinVectors } from '../../server/knowledge/embeddings/vectors.ts';
import { createRetriever } from '../../server/knowledge/search/retrieve.ts';
import { fc } from '../fixtures/seeded-random.ts';
import { openShelf, type Shelf } from './corpus.ts';
import { english } from './help-centre.ts';

const DIMENSIONS = 48;
const aVector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: DIMENSIONS,
  maxLength: DIMENSIONS,
});

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, one, at) => sum + one * b[at]!, 0);
const cosine = (a: readonly number[], b: readonly number[]) =>
  dot(a, b) / (Math.sqrt(dot(a, a) * dot(b, b)) || 1);

const row = (articleId: string, passageId: number, ...vectors: number[][]) => ({
  articleId,
  passageId,
  dimensions: vectors[0]!.length,
  vectors: encodeVectors(vectors),
});

describe('vectors of bytes', () => {
  it('compare nearly as the vectors that they were made from', () => {
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

  it('finds each article once, by its most similar chunk, most similar first', () => {
    const table = createVectorTable();
    table.add([row('far', 1, [0, 0, 1]), row('near', 2, [0, 1, 0], [1, 0.1, 0])]);
    table.add([row('near', 3, [1, 1, 1]), row('between', 4, [1, 1, 0]), row('other', 5, [1, 0])]);
    const found = table.search([1, 0, 0], 2);
    expect(found).toMatchObject([
      { articleId: 'near', passageId: 2, ordinal: 1 },
      { articleId: 'between', passageId: 4, ordinal: 0 },
    ]);
    expect(found[0]!.score).toBeCloseTo(0.995, 2);
  });
});

describe('joining words and vectors', () => {
  let shelf: Shelf;
  beforeAll(() => {
    shelf = openShelf();
    shelf.publish('w1', ...english);
  });
  afterAll(() => shelf.close());

  async function ask(question: string, ...similar: readonly (readonly [string, number])[]) {
    const passages = shelf.passages('w1');
    const live = await passages.liveVariants(similar.map(([articleId]) => articleId));
    const found = similar.map(([articleId, score]) => {
      const { passageId } = live.find((one) => one.articleId === articleId)!;
      return { articleId, passageId, ordinal: 0, score };
    });
    const retriever = createRetriever({
      passages: shelf.passages,
      ...(similar.length > 0 ? { findSimilar: async () => found } : {}),
    });
    return retriever.retrieve({ workspaceId: 'w1', question, acceptLanguage: 'en' });
  }

  const [first, second, third] = english.map(({ articleId }) => articleId) as [string, string, string];
  const NONSENSE = 'qwx zzkv';

  it('offers, but does not quote, what is only similar', async () => {
    const { found, likely, results, nearest } = await ask(NONSENSE, [second, 0.8], [third, 0.7]);
    expect({ found, likely }).toStrictEqual({ found: false, likely: true });
    expect(results.slice(0, 2).map(({ articleId }) => articleId)).toStrictEqual([second, third]);
    expect(nearest.slice(0, 2).map(({ articleId }) => articleId)).toStrictEqual([second, third]);
    expect(results[0]!.sentences.length).toBeGreaterThan(0);
  });

  it('quotes what is certainly the same', async () => {
    const { found, results } = await ask(NONSENSE, [second, 0.93]);
    expect([found, results[0]!.articleId]).toStrictEqual([true, second]);
  });

  it('offers nothing where nothing is similar', async () => {
    const { found, likely } = await ask(NONSENSE, [second, 0.1]);
    expect({ found, likely }).toStrictEqual({ found: false, likely: false });
  });

  it('is as sure as before when both agree on what the words are sure of', async () => {
    const { title } = english[0]!;
    const alone = await ask(title);
    expect([alone.found, alone.results[0]!.articleId]).toStrictEqual([true, first]);
    const both = await ask(title, [first, 0.6], [second, 0.5]);
    expect(both.results[0]!.articleId).toBe(first);
    expect(both.confidence).toBeCloseTo(alone.confidence, 5);
  });

  it('keeps what the words are sure of before what is only similar', async () => {
    const { title } = english[0]!;
    const { found, results } = await ask(title, [second, 0.8], [third, 0.7]);
    expect([found, results[0]!.articleId]).toStrictEqual([true, first]);
    const other = results.find(({ articleId }) => articleId === second);
    expect(other?.confidence ?? 0).toBeLessThan(0.4);
  });

  it('ignores what was unpublished since', async () => {
    const retriever = createRetriever({
      passages: shelf.passages,
      findSimilar: async () => [{ articleId: 'gone', passageId: 99_999, ordinal: 0, score: 0.99 }],
    });
    const { found, results } = await retriever.retrieve({ workspaceId: 'w1', question: NONSENSE });
    expect(found).toBe(false);
    expect(results.map(({ articleId }) => articleId)).not.toContain('gone');
  });
});
