import { and, desc, getTableColumns, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { setOrigin } from './article-rows.ts';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, Tx } from './database.ts';
import {
  sourceDocuments,
  sourceReadings,
  sourceRunItems,
  sourceRuns,
  sources,
  sourceUploads,
} from './schema/index.ts';
import {
  articlesByPlace,
  articlesBySlug,
  documentsAt,
  type ItemOutcome,
  insertSnapshot,
  type LastApplied,
  type NewRun,
  putDocument,
  runById,
  runColumns,
  type Snapshot,
  type Source,
  type SourceRun,
  type SourceSettings,
  type SourceSummary,
  snapshotColumns,
  toArticleStates,
  toConflict,
  toSnapshot,
  toSnapshotRow,
} from './source-rows.ts';
import { sqlSourceRuns } from './source-runs.ts';
import {
  db,
  input,
  insertInto,
  matches,
  putInto,
  rawStatement,
  statement,
  withoutNulls,
} from './statements.ts';

/** A run that is waiting or active. */
export type ActiveRun = { workspaceId: string; sourceId: string; runId: string };

export function sqlSources(database: SqlDatabase) {
  const runs = sqlSourceRuns(database);
  return (workspaceId: string) => ({
    ...createSettingsMethods(database, workspaceId),
    ...createUploadMethods(database, workspaceId),
    ...createRunLogMethods(database, workspaceId),
    ...createConflictMethods(database, workspaceId),
    ...createStateMethods(database, workspaceId),
    runs: runs(workspaceId),
  });
}

export function sqlAllSources({ read }: SqlDatabase) {
  return {
    /** Lists unfinished runs that do not wait for a person, oldest first. */
    listActive: () => read(undefined, (tx) => tx.all(active)),
    /** Lists sources whose scheduled run is due. */
    listDue: (nowMillis: number, limit: number) => read(undefined, (tx) => tx.all(due, { nowMillis, limit })),
  };
}

function createSettingsMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    /** Lists all sources, newest first. */
    list: () =>
      read(
        workspaceId,
        async (tx) => {
          const rows = await tx.all(ofWorkspace, { workspaceId });
          return Promise.all(rows.map((row) => toSummary(tx, workspaceId, row)));
        },
        'atOnce',
      ),

    find: (sourceId: string) =>
      read(
        workspaceId,
        async (tx) => {
          const row = await tx.get(byId, { workspaceId, id: sourceId });
          return row && toSummary(tx, workspaceId, row);
        },
        'atOnce',
      ),

    create: (
      { id, type, token, createdAt, createdBy, ...rest }: Source,
      sourcesMax: number,
      audit: AuditEntry,
    ) =>
      write(workspaceId, async (tx) => {
        if ((await tx.get(count, { workspaceId }))!.sources >= sourcesMax) return 'too_many';
        const fixed = { id, workspaceId, type, token, createdAt, createdBy };
        await tx.run(insertSource, { ...fixed, ...toSettingsRow(rest) });
        await insertAudit(tx, workspaceId, audit);
        return 'created';
      }),

    change: (sourceId: string, changed: SourceSettings, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        const row = { ...toSettingsRow(changed), id: sourceId, workspaceId, paused: Number(changed.paused) };
        if ((await tx.run(change, row)) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'changed';
      }),

    /** Deletes a bounded part of the source's rows, the source itself last; call again while 'more'. Articles stay. */
    remove: (sourceId: string, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(byId, { workspaceId, id: sourceId }))) return 'gone';
        for (const step of REMOVAL) if ((await tx.run(step, { workspaceId, sourceId })) > 0) return 'more';
        await tx.run(removeSource, { workspaceId, id: sourceId });
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),
  };
}

