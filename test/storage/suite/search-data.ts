import { describe, expect, it } from 'vitest';
import { indexText } from '../../../server/knowledge/search/indexing.ts';
import type { PassageToEmbed } from '../../../server/storage/embeddings.ts';
import { article, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

const BY = { actor: 'operator', atMillis: MORNING };
const BUILD = { fingerprint: 'one', version: '1' };
const GERMAN = { from: 'en', to: 'de', content: Uint8Array.of(1, 2, 3) };
const SYNONYMS = { from: 'en', to: 'en', content: Uint8Array.of(4), spellings: '{"1":"parcel"}' };

export function describeDictionaries(subject: () => Subject): void {
  const own = () => subject().store.in(subject().here).dictionaries;
  const others = () => subject().store.in(subject().there).dictionaries;
  const outdated = () => subject().store.dictionaryBuilds.outdated('1');

  async function importHere(...translated: Parameters<typeof article>[]): Promise<void> {
    const { store, here } = subject();
    await store.in(here).articles.import(
      translated.map((parts) => article(...parts)),
      BY,
    );
  }

  describe('dictionaries', () => {
    it('returns stored dictionaries, also after a restart', async () => {
      await own().put(GERMAN);
      await own().put(SYNONYMS);
      await subject().reopen();
      expect(await own().list()).toEqual([
        { from: 'en', to: 'de' },
        { from: 'en', to: 'en' },
      ]);
      expect([...(await own().find('en', 'de'))!]).toEqual([1, 2, 3]);
      expect(await own().find('de', 'en')).toBeUndefined();
      expect(await own().findSpellings('en')).toBe(SYNONYMS.spellings);
      expect(await own().findSpellings('de')).toBeUndefined();
    });

    it('keeps only the dictionaries of the newest build', async () => {
      await own().put(GERMAN);
      await own().put({ ...GERMAN, content: Uint8Array.of(9) });
      await own().put(SYNONYMS);
      await own().finish(BUILD, [GERMAN]);
      expect(await own().list()).toEqual([{ from: 'en', to: 'de' }]);
      expect([...(await own().find('en', 'de'))!]).toEqual([9]);
    });

    it('reads and removes nothing of another workspace', async () => {
      await own().put(SYNONYMS);
      await others().finish(BUILD, []);
      expect(await others().list()).toEqual([]);
      expect(await others().find('en', 'en')).toBeUndefined();
      expect(await others().findSpellings('en')).toBeUndefined();
      expect(await own().list()).toHaveLength(1);
    });

    it('stores nothing in a removed workspace', async () => {
      const { store, here } = subject();
      await store.workspaces.remove(here, MORNING);
      await own().put(GERMAN);
      await own().finish(BUILD, [GERMAN]);
      expect(await own().list()).toEqual([]);
      expect(await outdated()).toEqual([]);
    });

    it('lists workspaces with translations until a build of their current texts is recorded', async () => {
      const { here, store } = subject();
      await importHere(['refunds', { answer: 'Five days.' }]);
      expect(await outdated()).toEqual([]);
      await importHere(['returns', { answer: 'Send it back.' }, { de: { answer: 'Senden Sie es zurück.' } }]);
      const [first] = await outdated();
      expect(first).toMatchObject({ workspaceId: here, locales: 2 });
      await own().finish({ fingerprint: first!.fingerprint, version: '1' }, []);
      expect(await outdated()).toEqual([]);
      expect(await store.dictionaryBuilds.outdated('2')).toEqual([first]);
      await importHere([
        'returns',
        { answer: 'Send it back.' },
        { de: { answer: 'Schicken Sie es uns zurück.' } },
      ]);
      expect((await outdated())[0]!.fingerprint).not.toBe(first!.fingerprint);
    });

    it('returns articles with their translations, page by page', async () => {
      await importHere(
        ['a', { answer: 'One.' }, { de: { answer: 'Eins.' }, fr: { answer: 'Un.' } }],
        ['b', { answer: 'Two.' }],
        ['c', { answer: 'Three.' }, { de: { answer: 'Drei.' } }],
      );
      const first = await own().articleIds(2);
      const rest = await own().articleIds(2, first.at(-1));
      expect([first.length, rest.length]).toEqual([2, 1]);
      const read = await own().parallelArticles([...first, ...rest]);
      expect(
        read.map(({ source, translations }) => [source.answer, ...translations.map(({ answer }) => answer)]),
      ).toEqual([
        ['One.', 'Eins.', 'Un.'],
        ['Three.', 'Drei.'],
      ]);
      expect(await others().articleIds(10)).toEqual([]);
      expect(await others().parallelArticles(first)).toEqual([]);
    });

    it('leaves out translations of an earlier text', async () => {
      await importHere(['a', { answer: 'One.' }, { de: { answer: 'Eins.' } }]);
      await importHere(['a', { answer: 'One or two.' }]);
      expect(await own().parallelArticles(await own().articleIds(10))).toEqual([]);
    });
  });
}

const VECTORS = { dimensions: 2, vectors: Uint8Array.of(1, 2, 3, 4, 5, 6) };

export function describeEmbeddings(subject: () => Subject): void {
  const own = () => subject().store.in(subject().here).embeddings;
  const others = () => subject().store.in(subject().there).embeddings;
  const listAfter = async (passageId: number, model = 'm') => {
    const range = { above: passageId, below: Number.MAX_SAFE_INTEGER };
    return subject().store.embeddingIndex.newest(range, 100, model);
  };
  /** Oldest first. */
  const list = async (model = 'm') => (await listAfter(0, model)).toReversed();

  async function importHere(...slugs: string[]): Promise<readonly PassageToEmbed[]> {
    const { store, here } = subject();
    await store.in(here).articles.import(
      slugs.map((slug) => article(slug, { answer: `About ${slug}.` })),
      BY,
    );
    return list();
  }

  const put = ({ passageId, articleId, locale }: PassageToEmbed, contentHash = 'h') =>
    own().put({ passageId, articleId, locale, model: 'm', contentHash, ...VECTORS });

  describe('embeddings', () => {
    it('are listed in pages as they were stored, also after a restart', async () => {
      const passages = await importHere('a', 'b', 'c');
      for (const passage of passages) await put(passage);
      await subject().reopen();
      const first = await own().list('m', 2);
      const rest = await own().list('m', 2, first.at(-1));
      expect([...first, ...rest].map(({ passageId }) => passageId)).toEqual(
        passages.map(({ passageId }) => passageId),
      );
      expect([...first[0]!.vectors]).toEqual([...VECTORS.vectors]);
      expect(await own().list('another', 2)).toEqual([]);
      expect(await own().count('m')).toBe(3);
    });

    it('are for sources alone, the newest of a range first', async () => {
      const passages = await importHere('a', 'b', 'c');
      const { store, here } = subject();
      const translated = article('d', { answer: 'About d.' }, { de: { answer: 'Von d.' } });
      await store.in(here).articles.import([translated], BY);
      expect((await list()).map(({ locale }) => locale)).toEqual(['en', 'en', 'en', 'en']);
      expect(await store.embeddingIndex.progress('m')).toEqual({ passages: 4, embedded: 0 });
      const [above, between, below] = passages.map(({ passageId }) => passageId) as [number, number, number];
      expect(await store.embeddingIndex.newest({ above, below }, 9, 'm')).toMatchObject([
        { passageId: between },
      ]);
      expect(await store.embeddingIndex.newest({ above: 0, below }, 1, 'm')).toMatchObject([
        { passageId: between },
      ]);
    });

    it('are missing for a passage that replaced another, until they are kept or stored', async () => {
      const [passage] = await importHere('a');
      expect(passage).toMatchObject({ workspaceId: subject().here, isEmbedded: false });
      await put(passage!, 'first');
      expect(await list()).toMatchObject([{ isEmbedded: true, contentHash: 'first' }]);
      expect(await list('another')).toEqual([passage]);
      const { store, here } = subject();
      await store.in(here).articles.import([article('a', { answer: 'Something else.' })], BY);
      const [replaced] = await list();
      expect(replaced).toMatchObject({ isEmbedded: false, contentHash: 'first' });
      expect(await own().list('m', 9)).toEqual([]);
      await own().keep(replaced!.articleId, replaced!.locale, replaced!.passageId);
      expect(await own().list('m', 9)).toHaveLength(1);
      expect(await listAfter(replaced!.passageId)).toEqual([]);
    });

    it('are neither read nor written by another workspace', async () => {
      const [passage] = await importHere('a');
      const { passageId, articleId, locale } = passage!;
      await others().put({ passageId, articleId, locale, model: 'm', contentHash: 'h', ...VECTORS });
      expect(await list()).toMatchObject([{ isEmbedded: false }]);
      await put(passage!);
      expect([await others().list('m', 9), await others().count('m')]).toEqual([[], 0]);
    });

    it('are removed with what is no longer published', async () => {
      const { store, here } = subject();
      const [passage] = await importHere('a', 'b');
      await put(passage!);
      expect(await store.embeddingIndex.progress('m')).toEqual({ passages: 2, embedded: 1 });
      const audit = { id: 'aud_1', actor: 'test', action: 'article.deleted', atMillis: 1, details: {} };
      await store
        .in(here)
        .articles.remove(passage!.articleId, MORNING, { ...audit, subject: passage!.articleId });
      expect(await own().count('m')).toBe(0);
      expect(await store.embeddingIndex.removeUnpublished(9)).toBe(0);
    });

    it('are not stored in a removed workspace', async () => {
      const { store, here } = subject();
      const [passage] = await importHere('a');
      await store.workspaces.remove(here, MORNING);
      await put(passage!);
      expect(await own().count('m')).toBe(0);
      expect(await list()).toEqual([]);
    });

    it('count their tokens apart from those of the language model', async () => {
      const { embeddingMonths, tokenMonths } = subject().store.in(subject().here);
      await embeddingMonths.reserve('2026-11', () => 70);
      expect([await embeddingMonths.used('2026-11'), await tokenMonths.used('2026-11')]).toEqual([70, 0]);
    });
  });
}

const FIRST = Number.MAX_SAFE_INTEGER;

export function describePassageIndex(subject: () => Subject): void {
  const index = () => subject().store.passageIndex;

  async function fill(): Promise<void> {
    const { store, here, there } = subject();
    for (const id of [here, there]) {
      await store
        .in(id)
        .articles.import(
          [article('refunds', { answer: 'Five days.' }, { de: { answer: 'Fünf Tage.' } })],
          BY,
        );
    }
  }

  describe('passage index', () => {
    it('has no tokenizer before one is set', async () => {
      expect(await index().state()).toEqual({});
      await index().finish('one');
      expect(await index().state()).toEqual({ tokenizer: 'one' });
    });

    it('lists every passage of every workspace once while reindexing', async () => {
      await fill();
      const seen: string[] = [];
      let some = await index().before(FIRST, 3);
      while (some.length > 0) {
        const downTo = some.at(-1)!.passageId;
        seen.push(...some.map(({ workspaceId, variant }) => `${workspaceId} ${variant.locale}`));
        const renewed = some.map(({ passageId, variant }) => ({ passageId, ...indexText(variant) }));
        await index().renew(renewed, { tokenizer: 'two', downTo });
        expect(await index().state()).toEqual({ renewal: { tokenizer: 'two', downTo } });
        some = await index().before(downTo, 3);
      }
      const { here, there } = subject();
      expect(seen.toSorted()).toEqual([here, there].flatMap((id) => [`${id} de`, `${id} en`]).toSorted());
      await index().finish('two');
      expect(await index().state()).toEqual({ tokenizer: 'two' });
      expect(await index().before(FIRST, 10)).toHaveLength(4);
    });

    it('keeps metadata changed during reindexing, and skips republished passages', async () => {
      await fill();
      const { store, here } = subject();
      const some = await index().before(FIRST, 10);
      await store.in(here).articles.import([article('refunds', { answer: 'Two days.' })], BY);
      await index().renew(
        some.map(({ passageId, variant }) => ({ passageId, ...indexText(variant) })),
        { tokenizer: 'two', downTo: 1 },
      );
      const after = (await index().before(FIRST, 10)).filter(({ workspaceId }) => workspaceId === here);
      expect(after.map(({ variant }) => [variant.locale, variant.answer, variant.stale]).toSorted()).toEqual([
        ['de', 'Fünf Tage.', true],
        ['en', 'Two days.', false],
      ]);
    });
  });
}
