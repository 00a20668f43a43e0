import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { BulkAction, BulkOutcome, bulkArticles, ExportedArticle } from '../../contract/bulk-articles.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { ApiError, throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import type { Articles, OrganizeChange, OrganizeOutcome } from '../storage/articles.ts';
import type { Collection } from '../storage/collections.ts';
import type { Store } from '../storage/store.ts';
import type { WorkspaceSettings } from '../storage/workspace-settings.ts';
import {
  type ChangeDeps,
  deleteArticle,
  getArticle,
  publishArticle,
  unpublishArticle,
} from './article-changes.ts';
import { parseAudience } from './audience.ts';
import { normalizeTag } from './collection-and-tag-names.ts';
import { listArticleIds, parseArticleFilter } from './list-articles.ts';
import type { Indexing } from './search/indexing.ts';

/** Actions on many articles. */

type BulkDeps = { store: Pick<Store, 'in'>; clock: Clock; indexing: Indexing };

export function bulkArticlesHandlers({ store, clock, indexing }: BulkDeps): Handlers<typeof bulkArticles> {
  const getStore = ({ workspace }: MemberCaller) => store.in(workspace.id);

  return {
    async listArticleIds({ caller, query, ctx }) {
      const filter = parseArticleFilter(query, 'query', clock.now());
      const ids = await listArticleIds(
        getStore(caller).articles,
        filter,
        ctx.signal,
        ARTICLE_LIMITS.matchingIdsMax,
      );
      return { status: 200, body: { data: ids } };
    },

    async changeArticles({ caller, body }) {
      const { articles, collections, audit } = getStore(caller);
      const request = parseRequest(body, caller.workspace.settings);
      const { collectionId } = request;
      if (collectionId && !(await collections.has(collectionId))) throwApiError('collection/not_found');
      const deps: ChangeDeps = { articles, indexing, clock, actor: caller.memberId, isBulk: true };
      const data = await changeAll(request, deps);
      const done = data.filter(({ outcome }) => outcome === 'done');
      const refused = data.filter(({ outcome }) => outcome === 'refused').length;
      const { articleIds: _, action, ...details } = request;
      if (done.length > 0) {
        await audit.append({
          id: newId('aud'),
          atMillis: clock.now(),
          actor: caller.memberId,
          action: `articles.${AUDITED[action]}`,
          subject: caller.workspace.id,
          details: {
            ...details,
            articles: done.length,
            refused,
            articleIds: done.map((each) => each.articleId),
          },
        });
      }
      return { status: 200, body: { data, done: done.length, refused } };
    },

    async exportArticles({ caller, body }) {
      const { articles, collections } = getStore(caller);
      const lines = toLines(new Set(body.articleIds), articles, await collections.list());
      return { status: 200, lines, fileName: 'articles.jsonl' };
    },
  };
}

const AUDITED = {
  publish: 'published',
  unpublish: 'unpublished',
  move: 'moved',
  tag: 'tagged',
  untag: 'untagged',
  restrict: 'restricted',
  delete: 'deleted',
} as const satisfies Record<BulkAction['action'], string>;

/** Throws 400 when a field that the action needs is missing, or when the action does not use a field. */
function parseRequest(
  { action, articleIds, collectionId, tag, audience }: BulkAction,
  settings: WorkspaceSettings,
): BulkAction {
  const requiredFields = {
    collectionId: action === 'move',
    tag: action === 'tag' || action === 'untag',
    audience: action === 'restrict',
  };
  for (const [field, value] of Object.entries({ collectionId, tag, audience })) {
    const isNeeded = requiredFields[field as keyof typeof requiredFields];
    if (isNeeded === (value !== undefined)) continue;
    throwInvalidRequest({
      path: `body.${field}`,
      code: 'wrong_action',
      message: isNeeded
        ? `The action ${action} needs this field.`
        : `The action ${action} has no such field.`,
    });
  }
  return {
    action,
    articleIds: [...new Set(articleIds)],
    collectionId,
    ...(tag === undefined ? {} : { tag: normalizeTag(tag, 'body.tag') }),
    ...(audience === undefined ? {} : { audience: parseAudience(audience, settings, 'body.audience') }),
  };
}

