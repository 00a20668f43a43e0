import { and, desc, eq, getTableColumns, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import {
  type ArticleEvent,
  type ArticleOrigin,
  type ArticleStatus,
  getContentColumns,
  isThisArticle,
  parseList,
  type ScheduledPublication,
  toScheduled,
  type Verification,
  withContent,
} from './article-rows.ts';
import {
  type ArticleFilter,
  type ArticleQuery,
  isLive,
  isNewest,
  live,
  newest,
  searchRows,
} from './article-search.ts';
import type { SqlDatabase, Tx } from './database.ts';
import type { ArticleContent } from './passages.ts';
import { articleRevisions, articles, translationRevisions, translations } from './schema/index.ts';
import { db, input, matches, rawStatement, statement } from './statements.ts';
import type { TranslationStatus } from './translations.ts';

/** Summary of a translation's state. */
export type VariantState = {
  translationId: string;
  locale: string;
  status: TranslationStatus;
  revision: number;
  sourceHash: string;
  live?: { revision: number; sourceHash: string };
  scheduled?: ScheduledPublication;
};

export type Article = {
  id: string;
  slug: string;
  locale: string;
  status: ArticleStatus;
  /** The newest revision, which editors work on. */
  revision: number;
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  /** The revision that visitors see. */
  live?: {
    revision: number;
    contentHash: string;
    url?: string;
    publishedAt: number;
    publishedBy: string;
  };
  variants: readonly VariantState[];
  collectionId?: string;
  /** Sorted. */
  tags: readonly string[];
  /** Sorted; empty for everyone. */
  audience: readonly string[];
  /** Absent unless the article comes from a source. */
  source?: ArticleOrigin;
  /** Absent unless its publication is scheduled. */
  scheduled?: ScheduledPublication;
  /** Absent unless it is to be verified. */
  verify?: Verification;
  createdAt: number;
  createdBy: string;
  updatedAt: number;
  updatedBy: string;
};

/** An article without its text, for lists. */
export type ArticleHead = Omit<Article, 'content' | 'searchSummary'> & {
  content: Omit<ArticleContent, 'answer'>;
};

export type ArticleRevision = {
  revision: number;
  event: ArticleEvent;
  content: ArticleContent;
  contentHash: string;
  authorId: string;
  createdAt: number;
};

/** Sorts after every id. */
const AFTER_ALL_IDS = '~';
/** More ids than one step of a search reads, so that only the step limits them. */
const IDS_PER_STEP = 10_000;
/** Sorts after every revision. */
const AFTER_ALL_REVISIONS = Number.MAX_SAFE_INTEGER;

/** The methods that read; the methods that write are in `articles.ts`. */
export function articleQueries(database: SqlDatabase) {
  return (workspaceId: string) => ({
    ...createFindMethods(database, workspaceId),
    ...createListMethods(database, workspaceId),
  });
}

/** Reads one article. */
function createFindMethods({ read }: SqlDatabase, workspaceId: string) {
  return {
    /** Finds the id of the article with this slug, published or not. */
    findId: (slug: string) =>
      read(workspaceId, async (tx) => (await tx.get(idOfSlug, { workspaceId, slug }))?.id),

    find: (articleId: string) =>
      read(
        workspaceId,
        async (tx) => {
          const [row, variants] = await Promise.all([
            tx.get(wholeArticle, { workspaceId, articleId }),
            findVariants(tx, [articleId]),
          ]);
          if (!row) return undefined;
          const { answer, searchSummary, ...head } = row;
          const article = toHead(head, variants.get(articleId));
          return { ...article, content: { ...article.content, answer }, searchSummary };
        },
        'atOnce',
      ),

    /** Finds the published article with this slug. */
    findLive: (slug: string) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(liveArticle, { workspaceId, slug });
        return row && withContent(row);
      }),

    /** Lists the live texts of the article's translations, even while the article is unpublished. */
    liveTexts: (articleId: string) =>
      read(workspaceId, async (tx) => (await tx.all(liveTexts, { workspaceId, articleId })).map(withContent)),

    /** Lists revisions, newest first. */
    revisions: (articleId: string, limit: number, beforeRevision: number = AFTER_ALL_REVISIONS) =>
      read(workspaceId, async (tx) => {
        const rows = await tx.all(revisions, { workspaceId, articleId, limit, beforeRevision });
        return rows.map((row) => ({ ...withContent(row), event: row.event as ArticleEvent }));
      }),
  };
}

