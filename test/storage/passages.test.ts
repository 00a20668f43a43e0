import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import { getQueryWords } from '../../server/knowledge/search/match.ts';
import {
  passagesBefore,
  passageWrites,
  prepareIndexMerge,
  readTokenizerVersion,
  writeTokenizerVersion,
} from '../../server/storage/sqlite/passages.ts';
import { PreparedStatements, Transaction } from '../../server/storage/sqlite/transaction.ts';
import { type Corpus, complete, openCorpus } from '../knowledge/corpus.ts';
import { fc } from '../support/seeded-random.ts';

let corpus: Corpus;

beforeEach(() => {
  corpus = openCorpus();
});
afterEach(() => corpus.close());

const printer = {
  articleId: 'printer',
  locale: 'en',
  title: 'Set up a printer',
  answer: 'Open the settings. Choose Printers and add yours.',
  aliases: ['hardcopy'],
  url: 'https://help.example/printer',
};

function terms(text: string, locale = 'en') {
  return getQueryWords(text, locale).map(({ hash }) => ({ term: hash, weight: 1 }));
}

async function articlesWith(workspaceId: string, text: string, locale = 'en') {
  const found = await corpus.passages(workspaceId).candidates(locale, terms(text, locale), 50);
  return found.map(({ articleId }) => articleId).sort();
}

function rowsLeft() {
  const count = (table: string) => corpus.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  return ['passages', 'passage_chunks', 'passage_terms', 'passage_partitions', 'passage_index_docsize'].map(
    count,
  );
}

