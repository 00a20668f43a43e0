import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { article, serveWebsite, sitemapOf } from '../../support/website.ts';
import { crawlAll } from './crawling.ts';

/** The forms of sitemaps, and what pages and responses tell robots. */

const TEXT = 'Send the parcel back within thirty days, and we return the money.';
const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

async function crawlSitemap(path: string, body: (origin: string) => string | Buffer) {
  const site = await serveWebsite((requested) =>
    requested === path
      ? { body: body(site.origin), headers: { 'content-type': 'application/octet-stream' } }
      : requested === '/robots.txt'
        ? undefined
        : article(requested, `${TEXT} ${requested}`),
  );
  const { documents, refusals } = await crawlAll({ settings: { startUrls: [site.origin + path] } });
  return { paths: documents.map(({ place }) => new URL(place).pathname), refusals };
}

describe('a sitemap', () => {
  it.each([
    ['of lines', '/sitemap.txt', (o: string) => `\ufeff${o}/a\r\n${o}/b\n`],
    [
      'that is RSS',
      '/feed.rss',
      (o: string) =>
        `${XML}<rss version="2.0"><channel><link>${o}/</link><item><link>${o}/a</link></item><item><guid>${o}/b</guid></item></channel></rss>`,
    ],
    [
      'that is Atom',
      '/atom.xml',
      (o: string) =>
        `${XML}<feed xmlns="http://www.w3.org/2005/Atom"><link href="${o}/"/><entry><link rel="self" href="${o}/x"/><link href="${o}/a"/></entry><entry><link rel="alternate" href="${o}/b"/></entry></feed>`,
    ],
    [
      'in UTF-16',
      '/sitemap.xml',
      (o: string) =>
        Buffer.from(
          `\ufeff<?xml version="1.0" encoding="UTF-16"?><urlset ${NAMESPACE}><url><loc>${o}/a</loc></url><url><loc>${o}/b</loc></url></urlset>`,
          'utf16le',
        ),
    ],
    ['without an extension', '/sitemap', (o: string) => sitemapOf([`${o}/a`, `${o}/b`])],
    ['of lines without an extension', '/sitemap_index', (o: string) => `${o}/a\n${o}/b\n`],
    ['that is packed', '/sitemap.xml.gz', (o: string) => gzipSync(sitemapOf([`${o}/a`, `${o}/b`]))],
    [
      'with a comment',
      '/sitemap.xml',
      (o: string) =>
        `<urlset ${NAMESPACE}><url><loc>${o}/a</loc></url><!-- <url><loc>${o}/secret</loc></url> --><url><loc>${o}/b</loc></url></urlset>`,
    ],
    [
      'with prefixes, and pictures first',
      '/sitemap.xml',
      (o: string) =>
        `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><s:url><image:loc>${o}/x.png</image:loc><image:image><image:loc>${o}/y.png</image:loc></image:image><s:loc><![CDATA[${o}/a]]></s:loc></s:url><s:url><s:loc>${o}/b</s:loc></s:url></s:urlset>`,
    ],
  ])('%s is read', async (_, path, body) => {
    expect(await crawlSitemap(path, body)).toEqual({ paths: ['/a', '/b'], refusals: [] });
  });

  it('is told from a page by its content, with one request for the page', async () => {
    const site = await serveWebsite((path) =>
      path === '/sitemap'
        ? { status: 301, headers: { location: '/map' } }
        : path === '/map'
          ? { body: sitemapOf([`${site.origin}/a`]), headers: { 'content-type': 'text/html' } }
          : path === '/robots.txt'
            ? undefined
            : article(path, `${TEXT} ${path}`),
    );
    const startUrls = [`${site.origin}/sitemap`, `${site.origin}/sitemap-of-the-shop`];
    const { documents, refusals } = await crawlAll({ settings: { startUrls } });
    const paths = documents.map(({ place }) => new URL(place).pathname);
    // Links of the page lead to its home.
    expect(paths.sort()).toEqual(['/', '/a', '/sitemap-of-the-shop']);
    expect(refusals).toEqual([]);
    expect(site.requests.filter(({ path }) => path === '/sitemap-of-the-shop')).toHaveLength(1);
  });

  it('counts entries without a usable address', async () => {
    const { paths, refusals } = await crawlSitemap(
      '/sitemap.xml',
      (o) =>
        `<urlset ${NAMESPACE}><url><loc>mailto:a@example.com</loc></url><url></url><url><loc>${o}/a</loc></url></urlset>`,
    );
    expect(paths).toEqual(['/a']);
    expect(refusals).toEqual(['/sitemap.xml: invalid_url entries without an address: 2']);
  });

  it('of an index that cannot be read costs only its own pages, and those of earlier runs stay', async () => {
    let isBroken = false;
    const site = await serveWebsite((path) => {
      if (path === '/sitemap.xml')
        return `<sitemapindex ${NAMESPACE}>${['/one.xml', '/two.xml'].map((each) => `<sitemap><loc>${site.origin}${each}</loc></sitemap>`).join('')}</sitemapindex>`;
      if (path === '/one.xml') return isBroken ? { status: 500 } : sitemapOf([`${site.origin}/a`]);
      if (path === '/two.xml') return sitemapOf([`${site.origin}/b`]);
      return path === '/robots.txt' ? undefined : article(path, `${TEXT} ${path}`);
    });
    const settings = { startUrls: [`${site.origin}/sitemap.xml`] };
    const earlier = await crawlAll({ settings });
    isBroken = true;
    const crawled = await crawlAll({ settings, earlier });
    expect(crawled.documents.map(({ place }) => new URL(place).pathname).sort()).toEqual(['/a', '/b']);
    expect(crawled.refusals).toEqual(['/one.xml: http_status 500']);
  });
});

