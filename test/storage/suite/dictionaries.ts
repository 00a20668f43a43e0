import { describe, expect, it } from 'vitest';
import { article, MORNING } from '../samples.ts';
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
    it('returns what was put, also after a restart', async () => {
      await own().put(GERMAN);
      await own().put(SYNONYMS);
      await subject().reopen();
      expect(await own().list()).toStrictEqual([
        { from: 'en', to: 'de' },
        { from: 'en', to: 'en' },
      ]);
      expect([...(await own().find('en', 'de'))!]).toStrictEqual([1, 2, 3]);
      expect(await own().find('de', 'en')).toBeUndefined();
      expect(await own().findSpellings('en')).toBe(SYNONYMS.spellings);
      expect(await own().findSpellings('de')).toBeUndefined();
    });

    it('keeps after a build only what it put', async () => {
      await own().put(GERMAN);
      await own().put({ ...GERMAN, content: Uint8Array.of(9) });
      await own().put(SYNONYMS);
      await own().finish(BUILD, [GERMAN]);
      expect(await own().list()).toStrictEqual([{ from: 'en', to: 'de' }]);
      expect([...(await own().find('en', 'de'))!]).toStrictEqual([9]);
    });

    it('reads and removes nothing of another workspace', async () => {
      await own().put(SYNONYMS);
      await others().finish(BUILD, []);
      expect(await others().list()).toStrictEqual([]);
      expect(await others().find('en', 'en')).toBeUndefined();
      expect(await others().findSpellings('en')).toBeUndefined();
      expect(await own().list()).toHaveLength(1);
    });

    it('puts nothing into a removed workspace', async () => {
      const { store, here } = subject();
      await store.workspaces.remove(here, MORNING);
      await own().put(GERMAN);
      await own().finish(BUILD, [GERMAN]);
      expect(await own().list()).toStrictEqual([]);
      expect(await outdated()).toStrictEqual([]);
    });

    it('lists workspaces with translations until a build of their current texts is recorded', async () => {
      const { here, store } = subject();
      await importHere(['refunds', { answer: 'Five days.' }]);
      expect(await outdated()).toStrictEqual([]);
      await importHere(['returns', { answer: 'Send it back.' }, { de: { answer: 'Senden Sie es zurück.' } }]);
      const [first] = await outdated();
      expect(first).toMatchObject({ workspaceId: here, locales: 2 });
      await own().finish({ fingerprint: first!.fingerprint, version: '1' }, []);
      expect(await outdated()).toStrictEqual([]);
      expect(await store.dictionaryBuilds.outdated('2')).toStrictEqual([first]);
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
      expect([first.length, rest.length]).toStrictEqual([2, 1]);
      const read = await own().parallelArticles([...first, ...rest]);
      expect(
        read.map(({ source, translations }) => [source.answer, ...translations.map(({ answer }) => answer)]),
      ).toStrictEqual([
        ['One.', 'Eins.', 'Un.'],
        ['Three.', 'Drei.'],
      ]);
      expect(await others().articleIds(10)).toStrictEqual([]);
      expect(await others().parallelArticles(first)).toStrictEqual([]);
    });

    it('leaves out translations of an earlier text', async () => {
      await importHere(['a', { answer: 'One.' }, { de: { answer: 'Eins.' } }]);
      await importHere(['a', { answer: 'One or two.' }]);
      expect(await own().parallelArticles(await own().articleIds(10))).toStrictEqual([]);
    });
  });
}
