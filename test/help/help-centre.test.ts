import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { Analytics, Article } from '../../generated/types.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { bringTo, translate } from '../knowledge/translating.ts';
import { USER_AGENT } from '../support/harness.ts';
import { createPng, toForm } from '../support/image-files.ts';
import { expectError } from '../support/response.ts';
import type { Seed } from '../support/seeds.ts';
import { openTeam, type Team } from '../support/team.ts';

const ON = { ...HELP_CENTRE_DEFAULTS, enabled: true };
const CACHE_MILLIS = 1000;

/** Everything that the threat model calls hostile content. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<svg onload=alert(1)><script>alert(2)</script></svg>',
  '<form action="https://evil.example"><input name=a></form>',
  '<iframe src="https://evil.example"></iframe>',
  '<style>body{display:none}</style>',
  '<img src=x onerror=alert(1)>',
  '![a](https://evil.example/pixel.png)',
  '[a](javascript:alert(1))',
  '[a](data:text/html,<script>alert(1)</script>)',
  '[a" onmouseover="alert(1)](https://shop.example/"onmouseover="alert(1))',
  '`</code><script>alert(1)</script>`',
  '# Heading <b>bold</b>',
  '| a | <script> |\n| - | - |\n| "\' | &lt; |',
  '<!-- --> <base href="https://evil.example/"> <meta http-equiv=refresh content="0;url=https://evil.example">',
].join('\n\n');

const ARTICLES: readonly Seed[] = [
  {
    slug: 'return',
    locale: 'en',
    title: 'Return an order',
    collection: 'Orders',
    answer: 'You can return any order within 30 days.\n\n# How\n\n1. Print the label.\n2. Send the parcel.',
    translations: [
      { locale: 'de', title: 'Bestellung zurückgeben', answer: 'Sie haben 30 Tage Zeit für die Rückgabe.' },
      { locale: 'ar', title: 'إرجاع طلب', answer: 'يمكنك إرجاع أي طلب خلال 30 يومًا.' },
    ],
  },
  { slug: 'gift-cards', locale: 'en', title: 'Gift cards', answer: 'Gift cards are valid for three years.' },
];

describe('the help centre', () => {
  let team: Team;
  beforeAll(async () => {
    team = await openTeam({ articles: ARTICLES, settings: { helpCentre: ON } });
  });
  afterAll(() => team.close());

  const start = () => `/help/${team.harness.appId}`;
  async function read(path: string, init: RequestInit = {}) {
    const response = await fetch(`${team.harness.baseUrl}${start()}${path}`, {
      redirect: 'manual',
      ...init,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const titles = (html: string) => [...html.matchAll(/<h1[^>]*>(.*?)<\/h1>/g)].map(([, title]) => title);

  /** Waits as long as pages may be cached. */
  const outlastCaches = () => team.harness.clock.advance(CACHE_MILLIS + 1);

  async function publish(title: string, answer: string, more: object = {}): Promise<string> {
    const owner = team.as('owner');
    const { json } = await owner.post<{ id: string }>('/knowledge/articles', { title, answer, ...more });
    await owner.post(`/knowledge/articles/${json.id}/publish`, { baseRevision: 1 });
    outlastCaches();
    return json.id;
  }

  async function change(settings: object) {
    await team.as('owner').patch('', { helpCentre: settings });
    outlastCaches();
  }

  it('does not exist while it is off, for an unknown app, and where another workspace has its articles', async () => {
    const paths = ['', '/en', '/en/gift-cards', '/en/search?q=a', '/en/collections/orders'];
    await change({ enabled: false });
    for (const path of paths) {
      const reply = await read(path);
      expect(reply.status, path).toBe(404);
      expect(JSON.parse(reply.text).error).toBe('request/not_found');
    }
    await change({ enabled: true });
    for (const path of paths) expect((await read(path)).status, path).not.toBe(404);
    await team.harness.service.store.workspaces.change(
      team.elsewhere.id,
      { settings: { helpCentre: ON } },
      team.harness.clock.now(),
    );
    outlastCaches();
    for (const path of [...paths.slice(1), '']) {
      const reply = await fetch(`${team.harness.baseUrl}/help/${team.elsewhere.appId}${path}`);
      expect(reply.status, path).toBe(404);
      expect(await reply.text()).not.toContain('Gift cards');
    }
    expect((await fetch(`${team.harness.baseUrl}/help/gp_unknown/en`)).status).toBe(404);
    expect((await fetch(`${team.harness.baseUrl}/help`)).status).toBe(404);
  });

  it("leads from the start to the reader's language, and each page to the others", async () => {
    for (const [languages, locale] of [
      ['de-AT,de;q=0.9', 'de'],
      ['ar', 'ar'],
      ['fi', 'en'],
    ] as const) {
      const reply = await read('', { headers: { 'accept-language': languages } });
      expect(reply.status).toBe(302);
      expect(reply.headers.get('location')).toBe(`${start()}/${locale}`);
      expect(reply.headers.get('vary')).toBe('accept-language');
    }
    const { text } = await read('/en/return-an-order');
    expect(text).toContain(`href="${start()}/de/bestellung-zur%C3%BCckgeben" lang="de" hreflang="de"`);
    expect((await read('/DE/x')).headers.get('location')).toBe(`${start()}/de/x`);
    expect((await read('/en/')).headers.get('location')).toBe(`${start()}/en`);
    expect((await read('/fi')).status).toBe(404);
  });

  it('lists collections with their articles, in the language of the page', async () => {
    const home = await read('/de');
    expect(home.text).toContain('<html lang="de" dir="ltr">');
    expect(home.text).toMatch(/collections\/orders"><span dir="auto">Orders<\/span><span class="count">1</);
    expect(home.text).toContain('<li lang="en" dir="ltr">');
    const orders = await read('/de/collections/orders');
    expect(titles(orders.text)).toEqual(['Orders']);
    expect(orders.text).toContain('>Bestellung zurückgeben</a>');
  });

  it('shows an article with its headings, lists and date', async () => {
    const { text, headers } = await read('/en/return-an-order');
    expect(titles(text)).toEqual(['Return an order']);
    expect(text).toContain('<h2 dir="auto">How</h2>');
    expect(text).toMatch(/<ol dir="auto" start="1"><li>Print the label\.<\/li>/);
    expect(text).toMatch(/Updated <time datetime="20\d\d-.*">\w+ \d+, 20\d\d<\/time>/);
    expect(text).not.toContain('noindex');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=1, stale-while-revalidate=30');
    const etag = headers.get('etag')!;
    expect((await read('/en/return-an-order', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('offers an article without a translation in its own language, marked and not for search engines', async () => {
    const { status, text } = await read('/de/gift-cards');
    expect(status).toBe(200);
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).toContain('Auf Englisch. Eine Fassung auf Deutsch gibt es noch nicht.');
    expect(text).toContain('<div class="text" lang="en" dir="ltr">');
  });

  it('says that a translation is stale, at once after its source has changed', async () => {
    const owner = team.as('owner');
    const { json } = await owner.get<{ data: { id: string; title: string; revision: number }[] }>(
      '/knowledge/articles',
    );
    const article = json.data.find(({ title }) => title === 'Return an order')!;
    const path = `/knowledge/articles/${article.id}`;
    const baseRevision = article.revision;
    const edited = await owner.put<{ revision: number }>(path, {
      ...{ baseRevision, title: 'Return an order', answer: 'You can return any order within 60 days.' },
    });
    expect((await read('/de/bestellung-zur%C3%BCckgeben')).text).not.toContain('class="note"');
    await owner.post(`${path}/publish`, { baseRevision: edited.json.revision });
    expect((await read('/en/return-an-order')).text).toContain('60 days');
    const german = (await read('/de/bestellung-zur%C3%BCckgeben')).text;
    expect(german).toMatch(/<p class="note">Möglicherweise veraltet.* Aktualisiert am <time datetime="20/);
  });

  it('keeps the ETag of a page until something that it shows changes', async () => {
    const owner = team.as('owner');
    const readTag = async () =>
      (await read('/en/return-an-order')).headers.get('etag') ?? expect.fail('no ETag');
    const { json } = await owner.get<{ data: { id: string; name: string }[] }>('/knowledge/collections');
    const rename = (name: string) => owner.put(`/knowledge/collections/${json.data[0]!.id}`, { name });
    const first = await readTag();
    await publish('Opening days', 'We are closed on Sunday.');
    expect(await readTag()).toBe(first);
    await rename('Returns');
    const renamed = await readTag();
    expect(renamed).not.toBe(first);
    await change({ footerLinks: [{ label: 'Imprint', url: 'https://shop.example/imprint' }] });
    expect(await readTag()).not.toBe(renamed);
    await rename('Orders');
    await change({ footerLinks: [] });
    expect(await readTag()).toBe(first);
  });

  it('finds articles, and leaves search engines out of it', async () => {
    const { text } = await read('/en/search?q=how%20long%20are%20gift%20cards%20valid');
    expect(text).toContain(`<a href="${start()}/en/gift-cards">Gift cards</a>`);
    expect(text).toContain('<meta name="robots" content="noindex">');
    const hostile = await read(`/en/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(hostile.status).toBe(200);
    expect(hostile.text).not.toContain('<script>alert');
    for (const query of ['', '?q=', '?q=a&q=b', '?after=x'])
      expect((await read(`/en/search${query}`)).status).toBe(200);
  });

  it('answers an unknown address with a search for its words, and a withdrawn article with 410', async () => {
    const unknown = await read('/en/how-to-return');
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain('name="q" value="how to return"');
    for (const path of ['/en/a/b', '/en/collections', '/en/collections/x', '/en/a/b/c', '/en/%3Cscript%3E'])
      expect((await read(path)).status, path).toBe(404);
    const id = await publish('Old', 'Old.');
    expect((await read('/en/old')).status).toBe(200);
    await team.as('owner').post(`/knowledge/articles/${id}/unpublish`, { baseRevision: 2 });
    outlastCaches();
    const gone = await read('/en/old');
    expect(gone.status).toBe(410);
    expect(titles(gone.text)).toEqual(['This article is no longer available.']);
    expect(gone.text).not.toContain('Old.');
  });

  it('answers an address in a language without any text left with 410', async () => {
    const id = await publish('Bell', 'Ring it.');
    const owner = team.as('owner');
    await bringTo(
      'published',
      owner,
      await translate(owner, id, 'it', { title: 'Campanello', answer: 'Suona.' }),
    );
    outlastCaches();
    expect((await read('/it/campanello')).status).toBe(200);
    await owner.post(`/knowledge/articles/${id}/unpublish`, { baseRevision: 2 });
    outlastCaches();
    expect((await read('/it/campanello')).status).toBe(410);
    expect((await read('/it/campana')).status).toBe(404);
  });

  it('shows drafts to nobody', async () => {
    const owner = team.as('owner');
    await owner.post('/knowledge/articles', { title: 'Secret draft', answer: 'Nobody knows.' });
    outlastCaches();
    expect((await read('/en/secret-draft')).status).toBe(404);
    expect((await read('/en')).text).not.toContain('Secret draft');
  });

  it('tells members the page of an article that everyone may read', async () => {
    const readLive = async (id: string) =>
      (await team.as('owner').get<Article>(`/knowledge/articles/${id}`)).json.live;
    const open = await readLive(await publish('Opening hours', 'We open at nine.'));
    expect(open?.pageUrl).toBe(`${team.harness.baseUrl}${start()}/en/opening-hours`);
    const restricted = await readLive(await publish('Lounge', 'Ring twice.', { audience: ['signed_in'] }));
    expect(restricted).toBeDefined();
    expect(restricted).not.toHaveProperty('pageUrl');
  });

  it('has nothing that is not for everyone', async () => {
    await publish('Members only', 'The secret is blue.', { audience: ['signed_in'] });
    const paths = [
      '/en',
      '/en/members-only',
      '/en/search?q=members%20only%20secret%20blue',
      '/en/sitemap.xml',
    ];
    for (const path of paths) {
      const { status, text } = await read(path);
      expect(text, path).not.toMatch(/Members only|secret is blue/);
      if (path.endsWith('members-only')) expect([404, 410]).toContain(status);
    }
  });

  it('keeps the place of the logo and of images while they load', async () => {
    const owner = team.as('owner');
    const { json } = await owner.upload<{ url: string }>(
      '/images',
      toForm(new Uint8Array(createPng(400, 100))),
    );
    await owner.patch('', { branding: { logo: json.url } });
    await publish('A picture', `Look:\n\n![A wheel](${json.url})`);
    const { text } = await read('/en/a-picture');
    expect(text).toMatch(/<img src="http[^"]*" alt="" width="400" height="100">/);
    expect(text).toMatch(/<img [^>]*alt="A wheel"[^>]* width="400" height="100">/);
    await owner.patch('', { branding: { logo: null } });
  });

  it('shows hostile content as text', async () => {
    const title = 'Evil <script>alert("title")</script> & co';
    await publish(title, HOSTILE);
    const path = /\/en\/(evil[^"/]*)"/.exec((await read('/en')).text)?.[1];
    const { text, headers } = await read(`/en/${path}`);
    const content = text.slice(text.indexOf('<main'));
    const elements = [...content.matchAll(/<(\w+)/g)].map(([, name]) => name);
    const allowed =
      'main form input button svg circle path article ol li a div h1 h2 p time table tr th td code span em strong';
    expect(new Set(elements).difference(new Set(allowed.split(' ')))).toEqual(new Set());
    const attributes = [...content.matchAll(/<\w+((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
      ([, all]) => all!,
    );
    expect(attributes.filter((each) => /\son\w+=/i.test(each.replace(/="[^"]*"/g, '=')))).toEqual([]);
    const links = [...content.matchAll(/(?:href|src|action|formaction)="([^"]*)"/g)].map(([, url]) => url!);
    expect(links.filter((url) => !/^(\/help\/|https:\/\/(evil|shop)\.example\/)/.test(url))).toEqual([]);
    expect(content).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src 'self' http:\/\/127\.0\.0\.1:\d+; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
  });

  it('has the links, the title and the tagline of the owner, and weighs less than 30 KB', async () => {
    const url = 'https://shop.example/?a="b"';
    await change({
      title: 'Shop <help>',
      tagline: 'Ask & read',
      headerLinks: [{ label: 'Shop', url }],
      footerLinks: [{ label: 'Imprint', url: 'https://shop.example/imprint' }],
      searchEngines: false,
    });
    const { text } = await read('/en');
    expect(titles(text)).toEqual(['Shop &lt;help&gt;']);
    expect(text).toContain('<p dir="auto">Ask &amp; read</p>');
    expect(text).toContain('<a href="https://shop.example/?a=%22b%22" dir="auto">Shop</a>');
    expect(text).toContain('>Imprint</a>');
    expect(text).toContain('noindex');
    expect(Buffer.byteLength(text)).toBeLessThan(30_000);
    const { json } = await team.as('owner').get<{ helpCentre: object }>('');
    expect(json.helpCentre).toMatchObject({ enabled: true, title: 'Shop <help>', searchEngines: false });
    const bad = { headerLinks: [{ label: 'Shop', url: 'javascript:alert(1)' }] };
    expectError(await team.as('owner').patch('', { helpCentre: bad }), 'request/invalid');
    expectError(
      await team.as('member').patch('', { helpCentre: { enabled: false } }),
      'tenant/role_required',
    );
    await change({ title: null, tagline: null, headerLinks: [], footerLinks: [], searchEngines: true });
    expect((await read('/en')).text).not.toContain('Imprint');
  });

  it('has the guide only where the owner wants it and its origin is allowed', async () => {
    const { baseUrl, appId, origin } = team.harness;
    expect((await read('/en')).text).not.toContain('<script');
    await team.as('owner').patch('', { allowedOrigins: [origin, baseUrl] });
    outlastCaches();
    const shown = await read('/de');
    expect(shown.text).toContain(
      `<script src="${baseUrl}/guide.js" data-gp-app="${appId}" data-gp-api="${baseUrl}" data-gp-lang="de" async>`,
    );
    expect(shown.headers.get('content-security-policy')).toContain(`script-src ${baseUrl};`);
    await change({ showGuide: false });
    const hidden = await read('/de');
    expect(hidden.text).not.toContain('<script');
    expect(hidden.headers.get('content-security-policy')).not.toContain('script-src');
    await team.as('owner').patch('', { allowedOrigins: [origin] });
    await change({ showGuide: true });
  });

  describe('a rating', () => {
    const rate = (query: string, headers: Record<string, string> = {}, path = '/en/gift-cards') =>
      read(`${path}?${query}`, {
        method: 'POST',
        headers: { 'user-agent': USER_AGENT, 'sec-fetch-site': 'same-origin', ...headers },
      });
    const countRatings = async () =>
      (await team.as('owner').get<Analytics>('/analytics')).json.totals.articles;

    it('counts without a visitor, and thanks', async () => {
      const before = await countRatings();
      const up = await rate('rating=up');
      expect(up.status).toBe(303);
      expect(up.headers.get('location')).toBe(`${start()}/en/gift-cards?rated#rating`);
      expect(up.headers.get('set-cookie')).toBeNull();
      await rate('rating=down', { 'sec-fetch-site': '', origin: team.harness.baseUrl }).catch(() => {});
      const thanks = await read('/en/gift-cards?rated');
      expect(thanks.text).toContain('<p role="status">Thank you!</p>');
      expect(thanks.text).toContain('noindex');
      const rows = await team.harness.service.store.in(team.workspace.id).events.list(100);
      const [row] = rows.filter(({ type }) => type === 'article_feedback');
      expect(row).toMatchObject({ data: { content_locale: 'en', rating: 'up' } });
      expect(row?.visitorId).toBeUndefined();
      expect((await countRatings()).up).toBe(before.up + 1);
    });

    it('does not count from another site, with a privacy signal, by a crawler, or where ratings are off', async () => {
      const before = await countRatings();
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
      ])
        expect((await rate('rating=up', headers)).status).toBe(403);
      expect((await rate('rating=up', { 'sec-gpc': '1' })).status).toBe(303);
      expect(
        (await rate('rating=up', { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })).status,
      ).toBe(303);
      for (const [query, path] of [
        ['rating=best', '/en/gift-cards'],
        ['', '/en/gift-cards'],
        ['rating=up', '/en/unknown'],
        ['rating=up', '/fi/gift-cards'],
        ['rating=up', '/en/gift-cards/x'],
        ['rating=up', ''],
      ] as const)
        expect((await rate(query, {}, path)).status, path).toBe(404);
      await team.as('owner').patch('', { features: { feedback: false } });
      outlastCaches();
      expect((await rate('rating=up')).status).toBe(404);
      expect((await read('/en/gift-cards')).text).not.toContain('class="rating"');
      expect(await countRatings()).toEqual(before);
      await team.as('owner').patch('', { features: { feedback: true } });
    });

    it('is limited for each network', async () => {
      const { points } = BUCKETS['help/network-ratings'];
      const statuses = await Promise.all(
        Array.from({ length: points + 1 }, async () => (await rate('')).status),
      );
      expect(statuses.filter((status) => status === 429)).not.toEqual([]);
    });
  });

  it('refuses a network that reads more than its share', async () => {
    const { points } = BUCKETS['help/network-burst'];
    const headers = { accept: 'text/html,*/*;q=0.8' };
    const pages = new Map<number, string>();
    for (let sent = 0; sent <= points; sent += 50)
      for (const { status, text } of await Promise.all(
        Array.from({ length: 50 }, () => read('', { headers })),
      ))
        pages.set(status, text);
    expect([...pages.keys()].sort()).toEqual([302, 429]);
    expect(pages.get(429)).toContain('<h1>Too many requests. Please try again in a minute.</h1>');
  });
});