describe('a page', () => {
  const crawlPage = async (header: string | string[] | undefined, head = '') => {
    const site = await serveWebsite({
      '/sitemap.xml': (_, response) => response.end(sitemapOf([`${site.origin}/a`])),
      '/a': {
        body: article('A', TEXT, head),
        headers: { 'content-type': 'text/html', ...(header && { 'x-robots-tag': header }) },
      },
      '/b': article('B', `${TEXT} B`),
    });
    const { documents, refusals } = await crawlAll({
      settings: { startUrls: [`${site.origin}/sitemap.xml`] },
    });
    return [
      ...documents.map(({ place }) => new URL(place).pathname),
      ...refusals.map((text) => text.replace(site.origin, '')),
    ];
  };

  it.each([
    ['otherbot: noindex', ['/a']],
    ['otherbot: noindex, nofollow', ['/a']],
    ['guidepost: noindex', ['/a: no_index']],
    ['noindex', ['/a: no_index']],
    [
      'unavailable_after: 25 Jun 2010 15:00:00 PST',
      ['/a: draft unavailable_after: 2010-06-25T23:00:00.000Z'],
    ],
    [
      'unavailable_after: Friday, 25-Jun-10 15:00:00 UTC',
      ['/a: draft unavailable_after: 2010-06-25T15:00:00.000Z'],
    ],
    ['max-snippet: 20, unavailable_after: 2090-01-01', ['/a']],
  ])('with the header %j is read if the header concerns us not', async (header, expected) => {
    expect(await crawlPage(header)).toEqual(expected);
  });

  it('adds up rules for all robots', async () => {
    expect(
      await crawlPage(
        undefined,
        '<meta name="robots" content="nofollow"><meta name="robots" content="noindex"><meta name="otherbot" content="none">',
      ),
    ).toEqual(['/a: no_index']);
  });

  it('that refreshes after zero seconds leads to its target', async () => {
    expect(await crawlPage(undefined, '<meta http-equiv="refresh" content="0; url=/b">')).toEqual([
      '/b',
      '/a: duplicate /b',
    ]);
    expect(await crawlPage(undefined, '<meta http-equiv="refresh" content="300; url=/b">')).toEqual(['/a']);
  });
});
