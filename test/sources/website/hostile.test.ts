import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { createFetcher, type FetcherSettings } from '../../../server/sources/website/fetch.ts';
import { createPageReader } from '../../../server/sources/website/page-reader.ts';
import { article, type Pages, serveWebsite, sitemapOf } from '../../support/website.ts';
import { crawlAll } from './crawling.ts';

const TEXT = 'Send the parcel back within thirty days, and we return the money.';
const GOOD = article('Good page', `${TEXT} This page is good.`);
const redirect = (to: string) => ({ status: 302, headers: { location: to } });
/** Returns a harmless article to serve beside something hostile. */
const good = (path = '/good') => ({ [path]: GOOD });

async function crawlSitemap(
  paths: readonly string[],
  pages: Pages,
  options: Partial<Parameters<typeof crawlAll>[0]> = {},
) {
  const site = await serveWebsite((path) => {
    if (path === '/sitemap.xml')
      return sitemapOf([...paths, '/good'].map((each) => new URL(each, site.origin).href));
    return pages[path] ?? good()[path as '/good'];
  });
  const crawled = await crawlAll({ settings: { startUrls: [`${site.origin}/sitemap.xml`] }, ...options });
  return { ...crawled, site };
}

describe('a page is refused, and the others are read', () => {
  const MEGABYTE = 1024 * 1024;
  it.each<[string, string, Pages[string]]>([
    [
      'a redirect to a private address',
      '/a: off_site http://169.254.169.254/latest',
      redirect('http://169.254.169.254/latest'),
    ],
    ['a redirect to another site', '/a: off_site https://other.example/', redirect('https://other.example/')],
    ['a redirect to a file', '/a: invalid_url file:///etc/passwd', redirect('file:///etc/passwd')],
    [
      'a redirect with credentials',
      '/a: invalid_url http://me:secret@127.0.0.1/',
      redirect('http://me:secret@127.0.0.1/'),
    ],
    ['a redirect to itself', '/a: redirect_loop', redirect('/a')],
    ['a huge page with a Content-Length', '/a: too_large', { body: Buffer.alloc(6 * MEGABYTE, 'a ') }],
    [
      'a huge page that does not',
      '/a: too_large',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const write = () => void (response.destroyed || response.write(Buffer.alloc(MEGABYTE, 'a '), write));
        write();
      },
    ],
    [
      'a gzip bomb',
      '/a: zip_bomb',
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(100 * MEGABYTE, 'a ')) },
    ],
    ['damaged gzip', '/a: unreadable', { headers: { 'content-encoding': 'gzip' }, body: 'no gzip' }],
    ['an unknown encoding', '/a: unreadable zstd', { headers: { 'content-encoding': 'zstd' }, body: 'x' }],
    [
      'another content type',
      '/a: not_html application/pdf',
      { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
    ],
    [
      'no valid text',
      '/a: invalid_encoding',
      { body: Buffer.from(GOOD.replace('Send', '\xff\xfe\xfa'.repeat(40)), 'latin1') },
    ],
    ['binary data', '/a: invalid_encoding', { body: Buffer.alloc(2000) }],
    ['100,000 nested elements', '/a: too_deep', `<title>T</title>${'<div>'.repeat(100_000)}${TEXT}`],
    ['half a million elements', '/a: too_large', `<title>T</title>${'<p>x'.repeat(500_000)}`],
    [
      'a page that asks not to be indexed',
      '/a: no_index',
      article('A', TEXT, '<meta name="robots" content="noindex">'),
    ],
    [
      'a header that asks not to index',
      '/a: no_index',
      { headers: { 'x-robots-tag': 'noindex' }, body: article('A', TEXT) },
    ],
    [
      'a page of scripts',
      '/a: no_content',
      '<title>App</title><div id="root"></div><script>render()</script>',
    ],
    [
      'a cookie wall',
      '/a: no_content cookies',
      '<title>Shop</title><p>We use cookies, and so do our partners. Cookies pay for this.</p><button>Accept all</button>',
    ],
    ['an empty page', '/a: no_content', ''],
    [
      'a canonical link to another site',
      '/a: off_site https://other.example/a',
      article('A', TEXT, '<link rel="canonical" href="https://other.example/a">'),
    ],
    ['a server error', '/a: http_status 500', { status: 500 }],
    ['a page that needs a password', '/a: http_status 401', { status: 401 }],
    ['a page that is missing', '/a: http_status 404', { status: 404 }],
    [
      'a connection that breaks off',
      '/a: unreachable UND_ERR_SOCKET',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' });
        response.write('<p>', () => response.destroy());
      },
    ],
    [
      'endless headers',
      '/a: unreachable UND_ERR_HEADERS_OVERFLOW',
      (_, response) => response.writeHead(200, { 'x-long': 'a'.repeat(100_000) }).end(),
    ],
    [
      'a page that asks to come back in a year',
      '/a: http_status 503',
      { status: 503, headers: { 'retry-after': '31536000' } },
    ],
  ])('%s', async (_name, refusal, page) => {
    const { documents, refusals } = await crawlSitemap(['/a'], { '/a': page });
    expect(refusals).toEqual([refusal]);
    expect(documents).toMatchObject([{ title: 'Good page' }]);
  });

  it('a page that arrives too slowly', async () => {
    const slow: Pages[string] = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('a'), 50);
      response.on('close', () => clearInterval(timer));
    };
    const { documents, refusals } = await crawlSitemap(
      ['/a'],
      { '/a': slow },
      { fetching: { secondsMax: 0.5 } },
    );
    expect(refusals).toEqual(['/a: timeout']);
    expect(documents).toHaveLength(1);
  });

  it.each([
    ['time', { millisMax: 1, memoryBytesMax: 256 * 1024 * 1024 }, 'timeout'],
    ['memory', { millisMax: 60_000, memoryBytesMax: 8 * 1024 * 1024 }, 'memory'],
  ])('a page that takes too much %s to parse', async (_name, limits, reason) => {
    const reader = createPageReader(limits);
    const bytes = Buffer.from(`<title>T</title>${'<p class="a b c">word'.repeat(90_000)}`);
    const task = {
      bytes,
      url: 'https://a.example/',
      headers: { contentType: 'text/html' },
      sourceLocale: 'en',
      nowMillis: Date.now(),
    };
    const reading = await reader.readPage(task, new AbortController().signal);
    reader.close();
    expect(reading).toMatchObject({ reason });
  });
});

