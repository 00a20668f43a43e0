import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { articles, KnowledgeHit } from '../../contract/articles.ts';
import type { Clock } from '../base/clock.ts';
import { parseAcceptLanguage, toPreference } from '../base/locale.ts';
import { decodeCursor } from '../http/cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handler, Handlers, MemberCaller } from '../http/handler.ts';
import type { ArticleRevision } from '../storage/article-queries.ts';
import type { Articles } from '../storage/articles.ts';
import type { Store } from '../storage/store.ts';
import type { StorageMeter } from '../workspaces/storage-meter.ts';
import {
  type ChangeDeps,
  createArticle,
  deleteArticle,
  editArticle,
  getArticle,
  publishArticle,
  unpublishArticle,
} from './article-changes.ts';
import { normalizeContentLocale, normalizeLocale, SUMMARY_MAX, summarize } from './article-content.ts';
import { parseAudience } from './audience.ts';
import { aliasSuggestionHandlers } from './dictionary/alias-suggestions.ts';
import { countArticles, type Page, parseArticleFilter, queryArticles, toPage } from './list-articles.ts';
import { toArticleRecord, toArticleSummary, toRevisionRecord } from './records.ts';
import { parseFutureTime, scheduleArticle, verifyArticle } from './schedules.ts';
import type { Indexing } from './search/indexing.ts';
import type { Result, Retriever } from './search/retrieve.ts';

type ArticlesDeps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  indexing: Indexing;
  retriever: Retriever;
  helpAddresses: {
    findUrl(workspaceId: string, articleId: string, locale: string): Promise<string | undefined>;
  };
  storageMeter: Pick<StorageMeter, 'requireRoom'>;
};

