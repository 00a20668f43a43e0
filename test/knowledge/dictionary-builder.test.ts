import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLoadedDictionaries } from '../../server/knowledge/dictionary/dictionaries.ts';
import { importSeeds } from '../fixtures/seeds.ts';
import type { Harness } from '../harness.ts';
import { openHarness } from '../harness.ts';
import { articles, toWord } from './parallel-articles.ts';

const MINUTE = 60_000;
const translated = articles.map(({ source, translations }, at) => ({
  ...source,
  slug: `thing-${at}`,
  translations: translations.map((text) => ({ ...text })),
}));

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness({ articles: [] });
});
afterEach(() => harness.close());

const open = (workspaceId = harness.workspace.id) =>
  createLoadedDictionaries(harness.service.store.in).get(workspaceId);

/** Lets the time pass in which changes settle, and waits for the build. */
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
      await stored.remove(id, audit);
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

  it('learns again when a release has changed how it learns', async () => {
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
    const kept = await small.get(other.id);
    expect(await small.get(other.id)).toBe(kept);
    expect(await small.get(harness.workspace.id)).not.toBe(evicted);
  });
});
