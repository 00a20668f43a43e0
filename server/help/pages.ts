import { toPlainText } from '../../client/text-blocks.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { PUBLIC } from '../base/audience.ts';
import { toArticlePath, toCollectionPath } from '../base/help-paths.ts';
import { truncate } from '../base/text.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { toSnippet } from '../knowledge/articles.ts';
import { findHits } from '../knowledge/help-articles.ts';
import type { Retriever } from '../knowledge/search/retrieve.ts';
import type { AddressedVariant } from '../storage/article-addresses.ts';
import type { PublishedCollection } from '../storage/collections.ts';
import type { ArticlePlace, ListedArticle } from '../storage/help-pages.ts';
import type { ImageSize } from '../storage/images.ts';
import type { Passage } from '../storage/passages.ts';
import type { Store } from '../storage/store.ts';
import type { FoundAddress } from './addresses.ts';
import { type Html, html } from './html.ts';
import { type Page, renderSearch } from './layout.ts';
import { renderText } from './render-text.ts';
import {
  fillIn,
  getCollator,
  getDateFormat,
  getLanguageName,
  type HelpCentre,
  isSameLanguage,
  type PageLanguage,
  toDirection,
} from './site.ts';

export type PageDeps = {
  store: Pick<Store, 'in'>;
  retriever: Retriever;
  listCollections: (workspaceId: string) => Promise<readonly PublishedCollection[]>;
};

/** A page that was read, but not rendered. */
export type PlannedPage = {
  /** What was read: the page changes only with it, its help centre and its language. */
  state: unknown;
  /** Returns undefined if the article was unpublished or published anew meanwhile. */
  render(): Page | Promise<Page | undefined>;
};

const LIST_ROWS_MAX = 100;
const DESCRIPTION_CHARS_MAX = 160;

export async function planHome(
  { store, listCollections }: PageDeps,
  centre: HelpCentre,
  language: PageLanguage,
  after: string | undefined,
): Promise<PlannedPage> {
  const isFirst = after === undefined;
  const collections = isFirst ? await listCollections(centre.workspace.id) : [];
  const rows = await listRows(store, centre, language.locale, undefined, after);
  return {
    state: { isFirst, collections, rows },
    render: () => buildHome(centre, language, isFirst, collections, toArticleList(rows, language.locale)),
  };
}

function buildHome(
  centre: HelpCentre,
  language: PageLanguage,
  isFirst: boolean,
  collections: readonly PublishedCollection[],
  list: ArticleList,
): Page {
  const { workspace, settings, locales, basePath } = centre;
  const { locale, texts } = language;
  const numbers = new Intl.NumberFormat(locale);
  const cards = collections.map(
    ({ name, slug, articles }) =>
      html`<li><a href="${basePath}${toCollectionPath(locale, slug)}"><span dir="auto">${name}</span><span class="count">${numbers.format(articles)}</span></a></li>`,
  );
  return {
    description: settings.tagline,
    hasSearch: false,
    isIndexed: isFirst,
    alternates: locales.map((each) => ({ locale: each, path: `/${each}` })),
    main: html`<div class="hero">
<h1 dir="auto">${settings.title ?? workspace.name}</h1>
${settings.tagline !== undefined && html`<p dir="auto">${settings.tagline}</p>`}
${renderSearch(centre, language)}
</div>
${cards.length > 0 && html`<ul class="cards">${cards}</ul>`}
${
  list.articles.length > 0 &&
  html`<section class="columns">${cards.length > 0 && html`<h2>${texts.otherArticles}</h2>`}${renderList(list, centre, language, `/${locale}`)}</section>`
}`,
  };
}

export async function planCollection(
  { store }: PageDeps,
  centre: HelpCentre,
  language: PageLanguage,
  { id, name, slug }: PublishedCollection,
  after: string | undefined,
): Promise<PlannedPage> {
  const { locale } = language;
  const isFirst = after === undefined;
  const rows = await listRows(store, centre, locale, id, after);
  return {
    state: { isFirst, name, slug, rows },
    render: () => ({
      title: name,
      isIndexed: isFirst,
      alternates: centre.locales.map((each) => ({ locale: each, path: toCollectionPath(each, slug) })),
      main: html`${renderPath(centre, language)}
<h1 dir="auto">${name}</h1>
<div class="columns">${renderList(toArticleList(rows, locale), centre, language, toCollectionPath(locale, slug))}</div>`,
    }),
  };
}

type ArticleAddress = Extract<FoundAddress, { kind: 'article' }>;

