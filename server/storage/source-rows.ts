/** Columns and statements that sources and their runs share. */

import { and, getTableColumns, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { ArticleStatus } from './article-rows.ts';
import { isNewest, newest } from './article-search.ts';
import type { Statement, Tx } from './database.ts';
import {
  articles,
  sourceDocuments,
  sourceReadings,
  type sourceRunItems,
  sourceRuns,
  type sources,
  translations,
} from './schema/index.ts';
import {
  db,
  input,
  insertInto,
  matches,
  putInto,
  rawStatement,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';
import { isNewestText, newestText } from './stored-texts.ts';
import type { TranslationStatus } from './translations.ts';

/**
 * Sources of articles. A run reads a source: snapshots are the results of its readers, items are its planned changes,
 * and documents are the texts last applied. Every write of a run is idempotent per place.
 */

export type SourceType = Source['type'];

export type SourceMode = Source['mode'];

export type SourceSchedule = Source['schedule'];

export type RunState = SourceRun['state'];

export type ItemOutcome = RunItem['outcome'];

export type WebsiteRules = {
  startUrls: readonly string[];
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  pagesMax?: number | undefined;
};

type ZendeskAddress = {
  address: string;
  /** The user of the API token; absent for an OAuth token. */
  email?: string | undefined;
};

type FilesLocation = {
  /** The folder in which visitors can open the files, with a slash at the end. */
  baseUrl: string;
};

export type SourceSettings = Omit<Source, 'id' | 'type' | 'token' | 'createdAt' | 'createdBy'>;

export type Source = Omit<Stored<typeof sources>, 'workspaceId' | 'website' | 'files' | 'zendesk'> & {
  website?: WebsiteRules;
  files?: FilesLocation;
  zendesk?: ZendeskAddress;
};

export type SourceSummary = Source & {
  articles: number;
  conflicts: number;
  /** The number of uploaded documents that wait for a run. */
  waiting: number;
  lastRun?: SourceRun;
};

export type RunCounts = Pick<
  SourceRun,
  'added' | 'changed' | 'unchanged' | 'removed' | 'refused' | 'conflicts'
>;

export type SourceRun = Omit<Stored<typeof sourceRuns>, 'workspaceId'>;

export type NewRun = Pick<SourceRun, 'id' | 'sourceId' | 'preview' | 'scheduled' | 'createdAt' | 'createdBy'>;

/** The text to apply. */
export type ReadText = {
  title: string;
  answer: string;
  aliases: readonly string[];
  url?: string | undefined;
  slug?: string | undefined;
  collection?: string | undefined;
  tags?: readonly string[] | undefined;
};

/** A reader's result for a place, without the text. */
export type SnapshotHead = Omit<
  Stored<typeof sourceReadings>,
  'sourceId' | 'workspaceId' | 'contentBytes' | 'content'
>;

export type Snapshot = SnapshotHead & {
  /** Present with `document`. */
  text?: ReadText | undefined;
};

/** The document that was last applied. */
export type LastApplied = Omit<
  Stored<typeof sourceDocuments>,
  'sourceId' | 'workspaceId' | 'conflict' | 'conflictAt'
>;

/** The state of an article, to compare a plan with. */
export type ArticleState = {
  id: string;
  slug: string;
  locale: string;
  status: ArticleStatus;
  revision: number;
  contentHash: string;
  url?: string | undefined;
  sourceId?: string | undefined;
  sourcePlace?: string | undefined;
  translations: readonly TranslationState[];
};

export type TranslationState = {
  id: string;
  locale: string;
  status: TranslationStatus;
  revision: number;
  contentHash: string;
};

export type RunItem = Omit<Stored<typeof sourceRunItems>, 'runId' | 'workspaceId'>;

/** An item that is not applied, with the reader's result. */
export type ItemToApply = { item: RunItem; snapshot?: Snapshot };

/** The result of applying an item. `lastApplied` replaces the last applied one; null deletes it. */
export type AppliedItem = {
  item: RunItem;
  lastApplied?: LastApplied | null;
  conflict?: { snapshot: Snapshot; atMillis: number } | undefined;
};

export type SourceConflict = {
  place: string;
  locale: string;
  translationOf?: string;
  snapshot: Snapshot;
  foundAt: number;
};

export type QueuedUrl = {
  position: number;
  url: string;
  place?: string;
  etag?: string;
  lastModified?: string;
};

type SnapshotRow = typeof sourceReadings.$inferSelect;
type DocumentRow = typeof sourceDocuments.$inferSelect;

/** Returns the columns of a snapshot. */
export function toSnapshotRow({ text, ...head }: Snapshot) {
  const content = text && JSON.stringify(text);
  return { ...head, content, contentBytes: Buffer.byteLength(content ?? '') };
}

type StoredSnapshot = Omit<SnapshotRow, 'sourceId' | 'workspaceId' | 'contentBytes'>;

export function toSnapshot({ content, ...row }: StoredSnapshot): Snapshot {
  return { ...withoutNulls(row), ...(content !== null && { text: JSON.parse(content) as ReadText }) };
}

/** Returns the snapshot's fields that a conflict stores, as JSON in the field order of archives. */
export function formatConflict(snapshot: Snapshot): string {
  const { place, kind, locale, translationOf, url, upload, readUrl, etag, lastModified } = snapshot;
  const { title, contentHash, slug, text } = snapshot;
  const { aliases, answer, collection, tags } = text!;
  return JSON.stringify({
    ...{
      place,
      kind,
      locale,
      translationOf,
      url,
      upload,
      readUrl,
      etag,
      lastModified,
      title,
      contentHash,
      slug,
    },
    text: { title: text!.title, answer, aliases, url: text!.url, slug: text!.slug, collection, tags },
  });
}

export function toConflict(
  row: Pick<DocumentRow, 'place' | 'locale' | 'translationOf' | 'conflict' | 'conflictAt'>,
): SourceConflict {
  const { place, locale, translationOf, conflict, conflictAt } = row;
  return {
    place,
    locale,
    ...(translationOf !== null && { translationOf }),
    snapshot: JSON.parse(conflict!) as Snapshot,
    foundAt: conflictAt!,
  };
}

const {
  sourceId: _s,
  workspaceId: _w,
  contentBytes: _b,
  content: _c,
  ...snapshotHead
} = getTableColumns(sourceReadings);
export const snapshotColumns = { ...snapshotHead, content: sourceReadings.content };
export const headColumns = snapshotHead;

const {
  sourceId: _source,
  workspaceId: _workspace,
  conflict: _conflict,
  conflictAt: _at,
  ...documentColumns
} = getTableColumns(sourceDocuments);

export { documentColumns };

/** If two texts have the same place, the first is kept. A text replaces a snapshot without one (`removeSnapshotWithoutText`). */
export const insertSnapshot = insertInto(sourceReadings, 'orIgnore');
export const removeSnapshotWithoutText = rawStatement(
  sql`DELETE FROM source_readings WHERE source_id = ${input('sourceId')} AND place = ${input('place')}
    AND kind IN ('refused', 'gone')`,
);
export const putDocument = putInto(sourceDocuments, sourceDocuments.sourceId, sourceDocuments.place);
export const removeDocument = rawStatement(
  sql`DELETE FROM source_documents WHERE source_id = ${input('sourceId')} AND place = ${input('place')}`,
);

const isIn = (column: SQLiteColumn, name: string) =>
  sql`${column} in (select value from json_each(${input(name)}))`;

export const documentsAt = statement(() =>
  db
    .select(documentColumns)
    .from(sourceDocuments)
    .where(
      and(
        matches(sourceDocuments.sourceId, sourceDocuments.workspaceId),
        isIn(sourceDocuments.place, 'places'),
      ),
    ),
);

const state = {
  id: articles.id,
  slug: articles.slug,
  locale: articles.locale,
  status: articles.status,
  revision: articles.revision,
  sourceId: articles.sourceId,
  sourcePlace: articles.sourcePlace,
  contentHash: newest.contentHash,
  url: newest.url,
};
const selectStates = (...conditions: readonly SQL[]) =>
  db
    .select(state)
    .from(articles)
    .innerJoin(newest, isNewest)
    .where(and(matches(articles.workspaceId), ...conditions));

export const articlesByPlace = statement(() =>
  selectStates(
    matches(articles.sourceId),
    isNotNull(articles.sourceId),
    isIn(articles.sourcePlace, 'places'),
  ),
);
export const articlesBySlug = statement(() => selectStates(isIn(articles.slug, 'slugs')));
export const articlesOfSource = statement(() =>
  selectStates(
    matches(articles.sourceId),
    isNotNull(articles.sourceId),
    gt(articles.sourcePlace, input('afterPlace')),
  )
    .orderBy(articles.sourcePlace)
    .limit(input('limit')),
);

type StateRow = ReturnType<NonNullable<typeof articlesByPlace.toRow>>;

const translationStates = statement(() =>
  db
    .select({
      articleId: translations.articleId,
      id: translations.id,
      locale: translations.locale,
      status: translations.status,
      revision: translations.revision,
      contentHash: newestText.contentHash,
    })
    .from(translations)
    .innerJoin(newestText, isNewestText)
    .where(isIn(translations.articleId, 'articleIds')),
);

export async function toArticleStates(tx: Tx, rows: readonly StateRow[]): Promise<ArticleState[]> {
  const translationsByArticle = new Map<string, TranslationState[]>(rows.map(({ id }) => [id, []]));
  const articleIds = JSON.stringify([...translationsByArticle.keys()]);
  for (const { articleId, ...each } of rows.length === 0
    ? []
    : await tx.all(translationStates, { articleIds }))
    translationsByArticle.get(articleId)?.push(each);
  return rows.map((row) => ({ ...withoutNulls(row), translations: translationsByArticle.get(row.id) ?? [] }));
}

const { workspaceId: _run, ...runColumns } = getTableColumns(sourceRuns);

export { runColumns };
export const runById = statement(() =>
  db.select(runColumns).from(sourceRuns).where(matches(sourceRuns.workspaceId, sourceRuns.id)),
);

/** The run, if it is in the given state. */
export const runInState: Statement<{ sourceId: string; preview: number }> = rawStatement(
  sql`SELECT source_id, preview FROM source_runs WHERE id = ${input('runId')}
    AND workspace_id = ${input('workspaceId')} AND state = ${input('state')}`,
  'sourceId',
  'preview',
);
