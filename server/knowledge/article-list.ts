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
type PageAsked = { readonly limit: number; readonly cursor?: string | undefined };

export type ArticleFilter = {
  readonly q?: string | undefined;
  readonly status?: ArticleStatus | undefined;
  /** A canonical locale. */
  readonly missing?: string | undefined;
  readonly changed?: boolean | undefined;
  /** Canonical. This and the next two must match the same translation. */
  readonly locale?: string | undefined;
  readonly translationStatus?: TranslationStatus | undefined;
  readonly stale?: boolean | undefined;
};

/** Reads yield to other requests in between. */
const ROWS_A_READ = 100;
const REVISIONS_A_READ = 10;
const PAGE_CHARS_MAX = 1_000_000;

/**
 * Articles that match the filter, newest first. The cursor is the id of the previous page's last
 * article.
 */
export async function queryArticles(
  articles: Articles,
  filter: ArticleFilter,
  { limit, cursor }: PageAsked,
  signal: AbortSignal,
): Promise<Page<ArticleHead>> {
  const passes = passing(filter);
  const atOnce = passes ? ROWS_A_READ : limit + 1;
  let beforeId = cursor === undefined ? undefined : decodeCursor(cursor, /^art_[0-9a-z]{26}$/)[0];
  const found: ArticleHead[] = [];
  for (let isMore = true; isMore && found.length <= limit && !signal.aborted; ) {
    const some = await articles.list(atOnce, beforeId);
    for (const article of some) if (!passes || (await passes(article))) found.push(article);
    beforeId = some.at(-1)?.id;
    isMore = some.length === atOnce;
    await nextTurn();
  }
  return cut(found, limit, ({ id }) => id);
}

/** Revisions, newest first: at least one, and as many as fit into PAGE_CHARS_MAX. */
export async function queryRevisions(
  articles: Articles,
  articleId: string,
  { limit, cursor }: PageAsked,
): Promise<Page<ArticleRevision>> {
  let before = cursor === undefined ? undefined : Number(decodeCursor(cursor, /^[1-9]\d{0,9}$/)[0]);
  const found: ArticleRevision[] = [];
  let chars = 0;
  for (let isMore = true; isMore && found.length <= limit && chars <= PAGE_CHARS_MAX; ) {
    const some = await articles.revisions(articleId, REVISIONS_A_READ, before);
    found.push(...some);
    chars += some.reduce((sum, { content }) => sum + content.answer.length, 0);
    before = some.at(-1)?.revision;
    isMore = some.length === REVISIONS_A_READ;
    await nextTurn();
  }
  return cut(found, Math.min(limit, Math.max(1, countWithin(found, PAGE_CHARS_MAX))), ({ revision }) =>
    String(revision),
  );
}

function countWithin(revisions: readonly ArticleRevision[], charsMax: number): number {
  let chars = 0;
  const beyond = revisions.findIndex(({ content }) => {
    chars += content.answer.length;
    return chars > charsMax;
  });
  return beyond === -1 ? revisions.length : beyond;
}

function cut<T>(found: readonly T[], limit: number, nameOf: (row: T) => string): Page<T> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return last !== undefined && found.length > limit
    ? { rows, nextCursor: encodeCursor(nameOf(last)) }
    : { rows };
}

/** Builds the predicate; undefined when nothing is filtered. */
function passing({
  q,
  status,
  missing,
  changed,
  ...wanted
}: ArticleFilter): ((article: ArticleHead) => Promise<boolean>) | undefined {
  const tests: ((article: ArticleHead) => boolean | Promise<boolean>)[] = [];
  if (status !== undefined) tests.push((article) => article.status === status);
  if (missing !== undefined) tests.push((article) => isMissing(article, missing));
  if (changed !== undefined) tests.push((article) => isChanged(article) === changed);
  if (Object.values(wanted).some((value) => value !== undefined)) {
    tests.push((article) => article.variants.some((variant) => isWanted(variant, article, wanted)));
  }
  if (q !== undefined) {
    const words = normalizeForSearch(q, 'und').split(/\s+/).filter(Boolean);
    const labelsOf = createTitleNormalizer();
    tests.push(async (article) => {
      const labels = await labelsOf(article);
      return words.every((word) => labels.includes(word));
    });
  }
  if (tests.length === 0) return undefined;
  return async (article) => {
    for (const test of tests) if (!(await test(article))) return false;
    return true;
  };
}

function isWanted(
  { locale, status, sourceHash, live }: VariantState,
  article: ArticleHead,
  wanted: Pick<ArticleFilter, 'locale' | 'translationStatus' | 'stale'>,
): boolean {
  const compared = getReferenceHash(article);
  const isStale = sourceHash !== compared || (live !== undefined && live.sourceHash !== compared);
  return (
    (wanted.locale === undefined || wanted.locale === locale) &&
    (wanted.translationStatus === undefined || wanted.translationStatus === status) &&
    (wanted.stale === undefined || wanted.stale === isStale)
  );
}

/** Whether the locale lacks an up-to-date live translation. */
function isMissing(article: ArticleHead, locale: string): boolean {
  if (article.locale === locale) return false;
  const compared = getReferenceHash(article);
  return !article.variants.some(
    (variant) => variant.locale === locale && variant.live?.sourceHash === compared,
  );
}
