/** The storage of runs for their background job. Each write checks the run's state in its own transaction. */

import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { WebhookData } from '../../contract/webhook-events.ts';
import { toIsoString } from '../base/clock.ts';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { sourceDocuments, sourceReadings, sourceRunItems, sourceRuns } from './schema/index.ts';
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
  toSnapshot,
  toSnapshotRow,
} from './source-rows.ts';
import { db, input, matches, putInto, rawStatement, statement, withoutNulls } from './statements.ts';
import { recordWebhookEvent } from './webhook-events.ts';

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

    /** Marks an address as read that has no snapshot, since it only lists others. */
    settle: (runId: string, url: string) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(runInState, { workspaceId, runId, state: 'reading' }))) return 'stopped';
        await settleUrl(tx, runId, url);
        return 'settled';
      }),

    /**
     * Stores the snapshot of an address, which is then read. A document that is already applied is stored
     * as 'unchanged', with its new validators. If two texts have the same place, the first is kept.
     */
    storeSnapshot: (runId: string, url: string, snapshot: Snapshot) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runInState, { workspaceId, runId, state: 'reading' });
        if (!run) return 'stopped';
        // Readers may also refuse addresses outside the queue, such as the first page over the limit.
        await settleUrl(tx, runId, url);
        await putSnapshot(tx, workspaceId, run.sourceId, snapshot);
        return 'settled';
      }),
  };
}

