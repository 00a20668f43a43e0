import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ApiError } from '../http/errors.ts';
import type { Indexing } from '../knowledge/search/indexing.ts';
import type { AuditEntry } from '../storage/audit.ts';
import { StorageUnavailable } from '../storage/availability.ts';
import type {
  ArticleState,
  ItemToApply,
  LastApplied,
  RunCounts,
  SnapshotHead,
  SourceRun,
  SourceSchedule,
  SourceSummary,
  SourceType,
} from '../storage/source-rows.ts';
import type { SourceRuns } from '../storage/source-runs.ts';
import type { ActiveRun, Sources } from '../storage/sources.ts';
import type { Store, Workspaces } from '../storage/store.ts';
import type { StorageMeter } from '../workspaces/storage-meter.ts';
import { applyGroup } from './apply.ts';
import { type CrawlStep, RunFailed } from './document.ts';
import { planRun } from './plan.ts';
import { toPageSnapshot } from './snapshot.ts';
import { createUrlQueue, type UrlQueue } from './url-queue.ts';

/** Reads a source that is not uploaded. */
export type ReadSource = (options: {
  source: SourceSummary;
  sourceLocale: string;
  /** Pages that are not yet due, or have expired by then, are not read. */
  nowMillis: number;
  allowedOrigins: readonly string[];
  queue: UrlQueue;
  signal: AbortSignal;
}) => AsyncIterable<CrawlStep>;

/** Returns the API token of a source; undefined if it has none. */
export type OpenToken = (source: SourceSummary) => Promise<string | undefined>;

export type RunnerDeps = {
  store: Pick<Store, 'in' | 'sources'> & { workspaces: Pick<Workspaces, 'find'> };
  clock: Clock;
  log: Log;
  indexing: Indexing;
  storageMeter: Pick<StorageMeter, 'requireRoom'>;
  readers: Readonly<Record<Exclude<SourceType, 'files'>, ReadSource>>;
  isLeader: () => boolean;
};

type SourceRunner = {
  /** Starts due runs and continues unfinished ones; waits until they end, unless an earlier call already waits. */
  tick(): Promise<void>;
  /** Leaves unfinished runs to the next process. */
  stop(): Promise<void>;
};

/** Workspaces whose sources are read at the same time. */
const RUNS_AT_ONCE = 4;
const DUE_AT_ONCE = 100;
const ROWS_PER_PAGE = 500;
const ITEMS_PER_STEP = 100;
const TO_APPLY_PER_STEP = 200;
/** Articles written concurrently, so that they share a commit. */
const GROUPS_AT_ONCE = 8;

export function createSourceRunner(deps: RunnerDeps): SourceRunner {
  const { store, log } = deps;
  const controller = new AbortController();
  const running = new Map<string, Promise<void>>();
  let isDraining = false;

  /** Returns false when the run cannot start yet. */
  function start(active: ActiveRun): boolean {
    const { workspaceId } = active;
    if (running.has(workspaceId) || running.size >= RUNS_AT_ONCE || controller.signal.aborted) return false;
    const done = continueRun(active, deps, controller.signal)
      .catch((error) => log.warn({ err: error, ...active }, 'could not continue a run of a source'))
      .finally(() => running.delete(workspaceId));
    running.set(workspaceId, done);
    return true;
  }

  /** Starts the runs that can start, except the given ones. */
  async function startAll(except: ReadonlySet<string> = new Set()): Promise<readonly string[]> {
    const active = await store.sources.listActive();
    return active.filter((each) => !except.has(each.runId) && start(each)).map(({ runId }) => runId);
  }

  /** Waits until all runs have ended. Whenever one ends, starts those that can start now. */
  async function drain(): Promise<void> {
    const started = new Set<string>();
    while (running.size > 0) {
      await Promise.race(running.values());
      for (const runId of await startAll(started)) started.add(runId);
    }
  }

  return {
    async tick() {
      await startDueRuns(deps);
      await startAll();
      if (isDraining) return;
      isDraining = true;
      await drain().finally(() => {
        isDraining = false;
      });
    },
    async stop() {
      controller.abort();
      await Promise.all(running.values());
    },
  };
}

async function startDueRuns({ store, clock }: RunnerDeps): Promise<void> {
  const now = clock.now();
  for (const { workspaceId, sourceId } of await store.sources.listDue(now, DUE_AT_ONCE)) {
    const { sources } = store.in(workspaceId);
    const source = await sources.find(sourceId);
    if (!source) continue;
    const { createdBy, schedule } = source;
    const run = { id: newId('run'), sourceId, preview: false, scheduled: true, createdAt: now, createdBy };
    await sources.startRun(run, SOURCE_LIMITS.sourceRunsKept, getNextRunAt(schedule, now));
  }
}

