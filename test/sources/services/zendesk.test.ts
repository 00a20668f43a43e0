import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../../contract/articles.ts';
import { type Harness, openHarness } from '../../support/harness.ts';
import { expectError } from '../../support/response.ts';
import { joinAs, type MemberClient } from '../../support/team.ts';
import { serveWebsite } from '../../support/website.ts';
import { openSource } from '../source-client.ts';
import { type FakeZendesk, type HelpCenter, serveZendesk, type ZendeskArticle } from './fake-zendesk.ts';

let harness: Harness;
let member: MemberClient;
beforeEach(async () => {
  harness = await openHarness({ articles: [] });
  member = await joinAs(harness, harness.workspace, 'owner');
});
afterEach(() => harness.close());

const RETURNS: ZendeskArticle = {
  id: 101,
  section: 1,
  labels: ['returns', 'orders'],
  translations: {
    'en-us': {
      title: 'Returning an order',
      body: '<p>You can return an order within <strong>30 days</strong>.</p><ol><li>Print the label.</li><li>Send it.</li></ol>',
    },
    de: {
      title: 'Eine Bestellung zurückgeben',
      body: '<p>Sie können eine Bestellung binnen 30 Tagen zurückgeben.</p>',
    },
  },
};
const PRICES: ZendeskArticle = {
  id: 102,
  section: 2,
  translations: {
    'en-us': { title: 'Prices of next year', body: '<p>The lamp will cost 40 euros.</p>', draft: true },
  },
};
const STAFF: ZendeskArticle = {
  id: 103,
  section: 2,
  segment: 7,
  translations: {
    'en-us': { title: 'How staff refund', body: '<p>Staff refund orders in the back office.</p>' },
  },
};
const CENTER = {
  sections: [
    { id: 1, name: 'FAQ', category_id: 11 },
    { id: 2, name: 'FAQ', category_id: 12 },
  ],
  categories: [
    { id: 11, name: 'Orders' },
    { id: 12, name: 'Products' },
  ],
};

const OAUTH = 'oauth-token-of-the-help-center';

async function connect(center: Partial<HelpCenter>, settings: Record<string, unknown> = { apiToken: OAUTH }) {
  const zendesk = await serveZendesk({
    articles: [RETURNS, PRICES, STAFF],
    ...CENTER,
    accepted: [`Bearer ${OAUTH}`],
    ...center,
  });
  const body = {
    type: 'zendesk',
    name: 'Help center',
    zendesk: { address: `${zendesk.origin}/hc/en-us` },
    ...settings,
  };
  const source = await openSource('publish', { harness, member, settings: body });
  return { zendesk, source, placeOf: toPlaces(zendesk) };
}
const toPlaces =
  ({ origin }: FakeZendesk) =>
  (id: number, locale = 'en-us') =>
    `${origin}/hc/${locale}/articles/${id}`;

const createArticles = (length: number): ZendeskArticle[] =>
  Array.from({ length }, (_, at) => ({
    id: 1000 + at,
    translations: {
      'en-us': { title: `Part ${at}`, body: `<p>This is what there is to know about part ${at}.</p>` },
    },
  }));

const listArticles = async () =>
  (await member.get<{ data: ArticleSummary[] }>('/knowledge/articles?limit=200')).json.data;

describe('a help center of Zendesk', () => {
  it('becomes articles with translations, tags, collections and addresses', async () => {
    const { source, zendesk } = await connect({});
    expect(await source.run()).toMatchObject({ state: 'done', counts: { added: 2, refused: 2 } });
    const [article, ...others] = await listArticles();
    expect(others).toStrictEqual([]);
    expect(article).toMatchObject({
      title: 'Returning an order',
      status: 'published',
      tags: ['orders', 'returns'],
    });
    const { json } = await member.get<ArticleRecord>(`/knowledge/articles/${article!.id}`);
    expect(json).toMatchObject({
      answer: 'You can return an order within **30 days**.\n\n1. Print the label.\n2. Send it.',
      url: `${zendesk.origin}/hc/en-us/articles/101-Returning-an-order`,
    });
    const { json: translations } = await member.get(`/knowledge/articles/${article!.id}/translations`);
    expect(translations).toMatchObject({ data: [{ locale: 'de', title: 'Eine Bestellung zurückgeben' }] });
    const { json: collections } = await member.get('/knowledge/collections');
    expect(collections).toMatchObject({ data: [{ name: 'Orders: FAQ' }] });
  });

  it('leaves out drafts and what a user segment alone may read, with the reason', async () => {
    const { source, placeOf } = await connect({});
    const { id } = await source.run();
    expect(await source.reasons(id)).toStrictEqual([{ reason: 'draft', count: 2 }]);
    expect((await source.items(id)).filter(({ outcome }) => outcome === 'refused')).toMatchObject([
      { place: placeOf(102), reason: 'draft', detail: 'draft: true' },
      { place: placeOf(103), reason: 'draft', detail: 'user_segment_id: 7' },
    ]);
  });

  it('unpublishes an article that becomes a draft or disappears, and changes one that changed', async () => {
    const lamp = {
      id: 104,
      translations: {
        'en-us': { title: 'Cleaning the lamp', body: '<p>Wipe the lamp with a dry cloth.</p>' },
      },
    };
    const { source, zendesk } = await connect({ articles: [RETURNS, lamp] });
    await source.run();
    const { translations } = RETURNS;
    zendesk.center.articles = [
      { ...RETURNS, translations: { ...translations, de: { ...translations.de!, draft: true } } },
      {
        ...lamp,
        translations: {
          'en-us': { title: 'Cleaning a lamp', body: '<p>Unplug the lamp first, then wipe it.</p>' },
        },
      },
    ];
    expect((await source.run()).counts).toMatchObject({ changed: 1, removed: 1, unchanged: 1, conflicts: 0 });
    zendesk.center.articles = [];
    expect((await source.run()).state).toBe('done');
    expect(await listArticles()).toMatchObject([{ status: 'unpublished' }, { status: 'unpublished' }]);
  });

  it('is read page by page, and waits when it asks for that', async () => {
    const { source, zendesk } = await connect({ articles: createArticles(250), tooMany: 2 });
    expect((await source.run()).counts).toMatchObject({ added: 250, refused: 0 });
    const lists = zendesk.requests.filter(({ path }) => path.includes('/articles.json'));
    expect(lists.map(({ path }) => /page\[after\]=(.*)$/.exec(path)?.[1])).toStrictEqual([
      undefined,
      'MTAw',
      'MjAw',
    ]);
  });
});

