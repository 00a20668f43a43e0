import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createLoadedDictionaries,
  type Dictionary,
  decodeWordTable,
  encodeWordTable,
  openDictionary,
} from '../../server/knowledge/dictionary/dictionary.ts';
import { findSpelledSynonyms, findSynonyms } from '../../server/knowledge/dictionary/synonyms.ts';
import { alignSentences, createTrainer } from '../../server/knowledge/dictionary/train.ts';
import type { ParallelArticle, StoredDictionary } from '../../server/storage/dictionaries.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { importSeeds } from '../support/seeds.ts';
import { articles, toWord } from './parallel-articles.ts';

const MINUTE = 60_000;
const translated = articles.map(({ source, translations }, at) => ({
  ...source,
  slug: `thing-${at}`,
  translations: translations.map((text) => ({ ...text })),
}));

describe('dictionaries of a workspace', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness({ articles: [] });
  });
  afterEach(() => harness.close());

  const open = (workspaceId = harness.workspace.id) =>
    createLoadedDictionaries(harness.service.store.in).get(workspaceId);

  /** Advances the clock until the build is due, and waits for it. */
  async function settle(): Promise<void> {
    for (let check = 0; check < 2; check += 1) {
      harness.clock.advance(10 * MINUTE);
      await harness.service.tick();
    }
  }

  async function knows(workspaceId?: string): Promise<boolean> {
    const dictionary = await open(workspaceId);
    return dictionary
      .lookUp('de', 'en', toWord('paket', 'de'))
      .some(({ hash }) => hash === toWord('parcel', 'en'));
  }

  const builds = () => harness.logged.filter(({ msg }) => msg === 'dictionaries learned');

  describe('building dictionaries', () => {
    it('learns after translations were imported, once they have settled', async () => {
      await importSeeds(harness.service.store, harness.workspace.id, translated);
      await harness.service.tick();
      expect(builds()).toStrictEqual([]);
      await settle();
      expect(await knows()).toBe(true);
      expect(builds()).toMatchObject([{ workspaceId: harness.workspace.id, dictionaries: 10 }]);
      await settle();
      expect(builds()).toHaveLength(1);
    });

    it('learns again after a change', async () => {
      const { store } = harness.service;
      await importSeeds(store, harness.workspace.id, translated);
      await settle();
      const lampa = toWord('lampa', 'sv');
      expect((await open()).lookUp('sv', 'en', lampa)).toStrictEqual([]);
      const swedish = { locale: 'sv', title: 'lampa', answer: 'Laga lampa.\nSkriv lampa.' };
      const answer = 'Repair lamp.\nPrint lamp.';
      const article = { slug: 'lamp', locale: 'en', title: 'lamp', answer, translations: [swedish] };
      await importSeeds(store, harness.workspace.id, [article]);
      await settle();
      expect((await open()).lookUp('sv', 'en', lampa)[0]!.hash).toBe(toWord('lamp', 'en'));
    });

    it('forgets translations that were unpublished', async () => {
      const { store } = harness.service;
      await importSeeds(store, harness.workspace.id, translated);
      await settle();
      const { articles: stored, dictionaries } = store.in(harness.workspace.id);
      for (const { id } of await stored.list(100)) {
        const audit = {
          id: `aud_${id}`,
          actor: 'test',
          action: 'article.deleted',
          atMillis: 1,
          subject: id,
          details: {},
        };
        await stored.remove(id, audit.atMillis, audit);
      }
      await settle();
      expect(await dictionaries.list()).toStrictEqual([]);
      expect((await open()).has('de', 'en')).toBe(false);
    });

    it('never serves the words of another workspace', async () => {
      const other = await harness.addWorkspace({ allowedOrigins: [] });
      await importSeeds(harness.service.store, other.id, translated);
      await settle();
      expect(await knows(other.id)).toBe(true);
      expect(await knows()).toBe(false);
      expect((await open()).has('de', 'en')).toBe(false);
    });

    it('survives a restart without learning again', async () => {
      await importSeeds(harness.service.store, harness.workspace.id, translated);
      await settle();
      harness = await harness.restart();
      await settle();
      expect(await knows()).toBe(true);
      expect(builds()).toStrictEqual([]);
    });

    it('learns again when a release has changed the algorithm', async () => {
      const { store } = harness.service;
      await importSeeds(store, harness.workspace.id, translated);
      await settle();
      const { dictionaries } = store.in(harness.workspace.id);
      await dictionaries.finish({ fingerprint: 'same', version: '0' }, []);
      harness = await harness.restart();
      expect(await knows()).toBe(false);
      await settle();
      expect(await knows()).toBe(true);
    });

    it('learns nothing for a workspace that has one language', async () => {
      const english = translated.map(({ translations: _, ...rest }) => rest);
      await importSeeds(harness.service.store, harness.workspace.id, english);
      await settle();
      expect(builds()).toStrictEqual([]);
    });

    it('ends a build when the service closes', async () => {
      await importSeeds(harness.service.store, harness.workspace.id, translated);
      harness.clock.advance(10 * MINUTE);
      await harness.service.tick();
      harness.clock.advance(10 * MINUTE);
      const tick = harness.service.tick();
      harness = await harness.restart();
      await tick;
      await settle();
      expect(await knows()).toBe(true);
    });
  });

  describe('loaded dictionaries', () => {
    it('are shared until they are dropped, and evicted above the memory limit', async () => {
      const { store } = harness.service;
      const other = await harness.addWorkspace({ allowedOrigins: [] });
      for (const { id } of [harness.workspace, other]) await importSeeds(store, id, translated);
      await settle();
      const loaded = createLoadedDictionaries(store.in);
      const first = await loaded.get(harness.workspace.id);
      expect(await loaded.get(harness.workspace.id)).toBe(first);
      loaded.drop(harness.workspace.id);
      expect(await loaded.get(harness.workspace.id)).not.toBe(first);

      const small = createLoadedDictionaries(store.in, 1);
      const evicted = await small.get(harness.workspace.id);
      const cached = await small.get(other.id);
      expect(await small.get(other.id)).toBe(cached);
      expect(await small.get(harness.workspace.id)).not.toBe(evicted);
    });
  });
});

