import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import { getQueryWords } from '../../server/knowledge/search/match.ts';
import {
  passagesBefore,
  passageWrites,
  readTokenizerVersion,
  writeTokenizerVersion,
} from '../../server/storage/sqlite/passages.ts';
import { PreparedStatements, Transaction } from '../../server/storage/sqlite/transaction.ts';
import { fc } from '../fixtures/seeded-random.ts';
import { complete, openShelf, type Shelf } from '../knowledge/corpus.ts';

let shelf: Shelf;

beforeEach(() => {
  shelf = openShelf();
});
afterEach(() => shelf.close());

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
  const found = await shelf.passages(workspaceId).candidates(locale, terms(text, locale), 50);
  return found.map(({ articleId }) => articleId).sort();
}

function rowsLeft() {
  const count = (table: string) => shelf.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
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
    shelf.publish('w1', printer, translated);
    const passages = shelf.passages('w1');
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

  it('finds passages by words of title, aliases and answer, heaviest match first', async () => {
    shelf.publish('w1', printer, {
      articleId: 'other',
      locale: 'en',
      title: 'Settings',
      answer: 'Nothing else.',
    });
    expect(await articlesWith('w1', 'hardcopy')).toEqual(['printer']);
    expect(await articlesWith('w1', 'settings')).toEqual(['other', 'printer']);
    const weighted = [...terms('settings'), ...terms('nothing').map(({ term }) => ({ term, weight: 5 }))];
    const [first] = await shelf.passages('w1').candidates('en', weighted, 1);
    expect(first?.articleId).toBe('other');
  });

  it('does not find passages of another workspace', async () => {
    shelf.publish('w1', printer);
    shelf.publish('w2', { ...printer, articleId: 'theirs', answer: 'Choose Printers elsewhere.' });
    expect(await articlesWith('w2', 'printers settings choose')).toEqual(['theirs']);
    const [mine] = await shelf.passages('w1').liveVariants(['printer']);
    expect(await shelf.passages('w2').liveVariants(['printer'])).toEqual([]);
    expect(await shelf.passages('w2').load([mine!.passageId])).toEqual([]);
    expect(await shelf.passages('w3').partitions()).toEqual([]);
    expect(await shelf.passages('w3').termCounts('en', [terms('printers')[0]!.term])).toEqual([]);
  });

  it('leaves nothing of the old revision after a new one replaces it', async () => {
    shelf.publish('w1', printer);
    const [before] = await shelf.passages('w1').liveVariants(['printer']);
    shelf.publish('w1', { ...printer, answer: 'Plug it in.', aliases: [], revision: 2 });
    expect(await articlesWith('w1', 'choose yours hardcopy')).toEqual([]);
    expect(await articlesWith('w1', 'plug')).toEqual(['printer']);
    const [partition] = await shelf.passages('w1').partitions();
    expect(partition).toMatchObject({ articles: 1, sources: 1, chunks: 1, sentences: 1, words: 3 });
    expect(await shelf.passages('w1').load([before!.passageId])).toEqual([]);
  });

  it('removes one language without the others, and leaves no row when all are removed', async () => {
    shelf.publish('w1', printer, { ...printer, locale: 'de', translationId: 'tr_1' });
    shelf.remove('w1', 'printer', 'de');
    expect((await shelf.passages('w1').partitions()).map(({ locale }) => locale)).toEqual(['en']);
    expect(await articlesWith('w1', 'settings')).toEqual(['printer']);
    shelf.remove('w2', 'printer');
    expect(await articlesWith('w1', 'settings')).toEqual(['printer']);
    shelf.remove('w1', 'printer');
    expect(rowsLeft()).toEqual([0, 0, 0, 0, 0]);
  });

  it('refuses to write a passage when the transaction is over', async () => {
    const writes = passageWrites(shelf.db);
    const tx = new Transaction(new PreparedStatements(shelf.db));
    const passage = indexPassage(complete(printer));
    await expect(writes.writePassage(tx, 'w1', passage)).rejects.toThrow('the transaction is over');
    await expect(writes.removePassages(tx, 'w1', 'printer')).rejects.toThrow('the transaction is over');
    expect(rowsLeft()).toEqual([0, 0, 0, 0, 0]);
  });

  it('lists all passages for reindexing, newest first, without concurrent writes', async () => {
    shelf.publish('w1', printer, { ...printer, locale: 'de', translationId: 'tr_1' });
    shelf.publish('w2', printer);
    const seen: string[] = [];
    let rows = passagesBefore(shelf.db, Number.MAX_SAFE_INTEGER, 2);
    while (rows.length > 0) {
      for (const { workspaceId, variant } of rows) {
        seen.push(`${workspaceId} ${variant.locale}`);
        shelf.publish(workspaceId, variant);
      }
      rows = passagesBefore(shelf.db, rows.at(-1)!.passageId, 2);
    }
    expect(seen).toEqual(['w2 en', 'w1 de', 'w1 en']);
    expect(await articlesWith('w1', 'hardcopy')).toEqual(['printer']);
    expect((await shelf.passages('w1').partitions()).map(({ articles }) => articles)).toEqual([1, 1]);
  });

  it('returns the tokenizer that indexed each passage', () => {
    expect(readTokenizerVersion(shelf.db)).toBeUndefined();
    writeTokenizerVersion(shelf.db, 'one');
    writeTokenizerVersion(shelf.db, 'two');
    expect(readTokenizerVersion(shelf.db)).toBe('two');
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
          if (words) shelf.publish('w1', { articleId, locale, title: '', answer: words.join(' ') });
          else shelf.remove('w1', articleId, locale);
          if (words) expected.set(`${articleId} ${locale}`, words);
          else expected.delete(`${articleId} ${locale}`);
        }
        for (const locale of ['en', 'de']) {
          for (const one of ['open', 'print', 'wifi', 'password', 'screen', 'battery', 'sound']) {
            const holders = [...expected].filter(
              ([key, all]) => key.endsWith(` ${locale}`) && all.includes(one),
            );
            const [count] = await shelf.passages('w1').termCounts(locale, [terms(one, locale)[0]!.term]);
            expect(count?.chunks ?? 0).toBe(holders.length);
            expect(await articlesWith('w1', one, locale)).toEqual(
              holders.map(([key]) => key.split(' ')[0]).sort(),
            );
          }
        }
        for (const articleId of ['a', 'b', 'c', 'd']) shelf.remove('w1', articleId);
        expect(rowsLeft()).toEqual([0, 0, 0, 0, 0]);
      }),
      { numRuns: 30 },
    );
  });
});
