import type { installation } from '../../contract/boot.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import type { Handlers } from '../http/handler.ts';
import type { Installation } from '../storage/operations.ts';
import type { Store } from '../storage/store.ts';
import { isAllowedOrigin, listAllowingPatterns } from './allowed-origin.ts';

export function installationHandlers({
  installations,
}: {
  installations: Pick<InstallationTracker, 'findLatestBoots' | 'listRejections'>;
}): Handlers<typeof installation> {
  return {
    async readInstallation({ caller: { workspace } }) {
      const { allowedOrigins } = workspace.settings;
      const latest = await installations.findLatestBoots(workspace.id, allowedOrigins);
      const origins = allowedOrigins.map((origin) => {
        const boot = latest.get(origin);
        return { origin, ...(boot && { seenOrigin: boot.origin, lastSeenAt: toIsoString(boot.atMillis) }) };
      });
      const rejected = installations
        .listRejections(workspace.id)
        .filter(({ origin }) => !isAllowedOrigin(origin, allowedOrigins))
        .map(({ origin, atMillis, count }) => ({ origin, lastAskedAt: toIsoString(atMillis), count }));
      return { status: 200, body: { origins, refused: rejected } };
    },
  };
}

type LatestBoot = { origin: string; atMillis: number };
type Rejection = LatestBoot & { count: number };

/**
 * Tracks where the guide boots and where it is rejected. Boots are kept in memory and stored at most once a minute per
 * domain. Rejections are never stored, because anyone can cause them.
 */
export type InstallationTracker = {
  /** `domain` is the allowed domain that matched the origin. */
  recordBoot(workspaceId: string, domain: string, origin: string): void;
  recordRejection(workspaceId: string, origin: string): void;
  /** The latest boot on each of these domains that had one. */
  findLatestBoots(workspaceId: string, domains: readonly string[]): Promise<ReadonlyMap<string, LatestBoot>>;
  /** Newest first. */
  listRejections(workspaceId: string): readonly Rejection[];
  /** Stores what is due, or everything when the server closes. */
  save(isLast?: boolean): Promise<void>;
};

type TrackedDomain = {
  workspaceId: string;
  domain: string;
  origin: string;
  atMillis: number;
  savedAt: number;
};

const SAVED_EVERY_MILLIS = 60_000;
const WORKSPACES_MAX = 10_000;
/** Bounds memory: the origin comes from any page. */
const ORIGIN_CHARS_MAX = 300;

export function createInstallationTracker({
  store,
  clock,
}: {
  store: Pick<Store, 'in' | 'installations'>;
  clock: Clock;
}): InstallationTracker {
  const trackedDomains = new Map<string, Map<string, TrackedDomain>>();
  const unsaved = new Set<TrackedDomain>();
  const rejections = new Map<string, Map<string, Rejection>>();

  return {
    recordBoot(workspaceId, domain, origin) {
      const byDomain = getOrCreate(trackedDomains, workspaceId);
      let tracked = byDomain.get(domain);
      if (!tracked) {
        tracked = { workspaceId, domain, origin, atMillis: 0, savedAt: Number.NEGATIVE_INFINITY };
        byDomain.set(domain, tracked);
        dropOldest(byDomain, WORKSPACE_LIMITS.allowedOriginsMax);
      }
      tracked.origin = origin;
      tracked.atMillis = clock.now();
      unsaved.add(tracked);
    },

    recordRejection(workspaceId, origin) {
      if (origin.length > ORIGIN_CHARS_MAX) return;
      const byOrigin = getOrCreate(rejections, workspaceId);
      const count = (byOrigin.get(origin)?.count ?? 0) + 1;
      // Re-inserting makes it the newest entry.
      byOrigin.delete(origin);
      byOrigin.set(origin, { origin, atMillis: clock.now(), count: Math.min(count, 2_000_000_000) });
      dropOldest(byOrigin, WORKSPACE_LIMITS.refusedOriginsMax);
    },

    async findLatestBoots(workspaceId, domains) {
      const stored = await store.in(workspaceId).installations();
      return pickLatest([...stored, ...(trackedDomains.get(workspaceId)?.values() ?? [])], domains);
    },

    listRejections: (workspaceId) => [...(rejections.get(workspaceId)?.values() ?? [])].reverse(),

    async save(isLast = false) {
      if (unsaved.size === 0) return;
      const now = clock.now();
      const due = [...unsaved].filter(({ savedAt }) => isLast || now - savedAt >= SAVED_EVERY_MILLIS);
      if (due.length === 0) return;
      await store.installations.keep(
        due.map(({ workspaceId, domain, origin, atMillis }) => ({ workspaceId, domain, origin, atMillis })),
      );
      for (const tracked of due) {
        tracked.savedAt = now;
        if (tracked.atMillis <= now) unsaved.delete(tracked);
      }
    },
  };
}

function pickLatest(
  boots: readonly Installation[],
  domains: readonly string[],
): ReadonlyMap<string, LatestBoot> {
  const latest = new Map<string, LatestBoot>();
  for (const { domain, origin, atMillis } of boots) {
    // Match by origin too, because the allowed domains may have changed since.
    for (const allowedDomain of new Set([domain, ...listAllowingPatterns(origin)])) {
      if (!domains.includes(allowedDomain) || (latest.get(allowedDomain)?.atMillis ?? -1) >= atMillis)
        continue;
      latest.set(allowedDomain, { origin, atMillis });
    }
  }
  return latest;
}

function getOrCreate<T>(all: Map<string, Map<string, T>>, workspaceId: string): Map<string, T> {
  const known = all.get(workspaceId);
  if (known) return known;
  const created = new Map<string, T>();
  all.set(workspaceId, created);
  dropOldest(all, WORKSPACES_MAX);
  return created;
}

/** Drops the oldest entry of a map over this size. */
function dropOldest(map: Map<string, unknown>, sizeMax: number): void {
  const oldest = map.size > sizeMax ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
