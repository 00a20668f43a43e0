import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { z } from 'zod';
import type { articleFilters } from '../../contract/articles.ts';
import { normalizeForSearch, toTitleKey } from '../base/text.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { ArticleHead } from '../storage/article-queries.ts';
import type { ArticleFilter, ArticlePosition, ArticleSort } from '../storage/article-search.ts';
import type { Articles } from '../storage/articles.ts';
import { normalizeLocale } from './article-content.ts';
import { normalizeTag } from './collection-and-tag-names.ts';

/** Filtered and sorted lists of articles. */

type FilterInput = { readonly [K in keyof typeof articleFilters]?: z.output<(typeof articleFilters)[K]> };

/** @param at where the filters are in the request */
export function parseArticleFilter(
  input: FilterInput,
  at: 'query' | 'body.filter',
  nowMillis: number,
): ArticleFilter {
  const { q, status, collection, tag, source, translationStatus, missing, locale, changed, stale } = input;
  return {
    words: q === undefined ? undefined : normalizeForSearch(q, 'und').split(/\s+/).filter(Boolean),
    status,
    collectionId: collection === 'none' ? null : collection,
    tag: tag === undefined ? undefined : normalizeTag(tag, `${at}.tag`),
    sourceId: source,
    translationStatus,
    missing: missing === undefined ? undefined : normalizeLocale(missing, `${at}.missing`),
    locale: locale === undefined ? undefined : normalizeLocale(locale, `${at}.locale`),
    changed: parseFlag(changed),
    stale: parseFlag(stale),
    scheduled: parseFlag(input.scheduled),
    toVerify: parseFlag(input.toVerify),
    audience: input.audience,
    nowMillis,
  };
}

const parseFlag = (flag: 'true' | 'false' | undefined) => (flag === undefined ? undefined : flag === 'true');

export type Page<T> = { rows: readonly T[]; nextCursor?: string };

type PageRequest = {
  sort?: ArticleSort | undefined;
  limit: number;
  cursor?: string | undefined;
};

/** Lists articles that match the filter. The cursor is the position of the last article. */
export async function queryArticles(
  articles: Articles,
  filter: ArticleFilter,
  { sort = 'created_desc', limit, cursor }: PageRequest,
  signal: AbortSignal,
): Promise<Page<ArticleHead>> {
  let after = cursor === undefined ? undefined : parsePosition(cursor, sort);
  const matches: ArticleHead[] = [];
  for (let hasMore = true; hasMore && matches.length <= limit && !signal.aborted; ) {
    const step = await articles.search({ filter, sort, limit: limit + 1 - matches.length, after });
    matches.push(...step.rows);
    after = step.continueAfter;
    hasMore = after !== undefined;
    await yieldToEventLoop();
  }
  return toPage(matches, limit, (article) => formatPosition(article, sort));
}

/** Lists the ids of all articles that match the filter, newest first, up to `idsMax`. */
export async function listArticleIds(
  articles: Articles,
  filter: ArticleFilter,
  signal: AbortSignal,
  idsMax = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const ids: string[] = [];
  let beforeId: string | undefined;
  for (let hasMore = true; hasMore && ids.length < idsMax && !signal.aborted; ) {
    const step = await articles.searchIds(filter, beforeId);
    ids.push(...step.ids);
    beforeId = step.continueBefore;
    hasMore = beforeId !== undefined;
    await yieldToEventLoop();
  }
  return ids.slice(0, idsMax);
}

export const countArticles = async (articles: Articles, filter: ArticleFilter, signal: AbortSignal) =>
  (await listArticleIds(articles, filter, signal)).length;

export function toPage<T>(readRows: readonly T[], limit: number, toCursor: (row: T) => string): Page<T> {
  const rows = readRows.slice(0, limit);
  const last = rows.at(-1);
  return last !== undefined && readRows.length > limit
    ? { rows, nextCursor: encodeCursor(toCursor(last)) }
    : { rows };
}

/** Formats a position as the value that the list is sorted by, then the id. */
function formatPosition({ id, updatedAt, content }: ArticleHead, sort: ArticleSort): string {
  if (sort.startsWith('updated')) return `${updatedAt} ${id}`;
  return sort.startsWith('title') ? `${toTitleKey(content.title)} ${id}` : id;
}

const ID = 'art_[0-9a-z]{26}';
const POSITIONS = {
  created: new RegExp(`^()(${ID})$`),
  updated: new RegExp(`^(\\d{1,16}) (${ID})$`),
  title: new RegExp(`^([^]{0,120}) (${ID})$`),
} as const;

function parsePosition(cursor: string, sort: ArticleSort): ArticlePosition {
  const name = sort.split('_')[0] as keyof typeof POSITIONS;
  const [, key = '', id = ''] = decodeCursor(cursor, POSITIONS[name]);
  if (name === 'updated') return { id, updatedAt: Number(key) };
  return name === 'title' ? { id, titleKey: key } : { id };
}
