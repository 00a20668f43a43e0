import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type {
  ArticleHead,
  ArticleRevision,
  ArticleStatus,
  Articles,
  VariantState,
} from '../storage/articles.ts';
import type { TranslationStatus } from '../storage/translations.ts';
import { getReferenceHash, isChanged } from './records.ts';
import { normalizeForSearch } from './search/tokenize.ts';
import { createTitleNormalizer } from './title-search.ts';

export type Page<T> = { readonly rows: readonly T[]; readonly nextCursor?: string };
type PageRequest = { readonly limit: number; readonly cursor?: string | undefined };

export type ArticleFilter = {
  readonly q?: string | undefined;
  readonly status?: ArticleStatus | undefined;
  /** A canonical locale. */
  readonly missing?: string | undefined;
  readonly changed?: boolean | undefined;
  /** Canonical. `locale`, `translationStatus` and `stale` must match the same translation. */
  readonly locale?: string | undefined;
  readonly translationStatus?: TranslationStatus | undefined;
  readonly stale?: boolean | undefined;
};

/** Rows per read; other requests can run between reads. */
const ROWS_PER_READ = 100;
const REVISIONS_PER_READ = 10;
const PAGE_CHARS_MAX = 1_000_000;

/** Lists articles that match the filter, newest first. The cursor is the last article's id. */
export async function queryArticles(
  articles: Articles,
  filter: ArticleFilter,
  { limit, cursor }: PageRequest,
  signal: AbortSignal,
): Promise<Page<ArticleHead>> {
  const matches = buildFilter(filter);
  const rowsPerRead = matches ? ROWS_PER_READ : limit + 1;
  let beforeId = cursor === undefined ? undefined : decodeCursor(cursor, /^art_[0-9a-z]{26}$/)[0];
  const found: ArticleHead[] = [];
  for (let hasMore = true; hasMore && found.length <= limit && !signal.aborted; ) {
    const batch = await articles.list(rowsPerRead, beforeId);
    for (const article of batch) if (!matches || (await matches(article))) found.push(article);
    beforeId = batch.at(-1)?.id;
    hasMore = batch.length === rowsPerRead;
    await nextTurn();
  }
  return toPage(found, limit, ({ id }) => id);
}

/** Lists revisions, newest first: at least one, and as many as fit into PAGE_CHARS_MAX. */
export async function queryRevisions(
  articles: Articles,
  articleId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ArticleRevision>> {
  let before = cursor === undefined ? undefined : Number(decodeCursor(cursor, /^[1-9]\d{0,9}$/)[0]);
  const found: ArticleRevision[] = [];
  let chars = 0;
  for (let hasMore = true; hasMore && found.length <= limit && chars <= PAGE_CHARS_MAX; ) {
    const batch = await articles.revisions(articleId, REVISIONS_PER_READ, before);
    found.push(...batch);
    chars += batch.reduce((sum, { content }) => sum + content.answer.length, 0);
    before = batch.at(-1)?.revision;
    hasMore = batch.length === REVISIONS_PER_READ;
    await nextTurn();
  }
  return toPage(found, Math.min(limit, Math.max(1, countFitting(found, PAGE_CHARS_MAX))), ({ revision }) =>
    String(revision),
  );
}

function countFitting(revisions: readonly ArticleRevision[], charsMax: number): number {
  let chars = 0;
  const beyond = revisions.findIndex(({ content }) => {
    chars += content.answer.length;
    return chars > charsMax;
  });
  return beyond === -1 ? revisions.length : beyond;
}

function toPage<T>(found: readonly T[], limit: number, toCursor: (row: T) => string): Page<T> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return last !== undefined && found.length > limit
    ? { rows, nextCursor: encodeCursor(toCursor(last)) }
    : { rows };
}

/** Builds the predicate; undefined when nothing is filtered. */
function buildFilter({
  q,
  status,
  missing,
  changed,
  ...variantFilter
}: ArticleFilter): ((article: ArticleHead) => Promise<boolean>) | undefined {
  const predicates: ((article: ArticleHead) => boolean | Promise<boolean>)[] = [];
  if (status !== undefined) predicates.push((article) => article.status === status);
  if (missing !== undefined) predicates.push((article) => isMissing(article, missing));
  if (changed !== undefined) predicates.push((article) => isChanged(article) === changed);
  if (Object.values(variantFilter).some((value) => value !== undefined)) {
    predicates.push((article) =>
      article.variants.some((variant) => matchesVariant(variant, article, variantFilter)),
    );
  }
  if (q !== undefined) {
    const words = normalizeForSearch(q, 'und').split(/\s+/).filter(Boolean);
    const normalizeTitles = createTitleNormalizer();
    predicates.push(async (article) => {
      const titles = await normalizeTitles(article);
      return words.every((word) => titles.includes(word));
    });
  }
  if (predicates.length === 0) return undefined;
  return async (article) => {
    for (const predicate of predicates) if (!(await predicate(article))) return false;
    return true;
  };
}

function matchesVariant(
  { locale, status, sourceHash, live }: VariantState,
  article: ArticleHead,
  variantFilter: Pick<ArticleFilter, 'locale' | 'translationStatus' | 'stale'>,
): boolean {
  const referenceHash = getReferenceHash(article);
  const isStale = sourceHash !== referenceHash || (live !== undefined && live.sourceHash !== referenceHash);
  return (
    (variantFilter.locale === undefined || variantFilter.locale === locale) &&
    (variantFilter.translationStatus === undefined || variantFilter.translationStatus === status) &&
    (variantFilter.stale === undefined || variantFilter.stale === isStale)
  );
}

/** Whether the article has no up-to-date live translation in the locale. */
function isMissing(article: ArticleHead, locale: string): boolean {
  if (article.locale === locale) return false;
  const referenceHash = getReferenceHash(article);
  return !article.variants.some(
    (variant) => variant.locale === locale && variant.live?.sourceHash === referenceHash,
  );
}
