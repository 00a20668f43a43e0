/** The storage of runs for their background job. Each write checks the run's state in its own transaction. */

import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { sourceDocuments, sourceReadings, sourceRunItems, sourceRuns } from './schema.ts';
import {
  type AppliedItem,
  articlesOfSource,
  documentColumns,
  formatConflict,
  headColumns,
  type ItemOutcome,
  insertSnapshot,
  putDocument,
  type RunCounts,
  type RunItem,
  type RunState,
  removeDocument,
  removeSnapshotWithoutText,
  runById,
  runInState,
  type Snapshot,
  type SourceRun,
  snapshotColumns,
  toArticleStates,
  toDocument,
  toHead,
  toSnapshot,
  toSnapshotRow,
} from './source-rows.ts';
import {
  boundLimit,
  db,
  equals,
  placeholder,
  putInto,
  statement,
  textStatement,
  withoutNulls,
} from './statements.ts';

export function sqlSourceRuns(database: SqlDatabase) {
  return (workspaceId: string) => ({
    ...createReadMethods(database, workspaceId),
    ...createCompareMethods(database, workspaceId),
    ...createPlanMethods(database, workspaceId),
    ...createApplyMethods(database, workspaceId),
  });
}

function createReadMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    /** Moves a queued run to `reading`, after deleting what an earlier run left. Call again while it returns 'more'. */
    begin: (runId: string, nowMillis: number) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runInState, { workspaceId, runId, state: 'queued' });
        if (!run) return 'stopped';
        const { sourceId } = run;
        if ((await tx.run(clearWebsite, { sourceId })) > 0) return 'more';
        await tx.run(begin, { runId, nowMillis });
        return 'begun';
      }),

    /** Adds addresses that are new to the run, up to `urlsMax` in total; returns the first one over that limit. */
    addUrls: (runId: string, urls: readonly string[], urlsMax: number) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(runInState, { workspaceId, runId, state: 'reading' }))) return undefined;
        let { position } = (await tx.get(lastPosition, { runId }))!;
        let firstOverLimit: string | undefined;
        for (const url of urls) {
          if (position < urlsMax)
            position += await tx.run(addUrl, { runId, workspaceId, url, position: position + 1 });
          else if (!(await tx.get(findUrl, { runId, url }))) firstOverLimit = url;
          if (firstOverLimit !== undefined) break;
        }
        await tx.run(setTotal, { runId, total: position });
        return firstOverLimit;
      }),

    /** Lists addresses that are not read yet, in order. */
    listUrls: (runId: string, afterPosition: number, limit: number) =>
      read(workspaceId, async (tx) =>
        (await tx.all(urlsToRead, { workspaceId, runId, afterPosition, limit })).map(withoutNulls),
      ),

    /** Lists addresses from which documents of the source were read. */
    listKnownUrls: (sourceId: string, limit: number, afterUrl: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(knownUrls, { workspaceId, sourceId, limit, afterUrl })).map(({ url }) => url),
      ),

    /**
     * Stores the snapshot of an address, which is then read. A document that is already applied is stored
     * as 'unchanged', with its new validators. If two texts have the same place, the first is kept.
     */
    storeSnapshot: (runId: string, url: string, snapshot: Snapshot) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runInState, { workspaceId, runId, state: 'reading' });
        if (!run) return 'stopped';
        // Readers may also refuse addresses outside the queue, such as the first page over the limit.
        const settled = await tx.run(finishUrl, { runId, url });
        if (settled > 0) await tx.run(advance, { runId, by: settled });
        await putSnapshot(tx, workspaceId, run.sourceId, snapshot);
        return 'settled';
      }),
  };
}

async function putSnapshot(
  tx: WriteTx,
  workspaceId: string,
  sourceId: string,
  snapshot: Snapshot,
): Promise<void> {
  let stored = snapshot;
  if (snapshot.kind === 'document') {
    const refreshed = await tx.run(refresh, { workspaceId, sourceId, ...toSnapshotRow(snapshot) });
    if (refreshed > 0) {
      const { text: _, ...head } = snapshot;
      stored = { ...head, kind: 'unchanged' };
    }
  }
  if (stored.kind === 'document' || stored.kind === 'unchanged')
    await tx.run(removeSnapshotWithoutText, { sourceId, place: snapshot.place });
  await tx.run(insertSnapshot, { ...toSnapshotRow(stored), sourceId, workspaceId });
}

