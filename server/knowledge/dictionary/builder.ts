import { once } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { getWorkerFile, startWorker } from '../../base/worker-file.ts';
import type {
  Dictionaries,
  LocalePair,
  ParallelArticle,
  StoredDictionary,
} from '../../storage/dictionaries.ts';
import type { Store } from '../../storage/store.ts';
import { type BackgroundJob, createBackgroundJob } from '../background-job.ts';
import { trainingVersion } from './train.ts';

type DictionaryBuilderDeps = {
  store: Pick<Store, 'in' | 'dictionaryBuilds'>;
  clock: Clock;
  log: Log;
  /** Called after new dictionaries have been stored. */
  onBuilt: (workspaceId: string) => void;
};

const CHECK_MILLIS = 5_000;
/** Waits until nothing in a workspace has changed for this long. */
const QUIET_MILLIS = 5_000;
/** Waits for this long at most while changes go on. */
const WAIT_MILLIS_MAX = 120_000;
/** Pauses between two builds of a workspace for this many times the duration of the first. */
const PAUSE_FACTOR = 20;
const PAUSE_AFTER_FAILURE_MILLIS = 600_000;

type Change = { fingerprint: string; firstSeenAt: number; changedAt: number };
type Outdated = Awaited<ReturnType<Store['dictionaryBuilds']['outdated']>>[number];

/**
 * Learns a workspace's dictionaries again after its published texts have changed, one workspace at a
 * time. Compares the stored state instead of listening to publications, and so also notices imports by
 * the command line and changes before its start.
 */
export function createDictionaryBuilder(deps: DictionaryBuilderDeps): BackgroundJob {
  const { store, clock, log, onBuilt } = deps;
  const pausedUntil = new Map<string, number>();
  let changes: ReadonlyMap<string, Change> = new Map();

  async function buildOne(outdated: Outdated, signal: AbortSignal): Promise<void> {
    const { workspaceId } = outdated;
    const startedAt = performance.now();
    try {
      const learned = await learn(store.in(workspaceId).dictionaries, outdated, signal);
      onBuilt(workspaceId);
      const millis = Math.round(performance.now() - startedAt);
      pausedUntil.set(workspaceId, clock.now() + millis * PAUSE_FACTOR);
      log.info({ workspaceId, dictionaries: learned, millis }, 'dictionaries learned');
    } catch (error) {
      if (signal.aborted) return;
      pausedUntil.set(workspaceId, clock.now() + PAUSE_AFTER_FAILURE_MILLIS);
      log.warn({ err: error, workspaceId }, 'could not learn dictionaries');
    }
  }

  async function check(signal: AbortSignal): Promise<void> {
    const now = clock.now();
    for (const [workspaceId, until] of pausedUntil) if (until <= now) pausedUntil.delete(workspaceId);
    const outdated = await store.dictionaryBuilds.outdated(trainingVersion);
    changes = new Map(
      outdated.map(({ workspaceId, fingerprint }) => {
        const previous = changes.get(workspaceId);
        if (previous?.fingerprint === fingerprint) return [workspaceId, previous];
        return [workspaceId, { fingerprint, firstSeenAt: previous?.firstSeenAt ?? now, changedAt: now }];
      }),
    );
    for (const workspace of outdated) {
      const { firstSeenAt, changedAt } = changes.get(workspace.workspaceId)!;
      const isQuiet = now - changedAt >= QUIET_MILLIS || now - firstSeenAt >= WAIT_MILLIS_MAX;
      const isPauseOver = !pausedUntil.has(workspace.workspaceId);
      if (isQuiet && isPauseOver && !signal.aborted) await buildOne(workspace, signal);
    }
  }

  return createBackgroundJob(clock, CHECK_MILLIS, check);
}

/** Reading one batch blocks the event loop for a millisecond or two. */
const ARTICLES_PER_BATCH = 8;
const IDS_PER_BATCH = 1_000;

/** Returns the number of dictionaries. */
async function learn(
  dictionaries: Dictionaries,
  { fingerprint, locales }: Outdated,
  signal: AbortSignal,
): Promise<number> {
  const build = { fingerprint, version: trainingVersion };
  if (locales < 2) {
    await dictionaries.finish(build, []);
    return 0;
  }
  const training = startTraining(locales - 1);
  const stop = () => training.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const articleIds = [...sampleEvenly(await listArticles(dictionaries))];
    for (let at = 0; at < articleIds.length; at += ARTICLES_PER_BATCH) {
      signal.throwIfAborted();
      const articles = await dictionaries.parallelArticles(articleIds.slice(at, at + ARTICLES_PER_BATCH));
      if (await training.add(articles)) break;
    }
    const stored: LocalePair[] = [];
    for (const dictionary of await training.finish()) {
      signal.throwIfAborted();
      await dictionaries.put(dictionary);
      stored.push(dictionary);
    }
    await dictionaries.finish(build, stored);
    return stored.length;
  } finally {
    signal.removeEventListener('abort', stop);
    await training.stop();
  }
}

async function listArticles(dictionaries: Dictionaries): Promise<string[]> {
  const articleIds: string[] = [];
  for (;;) {
    const page = await dictionaries.articleIds(IDS_PER_BATCH, articleIds.at(-1));
    articleIds.push(...page);
    if (page.length < IDS_PER_BATCH) return articleIds;
    await yieldToEventLoop();
  }
}

/**
 * Samples articles of all ages, since there may be more than are needed: steps of the golden ratio
 * reach every article once and are spread evenly at any time.
 */
function* sampleEvenly(articleIds: readonly string[]): Generator<string> {
  const { length } = articleIds;
  let step = Math.max(1, Math.round(length * 0.618));
  while (getCommonDivisor(step, length) > 1) step += 1;
  for (let at = 0; at < length; at += 1) yield articleIds[(at * step) % length]!;
}

function getCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : getCommonDivisor(b, a % b);
}

/** Learns dictionaries in a worker thread of its own, because learning takes up to a minute. */
type Training = {
  /** Resolves when the thread has read the articles: to true when it needs no more of them. */
  add(articles: readonly ParallelArticle[]): Promise<boolean>;
  finish(): Promise<readonly StoredDictionary[]>;
  /** Ends the thread, even before it has finished. */
  stop(): Promise<void>;
};

export type TrainingTask = { articles?: readonly ParallelArticle[] };
export type TrainingReply = { isFull: boolean } | { dictionaries: readonly StoredDictionary[] };

const WORKER_FILE = getWorkerFile('training-worker', import.meta.url);

/** Far above the measured use. A thread that needs more memory fails alone, without ending the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024 };

/** @param pairCount how many pairs of locales to expect */
function startTraining(pairCount: number): Training {
  const worker = startWorker(WORKER_FILE, { workerData: pairCount, resourceLimits: RESOURCE_LIMITS });
  worker.unref();
  const failure = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the training thread exited')));
  });
  failure.catch(() => {});

  async function send<Reply extends TrainingReply>(task: TrainingTask): Promise<Reply> {
    worker.postMessage(task);
    const [reply] = await Promise.race([once(worker, 'message'), failure]);
    return reply;
  }

  return {
    add: async (articles) => (await send<{ isFull: boolean }>({ articles })).isFull,
    finish: async () => (await send<{ dictionaries: readonly StoredDictionary[] }>({})).dictionaries,
    async stop() {
      await worker.terminate();
    },
  };
}
