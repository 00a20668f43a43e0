import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LIMITS } from '../../contract/limits.ts';
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
  RunCounts,
  SourceRun,
  SourceSummary,
} from '../storage/source-rows.ts';
import type { SourceRuns } from '../storage/source-runs.ts';
import type { ActiveRun, Sources } from '../storage/sources.ts';
import type { Store, Workspaces } from '../storage/store.ts';
import type { StorageMeter } from '../workspaces/storage-meter.ts';
import { applyGroup } from './apply.ts';
import { type CrawlStep, type Frontier, RunFailed } from './document.ts';
import { createFrontier } from './frontier.ts';
import { planRun } from './plan.ts';
import { toPageReading } from './reading.ts';
import { getNextRunAt } from './schedule.ts';

/** Reads the website of a source. */
export type ReadWebsite = (options: {
  source: SourceSummary;
  sourceLocale: string;
  allowedOrigins: readonly string[];
  frontier: Frontier;
  signal: AbortSignal;
}) => AsyncIterable<CrawlStep>;

export type RunnerDeps = {
  store: Pick<Store, 'in' | 'sources'> & { workspaces: Pick<Workspaces, 'find'> };
  clock: Clock;
  log: Log;
  indexing: Indexing;
  storageMeter: Pick<StorageMeter, 'requireRoom'>;
  readWebsite: ReadWebsite;
  isLeader: () => boolean;
};

export type SourceRunner = {
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
    await sources.startRun(run, LIMITS.sourceRunsKept, getNextRunAt(schedule, now));
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
  const { storageMeter, workspaceId, source } = context;
  if (source.type === 'website' && !(await readPages(context))) return;
  try {
    storageMeter.requireRoom(workspaceId);
  } catch (error) {
    if (error instanceof ApiError) throw new RunFailed('storage_full');
    throw error;
  }
  await planAndStore(context);
}

/** Returns false when the run was stopped. */
async function readPages(context: RunContext): Promise<boolean> {
  const { run, source, runs, readWebsite, workspaceId, store, clock } = context;
  const workspace = await store.workspaces.find(workspaceId);
  if (!workspace) return false;
  const { sourceLocale, allowedOrigins } = workspace.settings;
  const reading = new AbortController();
  const signal = AbortSignal.any([context.signal, reading.signal]);
  const frontier = createFrontier(run, source, runs);
  const deadline = (run.startedAt ?? clock.now()) + LIMITS.sourceRunSecondsMax * 1000;
  try {
    for await (const step of readWebsite({ source, sourceLocale, allowedOrigins, frontier, signal })) {
      if (isStopped(context)) return false;
      if ((await runs.settle(run.id, step.url, toPageReading(step))) === 'stopped') return false;
      if (clock.now() > deadline) throw new RunFailed('time_limit');
    }
  } finally {
    reading.abort();
  }
  return !isStopped(context);
}

async function planAndStore({ run, source, sources, runs }: RunContext): Promise<void> {
  const uploads = source.type === 'files' ? await runs.listUploads(source.id) : undefined;
  const [all, documents, articles] = [
    await readAll(
      (after) => runs.listReadings(source.id, ROWS_PER_PAGE, after),
      ({ place }) => place,
    ),
    await readAll(
      (after) => runs.listDocuments(source.id, ROWS_PER_PAGE, after),
      ({ place }) => place,
    ),
    await readAll(
      (after) => runs.listArticles(source.id, ROWS_PER_PAGE, after),
      ({ sourcePlace }) => sourcePlace ?? '',
    ),
  ];
  // An interrupted upload does not count.
  const readings = uploads ? all.filter(({ upload }) => uploads.includes(upload)) : all;
  const own = new Set(articles.map(({ slug }) => slug));
  const slugs = [...new Set(readings.flatMap(({ slug }) => slug ?? []))].filter((slug) => !own.has(slug));
  const slugOwners = await findSlugOwners(slugs, sources);
  const { items, unchanged } = planRun({ readings, documents, articles, slugOwners, uploads });
  if (source.type === 'website' && readings.every(({ kind }) => kind === 'refused' || kind === 'gone')) {
    if (documents.length === 0 && items.length === 0) throw new RunFailed('no_pages');
  }
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

async function readAll<Row>(
  listPage: (after: string) => Promise<readonly Row[]>,
  getKey: (row: Row) => string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const some = await listPage(after);
    rows.push(...some);
    if (some.length < ROWS_PER_PAGE) return rows;
    after = getKey(some.at(-1)!);
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
      const outcome = await runs.settleItems(run.id, applied.flat(), (counts) =>
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
  const groups = new Map<string, ItemToApply[]>();
  for (const each of page) {
    const group = groups.get(each.item.root);
    if (group) group.push(each);
    else groups.set(each.item.root, [each]);
  }
  const all = [...groups.values()];
  return isFull && all.length > 1 ? all.slice(0, -1) : all;
}

async function failRun(context: RunContext, error: unknown): Promise<void> {
  if (!(error instanceof RunFailed))
    context.log.error({ err: error, runId: context.run.id }, 'a run of a source failed');
  const { reason, detail } = error instanceof RunFailed ? error : new RunFailed('internal');
  await endRun(context, {
    state: 'failed',
    failure: reason,
    detail: detail?.slice(0, LIMITS.refusalDetailCharsMax),
  });
}

type RunEnd = Omit<Parameters<SourceRuns['finish']>[1], 'atMillis'>;

async function endRun(
  { run, source, runs, clock }: Pick<RunContext, 'run' | 'source' | 'runs' | 'clock'>,
  end: RunEnd,
): Promise<void> {
  // Uploads of a failed run are kept for the next one.
  if (end.state !== 'failed') await clearReadings(runs, run.id);
  const atMillis = clock.now();
  await runs.finish(run.id, { ...end, atMillis }, (counts) =>
    toRunAudit({ run, source, state: end.state, counts, atMillis, actor: run.createdBy }),
  );
}

export async function clearReadings(runs: SourceRuns, runId: string): Promise<void> {
  while ((await runs.clearReadings(runId)) === 'more') await yieldToEventLoop();
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
