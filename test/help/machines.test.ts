import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import sax from 'sax';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HelpAddress } from '../../contract/help-domains.ts';
import { newId } from '../../server/base/ids.ts';
import { createProofFileReader } from '../../server/help/proof-file.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createAddressCheck } from '../../server/sources/public-addresses.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { read as readDoc } from '../docs/excerpts.ts';
import { txtRecords } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { expectError } from '../support/response.ts';
import { importSeeds, type Seed } from '../support/seeds.ts';
import { joinAs, type MemberClient, openTeam, type Team } from '../support/team.ts';
import { certified } from '../support/tls/front.ts';

const ARTICLES: readonly Seed[] = [
  {
    slug: 'return',
    locale: 'en',
    title: 'Return "an order" & more',
    collection: 'Orders',
    answer: 'You can return any order within 30 days.',
    translations: [{ locale: 'de', title: 'Größe ändern', answer: 'Sie haben 30 Tage Zeit.' }],
  },
  { slug: 'gift', locale: 'en', title: 'Gift cards', answer: 'Valid for three years.' },
  {
    slug: 'elsewhere',
    locale: 'en',
    title: 'Elsewhere',
    answer: 'This text is on our own site.',
    url: 'https://shop.example.com/help/elsewhere',
  },
  { slug: 'secret', locale: 'en', title: 'Secret door', answer: 'Knock twice.', audience: ['signed_in'] },
];
const DOMAIN = 'help.shop.example.com';

let team: Team;
let base: string;
let mail: MailServer;
beforeAll(async () => {
  const helpCentre = { ...HELP_CENTRE_DEFAULTS, enabled: true, tagline: 'All about bicycles' };
  mail = await openMailServer();
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'guide@shop.example.com' };
  team = await openTeam({ articles: ARTICLES, settings: { helpCentre }, env });
  base = `${team.harness.baseUrl}/help/${team.harness.appId}`;
});
afterAll(() => Promise.all([team.close(), mail.close()]));

const outlastCaches = () => team.harness.clock.advance(1001);

