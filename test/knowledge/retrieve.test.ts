import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeWordTable, openDictionary } from '../../server/knowledge/dictionary/dictionary.ts';
import { createTrainer } from '../../server/knowledge/dictionary/train.ts';
import { createRetriever, type Retriever } from '../../server/knowledge/search/retrieve.ts';
import { fc } from '../support/seeded-random.ts';
import {
  type Corpus,
  chinese,
  english,
  german,
  openCorpus,
  type Published,
  questions,
  unanswerable,
} from './corpus.ts';

import { articles as parallel } from './parallel-articles.ts';

describe('retrieving', () => {
  let corpus: Corpus;
  let retriever: Retriever;

  beforeAll(() => {
    corpus = openCorpus();
    retriever = createRetriever(corpus);
    corpus.publish('w1', ...english, ...german, ...chinese);
    corpus.publish('w2', {
      articleId: 'secret',
      locale: 'en',
      title: 'Unlock the vault',
      answer: 'The code is 4711.',
    });
  });
  afterAll(() => corpus.close());

  function ask(question: string, acceptLanguage = 'en', workspaceId = 'w1') {
    return retriever.retrieve({ workspaceId, question, acceptLanguage });
  }

  describe('retrieving in the source language', () => {
    it('finds, trusts and quotes the right article for nearly every question', async () => {
      let first = 0;
      let confidentAnswers = 0;
      let quotes = 0;
      for (const [question, articleId, quoted] of questions) {
        const { found, results } = await ask(question);
        if (results[0]?.articleId !== articleId) continue;
        first += 1;
        if (found) confidentAnswers += 1;
        const text = results[0].sentences.map((sentence) => sentence.text).join(' ');
        if (text.includes(quoted)) quotes += 1;
      }
      expect(first).toBeGreaterThanOrEqual(questions.length - 1);
      expect(confidentAnswers).toBeGreaterThanOrEqual(questions.length - 2);
      expect(quotes).toBeGreaterThanOrEqual(questions.length - 2);
    });

    it('returns no fallback reason without a fallback', async () => {
      const { results } = await ask('Scan the code to unlock a bicycle');
      expect(results[0]).toMatchObject({ articleId: 'unlock', requestedLocale: 'en', contentLocale: 'en' });
      expect(results[0]).not.toHaveProperty('fallbackReason');
    });

    it.each(unanswerable)('reports no answer for "%s" and returns the nearest articles', async (question) => {
      const { found, confidence, nearest, results } = await ask(question);
      expect(found).toBe(false);
      expect(confidence).toBeLessThan(0.3);
      expect(nearest.length).toBeLessThanOrEqual(3);
      expect(results.slice(0, nearest.length)).toMatchObject(JSON.parse(JSON.stringify(nearest)));
    });

    it('returns at most the requested results, best first, each article once', async () => {
      const { results } = await retriever.retrieve({
        workspaceId: 'w1',
        question: 'the ride of a bicycle',
        limit: 3,
      });
      expect(results).toHaveLength(3);
      expect(new Set(results.map(({ articleId }) => articleId)).size).toBe(3);
      for (const [at, result] of results.slice(1).entries()) {
        expect(result.confidence).toBeLessThanOrEqual(results[at]!.confidence);
      }
    });

    it('is not confident about words in every article, unless they are a title', async () => {
      const bikes = Array.from({ length: 20 }, (_, at) => ({
        articleId: `a${at}`,
        locale: 'en',
        title: at === 7 ? 'What is the bike?' : `Part ${at}`,
        answer: `What is the bike number ${at} made of? Steel${at}.`,
      }));
      corpus.publish('w8', ...bikes);
      expect((await ask('is the', 'en', 'w8')).found).toBe(false);
      const { found, results } = await ask('what is the bike', 'en', 'w8');
      expect(found).toBe(true);
      expect(results[0]?.articleId).toBe('a7');
    });

    it('tolerates typing errors and missing accents', async () => {
      expect((await ask('unlok a bycicle')).results[0]?.articleId).toBe('unlock');
      expect((await ask('geld zuruckbekommen', 'de')).results[0]?.articleId).toBe('refund');
    });
  });

  describe('retrieving without a match', () => {
    it.each(['', ' ', '?!', '…', '😀', '\u0000', '\ud800'])(
      'finds nothing for %j, which has no words',
      async (question) => {
        expect(await ask(question)).toEqual({
          requestedLocale: 'en',
          found: false,
          confidence: 0,
          threshold: 0.4,
          results: [],
          likely: false,
          nearest: [],
        });
      },
    );

    it('finds nothing in a workspace without articles', async () => {
      expect((await ask('unlock', 'en', 'empty')).results).toEqual([]);
    });
  });

  describe("retrieving for a visitor's locale", () => {
    it('returns the translation, else the source, with the fallback reason', async () => {
      const unlock = await ask('Wie kann ich ein Fahrrad entsperren?', 'de-AT,de;q=0.9');
      expect(unlock.requestedLocale).toBe('de-AT');
      expect(unlock.results[0]).toMatchObject({
        articleId: 'unlock',
        translationId: 'tr_de_unlock',
        locale: 'de',
        requestedLocale: 'de-AT',
        contentLocale: 'de',
        fallbackReason: 'base_language',
      });
      const helmet = await ask('helmet', 'de');
      expect(helmet.results[0]).toMatchObject({
        articleId: 'helmet',
        contentLocale: 'en',
        requestedLocale: 'de',
        fallbackReason: 'source_article',
      });
    });

    it('matches the source text and quotes the corresponding sentences of the translation', async () => {
      const { found, results } = await ask('wait for the green light after you scan the code', 'de');
      expect(found).toBe(true);
      expect(results[0]).toMatchObject({ articleId: 'unlock', contentLocale: 'de' });
      expect(results[0]!.sentences.map(({ text }) => text).join('')).toContain(
        'Scanne ihn mit der App und warte auf das grüne Licht.',
      );
    });

    it('accepts a question in a language that neither the browser nor the source uses', async () => {
      const { found, results } = await ask('零下十五度服务会暂停吗', 'de');
      expect(found).toBe(true);
      expect(results[0]).toMatchObject({
        articleId: 'winter',
        contentLocale: 'en',
        requestedLocale: 'de',
        fallbackReason: 'source_article',
      });
      expect(results[0]!.sentences.map(({ text }) => text).join(' ')).toContain('minus fifteen');
    });

    it('returns simplified Chinese for zh-CN', async () => {
      const { results } = await ask('冬季电池续航', 'zh-CN');
      expect(results[0]).toMatchObject({ contentLocale: 'zh-Hans', fallbackReason: 'base_language' });
      expect(results[0]!.sentences.map(({ text }) => text).join('')).toContain(
        '电池在严寒中会损失三分之一的续航。',
      );
    });

    it('excludes an article without a published source and without a matching translation', async () => {
      corpus.publish('w4', {
        articleId: 'a',
        locale: 'fr',
        translationId: 'tr',
        title: 'Le vélo',
        answer: 'Un vélo bleu.',
      });
      expect((await ask('vélo bleu', 'de', 'w4')).results).toEqual([]);
      expect((await ask('vélo bleu', 'fr-CA', 'w4')).results).toHaveLength(1);
    });

    it('returns the source without a preferred locale', async () => {
      const { requestedLocale, results } = await retriever.retrieve({
        workspaceId: 'w1',
        question: 'unlock',
      });
      expect(requestedLocale).toBe('und');
      expect(results[0]).toMatchObject({ contentLocale: 'en', requestedLocale: 'und' });
      expect(results[0]).not.toHaveProperty('fallbackReason');
    });

    it('matches Vietnamese without tone marks', async () => {
      corpus.publish(
        'w5',
        {
          articleId: 'bank',
          locale: 'vi',
          title: 'Ngân hàng',
          answer: 'Liên kết tài khoản ngân hàng trong phần thanh toán.',
        },
        {
          articleId: 'bike',
          locale: 'vi',
          title: 'Xe đạp',
          answer: 'Quét mã trên bánh sau để mở khóa xe đạp.',
        },
        {
          articleId: 'mail',
          locale: 'vi',
          title: 'Thư điện tử',
          answer: 'Đổi địa chỉ thư trong phần hồ sơ cá nhân.',
        },
      );
      expect((await ask('mo khoa xe dap', 'vi', 'w5')).results[0]?.articleId).toBe('bike');
      expect((await ask('tài khoản ngân hàng', 'vi', 'w5')).results[0]?.articleId).toBe('bank');
    });
  });

  describe('retrieval', () => {
    it('never returns articles of another workspace', async () => {
      const { results } = await ask('unlock the vault code 4711');
      expect(results.map(({ articleId }) => articleId)).not.toContain('secret');
      expect((await ask('unlock the vault', 'en', 'w2')).results.map(({ articleId }) => articleId)).toEqual([
        'secret',
      ]);
    });

    it('quotes the right sentences of an answer of 100,000 characters', async () => {
      const filler = Array.from(
        { length: 1_500 },
        (_, at) => `Paragraph ${at} describes saddles, bells and baskets.`,
      );
      filler[1_100] = 'The emergency telephone number is printed under the left handlebar.';
      corpus.publish('w6', {
        articleId: 'long',
        locale: 'en',
        title: 'Everything',
        answer: filler.join('\n'),
      });
      const { results } = await ask('Where is the emergency telephone number?', 'en', 'w6');
      const [quote] = results[0]!.sentences;
      expect(quote!.text).toContain(filler[1_100]);
      expect(quote!.text.length).toBeLessThanOrEqual(500);
    });

    it('answers a question of 4,000 characters on one topic', async () => {
      const story = 'We rode along the river and it was lovely until the evening. '.repeat(60);
      const { results } = await ask(`${story} The lock stays shut and the bolt does not open.`);
      expect(results[0]?.articleId).toBe('unlock');
    });

    it('quotes any published text verbatim for any question', async () => {
      const word = fc.constantFrom(
        'unlock',
        'Dr.',
        '锁',
        'ไทย',
        'ёлка',
        '😀',
        'Straße',
        '\n',
        'e\u0301',
        'a.b',
        '12.',
        '?',
        '\ud83d',
      );
      const text = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(' '));
      const locale = fc.constantFrom('en', 'de', 'zh', 'th', 'vi', 'ar');
      await fc.assert(
        fc.asyncProperty(text, text, locale, locale, async (answer, question, published, wished) => {
          corpus.publish(
            'w7',
            { articleId: 'a', locale: published, title: question.slice(0, 20), answer },
            { articleId: 'b', locale: published, title: '', answer: question },
          );
          const { results } = await ask(question, wished, 'w7');
          for (const result of results) {
            for (const sentence of result.sentences) {
              expect(result.answer.slice(sentence.start, sentence.end)).toBe(sentence.text);
              expect(sentence.text).not.toBe('');
            }
            expect(result.score).toBeGreaterThanOrEqual(0);
            expect(result.score).toBeLessThanOrEqual(1);
            expect(result.confidence).toBeLessThanOrEqual(1);
          }
          corpus.remove('w7', 'a');
          corpus.remove('w7', 'b');
        }),
        { numRuns: 100 },
      );
    });
  });
});