/** Returns undefined if the article was unpublished meanwhile. */
export async function planArticle(
  { store }: PageDeps,
  centre: HelpCentre,
  language: PageLanguage,
  { articleId, contentLocale, variants }: ArticleAddress,
  isRated: boolean,
): Promise<PlannedPage | undefined> {
  const { passages, helpPages, images } = store.in(centre.workspace.id);
  const place = await helpPages.findPlace(articleId, contentLocale);
  if (!place) return undefined;
  return {
    state: { contentLocale, variants, place, isRated },
    async render() {
      const [article] = await passages.load([getVariant(variants, contentLocale).passageId]);
      if (!article) return undefined;
      const sizes = await images.listSizes(article.answer);
      return buildArticle(centre, language, { article, sizes, contentLocale, variants, place, isRated });
    },
  };
}

type ShownArticle = Pick<ArticleAddress, 'contentLocale' | 'variants'> & {
  article: Passage;
  sizes: readonly ImageSize[];
  place: ArticlePlace;
  isRated: boolean;
};

function buildArticle(
  centre: HelpCentre,
  language: PageLanguage,
  { article, sizes, contentLocale, variants, place, isRated }: ShownArticle,
): Page {
  const { workspace, serviceUrl } = centre;
  const { locale, texts } = language;
  const address = toArticlePath({ locale, slug: getVariant(variants, locale).slug });
  const collection =
    place.collectionName !== null && place.collectionSlug !== null
      ? { name: place.collectionName, slug: place.collectionSlug }
      : undefined;
  const updated = renderUpdated(texts.updated, new Date(place.publishedAt), locale);
  return {
    title: article.title,
    description: describe(article.answer),
    isIndexed: contentLocale === locale && !isRated,
    article: { publishedAt: place.publishedAt, variants, collection, url: article.url },
    alternates: centre.locales.map((each) => ({
      locale: each,
      path: toArticlePath({ locale: each, slug: getVariant(variants, each).slug }),
    })),
    main: html`<article>
${renderPath(centre, language, collection)}
<div lang="${contentLocale}" dir="${toDirection(contentLocale)}"><h1>${article.title}</h1></div>
${!article.stale && html`<p class="quiet">${updated}</p>`}
${!isSameLanguage(contentLocale, locale) && renderLanguageNote(contentLocale, language)}
${article.stale && html`<p class="note">${texts.stale} ${updated}</p>`}
<div class="text" lang="${contentLocale}" dir="${toDirection(contentLocale)}">
${renderText(article.answer, serviceUrl, sizes)}
</div>
${workspace.settings.features.feedback && renderRating(centre, language, address, isRated)}
</article>`,
  };
}

export async function buildSearch(
  { store, retriever }: PageDeps,
  centre: HelpCentre,
  language: PageLanguage,
  question: string,
): Promise<Page> {
  const { workspace, locales, basePath } = centre;
  const { locale, texts } = language;
  const hits =
    question === ''
      ? []
      : await findHits(retriever, workspace.id, question, { wanted: [locale], excluded: [] }, PUBLIC);
  const variants = await store.in(workspace.id).addresses.list(hits.map(({ articleId }) => articleId));
  const items = hits.flatMap((hit) => {
    const own = variants.filter(({ articleId }) => articleId === hit.articleId);
    const shown = own.find((each) => each.locale === hit.contentLocale);
    if (!shown) return [];
    // In its own language where it is not translated, below the language of the reader.
    const path = toArticlePath({ ...shown, locale: shown.isSource ? locale : shown.locale });
    return html`<li lang="${shown.locale}" dir="${toDirection(shown.locale)}"><a href="${basePath}${path}">${hit.title}</a><p>${toSnippet(hit)}</p></li>`;
  });
  const found = items.length === 0 ? texts.noArticles : fillIn(texts.articlesFound, { count: items.length });
  return {
    title: question || texts.searchArticles,
    hasSearch: false,
    alternates: locales.map((each) => ({
      locale: each,
      path: `/${each}/search?q=${encodeURIComponent(question)}`,
    })),
    main: html`<div class="narrow">
<h1>${texts.searchArticles}</h1>
${renderSearch(centre, language, question)}
${
  question !== '' &&
  html`<p class="quiet">${found}</p>
<ul class="list">${items}</ul>
<button class="button ask" type="button" data-ask="${question}" hidden>${fillIn(texts.askGuide, { question })}</button>`
}
</div>`,
  };
}