/** Reads the inputs of a plan. */
function createCompareMethods({ read }: SqlDatabase, workspaceId: string) {
  return {
    listSnapshots: (sourceId: string, limit: number, afterPlace: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(heads, { workspaceId, sourceId, limit, afterPlace })).map(toHead),
      ),

    listUploads: (sourceId: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(completeUploads, { workspaceId, sourceId })).map(({ name }) => name),
      ),

    listLastApplied: (sourceId: string, limit: number, afterPlace: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(documents, { workspaceId, sourceId, limit, afterPlace })).map(toDocument),
      ),

    listArticles: (sourceId: string, limit: number, afterPlace: string) =>
      read(
        workspaceId,
        async (tx) =>
          toArticleStates(tx, await tx.all(articlesOfSource, { workspaceId, sourceId, limit, afterPlace })),
        'atOnce',
      ),
  };
}

function createPlanMethods({ write }: SqlDatabase, workspaceId: string) {
  return {
    /** Deletes a part of an unfinished plan; call again while 'more'. */
    clearPlan: (runId: string) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(runInState, { workspaceId, runId, state: 'reading' }))) return 'clear';
        return (await tx.run(removeItems, { runId })) > 0 ? 'more' : 'clear';
      }),

    addItems: (runId: string, items: readonly RunItem[]) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(runInState, { workspaceId, runId, state: 'reading' }))) return 'stopped';
        for (const item of items) await tx.run(putItem, { ...NO_ITEM, ...item, runId, workspaceId });
        return 'added';
      }),

    /** Ends reading: the run is `ready` if it is a preview, else `applying`. */
    finishPlan: (runId: string, counts: RunCounts, toApply: number) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runInState, { workspaceId, runId, state: 'reading' });
        if (!run) return 'stopped';
        const state: RunState = run.preview === 1 ? 'ready' : 'applying';
        await tx.run(setPlan, { runId, state, total: toApply, ...counts });
        return state;
      }),

    /** Continues a previewed run. */
    confirm: (runId: string) =>
      write(workspaceId, async (tx) =>
        (await tx.run(confirm, { workspaceId, runId })) > 0 ? 'confirmed' : 'stopped',
      ),
  };
}

function createApplyMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    listToApply: (runId: string, limit: number) =>
      read(workspaceId, async (tx) => {
        const rows = await tx.all(toApply, { workspaceId, runId, limit });
        return rows.map(({ item, snapshot: row }) => ({
          item: withoutNulls(item),
          // The columns of a missing row are null.
          ...(row?.place && { snapshot: toSnapshot(row) }),
        }));
      }),

    /**
     * Stores the results of applied items. If the run was cancelled meanwhile, they still count: `audit` builds another
     * row from the counts of these items alone, and the result is 'stopped'.
     */
    storeApplied: (
      runId: string,
      applied: readonly AppliedItem[],
      audit: (counts: RunCounts) => AuditEntry | undefined,
    ) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runById, { workspaceId, id: runId });
        if (run?.state !== 'applying' && run?.state !== 'cancelled') return 'stopped';
        for (const each of applied) await storeAppliedItem(tx, workspaceId, run.sourceId, runId, each);
        await tx.run(advance, { runId, by: applied.length });
        if (run.state === 'applying') return 'settled';
        await tx.run(setCounts, { runId, ...(await countApplied(tx, runId, run.unchanged)) });
        const entry = audit(countItems(applied));
        if (entry) await insertAudit(tx, workspaceId, entry);
        return 'stopped';
      }),

    /** Deletes a part of the snapshots; call again while 'more'. */
    clearSnapshots: (runId: string) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runById, { workspaceId, id: runId });
        if (!run) return 'clear';
        const { sourceId } = run;
        const cleared = (await tx.run(clearTexts, { sourceId })) + (await tx.run(clearFrontier, { runId }));
        if (cleared > 0) return 'more';
        await tx.run(clearUploads, { workspaceId, sourceId });
        return 'clear';
      }),

    /**
     * Ends a run that is not finished, and counts what it has applied. `audit` builds the audit row from the counts; it
     * may be called more than once. Returns undefined when the run was finished already.
     */
    finish: (
      runId: string,
      {
        state,
        failure,
        detail,
        atMillis,
      }: {
        state: 'done' | 'failed' | 'cancelled';
        failure?: string | undefined;
        detail?: string | undefined;
        atMillis: number;
      },
      audit: (counts: RunCounts) => AuditEntry | undefined,
    ) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runById, { workspaceId, id: runId });
        if (!run || run.finishedAt !== null) return undefined;
        const counts = await countApplied(tx, runId, run.unchanged);
        const ending = { state, failure: failure ?? null, detail: detail ?? null, finishedAt: atMillis };
        await tx.run(finish, { runId, ...ending, ...counts });
        const entry = audit(counts);
        if (entry) await insertAudit(tx, workspaceId, entry);
        return withoutNulls({ ...run, ...ending, ...counts }) as SourceRun;
      }),
  };
}