async function changeAll(request: BulkAction, deps: ChangeDeps): Promise<BulkOutcome[]> {
  const { action, articleIds } = request;
  const change = toOrganizeChange(request);
  const outcomes: BulkOutcome[] = [];
  const step = change ? ORGANIZED_PER_TRANSACTION : CHANGED_AT_ONCE;
  for (let at = 0; at < articleIds.length; at += step) {
    const ids = articleIds.slice(at, at + step);
    if (change) {
      const organized = await deps.articles.organize(ids, change);
      outcomes.push(...organized.map((each) => toBulkOutcome(action, each)));
    } else outcomes.push(...(await Promise.all(ids.map((id) => changeOne(action, id, deps)))));
    await yieldToEventLoop();
  }
  return outcomes;
}

/** Articles whose collection or tags change in one transaction. */
const ORGANIZED_PER_TRANSACTION = 100;
/** Articles changed concurrently, so that the write queue commits them together. */
const CHANGED_AT_ONCE = 10;

function toOrganizeChange({ action, collectionId, tag, audience }: BulkAction): OrganizeChange | undefined {
  if (action === 'move') return { collectionId: collectionId ?? null };
  if (action === 'tag') return { tag: tag!, tagsMax: ARTICLE_LIMITS.tagsPerArticleMax };
  if (action === 'restrict') return { audience: audience! };
  return action === 'untag' ? { untag: tag! } : undefined;
}

function toBulkOutcome(action: BulkAction['action'], organized: OrganizeOutcome): BulkOutcome {
  const { articleId } = organized;
  switch (organized.outcome) {
    case 'gone':
      return { articleId, outcome: 'refused', error: 'article/not_found' };
    case 'too_many_tags':
      return { articleId, outcome: 'refused', error: 'article/too_many_tags' };
    case 'unchanged':
      return { articleId, outcome: 'unchanged' };
    case 'changed': {
      const { collectionId, audience } = organized.before;
      return {
        articleId,
        outcome: 'done',
        ...(action === 'move' && collectionId !== null && { previousCollectionId: collectionId }),
        ...(action === 'restrict' && { previousAudience: audience }),
      };
    }
  }
}

async function changeOne(
  action: BulkAction['action'],
  articleId: string,
  deps: ChangeDeps,
): Promise<BulkOutcome> {
  try {
    if (action === 'delete') {
      await deleteArticle(articleId, deps);
      return { articleId, outcome: 'done' };
    }
    const { revision: baseRevision, status } = await getArticle(articleId, deps.articles);
    const change = action === 'publish' ? publishArticle : unpublishArticle;
    await change({ articleId, baseRevision }, deps);
    return { articleId, outcome: 'done', previousStatus: status };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    // Already published or unpublished.
    if (error.code === 'article/not_allowed') return { articleId, outcome: 'unchanged' };
    return { articleId, outcome: 'refused', error: error.code };
  }
}

/** Articles exported before yielding, which takes a few milliseconds. */
const EXPORTED_AT_ONCE = 20;

async function* toLines(
  articleIds: ReadonlySet<string>,
  articles: Articles,
  collections: readonly Collection[],
): AsyncGenerator<string> {
  const names = new Map(collections.map(({ id, name }) => [id, name]));
  let read = 0;
  for (const articleId of articleIds) {
    if (read++ % EXPORTED_AT_ONCE === 0) await yieldToEventLoop();
    const article = await articles.find(articleId);
    if (!article) continue;
    const { slug, locale, content, collectionId, tags, audience } = article;
    const collection = collectionId && names.get(collectionId);
    const texts = await articles.liveTexts(articleId);
    yield JSON.stringify({
      slug,
      locale,
      ...content,
      aliases: [...content.aliases],
      ...(collection && { collection }),
      ...(tags.length > 0 && { tags: [...tags] }),
      ...(audience.length > 0 && { audience: [...audience] }),
      translations: texts.map((text) => {
        const { url: _, aliases, ...rest } = text.content;
        return { locale: text.locale, ...rest, aliases: [...aliases] };
      }),
    } satisfies ExportedArticle);
  }
}
