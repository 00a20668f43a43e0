import { setTimeout as pause } from 'node:timers/promises';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { WEBHOOK_LIMITS } from '../../contract/limits/webhooks.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { oneAtATime } from '../base/one-at-a-time.ts';
import { throwApiError } from '../http/errors.ts';
import type { Store } from '../storage/store.ts';
import type { StoredKind } from '../storage/stored-data.ts';
import { RETENTION_DEFAULTS } from '../storage/workspace-settings.ts';

type StorageLimits = {
  /** Storage limit of a workspace. */
  workspaceBytesMax: number;
  /** Limit of the whole database. */
  databaseBytesMax: number;
};

/** Last measured storage of a workspace. */
export type StorageUsage = {
  usedBytes: number;
  bytesMax: number;
  measuredAtMillis: number;
  kinds: readonly StoredKind[];
};

export type StorageMeter = {
  /** Undefined until the workspace was measured for the first time. */
  lastMeasured(workspaceId: string): StorageUsage | undefined;
  /** Throws `tenant/storage_full` when the workspace may not store more. */
  requireRoom(workspaceId: string): void;
  /** Measures every workspace when a measurement is due. */
  tick(): Promise<void>;
};

const INTERVAL_MILLIS = 600_000;
/** How soon to measure again after a refusal. */
const RETRY_MILLIS = 60_000;
/** Pause between two steps, in which other requests run. */
const PAUSE_MILLIS = 5;
/** Measures large databases less often, so that measuring takes at most this share of the time. */
const TIME_SHARE_MAX = 0.05;

/**
 * Measures in the background how much each workspace stores. A full workspace still answers, but its new conversations
 * are kept for a day only, and no event rows are stored.
 */
export function createStorageMeter({
  store,
  clock,
  log,
  limits,
}: {
  store: Pick<Store, 'workspaces' | 'in' | 'restrict' | 'usedBytes'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  limits: StorageLimits;
}): StorageMeter {
  let usages: ReadonlyMap<string, StorageUsage> = new Map();
  let fullWorkspaces: ReadonlySet<string> = new Set();
  let measuredAt = Number.NEGATIVE_INFINITY;
  let nextAt = Number.NEGATIVE_INFINITY;

  async function measure(): Promise<void> {
    const workspaces = await store.workspaces.list();
    const bytesMax = getBytesMax(limits, await store.usedBytes(), workspaces.length);
    const measured = new Map<string, StorageUsage>();
    for (const { id } of workspaces) {
      const kinds = await store.in(id).storedData.measure(() => pause(PAUSE_MILLIS));
      const usedBytes = kinds.reduce((sum, { bytes }) => sum + bytes, 0);
      measured.set(id, { usedBytes, bytesMax, measuredAtMillis: clock.now(), kinds });
    }
    usages = measured;
    const nowFullWorkspaces = new Set(
      [...measured].filter(([, usage]) => usage.usedBytes >= usage.bytesMax).map(([id]) => id),
    );
    for (const id of nowFullWorkspaces) {
      if (!fullWorkspaces.has(id))
        log.warn({ workspaceId: id, bytesMax }, 'the storage of a workspace is full');
    }
    fullWorkspaces = nowFullWorkspaces;
    store.restrict(fullWorkspaces, CHAT_LIMITS.deniedHistorySeconds * 1000);
  }

  const measureOnce = oneAtATime(async () => {
    const startedAt = clock.now();
    try {
      await measure();
    } finally {
      measuredAt = clock.now();
      nextAt = measuredAt + Math.max(INTERVAL_MILLIS, (measuredAt - startedAt) / TIME_SHARE_MAX);
    }
  });

  return {
    lastMeasured: (workspaceId) => usages.get(workspaceId),
    requireRoom(workspaceId) {
      if (!fullWorkspaces.has(workspaceId)) return;
      // Rows may have been deleted meanwhile.
      nextAt = Math.min(nextAt, measuredAt + RETRY_MILLIS);
      const { usedBytes, bytesMax } = usages.get(workspaceId)!;
      throwApiError('tenant/storage_full', workspaceId, { usedBytes, bytesMax });
    },
    async tick() {
      if (clock.now() >= nextAt) await measureOnce();
    },
  };
}

/** From this share of the database on, no workspace may hold more than an equal part of it. */
const NEARLY_FULL = 0.9;

export function getBytesMax(
  { workspaceBytesMax, databaseBytesMax }: StorageLimits,
  usedBytes: number,
  workspaces: number,
): number {
  if (usedBytes < databaseBytesMax * NEARLY_FULL) return workspaceBytesMax;
  return Math.min(workspaceBytesMax, Math.floor((databaseBytesMax * NEARLY_FULL) / workspaces));
}

const DAY_MILLIS = 86_400_000;
/** Pause between two steps, in which other requests run. */
const DELETION_PAUSE_MILLIS = 5;

/** Deletes conversations and events that are older than their workspace keeps them. */
export async function deleteOutdated(
  { store, clock }: { store: Pick<Store, 'workspaces' | 'in'>; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  for (const { id, settings } of await store.workspaces.list()) {
    const { conversationDays, eventDays, anonymousQuestions } = settings.retention ?? RETENTION_DEFAULTS;
    const nowMillis = clock.now();
    const cutoffs = {
      conversationsBeforeMillis: nowMillis - conversationDays * DAY_MILLIS,
      eventsBeforeMillis: nowMillis - eventDays * DAY_MILLIS,
      // Of a workspace that no longer keeps them, all.
      anonymousQuestionsBeforeMillis:
        nowMillis - (anonymousQuestions ? WORKSPACE_LIMITS.anonymousQuestionDays * DAY_MILLIS : 0),
      webhookEventsBeforeMillis: nowMillis - WEBHOOK_LIMITS.logDays * DAY_MILLIS,
    };
    while (!signal.aborted && (await store.in(id).storedData.deleteOlder(cutoffs)).more) {
      await pause(DELETION_PAUSE_MILLIS);
    }
  }
}