async function storeAppliedItem(
  tx: WriteTx,
  workspaceId: string,
  sourceId: string,
  runId: string,
  { item, lastApplied, conflict }: AppliedItem,
): Promise<void> {
  await tx.run(putItem, { ...NO_ITEM, ...item, runId, workspaceId, applied: true });
  const key = { workspaceId, sourceId, place: item.place };
  if (lastApplied === null) await tx.run(removeDocument, key);
  else if (lastApplied) await tx.run(putDocument, { ...NO_DOCUMENT, ...lastApplied, ...key });
  if (conflict) {
    const { snapshot, atMillis } = conflict;
    const { locale, translationOf, upload, readUrl } = snapshot;
    const row = { ...key, locale, translationOf, upload, readUrl };
    await tx.run(putConflict, { ...row, conflict: formatConflict(snapshot), conflictAt: atMillis });
  }
}

async function countApplied(tx: WriteTx, runId: string, unchanged: number): Promise<RunCounts> {
  const counts = { added: 0, changed: 0, unchanged, removed: 0, refused: 0, conflicts: 0 };
  for (const { outcome, rows } of await tx.all(appliedOutcomes, { runId }))
    counts[outcome === 'conflict' ? 'conflicts' : outcome] = rows;
  return counts;
}

function countItems(applied: readonly AppliedItem[]): RunCounts {
  const count = (outcome: ItemOutcome) => applied.filter(({ item }) => item.outcome === outcome).length;
  return {
    ...{ added: count('added'), changed: count('changed'), unchanged: 0, removed: count('removed') },
    ...{ refused: count('refused'), conflicts: count('conflict') },
  };
}

const NO_ITEM = {
  locale: null,
  title: null,
  reason: null,
  detail: null,
  articleId: null,
  translationId: null,
};
const NO_DOCUMENT = {
  translationOf: null,
  url: null,
  readUrl: null,
  etag: null,
  lastModified: null,
  conflict: null,
  conflictAt: null,
};

/** Deletes pages that an earlier run has read; uploads stay, because they wait for this run. */
const clearWebsite = textStatement(
  `DELETE FROM source_readings WHERE (source_id, place) IN (
     SELECT source_id, place FROM source_readings WHERE source_id = @sourceId AND upload = '' LIMIT 50)`,
);
const begin = textStatement(
  `UPDATE source_runs SET state = 'reading', started_at = @nowMillis WHERE id = @runId`,
);
const lastPosition = textStatement<{ position: number }>(
  'SELECT count(*) FROM source_frontier WHERE run_id = @runId',
  'position',
);
const addUrl = textStatement(
  `INSERT INTO source_frontier (run_id, url, workspace_id, position, settled)
   VALUES (@runId, @url, @workspaceId, @position, 0) ON CONFLICT DO NOTHING`,
);
const findUrl = textStatement<{ position: number }>(
  'SELECT position FROM source_frontier WHERE run_id = @runId AND url = @url',
  'position',
);
const setTotal = textStatement('UPDATE source_runs SET total = @total WHERE id = @runId');
const advance = textStatement('UPDATE source_runs SET done = done + @by WHERE id = @runId');
const finishUrl = textStatement(
  'UPDATE source_frontier SET settled = 1 WHERE run_id = @runId AND url = @url AND settled = 0',
);
const urlsToRead = textStatement<{
  position: number;
  url: string;
  place: string | null;
  etag: string | null;
  lastModified: string | null;
}>(
  `SELECT position, item.url, place, etag, last_modified FROM source_frontier AS item
   JOIN source_runs ON source_runs.id = run_id
   LEFT JOIN source_documents ON source_documents.source_id = source_runs.source_id AND read_url = item.url
     AND read_url IS NOT NULL AND source_documents.removed = 0 AND conflict IS NULL
   WHERE run_id = +@runId AND item.workspace_id = +@workspaceId AND settled = 0 AND position > +@afterPosition
   ORDER BY position LIMIT 0 + @limit`,
  'position',
  'url',
  'place',
  'etag',
  'lastModified',
);
const knownUrls = textStatement<{ url: string }>(
  `SELECT DISTINCT read_url FROM source_documents
   WHERE source_id = +@sourceId AND workspace_id = +@workspaceId AND read_url IS NOT NULL AND read_url > +@afterUrl AND removed = 0
   ORDER BY read_url LIMIT 0 + @limit`,
  'url',
);
// A text that has already been applied is no longer a conflict.
const refresh = textStatement(
  `UPDATE source_documents SET read_url = @readUrl, etag = @etag, last_modified = @lastModified, conflict = NULL, conflict_at = NULL
   WHERE source_id = @sourceId AND place = @place AND workspace_id = @workspaceId AND removed = 0
     AND content_hash = @contentHash AND coalesce(url, '') = coalesce(@url, '') AND locale = @locale
     AND coalesce(translation_of, '') = coalesce(@translationOf, '')`,
);

