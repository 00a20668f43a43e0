/** Articles, their translations and pictures. */

import { isNotNull, sql } from 'drizzle-orm';
import {
  type AnySQLiteColumn,
  blob,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { ofWorkspace, partOf } from './workspaces.ts';

export const collections = sqliteTable(
  'collections',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    name: text().notNull(),
    /** Its name in addresses of the help centre. */
    slug: text().notNull(),
    /** A JSON array of the slugs that lead to it as well; null if its name never changed. */
    earlierSlugs: text(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
  },
  (table) => [unique().on(table.workspaceId, table.name), unique().on(table.workspaceId, table.slug)],
);

/**
 * `title_key` and `search_text` derive from the newest revision. `tags` is a JSON array.
 * `revision` is the newest one, possibly a draft; visitors see `live_revision`.
 */
export const articles = sqliteTable(
  'articles',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    slug: text().notNull(),
    locale: text().notNull(),
    status: text({ enum: ['draft', 'published', 'unpublished'] }).notNull(),
    revision: integer().notNull(),
    liveRevision: integer(),
    livePublishedAt: integer(),
    livePublishedBy: text(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
    updatedAt: integer().notNull(),
    updatedBy: text().notNull(),
    /** A JSON array; null if none was dismissed. */
    dismissedAliases: text(),
    collectionId: text().references(() => collections.id, { onDelete: 'set null' }),
    /** A JSON array; null if there are none. */
    tags: text(),
    /** A JSON array of what a visitor must have one of; null for everyone. */
    audience: text(),
    /** The title's sort key in the newest revision. */
    titleKey: text().notNull(),
    /** Title, slug and aliases of the newest revision, normalized; lists are searched in it. */
    searchText: text().notNull(),
    sourceId: text(),
    sourcePlace: text(),
    scheduledAt: integer(),
    scheduledBy: text(),
    /** The article is to be verified from then on. */
    verifyAfter: integer(),
    checkedAt: integer(),
    checkedBy: text(),
  },
  (table) => [
    unique().on(table.workspaceId, table.slug),
    foreignKey({
      columns: [table.id, table.liveRevision],
      foreignColumns: [articleRevisions.articleId, articleRevisions.revision],
    }),
    index('articles_by_workspace').on(table.workspaceId, table.id),
    index('articles_by_update').on(table.workspaceId, table.updatedAt, table.id),
    index('articles_by_title').on(table.workspaceId, table.titleKey, table.id),
    index('articles_by_audience').on(table.workspaceId, table.id).where(isNotNull(table.audience)),
    index('articles_by_collection').on(table.collectionId),
    uniqueIndex('articles_by_source').on(table.sourceId, table.sourcePlace).where(isNotNull(table.sourceId)),
    index('articles_by_publication')
      .on(table.workspaceId, table.locale, table.livePublishedAt)
      .where(isNotNull(table.livePublishedAt)),
    index('articles_by_schedule').on(table.scheduledAt).where(isNotNull(table.scheduledAt)),
  ],
);

export const articleRevisions = sqliteTable(
  'article_revisions',
  {
    articleId: partOf((): AnySQLiteColumn => articles.id),
    revision: integer().notNull(),
    event: text().notNull(),
    locale: text().notNull(),
    title: text().notNull(),
    answer: text().notNull(),
    aliases: text().notNull(),
    url: text(),
    contentHash: text().notNull(),
    searchSummary: text().notNull(),
    authorId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.articleId, table.revision] }),
    // Finds the texts that show images without reading the others.
    index('article_revisions_with_images')
      .on(table.articleId, table.revision)
      .where(sql`${table.answer} LIKE '%/images/img_%'`),
  ],
);

/** A translation is stale when `source_hash` differs from the hash of its source. Without a review decision there is no review. */
export const translations = sqliteTable(
  'translations',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    articleId: partOf(() => articles.id),
    locale: text().notNull(),
    status: text({
      enum: ['draft', 'in_review', 'changes_requested', 'approved', 'published', 'archived'],
    }).notNull(),
    revision: integer().notNull(),
    sourceRevision: integer().notNull(),
    sourceHash: text().notNull(),
    liveRevision: integer(),
    liveSourceRevision: integer(),
    liveSourceHash: text(),
    livePublishedAt: integer(),
    livePublishedBy: text(),
    reviewDecision: text({ enum: ['approve', 'request_changes'] }),
    reviewRevision: integer(),
    reviewAuthorId: text(),
    reviewerId: text(),
    reviewNote: text(),
    reviewedAt: integer(),
    scheduledAt: integer(),
    scheduledBy: text(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
    updatedAt: integer().notNull(),
    updatedBy: text().notNull(),
  },
  (table) => [
    unique().on(table.articleId, table.locale),
    foreignKey({
      columns: [table.id, table.liveRevision],
      foreignColumns: [translationRevisions.translationId, translationRevisions.revision],
    }),
    index('translations_by_workspace').on(table.workspaceId),
    index('translations_by_publication')
      .on(table.workspaceId, table.locale, table.livePublishedAt)
      .where(isNotNull(table.livePublishedAt)),
    index('translations_by_schedule').on(table.scheduledAt).where(isNotNull(table.scheduledAt)),
  ],
);

export const translationRevisions = sqliteTable(
  'translation_revisions',
  {
    translationId: partOf((): AnySQLiteColumn => translations.id),
    revision: integer().notNull(),
    event: text().notNull(),
    status: text().notNull(),
    sourceRevision: integer().notNull(),
    sourceHash: text().notNull(),
    title: text().notNull(),
    answer: text().notNull(),
    aliases: text().notNull(),
    url: text(),
    contentHash: text().notNull(),
    searchSummary: text().notNull(),
    authorId: text().notNull(),
    reviewerId: text(),
    reviewNote: text(),
    createdAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.translationId, table.revision] }),
    // Finds the texts that show images without reading the others.
    index('translation_revisions_with_images')
      .on(table.translationId, table.revision)
      .where(sql`${table.answer} LIKE '%/images/img_%'`),
  ],
);

/** Pictures of articles. The content comes last, so that the other columns are read without it. */
export const images = sqliteTable(
  'images',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    name: text().notNull(),
    mediaType: text()
      .$type<'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif'>()
      .notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    contentBytes: integer().notNull(),
    /** SHA-256 of the content, in hex. */
    contentHash: text().notNull(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
    content: blob().$type<Uint8Array>().notNull(),
  },
  (table) => [
    unique().on(table.workspaceId, table.contentHash),
    index('images_by_time').on(table.workspaceId, table.createdAt, table.id),
  ],
);