async function read(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(base + path, { redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function change(helpCentre: object) {
  await team.as('owner').patch('', { helpCentre });
  outlastCaches();
}

const listValues = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => value);

function requireWellFormed(xml: string): void {
  const parser = sax.parser(true);
  parser.onerror = (error) => {
    throw error;
  };
  parser.write(xml).close();
}

const ALTERNATE = /<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g;
const listAlternates = (html: string) =>
  Object.fromEntries([...html.matchAll(ALTERNATE)].map(([, language, url]) => [language, url]));

describe('the help centre tells search engines', () => {
  it('which languages a page has, the same on each of them', async () => {
    const english = await read('/en/return-an-order-more');
    expect(listAlternates(english.text)).toEqual({
      de: `${base}/de/gr%C3%B6%C3%9Fe-%C3%A4ndern`,
      en: `${base}/en/return-an-order-more`,
      'x-default': `${base}/en/return-an-order-more`,
    });
    const german = await read('/de/gr%C3%B6%C3%9Fe-%C3%A4ndern');
    expect(listAlternates(german.text)).toEqual(listAlternates(english.text));
    expect(listAlternates((await read('/de')).text)).toEqual({
      ...{ de: `${base}/de`, en: `${base}/en`, 'x-default': `${base}/en` },
    });
  });

  it('what an article is and where it belongs, as data that its title cannot break out of', async () => {
    const { text } = await read('/en/return-an-order-more');
    const [json] = listValues(text, /<script type="application\/ld\+json">(.*?)<\/script>/gs);
    expect(JSON.parse(json!)['@graph']).toMatchObject([
      {
        '@type': 'Article',
        headline: 'Return "an order" & more',
        inLanguage: 'en',
        mainEntityOfPage: `${base}/en/return-an-order-more`,
      },
      {
        '@type': 'BreadcrumbList',
        itemListElement: [
          { position: 1, item: `${base}/en` },
          { position: 2, name: 'Orders', item: `${base}/en/collections/orders` },
          { position: 3, name: 'Return "an order" & more' },
        ],
      },
    ]);
    expect(text).toContain('<meta property="og:title" content="Return &quot;an order&quot; &amp; more">');
    expect(text).toContain('<meta property="og:locale" content="en_US">');
  });

  it('that an article which the owner keeps elsewhere belongs there', async () => {
    const { text } = await read('/en/elsewhere');
    expect(text).toContain('<link rel="canonical" href="https://shop.example.com/help/elsewhere">');
    expect(listAlternates(text)).toEqual({});
    expect((await read('/sitemap.xml')).text).not.toContain('/elsewhere');
  });

  it('nothing on pages that are not to be listed', async () => {
    const { text } = await read('/de/gift-cards');
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).not.toMatch(/rel="canonical"|hreflang="x-default"|ld\+json|og:/);
  });
});

describe('the sitemap', () => {
  it('lists each page in each of its languages, with the day of its text', async () => {
    const { headers, text } = await read('/sitemap.xml');
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8');
    requireWellFormed(text);
    const places = listValues(text, /<loc>(.*?)<\/loc>/g).map((url) => url!.slice(base.length));
    expect(places).toEqual([
      ...['/de', '/en', '/de/collections/orders', '/en/collections/orders'],
      ...['/de/gr%C3%B6%C3%9Fe-%C3%A4ndern', '/en/return-an-order-more', '/en/gift-cards'],
    ]);
    const days = listValues(text, /<lastmod>(.*?)<\/lastmod>/g);
    expect(days).toHaveLength(3);
    for (const day of days) expect(day).toMatch(/^20\d\d-\d\d-\d\dT.*Z$/);
    expect(text.match(/hreflang="x-default"/g)).toHaveLength(7);
  });

  it('is an index of files once there are many articles', async () => {
    const seeds = Array.from({ length: 510 }, (_, at): Seed => {
      const slug = `article-${String(at).padStart(3, '0')}`;
      return { slug, locale: 'en', title: slug, answer: `Text ${at}.` };
    });
    const other = await openTeam({
      articles: [...seeds, ...ARTICLES],
      settings: { helpCentre: { ...HELP_CENTRE_DEFAULTS, enabled: true } },
    });
    const start = `${other.harness.baseUrl}/help/${other.harness.appId}`;
    const index = await (await fetch(`${start}/sitemap.xml`)).text();
    const files = listValues(index, /<loc>(.*?)<\/loc>/g);
    expect(files).toHaveLength(2);
    const texts = await Promise.all(files.map(async (url) => (await fetch(url!)).text()));
    const pages = texts.flatMap((text) => listValues(text, /<loc>(.*?)<\/loc>/g));
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages).toHaveLength(4 + 510 + 3);
    await other.close();
  });

  it('does not exist where search engines may not list the pages', async () => {
    await change({ searchEngines: false });
    expect((await read('/sitemap.xml')).status).toBe(404);
    expect((await read('/robots.txt')).text).toBe('User-agent: *\nDisallow:\n\n');
    await change({ searchEngines: true });
    expect((await read('/robots.txt')).text).toContain(`Sitemap: ${base}/sitemap.xml`);
  });
});

