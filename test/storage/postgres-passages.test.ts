import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import { getQueryWords } from '../../server/knowledge/search/match.ts';
import { createRetriever } from '../../server/knowledge/search/retrieve.ts';
import type { Passages, PublishedVariant } from '../../server/storage/passages.ts';
import { openDatabase, type PostgresDatabase } from '../../server/storage/postgres/database.ts';
import {
  postgresPassageIndex,
  postgresPassages,
  removePassages,
  writePassage,
} from '../../server/storage/postgres/passages.ts';
import { complete, openCorpus, type Published } from '../knowledge/corpus.ts';
import { migratedDatabase, type TestDatabase } from '../support/cluster/databases.ts';

let target: TestDatabase;
let database: PostgresDatabase;
let passages: (workspaceId: string) => Passages;

beforeAll(async () => {
  target = await migratedDatabase();
  database = openDatabase({ url: target.url, poolMax: 8, pooler: 'direct', waitMillis: 5_000 });
  passages = postgresPassages(database);
});

afterAll(async () => {
  await database.close();
  await target.drop();
});

const publish = (workspaceId: string, ...variants: readonly Published[]) =>
  database.write(workspaceId, async (tx) => {
    for (const variant of variants) await writePassage(tx, workspaceId, indexPassage(complete(variant)));
  });
const remove = (workspaceId: string, articleId: string, locale?: string) =>
  database.write(workspaceId, (tx) => removePassages(tx, workspaceId, articleId, locale));

const printer = {
  articleId: 'printer',
  locale: 'en',
  title: 'Set up a printer',
  answer: 'Open the settings. Choose Printers and add yours.',
  aliases: ['hardcopy'],
  url: 'https://help.example/printer',
};

const toTerms = (text: string, locale = 'en') =>
  getQueryWords(text, locale).map(({ hash }) => ({ term: hash, weight: 1 }));

async function articlesWith(workspaceId: string, text: string, locale = 'en') {
  const found = await passages(workspaceId).candidates(locale, toTerms(text, locale), 50);
  return found.map(({ articleId }) => articleId).sort();
}

const rowsLeft = async () =>
  (
    await target.query<{ rows: number }>(
      ['passages', 'passage_chunks', 'passage_words', 'passage_terms', 'passage_partitions']
        .map((table) => `SELECT count(*)::int AS rows FROM guidepost.${table}`)
        .join(' UNION ALL '),
    )
  ).map(({ rows }) => rows);

