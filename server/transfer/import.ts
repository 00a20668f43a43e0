import { setTimeout as pause } from 'node:timers/promises';
import type { ArchiveLine } from '../../contract/archive-line.ts';
import type { Clock } from '../clock.ts';
import { createIndexing } from '../knowledge/search/indexing.ts';
import type { Store } from '../storage/store.ts';
import type { ImportRow } from '../storage/transfer.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { toWorkspace } from './codec.ts';
import { createRowReader } from './import-rows.ts';
import { purgeRemoved } from './purge.ts';
import { expected, InvalidArchive, type ReadLine, readArchive } from './read-archive.ts';

/** Abandons an import without progress for this long and removes its rows. */
const SILENCE_MILLIS = 120_000;
/** Limits per commit: rows, and bytes of the archive. */
const BATCH_ROWS_MAX = 100;
const BATCH_BYTES_MAX = 256 * 1024;
/** Pause between two commits for other writers. */
const PAUSE_MILLIS = 2;

export type ArchiveCounts = Partial<Record<ArchiveLine['type'], number>>;
export type ArchiveReport = { readonly workspace: Workspace; readonly counts: ArchiveCounts };

export type ArchiveImportDeps = {
  readonly store: Pick<Store, 'workspaces' | 'workspaceImports'>;
  readonly clock: Clock;
};

type OnProgress = (read: { readonly lines: number; readonly bytesRead: number }) => void;

/**
 * Imports an archive as a workspace with a new id. The workspace is invisible until it is complete;
 * after an error, nothing of it stays. With
 * `into`, it replaces that empty workspace.
 * @throws InvalidArchive
 */
export async function importArchive(
  file: string,
  deps: ArchiveImportDeps,
  into?: string,
  onProgress: OnProgress = () => {},
): Promise<ArchiveReport> {
  const lines = readArchive(file);
  try {
    return await importLines(lines, deps, into, onProgress);
  } finally {
    await lines.return(undefined);
  }
}

async function importLines(
  lines: AsyncGenerator<ReadLine, void>,
  deps: ArchiveImportDeps,
  into: string | undefined,
  onProgress: OnProgress,
): Promise<ArchiveReport> {
  const first = await lines.next();
  if (first.done || first.value.line.type !== 'workspace') {
    throw expected('an archive, which begins with a workspace', 1, 'type');
  }
  const workspace = toWorkspace(first.value.line);
  // Rows of an abandoned import may still occupy ids.
  await purgeRemoved(deps);
  await checkTarget(workspace, deps, into);
  const { store, clock } = deps;
  if ((await store.workspaceImports.begin(workspace, clock.now() + SILENCE_MILLIS)) === 'id_taken') {
    throw new InvalidArchive(
      `Another import of ${workspace.id} is under way, or broke off in the last two minutes: try again later.`,
    );
  }
  try {
    const counts = await putLines(workspace.id, lines, deps, onProgress);
    await complete(workspace, deps, into);
    return { workspace, counts };
  } catch (error) {
    await store.workspaceImports.abandon(workspace.id);
    await purgeRemoved(deps);
    throw error;
  }
}

async function checkTarget(
  { id, appId }: Workspace,
  { store }: ArchiveImportDeps,
  into: string | undefined,
): Promise<void> {
  if (await store.workspaces.find(id)) {
    throw new InvalidArchive(
      `The workspace ${id} is here already. Delete it first to put the archive in its place.`,
    );
  }
  const holder = await store.workspaces.findByAppId(appId);
  if (holder && holder.id !== into) throw appIdTaken(appId, holder.id);
  if (into === undefined) return;
  if (!(await store.workspaces.find(into))) throw new InvalidArchive(`There is no workspace ${into}.`);
  if (!(await store.workspaceImports.isEmpty(into))) throw notEmpty(into);
}

async function complete(
  { id, appId }: Workspace,
  { store, clock }: ArchiveImportDeps,
  into: string | undefined,
): Promise<void> {
  const outcome = await store.workspaceImports.complete(id, appId, clock.now(), into);
  if (outcome === 'gone') throw importExpired();
  if (outcome === 'app_id_taken') throw appIdTaken(appId);
  if (outcome === 'not_empty') throw notEmpty(into!);
}

async function putLines(
  workspaceId: string,
  lines: AsyncIterable<ReadLine>,
  deps: ArchiveImportDeps,
  onProgress: OnProgress,
): Promise<ArchiveCounts> {
  const { read, finish } = createRowReader(workspaceId, createIndexing());
  const counts: ArchiveCounts = {};
  let rows: ImportRow[] = [];
  let numbers: number[] = [];
  let committed = 0;
  const commit = async (bytesRead: number, number: number) => {
    await put(workspaceId, rows, numbers, deps);
    [rows, numbers, committed] = [[], [], bytesRead];
    onProgress({ lines: number, bytesRead });
    await pause(PAUSE_MILLIS);
  };
  for await (const { line, number, bytesRead } of lines) {
    counts[line.type] = (counts[line.type] ?? 0) + 1;
    for (const row of await read(line, number)) {
      rows.push(row);
      numbers.push(number);
    }
    const isFull = rows.length >= BATCH_ROWS_MAX || bytesRead - committed >= BATCH_BYTES_MAX;
    if (isFull || line.type === 'end') await commit(bytesRead, number);
  }
  finish();
  return counts;
}

async function put(
  workspaceId: string,
  rows: readonly ImportRow[],
  numbers: readonly number[],
  { store, clock }: ArchiveImportDeps,
): Promise<void> {
  const nowMillis = clock.now();
  const untilMillis = nowMillis + SILENCE_MILLIS;
  const outcome = await store.workspaceImports.put(workspaceId, rows, { nowMillis, untilMillis });
  if (outcome === 'gone') throw importExpired();
  if (outcome !== 'put') {
    throw expected(
      'something new, but its id is here already, in this archive or another workspace',
      numbers[outcome.taken]!,
    );
  }
}

const importExpired = () =>
  new InvalidArchive('The import stood still for too long and was given up. Start it again.');

const appIdTaken = (appId: string, holder?: string) =>
  new InvalidArchive(
    `The app id ${appId} belongs to ${holder ?? 'another workspace'}. If that one is empty, put the archive in its place with --into.`,
  );

const notEmpty = (id: string) =>
  new InvalidArchive(
    `The workspace ${id} is not empty: only one without articles, conversations, events and consent records can be replaced.`,
  );