describe('passages', () => {
  it('returns passages exactly as published', async () => {
    const translated = {
      ...printer,
      locale: 'de',
      translationId: 'tr_1',
      title: 'Drucker',
      stale: true,
      revision: 4,
    };
    corpus.publish('w1', printer, translated);
    const passages = corpus.passages('w1');
    const live = await passages.liveVariants(['printer']);
    expect(live.map(({ locale, source }) => [locale, source])).toEqual([
      ['de', false],
      ['en', true],
    ]);
    const [german, english] = await passages.load(live.map(({ passageId }) => passageId));
    expect(german).toMatchObject({ ...translated, slug: 'printer', sourceRevision: 1 });
    expect(english).toMatchObject({ ...printer, stale: false, revision: 1 });
    expect(english).not.toHaveProperty('translationId');
  });

  it('finds the same passages after the word index was merged into one part', async () => {
    for (const id of ['one', 'two', 'three']) corpus.publish('w1', { ...printer, articleId: id });
    corpus.publish('w1', { ...printer, articleId: 'two', aliases: ['plotter'] });
    const parts = corpus.db.prepare('SELECT count(DISTINCT segid) FROM passage_index_idx').pluck();
    expect(parts.get()).toBe(4);
    const merge = prepareIndexMerge(corpus.db);
    while (merge());
    expect(parts.get()).toBe(1);
    expect(await articlesWith('w1', 'hardcopy')).toEqual(['one', 'three']);
    expect(await articlesWith('w1', 'plotter')).toEqual(['two']);
  });

  it('finds passages by words of title, aliases and answer, heaviest match first', async () => {
    corpus.publish('w1', printer, {
      articleId: 'other',
      locale: 'en',
      title: 'Settings',
      answer: 'Nothing else.',
    });
    expect(await articlesWith('w1', 'hardcopy')).toEqual(['printer']);
    expect(await articlesWith('w1', 'settings')).toEqual(['other', 'printer']);
    const weighted = [...terms('settings'), ...terms('nothing').map(({ term }) => ({ term, weight: 5 }))];
    const [first] = await corpus.passages('w1').candidates('en', weighted, 1);
    expect(first?.articleId).toBe('other');
  });

  it('does not find passages of another workspace', async () => {
    corpus.publish('w1', printer);
    corpus.publish('w2', { ...printer, articleId: 'theirs', answer: 'Choose Printers elsewhere.' });
    expect(await articlesWith('w2', 'printers settings choose')).toEqual(['theirs']);
    const [mine] = await corpus.passages('w1').liveVariants(['printer']);
    expect(await corpus.passages('w2').liveVariants(['printer'])).toEqual([]);
    expect(await corpus.passages('w2').load([mine!.passageId])).toEqual([]);
    expect(await corpus.passages('w3').partitions()).toEqual([]);
    expect(await corpus.passages('w3').termCounts('en', [terms('printers')[0]!.term])).toEqual([]);
  });

  it('leaves nothing of the old revision after a new one replaces it', async () => {
    corpus.publish('w1', printer);
    const [before] = await corpus.passages('w1').liveVariants(['printer']);
    corpus.publish('w1', { ...printer, answer: 'Plug it in.', aliases: [], revision: 2 });
    expect(await articlesWith('w1', 'choose yours hardcopy')).toEqual([]);
    expect(await articlesWith('w1', 'plug')).toEqual(['printer']);
    const [partition] = await corpus.passages('w1').partitions();
    expect(partition).toMatchObject({ articles: 1, sources: 1, chunks: 1, sentences: 1, words: 3 });
    expect(await corpus.passages('w1').load([before!.passageId])).toEqual([]);
  });

  it('removes one language without the others, and leaves no row when all are removed', async () => {
    corpus.publish('w1', printer, { ...printer, locale: 'de', translationId: 'tr_1' });
    corpus.remove('w1', 'printer', 'de');
    expect((await corpus.passages('w1').partitions()).map(({ locale }) => locale)).toEqual(['en']);
    expect(await articlesWith('w1', 'settings')).toEqual(['printer']);
    corpus.remove('w2', 'printer');
    expect(await articlesWith('w1', 'settings')).toEqual(['printer']);
    corpus.remove('w1', 'printer');
    expect(rowsLeft()).toEqual([0, 0, 0, 0, 0]);
  });

  it('rejects writing a passage when the transaction is over', async () => {
    const writes = passageWrites(corpus.db);
    const tx = new Transaction(new PreparedStatements(corpus.db));
    const passage = indexPassage(complete(printer));
    await expect(writes.writePassage(tx, 'w1', passage)).rejects.toThrow('the transaction is over');
    await expect(writes.removePassages(tx, 'w1', 'printer')).rejects.toThrow('the transaction is over');
    expect(rowsLeft()).toEqual([0, 0, 0, 0, 0]);
  });

  it('lists all passages for reindexing, newest first, without concurrent writes', async () => {
    corpus.publish('w1', printer, { ...printer, locale: 'de', translationId: 'tr_1' });
    corpus.publish('w2', printer);
    const seen: string[] = [];
    let rows = passagesBefore(corpus.db, Number.MAX_SAFE_INTEGER, 2);
    while (rows.length > 0) {
      for (const { workspaceId, variant } of rows) {
        seen.push(`${workspaceId} ${variant.locale}`);
        corpus.publish(workspaceId, variant);
      }
      rows = passagesBefore(corpus.db, rows.at(-1)!.passageId, 2);
    }
    expect(seen).toEqual(['w2 en', 'w1 de', 'w1 en']);
    expect(await articlesWith('w1', 'hardcopy')).toEqual(['printer']);
    expect((await corpus.passages('w1').partitions()).map(({ articles }) => articles)).toEqual([1, 1]);
  });

  it('stores the tokenizer version of the index', () => {
    expect(readTokenizerVersion(corpus.db)).toBeUndefined();
    writeTokenizerVersion(corpus.db, 'one');
    writeTokenizerVersion(corpus.db, 'two');
    expect(readTokenizerVersion(corpus.db)).toBe('two');
  });

  it('counts every word exactly after publications and removals', async () => {
    const word = fc.constantFrom('open', 'print', 'wifi', 'password', 'screen', 'battery', 'sound');
    const step = fc.record({
      articleId: fc.constantFrom('a', 'b', 'c', 'd'),
      locale: fc.constantFrom('en', 'de'),
      words: fc.option(fc.array(word, { minLength: 1, maxLength: 6 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const expected = new Map<string, readonly string[]>();
        for (const { articleId, locale, words } of steps) {
          if (words) corpus.publish('w1', { articleId, locale, title: '', answer: words.join(' ') });
          else corpus.remove('w1', articleId, locale);
          if (words) expected.set(`${articleId} ${locale}`, words);
          else expected.delete(`${articleId} ${locale}`);
        }
        for (const locale of ['en', 'de']) {
          for (const one of ['open', 'print', 'wifi', 'password', 'screen', 'battery', 'sound']) {
            const holders = [...expected].filter(
              ([key, all]) => key.endsWith(` ${locale}`) && all.includes(one),
            );
            const [count] = await corpus.passages('w1').termCounts(locale, [terms(one, locale)[0]!.term]);
            expect(count?.chunks ?? 0).toBe(holders.length);
            expect(await articlesWith('w1', one, locale)).toEqual(
              holders.map(([key]) => key.split(' ')[0]).sort(),
            );
          }
        }
        for (const articleId of ['a', 'b', 'c', 'd']) corpus.remove('w1', articleId);
        expect(rowsLeft()).toEqual([0, 0, 0, 0, 0]);
      }),
      { numRuns: 30 },
    );
  });
});
