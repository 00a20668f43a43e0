import { describe, expect, it } from 'vitest';
import { createHelpAddresses } from '../../server/help/addresses.ts';
import { createHelpDomains } from '../../server/help/domains.ts';
import { createHelpSites } from '../../server/help/sites.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { temporaryStore } from '../storage/temporary-store.ts';
import { clock } from '../support/harness.ts';
import { article, MORNING } from '../support/stored-samples.ts';

const by = { actor: 'mem_1', atMillis: MORNING };

async function open(enabled = true) {
  const { store, workspaceId } = await temporaryStore();
  const workspace = (await store.workspaces.find(workspaceId))!;
  const settings = { ...workspace.settings, helpCentre: { ...HELP_CENTRE_DEFAULTS, enabled } };
  const helpSites = createHelpSites({
    workspaces: { find: async () => ({ ...workspace, settings }), findByAppId: async () => undefined },
    clock,
    helpDomains: createHelpDomains({
      ...{ provedHelpDomains: store.provedHelpDomains, clock, given: new Map() },
      baseUrl: () => 'https://guide.example.com',
    }),
    isServed: () => true,
  });
  const here = store.in(workspaceId);
  const publish = async (slug: string, title: string, titles: Record<string, string> = {}) => {
    const texts = Object.entries(titles).map(([locale, text]) => [locale, { title: text, answer: 'Text.' }]);
    const imported = article(slug, { title, answer: 'Text.' }, Object.fromEntries(texts));
    const [outcome] = await here.articles.import([imported], by);
    return outcome!.articleId;
  };
  const addresses = createHelpAddresses({ store, helpSites });
  const find = (locale: string, slug: string) => addresses.find(workspaceId, locale, slug);
  const url = `https://guide.example.com/help/${workspace.appId}`;
  return { here, publish, addresses, find, url, workspaceId };
}

describe('addresses of the help centre', () => {
  it('are percent-encoded words of the title in its language', async () => {
    const { publish, addresses, url, workspaceId } = await open();
    const id = await publish('a', 'Sizes', { de: 'Größen', ar: 'المقاسات' });
    const find = (locale: string) => addresses.findUrl(workspaceId, id, locale);
    expect(await find('en')).toBe(`${url}/en/sizes`);
    expect(await find('de')).toBe(`${url}/de/gr%C3%B6%C3%9Fen`);
    expect(await find('ar')).toBe(`${url}/ar/${encodeURIComponent('المقاسات')}`);
    expect(await find('fr')).toBeUndefined();
  });

  it('do not exist while the help centre is off', async () => {
    const { publish, addresses, workspaceId } = await open(false);
    const id = await publish('a', 'Sizes');
    expect(await addresses.findUrl(workspaceId, id, 'en')).toBeUndefined();
  });

  it('lead to the article in the language of the address, or else in its own', async () => {
    const { publish, find } = await open();
    const articleId = await publish('a', 'Sizes', { de: 'Größen' });
    expect(await find('de', 'größen')).toMatchObject({ kind: 'article', articleId, contentLocale: 'de' });
    expect(await find('fr', 'sizes')).toMatchObject({ kind: 'article', articleId, contentLocale: 'en' });
    expect(await find('en', 'other')).toBeUndefined();
  });

  it('lead to the current address from an earlier one, another language and another spelling', async () => {
    const { publish, find } = await open();
    await publish('b', 'Returns', { de: 'Rückgabe' });
    await publish('b', 'Send it back', { de: 'Rückgabe' });
    const moved = (slug: string) => ({ kind: 'moved', slug });
    expect(await find('en', 'returns')).toEqual(moved('send-it-back'));
    expect(await find('de', 'returns')).toEqual(moved('rückgabe'));
    expect(await find('de', 'RÜCKGABE')).toEqual(moved('rückgabe'));
    expect(await find('fr', 'rückgabe')).toEqual(moved('send-it-back'));
  });

  it('are gone once the article is no longer published', async () => {
    const { here, publish, find } = await open();
    const articleId = await publish('a', 'Sizes');
    const stored = (await here.articles.find(articleId))!;
    await here.articles.apply({
      ...{ articleId, baseRevision: stored.revision, event: 'unpublished', status: 'unpublished' },
      ...{ content: stored.content, contentHash: stored.contentHash, searchSummary: stored.searchSummary },
      ...{ live: 'none', authorId: 'mem_1', atMillis: MORNING },
    });
    expect(await find('en', 'sizes')).toEqual({ kind: 'gone' });
  });
});