/** Dependencies of processing one run. */
type RunContext = RunnerDeps & {
  run: SourceRun;
  source: SourceSummary;
  workspaceId: string;
  sources: Sources;
  runs: SourceRuns;
  /** Also aborted when the run has ended or another node has become the leader. */
  signal: AbortSignal;
};

/** Processes a run from its current state. */
async function continueRun(
  { workspaceId, sourceId, runId }: ActiveRun,
  deps: RunnerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { sources } = deps.store.in(workspaceId);
  const { runs } = sources;
  while ((await runs.begin(runId, deps.clock.now())) === 'more') await yieldToEventLoop();
  const [run, source] = await Promise.all([sources.findRun(sourceId, runId), sources.find(sourceId)]);
  if (!run || !source) return;
  const context = { ...deps, run, source, workspaceId, sources, runs, signal };
  try {
    if (run.state === 'reading') await readAndPlan(context);
    const planned = await sources.findRun(sourceId, runId);
    if (planned?.state === 'applying' && !isStopped(context)) await applyPlan(context);
  } catch (error) {
    if (signal.aborted || error instanceof StorageUnavailable) throw error;
    await failRun(context, error);
  }
}

const isStopped = ({ signal, isLeader }: RunContext) => signal.aborted || !isLeader();

async function readAndPlan(context: RunContext): Promise<void> {
  const { storageMeter, workspaceId, source, readers } = context;
  if (source.type !== 'files' && !(await readPages(context, readers[source.type]))) return;
  try {
    storageMeter.requireRoom(workspaceId);
  } catch (error) {
    if (error instanceof ApiError) throw new RunFailed('storage_full');
    throw error;
  }
  await planAndStore(context);
}

/** Returns false when the run was stopped. */
async function readPages(context: RunContext, readSource: ReadSource): Promise<boolean> {
  const { run, source, runs, workspaceId, store, clock } = context;
  const workspace = await store.workspaces.find(workspaceId);
  if (!workspace) return false;
  const { sourceLocale, allowedOrigins } = workspace.settings;
  const readingEnd = new AbortController();
  const signal = AbortSignal.any([context.signal, readingEnd.signal]);
  const queue = createUrlQueue(run, source, runs);
  const nowMillis = run.startedAt ?? clock.now();
  const deadline = nowMillis + SOURCE_LIMITS.sourceRunSecondsMax * 1000;
  try {
    for await (const step of readSource({
      source,
      sourceLocale,
      nowMillis,
      allowedOrigins,
      queue,
      signal,
    })) {
      if (isStopped(context)) return false;
      const stored =
        step.kind === 'listed'
          ? await runs.settle(run.id, step.url)
          : await runs.storeSnapshot(run.id, step.url, toPageSnapshot(step));
      if (stored === 'stopped') return false;
      if (clock.now() > deadline) throw new RunFailed('time_limit');
    }
  } finally {
    readingEnd.abort();
  }
  return !isStopped(context);
}

async function planAndStore({ run, source, sources, runs }: RunContext): Promise<void> {
  const uploads = source.type === 'files' ? await runs.listUploads(source.id) : undefined;
  const all = await readAll<SnapshotHead>(({ place = '' }) =>
    runs.listSnapshots(source.id, ROWS_PER_PAGE, place),
  );
  const lastApplied = await readAll<LastApplied>(({ place = '' }) =>
    runs.listLastApplied(source.id, ROWS_PER_PAGE, place),
  );
  const articles = await readAll<ArticleState>(({ sourcePlace = '' }) =>
    runs.listArticles(source.id, ROWS_PER_PAGE, sourcePlace),
  );
  // An interrupted upload does not count.
  const snapshots = uploads ? all.filter(({ upload }) => uploads.includes(upload)) : all;
  const own = new Set(articles.map(({ slug }) => slug));
  const slugs = [...new Set(snapshots.flatMap(({ slug }) => slug ?? []))].filter((slug) => !own.has(slug));
  const slugOwners = await findSlugOwners(slugs, sources);
  const { items, unchanged } = planRun({ snapshots, lastApplied, articles, slugOwners, uploads });
  const hasPages = snapshots.some(({ kind }) => kind === 'document' || kind === 'unchanged');
  if (source.type !== 'files' && !hasPages && lastApplied.length === 0 && items.length === 0)
    throw new RunFailed('no_pages');
  while ((await runs.clearPlan(run.id)) === 'more') await yieldToEventLoop();
  for (let at = 0; at < items.length; at += ITEMS_PER_STEP) {
    await runs.addItems(run.id, items.slice(at, at + ITEMS_PER_STEP));
    await yieldToEventLoop();
  }
  const count = (outcome: string) => items.filter((item) => item.outcome === outcome).length;
  const counts: RunCounts = {
    ...{ added: count('added'), changed: count('changed'), unchanged, removed: count('removed') },
    ...{ refused: count('refused'), conflicts: count('conflict') },
  };
  await runs.finishPlan(run.id, counts, items.filter(({ applied }) => !applied).length);
}