function train(corpus: readonly ParallelArticle[], pairCount = 2): StoredDictionary[] {
  const trainer = createTrainer(pairCount);
  for (const article of corpus) trainer.add(article);
  return trainer.finish();
}

const open = (tables: readonly StoredDictionary[]): Dictionary =>
  openDictionary(tables.map(({ content, ...rest }) => ({ ...rest, table: decodeWordTable(content) })));

const best = (dictionary: Dictionary, from: string, to: string, word: string) =>
  dictionary.lookUp(from, to, toWord(word, from))[0]?.hash;

describe('training', () => {
  const tables = train(articles);
  const dictionary = open(tables);

  it.each([
    ['en', 'de', 'parcel', 'paket'],
    ['de', 'en', 'rechnung', 'invoice'],
    ['en', 'fr', 'invoice', 'facture'],
    ['fr', 'en', 'clé', 'key'],
    ['en', 'ja', 'parcel', '荷物'],
  ])('learns from %s to %s that %s means %s', (from, to, word, meaning) => {
    expect(best(dictionary, from, to, word)).toBe(toWord(meaning, to));
  });

  it('translates between two translations by way of the source language', () => {
    expect(dictionary.has('de', 'fr')).toBe(true);
    expect(best(dictionary, 'de', 'fr', 'rechnung')).toBe(toWord('facture', 'fr'));
  });

  it('returns weights of at most one in total', () => {
    for (const { from, to } of tables) {
      for (const word of ['parcel', 'paket', 'facture', 'package', 'print']) {
        const alternatives = dictionary.lookUp(from, to, toWord(word, from));
        const sum = alternatives.reduce((total, { weight }) => total + weight, 0);
        expect(sum).toBeLessThanOrEqual(1);
        for (const { weight } of alternatives) expect(weight).toBeGreaterThan(0);
      }
    }
  });

  it('finds words that share translations as synonyms', () => {
    expect(best(dictionary, 'en', 'en', 'parcel')).toBe(toWord('package', 'en'));
    const spellings = tables.find(({ from, to }) => from === 'en' && to === 'en')!.spellings!;
    expect(findSpelledSynonyms(spellings, toWord('parcel', 'en'))[0]).toStrictEqual({
      spelling: 'package',
      evidence: ['de', 'fr', 'ja'],
    });
    expect(findSpelledSynonyms(spellings, toWord('helicopter', 'en'))).toStrictEqual([]);
  });

  it('finds no synonyms of function words, and none that share a stem', () => {
    const vocabulary = {
      spell: (word: number) => ['the', 'use', 'used', 'apply'][word],
      isFunctionWord: (word: number) => word === 0,
    };
    const all = [0, 1, 2, 3].map((hash) => ({ hash, weight: 0.25 }));
    const toPivot = [0, 1].map((word) => ({ word, alternatives: [{ hash: 9, weight: 1 }] }));
    const partner = { locale: 'de', toPivot, fromPivot: [{ word: 9, alternatives: all }] };
    const evidence = ['de'];
    expect(findSynonyms([partner], vocabulary)).toStrictEqual([
      { word: 1, synonyms: [{ word: 3, probability: 0.25 / 3, evidence }] },
    ]);
  });

  it('looks up another region of a language that it knows', () => {
    expect(best(dictionary, 'de-CH', 'en-GB', 'paket')).toBe(toWord('parcel', 'en'));
  });

  it('returns nothing for an unknown word or language', () => {
    expect(dictionary.lookUp('en', 'de', toWord('helicopter', 'en'))).toStrictEqual([]);
    expect(dictionary.lookUp('en', 'sv', toWord('parcel', 'en'))).toStrictEqual([]);
    expect(dictionary.has('en', 'sv')).toBe(false);
  });

  it('learns nothing from untranslated sentences', () => {
    const english = articles.map(({ source }) => ({ source, translations: [{ ...source, locale: 'de' }] }));
    const untranslated = open(train(english, 1));
    expect(untranslated.lookUp('en', 'de', toWord('repair', 'en'))).toStrictEqual([]);
  });

  it('learns the same, whichever of two languages is the source', () => {
    const swapped = articles.map(({ source, translations: [german] }) => ({
      source: german!,
      translations: [source],
    }));
    const original = articles.map(({ source, translations: [german] }) => ({
      source,
      translations: [german!],
    }));
    expect(train(swapped, 1)).toStrictEqual(train(original, 1));
  });

  it('stores at most 20,000 words of a language', () => {
    const trainer = createTrainer(1);
    for (let at = 0; at < 21_000; at += 1) {
      const text = { title: `w${at} x`, answer: '-', aliases: [] };
      trainer.add({ source: { ...text, locale: 'en' }, translations: [{ ...text, locale: 'de' }] });
    }
    for (const { content } of trainer.finish()) {
      expect(decodeWordTable(content).words).toBeLessThanOrEqual(20_000);
      expect(content.byteLength).toBeLessThan(1_000_000);
    }
  });

  it('stops collecting sentences when it has enough of them', () => {
    const trainer = createTrainer(3);
    for (const article of articles) trainer.add(article);
    expect(trainer.isFull()).toBe(false);
    const words = Array.from({ length: 99 }, (_, at) => `w${at}`).join(' ');
    const answer = Array.from({ length: 900 }, () => words).join('\n');
    const translations = ['de', 'fr', 'ja'].map((locale) => ({
      locale,
      title: 'x',
      answer: answer.replaceAll('w', 'v'),
      aliases: [],
    }));
    trainer.add({ source: { locale: 'en', title: 'x', answer, aliases: [] }, translations });
    expect(trainer.isFull()).toBe(true);
  });
});

