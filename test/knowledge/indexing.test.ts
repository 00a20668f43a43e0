import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIndexing, indexContent, rebuildIndex } from '../../server/knowledge/search/indexing.ts';
import { tokenizerVersion } from '../../server/knowledge/search/tokenize.ts';
import type { PassageIndex } from '../../server/storage/passages.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { type Seed, seeds } from '../support/seeds.ts';

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

const many: readonly Seed[] = Array.from({ length: 30 }, (_, number) => ({
  slug: `shelf-${number}`,
  locale: 'en',
  title: `Shelf ${number}`,
  answer: `Shelf ${number} holds boxes.`,
}));

const numbersIn = async (index: PassageIndex) =>
  (await index.before(Number.MAX_SAFE_INTEGER, 1_000)).map(({ passageId }) => passageId);

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
describe('search index of another tokenizer version', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await openHarness({ articles: [...seeds, ...many] });
  });
  afterEach(() => harness.close());

  it('is rebuilt at startup, with one log line', async () => {
    const { passageIndex } = harness.service.store;
    const before = await numbersIn(passageIndex);
    await passageIndex.finish('an older one');
    harness = await harness.restart();
    const renewed = harness.service.store.passageIndex;
    await until(async () => (await renewed.state()).tokenizer === tokenizerVersion);
    const after = await numbersIn(renewed);
    expect(after).toHaveLength(before.length);
    expect(Math.min(...after)).toBeGreaterThan(Math.max(...before));
    expect(harness.logged.filter(({ msg }) => msg === 'search index rebuilt')).toMatchObject([
      { passages: before.length, from: 'an older one', to: tokenizerVersion },
    ]);
    const { jwt } = await harness.boot();
    const events = await harness.ask(jwt, {}, { 'accept-language': 'de' });
    expect(events.find((event) => event.type === 'citation')).toMatchObject({ content_locale: 'de' });
  });

  it('gives the same answers after it was rebuilt', async () => {
    const alike = Array.from({ length: 70 }, (_, number) => ({
      slug: `box-${number}`,
      locale: 'en',
      title: 'Box with lid',
      answer: 'A box with a lid keeps the dust out.',
    }));
    await harness.close();
    harness = await openHarness({ articles: [...alike, ...many] });
    const questions = ['Which box keeps the dust out?', 'Which shelf holds boxes?', 'lid'];
    const answer = async () => {
      const { jwt } = await harness.boot();
      const all = [];
      for (const message of questions) {
        const events = await harness.ask(jwt, { message, conversation_id: crypto.randomUUID() });
        all.push(
          events.map((event) => {
            const { article_id, items, delta } = event as Record<string, unknown>;
            return { type: event.type, article_id, items, delta };
          }),
        );
        harness.clock.advance(10_000);
      }
      return all;
    };
    const before = await answer();
    await harness.service.store.passageIndex.finish('an older one');
    harness = await harness.restart();
    const renewed = harness.service.store.passageIndex;
    await until(async () => (await renewed.state()).tokenizer === tokenizerVersion);
    expect(await answer()).toEqual(before);
  });

  it('is rebuilt from where an interrupted rebuild stopped', async () => {
    const { passageIndex } = harness.service.store;
    const before = await numbersIn(passageIndex);
    const stop = new AbortController();
    const deps = { indexing: createIndexing(), log: pino({ level: 'silent' }), tokenizer: 'a newer one' };
    const steps: number[] = [];
    const watched = (after: number): PassageIndex => ({
      ...passageIndex,
      async renew(passages, renewal) {
        await passageIndex.renew(passages, renewal);
        steps.push(passages.length);
        if (steps.length === after) stop.abort();
      },
    });
    await rebuildIndex({ ...deps, passageIndex: watched(2), signal: stop.signal });
    expect((await passageIndex.state()).tokenizer).toBe(tokenizerVersion);
    await rebuildIndex({ ...deps, passageIndex: watched(0) });
    expect(await passageIndex.state()).toEqual({ tokenizer: 'a newer one' });
    expect(steps.reduce((sum, count) => sum + count, 0)).toBe(before.length);
  });

  it('is not rebuilt when its version is current', async () => {
    const before = await numbersIn(harness.service.store.passageIndex);
    harness = await harness.restart();
    expect(await numbersIn(harness.service.store.passageIndex)).toEqual(before);
  });
});