function createUploadMethods({ write }: SqlDatabase, workspaceId: string) {
  return {
    /** Begins an upload, which replaces an earlier one of this name; call again while 'more'. */
    beginUpload: (sourceId: string, name: string) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(byId, { workspaceId, id: sourceId }))) return 'gone';
        if (await tx.get(activeRun, { workspaceId, sourceId })) return 'busy';
        await tx.run(putUpload, { sourceId, name, workspaceId, complete: false });
        return (await tx.run(clearUpload, { sourceId, name })) > 0 ? 'more' : 'begun';
      }),

    /** Returns 'full' and stores nothing when there would be too many documents or too much text. */
    addSnapshots: (
      sourceId: string,
      snapshots: readonly Snapshot[],
      { documentsMax, bytesMax }: { documentsMax: number; bytesMax: number },
    ) =>
      write(workspaceId, async (tx) => {
        if (await tx.get(activeRun, { workspaceId, sourceId })) return 'busy';
        const rows = snapshots.map((snapshot) => ({ ...toSnapshotRow(snapshot), sourceId, workspaceId }));
        const waiting = (await tx.get(waitingSize, { workspaceId, sourceId }))!;
        const bytes = rows.reduce((sum, row) => sum + row.contentBytes, waiting.bytes);
        const documents = rows.filter(({ kind }) => kind === 'document').length + waiting.documents;
        if (bytes > bytesMax || documents > documentsMax) return 'full';
        for (const row of rows) await tx.run(insertSnapshot, row);
        return 'added';
      }),

    completeUpload: (sourceId: string, name: string) =>
      write(workspaceId, async (tx) => {
        await tx.run(putUpload, { sourceId, name, workspaceId, complete: true });
      }),
  };
}

function createRunLogMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    /**
     * Returns 'busy' while another run of the source is not finished. Keeps the newest `runsKept` runs. `nextRunAt` is
     * when the schedule starts the next run.
     */
    startRun: (run: NewRun, runsKept: number, nextRunAt?: number) =>
      write(workspaceId, async (tx) => {
        const { sourceId } = run;
        const source = await tx.get(byId, { workspaceId, id: sourceId });
        if (!source) return 'gone';
        if (await tx.get(activeRun, { workspaceId, sourceId })) return 'busy';
        if (source.type === 'files' && !(await tx.get(completedUpload, { workspaceId, sourceId })))
          return 'nothing_uploaded';
        await tx.run(insertRun, { ...QUEUED, ...run, workspaceId });
        await tx.run(removeOldRuns, { sourceId, runsKept });
        if (nextRunAt !== undefined) await tx.run(setNextRun, { workspaceId, sourceId, nextRunAt });
        return 'started';
      }),

    /** Lists the runs of a source, newest first. */
    listRuns: (sourceId: string) =>
      read(workspaceId, async (tx) => (await tx.all(runsOf, { workspaceId, sourceId })).map(withoutNulls)),

    findRun: (sourceId: string, runId: string) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(runById, { workspaceId, id: runId });
        return row?.sourceId === sourceId ? withoutNulls(row) : undefined;
      }),

    listItems: (
      runId: string,
      limit: number,
      {
        afterPlace,
        outcome,
        reason,
      }: { afterPlace: string; outcome?: ItemOutcome | undefined; reason?: string | undefined },
    ) =>
      read(workspaceId, async (tx) => {
        const values = { workspaceId, runId, limit, afterPlace, outcome, reason };
        return (await tx.all(items, values)).map(withoutNulls);
      }),

    findItem: (runId: string, place: string) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(itemAt, { workspaceId, runId, place });
        return row && withoutNulls(row);
      }),

    /** Counts the places that a run did not take, by reason, the most frequent first. */
    countReasons: (runId: string) => read(workspaceId, (tx) => tx.all(reasonCounts, { workspaceId, runId })),

    /** Finds what was read at a place and waits to be applied. */
    findSnapshot: (sourceId: string, place: string) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(snapshotAt, { workspaceId, sourceId, place });
        return row && toSnapshot(row);
      }),
  };
}

function createConflictMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    listConflicts: (sourceId: string, limit: number, afterPlace: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(conflictsOf, { workspaceId, sourceId, limit, afterPlace })).map(toConflict),
      ),

    findConflicts: (sourceId: string, places: readonly string[]) =>
      read(workspaceId, async (tx) => {
        const values = { workspaceId, sourceId, places: JSON.stringify(places) };
        return (await tx.all(conflictsAt, values)).map(toConflict);
      }),

    /** Stores the decisions on conflicts, and the audit row. */
    resolve: (sourceId: string, documents: readonly LastApplied[], audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(byId, { workspaceId, id: sourceId }))) return;
        for (const document of documents) await tx.run(putDocument, { ...document, sourceId, workspaceId });
        await insertAudit(tx, workspaceId, audit);
      }),
  };
}

function createStateMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    /** Assigns an article to the source, at this place. */
    adopt: (sourceId: string, articleId: string, place: string) =>
      write(workspaceId, async (tx) => {
        await tx.run(setOrigin, { workspaceId, sourceId, articleId, place });
      }),

    /** Returns the articles at these places, with the texts last applied. */
    states: (sourceId: string, places: readonly string[]) =>
      read(
        workspaceId,
        async (tx) => {
          const values = { workspaceId, sourceId, places: JSON.stringify(places) };
          const [articles, documents] = await Promise.all([
            tx.all(articlesByPlace, values),
            tx.all(documentsAt, values),
          ]);
          return { articles: await toArticleStates(tx, articles), lastApplied: documents.map(withoutNulls) };
        },
        'atOnce',
      ),

    /** Returns the articles with these slugs, from any source. */
    statesBySlug: (slugs: readonly string[]) =>
      read(
        workspaceId,
        async (tx) =>
          toArticleStates(tx, await tx.all(articlesBySlug, { workspaceId, slugs: JSON.stringify(slugs) })),
        'atOnce',
      ),
  };
}

function toSettingsRow({ website, files, zendesk, ...rest }: SourceSettings) {
  return {
    ...rest,
    website: website && JSON.stringify(website),
    files: files && JSON.stringify(files),
    zendesk: zendesk && JSON.stringify(zendesk),
  };
}

type SourceRow = ReturnType<NonNullable<typeof byId.toRow>>;

async function toSummary(tx: Tx, workspaceId: string, row: SourceRow): Promise<SourceSummary> {
  const values = { workspaceId, sourceId: row.id };
  const [counted, size, lastRun] = await Promise.all([
    tx.get(counts, values),
    tx.get(waitingSize, values),
    tx.get(newestRun, values),
  ]);
  const { website, files, zendesk, ...rest } = withoutNulls(row);
  return {
    ...(rest as Source),
    ...(website !== undefined && { website: JSON.parse(website) }),
    ...(files !== undefined && { files: JSON.parse(files) }),
    ...(zendesk !== undefined && { zendesk: JSON.parse(zendesk) }),
    ...counted!,
    waiting: rest.type === 'files' ? size!.documents : 0,
    ...(lastRun && { lastRun: withoutNulls(lastRun) as SourceRun }),
  };
}

const NO_COUNTS = { added: 0, changed: 0, unchanged: 0, removed: 0, refused: 0, conflicts: 0 };
const QUEUED = { ...NO_COUNTS, state: 'queued', done: 0, total: 0 } as const;

