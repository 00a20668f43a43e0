import type { IncomingHttpHeaders } from 'node:http';
import type { HelpArticleRecord, helpArticles } from '../../contract/help-articles.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { type Grants, toGrants } from '../base/audience.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { type Preference, parseAcceptLanguage } from '../base/locale.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, VisitorCaller } from '../http/handler.ts';
import { sanitizePageText } from '../sanitize/page-text.ts';
import type { Store } from '../storage/store.ts';
import { toSnippet } from './articles.ts';
import { queryArticles } from './list-articles.ts';
import type { Result, Retriever, SelectedArticle } from './search/retrieve.ts';

type HelpArticlesDeps = {
  store: Pick<Store, 'in'>;
  retriever: Retriever;
  clock: Clock;
  searchCounter: { count(search: CountedSearch): void };
};

export type CountedSearch = {
  caller: VisitorCaller;
  /** Of the request: they contain the browser's privacy signal. */
  headers: IncomingHttpHeaders;
  /** Without personal data and secrets. */
  words: string;
  locale: string;
  results: number;
};

const COUNTS_CACHE_MILLIS = 10_000;

/** Results below this share of the best score are left out. */
const HIT_SCORE_SHARE = 0.2;

/** Serves the published articles to visitors, and counts searches. */
export function helpArticleHandlers({
  store,
  retriever,
  clock,
  searchCounter,
}: HelpArticlesDeps): Handlers<typeof helpArticles> {
  const listCollections = memoizeWithTtl(clock, COUNTS_CACHE_MILLIS, (key) => {
    const [workspaceId, reader] = JSON.parse(key) as [string, Grants];
    return store.in(workspaceId).collections.listPublished(reader);
  });

  return {
    async listHelpArticles({ caller, query: { collection, cursor }, headers, ctx }) {
      const { id } = caller.workspace;
      const reader = toGrants(caller.customer);
      const filter = {
        status: 'published',
        collectionId: collection ?? null,
        visibleTo: reader,
      } as const;
      const paging = { sort: 'title_asc', limit: ARTICLE_LIMITS.helpPageRowsMax, cursor } as const;
      const { rows, ...next } = await queryArticles(store.in(id).articles, filter, paging, ctx.signal);
      const preference = parseAcceptLanguage(headers['accept-language']);
      const ids = rows.map((row) => row.id);
      const data = (await retriever.readArticles(id, ids, preference, reader)).map(toRecord);
      const published = collection || cursor ? [] : await listCollections(JSON.stringify([id, reader]));
      const collections = published.map(({ slug: _, ...rest }) => rest);
      return { status: 200, body: { data, ...next, collections } };
    },

    async searchHelpArticles({ caller, query: { q }, headers }) {
      // An outside model may compute the embeddings, so private data in a search is masked like in a question.
      const question = sanitizePageText(q, ARTICLE_LIMITS.searchQueryCharsMax);
      const preference = parseAcceptLanguage(headers['accept-language']);
      const { workspace, customer } = caller;
      const hits = await findHits(retriever, workspace.id, question, preference, toGrants(customer));
      const data = hits.map((result) => ({ ...toRecord(result), snippet: toSnippet(result) }));
      searchCounter.count({
        caller,
        headers,
        words: question,
        locale: preference.wanted[0] ?? workspace.settings.sourceLocale,
        results: data.length,
      });
      return { status: 200, body: { data } };
    },

    async readHelpArticle({ caller, params: { article_id }, headers }) {
      const preference = parseAcceptLanguage(headers['accept-language']);
      const article =
        (await retriever.readArticle(
          caller.workspace.id,
          article_id,
          preference,
          toGrants(caller.customer),
        )) ?? throwApiError('article/not_found');
      return { status: 200, body: { ...toRecord(article), answer: article.answer } };
    },
  };
}

/** Returns the articles that match words or a question, best first. */
export async function findHits(
  retriever: Retriever,
  workspaceId: string,
  question: string,
  preference: Preference,
  reader: Grants,
): Promise<Result[]> {
  const limit = ARTICLE_LIMITS.helpHitsMax;
  const { results } = await retriever.retrieve({ workspaceId, question, preference, reader, limit });
  const scoreMin = HIT_SCORE_SHARE * (results[0]?.score ?? 0);
  return results.filter(({ score }) => score >= scoreMin);
}

const toRecord = (article: SelectedArticle): HelpArticleRecord => ({
  article_id: article.articleId,
  title: article.title,
  url: article.url,
  requested_locale: article.requestedLocale,
  content_locale: article.contentLocale,
  fallback_reason: article.fallbackReason,
  stale: article.stale,
});