const afterPlace = sql`+${placeholder('afterPlace')}`;
const heads = statement(() =>
  db
    .select(headColumns)
    .from(sourceReadings)
    .where(
      and(
        equals(sourceReadings.sourceId, 'sourceId'),
        equals(sourceReadings.workspaceId, 'workspaceId'),
        gt(sourceReadings.place, afterPlace),
      ),
    )
    .orderBy(sourceReadings.place)
    .limit(boundLimit),
);
const completeUploads = textStatement<{ name: string }>(
  'SELECT name FROM source_uploads WHERE source_id = @sourceId AND workspace_id = @workspaceId AND complete = 1',
  'name',
);
const documents = statement(() =>
  db
    .select(documentColumns)
    .from(sourceDocuments)
    .where(
      and(
        equals(sourceDocuments.sourceId, 'sourceId'),
        equals(sourceDocuments.workspaceId, 'workspaceId'),
        gt(sourceDocuments.place, afterPlace),
      ),
    )
    .orderBy(sourceDocuments.place)
    .limit(boundLimit),
);
const removeItems = textStatement(
  `DELETE FROM source_run_items WHERE (run_id, place) IN (
     SELECT run_id, place FROM source_run_items WHERE run_id = @runId LIMIT 500)`,
);
const putItem = putInto(sourceRunItems, sourceRunItems.runId, sourceRunItems.place);
const setPlan = textStatement(
  `UPDATE source_runs SET state = @state, done = 0, total = @total, added = @added, changed = @changed,
     unchanged = @unchanged, removed = @removed, refused = @refused, conflicts = @conflicts WHERE id = @runId`,
);
const confirm = textStatement(
  `UPDATE source_runs SET state = 'applying' WHERE id = @runId AND workspace_id = @workspaceId AND state = 'ready'`,
);

const { workspaceId: _w, runId: _r, ...itemColumns } = getTableColumns(sourceRunItems);
const toApply = statement(() =>
  db
    .select({ item: itemColumns, snapshot: snapshotColumns })
    .from(sourceRunItems)
    .innerJoin(sourceRuns, eq(sourceRuns.id, sourceRunItems.runId))
    .leftJoin(
      sourceReadings,
      and(eq(sourceReadings.sourceId, sourceRuns.sourceId), eq(sourceReadings.place, sourceRunItems.place)),
    )
    .where(
      and(
        equals(sourceRunItems.runId, 'runId'),
        equals(sourceRunItems.workspaceId, 'workspaceId'),
        sql`${sourceRunItems.applied} = 0`,
      ),
    )
    .orderBy(sourceRunItems.root, sourceRunItems.place)
    .limit(boundLimit),
);
const putConflict = textStatement(
  `INSERT INTO source_documents (source_id, place, workspace_id, locale, translation_of, content_hash, url, upload, read_url, etag,
     last_modified, removed, conflict, conflict_at)
   VALUES (@sourceId, @place, @workspaceId, @locale, @translationOf, '', NULL, @upload, @readUrl, NULL, NULL, 0, @conflict, @conflictAt)
   ON CONFLICT (source_id, place) DO UPDATE SET conflict = @conflict, conflict_at = @conflictAt`,
);
const clearTexts = textStatement(
  `DELETE FROM source_readings WHERE (source_id, place) IN (
     SELECT source_id, place FROM source_readings WHERE source_id = @sourceId LIMIT 50)`,
);
const clearFrontier = textStatement(
  `DELETE FROM source_frontier WHERE (run_id, url) IN (
     SELECT run_id, url FROM source_frontier WHERE run_id = @runId LIMIT 500)`,
);
const clearUploads = textStatement(
  'DELETE FROM source_uploads WHERE source_id = @sourceId AND workspace_id = @workspaceId',
);
const appliedOutcomes = textStatement<{
  outcome: 'added' | 'changed' | 'removed' | 'refused' | 'conflict';
  rows: number;
}>(
  `SELECT outcome, count(*) FROM source_run_items WHERE run_id = @runId AND applied = 1 GROUP BY outcome`,
  'outcome',
  'rows',
);
const setCounts = textStatement(
  `UPDATE source_runs SET added = @added, changed = @changed, unchanged = @unchanged, removed = @removed, refused = @refused,
     conflicts = @conflicts WHERE id = @runId`,
);
const finish = textStatement(
  `UPDATE source_runs SET state = @state, failure = @failure, detail = @detail, finished_at = @finishedAt, added = @added,
     changed = @changed, unchanged = @unchanged, removed = @removed, refused = @refused, conflicts = @conflicts WHERE id = @runId`,
);

/** Methods of the background job. Writes return 'stopped' and store nothing if the run is in another state. */
export type SourceRuns = ReturnType<ReturnType<typeof sqlSourceRuns>>;
