/** Columns and statements that articles and translations share. */

import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { toSearchText, toTitleKey } from '../base/text.ts';
import type { ArticleContent } from './passages.ts';
import { articleRevisions, articles, translationRevisions, translations } from './schema/index.ts';
import { bound, db, input, insertInto, matches, rawStatement, statement } from './statements.ts';

export type ArticleStatus = (typeof articles.$inferSelect)['status'];

export type ArticleEvent = 'created' | 'edited' | 'published' | 'unpublished' | 'imported';

/** The source of an article, and its place there. */
export type ArticleOrigin = { sourceId: string; place: string };

export type Conflict = {
  outcome: 'conflict';
  currentRevision: number;
  changedBy: string;
  changedAt: number;
};

type ContentRow = {
  title: string;
  answer: string;
  aliases: string;
  url: string | null;
};

export function toContent({ title, answer, aliases, url }: ContentRow): ArticleContent {
  return { title, answer, aliases: JSON.parse(aliases), ...(url === null ? {} : { url }) };
}

/** Returns a row with its content columns as the port's content. */
export function withContent<Row extends ContentRow>({ title, answer, aliases, url, ...rest }: Row) {
  return { ...rest, content: toContent({ title, answer, aliases, url }) };
}

/** Returns the columns of a revision's content. */
export function getContentColumns<T extends { readonly [column in keyof ContentRow]: SQLiteColumn }>({
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

/** Returns the columns by which lists are sorted and searched. */
export function toSearchColumns(slug: string, { title, aliases }: Omit<ArticleContent, 'answer'>) {
  return { titleKey: toTitleKey(title), searchText: toSearchText([title, slug, ...aliases]) };
}

/** How an article is organized, without a revision. Tags and audience are JSON arrays; null if there are none. */
export type Organization = { collectionId: string | null; tags: string | null; audience: string | null };

export const parseList = (json: string | null): string[] => (json === null ? [] : JSON.parse(json));

export const isSameOrganization = (a: Organization, b: Organization) =>
  a.collectionId === b.collectionId && a.tags === b.tags && a.audience === b.audience;

/** Returns the sorted tags without duplicates as a JSON array; null if there are none. */
export function formatTags(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify([...new Set(tags)].sort());
}

/** A publication at a later time. */
export type ScheduledPublication = { at: number; by: string };

/** From `after` on, an article is to be verified; `checkedAt` is when a member set this. */
export type Verification = { after: number; checkedAt: number; checkedBy: string };

/** The schedule columns of what is not to be published later. */
export const UNSCHEDULED = { scheduledAt: null, scheduledBy: null };

type ScheduleRow = { scheduledAt: number | null; scheduledBy: string | null };

export const toScheduled = ({ scheduledAt, scheduledBy }: ScheduleRow) =>
  scheduledAt === null ? {} : { scheduled: { at: scheduledAt, by: scheduledBy! } };

/** The live columns of an article that is not published. */
export const UNPUBLISHED = { liveRevision: null, livePublishedAt: null, livePublishedBy: null };

/** The live columns of a translation that is not live. */
export const NOT_LIVE = { ...UNPUBLISHED, liveSourceRevision: null, liveSourceHash: null };

/** The review columns of a translation without a review. A review ends when the working copy changes. */
export const UNREVIEWED = {
  reviewDecision: null,
  reviewRevision: null,
  reviewAuthorId: null,
  reviewerId: null,
  reviewNote: null,
  reviewedAt: null,
};

/** The columns of an update by `actor` at `atMillis`. */
export const UPDATED = {
  updatedAt: sql`${input('atMillis')}`,
  updatedBy: sql`${input('actor')}`,
};

/** The columns of an update by which `actor` publishes a revision at `atMillis`. */
const PUBLISHED = {
  liveRevision: sql`${input('revision')}`,
  livePublishedAt: sql`${input('atMillis')}`,
  livePublishedBy: sql`${input('actor')}`,
};

/** Like `PUBLISHED`, for a translation made for a source revision. */
export const LIVE = {
  ...PUBLISHED,
  liveSourceRevision: sql`${input('sourceRevision')}`,
  liveSourceHash: sql`${input('sourceHash')}`,
};

/** Returns the columns of a new row that record who created it, and when. */
export function toCreationColumns({ actor, atMillis }: { actor: string; atMillis: number }) {
  return { createdAt: atMillis, createdBy: actor, updatedAt: atMillis, updatedBy: actor };
}

export const isThisArticle = eq(articles.id, input('articleId'));
export const isThisTranslation = eq(translations.id, input('translationId'));

export const articleBySlug = statement(() => selectArticle(matches(articles.slug)));
export const articleById = statement(() => selectArticle(isThisArticle));

/** Selects the state of an article that transactions need. */
function selectArticle(condition: SQL) {
  const isLive = and(
    eq(articleRevisions.articleId, articles.id),
    eq(articleRevisions.revision, articles.liveRevision),
  );
  return db
    .select({
      id: articles.id,
      slug: articles.slug,
      locale: articles.locale,
      collectionId: articles.collectionId,
      tags: articles.tags,
      audience: articles.audience,
      sourceId: articles.sourceId,
      sourcePlace: articles.sourcePlace,
      revision: articles.revision,
      liveRevision: articles.liveRevision,
      liveHash: articleRevisions.contentHash,
      liveUrl: articleRevisions.url,
      updatedAt: articles.updatedAt,
      updatedBy: articles.updatedBy,
    })
    .from(articles)
    .leftJoin(articleRevisions, isLive)
    .where(and(matches(articles.workspaceId), condition));
}

export const selectOrganization = statement(() =>
  db
    .select({ collectionId: articles.collectionId, tags: articles.tags, audience: articles.audience })
    .from(articles)
    .where(and(matches(articles.workspaceId), isThisArticle)),
);
export const setOrganization = statement(() =>
  db
    .update(articles)
    .set(bound('collectionId', 'tags', 'audience'))
    .where(isThisArticle),
);
/** If the source was deleted meanwhile, its run may still write articles, which are then ordinary ones. */
export const setOrigin = rawStatement(
  sql`UPDATE articles SET source_id = ${input('sourceId')}, source_place = ${input('place')}
    WHERE id = ${input('articleId')} AND workspace_id = ${input('workspaceId')}
     AND EXISTS (SELECT 1 FROM sources WHERE sources.id = ${input('sourceId')}
     AND sources.workspace_id = ${input('workspaceId')})`,
);
export const setSearchText = statement(() =>
  db.update(articles).set(bound('titleKey', 'searchText')).where(isThisArticle),
);

/** The locales of an article's translations. */
export const takenLocales = statement(() =>
  db
    .select({ locale: translations.locale, revision: translations.revision })
    .from(translations)
    .where(matches(translations.articleId)),
);

export const insertArticle = insertInto(articles);
export const insertArticleRevision = insertInto(articleRevisions);
export const insertTranslation = insertInto(translations);
export const insertTranslationRevision = insertInto(translationRevisions);

export const publishArticle = statement(() =>
  db
    .update(articles)
    .set({ ...bound('locale', 'revision'), status: 'published', ...PUBLISHED, ...UNSCHEDULED, ...UPDATED })
    .where(isThisArticle),
);
