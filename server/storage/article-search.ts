/** Lists of articles: filtered in SQL, sorted by an index, a bounded number of rows at a time. */

import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Grants } from '../base/audience.ts';
import type { ArticleStatus } from './article-rows.ts';
import { bindGrants, isVisible } from './audiences.ts';
import type { Statement, Tx, Values } from './database.ts';
import { createStatementCache } from './keyset.ts';
import { articleRevisions, articles, translations } from './schema/index.ts';
import { db, input, matches, statement } from './statements.ts';
import type { TranslationStatus } from './translations.ts';

/** All given conditions must hold. Locales are canonical. */
export type ArticleFilter = {
  /** Normalized for search; all must be in title, slug or aliases. */
  words?: readonly string[] | undefined;
  status?: ArticleStatus | undefined;
  /** Null for articles in no collection. */
  collectionId?: string | null | undefined;
  tag?: string | undefined;
  sourceId?: string | undefined;
  /** Matches articles without an up-to-date live text in this locale. */
  missing?: string | undefined;
  changed?: boolean | undefined;
  /** `locale`, `translationStatus` and `stale` must match the same translation. */
  locale?: string | undefined;
  translationStatus?: TranslationStatus | undefined;
  stale?: boolean | undefined;
  /** Whether its publication or that of a translation is scheduled. */
  scheduled?: boolean | undefined;
  /** Whether it is to be verified at `nowMillis`. */
  toVerify?: boolean | undefined;
  audience?: 'everyone' | 'restricted' | undefined;
  /** Matches articles that a reader with these grants sees. */
  visibleTo?: Grants | undefined;
  nowMillis?: number | undefined;
};

export type ArticleSort = `${'created' | 'updated' | 'title'}_${'asc' | 'desc'}`;

/** The sort keys of a row in a list. */
export type ArticlePosition = {
  id: string;
  updatedAt?: number;
  titleKey?: string;
};

export type ArticleQuery = {
  filter: ArticleFilter;
  sort: ArticleSort;
  limit: number;
  after?: ArticlePosition | undefined;
};

/** The rows that one step reads, in a few milliseconds. */
const ROWS_PER_STEP = 1_000;

export const newest = alias(articleRevisions, 'newest');
export const live = alias(articleRevisions, 'live');
export const isNewest = and(eq(newest.articleId, articles.id), eq(newest.revision, articles.revision));
export const isLive = and(eq(live.articleId, articles.id), eq(live.revision, articles.liveRevision));

const { id, updatedAt, titleKey } = articles;
const SORT_KEYS = { created: [id], updated: [updatedAt, id], title: [titleKey, id] } as const;

/** Returns up to `limit` matching rows, and the position to continue from when there may be more. */
export async function searchRows<Row extends ArticlePosition & { titleKey: string }>(
  tx: Tx,
  workspaceId: string,
  select: (where: SQL | undefined, order: SQL, comparesTexts: boolean) => Statement<Row>,
  { filter, sort, limit, after }: ArticleQuery,
  name: string,
): Promise<{ rows: Row[]; continueAfter?: ArticlePosition }> {
  const values = { workspaceId, limit, ...toValues(filter), ...after };
  const shape = `${sort} ${toShape(filter)} ${after ? 'after' : 'start'}`;
  const end = await tx.get(
    getStatement(`end ${sort} ${after ? 'after' : 'start'}`, () => selectEnd(sort, after !== undefined)),
    { ...values, skip: ROWS_PER_STEP - 1 },
  );
  const page = getStatement(`${name} ${shape} ${end ? 'until' : 'rest'}`, () =>
    select(
      and(
        matches(articles.workspaceId),
        after && isAfter(sort),
        end && isUntil(sort),
        ...toConditions(filter),
      ),
      toOrder(sort),
      comparesTexts(filter),
    ),
  );
  const rows = await tx.all(page, { ...values, ...toEnd(end) });
  const last = rows.at(-1);
  if (last && rows.length === limit) {
    return { rows, continueAfter: { id: last.id, updatedAt: last.updatedAt!, titleKey: last.titleKey } };
  }
  return end ? { rows, continueAfter: end } : { rows };
}

/** Returns whether a condition needs the newest and the live text. */
const comparesTexts = ({ changed, stale, missing }: ArticleFilter) =>
  [changed, stale, missing].some((condition) => condition !== undefined);

const getStatement = createStatementCache();

const isDescending = (sort: ArticleSort) => sort.endsWith('_desc');
const getSortKeys = (sort: ArticleSort): readonly SQLiteColumn[] =>
  SORT_KEYS[sort.split('_')[0] as keyof typeof SORT_KEYS];

const toOrder = (sort: ArticleSort) =>
  sql.join(
    getSortKeys(sort).map((column) => (isDescending(sort) ? sql`${column} desc` : sql`${column}`)),
    sql`, `,
  );

function compare(sort: ArticleSort, operator: string, names: (column: SQLiteColumn) => string): SQL {
  const keys = getSortKeys(sort);
  const bound = keys.map((column) => sql`${input(names(column))}`);
  return sql`(${sql.join([...keys], sql`, `)}) ${sql.raw(operator)} (${sql.join(bound, sql`, `)})`;
}