describe('the help centre for other programs', () => {
  it('has a feed of the newest texts of a language', async () => {
    const { headers, text } = await read('/de/feed.xml');
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    requireWellFormed(text);
    expect(text).toContain('xml:lang="de"');
    expect(listValues(text, /<title>(.*?)<\/title>/g)).toEqual(['A shop', 'Größe ändern']);
    expect(listValues(text, /<summary>(.*?)<\/summary>/g)).toEqual(['Sie haben 30 Tage Zeit.']);
    expect(text).toContain(`<link href="${base}/de/gr%C3%B6%C3%9Fe-%C3%A4ndern"/>`);
    const [updated, entryUpdated] = listValues(text, /<updated>(.*?)<\/updated>/g);
    expect(updated).toBe(entryUpdated);
    const english = await read('/en/feed.xml');
    requireWellFormed(english.text);
    expect(english.text.match(/<entry>/g)).toHaveLength(3);
    expect((await read('/fr/feed.xml')).status).toBe(404);
  });

  it('has each article as Markdown with the dates of the text and its source', async () => {
    const { headers, text } = await read('/de/gr%C3%B6%C3%9Fe-%C3%A4ndern.md');
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text).toMatch(
      /^---\ntitle: "Größe ändern"\nurl: "http.*\/de\/gr%C3%B6%C3%9Fe-%C3%A4ndern"\nlanguage: "de"\npublished: "20.*Z"\nsource_language: "en"\nsource_published: "20.*Z"\nstale: false\n---\n\n# Größe ändern\n\nSie haben 30 Tage Zeit\.\n$/,
    );
    const moved = await read('/de/return-an-order-more.md');
    expect(moved.status).toBe(301);
    expect(moved.headers.get('location')).toMatch(/\/de\/gr%C3%B6%C3%9Fe-%C3%A4ndern\.md$/);
    expect((await read('/en/never.md')).status).toBe(404);
  });

  it('lists its articles in llms.txt', async () => {
    const { text } = await read('/llms.txt');
    expect(text).toContain('> All about bicycles');
    expect(text).toContain(
      `## Orders\n\n- [Return "an order" & more](${base}/en/return-an-order-more.md)\n\n## Articles\n`,
    );
  });

  it('says nothing of an article that is not for everyone', async () => {
    for (const path of ['/sitemap.xml', '/en/feed.xml', '/llms.txt'])
      expect((await read(path)).text).not.toMatch(/secret/i);
    for (const path of ['/en/secret-door', '/de/secret-door', '/en/secret-door.md'])
      expect((await read(path)).status).toBe(404);
  });

  it('refuses crawlers that collect texts for AI models if the owner wishes', async () => {
    const agent = { 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' };
    expect((await read('/en/gift-cards', agent)).status).toBe(200);
    await change({ aiCrawlers: false });
    expect((await read('/en/gift-cards', agent)).status).toBe(403);
    expect((await read('/en/gift-cards')).status).toBe(200);
    expect((await read('/robots.txt')).text).toMatch(
      /^User-agent: AI2Bot\n(User-agent: .+\n)+Disallow: \/\n/,
    );
    await change({ aiCrawlers: true });
  });
});

type Found = { data: readonly object[] };

describe('links to the public pages', () => {
  it('are in citations and results of articles without a URL of their own', async () => {
    const { harness } = team;
    const { jwt } = await harness.boot();
    const answer = await harness.ask(jwt, { message: 'How long are gift cards valid?' });
    const citation = answer.find(({ type }) => type === 'citation');
    expect(citation).toMatchObject({ url: `${base}/en/gift-cards` });
    const search = await harness.fetch('/articles/search?q=gift%20cards', {
      headers: { authorization: `Bearer ${jwt}`, 'accept-language': 'en' },
    });
    expect(((await search.json()) as Found).data[0]).toMatchObject({ url: `${base}/en/gift-cards` });
    const elsewhere = await harness.fetch('/articles/search?q=elsewhere', {
      headers: { authorization: `Bearer ${jwt}`, 'accept-language': 'en' },
    });
    expect(((await elsewhere.json()) as Found).data[0]).toMatchObject({ url: ARTICLES[2]!.url });
  });
});

