import { PUBLIC } from '../base/audience.ts';
import { toArticlePath, toCollectionPath } from '../base/help-paths.ts';
import type { PageReply } from '../http/pages.ts';
import type { NewText, PublishedText } from '../storage/help-texts.ts';
import type { Store } from '../storage/store.ts';
import { type HelpAddresses, toBaseUrl } from './addresses.ts';
import { type Html, html } from './html.ts';
import type { HelpCentre } from './site.ts';

/** What a help centre has for programs: sitemap, feeds, `robots.txt`, `llms.txt`, and each article as Markdown. */

type Deps = { store: Pick<Store, 'in'>; helpAddresses: HelpAddresses };

const SITEMAP_TEXTS_MAX = 1000;
const SITEMAP_ARTICLES_MIN = 30;
const FEED_ENTRIES_MAX = 50;
const LLMS_LINKS_MAX = 500;

const XML = 'application/xml; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/** Sorts before every article. */
const FIRST_ARTICLE = '';

/** Returns undefined where there is nothing for programs. */
export async function readForMachines(
  deps: Deps,
  centre: HelpCentre,
  [first = '', second, ...more]: readonly string[],
): Promise<PageReply | undefined> {
  if (more.length > 0) return undefined;
  if (second === undefined) {
    if (first === 'sitemap.xml') return readSitemap(deps, centre);
    if (first === 'llms.txt') return reply(TEXT, await renderLinks(deps, centre));
    if (first === 'robots.txt') return reply(TEXT, renderRobots(centre));
    const key = toIndexNowKey(centre);
    return first === `${key}.txt` ? reply(TEXT, key) : undefined;
  }
  const article = /^(art_\w{1,32})\.xml$/.exec(second)?.[1];
  if (first === 'sitemaps' && article !== undefined) return readSitemapPart(deps, centre, article);
  if (!centre.locales.includes(first)) return undefined;
  if (second === 'feed.xml') return readFeed(deps, centre, first);
  return second.endsWith('.md') ? readMarkdown(deps, centre, first, second.slice(0, -3)) : undefined;
}

/** The key with which the owner of a site proves to search engines that news of it are theirs. It is public. */
const toIndexNowKey = ({ workspace }: HelpCentre) => workspace.appId.replaceAll('_', '-');

const reply = (contentType: string, content: Html | string): PageReply => ({
  status: 200,
  text: typeof content === 'string' ? content : content.text,
  contentType,
});

/** Articles of one file, so that their texts are about as many as one file has. */
const countPerFile = ({ locales }: HelpCentre) =>
  Math.max(SITEMAP_ARTICLES_MIN, Math.floor(SITEMAP_TEXTS_MAX / Math.max(1, locales.length)));

/** Returns one file, or where there are many articles an index of files, each named by its first article. */
async function readSitemap({ store }: Deps, centre: HelpCentre): Promise<PageReply | undefined> {
  if (!centre.settings.searchEngines) return undefined;
  const { helpTexts } = store.in(centre.workspace.id);
  const distance = countPerFile(centre);
  const starts: string[] = [];
  for (let from = FIRST_ARTICLE; ; ) {
    const start = await helpTexts.skip(from, from === FIRST_ARTICLE ? 0 : distance);
    if (start === undefined) break;
    starts.push(start);
    from = start;
  }
  if (starts.length <= 1) return reply(XML, await renderSitemap({ store }, centre, FIRST_ARTICLE, true));
  const baseUrl = toBaseUrl(centre);
  const files = starts.map((id) => html`<sitemap><loc>${baseUrl}/sitemaps/${id}.xml</loc></sitemap>\n`);
  return reply(
    XML,
    html`<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${files}</sitemapindex>
`,
  );
}

async function readSitemapPart(
  deps: Deps,
  centre: HelpCentre,
  fromArticleId: string,
): Promise<PageReply | undefined> {
  if (!centre.settings.searchEngines) return undefined;
  const isFirst =
    (await deps.store.in(centre.workspace.id).helpTexts.skip(FIRST_ARTICLE, 0)) === fromArticleId;
  return reply(XML, await renderSitemap(deps, centre, fromArticleId, isFirst));
}