/** A page that does not exist, or not any more. Its search field holds the words of the address. */
export function buildMissing(
  { locales }: HelpCentre,
  { texts }: PageLanguage,
  status: 404 | 410,
  slug: string,
): Page {
  const words = truncate(slug.replace(/[-_.+]+/g, ' ').trim(), ARTICLE_LIMITS.titleCharsMax);
  const title = status === 410 ? texts.gone : texts.notFound;
  return {
    status,
    title,
    searched: words,
    alternates: locales.map((each) => ({ locale: each, path: `/${each}` })),
    main: html`<div class="narrow"><h1>${title}</h1></div>`,
  };
}

const getVariant = (variants: readonly AddressedVariant[], locale: string) =>
  variants.find((each) => each.locale === locale) ?? variants.find(({ isSource }) => isSource)!;

const describe = (answer: string) =>
  truncate(toPlainText(answer).replace(/\s+/g, ' ').trim(), DESCRIPTION_CHARS_MAX);

type ArticleList = { articles: readonly ListedArticle[]; next?: string };

const CURSOR = /^(?<articleId>\w{1,64}) (?<titleKey>.*)$/s;

/** Returns one row more than a page shows if there is another page. */
async function listRows(
  store: PageDeps['store'],
  { workspace }: HelpCentre,
  locale: string,
  collectionId: string | undefined,
  cursor: string | undefined,
): Promise<readonly ListedArticle[]> {
  const { articleId, titleKey } = cursor === undefined ? {} : decodeCursor(cursor, CURSOR).groups!;
  const after = articleId === undefined || titleKey === undefined ? undefined : { articleId, titleKey };
  return store.in(workspace.id).helpPages.list(locale, collectionId, LIST_ROWS_MAX + 1, after);
}

function toArticleList(rows: readonly ListedArticle[], locale: string): ArticleList {
  const shown = rows.slice(0, LIST_ROWS_MAX);
  const last = shown.at(-1);
  const { compare } = getCollator(locale);
  return {
    articles: shown.toSorted((one, other) => compare(one.title, other.title)),
    ...(rows.length > shown.length && last && { next: encodeCursor(`${last.articleId} ${last.titleKey}`) }),
  };
}

function renderList(
  { articles, next }: ArticleList,
  { basePath }: HelpCentre,
  { locale, texts }: PageLanguage,
  path: string,
): Html {
  const items = articles.map(
    (article) =>
      html`<li${article.locale !== locale && html` lang="${article.locale}" dir="${toDirection(article.locale)}"`}><a href="${basePath}${toArticlePath({ locale, slug: article.slug })}"${article.locale !== locale && html` hreflang="${article.locale}"`}>${article.title}</a></li>`,
  );
  const more =
    next !== undefined &&
    html`<p><a class="button" href="${basePath}${path}?after=${next}">${texts.more}</a></p>`;
  return html`<ul class="list" lang="${locale}">${items}</ul>${more}`;
}

function renderPath(
  { basePath }: HelpCentre,
  { locale, texts }: PageLanguage,
  collection?: { name: string; slug: string },
): Html {
  return html`<ol class="path"><li><a href="${basePath}/${locale}">${texts.home}</a></li>${
    collection &&
    html`<li><a href="${basePath}${toCollectionPath(locale, collection.slug)}" dir="auto">${collection.name}</a></li>`
  }</ol>`;
}

function renderUpdated(text: string, at: Date, locale: string): Html {
  const [before = '', after = ''] = text.split('{date}');
  const date = getDateFormat(locale).format(at);
  return html`${before}<time datetime="${at.toISOString()}">${date}</time>${after}`;
}

function renderLanguageNote(contentLocale: string, { locale, texts, textsLocale }: PageLanguage): Html {
  const note = fillIn(texts.otherLanguage, {
    language: getLanguageName(contentLocale, textsLocale),
    requested: getLanguageName(locale, textsLocale),
  });
  return html`<p class="note">${note}</p>`;
}

function renderRating(
  { basePath }: HelpCentre,
  { texts }: PageLanguage,
  address: string,
  isRated: boolean,
): Html {
  if (isRated) return html`<div class="rating" id="rating"><p role="status">${texts.thanks}</p></div>`;
  const button = (rating: string, label: string) =>
    html`<button class="button" formaction="${basePath}${address}?rating=${rating}">${label}</button>`;
  return html`<form class="rating" id="rating" method="post"><p>${texts.helpful}</p>${button('up', texts.yes)}${button('down', texts.no)}</form>`;
}
