import type { articles, KnowledgeHit } from '../../contract/articles.ts';
import type { Clock } from '../clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handler, Handlers, MemberCaller } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import {
  type ChangeDeps,
  createArticle,
  deleteArticle,
  editArticle,
  getArticle,
  publishArticle,
  unpublishArticle,
} from './article-changes.ts';
import { normalizeLocale, searchSummary } from './article-content.ts';
import { queryArticles, queryRevisions } from './article-list.ts';
import { toPreference } from './locale.ts';
import { toArticleRecord, toArticleSummary, toRevisionRecord } from './records.ts';
import type { Indexing } from './search/indexing.ts';
import type { Result, Retriever } from './search/retrieve.ts';

/** Handlers for the articles of a workspace. */

export type ArticlesDeps = {
  readonly store: Pick<Store, 'in'>;
  readonly clock: Clock;
  readonly indexing: Indexing;
  readonly retriever: Retriever;
};

export function articlesHandlers(deps: ArticlesDeps): Handlers<typeof articles> {
  const { store, clock, indexing, retriever } = deps;
  const articlesOf = ({ workspace }: MemberCaller) => store.in(workspace.id).articles;
  const changing = (caller: MemberCaller): ChangeDeps => ({
    articles: articlesOf(caller),
    indexing,
    clock,
    actor: caller.memberId,
  });
  const recordOf = async (articleId: string, caller: MemberCaller) =>
    toArticleRecord(await getArticle(articleId, articlesOf(caller)));

  return {
    async listArticles({ caller, query, ctx }) {
      const { q, status, limit, cursor, translationStatus } = query;
      const localeOf = (name: 'missing' | 'locale') =>
        query[name] === undefined ? undefined : normalizeLocale(query[name], `query.${name}`);
      const filter = {
        ...{ q, status, translationStatus, missing: localeOf('missing'), locale: localeOf('locale') },
        changed: isTrue(query.changed),
        stale: isTrue(query.stale),
      };
      const page = await queryArticles(articlesOf(caller), filter, { limit, cursor }, ctx.signal);
      const { rows, ...next } = page;
      return { status: 200, body: { data: rows.map(toArticleSummary), ...next } };
    },

    async createArticle({ caller, body }) {
      const locale =
        body.locale === undefined
          ? caller.workspace.settings.sourceLocale
          : normalizeLocale(body.locale, 'body.locale');
      const articleId = await createArticle({ ...body, locale }, changing(caller));
      return { status: 201, body: await recordOf(articleId, caller) };
    },

    async readArticle({ caller, params }) {
      return { status: 200, body: await recordOf(params.articleId, caller) };
    },

    async editArticle({ caller, params: { articleId }, body: { baseRevision, ...given } }) {
      await editArticle({ articleId, baseRevision }, given, changing(caller));
      return { status: 200, body: await recordOf(articleId, caller) };
    },

    async deleteArticle({ caller, params }) {
      await deleteArticle(params.articleId, changing(caller));
      return { status: 200, body: { ok: true } };
    },

    async publishArticle({ caller, params: { articleId }, body: { baseRevision } }) {
      await publishArticle({ articleId, baseRevision }, changing(caller));
      return { status: 200, body: await recordOf(articleId, caller) };
    },

    async unpublishArticle({ caller, params: { articleId }, body: { baseRevision } }) {
      await unpublishArticle({ articleId, baseRevision }, changing(caller));
      return { status: 200, body: await recordOf(articleId, caller) };
    },

    async listArticleRevisions({ caller, params, query }) {
      const articles = articlesOf(caller);
      await getArticle(params.articleId, articles);
      const { rows, ...next } = await queryRevisions(articles, params.articleId, query);
      return { status: 200, body: { data: rows.map(toRevisionRecord), ...next } };
    },

    async readArticleRevision({ caller, params: { articleId, revision } }) {
      const articles = articlesOf(caller);
      await getArticle(articleId, articles);
      const [row] = await articles.revisions(articleId, 1, Number(revision) + 1);
      if (row?.revision !== Number(revision))
        return throwApiError('article/not_found', `revision ${revision}`);
      return { status: 200, body: toRevisionRecord(row) };
    },

    searchKnowledge: searchHandler(retriever),
  };
}

const isTrue = (asked: 'true' | 'false' | undefined) => (asked === undefined ? undefined : asked === 'true');

/** Searches as a visitor would. */
export function searchHandler(retriever: Retriever): Handler<(typeof articles)['searchKnowledge']> {
  return async ({ caller, query: { q, locale, limit } }) => {
    const preference =
      locale === undefined ? undefined : toPreference(normalizeLocale(locale, 'query.locale'));
    const { results, found, confidence } = await retriever.retrieve({
      workspaceId: caller.workspace.id,
      question: q,
      limit,
      ...(preference && { preference }),
    });
    return { status: 200, body: { data: results.map(toSearchHit), found, confidence: part(confidence) } };
  };
}

export function toSearchHit(result: Result): KnowledgeHit {
  const { articleId, slug, translationId, title, url, requestedLocale, contentLocale, fallbackReason } =
    result;
  return {
    articleId,
    slug,
    ...(translationId === undefined ? {} : { translationId }),
    title,
    snippet: snippetOf(result),
    ...(url === undefined ? {} : { url }),
    score: part(result.score),
    requestedLocale,
    contentLocale,
    ...(fallbackReason === undefined ? {} : { fallbackReason }),
  };
}

/** The best sentences, in the order of the text. */
function snippetOf({ sentences, answer, contentLocale }: Result): string {
  const quoted = sentences.toSorted((a, b) => a.start - b.start).map(({ text }) => text);
  return searchSummary(quoted.length === 0 ? answer : quoted.join(' '), contentLocale);
}

export const part = (value: number) => Math.min(1, Math.max(0, value));