async function settleUrl(tx: WriteTx, runId: string, url: string): Promise<void> {
  const settled = await tx.run(finishUrl, { runId, url });
  if (settled > 0) await tx.run(advance, { runId, by: settled });
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
        (await tx.all(heads, { workspaceId, sourceId, limit, afterPlace })).map(withoutNulls),
      ),

    listUploads: (sourceId: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(completeUploads, { workspaceId, sourceId })).map(({ name }) => name),
      ),

    listLastApplied: (sourceId: string, limit: number, afterPlace: string) =>
      read(workspaceId, async (tx) =>
        (await tx.all(documents, { workspaceId, sourceId, limit, afterPlace })).map(withoutNulls),
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
        for (const item of items) await tx.run(putItem, { ...item, runId, workspaceId });
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
        failure?: WebhookData<'source.run_finished'>['failure'] | undefined;
        detail?: string | undefined;
        atMillis: number;
      },
      audit: (counts: RunCounts) => AuditEntry | undefined,
    ) =>
      write(workspaceId, async (tx) => {
        const run = await tx.get(runById, { workspaceId, id: runId });
        if (!run || run.finishedAt !== null) return undefined;
        const counts = await countApplied(tx, runId, run.unchanged);
        const ending = { state, failure, detail, finishedAt: atMillis };
        await tx.run(finish, { runId, ...ending, ...counts });
        const entry = audit(counts);
        if (entry) await insertAudit(tx, workspaceId, entry);
        const { sourceId } = run;
        await recordWebhookEvent(tx, {
          workspaceId,
          type: 'source.run_finished',
          subject: sourceId,
          payload: {
            ...{ run_id: runId, source_id: sourceId, state, ...(failure && { failure }), ...counts },
            finished_at: toIsoString(atMillis),
          },
          at: atMillis,
        });
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
  await tx.run(putItem, { ...item, runId, workspaceId, applied: true });
  const key = { workspaceId, sourceId, place: item.place };
  if (lastApplied === null) await tx.run(removeDocument, key);
  else if (lastApplied) await tx.run(putDocument, { ...lastApplied, ...key });
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

/** Deletes pages that an earlier run has read; uploads stay, because they wait for this run. */
const clearWebsite = rawStatement(
  sql`DELETE FROM source_readings WHERE (source_id, place) IN (
     SELECT source_id, place FROM source_readings WHERE source_id = ${input('sourceId')} AND upload = '' LIMIT 50)`,
);
const begin = rawStatement(
  sql`UPDATE source_runs SET state = 'reading', started_at = ${input('nowMillis')} WHERE id = ${input('runId')}`,
);
const lastPosition = rawStatement<{ position: number }>(
  sql`SELECT count(*) FROM source_frontier WHERE run_id = ${input('runId')}`,
  'position',
);
const addUrl = rawStatement(
  sql`INSERT INTO source_frontier (run_id, url, workspace_id, position, settled)
   VALUES (${input('runId')}, ${input('url')}, ${input('workspaceId')}, ${input('position')},
   0) ON CONFLICT DO NOTHING`,
);
const findUrl = rawStatement<{ position: number }>(
  sql`SELECT position FROM source_frontier WHERE run_id = ${input('runId')} AND url = ${input('url')}`,
  'position',
);
const setTotal = rawStatement(
  sql`UPDATE source_runs SET total = ${input('total')} WHERE id = ${input('runId')}`,
);
const advance = rawStatement(
  sql`UPDATE source_runs SET done = done + ${input('by')} WHERE id = ${input('runId')}`,
);
const finishUrl = rawStatement(
  sql`UPDATE source_frontier SET settled = 1 WHERE run_id = ${input('runId')} AND url = ${input('url')}
    AND settled = 0`,
);
const urlsToRead = rawStatement<{
  position: number;
  url: string;
  place: string | null;
  etag: string | null;
  lastModified: string | null;
}>(
  sql`SELECT position, item.url, place, etag, last_modified FROM source_frontier AS item
   JOIN source_runs ON source_runs.id = run_id
   LEFT JOIN source_documents ON source_documents.source_id = source_runs.source_id AND read_url = item.url
     AND read_url IS NOT NULL AND source_documents.removed = 0 AND conflict IS NULL
   WHERE run_id = ${input('runId')} AND item.workspace_id = ${input('workspaceId')} AND settled = 0
   AND position > ${input('afterPosition')}
   ORDER BY position LIMIT ${input('limit')}`,
  'position',
  'url',
  'place',
  'etag',
  'lastModified',
);
const knownUrls = rawStatement<{ url: string }>(
  sql`SELECT DISTINCT read_url FROM source_documents
   WHERE source_id = ${input('sourceId')} AND workspace_id = ${input('workspaceId')} AND read_url IS NOT NULL
   AND read_url > ${input('afterUrl')} AND removed = 0
   ORDER BY read_url LIMIT ${input('limit')}`,
  'url',
);
// A text that has already been applied is no longer a conflict.
const refresh = rawStatement(
  sql`UPDATE source_documents SET read_url = ${input('readUrl')}, etag = ${input('etag')},
    last_modified = ${input('lastModified')}, conflict = NULL, conflict_at = NULL
   WHERE source_id = ${input('sourceId')} AND place = ${input('place')}
   AND workspace_id = ${input('workspaceId')} AND removed = 0
     AND content_hash = ${input('contentHash')} AND coalesce(url, '') = coalesce(${input('url')}, '')
     AND locale = ${input('locale')}
     AND coalesce(translation_of, '') = coalesce(${input('translationOf')}, '')`,
);

const afterPlace = sql`${input('afterPlace')}`;
const heads = statement(() =>
  db
    .select(headColumns)
    .from(sourceReadings)
    .where(
      and(matches(sourceReadings.sourceId, sourceReadings.workspaceId), gt(sourceReadings.place, afterPlace)),
    )
    .orderBy(sourceReadings.place)
    .limit(input('limit')),
);
const completeUploads = rawStatement<{ name: string }>(
  sql`SELECT name FROM source_uploads WHERE source_id = ${input('sourceId')}
    AND workspace_id = ${input('workspaceId')} AND complete = 1`,
  'name',
);
const documents = statement(() =>
  db
    .select(documentColumns)
    .from(sourceDocuments)
    .where(
      and(
        matches(sourceDocuments.sourceId, sourceDocuments.workspaceId),
        gt(sourceDocuments.place, afterPlace),
      ),
    )
    .orderBy(sourceDocuments.place)
    .limit(input('limit')),
);
const removeItems = rawStatement(
  sql`DELETE FROM source_run_items WHERE (run_id, place) IN (
     SELECT run_id, place FROM source_run_items WHERE run_id = ${input('runId')} LIMIT 500)`,
);
const putItem = putInto(sourceRunItems, sourceRunItems.runId, sourceRunItems.place);
const setPlan = rawStatement(
  sql`UPDATE source_runs SET state = ${input('state')}, done = 0, total = ${input('total')},
    added = ${input('added')}, changed = ${input('changed')},
     unchanged = ${input('unchanged')}, removed = ${input('removed')}, refused = ${input('refused')},
     conflicts = ${input('conflicts')} WHERE id = ${input('runId')}`,
);
const confirm = rawStatement(
  sql`UPDATE source_runs SET state = 'applying' WHERE id = ${input('runId')}
    AND workspace_id = ${input('workspaceId')} AND state = 'ready'`,
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
    .where(and(matches(sourceRunItems.runId, sourceRunItems.workspaceId), sql`${sourceRunItems.applied} = 0`))
    .orderBy(sourceRunItems.root, sourceRunItems.place)
    .limit(input('limit')),
);
const putConflict = rawStatement(
  sql`INSERT INTO source_documents (source_id, place, workspace_id, locale, translation_of, content_hash, url, upload, read_url, etag,
     last_modified, removed, conflict, conflict_at)
   VALUES (${input('sourceId')}, ${input('place')}, ${input('workspaceId')}, ${input('locale')},
   ${input('translationOf')}, '', NULL, ${input('upload')}, ${input('readUrl')}, NULL, NULL, 0,
   ${input('conflict')}, ${input('conflictAt')})
   ON CONFLICT (source_id, place) DO UPDATE
   SET conflict = ${input('conflict')}, conflict_at = ${input('conflictAt')}`,
);
const clearTexts = rawStatement(
  sql`DELETE FROM source_readings WHERE (source_id, place) IN (
     SELECT source_id, place FROM source_readings WHERE source_id = ${input('sourceId')} LIMIT 50)`,
);
const clearFrontier = rawStatement(
  sql`DELETE FROM source_frontier WHERE (run_id, url) IN (
     SELECT run_id, url FROM source_frontier WHERE run_id = ${input('runId')} LIMIT 500)`,
);
const clearUploads = rawStatement(
  sql`DELETE FROM source_uploads WHERE source_id = ${input('sourceId')} AND workspace_id = ${input('workspaceId')}`,
);
const appliedOutcomes = rawStatement<{
  outcome: 'added' | 'changed' | 'removed' | 'refused' | 'conflict';
  rows: number;
}>(
  sql`SELECT outcome, count(*) FROM source_run_items WHERE run_id = ${input('runId')}
    AND applied = 1 GROUP BY outcome`,
  'outcome',
  'rows',
);
const setCounts = rawStatement(
  sql`UPDATE source_runs SET added = ${input('added')}, changed = ${input('changed')},
    unchanged = ${input('unchanged')}, removed = ${input('removed')}, refused = ${input('refused')},
     conflicts = ${input('conflicts')} WHERE id = ${input('runId')}`,
);
const finish = rawStatement(
  sql`UPDATE source_runs SET state = ${input('state')}, failure = ${input('failure')}, detail = ${input('detail')},
    finished_at = ${input('finishedAt')}, added = ${input('added')},
     changed = ${input('changed')}, unchanged = ${input('unchanged')}, removed = ${input('removed')},
     refused = ${input('refused')}, conflicts = ${input('conflicts')} WHERE id = ${input('runId')}`,
);

/** Methods of the background job. Writes return 'stopped' and store nothing if the run is in another state. */
export type SourceRuns = ReturnType<ReturnType<typeof sqlSourceRuns>>;