export function articlesHandlers(deps: ArticlesDeps): Handlers<typeof articles> {
  const getArticles = ({ workspace }: MemberCaller) => deps.store.in(workspace.id).articles;
  const readRecord = createReadRecord(deps);

  return {
    async listArticles({ caller, query, ctx }) {
      const articles = getArticles(caller);
      const filter = parseArticleFilter(query, 'query', deps.clock.now());
      const { rows, ...next } = await queryArticles(articles, filter, query, ctx.signal);
      const total =
        query.cursor === undefined ? { total: await countArticles(articles, filter, ctx.signal) } : {};
      return { status: 200, body: { data: rows.map(toArticleSummary), ...next, ...total } };
    },

    async createArticle({ caller, body: { audience, ...body } }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      const { sourceLocale } = caller.workspace.settings;
      const locale = body.locale === undefined ? sourceLocale : normalizeContentLocale(body.locale);
      const restricted = audience && parseAudience(audience, caller.workspace.settings, 'body.audience');
      const input = { ...body, locale, audience: restricted };
      const articleId = await createArticle(input, toChangeDeps(deps, caller));
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

    ...scheduleHandlers(deps),
    ...revisionHandlers(deps),
    ...aliasSuggestionHandlers(deps),
    searchKnowledge: searchHandler(deps.retriever),
  };
}

function createReadRecord({ store, helpAddresses }: ArticlesDeps) {
  return async (articleId: string, { workspace }: MemberCaller) => {
    const article = await getArticle(articleId, store.in(workspace.id).articles);
    const pageUrl = article.live && (await helpAddresses.findUrl(workspace.id, articleId, article.locale));
    return toArticleRecord(article, pageUrl);
  };
}

/** When an article is published, and when it is verified again. */
function scheduleHandlers(
  deps: ArticlesDeps,
): Pick<Handlers<typeof articles>, 'scheduleArticle' | 'verifyArticle'> {
  const { store, clock } = deps;
  const readRecord = createReadRecord(deps);
  return {
    async scheduleArticle({ caller, params: { articleId }, body: { baseRevision, publishAt } }) {
      const at = parseFutureTime(publishAt, 'body.publishAt', clock);
      const { schedules } = store.in(caller.workspace.id);
      await scheduleArticle({ articleId, baseRevision }, at, { ...toChangeDeps(deps, caller), schedules });
      return { status: 200, body: await readRecord(articleId, caller) };
    },

    async verifyArticle({ caller, params: { articleId }, body }) {
      const after = parseFutureTime(body.verifyAfter, 'body.verifyAfter', clock);
      const { schedules } = store.in(caller.workspace.id);
      await verifyArticle(articleId, after, { schedules, clock, actor: caller.memberId });
      return { status: 200, body: await readRecord(articleId, caller) };
    },
  };
}

function toChangeDeps({ store, indexing, clock }: ArticlesDeps, caller: MemberCaller): ChangeDeps {
  return { articles: store.in(caller.workspace.id).articles, indexing, clock, actor: caller.memberId };
}

function revisionHandlers({
  store,
}: ArticlesDeps): Pick<Handlers<typeof articles>, 'listArticleRevisions' | 'readArticleRevision'> {
  return {
    async listArticleRevisions({ caller, params: { articleId }, query }) {
      const { articles } = store.in(caller.workspace.id);
      await getArticle(articleId, articles);
      const { rows, ...next } = await queryRevisions(articles, articleId, query);
      return { status: 200, body: { data: rows.map(toRevisionRecord), ...next } };
    },

    async readArticleRevision({ caller, params: { articleId, revision } }) {
      const { articles } = store.in(caller.workspace.id);
      return {
        status: 200,
        body: toRevisionRecord(await getRevision(articleId, Number(revision), articles)),
      };
    },
  };
}

async function getRevision(
  articleId: string,
  revision: number,
  articles: Articles,
): Promise<ArticleRevision> {
  await getArticle(articleId, articles);
  const [row] = await articles.revisions(articleId, 1, revision + 1);
  return row?.revision === revision ? row : throwApiError('article/not_found', `revision ${revision}`);
}

/** Searches as a visitor would who is not signed in. */
function searchHandler(retriever: Retriever): Handler<(typeof articles)['searchKnowledge']> {
  return async ({ caller, query: { q, locale, limit }, headers }) => {
    const preference =
      locale === undefined
        ? parseAcceptLanguage(headers['accept-language'])
        : toPreference(normalizeLocale(locale, 'query.locale'));
    const { results, found, confidence } = await retriever.retrieve({
      workspaceId: caller.workspace.id,
      question: q,
      limit,
      preference,
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
    translationId,
    title,
    snippet: toSnippet(result),
    url,
    score: clampShare(result.score),
    requestedLocale,
    contentLocale,
    fallbackReason,
  };
}

/** Summarizes the quotes in the order of the text, from the best sentence on if it would be cut off; else the answer. */
export function toSnippet({ sentences, bestSentence, answer, contentLocale }: Result): string {
  const inOrder = sentences.toSorted((a, b) => a.start - b.start).map(({ text }) => text);
  const quoted = inOrder.length === 0 ? answer : inOrder.join(' ');
  const best = bestSentence ? quoted.indexOf(bestSentence.text) : -1;
  const isCutOff = best >= 0 && best + bestSentence!.text.length > SUMMARY_MAX;
  return summarize(isCutOff ? quoted.slice(best) : quoted, contentLocale);
}

export const clampShare = (value: number) => Math.min(1, Math.max(0, value));

type PageRequest = { limit: number; cursor?: string | undefined };

const REVISIONS_PER_READ = 10;
const PAGE_CHARS_MAX = 1_000_000;

/** Lists revisions, newest first: at least one, and as many as fit into PAGE_CHARS_MAX. */
async function queryRevisions(
  articles: Articles,
  articleId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ArticleRevision>> {
  let before = cursor === undefined ? undefined : Number(decodeCursor(cursor, /^[1-9]\d{0,9}$/)[0]);
  const revisions: ArticleRevision[] = [];
  let chars = 0;
  for (let hasMore = true; hasMore && revisions.length <= limit && chars <= PAGE_CHARS_MAX; ) {
    const batch = await articles.revisions(articleId, REVISIONS_PER_READ, before);
    revisions.push(...batch);
    chars += batch.reduce((sum, { content }) => sum + content.answer.length, 0);
    before = batch.at(-1)?.revision;
    hasMore = batch.length === REVISIONS_PER_READ;
    await yieldToEventLoop();
  }
  return toPage(
    revisions,
    Math.min(limit, Math.max(1, countFitting(revisions, PAGE_CHARS_MAX))),
    ({ revision }) => String(revision),
  );
}

function countFitting(revisions: readonly ArticleRevision[], charsMax: number): number {
  let chars = 0;
  const firstOverLimit = revisions.findIndex(({ content }) => {
    chars += content.answer.length;
    return chars > charsMax;
  });
  return firstOverLimit === -1 ? revisions.length : firstOverLimit;
}