describe('passages on PostgreSQL', () => {
  beforeEach(() =>
    target.query(
      'SET search_path = guidepost; DELETE FROM passage_chunks; DELETE FROM passages; DELETE FROM passage_words; DELETE FROM passage_terms; DELETE FROM passage_partitions',
    ),
  );

  it('returns passages exactly as published', async () => {
    const translated = {
      ...printer,
      locale: 'de',
      translationId: 'tr_1',
      title: 'Drucker',
      stale: true,
      revision: 4,
    };
    await publish('w1', printer, translated);
    const live = await passages('w1').liveVariants(['printer']);
    expect(live.map(({ locale, source }) => [locale, source])).toEqual([
      ['de', false],
      ['en', true],
    ]);
    const loaded = await passages('w1').load(live.map(({ passageId }) => passageId));
    expect(loaded[0]).toMatchObject({ ...translated, slug: 'printer', sourceRevision: 1 });
    expect(loaded[1]).toMatchObject({ ...printer, stale: false, revision: 1 });
    expect(loaded[1]).not.toHaveProperty('translationId');
    expect(loaded[1]!.chunks[0]).toEqual(indexPassage(complete(printer)).chunks[0]!.normalized);
  });

  it('neither finds nor loads passages of another workspace', async () => {
    await publish('w1', printer);
    await publish('w2', { ...printer, articleId: 'theirs' });
    expect(await articlesWith('w2', 'printers settings choose')).toEqual(['theirs']);
    const [mine] = await passages('w1').liveVariants(['printer']);
    expect(await passages('w2').liveVariants(['printer'])).toEqual([]);
    expect(await passages('w2').load([mine!.passageId])).toEqual([]);
    expect(await passages('w3').partitions()).toEqual([]);
    expect(await passages('w3').termCounts('en', [toTerms('printers')[0]!.term])).toEqual([]);
  });

  it('leaves nothing of the old revision after a new one replaces it', async () => {
    await publish('w1', printer);
    const [before] = await passages('w1').liveVariants(['printer']);
    await publish('w1', { ...printer, answer: 'Plug it in.', aliases: [], revision: 2 });
    expect(await articlesWith('w1', 'choose yours hardcopy')).toEqual([]);
    expect(await articlesWith('w1', 'plug')).toEqual(['printer']);
    const [partition] = await passages('w1').partitions();
    expect(partition).toMatchObject({ articles: 1, sources: 1, chunks: 1, sentences: 1, words: 3 });
    expect(await passages('w1').load([before!.passageId])).toEqual([]);
    await remove('w1', 'printer');
    expect(await rowsLeft()).toEqual([0, 0, 0, 0, 0]);
  });

  it('removes one language without the others', async () => {
    await publish('w1', printer, { ...printer, locale: 'de', translationId: 'tr_1' });
    await remove('w1', 'printer', 'de');
    expect((await passages('w1').partitions()).map(({ locale }) => locale)).toEqual(['en']);
    expect(await articlesWith('w1', 'settings')).toEqual(['printer']);
    await remove('w1', 'printer');
    expect(await rowsLeft()).toEqual([0, 0, 0, 0, 0]);
  });

  it('renews passages in place of the old ones, except those that were published meanwhile', async () => {
    const index = postgresPassageIndex(database);
    await publish('w1', printer);
    await publish('w2', printer);
    const [theirs, mine] = await index.before(Number.MAX_SAFE_INTEGER, 10);
    expect([theirs!.workspaceId, mine!.workspaceId]).toEqual(['w2', 'w1']);
    await publish('w2', { ...printer, answer: 'Plug it in.' });
    const { titles, chunks } = indexPassage(
      complete({ ...printer, answer: 'Renewed by another tokenizer.' }),
    );
    const renewed = [theirs!, mine!].map(({ passageId }) => ({ passageId, titles, chunks }));
    await index.renew(renewed, { tokenizer: 'next', downTo: mine!.passageId });
    expect(await articlesWith('w1', 'tokenizer')).toEqual(['printer']);
    expect(await articlesWith('w2', 'tokenizer')).toEqual([]);
    expect(await index.state()).toEqual({ renewal: { tokenizer: 'next', downTo: mine!.passageId } });
    await index.finish('next');
    expect(await index.state()).toEqual({ tokenizer: 'next' });
  });
});

describe('the search on PostgreSQL', () => {
  const articles = readFileSync(
    new URL('../../server/demo/knowledge/gnome-help.jsonl', import.meta.url),
    'utf8',
  )
    .trim()
    .split('\n')
    .slice(0, 100)
    .map((line) => JSON.parse(line) as Article);
  const variants = articles.flatMap(toVariants);
  const corpus = openCorpus();
  afterAll(() => corpus.close());

  it('finds the same articles as SQLite, with the same scores', async () => {
    corpus.publish('w4', ...variants);
    await publish('w4', ...variants);
    const here = createRetriever({ passages });
    const there = createRetriever({ passages: corpus.passages });
    const questions = variants
      .filter((_, at) => at % 17 === 0)
      .flatMap(({ locale, title, answer }) => [
        { locale, question: title },
        { locale, question: answer.slice(0, 90) },
      ]);
    expect(questions.length).toBeGreaterThan(50);
    for (const { locale, question } of questions) {
      const request = { workspaceId: 'w4', question, acceptLanguage: locale };
      const [found, expected] = await Promise.all([here.retrieve(request), there.retrieve(request)]);
      const toHits = ({ results }: typeof found) =>
        results.map(({ articleId, contentLocale, score, sentences }) => ({
          articleId,
          contentLocale,
          score,
          sentences,
        }));
      expect(toHits(found), question).toEqual(toHits(expected));
    }
  });
});

type Text = Pick<PublishedVariant, 'locale' | 'title' | 'answer'> & { aliases?: readonly string[] };
type Article = Text & { slug: string; translations?: readonly Text[] };

function toVariants({ slug, translations = [], ...source }: Article): Published[] {
  return [source, ...translations].map(({ locale, title, answer, aliases = [] }, at) => ({
    ...{ articleId: slug, locale, title, answer, aliases },
    ...(at === 0 ? {} : { translationId: `tr_${slug}_${locale}` }),
  }));
}