/** Articles about each of the things, in English; all but the key and the drawer also in German. */
const sources: readonly Published[] = parallel.map(({ source }) => ({ articleId: source.title, ...source }));
const translations: readonly Published[] = parallel.map(({ source, translations: [german] }) => ({
  articleId: source.title,
  translationId: `tr_${source.title}`,
  ...german!,
}));
const isHeldBack = ({ articleId }: Published) => articleId === 'key' || articleId === 'drawer';

describe('words of a search', () => {
  let corpus: Corpus;
  let retriever: Retriever;
  let withDictionary: Retriever;

  beforeAll(() => {
    const trainer = createTrainer(3);
    for (const article of parallel) trainer.add(article);
    const tables = trainer
      .finish()
      .map(({ from, to, content }) => ({ from, to, table: decodeWordTable(content) }));
    corpus = openCorpus();
    corpus.publish('bicycles', ...english);
    corpus.publish('complete', ...sources, ...translations);
    corpus.publish('partly', ...sources, ...translations.filter((one) => !isHeldBack(one)));
    retriever = createRetriever(corpus);
    const dictionary = openDictionary(tables);
    withDictionary = createRetriever({ passages: corpus.passages, dictionaries: async () => dictionary });
  });
  afterAll(() => corpus.close());

  const ask = (question: string, acceptLanguage = 'en', workspaceId = 'bicycles') =>
    retriever.retrieve({ workspaceId, question, acceptLanguage });

  describe('words of a question', () => {
    it.each([
      ['helmts', 'helmet'],
      ['wintre', 'winter'],
      ['chnage pasword', 'password'],
      ['ride-end', 'return'],
      ['damagereport', 'damage'],
    ])('%s match although no article contains them', async (question, articleId) => {
      expect((await ask(question)).results[0]?.articleId).toBe(articleId);
    });

    it('match a hyphenated word when they are written without the hyphen', async () => {
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
        answer: 'Ask at the front desk.',
      };
      corpus.publish('hotel', ...fillers, wireless);
      expect((await ask('wifi', 'en', 'hotel')).results[0]?.articleId).toBe('wireless');
    });

    it('find an article with the same meaning that shares none of the important words', async () => {
      const topics = [
        'Change the brightness of the screen',
        'Cancel an order',
        'Wash a jacket',
        'Send a parcel back',
      ];
      const articles = topics.map((title) => ({
        ...{ articleId: title, locale: 'en', title },
        answer: `${title}: open the page of the shop or the settings, and do what it says there.`,
      }));
      corpus.publish('meaning', ...articles);
      const { found, results } = await ask('the display in the shop is too dark', 'en', 'meaning');
      expect(results[0]?.articleId).toBe(topics[0]);
      expect(found).toBe(false);
      const coat = await ask('settings of a coat', 'en', 'meaning');
      expect(coat.results[0]?.articleId).toBe('Wash a jacket');
    });

    it('do not count as known when they are function words', async () => {
      for (const question of ['what can you do for me', 'is it that', 'how are you']) {
        expect((await ask(question)).found).toBe(false);
      }
    });

    it('count more than those of the conversation before, and cited articles gain a little', async () => {
      const context = { text: 'How do I get a refund?', articleIds: ['refund'] };
      const leaning = await retriever.retrieve({
        workspaceId: 'bicycles',
        question: 'and how long?',
        context,
      });
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
        expect(results[0]).toMatchObject({
          articleId,
          contentLocale: 'en',
          fallbackReason: 'source_article',
        });
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
});