const { workspaceId: _, ...columns } = getTableColumns(sources);
const byId = statement(() =>
  db.select(columns).from(sources).where(matches(sources.workspaceId, sources.id)),
);
const ofWorkspace = statement(() =>
  db
    .select(columns)
    .from(sources)
    .where(matches(sources.workspaceId))
    .orderBy(desc(sources.createdAt), desc(sources.id)),
);
const count = rawStatement<{ sources: number }>(
  sql`SELECT count(*) FROM sources WHERE workspace_id = ${input('workspaceId')}`,
  'sources',
);
const insertSource = insertInto(sources);
const change = rawStatement(
  sql`UPDATE sources SET name = ${input('name')}, website = ${input('website')}, files = ${input('files')},
    zendesk = ${input('zendesk')}, sealed_token = ${input('sealedToken')}, mode = ${input('mode')}, schedule = ${input('schedule')},
     paused = ${input('paused')}, next_run_at = ${input('nextRunAt')} WHERE id = ${input('id')}
     AND workspace_id = ${input('workspaceId')}`,
);
const setNextRun = rawStatement(
  sql`UPDATE sources SET next_run_at = ${input('nextRunAt')} WHERE id = ${input('sourceId')}
    AND workspace_id = ${input('workspaceId')}`,
);
const removeSource = statement(() => db.delete(sources).where(matches(sources.workspaceId, sources.id)));
const counts = rawStatement<{ articles: number; conflicts: number }>(
  sql`SELECT (SELECT count(*) FROM articles WHERE source_id = ${input('sourceId')} AND source_id IS NOT NULL),
     (SELECT count(*) FROM source_documents WHERE source_id = ${input('sourceId')} AND conflict IS NOT NULL)`,
  'articles',
  'conflicts',
);
const waitingSize = rawStatement<{ documents: number; bytes: number }>(
  sql`SELECT coalesce(sum(CASE WHEN kind = 'document' THEN 1 ELSE 0 END), 0), coalesce(sum(content_bytes), 0)
   FROM source_readings WHERE source_id = ${input('sourceId')}`,
  'documents',
  'bytes',
);

/** Deletes up to `rows` rows in one step; fewer from tables with long texts. */
function removeSome(tableName: string, keyColumns: string, condition: SQL, rows: number) {
  const [table, key] = [sql.raw(tableName), sql.raw(keyColumns)];
  return rawStatement(
    sql`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${rows})`,
  );
}
const ofSource = sql`source_id = ${input('sourceId')}`;
const ofRuns = sql`run_id IN (SELECT id FROM source_runs WHERE ${ofSource})`;
const REMOVAL = [
  rawStatement(
    sql`UPDATE articles SET source_id = NULL, source_place = NULL WHERE id IN (
       SELECT id FROM articles WHERE source_id = ${input('sourceId')} AND source_id IS NOT NULL
       AND workspace_id = ${input('workspaceId')} LIMIT 200)`,
  ),
  removeSome('source_readings', 'source_id, place', ofSource, 50),
  removeSome('source_documents', 'source_id, place', ofSource, 200),
  removeSome('source_frontier', 'run_id, url', ofRuns, 500),
  removeSome('source_run_items', 'run_id, place', ofRuns, 500),
];

const putUpload = putInto(sourceUploads, sourceUploads.sourceId, sourceUploads.name);
const clearUpload = removeSome(
  'source_readings',
  'source_id, place',
  sql`${ofSource} AND upload = ${input('name')}`,
  50,
);
const completedUpload = rawStatement<{ name: string }>(
  sql`SELECT name FROM source_uploads WHERE source_id = ${input('sourceId')}
    AND workspace_id = ${input('workspaceId')} AND complete = 1 LIMIT 1`,
  'name',
);

const activeRun = rawStatement<{ id: string }>(
  sql`SELECT id FROM source_runs WHERE source_id = ${input('sourceId')}
    AND workspace_id = ${input('workspaceId')} AND finished_at IS NULL`,
  'id',
);
const insertRun = insertInto(sourceRuns);
const removeOldRuns = rawStatement(
  sql`DELETE FROM source_runs WHERE source_id = ${input('sourceId')} AND id NOT IN (
     SELECT id FROM source_runs WHERE source_id = ${input('sourceId')}
     ORDER BY created_at DESC, id DESC LIMIT ${input('runsKept')})`,
);
const selectRuns = () =>
  db
    .select(runColumns)
    .from(sourceRuns)
    .where(and(matches(sourceRuns.sourceId, sourceRuns.workspaceId)))
    .orderBy(desc(sourceRuns.createdAt), desc(sourceRuns.id));
