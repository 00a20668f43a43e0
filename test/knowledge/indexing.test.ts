import { describe, expect, it } from 'vitest';
import { createIndexing, indexContent } from '../../server/knowledge/search/indexing.ts';

const content = { title: 'Shelves', answer: 'Every shelf has a number. '.repeat(300), aliases: ['rack'] };

describe('indexing in a worker thread', () => {
  it('returns the same result as indexing in the main thread', async () => {
    const indexing = createIndexing();
    const text = { ...content, url: 'https://shop.example.com/shelves' };
    expect(await indexing.index('shelves', 'en', text)).toEqual(indexContent('shelves', 'en', text));
  });

  it('does not block the main thread and keeps concurrent texts apart', async () => {
    const indexing = createIndexing();
    const long = (number: number) => ({
      ...content,
      answer: `Shelf ${number}. ${'Red. Green. '.repeat(8_000)}`,
    });
    await indexing.index('warm', 'en', long(0));
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    const all = await Promise.all(
      [1, 2, 3].map((number) => indexing.index(`s${number}`, 'en', long(number))),
    );
    clearInterval(turning);
    expect(turns).toBeGreaterThan(5);
    expect(all.map(({ slug, answer }) => [slug, answer.slice(0, 8)])).toEqual([
      ['s1', 'Shelf 1.'],
      ['s2', 'Shelf 2.'],
      ['s3', 'Shelf 3.'],
    ]);
  });

  it('rejects with the error and continues with the next text', async () => {
    const indexing = createIndexing(0);
    await expect(indexing.index('bad', 'no locale', content)).rejects.toThrow(/locale|language tag/i);
    expect((await indexing.index('good', 'en', content)).chunks.length).toBeGreaterThan(0);
  });
});
