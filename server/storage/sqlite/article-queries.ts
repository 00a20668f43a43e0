/** Reads articles and maps rows to the port's records. */

import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type {
  Article,
  ArticleEvent,
  ArticleHead,
  ArticleRevision,
  LiveText,
  VariantState,
} from '../articles.ts';
import type { ArticleContent } from '../passages.ts';
import { articleRevisions, articles, translationRevisions, translations } from '../schema.ts';
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

export function toContentColumns({ title, answer, aliases, url }: ArticleContent): ContentRow {
  return { title, answer, aliases: JSON.stringify(aliases), url: url ?? null };
}

export function createArticleQueries({ reader }: Connections) {
  const queries = prepareArticleQueries(reader);

  function findVariants(articleIds: readonly string[]): ReadonlyMap<string, readonly VariantState[]> {
    const variants = new Map<string, VariantState[]>(articleIds.map((id) => [id, []]));
    for (const row of queries.variants.all({ articleIds: JSON.stringify(articleIds) })) {
      variants.get(row.articleId)?.push(toVariant(row));
    }
    return variants;
  }

  return {
    findId: (workspaceId: string, slug: string) => queries.idOfSlug.get({ workspaceId, slug })?.id,

    find(workspaceId: string, articleId: string): Article | undefined {
      const row = queries.whole.get({ workspaceId, articleId });
      if (!row) return undefined;
      const { answer, searchSummary, ...head } = row;
      const article = toHead(head, findVariants([articleId]).get(articleId));
      return { ...article, content: { ...article.content, answer }, searchSummary };
    },

    list(workspaceId: string, limit: number, beforeId = AFTER_ALL_IDS): ArticleHead[] {
      const rows = queries.heads.all({ workspaceId, limit, beforeId });
      const variants = findVariants(rows.map(({ id }) => id));
      return rows.map((row) => toHead(row, variants.get(row.id)));
    },

    liveTexts: (workspaceId: string, articleId: string): LiveText[] =>
      queries.liveTexts.all({ workspaceId, articleId }).map((row) => ({
        translationId: row.translationId,
        locale: row.locale,
        revision: row.revision,
        content: toContent(row),
      })),

    revisions: (
      workspaceId: string,
      articleId: string,
      limit: number,
      beforeRevision = AFTER_ALL_REVISIONS,
    ): ArticleRevision[] =>
      queries.revisions.all({ workspaceId, articleId, limit, beforeRevision }).map((row) => ({
        revision: row.revision,
        event: row.event as ArticleEvent,
        content: toContent(row),
        contentHash: row.contentHash,
        authorId: row.authorId,
        createdAt: row.createdAt,
      })),
  };
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
const head = {
  id: articles.id,
  slug: articles.slug,
  locale: articles.locale,
  status: articles.status,
  revision: articles.revision,
  title: newest.title,
  aliases: newest.aliases,
  url: newest.url,
  contentHash: newest.contentHash,
  liveRevision: articles.liveRevision,
  liveHash: live.contentHash,
  liveUrl: live.url,
  livePublishedAt: articles.livePublishedAt,
  livePublishedBy: articles.livePublishedBy,
  createdAt: articles.createdAt,
  createdBy: articles.createdBy,
  updatedAt: articles.updatedAt,
  updatedBy: articles.updatedBy,
};
const ofWorkspace = matches(articles.workspaceId);

function prepareArticleQueries(reader: Connections['reader']) {
  return { ...prepareHeads(reader), ...prepareVariants(reader), revisions: prepareRevisions(reader) };
}

function prepareHeads(reader: Connections['reader']) {
  return {
    idOfSlug: reader
      .select({ id: articles.id })
      .from(articles)
      .where(and(ofWorkspace, matches(articles.slug)))
      .prepare(),
    whole: reader
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
        title: translationRevisions.title,
        answer: translationRevisions.answer,
        aliases: translationRevisions.aliases,
        url: translationRevisions.url,
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
      title: articleRevisions.title,
      answer: articleRevisions.answer,
      aliases: articleRevisions.aliases,
      url: articleRevisions.url,
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