describe('the credential of a help center', () => {
  it('is a token of a user, or an OAuth token', async () => {
    const basic = `Basic ${Buffer.from('a@shop.example/token:secret').toString('base64')}`;
    const { source, zendesk } = await connect({ accepted: [basic] }, {});
    const settings = {
      name: 'Help',
      mode: 'publish',
      zendesk: { address: zendesk.origin, email: 'a@shop.example' },
    };
    await source.call(member.put(source.path, { ...settings, apiToken: 'secret' }));
    expect((await source.run()).state).toBe('done');
    expect(new Set(zendesk.authorizations)).toStrictEqual(new Set([basic]));
  });

  it('is never returned, and is stored sealed', async () => {
    const { source } = await connect({});
    expect(await source.read()).toMatchObject({ hasApiToken: true });
    const { text: archive } = await member.get('/export');
    const stored = await harness.service.store.in(harness.workspace.id).sources.find(source.id);
    for (const text of [JSON.stringify(await source.read()), archive, JSON.stringify(stored)])
      expect(text).not.toContain(OAUTH);
    expect(archive).not.toContain(stored!.sealedToken);
    expect(JSON.stringify(harness.logged)).not.toContain(OAUTH);
  });

  it('stays when settings change without it, and must be entered again for another address', async () => {
    const { source, zendesk } = await connect({});
    const settings = { name: 'Renamed', mode: 'publish', zendesk: { address: zendesk.origin } };
    await source.call(member.put(source.path, settings));
    expect((await source.run()).counts.refused).toBe(2);
    const elsewhere = await serveZendesk({ articles: [] });
    const moved = { ...settings, zendesk: { address: elsewhere.origin } };
    const refused = expectError(await member.put(source.path, moved), 'request/invalid');
    expect(refused.issues).toMatchObject([{ path: 'body.apiToken', code: 'missing_token' }]);
    await source.call(member.put(source.path, { ...moved, apiToken: '' }));
    expect(await source.read()).toMatchObject({ hasApiToken: false });
    expect(elsewhere.authorizations).toStrictEqual([]);
  });

  it('is not sent after a redirect', async () => {
    const elsewhere = await serveZendesk({ articles: [] });
    const site = await serveWebsite(() => ({ status: 302, headers: { location: `${elsewhere.origin}/` } }));
    const settings = { type: 'zendesk', zendesk: { address: site.origin }, apiToken: OAUTH };
    const source = await openSource('publish', { harness, member, settings });
    expect(await source.run()).toMatchObject({ failure: { reason: 'start_unreachable' } });
    expect(elsewhere.authorizations).toStrictEqual([]);
  });

  it('fails the run when it is not accepted', async () => {
    const { source, zendesk } = await connect({ accepted: [] });
    expect(await source.run()).toMatchObject({
      state: 'failed',
      failure: { reason: 'not_authorized', detail: `${zendesk.origin} (401)` },
    });
  });
});

it('reads without a token what everybody may read, of an allowed domain only', async () => {
  const { source, zendesk } = await connect({}, {});
  expect(await source.run()).toMatchObject({
    failure: { reason: 'origin_not_proved', detail: zendesk.origin },
  });
  await source.call(member.patch('', { allowedOrigins: [zendesk.origin] }));
  expect((await source.run()).counts).toMatchObject({ added: 2, refused: 0 });
  expect(new Set(zendesk.authorizations)).toStrictEqual(new Set([undefined]));
});

it.each([
  ['http://shop.zendesk.com', 'invalid_url'],
  ['https://user:password@shop.zendesk.com', 'invalid_url'],
  ['https://10.0.0.7', 'private_address'],
])('rejects the address %s', async (address, code) => {
  const body = { type: 'zendesk', name: 'Help', mode: 'review', zendesk: { address } };
  const response = await member.post('/knowledge/sources', body);
  expect(response.json).toMatchObject({ issues: [{ path: 'body.zendesk.address', code }] });
});

it('continues with the list that a restart interrupted', async () => {
  const { source, zendesk } = await connect({ articles: createArticles(150) });
  let isHeld = false;
  zendesk.center.hold = (path) => {
    if (!path.includes('page[after]')) return undefined;
    isHeld = true;
    return new Promise(() => undefined);
  };
  const { id } = await source.start();
  void harness.service.tick();
  await expect.poll(() => isHeld).toBe(true);
  zendesk.center.hold = undefined;
  harness = await harness.restart();
  const { sources } = harness.service.store.in(harness.workspace.id);
  await expect
    .poll(async () => {
      await harness.service.tick();
      return sources.findRun(source.id, id);
    })
    .toMatchObject({ state: 'done', added: 150 });
  const firstLists = zendesk.requests.filter(({ path }) => /articles\.json\?page\[size\]=100$/.test(path));
  expect(firstLists).toHaveLength(1);
});
