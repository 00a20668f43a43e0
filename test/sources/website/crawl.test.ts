import { describe, expect, it } from 'vitest';
import { createFetcher } from '../../../server/sources/website/fetch.ts';
import { servesTokenFile } from '../../../server/sources/website/read-website.ts';
import { createUrlFilter, parseUrlRule, toCanonicalUrl } from '../../../server/sources/website/urls.ts';
import { article, type Pages, serveWebsite, sitemapOf } from '../../support/website.ts';
import { crawlAll } from './crawling.ts';

const TEXT = 'Send the parcel back within thirty days, and we return the money.';
const link = (path: string) => `<a href="${path}">Link</a>`;
const pathsOf = ({ documents }: { documents: readonly { place: string }[] }) =>
  documents.map(({ place }) => new URL(place).pathname + new URL(place).search);

describe('the crawler', () => {
  it('reads the pages that sitemaps list, also nested sitemaps', async () => {
    const site = await serveWebsite((path) => {
      if (path === '/sitemap.xml') {
        return `<sitemapindex><sitemap><loc> ${site.origin}/one.xml </loc></sitemap></sitemapindex>`;
      }
      if (path === '/one.xml')
        return sitemapOf([`${site.origin}/a?x=1&y=2#part`, `${site.origin}/b?utm_source=mail`]);
      return path === '/robots.txt' ? undefined : article(path, `${TEXT} ${path} ${link('/not-listed')}`);
    });
    const crawled = await crawlAll({ settings: { startUrls: [`${site.origin}/sitemap.xml`] } });
    expect(pathsOf(crawled)).toEqual(['/a?x=1&y=2', '/b']);
    expect(crawled.refusals).toEqual([]);
  });

  it('crawls from start pages along links, reading each page once', async () => {
    const pages: Pages = {
      '/': article(
        'Start',
        `${TEXT} ${link('/a#one')} ${link('a?utm_source=x')} ${link('https://other.example/')}`,
      ),
      '/a': article('A', `${TEXT} A ${link('/')} ${link('/b')} ${link('/blog/1')}`),
      '/b': article('B', `${TEXT} B`),
      '/blog/1': article('Blog', `${TEXT} Blog`),
    };
    const site = await serveWebsite(pages);
    const crawled = await crawlAll({ settings: { startUrls: [site.origin], exclude: ['/blog/*'] } });
    expect(pathsOf(crawled)).toEqual(['/', '/a', '/b']);
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/a', '/b']);
    expect(site.requests[1]!.headers['user-agent']).toMatch(/^Guidepost\/\d/);
  });

  it('follows links of a start page that the include rules leave out', async () => {
    const site = await serveWebsite({
      '/': article('Start', `${TEXT} ${link('/help/a')} ${link('/shop')}`),
      '/help/a': article('A', `${TEXT} A`),
    });
    const crawled = await crawlAll({ settings: { startUrls: [site.origin], include: ['/help/*'] } });
    expect(pathsOf(crawled)).toEqual(['/help/a']);
    expect(crawled.refusals).toEqual(['/: excluded']);
  });

  it('reads pages under their canonical address, also behind redirects', async () => {
    const site = await serveWebsite({
      '/': article('Start', `${TEXT} ${link('/old')} ${link('/print')}`),
      '/old': { status: 301, headers: { location: '/new?gclid=1' } },
      '/print': article('New', `${TEXT} New`, '<link rel="canonical" href="/new">'),
      '/new': article('New', `${TEXT} New`, '<link rel="canonical" href="/new">'),
    });
    const crawled = await crawlAll({ settings: { startUrls: [site.origin] } });
    expect(pathsOf(crawled)).toEqual(['/', '/new']);
    expect(crawled.refusals).toEqual([
      `/old: duplicate ${site.origin}/new`,
      `/print: duplicate ${site.origin}/new`,
    ]);
  });

  it('keeps pages of the same content once', async () => {
    const site = await serveWebsite({
      '/sitemap.xml': { status: 302, headers: { location: '/list.xml' } },
      '/list.xml': (_, response) => response.end(sitemapOf(['/a', '/b'].map((path) => site.origin + path))),
      '/a': article('A', TEXT),
      '/b': article('A', TEXT),
    });
    const crawled = await crawlAll({ settings: { startUrls: [`${site.origin}/sitemap.xml`] } });
    expect(pathsOf(crawled)).toEqual(['/a']);
    expect(crawled.refusals).toEqual([`/b: duplicate ${site.origin}/a`]);
  });

  it('recognizes translations of the page in the source locale', async () => {
    const alternates =
      '<link rel="alternate" hreflang="en-US" href="/en"><link rel="alternate" hreflang="de" href="/de">';
    const site = await serveWebsite({
      '/en': article('Returns', `${TEXT} ${link('/de')}`, alternates),
      '/de': article('Rückgabe', 'Schicken Sie das Paket zurück.', alternates).replace(
        'lang="en"',
        'lang="de"',
      ),
    });
    const { documents } = await crawlAll({
      settings: { startUrls: [`${site.origin}/en`] },
      sourceLocale: 'en-US',
    });
    expect(documents).toMatchObject([
      { locale: 'en-US' },
      { locale: 'de', title: 'Rückgabe', translationOf: `${site.origin}/en` },
    ]);
    expect(documents[0]!.translationOf).toBeUndefined();
  });

  it('finds translations that only the sitemap names, even if it lists the original alone', async () => {
    const german = (title: string) =>
      article(title, `Schicken Sie das Paket zurück: ${title}.`).replace('lang="en"', 'lang="de"');
    const site = await serveWebsite((path) => {
      const { origin } = site;
      const link = (locale: string, to: string) =>
        `<xhtml:link rel='alternate' href="${origin}${to}?a=1&amp;b=2" hreflang="${locale}" />`;
      if (path === '/sitemap.xml')
        return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
          <url><loc>${origin}/en/1?a=1&amp;b=2</loc>${link('en', '/en/1')}${link('de', '/de/1')}</url>
          <url><loc>${origin}/de/1?a=1&amp;b=2</loc>${link('en', '/en/1')}${link('de', '/de/1')}</url>
          <url><loc>${origin}/en/2</loc><image:image><image:loc>${origin}/a.png</image:loc></image:image>
            <xhtml:link rel="alternate" hreflang="x-default" href="${origin}/choose"/>
            <xhtml:link rel="alternate" hreflang="en" href="${origin}/en/2"/>${link('de', '/de/2')}</url>
          <url><loc>${origin}/de/3</loc><xhtml:link rel="alternate" hreflang="en" href="https://other.example/3"/></url>
        </urlset>`;
      if (path === '/robots.txt') return undefined;
      return path.startsWith('/de') ? german(path) : article(path, `${TEXT} ${path}`);
    });
    const { documents, refusals } = await crawlAll({
      settings: { startUrls: [`${site.origin}/sitemap.xml`] },
    });
    const links = documents.map(({ place, translationOf }) => [
      place.slice(site.origin.length),
      translationOf?.slice(site.origin.length),
    ]);
    expect(links).toEqual([
      ['/en/1?a=1&b=2', undefined],
      ['/de/1?a=1&b=2', '/en/1?a=1&b=2'],
      ['/en/2', undefined],
      ['/de/2?a=1&b=2', '/en/2'],
      ['/de/3', undefined],
    ]);
    expect(refusals).toEqual(['/3: not_proved https://other.example']);
  });

  it('reads a sitemap in which few of very many pages are wanted', async () => {
    const site = await serveWebsite((path) => {
      if (path !== '/sitemap.xml')
        return path.startsWith('/help/') ? article(path, `${TEXT} ${path}`) : undefined;
      const products = Array.from({ length: 12_000 }, (_, at) => `${site.origin}/products/${at}`);
      return sitemapOf([...products, `${site.origin}/help/a`, `${site.origin}/help/b`]);
    });
    const settings = { startUrls: [`${site.origin}/sitemap.xml`], include: ['/help/*'] };
    const crawled = await crawlAll({ settings });
    expect(pathsOf(crawled)).toEqual(['/help/a', '/help/b']);
    expect(crawled.refusals).toEqual([]);
  });

  it('retries when the website was overloaded for a moment', async () => {
    let asked = 0;
    const site = await serveWebsite({
      '/': (_, response) => {
        asked += 1;
        if (asked === 1) response.writeHead(429, { 'retry-after': '0' }).end();
        else response.writeHead(200, { 'content-type': 'text/html' }).end(article('Start', TEXT));
      },
    });
    expect(pathsOf(await crawlAll({ settings: { startUrls: [site.origin] } }))).toEqual(['/']);
  });

  it('keeps the pace that robots.txt asks for', async () => {
    const times: number[] = [];
    const site = await serveWebsite((path) => (_, response) => {
      if (path !== '/robots.txt') times.push(performance.now());
      if (path === '/robots.txt') response.end('User-agent: *\nCrawl-delay: 0.2');
      else if (path === '/s.xml')
        response.end(sitemapOf(['/a', '/b', '/c'].map((each) => site.origin + each)));
      else response.writeHead(200, { 'content-type': 'text/html' }).end(article(path, `${TEXT} ${path}`));
    });
    const startedAt = performance.now();
    await crawlAll({ settings: { startUrls: [`${site.origin}/s.xml`] } });
    // Measured from the start, because on a busy machine single requests may be recorded late.
    expect(times.at(-1)! - startedAt).toBeGreaterThan(390);
  });
});

describe('the next run', () => {
  const readTwice = async (pages: Pages, changes: Pages) => {
    let now = pages;
    const site = await serveWebsite((path) =>
      path === '/s.xml'
        ? sitemapOf(Object.keys(now).map((each) => site.origin + each))
        : (now[path] ?? gone(path)),
    );
    const gone = (path: string) => (path === '/robots.txt' ? undefined : changes[path]);
    const settings = { startUrls: [`${site.origin}/s.xml`] };
    const earlier = await crawlAll({ settings });
    now = { ...pages, ...changes };
    return { earlier, next: await crawlAll({ settings, earlier }), site };
  };
  const withTag =
    (tag: string, title: string): Pages[string] =>
    (request, response) => {
      const isSame = request.headers['if-none-match'] === `"${tag}"`;
      response.writeHead(isSame ? 304 : 200, { 'content-type': 'text/html', etag: `"${tag}"` });
      response.end(isSame ? '' : article(title, `${TEXT} ${title}`));
    };

  it('asks whether pages have changed, and keeps those that have not', async () => {
    const { next } = await readTwice(
      { '/a': withTag('1', 'A'), '/b': withTag('1', 'B') },
      {
        '/b': withTag('2', 'B new'),
        '/copy': article('Copy', `${TEXT} A`).replace('<h1>Copy</h1>', ''),
      },
    );
    expect(next.unchanged).toEqual(['/a']);
    expect(next.documents).toMatchObject([{ title: 'B new' }]);
    expect(next.refusals).toHaveLength(1);
    expect(next.refusals[0]).toMatch(/^\/copy: duplicate http.*\/a$/);
  });

  it('names pages that are gone, and keeps those that do not answer now', async () => {
    const { next } = await readTwice(
      { '/a': article('A', TEXT), '/b': article('B', `${TEXT} B`) },
      {
        '/a': { status: 410 },
        '/b': { status: 500 },
      },
    );
    expect(next.gone).toEqual(['/a']);
    expect(next.refusals).toEqual(['/b: http_status 500']);
  });

  it('asks for pages of earlier runs that no link leads to', async () => {
    let start = article('Start', `${TEXT} ${link('/a')} ${link('/later')}`);
    const site = await serveWebsite((path) => {
      if (path === '/') return start;
      return path === '/a'
        ? article('A', `${TEXT} A`)
        : path === '/later' && start.includes('/later')
          ? article('B', `${TEXT} B`)
          : undefined;
    });
    const settings = { startUrls: [site.origin] };
    const earlier = await crawlAll({ settings });
    start = article('Start', TEXT);
    const next = await crawlAll({ settings, earlier });
    expect(pathsOf(next)).toEqual(['/', '/a']);
    expect(next.gone).toEqual(['/later']);
  });
});

it('a crawl rejects with the reason when it is cancelled', async () => {
  const site = await serveWebsite((path) =>
    path === '/robots.txt' ? undefined : article(path, `${TEXT} ${link(`${path}x`)}`),
  );
  const controller = new AbortController();
  const crawling = crawlAll({
    settings: { startUrls: [site.origin] },
    signal: controller.signal,
    intervalMillis: 20,
  });
  setTimeout(() => controller.abort(new Error('cancelled')), 200);
  await expect(crawling).rejects.toThrow('cancelled');
});

describe('the token file proves an origin', () => {
  const proof = { token: 'q83vASNFZ4mrze8B', path: '/.well-known/guidepost-q83vASNFZ4mrze8B.txt' };
  it.each<[string, Pages[string] | undefined, boolean]>([
    ['that serves it', 'q83vASNFZ4mrze8B\n', true],
    ['that serves another token', 'another', false],
    ['that serves nothing', undefined, false],
    ['that answers everything with a page', { body: 'x'.repeat(5000) }, false],
    ['that redirects to another', { status: 302, headers: { location: 'http://localhost:1/' } }, false],
  ])('%s', async (_name, page, isProved) => {
    const site = await serveWebsite(page === undefined ? {} : { [proof.path]: page });
    const fetcher = createFetcher({ networks: ['127.0.0.0/8'] });
    expect(await servesTokenFile(fetcher, site.origin, proof, new AbortController().signal)).toBe(isProved);
    fetcher.close();
  });
});

it.each([
  ['HTTPS://Shop.Example:443/a/../b?utm_source=x&q=1#part', 'https://shop.example/b?q=1'],
  ['https://shop.example/%7euser/%c3%a4?q=a%20b', 'https://shop.example/~user/%C3%A4?q=a%20b'],
  ['https://shop.example/a;jsessionid=12?', 'https://shop.example/a'],
  ['https://shop.example/ä', 'https://shop.example/%C3%A4'],
  ['https://me:secret@shop.example/', undefined],
  ['file:///etc/passwd', undefined],
  ['javascript:alert(1)', undefined],
  ['no url', undefined],
])('canonicalUrl writes %s as %s', (url, canonical) => {
  expect(toCanonicalUrl(url)).toBe(canonical);
});

it.each([
  ['/help/*', 'https://a.example/help/x/y', true],
  ['/help/*', 'https://a.example/shop', false],
  ['/help/:page', 'https://a.example/help/x/y', false],
  ['*.html', 'https://a.example/help/x.html', true],
  ['https://a.example', 'https://a.example/x', true],
  ['https://a.example/help/*', 'https://a.example/help/x', true],
  ['https://a.example/help/*', 'https://b.example/help/x', false],
  ['https://a.example:8080/*', 'https://a.example/x', false],
  ['/x?page=*', 'https://a.example/x?page=2', true],
  ['/x?page=*', 'https://a.example/x', false],
  ['/{*}\\?*print=1*', 'https://a.example/any?a=b&print=1', true],
])('the rule %s on %s: %s', (rule, url, matches) => {
  expect(createUrlFilter({ include: [rule] })(url)).toBe(matches);
  expect(createUrlFilter({ exclude: [rule] })(url)).toBe(!matches);
});

it.each([['help/*'], ['(a+)+'], ['/(a+)+'], ['ftp://a.example/*'], ['https://*.example/'], ['']])(
  'parseUrlRule rejects %s',
  (rule) => {
    expect(parseUrlRule(rule)).toBeUndefined();
  },
);
