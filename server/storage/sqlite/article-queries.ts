/** Reads articles and maps rows to the port's records. */

import { and, desc, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { ArticleEvent, ArticleHead, Articles, VariantState } from '../articles.ts';
import type { ArticleContent } from '../passages.ts';
import { articleRevisions, articles, translationRevisions, translations } from '../sql/schema.ts';
import type { Connections } from './connections.ts';
import { boundLimit, equals, matches, placeholder } from './statements.ts';

/** Sorts after every id, and after every revision. */
const AFTER_ALL_IDS = '~';
const AFTER_ALL_REVISIONS = Number.MAX_SAFE_INTEGER;

type ContentRow = {
  readonly title: string;
  readonly answer: string;
  readonly aliases: string;
  readonly url: string | null;
};

export function toContent({ title, answer, aliases, url }: ContentRow): ArticleContent {
  return { title, answer, aliases: JSON.parse(aliases), ...(url === null ? {} : { url }) };
}

/** A row with its content columns as the port's content. */
function withContent<Row extends ContentRow>({ title, answer, aliases, url, ...rest }: Row) {
  return { ...rest, content: toContent({ title, answer, aliases, url }) };
}

/** The columns of a revision's content. */
export function contentOf<T extends { readonly [column in keyof ContentRow]: SQLiteColumn }>({
  title,
  answer,
  aliases,
  url,
}: T) {
  return { title, answer, aliases, url };
}

export function toContentColumns({ title, answer, aliases, url }: ArticleContent): ContentRow {
  return { title, answer, aliases: JSON.stringify(aliases), url: url ?? null };
}

/** Reads of the port. */
export function createArticleQueries({
  reader,
  read,
}: Connections): (workspaceId: string) => Omit<Articles, 'create' | 'apply' | 'remove' | 'import'> {
  const queries = prepareArticleQueries(reader);

  function findVariants(articleIds: readonly string[]): ReadonlyMap<string, readonly VariantState[]> {
    const variants = new Map<string, VariantState[]>(articleIds.map((id) => [id, []]));
    for (const row of queries.variants.all({ articleIds: JSON.stringify(articleIds) })) {
      variants.get(row.articleId)?.push(toVariant(row));
    }
    return variants;
  }

  return (workspaceId) => ({
    findId: (slug) => read(() => queries.idOfSlug.get({ workspaceId, slug })?.id),

    find: (articleId) =>
      read(() => {
        const row = queries.fullRow.get({ workspaceId, articleId });
        if (!row) return undefined;
        const { answer, searchSummary, ...head } = row;
        const article = toHead(head, findVariants([articleId]).get(articleId));
        return { ...article, content: { ...article.content, answer }, searchSummary };
      }),

    findLive: (slug) =>
      read(() => {
        const row = queries.live.get({ workspaceId, slug });
        return row && withContent(row);
      }),

    list: (limit, beforeId = AFTER_ALL_IDS) =>
      read(() => {
        const rows = queries.heads.all({ workspaceId, limit, beforeId });
        const variants = findVariants(rows.map(({ id }) => id));
        return rows.map((row) => toHead(row, variants.get(row.id)));
      }),

    liveTexts: (articleId) => read(() => queries.liveTexts.all({ workspaceId, articleId }).map(withContent)),

    revisions: (articleId, limit, beforeRevision = AFTER_ALL_REVISIONS) =>
      read(() => {
        const rows = queries.revisions.all({ workspaceId, articleId, limit, beforeRevision });
        return rows.map((row) => ({ ...withContent(row), event: row.event as ArticleEvent }));
      }),

    count: () => read(() => queries.counts.get({ workspaceId }) as Awaited<ReturnType<Articles['count']>>),
  });
}

type HeadRow = ReturnType<ReturnType<typeof prepareArticleQueries>['heads']['all']>[number];
type VariantRow = ReturnType<ReturnType<typeof prepareArticleQueries>['variants']['all']>[number];

function toHead(row: HeadRow, variants: readonly VariantState[] = []): ArticleHead {
  const { title, aliases, url, liveRevision, liveHash, liveUrl, livePublishedAt, livePublishedBy, ...rest } =
    row;
  return {
    ...rest,
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

function toVariant({ articleId: _, liveRevision, liveSourceHash, ...rest }: VariantRow): VariantState {
  return liveRevision === null
    ? rest
    : { ...rest, live: { revision: liveRevision, sourceHash: liveSourceHash! } };
}

const newest = alias(articleRevisions, 'newest');
const live = alias(articleRevisions, 'live');
const isNewest = and(eq(newest.articleId, articles.id), eq(newest.revision, articles.revision));
const isLive = and(eq(live.articleId, articles.id), eq(live.revision, articles.liveRevision));
const { workspaceId: _, dismissedAliases: _aliases, ...columns } = getTableColumns(articles);
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

function prepareArticleQueries(reader: Connections['reader']) {
  return {
    ...prepareHeads(reader),
    ...prepareVariants(reader),
    live: prepareLive(reader),
    revisions: prepareRevisions(reader),
    counts: prepareCounts(reader),
  };
}

function prepareHeads(reader: Connections['reader']) {
  return {
    idOfSlug: reader
      .select({ id: articles.id })
      .from(articles)
      .where(and(ofWorkspace, matches(articles.slug)))
      .prepare(),
    fullRow: reader
      .select({ ...head, answer: newest.answer, searchSummary: newest.searchSummary })
      .from(articles)
      .innerJoin(newest, isNewest)
      .leftJoin(live, isLive)
      .where(and(ofWorkspace, eq(articles.id, placeholder('articleId'))))
      .prepare(),
    heads: reader
      .select(head)
      .from(articles)
      .innerJoin(newest, isNewest)
      .leftJoin(live, isLive)
      .where(
        and(equals(articles.workspaceId, 'workspaceId'), sql`${articles.id} < +${placeholder('beforeId')}`),
      )
      .orderBy(desc(articles.id))
      .limit(boundLimit)
      .prepare(),
  };
}

function prepareLive(reader: Connections['reader']) {
  return reader
    .select({
      articleId: articles.id,
      slug: articles.slug,
      locale: live.locale,
      revision: live.revision,
      contentHash: live.contentHash,
      ...contentOf(live),
    })
    .from(articles)
    .innerJoin(live, isLive)
    .where(and(ofWorkspace, matches(articles.slug)))
    .prepare();
}

function prepareCounts(reader: Connections['reader']) {
  return reader.$client.prepare(
    `SELECT
       (SELECT count(*) FROM articles WHERE workspace_id = @workspaceId) AS articles,
       (SELECT count(*) FROM translations WHERE workspace_id = @workspaceId) AS translations,
       (SELECT count(*) FROM articles JOIN article_revisions ON article_id = id WHERE workspace_id = @workspaceId)
       + (SELECT count(*) FROM translations JOIN translation_revisions ON translation_id = id
          WHERE workspace_id = @workspaceId) AS revisions`,
  );
}

function prepareVariants(reader: Connections['reader']) {
  return {
    variants: reader
      .select({
        articleId: translations.articleId,
        translationId: translations.id,
        locale: translations.locale,
        status: translations.status,
        revision: translations.revision,
        sourceHash: translations.sourceHash,
        liveRevision: translations.liveRevision,
        liveSourceHash: translations.liveSourceHash,
      })
      .from(translations)
      .where(sql`${translations.articleId} IN (SELECT value FROM json_each(+${placeholder('articleIds')}))`)
      .orderBy(translations.locale)
      .prepare(),
    liveTexts: reader
      .select({
        translationId: translations.id,
        locale: translations.locale,
        revision: translationRevisions.revision,
        ...contentOf(translationRevisions),
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
        and(
          equals(translations.workspaceId, 'workspaceId'),
          equals(translations.articleId, 'articleId'),
          isNotNull(translations.liveRevision),
        ),
      )
      .orderBy(translations.locale)
      .prepare(),
  };
}

function prepareRevisions(reader: Connections['reader']) {
  return reader
    .select({
      revision: articleRevisions.revision,
      event: articleRevisions.event,
      ...contentOf(articleRevisions),
      contentHash: articleRevisions.contentHash,
      authorId: articleRevisions.authorId,
      createdAt: articleRevisions.createdAt,
    })
    .from(articleRevisions)
    .innerJoin(articles, eq(articles.id, articleRevisions.articleId))
    .where(
      and(
        equals(articleRevisions.articleId, 'articleId'),
        equals(articles.workspaceId, 'workspaceId'),
        sql`${articleRevisions.revision} < +${placeholder('beforeRevision')}`,
      ),
    )
    .orderBy(desc(articleRevisions.revision))
    .limit(boundLimit)
    .prepare();
}
