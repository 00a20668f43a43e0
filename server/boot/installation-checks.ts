import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../storage/store.ts';
import { allowingPatterns } from './allowed-origin.ts';

/**
 * Where the guide boots and where it is refused. A boot only notes it in memory; what is new is stored soon afterwards, and each
 * domain at most once a minute. Refusals are never stored: anybody can make them.
 */
export type Seen = { readonly origin: string; readonly atMillis: number };
export type Refused = Seen & { readonly count: number };

export type Installations = {
  /** The guide booted on this origin, which this domain of the workspace allows. */
  saw(workspaceId: string, domain: string, origin: string): void;
  /** A page of this origin asked for the workspace, which does not allow it. */
  refused(workspaceId: string, origin: string): void;
  /** The newest boot on each of these domains of a workspace, where there was one. */
  newest(workspaceId: string, domains: readonly string[]): Promise<ReadonlyMap<string, Seen>>;
  /** Who asked in vain, newest first. */
  rejections(workspaceId: string): readonly Refused[];
  /** Stores what is due; all of it when the server closes. */
  save(isLast?: boolean): Promise<void>;
};

type Noted = {
  readonly workspaceId: string;
  readonly domain: string;
  origin: string;
  atMillis: number;
  savedAt: number;
};

const SAVED_EVERY_MILLIS = 60_000;
const WORKSPACES_MAX = 10_000;
/** What a page may be called, so that nobody fills the memory. */
const ORIGIN_CHARS_MAX = 300;

export function createSightings({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'in' | 'installations'>;
  readonly clock: Clock;
}): Installations {
  const seen = new Map<string, Map<string, Noted>>();
  const unsaved = new Set<Noted>();
  const rejections = new Map<string, Map<string, Refused>>();

  return {
    saw(workspaceId, domain, origin) {
      const ofWorkspace = within(seen, workspaceId);
      let noted = ofWorkspace.get(domain);
      if (!noted) {
        noted = { workspaceId, domain, origin, atMillis: 0, savedAt: Number.NEGATIVE_INFINITY };
        ofWorkspace.set(domain, noted);
        cut(ofWorkspace, LIMITS.allowedOriginsMax);
      }
      noted.origin = origin;
      noted.atMillis = clock.now();
      unsaved.add(noted);
    },

    refused(workspaceId, origin) {
      if (origin.length > ORIGIN_CHARS_MAX) return;
      const ofWorkspace = within(rejections, workspaceId);
      const count = (ofWorkspace.get(origin)?.count ?? 0) + 1;
      // Written anew, it is the newest again.
      ofWorkspace.delete(origin);
      ofWorkspace.set(origin, { origin, atMillis: clock.now(), count: Math.min(count, 2_000_000_000) });
      cut(ofWorkspace, LIMITS.refusedOriginsMax);
    },

    async newest(workspaceId, domains) {
      const known = [
        ...(await store.in(workspaceId).installations()),
        ...(seen.get(workspaceId)?.values() ?? []),
      ];
      const newest = new Map<string, Seen>();
      for (const { domain, origin, atMillis } of known) {
        // By what it is called and not by what allowed it then, since domains change.
        for (const allowing of new Set([domain, ...allowingPatterns(origin)])) {
          if (!domains.includes(allowing) || (newest.get(allowing)?.atMillis ?? -1) >= atMillis) continue;
          newest.set(allowing, { origin, atMillis });
        }
      }
      return newest;
    },

    rejections: (workspaceId) => [...(rejections.get(workspaceId)?.values() ?? [])].reverse(),

    async save(isLast = false) {
      if (unsaved.size === 0) return;
      const now = clock.now();
      const due = [...unsaved].filter(({ savedAt }) => isLast || now - savedAt >= SAVED_EVERY_MILLIS);
      if (due.length === 0) return;
      await store.installations.keep(
        due.map(({ workspaceId, domain, origin, atMillis }) => ({ workspaceId, domain, origin, atMillis })),
      );
      for (const noted of due) {
        noted.savedAt = now;
        if (noted.atMillis <= now) unsaved.delete(noted);
      }
    },
  };
}

function within<T>(all: Map<string, Map<string, T>>, workspaceId: string): Map<string, T> {
  const known = all.get(workspaceId);
  if (known) return known;
  const fresh = new Map<string, T>();
  all.set(workspaceId, fresh);
  cut(all, WORKSPACES_MAX);
  return fresh;
}

/** Drops the oldest beyond this many. */
function cut(map: Map<string, unknown>, sizeMax: number): void {
  const oldest = map.size > sizeMax ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