describe('aligning sentences', () => {
  const sentence = (units: number, ...words: number[]) => ({ units, words });

  it('pairs sentences by position where lines have equally many', () => {
    const source = [[sentence(10, 1)], [sentence(50, 2), sentence(20, 3)]];
    const translation = [[sentence(30, 4)], [sentence(5, 5), sentence(80, 6)]];
    expect(alignSentences(source, translation)).toStrictEqual([
      [[1], [4]],
      [[2], [5]],
      [[3], [6]],
    ]);
  });

  it('joins two sentences that became one', () => {
    const source = [[sentence(100, 1), sentence(40, 2), sentence(60, 3), sentence(90, 4)]];
    const translation = [[sentence(105, 5), sentence(102, 6), sentence(88, 7)]];
    expect(alignSentences(source, translation)).toStrictEqual([
      [[1], [5]],
      [[2, 3], [6]],
      [[4], [7]],
    ]);
  });

  it('leaves out a sentence that was not translated', () => {
    const lengths = [100, 30, 220, 80, 150, 60, 190, 40, 120];
    const source = lengths.map((units, at) => [sentence(units, at)]);
    const expected = lengths.map((_, at) => [[at], [at]]).toSpliced(2, 1);
    expect(alignSentences(source, source.toSpliced(2, 1))).toStrictEqual(expected);
  });

  it('gives up on very long texts whose lines do not correspond', () => {
    const lines = Array.from({ length: 2_000 }, (_, at) => [sentence(10, at)]);
    expect(alignSentences(lines, lines.slice(1))).toStrictEqual([]);
    expect(alignSentences(lines, lines)).toHaveLength(2_000);
  });
});

describe('word tables', () => {
  it('returns what was stored, at any memory alignment', () => {
    const entries = [
      {
        word: 7,
        alternatives: [
          { hash: -3, weight: 0.75 },
          { hash: 4, weight: 0.25 },
        ],
      },
      { word: -9, alternatives: [{ hash: 12, weight: 1 }] },
    ];
    const content = encodeWordTable(entries);
    const shifted = new Uint8Array(content.length + 1);
    shifted.set(content, 1);
    for (const table of [decodeWordTable(content), decodeWordTable(shifted.subarray(1))]) {
      expect(table.words).toBe(2);
      expect(table.lookUp(-9)).toStrictEqual([{ hash: 12, weight: 1 }]);
      expect(table.lookUp(7).map(({ hash }) => hash)).toStrictEqual([-3, 4]);
      expect(table.lookUp(7)[0]!.weight).toBeCloseTo(0.75, 4);
      expect(table.lookUp(8)).toStrictEqual([]);
    }
  });

  it('is empty without words', () => {
    expect(decodeWordTable(encodeWordTable([])).lookUp(1)).toStrictEqual([]);
  });
});
