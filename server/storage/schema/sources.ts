/** Where articles come from, and what runs read there. */

import { isNotNull, isNull, sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { ofWorkspace, partOf } from './workspaces.ts';

/** Where articles come from. `token` proves that an origin belongs to the workspace. */
export const sources = sqliteTable(
  'sources',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    name: text().notNull(),
    type: text({ enum: ['website', 'files', 'zendesk', 'notion'] }).notNull(),
    /** A JSON document; only for websites. */
    website: text(),
    /** A JSON document; only for files. */
    files: text(),
    /** A JSON document; only for help centers of Zendesk. */
    zendesk: text(),
    /** The API token of the service that is read, encrypted under a key of the key ring. Never exported. */
    sealedToken: text(),
    mode: text({ enum: ['review', 'publish'] }).notNull(),
    schedule: text({ enum: ['manual', 'hourly', 'daily', 'weekly'] }).notNull(),
    paused: integer({ mode: 'boolean' }).notNull(),
    /** Names the file by which an origin proves that it belongs to the workspace. */
    token: text().notNull(),
    /** When the schedule starts the next run. */
    nextRunAt: integer(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
  },
  (table) => [
    index('sources_by_workspace').on(table.workspaceId, table.createdAt, table.id),
    index('sources_by_schedule').on(table.nextRunAt).where(isNotNull(table.nextRunAt)),
  ],
);

/** `done` and `total` are the progress in the run's current state. */
export const sourceRuns = sqliteTable(
  'source_runs',
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    sourceId: partOf(() => sources.id),
    state: text({
      enum: ['queued', 'reading', 'ready', 'applying', 'done', 'failed', 'cancelled'],
    }).notNull(),
    preview: integer({ mode: 'boolean' }).notNull(),
    scheduled: integer({ mode: 'boolean' }).notNull(),
    done: integer().notNull(),
    total: integer().notNull(),
    added: integer().notNull(),
    changed: integer().notNull(),
    unchanged: integer().notNull(),
    removed: integer().notNull(),
    refused: integer().notNull(),
    conflicts: integer().notNull(),
    failure: text(),
    detail: text(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
    startedAt: integer(),
    finishedAt: integer(),
  },
  (table) => [
    index('source_runs_by_source').on(table.sourceId, table.createdAt, table.id),
    index('source_runs_by_workspace').on(table.workspaceId),
    // A source has at most one unfinished run.
    uniqueIndex('source_runs_under_way').on(table.sourceId).where(isNull(table.finishedAt)),
  ],
);

/** What a run did, or will do, with the text of each place. `root` is the place of the article that a translation belongs to. */
export const sourceRunItems = sqliteTable(
  'source_run_items',
  {
    runId: partOf(() => sourceRuns.id),
    place: text().notNull(),
    workspaceId: text().notNull(),
    /** Place of the article that a translation belongs to; else `place`. */
    root: text().notNull(),
    outcome: text({ enum: ['added', 'changed', 'removed', 'refused', 'conflict'] }).notNull(),
    locale: text(),
    title: text(),
    reason: text(),
    detail: text(),
    articleId: text(),
    translationId: text(),
    applied: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.place] }),
    index('source_run_items_by_workspace').on(table.workspaceId),
    index('source_run_items_to_apply')
      .on(table.runId, table.root, table.place)
      .where(sql`${table.applied} = 0`),
  ],
);

/** The texts of a source that were applied last. `conflict` is a text that waits for a person's choice, as JSON. */
export const sourceDocuments = sqliteTable(
  'source_documents',
  {
    sourceId: partOf(() => sources.id),
    place: text().notNull(),
    workspaceId: text().notNull(),
    locale: text().notNull(),
    translationOf: text(),
    contentHash: text().notNull(),
    url: text(),
    upload: text().notNull(),
    readUrl: text(),
    etag: text(),
    lastModified: text(),
    removed: integer({ mode: 'boolean' }).notNull(),
    conflict: text(),
    conflictAt: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.place] }),
    index('source_documents_by_workspace').on(table.workspaceId),
    index('source_documents_by_url').on(table.sourceId, table.readUrl).where(isNotNull(table.readUrl)),
    index('source_documents_in_conflict').on(table.sourceId, table.place).where(isNotNull(table.conflict)),
  ],
);

/** Texts that were read but not applied yet: by the unfinished run, or from uploads that wait for a run. */
export const sourceReadings = sqliteTable(
  'source_readings',
  {
    sourceId: partOf(() => sources.id),
    place: text().notNull(),
    workspaceId: text().notNull(),
    kind: text({ enum: ['document', 'unchanged', 'refused', 'gone'] }).notNull(),
    /** Name of the uploaded file; empty for websites. */
    upload: text().notNull(),
    readUrl: text(),
    locale: text(),
    title: text(),
    translationOf: text(),
    /** Hash of title, answer and aliases, as for articles. */
    contentHash: text(),
    url: text(),
    /** The name that the document itself states. */
    slug: text(),
    etag: text(),
    lastModified: text(),
    reason: text(),
    detail: text(),
    contentBytes: integer().notNull(),
    content: text(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.place] }),
    index('source_readings_by_workspace').on(table.workspaceId),
    index('source_readings_by_upload').on(table.sourceId, table.upload, table.kind, table.contentBytes),
  ],
);

/** Uploads that wait for a run, or are read by one. An upload that was cut off is not complete. */
export const sourceUploads = sqliteTable(
  'source_uploads',
  {
    sourceId: partOf(() => sources.id),
    name: text().notNull(),
    workspaceId: text().notNull(),
    complete: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.name] }),
    index('source_uploads_by_workspace').on(table.workspaceId),
  ],
);

/** The addresses of a run, in the order in which they were found. */
export const sourceFrontier = sqliteTable(
  'source_frontier',
  {
    runId: partOf(() => sourceRuns.id),
    url: text().notNull(),
    workspaceId: text().notNull(),
    position: integer().notNull(),
    settled: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.url] }),
    index('source_frontier_by_workspace').on(table.workspaceId),
    index('source_frontier_to_read').on(table.runId, table.position).where(sql`${table.settled} = 0`),
  ],
);