/** Reads several articles without their texts. */
function createListMethods({ read }: SqlDatabase, workspaceId: string) {
  return {
    /** Lists articles newest first, starting after the given id. */
    list: (limit: number, beforeId: string = AFTER_ALL_IDS) =>
      read(
        workspaceId,
        async (tx) => {
          const rows = await tx.all(heads, { workspaceId, limit, beforeId });
          const ids = rows.map(({ id }) => id);
          const variants = await findVariants(tx, ids);
          return rows.map((row) => toHead(row, variants.get(row.id)));
        },
        'atOnce',
      ),

    /**
     * Reads a bounded number of articles in the query's order and returns up to `limit` that match; there
     * may be more after `continueAfter`.
     */
    search: (query: ArticleQuery) =>
      read(
        workspaceId,
        async (tx) => {
          const { rows, ...more } = await searchRows(tx, workspaceId, selectSorted, query, 'heads');
          const variants = await findVariants(
            tx,
            rows.map(({ id }) => id),
          );
          return { rows: rows.map(({ titleKey: _, ...row }) => toHead(row, variants.get(row.id))), ...more };
        },
        'atOnce',
      ),

    /** Like `search`, but newest first, and returns only ids. */
    searchIds: (filter: ArticleFilter, beforeId?: string) =>
      read(workspaceId, async (tx) => {
        const query = { filter, sort: 'created_desc', limit: IDS_PER_STEP } as const;
        const after = beforeId === undefined ? {} : { after: { id: beforeId } };
        const { rows, continueAfter } = await searchRows(
          tx,
          workspaceId,
          selectIds,
          { ...query, ...after },
          'ids',
        );
        return {
          ids: rows.map(({ id }) => id),
          ...(continueAfter && { continueBefore: continueAfter.id }),
        };
      }),

    /** Counts articles, translations and revisions. */
    count: () => read(workspaceId, async (tx) => (await tx.get(counts, { workspaceId }))!),
  };
}

async function findVariants(
  tx: Tx,
  articleIds: readonly string[],
): Promise<ReadonlyMap<string, readonly VariantState[]>> {
  const variantsByArticle = new Map<string, VariantState[]>(articleIds.map((id) => [id, []]));
  for (const row of await tx.all(variants, { articleIds: JSON.stringify(articleIds) })) {
    variantsByArticle.get(row.articleId)?.push(toVariant(row));
  }
  return variantsByArticle;
}

type HeadRow = ReturnType<NonNullable<typeof heads.toRow>>;
type VariantRow = ReturnType<NonNullable<typeof variants.toRow>>;

function toHead(row: HeadRow, variants: readonly VariantState[] = []): ArticleHead {
  const { title, aliases, url, liveRevision, liveHash, liveUrl, livePublishedAt, livePublishedBy, ...more } =
    row;
  const { collectionId, tags, audience, sourceId, sourcePlace, scheduledAt, scheduledBy, ...others } = more;
  const { verifyAfter, checkedAt, checkedBy, ...rest } = others;
  return {
    ...rest,
    ...(collectionId === null ? {} : { collectionId }),
    tags: parseList(tags),
    audience: parseList(audience),
    ...(sourceId === null ? {} : { source: { sourceId, place: sourcePlace! } }),
    ...toScheduled({ scheduledAt, scheduledBy }),
    ...(verifyAfter === null
      ? {}
      : { verify: { after: verifyAfter, checkedAt: checkedAt!, checkedBy: checkedBy! } }),
    content: { title, aliases: JSON.parse(aliases), ...(url === null ? {} : { url }) },
    ...(liveRevision === null
      ? {}
      : {
          live: {
            revision: liveRevision,
            contentHash: liveHash!,
            ...(liveUrl === null ? {} : { url: liveUrl }),
            publishedAt: livePublishedAt!,
            publishedBy: livePublishedBy!,
          },
        }),
    variants,
  };
}

function toVariant(row: VariantRow): VariantState {
  const { articleId: _, liveRevision, liveSourceHash, scheduledAt, scheduledBy, ...rest } = row;
  return {
    ...rest,
    ...toScheduled({ scheduledAt, scheduledBy }),
    ...(liveRevision === null ? {} : { live: { revision: liveRevision, sourceHash: liveSourceHash! } }),
  };
}

const {
  workspaceId: _,
  dismissedAliases: _aliases,
  titleKey: _title,
  searchText: _search,
  ...columns
} = getTableColumns(articles);
const head = {
  ...columns,
  title: newest.title,
  aliases: newest.aliases,
  url: newest.url,
  contentHash: newest.contentHash,
  liveHash: live.contentHash,
  liveUrl: live.url,
};
const ofWorkspace = matches(articles.workspaceId);