async function renderSitemap(
  { store }: Pick<Deps, 'store'>,
  centre: HelpCentre,
  fromArticleId: string,
  isFirst: boolean,
): Promise<Html> {
  const { helpTexts, collections } = store.in(centre.workspace.id);
  const [texts, published] = await Promise.all([
    helpTexts.list(fromArticleId, countPerFile(centre)),
    isFirst ? collections.listPublished(PUBLIC) : [],
  ]);
  const byArticle = Map.groupBy(
    texts.filter(({ url }) => url === null),
    ({ articleId }) => articleId,
  );
  const everywhere = (toPath: (locale: string) => string) =>
    centre.locales.map((locale): SitemapPage => ({ locale, path: toPath(locale) }));
  const pages = [
    ...(isFirst
      ? renderPages(
          centre,
          everywhere((locale) => `/${locale}`),
        )
      : []),
    ...published.flatMap(({ slug }) =>
      renderPages(
        centre,
        everywhere((locale) => toCollectionPath(locale, slug)),
      ),
    ),
    ...[...byArticle.values()].flatMap((variants) => renderPages(centre, variants.map(toSitemapPage))),
  ];
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${pages}</urlset>
`;
}

/** A page in one of its languages. */
type SitemapPage = { locale: string; path: string; isSource?: boolean; at?: number };

const toSitemapPage = (text: PublishedText): SitemapPage => ({
  locale: text.locale,
  path: toArticlePath(text),
  isSource: text.isSource === 1,
  at: text.publishedAt,
});

/** Renders a page in all its languages, each with links to the others. */
function renderPages(centre: HelpCentre, pages: readonly SitemapPage[]): Html[] {
  const baseUrl = toBaseUrl(centre);
  const { sourceLocale } = centre.workspace.settings;
  const main = pages.find(({ isSource }) => isSource) ?? pages.find(({ locale }) => locale === sourceLocale);
  const link = (language: string, { path }: SitemapPage) =>
    html`<xhtml:link rel="alternate" hreflang="${language}" href="${baseUrl}${path}"/>`;
  const links = [
    ...pages.map((page) => link(page.locale, page)),
    ...(pages.length > 0 ? [link('x-default', main ?? pages[0]!)] : []),
  ];
  return pages.map(
    ({ path, at }) =>
      html`<url><loc>${baseUrl}${path}</loc>${at !== undefined && html`<lastmod>${new Date(at).toISOString()}</lastmod>`}${links}</url>\n`,
  );
}

async function readFeed({ store }: Deps, centre: HelpCentre, locale: string): Promise<PageReply> {
  const { workspace, settings } = centre;
  const entries = await store.in(workspace.id).helpTexts.listNewest(locale, FEED_ENTRIES_MAX);
  const baseUrl = toBaseUrl(centre);
  const name = settings.title ?? workspace.name;
  const toTime = (millis: number) => new Date(millis).toISOString();
  const renderEntry = (text: NewText) => html`<entry>
<id>urn:guidepost:${text.articleId}:${locale}</id>
<title>${text.title}</title>
<link href="${text.url ?? baseUrl + toArticlePath(text)}"/>
<updated>${toTime(text.publishedAt)}</updated>
<summary>${text.summary}</summary>
</entry>
`;
  const feed = html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${locale}">
<id>urn:guidepost:${workspace.appId}:${locale}</id>
<title>${name}</title>
<author><name>${name}</name></author>
<link rel="self" type="application/atom+xml" href="${baseUrl}/${locale}/feed.xml"/>
<link href="${baseUrl}/${locale}"/>
<updated>${toTime(entries[0]?.publishedAt ?? workspace.createdAt)}</updated>
${entries.map(renderEntry)}</feed>
`;
  return reply('application/atom+xml; charset=utf-8', feed);
}

/** Crawlers that collect texts for training, and the names by which others may use pages for it. */
const AI_CRAWLERS = [
  'AI2Bot',
  'Amazonbot',
  'Applebot-Extended',
  'Bytespider',
  'CCBot',
  'ClaudeBot',
  'Diffbot',
  'GPTBot',
  'Google-Extended',
  'PanguBot',
  'Timpibot',
  'cohere-training-data-crawler',
  'meta-externalagent',
];