describe('addresses that are not public', () => {
  it.each([
    ['10.1.2.3'],
    ['172.16.0.1'],
    ['192.168.0.1'],
    ['127.0.0.2'],
    ['169.254.169.254'],
    ['100.100.100.200'],
    ['168.63.129.16'],
    ['0.0.0.0'],
    ['224.0.0.1'],
    ['::1'],
    ['::'],
    ['fe80::1'],
    ['fd00:ec2::254'],
    ['::ffff:10.0.0.1'],
    ['::ffff:7f00:2'],
    ['64:ff9b::a00:1'],
    ['64:ff9b:1::1'],
    ['2002:a00:1::'],
    ['2001:0:1::1'],
    ['::7f00:1'],
    ['3fff::1'],
  ])('are not connected to by a name that resolves to %s', async (address) => {
    const { documents, refusals } = await crawlNames(async (name) =>
      name === 'good.example' ? [LOOPBACK] : [LOOPBACK, { address, family: address.includes(':') ? 6 : 4 }],
    );
    expect(refusals).toEqual([
      `/a: private_address http://bad.example SOURCE_NETWORKS=…,${toAllowed(address)}`,
    ]);
    expect(documents).toHaveLength(1);
  });

  it('are not connected to by a name that resolves to another address the second time', async () => {
    let lookups = 0;
    const { refusals } = await crawlNames(async (name) => {
      if (name === 'good.example') return [LOOPBACK];
      lookups += 1;
      return [lookups === 1 ? LOOPBACK : { address: '10.0.0.1', family: 4 }];
    });
    expect(refusals).toEqual(['/a: private_address SOURCE_NETWORKS=…,<address of bad.example>']);
  });

  it('are resolved at most two at a time, so that a silent name server leaves threads free', async () => {
    const waiting: (() => void)[] = [];
    const fetcher = createFetcher({
      networks: [],
      resolve: () => new Promise((_resolve, reject) => waiting.push(() => reject(new Error('silence')))),
    });
    const { signal } = new AbortController();
    const names = ['a', 'b', 'c', 'd'];
    const answers = names.map((name) => fetcher.get(`http://${name}.example/`, { signal, bytesMax: 1000 }));
    for (const asked of [2, 2, 2, 1]) {
      await expect.poll(() => waiting.length).toBe(asked);
      waiting.shift()?.();
    }
    for (const answer of answers) expect(await answer).toMatchObject({ reason: 'unreachable' });
    fetcher.close();
  });

  const LOOPBACK = { address: '127.0.0.1', family: 4 };
  /** What the setting shows: only addresses of this machine, not those that a name has in the operator's network. */
  const toAllowed = (address: string) =>
    ['127.0.0.2', '::1', '::ffff:7f00:2'].includes(address) ? address : '<address of bad.example>';

  /** Crawls a page of one host that links to a page of another, with a new connection for each request. */
  async function crawlNames(resolve: FetcherSettings['resolve'] & {}) {
    const site = await serveWebsite((path) => ({
      headers: { connection: 'close' },
      ...(path === '/robots.txt'
        ? { status: 404 }
        : {
            body:
              path === '/'
                ? article('Good', `${TEXT} <a href="http://bad.example:${site.port}/a">Bad</a>`)
                : GOOD,
          }),
    }));
    const { documents, refusals } = await crawlAll({
      settings: { startUrls: [`http://good.example:${site.port}/`] },
      isProved: () => true,
      fetching: { networks: ['127.0.0.1/32'], resolve },
    });
    return { documents, refusals: refusals.map((each) => each.replace(`:${site.port}`, '')) };
  }
});

