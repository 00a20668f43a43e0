import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDictionary } from '../../server/knowledge/dictionary/open-dictionary.ts';
import { createTrainer } from '../../server/knowledge/dictionary/train.ts';
import { decodeWordTable } from '../../server/knowledge/dictionary/word-table.ts';
import { createRetriever, type Retriever } from '../../server/knowledge/search/retrieve.ts';
import { openShelf, type Published, type Shelf } from './corpus.ts';
import { english } from './help-centre.ts';
import { articles as parallel } from './parallel-articles.ts';

let shelf: Shelf;
let retriever: Retriever;
let withDictionary: Retriever;

/** Articles about each of the things, in English; all but the key and the drawer also in German. */
const sources: readonly Published[] = parallel.map(({ source }) => ({ articleId: source.title, ...source }));
const translations: readonly Published[] = parallel.map(({ source, translations: [german] }) => ({
  articleId: source.title,
  translationId: `tr_${source.title}`,
  ...german!,
}));
const isHeldBack = ({ articleId }: Published) => articleId === 'key' || articleId === 'drawer';

beforeAll(() => {
  const trainer = createTrainer(3);
  for (const article of parallel) trainer.add(article);
  const tables = trainer
    .finish()
    .map(({ from, to, content }) => ({ from, to, table: decodeWordTable(content) }));
  shelf = openShelf();
  shelf.publish('bicycles', ...english);
  shelf.publish('complete', ...sources, ...translations);
  shelf.publish('partly', ...sources, ...translations.filter((one) => !isHeldBack(one)));
  retriever = createRetriever(shelf);
  const dictionary = openDictionary(tables);
  withDictionary = createRetriever({ passages: shelf.passages, dictionaries: async () => dictionary });
});
afterAll(() => shelf.close());

const ask = (question: string, acceptLanguage = 'en', workspaceId = 'bicycles') =>
  retriever.retrieve({ workspaceId, question, acceptLanguage });

describe('words of a question', () => {
  it.each([
    ['helmts', 'helmet'],
    ['wintre', 'winter'],
    ['chnage pasword', 'password'],
    ['ride-end', 'return'],
    ['damagereport', 'damage'],
  ])('finds %s although no article contains it', async (question, articleId) => {
    expect((await ask(question)).results[0]?.articleId).toBe(articleId);
  });

  it('finds a hyphenated word that is written as one', async () => {
    const fillers = Array.from({ length: 60 }, (_, at) => ({
      articleId: `filler${at}`,
      locale: 'en',
      title: `Topic ${at}`,
      answer: `Something else about number ${at}.`,
    }));
    const wireless = {
      articleId: 'wireless',
      locale: 'en',
      title: 'Wi-Fi',
      answer: 'Ask at the memberClient.',
    };
    shelf.publish('hotel', ...fillers, wireless);
    expect((await ask('wifi', 'en', 'hotel')).results[0]?.articleId).toBe('wireless');
  });

  it('do not count as knowledge where they say nothing about a subject', async () => {
    for (const question of ['what can you do for me', 'is it that', 'how are you']) {
      expect((await ask(question)).found).toBe(false);
    }
  });

  it('of the conversation count less than those of the question, and cited articles a little more', async () => {
    const context = { text: 'How do I get a refund?', articleIds: ['refund'] };
    const leaning = await retriever.retrieve({ workspaceId: 'bicycles', question: 'and how long?', context });
    expect(leaning.results[0]?.articleId).toBe('refund');
    const another = await retriever.retrieve({
      workspaceId: 'bicycles',
      question: 'helmets for riders',
      context,
    });
    expect(another.results[0]?.articleId).toBe('helmet');
  });
});

describe('a partly translated workspace', () => {
  const askGerman = (by: Retriever, question: string, workspaceId: string) =>
    by.retrieve({ workspaceId, question, acceptLanguage: 'de' });

  it('finds articles that are not translated through the dictionary', async () => {
    for (const [question, articleId] of [
      ['Schlüssel reparieren', 'key'],
      ['Schublade ausdrucken', 'drawer'],
    ] as const) {
      const { results } = await askGerman(withDictionary, question, 'partly');
      expect(results[0]).toMatchObject({ articleId, contentLocale: 'en', fallbackReason: 'source_article' });
    }
  });

  it('still finds translated articles in the language of the question', async () => {
    const { results } = await askGerman(withDictionary, 'Gutschein ausdrucken', 'partly');
    expect(results[0]).toMatchObject({ articleId: 'voucher', contentLocale: 'de' });
  });

  it('is not worse with a dictionary once everything is translated', async () => {
    for (const question of ['Rechnung ausdrucken', 'Lampe reparieren', 'Fahrrad zurück', 'Paket']) {
      const plain = await askGerman(retriever, question, 'complete');
      const learned = await askGerman(withDictionary, question, 'complete');
      expect(learned.results[0]?.articleId).toBe(plain.results[0]?.articleId);
      expect(learned.results.map(({ contentLocale }) => contentLocale)).not.toContain('en');
    }
  });
});
