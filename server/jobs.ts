import { setTimeout as pause } from 'node:timers/promises';
import type { RegularBackups } from './backup/regular-backups.ts';
import type { Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { oneAtATime } from './base/one-at-a-time.ts';
import type { Coordination } from './coordination/coordination.ts';
import type { Metrics } from './http/metrics.ts';
import type { SearchCounter } from './insights/search-counter.ts';
import { type Indexing, rebuildIndex } from './knowledge/search/indexing.ts';
import type { Store } from './storage/store.ts';
import type { KeyRing } from './tokens/key-ring.ts';
import { purgeRemoved } from './transfer/archive.ts';
import type { InstallationTracker } from './visitors/installation.ts';
import { settleExpiredReservations } from './voice/reservations.ts';
import { deleteOutdated, type StorageMeter } from './workspaces/storage-meter.ts';

type Ticking = { tick: () => Promise<void> };

type JobDeps = {
  store: Store;
  clock: Clock;
  log: Log;
  ring: Pick<KeyRing, 'refresh'>;
  coordination: Coordination;
  metrics: Pick<Metrics, 'voice'>;
  erasedVisitors: { refresh(): Promise<void> };
  installations: Pick<InstallationTracker, 'save'>;
  searchCounter: Pick<SearchCounter, 'save'>;
  audit: { save(): Promise<void> };
  backups: Pick<RegularBackups, 'tick'> | undefined;
  storageMeter: Pick<StorageMeter, 'tick'>;
  dictionaryBuilder: Ticking;
  embeddings: Ticking;
  inboxCollector: Ticking;
  answerTestRunner: Ticking;
  sourceRunner: Ticking;
  webhookJob: Ticking;
  domainRechecks: Ticking;
  scheduledPublisher: Ticking;
  /** Absent where the service sends no mail. */
  mailSender: Ticking | undefined;
  digestJob: Ticking | undefined;
  isKilled: () => Promise<boolean>;
};

export const KILL_SWITCH_CACHE_MILLIS = 250;
const TICK_MILLIS = 1000;
const SWEEP_MILLIS = 60_000;
/** Pause between two steps, in which other requests run. */
const SWEEP_PAUSE_MILLIS = 2;
const RETENTION_MILLIS = 3_600_000;
const MERGE_MILLIS = 60_000;
/** A large search index is merged less often, so that this takes at most a hundredth of the time. */
const MERGE_PAUSE_FACTOR = 100;
/** Time until the first check for damage, and between checks: each reads the whole database while requests run. */
const FIRST_CHECK_MILLIS = 60_000;
const CHECK_MILLIS = 6 * 60 * 60_000;

/** Runs the background jobs every second, and stops the running turns of a guide that is switched off. */
export function startJobs(deps: JobDeps) {
  const { log, coordination, isKilled } = deps;
  const stopping = new AbortController();
  const checkForDamage = createDamageCheck(deps);
  const listLeaderJobs = createLeaderJobs(deps, stopping.signal);
  // Only for running turns: new requests check the kill switch by themselves.
  const pauseTurns = async () => {
    if (await isKilled()) coordination.liveTurns.pause();
  };
  const tick = async () => {
    checkForDamage();
    const jobs = [
      deps.ring.refresh,
      coordination.rateLimits.save,
      () => deps.installations.save(),
      deps.searchCounter.save,
      () => deps.audit.save(),
      pauseTurns,
      // Another node's message about an erasure may have been lost.
      ...(coordination.state() === 'single' ? [] : [deps.erasedVisitors.refresh]),
      deps.storageMeter.tick,
      ...(deps.backups ? [deps.backups.tick] : []),
      ...(coordination.isLeader() ? listLeaderJobs() : []),
    ];
    // One failing job must not keep the others from running.
    for (const outcome of await Promise.allSettled(jobs.map((job) => job()))) {
      if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'a background job failed');
    }
  };
  const timer = setInterval(tick, TICK_MILLIS);
  timer.unref();
  const pauseTimer = setInterval(() => pauseTurns().catch(() => undefined), KILL_SWITCH_CACHE_MILLIS);
  pauseTimer.unref();
  return {
    tick,
    stop() {
      clearInterval(timer);
      clearInterval(pauseTimer);
      stopping.abort();
    },
  };
}