describe('the example for IndexNow', () => {
  it('announces the address of a published article, with a key that the help centre proves', async () => {
    const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(readDoc('docs/help-centre-domains.md'))!;
    const { announce } = await import(`data:text/javascript,${encodeURIComponent(code!)}`);
    const bodies: { key: string; keyLocation: string }[] = [];
    const engine = createServer(async (request, response) => {
      bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      response.writeHead(200).end();
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(engine.address() as AddressInfo).port}/indexnow`;
    const url = `${base}/en/gift-cards`;
    await announce({ data: { url } }, base, team.harness.appId, endpoint);
    await announce({ data: { url: null } }, base, team.harness.appId, endpoint);
    expect(bodies).toMatchObject([{ host: new URL(base).host, urlList: [url] }]);
    const { key, keyLocation } = bodies[0]!;
    expect(await (await fetch(keyLocation)).text()).toBe(key);
    expect(key).toMatch(/^[0-9A-Za-z-]{8,128}$/);
    engine.close();
  });
});

describe('a domain of a help centre', () => {
  async function listenSecurely(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `https://localhost:${(server.address() as AddressInfo).port}`;
  }

  /** Sends a request with another Host header, which fetch does not allow. */
  const get = (url: string, host: string) =>
    new Promise<{ status: number; text: string; location?: string }>((resolve, reject) => {
      request(url, { headers: { host } }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const { location } = response.headers;
          resolve({ status: response.statusCode!, text, ...(location !== undefined && { location }) });
        });
      })
        .on('error', reject)
        .end();
    });

  it('has its pages and nothing else of the service', async () => {
    const appId = 'gp_domaintest';
    const other = await openTeam({ env: { HELP_DOMAINS: `${DOMAIN}=${appId}` }, articles: [] });
    const { store, clock } = other.harness.service;
    const helpCentre = { ...HELP_CENTRE_DEFAULTS, enabled: true };
    const settings = { ...other.workspace.settings, helpCentre };
    const id = newId('ws');
    await store.workspaces.create({ id, appId, name: 'Shop', settings, createdAt: clock.now() });
    await importSeeds(store, id, ARTICLES);
    const { baseUrl } = other.harness;
    const onDomain = (path: string) => get(baseUrl + path, DOMAIN);

    expect(await onDomain('/')).toMatchObject({ status: 302, location: '/en' });
    const page = await onDomain('/en/gift-cards');
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<link rel="canonical" href="https://${DOMAIN}/en/gift-cards">`);
    expect((await onDomain('/robots.txt')).text).toContain(`Sitemap: https://${DOMAIN}/sitemap.xml`);
    for (const path of ['/dashboard', '/api/session', '/healthz', '/openapi.yaml', '/guide.js', '/demo'])
      expect(await onDomain(path)).toMatchObject({ status: 404 });
    expect(await get(`${baseUrl}/help/${appId}/en/gift-cards?a=b`, 'localhost')).toMatchObject({
      status: 301,
      location: `https://${DOMAIN}/en/gift-cards?a=b`,
    });
    expect(await get(`${baseUrl}/help/${appId}?a=b`, 'localhost')).toMatchObject({
      location: `https://${DOMAIN}/?a=b`,
    });
    expect(await get(`${baseUrl}/help-domain?domain=${DOMAIN}`, 'localhost')).toMatchObject({ status: 200 });
    expect(await get(`${baseUrl}/help-domain?domain=a.example`, 'localhost')).toMatchObject({ status: 404 });
    await other.close();
  });

  it('has the pages of the workspace that has proved it last, while it has it', async () => {
    const { harness } = team;
    const { baseUrl } = harness;
    const owner = team.as('owner');
    const other = await harness.addWorkspace();
    const rival = await joinAs(harness, other, 'owner');
    const theirPath = `/api/tenants/${other.id}/help-domain`;
    const body = { domain: DOMAIN };
    const set = (client: MemberClient, path = '/help-domain') => client.put<HelpAddress>(path, body);
    const prove = (client: MemberClient, path = '/help-domain') =>
      client.post<HelpAddress>(`${path}/proofs`, body);
    const isServed = async () => {
      outlastCaches();
      return [
        (await get(`${baseUrl}/en/gift-cards`, DOMAIN)).status,
        (await get(`${baseUrl}/help-domain?domain=${DOMAIN}`, 'localhost')).status,
        (await get(`${base}/en/gift-cards`, 'localhost')).location,
      ];
    };
    expectError(await owner.delete('/help-domain'), 'help_domain/not_found');
    expectError(await prove(owner), 'help_domain/not_found');
    expectError(await set(team.as('admin')), 'tenant/role_required');
    const { json } = await set(owner);
    expect(json).toMatchObject({ url: base, isGiven: false, domain: { domain: DOMAIN } });
    expectError(await prove(owner), 'help_domain/not_proved');
    expect(await isServed()).toEqual([404, 404, undefined]);

    const { record, file } = json.domain!;
    expect(file.content).toBe(record.value);
    txtRecords.set(record.name, record.value);
    expect((await prove(owner)).json).toMatchObject({
      url: `https://${DOMAIN}`,
      domain: { provedAt: expect.stringMatching(/^20/) },
    });
    expect(await isServed()).toEqual([200, 200, `https://${DOMAIN}/en/gift-cards`]);
    expect((await set(owner)).json.domain?.provedAt).toMatch(/^20/);
    expect((await get(`${baseUrl}/dashboard`, DOMAIN)).status).toBe(404);
    expect((await get(baseUrl + new URL(file.url).pathname, DOMAIN)).status).toBe(404);
    const answer = await harness.ask((await harness.boot()).jwt, {
      message: 'How long are gift cards valid?',
    });
    const citation = answer.find(({ type }) => type === 'citation');
    expect(citation).toMatchObject({ url: `https://${DOMAIN}/en/gift-cards` });

    const theirs = (await set(rival, theirPath)).json.domain!.record;
    expect(theirs.value).not.toBe(record.value);
    expectError(await prove(rival, theirPath), 'help_domain/not_proved');
    txtRecords.set(theirs.name, theirs.value);
    expect(await prove(rival, theirPath)).toMatchObject({ status: 200 });
    expect(await isServed()).toEqual([404, 404, undefined]);
    expect((await owner.get<HelpAddress>('/help-domain')).json).toEqual({ url: base, isGiven: false });
    await harness.service.tick();
    const told = mail.mails.filter(({ subject }) => subject?.endsWith(`is no longer at ${DOMAIN}`));
    expect(told.map(({ text }) => text?.includes(base))).toEqual([true, true]);
    expect((await rival.delete(theirPath)).status).toBe(200);
    const actions = (await owner.get<{ data: { action: string }[] }>('/audit')).json.data;
    expect(actions.map(({ action }) => action).filter((action) => action.startsWith('help_domain'))).toEqual([
      'help_domain.proved',
      'help_domain.changed',
    ]);
  });

  it('of the service or of HELP_DOMAINS is no domain for others', async () => {
    const given = await openTeam({
      env: { HELP_DOMAINS: `${DOMAIN}=gp_other`, PUBLIC_URL: 'https://a.example' },
    });
    const set = (domain: string) => given.as('owner').put<HelpAddress>('/help-domain', { domain });
    expectError(await set(DOMAIN), 'help_domain/not_available');
    expectError(await set('a.example'), 'help_domain/not_available');
    // The operator has given it to another workspace since it was set.
    const { id } = given.workspace;
    const by = { id: 'aud_1', actor: 'test', atMillis: 1 };
    const audit = { ...by, action: 'help_domain.changed', subject: id, details: {} };
    await given.harness.service.store.in(id).helpDomain.set(DOMAIN, audit);
    const proof = await given.as('owner').post('/help-domain/proofs', { domain: DOMAIN });
    expectError(proof, 'help_domain/not_available');
    await given.close();
  });

  it('is proved by a file over https that nobody redirects', async () => {
    const server = createSecureServer(certified(), ({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { location: '/file' }).end();
      else if (url === '/file') response.end('guidepost-help=abc\n');
      else if (url === '/long') response.end('x'.repeat(2000));
      else response.writeHead(404).end('guidepost-help=abc');
    });
    const origin = await listenSecurely(server);
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const open = (networks: string[], tls: { ca?: string }) =>
      createProofFileReader(createAddressCheck({ networks, resolve }), undefined, tls);
    const ca = certified().cert.toString();
    const read = open(['127.0.0.0/8'], { ca });
    expect(await read(`${origin}/file`)).toBe('guidepost-help=abc\n');
    for (const path of ['/moved', '/long', '/missing']) expect(await read(origin + path)).toBeUndefined();
    expect(await open(['127.0.0.0/8'], {})(`${origin}/file`)).toBeUndefined();
    expect(await open([], { ca })(`${origin}/file`)).toBeUndefined();
    server.close();
  });

  it('is refused in the settings if it is no domain, is there twice or is that of the service', () => {
    const read = (domains: string) =>
      readConfig({ HELP_DOMAINS: domains, PUBLIC_URL: 'https://guide.example.com' }).helpDomains;
    expect([...read('Help.example.com=gp_1, b.example=gp_2')]).toEqual([
      ['help.example.com', 'gp_1'],
      ['b.example', 'gp_2'],
    ]);
    for (const domains of [
      'help.example.com',
      'a.b=gp_1,a.b=gp_2',
      'guide.example.com=gp_1',
      'localhost=gp_1',
    ])
      expect(() => read(domains)).toThrow(/^HELP_DOMAINS: /);
  });
});