const runsOf = statement(selectRuns);
const newestRun = statement(() => selectRuns().limit(1));

const { workspaceId: _item, runId: _run, ...itemColumns } = getTableColumns(sourceRunItems);
const ofRun = () => matches(sourceRunItems.runId, sourceRunItems.workspaceId);
/** Whether a column has the value of a filter; true if the filter is absent. */
const isIfGiven = (column: SQLiteColumn) =>
  sql`coalesce(${column}, '') = coalesce(${input(column.name)}, ${column}, '')`;
const items = statement(() =>
  db
    .select(itemColumns)
    .from(sourceRunItems)
    .where(
      and(
        ofRun(),
        gt(sourceRunItems.place, sql`${input('afterPlace')}`),
        isIfGiven(sourceRunItems.outcome),
        isIfGiven(sourceRunItems.reason),
      ),
    )
    .orderBy(sourceRunItems.place)
    .limit(input('limit')),
);
const itemAt = statement(() =>
  db
    .select(itemColumns)
    .from(sourceRunItems)
    .where(and(ofRun(), matches(sourceRunItems.place))),
);
const reasonCounts = rawStatement<{ reason: string; rows: number }>(
  sql`SELECT reason, count(*) FROM source_run_items WHERE run_id = ${input('runId')}
    AND workspace_id = ${input('workspaceId')} AND outcome = 'refused' GROUP BY reason ORDER BY 2 DESC, 1`,
  'reason',
  'rows',
);
const snapshotAt = statement(() =>
  db
    .select(snapshotColumns)
    .from(sourceReadings)
    .where(matches(sourceReadings.sourceId, sourceReadings.workspaceId, sourceReadings.place)),
);

const conflictColumns = {
  place: sourceDocuments.place,
  locale: sourceDocuments.locale,
  translationOf: sourceDocuments.translationOf,
  conflict: sourceDocuments.conflict,
  conflictAt: sourceDocuments.conflictAt,
};
const selectConflicts = (...conditions: readonly SQL[]) =>
  db
    .select(conflictColumns)
    .from(sourceDocuments)
    .where(
      and(
        matches(sourceDocuments.sourceId, sourceDocuments.workspaceId),
        isNotNull(sourceDocuments.conflict),
        ...conditions,
      ),
    )
    .orderBy(sourceDocuments.place);
const conflictsOf = statement(() =>
  selectConflicts(gt(sourceDocuments.place, sql`${input('afterPlace')}`)).limit(input('limit')),
);
const conflictsAt = statement(() =>
  selectConflicts(sql`${sourceDocuments.place} in (select value from json_each(${input('places')}))`),
);

const active = rawStatement<{ workspaceId: string; sourceId: string; runId: string }>(
  sql`SELECT source_runs.workspace_id, source_id, source_runs.id FROM source_runs
   JOIN workspaces ON workspaces.id = source_runs.workspace_id AND removed_at IS NULL
   WHERE finished_at IS NULL AND state <> 'ready' ORDER BY source_runs.created_at, source_runs.id`,
  'workspaceId',
  'sourceId',
  'runId',
);
const due = rawStatement<{ workspaceId: string; sourceId: string }>(
  sql`SELECT workspace_id, sources.id FROM sources
   JOIN workspaces ON workspaces.id = workspace_id AND removed_at IS NULL
   WHERE next_run_at <= ${input('nowMillis')} AND paused = 0 AND next_run_at IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM source_runs WHERE source_id = sources.id AND finished_at IS NULL)
   ORDER BY next_run_at LIMIT ${input('limit')}`,
  'workspaceId',
  'sourceId',
);

/** The sources of one workspace. */
export type Sources = ReturnType<ReturnType<typeof sqlSources>>;