const isAfter = (sort: ArticleSort) => compare(sort, isDescending(sort) ? '<' : '>', ({ name }) => name);
const isUntil = (sort: ArticleSort) =>
  compare(sort, isDescending(sort) ? '>=' : '<=', ({ name }) => `end_${name}`);

const toEnd = (end: ArticlePosition | undefined): Values =>
  end ? { end_id: end.id, end_updatedAt: end.updatedAt, end_titleKey: end.titleKey } : {};

function selectEnd(sort: ArticleSort, hasAfter: boolean): Statement<Required<ArticlePosition>> {
  return statement(() =>
    db
      .select({ id, updatedAt, titleKey })
      .from(articles)
      .where(and(matches(articles.workspaceId), hasAfter ? isAfter(sort) : undefined))
      .orderBy(toOrder(sort))
      .limit(1)
      .offset(input('skip')),
  ) as Statement<Required<ArticlePosition>>;
}

const toFlag = (value: boolean | undefined) => (value === undefined ? '' : String(value));

/** Names the conditions without their values, as part of the key of a cached statement. */
function toShape({
  words,
  status,
  collectionId,
  tag,
  sourceId,
  missing,
  changed,
  scheduled,
  toVerify,
  audience,
  visibleTo,
  nowMillis: _,
  ...variant
}: ArticleFilter): string {
  const namedFilters = {
    visibleTo,
    words: words?.length,
    status,
    tag,
    sourceId,
    missing,
    locale: variant.locale,
  };
  const names = Object.entries({ ...namedFilters, translationStatus: variant.translationStatus })
    .filter(([, value]) => value !== undefined && value !== 0)
    .map(([name]) => name);
  const collection = collectionId === undefined ? '' : collectionId === null ? 'none' : 'one';
  const flags = [changed, variant.stale, scheduled, toVerify].map(toFlag);
  return [...names, collection, audience, ...flags].join();
}

/** Returns a pattern for LIKE with the escape character `!`. */
const toPattern = (text: string) => `%${text.replace(/[!%_]/g, '!$&')}%`;

function toValues({ words, tag, collectionId, audience: _, visibleTo, ...rest }: ArticleFilter): Values {
  return {
    ...rest,
    grants: visibleTo && bindGrants(visibleTo),
    collectionId,
    patterns: words && JSON.stringify(words.map(toPattern)),
    tagPattern: tag === undefined ? undefined : toPattern(JSON.stringify(tag)),
  };
}

const referenceHash = sql`coalesce(${live.contentHash}, ${newest.contentHash})`;
const isStale = sql`(${translations.sourceHash} <> ${referenceHash} or
  (${translations.liveSourceHash} is not null and ${translations.liveSourceHash} <> ${referenceHash}))`;
const isChanged = sql`(${articles.liveRevision} is not null and (${live.contentHash} <> ${newest.contentHash}
  or coalesce(${live.url}, '') <> coalesce(${newest.url}, '')))`;

const isToVerify = sql`coalesce(${articles.verifyAfter} <= ${input('nowMillis')}, false)`;

const hasTranslation = (...conditions: readonly (SQL | undefined)[]) =>
  sql`exists (select 1 from ${translations} where ${and(eq(translations.articleId, articles.id), ...conditions)})`;

const isScheduled = sql`(${articles.scheduledAt} is not null or ${hasTranslation(isNotNull(translations.scheduledAt))})`;

const toCondition = (flag: boolean | undefined, condition: SQL) =>
  flag === undefined ? undefined : flag ? condition : sql`not ${condition}`;

function toConditions({
  words,
  status,
  collectionId,
  tag,
  sourceId,
  missing,
  changed,
  locale,
  translationStatus,
  stale,
  scheduled,
  toVerify,
  audience,
  visibleTo,
}: ArticleFilter): (SQL | undefined)[] {
  const isTranslated = locale !== undefined || translationStatus !== undefined || stale !== undefined;
  return [
    words?.length
      ? sql`not exists (select 1 from json_each(${input('patterns')}) where ${articles.searchText} not like value escape '!')`
      : undefined,
    status && matches(articles.status),
    collectionId === null ? isNull(articles.collectionId) : undefined,
    collectionId ? matches(articles.collectionId) : undefined,
    tag === undefined ? undefined : sql`${articles.tags} like ${input('tagPattern')} escape '!'`,
    toCondition(changed, isChanged),
    toCondition(scheduled, isScheduled),
    toCondition(toVerify, isToVerify),
    sourceId === undefined ? undefined : matches(articles.sourceId),
    audience === undefined ? undefined : (audience === 'everyone' ? isNull : isNotNull)(articles.audience),
    visibleTo && isVisible('articles.id'),
    missing === undefined
      ? undefined
      : sql`${articles.locale} <> ${input('missing')} and not ${hasTranslation(
          eq(translations.locale, input('missing')),
          isNotNull(translations.liveRevision),
          sql`${translations.liveSourceHash} = ${referenceHash}`,
        )}`,
    isTranslated
      ? hasTranslation(
          locale === undefined ? undefined : matches(translations.locale),
          translationStatus && eq(translations.status, input('translationStatus')),
          toCondition(stale, isStale),
        )
      : undefined,
  ];
}