/** Creates the jobs that change stored data, which only the leader runs. */
function createLeaderJobs(deps: JobDeps, signal: AbortSignal) {
  const { store, clock, metrics, dictionaryBuilder, embeddings, inboxCollector, sourceRunner, isKilled } =
    deps;
  const purge = oneAtATime(() => purgeRemoved({ store, clock }));
  const embed = async () => {
    if (!(await isKilled())) await embeddings.tick();
  };
  const sweep = oneAtATime(async () => {
    while ((await store.sweep(clock.now())).more) await pause(SWEEP_PAUSE_MILLIS);
    await settleExpiredReservations({ store, clock, onUse: metrics.voice.recordUse });
  });
  const retain = oneAtATime(() => deleteOutdated({ store, clock }, signal));
  const merge = oneAtATime(createIndexMerge(deps, signal));
  const isSweepDue = createSchedule(clock, SWEEP_MILLIS);
  const isRetentionDue = createSchedule(clock, RETENTION_MILLIS);
  return () => [
    purge,
    dictionaryBuilder.tick,
    embed,
    inboxCollector.tick,
    deps.answerTestRunner.tick,
    sourceRunner.tick,
    deps.webhookJob.tick,
    deps.domainRechecks.tick,
    deps.scheduledPublisher.tick,
    ...(deps.digestJob ? [deps.digestJob.tick] : []),
    ...(deps.mailSender ? [deps.mailSender.tick] : []),
    merge,
    ...(isSweepDue() ? [sweep] : []),
    ...(isRetentionDue() ? [retain] : []),
  ];
}

/** Returns a function that merges what was added to the search index, if it is due. */
function createIndexMerge({ store, clock }: JobDeps, signal: AbortSignal): () => Promise<void> {
  let dueAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.now() < dueAt) return;
    const startedAt = performance.now();
    while (!signal.aborted && (await store.passageIndex.merge())) await pause(SWEEP_PAUSE_MILLIS);
    dueAt = clock.now() + Math.max(MERGE_MILLIS, MERGE_PAUSE_FACTOR * (performance.now() - startedAt));
  };
}

/** Returns a function that starts a check when it is due, without waiting for the result: it may take minutes. */
function createDamageCheck({ store, clock, log }: JobDeps): () => void {
  const isDue = createSchedule(clock, CHECK_MILLIS, clock.now() + FIRST_CHECK_MILLIS);
  return () => {
    if (store.problems().includes('corrupt') || !isDue()) return;
    store.check().catch((error) => log.warn({ err: error }, 'could not check the database for damage'));
  };
}

/** Returns a function that returns true once in each period, from `firstAt` on. */
function createSchedule(clock: Clock, periodMillis: number, firstAt = Number.NEGATIVE_INFINITY) {
  let dueAt = firstAt;
  return (): boolean => {
    const now = clock.now();
    if (now < dueAt) return false;
    dueAt = now + periodMillis;
    return true;
  };
}

type RenewalDeps = Pick<JobDeps, 'store' | 'log' | 'coordination'> & { indexing: Indexing };

/** Rebuilds the search index, once this node leads, if a release has changed the format of the index. */
export function renewIndexInBackground({ store, indexing, log, coordination }: RenewalDeps) {
  const controller = new AbortController();
  const { signal } = controller;
  const renew = async () => {
    while (!coordination.isLeader()) {
      await pause(TICK_MILLIS, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
    }
    await rebuildIndex({ passageIndex: store.passageIndex, indexing, log, signal });
  };
  const done = renew().catch((error) => log.warn({ err: error }, 'could not renew the search index'));
  return {
    async stop(): Promise<void> {
      controller.abort();
      await done;
    },
  };
}