const idOfSlug = statement(() =>
  db
    .select({ id: articles.id })
    .from(articles)
    .where(and(ofWorkspace, matches(articles.slug))),
);
const wholeArticle = statement(() =>
  db
    .select({ ...head, answer: newest.answer, searchSummary: newest.searchSummary })
    .from(articles)
    .innerJoin(newest, isNewest)
    .leftJoin(live, isLive)
    .where(and(ofWorkspace, isThisArticle)),
);
/** Builds the statement of a sorted list. */
const selectSorted = (where: SQL | undefined, order: SQL) =>
  statement(() =>
    db
      .select({ ...head, titleKey: articles.titleKey })
      .from(articles)
      .innerJoin(newest, isNewest)
      .leftJoin(live, isLive)
      .where(where)
      .orderBy(order)
      .limit(input('limit')),
  );
const selectIds = (where: SQL | undefined, order: SQL, comparesTexts: boolean) =>
  statement(() => {
    const all = db
      .select({ id: articles.id, titleKey: articles.titleKey, updatedAt: articles.updatedAt })
      .from(articles)
      .$dynamic();
    const joined = comparesTexts ? all.innerJoin(newest, isNewest).leftJoin(live, isLive) : all;
    return joined.where(where).orderBy(order).limit(input('limit'));
  });
const heads = statement(() =>
  db
    .select(head)
    .from(articles)
    .innerJoin(newest, isNewest)
    .leftJoin(live, isLive)
    .where(and(matches(articles.workspaceId), lt(articles.id, input('beforeId'))))
    .orderBy(desc(articles.id))
    .limit(input('limit')),
);
const liveArticle = statement(() =>
  db
    .select({
      articleId: articles.id,
      slug: articles.slug,
      locale: live.locale,
      revision: live.revision,
      contentHash: live.contentHash,
      ...getContentColumns(live),
    })
    .from(articles)
    .innerJoin(live, isLive)
    .where(and(ofWorkspace, matches(articles.slug))),
);
const counts = rawStatement<{ articles: number; translations: number; revisions: number }>(
  sql`SELECT
     (SELECT count(*) FROM articles WHERE workspace_id = ${input('workspaceId')}),
     (SELECT count(*) FROM translations WHERE workspace_id = ${input('workspaceId')}),
     (SELECT count(*) FROM articles JOIN article_revisions ON article_id = id
     WHERE workspace_id = ${input('workspaceId')})
     + (SELECT count(*) FROM translations JOIN translation_revisions ON translation_id = id
        WHERE workspace_id = ${input('workspaceId')})`,
  ...(['articles', 'translations', 'revisions'] as const),
);
const variants = statement(() =>
  db
    .select({
      articleId: translations.articleId,
      translationId: translations.id,
      locale: translations.locale,
      status: translations.status,
      revision: translations.revision,
      sourceHash: translations.sourceHash,
      liveRevision: translations.liveRevision,
      liveSourceHash: translations.liveSourceHash,
      scheduledAt: translations.scheduledAt,
      scheduledBy: translations.scheduledBy,
    })
    .from(translations)
    .where(sql`${translations.articleId} IN (SELECT value FROM json_each(${input('articleIds')}))`)
    .orderBy(translations.locale),
);
const liveTexts = statement(() =>
  db
    .select({
      translationId: translations.id,
      locale: translations.locale,
      revision: translationRevisions.revision,
      ...getContentColumns(translationRevisions),
    })
    .from(translations)
    .innerJoin(
      translationRevisions,
      and(
        eq(translationRevisions.translationId, translations.id),
        eq(translationRevisions.revision, translations.liveRevision),
      ),
    )
    .where(
      and(matches(translations.workspaceId, translations.articleId), isNotNull(translations.liveRevision)),
    )
    .orderBy(translations.locale),
);
const revisions = statement(() =>
  db
    .select({
      revision: articleRevisions.revision,
      event: articleRevisions.event,
      ...getContentColumns(articleRevisions),
      contentHash: articleRevisions.contentHash,
      authorId: articleRevisions.authorId,
      createdAt: articleRevisions.createdAt,
    })
    .from(articleRevisions)
    .innerJoin(articles, eq(articles.id, articleRevisions.articleId))
    .where(
      and(
        matches(articleRevisions.articleId, articles.workspaceId),
        lt(articleRevisions.revision, input('beforeRevision')),
      ),
    )
    .orderBy(desc(articleRevisions.revision))
    .limit(input('limit')),
);