/** @param listPage lists the rows after the given one; an empty one stands before the first */
async function readAll<Row extends object>(
  listPage: (after: Partial<Row>) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await listPage(rows.at(-1) ?? {});
    rows.push(...page);
    if (page.length < ROWS_PER_PAGE) return rows;
    await yieldToEventLoop();
  }
}

async function findSlugOwners(slugs: readonly string[], sources: Sources): Promise<ArticleState[]> {
  const slugOwners: ArticleState[] = [];
  for (let at = 0; at < slugs.length; at += ROWS_PER_PAGE) {
    slugOwners.push(...(await sources.statesBySlug(slugs.slice(at, at + ROWS_PER_PAGE))));
    await yieldToEventLoop();
  }
  return slugOwners;
}

async function applyPlan(context: RunContext): Promise<void> {
  const { run, source, runs, store, workspaceId, indexing, clock } = context;
  const deps = {
    ...{ store: store.in(workspaceId), sourceId: source.id, mode: source.mode },
    ...{ indexing, clock, actor: run.createdBy },
  };
  for (;;) {
    const page = await runs.listToApply(run.id, TO_APPLY_PER_STEP);
    if (page.length === 0) break;
    const groups = toGroups(page, page.length === TO_APPLY_PER_STEP);
    for (let at = 0; at < groups.length; at += GROUPS_AT_ONCE) {
      if (isStopped(context)) return;
      const some = groups.slice(at, at + GROUPS_AT_ONCE);
      const applied = await Promise.all(some.map((group) => applyGroup(group, deps)));
      const outcome = await runs.storeApplied(run.id, applied.flat(), (counts) =>
        toRunAudit({ run, source, state: 'cancelled', counts, atMillis: clock.now(), actor: run.createdBy }),
      );
      if (outcome === 'stopped') return;
      await yieldToEventLoop();
    }
  }
  await endRun(context, { state: 'done' });
}

/** Groups items by article. Drops the last group of a full page, which may be incomplete, unless it is the only one. */
function toGroups(page: readonly ItemToApply[], isFull: boolean): readonly (readonly ItemToApply[])[] {
  const all = [...Map.groupBy(page, ({ item }) => item.root).values()];
  return isFull && all.length > 1 ? all.slice(0, -1) : all;
}

async function failRun(context: RunContext, error: unknown): Promise<void> {
  if (!(error instanceof RunFailed))
    context.log.error({ err: error, runId: context.run.id }, 'a run of a source failed');
  const { reason, detail } = error instanceof RunFailed ? error : new RunFailed('internal');
  await endRun(context, {
    state: 'failed',
    failure: reason,
    detail: detail?.slice(0, SOURCE_LIMITS.skipDetailCharsMax),
  });
}

type RunEnd = Omit<Parameters<SourceRuns['finish']>[1], 'atMillis'>;

async function endRun(
  { run, source, runs, clock }: Pick<RunContext, 'run' | 'source' | 'runs' | 'clock'>,
  end: RunEnd,
): Promise<void> {
  // Uploads of a failed run are kept for the next one.
  if (end.state !== 'failed') await clearSnapshots(runs, run.id);
  const atMillis = clock.now();
  await runs.finish(run.id, { ...end, atMillis }, (counts) =>
    toRunAudit({ run, source, state: end.state, counts, atMillis, actor: run.createdBy }),
  );
}

export async function clearSnapshots(runs: SourceRuns, runId: string): Promise<void> {
  while ((await runs.clearSnapshots(runId)) === 'more') await yieldToEventLoop();
}

/** Builds one audit row for all changes of a run, or none if it changed nothing. */
export function toRunAudit({
  run,
  source,
  state,
  counts,
  atMillis,
  actor,
}: {
  run: Pick<SourceRun, 'id' | 'scheduled'>;
  source: Pick<SourceSummary, 'id' | 'name'>;
  state: string;
  counts: RunCounts;
  atMillis: number;
  actor: string;
}): AuditEntry | undefined {
  const { added, changed, removed, refused, conflicts } = counts;
  if (added + changed + removed + conflicts === 0) return undefined;
  return {
    ...{ id: newId('aud'), atMillis, actor, action: 'source.applied', subject: source.id },
    details: {
      ...{ name: source.name, runId: run.id, state, scheduled: Number(run.scheduled) },
      ...{ added, changed, removed, refused, conflicts },
    },
  };
}

const HOUR_MILLIS = 3_600_000;
const PERIODS = { hourly: HOUR_MILLIS, daily: 24 * HOUR_MILLIS, weekly: 7 * 24 * HOUR_MILLIS } as const;

/** Returns the earliest time of the next scheduled run, or undefined if the source has no schedule. */
export function getNextRunAt(schedule: SourceSchedule, nowMillis: number): number | undefined {
  return schedule === 'manual' ? undefined : nowMillis + PERIODS[schedule];
}