describe('a run', () => {
  it.each([
    ['http://127.0.0.1:1/', 'private_address: http://127.0.0.1:1 SOURCE_NETWORKS=127.0.0.1'],
    [
      'http://[::ffff:127.0.0.1]:1/',
      'private_address: http://[::ffff:7f00:1]:1 SOURCE_NETWORKS=::ffff:7f00:1',
    ],
    ['http://2130706433:1/', 'private_address: http://127.0.0.1:1 SOURCE_NETWORKS=127.0.0.1'],
    ['http://0x7f.1:1/', 'private_address: http://127.0.0.1:1 SOURCE_NETWORKS=127.0.0.1'],
  ])('fails when it starts at %s', async (url, message) => {
    const settings = { startUrls: [url] };
    await expect(crawlAll({ settings, isProved: () => true, fetching: { networks: [] } })).rejects.toThrow(
      message,
    );
  });

  it('fails when a start page is not of a proved origin', async () => {
    const settings = { startUrls: ['https://other.example/'] };
    const crawling = crawlAll({ settings, isProved: () => false });
    await expect(crawling).rejects.toThrow('origin_not_proved: https://other.example');
  });

  it.each<[string, Pages[string], string]>([
    [
      'robots.txt does not answer',
      { status: 503 },
      'robots_unreachable: ORIGIN/robots.txt (http_status 503)',
    ],
    [
      'robots.txt redirects to another site',
      redirect('http://169.254.169.254/robots.txt'),
      'moved: http://169.254.169.254',
    ],
    [
      'robots.txt redirects for ever',
      redirect('/robots.txt'),
      'robots_unreachable: ORIGIN/robots.txt (redirect_loop)',
    ],
  ])('fails when %s', async (_name, robots, message) => {
    const site = await serveWebsite({ '/robots.txt': robots, '/': GOOD });
    const crawling = crawlAll({ settings: { startUrls: [`${site.origin}/`] } });
    await expect(crawling).rejects.toThrow(message.replace('ORIGIN', site.origin));
  });

  it('fails when its only page redirects to another site, and it has read nothing before', async () => {
    const site = await serveWebsite({ '/': redirect('https://other.example/en/') });
    const crawling = crawlAll({ settings: { startUrls: [`${site.origin}/`] } });
    await expect(crawling).rejects.toThrow('moved: https://other.example');
  });

  it.each<[string, Pages[string], string]>([
    ['is missing', { status: 404 }, 'http_status 404'],
    ['is no sitemap', '<html><p>Hello</p></html>', 'unreadable no sitemap'],
    ['is a gzip bomb', { body: gzipSync(Buffer.alloc(60 * 1024 * 1024)) }, 'zip_bomb'],
    [
      'redirects to another site',
      redirect('https://other.example/sitemap.xml'),
      'off_site https://other.example/sitemap.xml',
    ],
  ])('fails when a sitemap %s', async (_name, sitemap, reason) => {
    const site = await serveWebsite({ '/sitemap.xml': sitemap });
    const crawling = crawlAll({ settings: { startUrls: [`${site.origin}/sitemap.xml`] } });
    await expect(crawling).rejects.toThrow(`start_unreachable: ${site.origin}/sitemap.xml (${reason})`);
  });
});

