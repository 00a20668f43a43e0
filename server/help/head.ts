import { identity, memoize } from '../base/cache.ts';
import { toArticlePath, toCollectionPath } from '../base/help-paths.ts';
import type { AddressedVariant } from '../storage/article-addresses.ts';
import { toBaseUrl } from './addresses.ts';
import { Html, html } from './html.ts';
import type { HelpCentre } from './site.ts';

/** What search engines and other programs read in the head of a page. */

type LocalPath = { locale: string; path: string };

/** What the head says of an article. */
export type ArticleHead = {
  publishedAt: number;
  /** The published texts; a page in another language is not listed. */
  variants: readonly AddressedVariant[];
  collection?: { name: string; slug: string } | undefined;
  /** Where the owner keeps the text instead. */
  url?: string | undefined;
};

type PageHead = {
  title?: string | undefined;
  description?: string | undefined;
  alternates: readonly LocalPath[];
  isIndexed?: boolean | undefined;
  article?: ArticleHead | undefined;
};

/** Returns nothing for a page that is not to be listed. */
export function renderHead(centre: HelpCentre, locale: string, page: PageHead): Html | undefined {
  if (!page.isIndexed) return undefined;
  const { workspace, settings, serviceUrl } = centre;
  const { article } = page;
  const baseUrl = toBaseUrl(centre);
  const own = page.alternates.find((each) => each.locale === locale);
  const url = article?.url ?? baseUrl + (own?.path ?? '');
  const name = settings.title ?? workspace.name;
  const logo = workspace.settings.branding?.logo;
  const meta = (property: string, content: string | undefined) =>
    content !== undefined && html`<meta property="${property}" content="${content}">\n`;
  return html`<link rel="canonical" href="${url}">
${article?.url === undefined && renderLanguages(centre, page)}
<link rel="alternate" type="application/atom+xml" href="${baseUrl}/${locale}/feed.xml" title="${name}">
${article && own && html`<link rel="alternate" type="text/markdown" href="${baseUrl}${own.path}.md">`}
${meta('og:type', article ? 'article' : 'website')}${meta('og:title', page.title ?? name)}
${meta('og:description', page.description)}${meta('og:url', url)}${meta('og:site_name', name)}
${meta('og:locale', toTerritory(locale))}${meta('og:image', logo && serviceUrl + logo)}
${article && renderData([toArticleData(centre, locale, { ...page, article, url }), toBreadcrumbs(centre, locale, page)])}`;
}

/** Names the page in each language. Every page of them names the same ones. */
function renderLanguages(centre: HelpCentre, { alternates, article }: PageHead): readonly Html[] {
  const baseUrl = toBaseUrl(centre);
  const { sourceLocale } = centre.workspace.settings;
  const pages = article ? listTranslated(article) : alternates;
  const main = article?.variants.find(({ isSource }) => isSource)?.locale ?? sourceLocale;
  const fallback = pages.find(({ locale }) => locale === main) ?? pages[0];
  const link = (language: string, path: string) =>
    html`<link rel="alternate" hreflang="${language}" href="${baseUrl}${path}">\n`;
  return [
    ...pages.map(({ locale, path }) => link(locale, path)),
    ...(fallback ? [link('x-default', fallback.path)] : []),
  ];
}

/** Lists the pages of an article in its languages, without texts that the owner keeps elsewhere. */
export const listTranslated = ({ variants }: Pick<ArticleHead, 'variants'>): LocalPath[] =>
  variants
    .filter(({ url }) => url === null)
    .map((variant) => ({ locale: variant.locale, path: toArticlePath(variant) }));

/** `de` becomes `de_DE`, as Open Graph writes languages. */
const toTerritory = memoize((locale) => {
  const { language, region } = new Intl.Locale(locale).maximize();
  return region === undefined ? language : `${language}_${region}`;
}, identity);

type Data = Readonly<Record<string, unknown>>;

function toArticleData(
  { workspace, settings, serviceUrl }: HelpCentre,
  locale: string,
  { title, description, article, url }: PageHead & { article: ArticleHead; url: string },
): Data {
  const logo = workspace.settings.branding?.logo;
  return {
    '@type': 'Article',
    headline: title,
    ...(description !== undefined && { description }),
    inLanguage: locale,
    dateModified: new Date(article.publishedAt).toISOString(),
    mainEntityOfPage: url,
    publisher: {
      '@type': 'Organization',
      name: settings.title ?? workspace.name,
      ...(logo && { logo: { '@type': 'ImageObject', url: serviceUrl + logo } }),
    },
  };
}

function toBreadcrumbs(centre: HelpCentre, locale: string, { title, article }: PageHead): Data {
  const baseUrl = toBaseUrl(centre);
  const steps = [
    { name: centre.settings.title ?? centre.workspace.name, item: `${baseUrl}/${locale}` },
    ...(article?.collection
      ? [{ name: article.collection.name, item: baseUrl + toCollectionPath(locale, article.collection.slug) }]
      : []),
    { name: title },
  ];
  return {
    '@type': 'BreadcrumbList',
    itemListElement: steps.map((step, at) => ({ '@type': 'ListItem', position: at + 1, ...step })),
  };
}

/** Renders JSON-LD, which no browser runs. A title cannot end the element, because it has no `<`. */
function renderData(graph: readonly Data[]): Html {
  const json = JSON.stringify({ '@context': 'https://schema.org', '@graph': graph });
  return new Html(`<script type="application/ld+json">${json.replaceAll('<', '\\u003c')}</script>`);
}
