import type { articles, KnowledgeHit } from '../../contract/articles.ts';
import type { Clock } from '../clock.ts';
import type { StorageMeter } from '../holdings/storage-meter.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handler, HandlerInput, Handlers, MemberCaller } from '../http/handler.ts';
import type { ArticleRevision, Articles } from '../storage/articles.ts';
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
import { normalizeContentLocale, normalizeLocale, summarize } from './article-content.ts';
import { type ArticleFilter, queryArticles, queryRevisions } from './article-list.ts';
import { aliasSuggestionHandlers } from './dictionary/alias-suggestions.ts';
import { toPreference } from './locale.ts';
import { toArticleRecord, toArticleSummary, toRevisionRecord } from './records.ts';
import type { Indexing } from './search/indexing.ts';
import type { Result, Retriever } from './search/retrieve.ts';

export type ArticlesDeps = {
  readonly store: Pick<Store, 'in'>;
  readonly clock: Clock;
  readonly indexing: Indexing;
  readonly retriever: Retriever;
  readonly storageMeter: Pick<StorageMeter, 'requireRoom'>;
};

export function articlesHandlers(deps: ArticlesDeps): Handlers<typeof articles> {
  const getArticles = ({ workspace }: MemberCaller) => deps.store.in(workspace.id).articles;
  const readRecord = async (articleId: string, caller: MemberCaller) =>
    toArticleRecord(await getArticle(articleId, getArticles(caller)));

  return {
    async listArticles({ caller, query, ctx }) {
      const filter = parseFilter(query);
      const { rows, ...next } = await queryArticles(getArticles(caller), filter, query, ctx.signal);
      return { status: 200, body: { data: rows.map(toArticleSummary), ...next } };
    },

    async createArticle({ caller, body }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      const { sourceLocale } = caller.workspace.settings;
      const locale = body.locale === undefined ? sourceLocale : normalizeContentLocale(body.locale);
      const articleId = await createArticle({ ...body, locale }, toChangeDeps(deps, caller));
      return { status: 201, body: await readRecord(articleId, caller) };
    },

    async readArticle({ caller, params }) {
      return { status: 200, body: await readRecord(params.articleId, caller) };
    },

    async editArticle({ caller, params: { articleId }, body: { baseRevision, ...input } }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      await editArticle({ articleId, baseRevision }, input, toChangeDeps(deps, caller));
      return { status: 200, body: await readRecord(articleId, caller) };
    },

    async deleteArticle({ caller, params }) {
      await deleteArticle(params.articleId, toChangeDeps(deps, caller));
      return { status: 200, body: { ok: true } };
    },

    async publishArticle({ caller, params: { articleId }, body: { baseRevision } }) {
      await publishArticle({ articleId, baseRevision }, toChangeDeps(deps, caller));
      return { status: 200, body: await readRecord(articleId, caller) };
    },

    async unpublishArticle({ caller, params: { articleId }, body: { baseRevision } }) {
      await unpublishArticle({ articleId, baseRevision }, toChangeDeps(deps, caller));
      return { status: 200, body: await readRecord(articleId, caller) };
    },

    async listArticleRevisions({ caller, params, query }) {
      const articles = getArticles(caller);
      await getArticle(params.articleId, articles);
      const { rows, ...next } = await queryRevisions(articles, params.articleId, query);
      return { status: 200, body: { data: rows.map(toRevisionRecord), ...next } };
    },

    async readArticleRevision({ caller, params: { articleId, revision } }) {
      const row = await getRevision(articleId, Number(revision), getArticles(caller));
      return { status: 200, body: toRevisionRecord(row) };
    },

    ...aliasSuggestionHandlers(deps),
    searchKnowledge: searchHandler(deps.retriever),
  };
}

function toChangeDeps({ store, indexing, clock }: ArticlesDeps, caller: MemberCaller): ChangeDeps {
  return { articles: store.in(caller.workspace.id).articles, indexing, clock, actor: caller.memberId };
}

type ListQuery = HandlerInput<(typeof articles)['listArticles']>['query'];

function parseFilter({
  q,
  status,
  translationStatus,
  missing,
  locale,
  changed,
  stale,
}: ListQuery): ArticleFilter {
  return {
    q,
    status,
    translationStatus,
    missing: missing === undefined ? undefined : normalizeLocale(missing, 'query.missing'),
    locale: locale === undefined ? undefined : normalizeLocale(locale, 'query.locale'),
    changed: parseFlag(changed),
    stale: parseFlag(stale),
  };
}

const parseFlag = (flag: 'true' | 'false' | undefined) => (flag === undefined ? undefined : flag === 'true');

async function getRevision(
  articleId: string,
  revision: number,
  articles: Articles,
): Promise<ArticleRevision> {
  await getArticle(articleId, articles);
  const [row] = await articles.revisions(articleId, 1, revision + 1);
  return row?.revision === revision ? row : throwApiError('article/not_found', `revision ${revision}`);
}

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
    return {
      status: 200,
      body: { data: results.map(toSearchHit), found, confidence: clampShare(confidence) },
    };
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
    snippet: toSnippet(result),
    ...(url === undefined ? {} : { url }),
    score: clampShare(result.score),
    requestedLocale,
    contentLocale,
    ...(fallbackReason === undefined ? {} : { fallbackReason }),
  };
}

/** What answers, in the order of the text. */
function toSnippet({ sentences, answer, contentLocale }: Result): string {
  const quoted = sentences.toSorted((a, b) => a.start - b.start).map(({ text }) => text);
  return summarize(quoted.length === 0 ? answer : quoted.join(' '), contentLocale);
}

export const clampShare = (value: number) => Math.min(1, Math.max(0, value));