describe('a hostile sitemap', () => {
  it('costs nothing when it contains an entity bomb', async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "${'x'.repeat(1000)}">${Array.from({ length: 10 }, (_, at) => `<!ENTITY a${at} "${`&a${at === 0 ? '' : at - 1};`.repeat(10)}">`).join('')}]>`;
    const site = await serveWebsite((path) =>
      path === '/sitemap.xml'
        ? sitemapOf([`${site.origin}/&a9;`, `${site.origin}/good`])
            .replace(/^<\?xml[^>]*>/, bomb)
            .replace('&amp;a9', '&a9')
        : good()[path as '/good'],
    );
    const crawled = await crawlAll({ settings: { startUrls: [`${site.origin}/sitemap.xml`] } });
    expect(crawled.documents).toHaveLength(1);
    expect(crawled.refusals).toEqual(['/&a9;: http_status 404']);
  });

  it('is read up to the limit when it lists 300,000 pages', async () => {
    const lines = Array.from({ length: 300_000 }, (_, at) => `<url><loc>/${at}</loc></url>`);
    const sitemap = { body: gzipSync(`<urlset>${lines.join('')}</urlset>`) };
    const site = await serveWebsite((path) =>
      path === '/sitemap.xml.gz' ? sitemap : article(path, `${TEXT} Of page ${path}.`),
    );
    const settings = { startUrls: [`${site.origin}/sitemap.xml.gz`], pagesMax: 5 };
    const { documents, refusals } = await crawlAll({ settings, fetching: { secondsMax: 60 } });
    expect(documents).toHaveLength(5);
    expect(refusals).toEqual(['/5: too_many_pages']);
  });

  it('costs nothing when an address consists of endless spaces', async () => {
    const site = await serveWebsite((path) =>
      path === '/sitemap.xml'
        ? `<urlset><url><loc>${' '.repeat(200_000)}x</url><url><loc>\n${site.origin}/good\n</loc></url></urlset>`
        : good()[path as '/good'],
    );
    const crawled = await crawlAll({ settings: { startUrls: [`${site.origin}/sitemap.xml`] } });
    expect(crawled.documents).toHaveLength(1);
    expect(crawled.refusals).toEqual(['/x: http_status 404']);
  });

  it('is read up to the limit when it lists sitemaps without end', async () => {
    const site = await serveWebsite((path) => {
      const [, number] = /^\/(\d+)\.xml$/.exec(path) ?? [];
      if (number !== undefined)
        return sitemapOf([`${site.origin}/a-${number}`, `${site.origin}/b-${number}`]);
      if (path !== '/sitemap.xml') return article(path, `${TEXT} Of page ${path}.`);
      const sitemaps = Array.from(
        { length: 300 },
        (_, at) => `<sitemap><loc>${site.origin}/${at}.xml</loc></sitemap>`,
      );
      return `<sitemapindex>${sitemaps.join('')}</sitemapindex>`;
    });
    const settings = { startUrls: [`${site.origin}/sitemap.xml`], pagesMax: 5 };
    const { documents, refusals } = await crawlAll({ settings });
    expect(documents).toHaveLength(5);
    expect(refusals).toEqual(['/b-2: too_many_pages']);
    expect(site.requests.filter(({ path }) => /^\/\d+\.xml$/.test(path))).toHaveLength(3);
  });

  it('is read to its end when it lists itself, and pages of other origins', async () => {
    const site = await serveWebsite((path) => {
      if (path === '/sitemap.xml') {
        return `<sitemapindex><sitemap><loc>${site.origin}/sitemap.xml</loc></sitemap><sitemap><loc>https://other.example/sitemap.xml</loc></sitemap><sitemap><loc>/pages.xml</loc></sitemap></sitemapindex>`;
      }
      if (path === '/pages.xml') {
        return sitemapOf([
          'https://other.example/1',
          'https://other.example/2',
          'file:///etc/passwd',
          `${site.origin}/good`,
        ]);
      }
      return good()[path as '/good'];
    });
    const { documents, refusals } = await crawlAll({
      settings: { startUrls: [`${site.origin}/sitemap.xml`] },
    });
    expect(documents).toHaveLength(1);
    expect(refusals).toEqual([
      '/pages.xml: invalid_url entries without an address: 1',
      '/1: not_proved https://other.example',
    ]);
  });
});