/** Search engines may read the pages also where they must not list them: otherwise they would not see that. */
function renderRobots(centre: HelpCentre): string {
  const { aiCrawlers, searchEngines } = centre.settings;
  const refused = aiCrawlers ? [] : [...AI_CRAWLERS.map((name) => `User-agent: ${name}`), 'Disallow: /', ''];
  const sitemap = searchEngines ? [`Sitemap: ${toBaseUrl(centre)}/sitemap.xml`] : [];
  return [...refused, 'User-agent: *', 'Disallow:', '', ...sitemap, ''].join('\n');
}

const AI_CRAWLER = new RegExp(`\\b(${AI_CRAWLERS.join('|')})\\b`, 'i');

/** Whether the owner refuses this crawler. Below `/help`, where crawlers read no `robots.txt`, it gets no page. */
export const isRefusedCrawler = ({ settings }: HelpCentre, userAgent = '') =>
  !settings.aiCrawlers && AI_CRAWLER.test(userAgent);

/** Lists the articles in the main language as https://llmstxt.org describes it. */
async function renderLinks({ store }: Deps, centre: HelpCentre): Promise<string> {
  const { workspace, settings, locales } = centre;
  const { sourceLocale } = workspace.settings;
  const locale = locales.includes(sourceLocale) ? sourceLocale : (locales[0] ?? sourceLocale);
  const { collections, helpPages } = store.in(workspace.id);
  const baseUrl = toBaseUrl(centre);
  const lines = [`# ${toLine(settings.title ?? workspace.name)}`, ''];
  if (settings.tagline !== undefined) lines.push(`> ${toLine(settings.tagline)}`, '');
  let left = LLMS_LINKS_MAX;
  for (const { id, name } of [
    ...(await collections.listPublished(PUBLIC)),
    { id: undefined, name: 'Articles' },
  ]) {
    const articles = left > 0 ? await helpPages.list(locale, id, left) : [];
    left -= articles.length;
    if (articles.length === 0) continue;
    const links = articles.map(
      (each) => `- [${toLine(each.title).replace(/[[\]\\]/g, '\\$&')}](${baseUrl}${toArticlePath(each)}.md)`,
    );
    lines.push(`## ${toLine(name)}`, '', ...links, '');
  }
  return lines.join('\n');
}

const toLine = (text: string) => text.replace(/\s+/g, ' ');

/** Returns an article as Markdown, with its address and dates in front. */
async function readMarkdown(
  { store, helpAddresses }: Deps,
  centre: HelpCentre,
  locale: string,
  slug: string,
): Promise<PageReply | undefined> {
  const { workspace } = centre;
  const found = await helpAddresses.find(workspace.id, locale, slug);
  if (!found || found.kind === 'gone') return found && { status: 410, text: 'Gone\n', contentType: TEXT };
  if (found.kind === 'moved') {
    const location = `${centre.basePath}${toArticlePath({ locale, slug: found.slug })}.md`;
    return { status: 301, headers: { location } };
  }
  const { articleId, contentLocale, variants } = found;
  const own = variants.find((each) => each.locale === contentLocale)!;
  const { passages, helpPages } = store.in(workspace.id);
  const [article] = await passages.load([own.passageId]);
  const source = variants.find(({ isSource }) => isSource);
  const [place, sourcePlace] = await Promise.all(
    [contentLocale, source?.locale ?? contentLocale].map((each) => helpPages.findPlace(articleId, each)),
  );
  if (!article || !place || !sourcePlace) return undefined;
  const fields = {
    title: article.title,
    url: article.url ?? toBaseUrl(centre) + toArticlePath(own),
    language: contentLocale,
    published: new Date(place.publishedAt).toISOString(),
    ...(article.translationId !== undefined && {
      source_language: source!.locale,
      source_published: new Date(sourcePlace.publishedAt).toISOString(),
      stale: article.stale,
    }),
  };
  // JSON is YAML.
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const text = `---\n${lines.join('\n')}\n---\n\n# ${toLine(article.title)}\n\n${article.answer}\n`;
  return {
    ...reply('text/markdown; charset=utf-8', text),
    headers: { 'x-robots-tag': 'noindex', link: `<${encodeURI(fields.url)}>; rel="canonical"` },
  };
}