describe('endless sites', () => {
  it('are read up to the limit when they consist of links', async () => {
    const site = await serveWebsite((path) => {
      const day = Number(new URL(path, 'http://a').searchParams.get('day') ?? 0);
      return path.startsWith('/calendar')
        ? article(`Day ${day}`, `${TEXT} Day ${day}. <a href="/calendar?day=${day + 1}">Next</a>`)
        : undefined;
    });
    const settings = { startUrls: [`${site.origin}/calendar`], pagesMax: 20 };
    const { documents, refusals } = await crawlAll({ settings });
    expect(documents).toHaveLength(19);
    expect(refusals).toEqual(['/: http_status 404', '/calendar?day=19: too_many_pages']);
  });

  it('are refused after a few redirects', async () => {
    const site = await serveWebsite((path) => redirect(`/r/${Number(path.slice(3)) + 1}`));
    const { refusals } = await crawlAll({
      settings: { startUrls: [`${site.origin}/r/0`] },
      // The robots.txt of the site redirects too.
      isProved: (origin) => origin === site.origin,
    }).catch((error: Error) => ({ refusals: [error.message] }));
    expect(refusals.at(-1)).toContain('redirect_loop');
  });

  it('are refused when pages redirect to each other', async () => {
    const { refusals, documents } = await crawlSitemap(['/a'], {
      '/a': redirect('/b'),
      '/b': redirect('/a'),
    });
    expect(refusals).toHaveLength(2);
    expect(documents).toHaveLength(1);
  });

  it('end at the maximum length of addresses when links lead to ever longer paths', async () => {
    const site = await serveWebsite((path) =>
      path === '/robots.txt'
        ? undefined
        : article(`Level ${path.length}`, `${TEXT} ${path} <a href="${path}${'x'.repeat(600)}/">Deeper</a>`),
    );
    const { documents } = await crawlAll({ settings: { startUrls: [`${site.origin}/`] } });
    expect(documents.length).toBeLessThanOrEqual(SOURCE_LIMITS.placeBytesMax / 600 + 1);
  });
});

describe('robots.txt', () => {
  const crawlWith = (robots: string, paths: readonly string[]) =>
    crawlSitemap(paths, { '/robots.txt': robots, '/private/a': GOOD });

  it('keeps the crawler away from pages', async () => {
    const { refusals, site } = await crawlWith('User-agent: *\nDisallow: /private/', ['/private/a']);
    expect(refusals).toEqual(['/private/a: robots']);
    expect(site.requests.map(({ path }) => path)).not.toContain('/private/a');
  });

  it('may name the crawler', async () => {
    const { documents } = await crawlWith(
      'User-agent: *\nDisallow: /\n\nUser-agent: Guidepost\nAllow: /',
      [],
    );
    expect(documents).toHaveLength(1);
  });

  it('prevents reading when it asks for a delay of a day, or an endless one', async () => {
    for (const delay of ['86400', '1e999']) {
      const { refusals, documents } = await crawlWith(`User-agent: *\nCrawl-delay: ${delay}`, []);
      expect(refusals[0]).toMatch(/^\/good: robots crawl-delay: /);
      expect(documents).toEqual([]);
    }
  });

  it('is obeyed when it asks for a delay', async () => {
    const { site } = await crawlSitemap(['/a', '/b'], {
      '/robots.txt': 'User-agent: *\nCrawl-delay: 0.3',
      '/a': GOOD,
      '/b': GOOD,
    });
    expect(site.requests.filter(({ path }) => /^\/[ab]$/.test(path))).toHaveLength(2);
  });

  it.each([
    ['wildcards', `Disallow: /${'*a'.repeat(10_000)}`],
    ['rules', 'Disallow: /b\n'.repeat(30_000)],
  ])('forbids the addresses that take long to match when it has too many %s', async (_name, rules) => {
    const long = `/${'a'.repeat(1500)}`;
    const { documents, refusals } = await crawlWith(`User-agent: *\n${rules}`, [long]);
    expect(refusals).toEqual([`${long}: robots`]);
    expect(documents).toHaveLength(1);
  });
});
