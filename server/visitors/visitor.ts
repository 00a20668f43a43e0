import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import type { visitor } from '../../contract/visitor.ts';
import type { Clock } from '../base/clock.ts';
import type { Announcements } from '../coordination/coordination.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';

type Deps = { store: Store; clock: Clock; erasedVisitors: ErasedVisitors };

export function visitorHandlers({ store, clock, erasedVisitors }: Deps): Handlers<typeof visitor> {
  return {
    async eraseVisitor({ caller }) {
      const { visitorId, erasureKey } = caller;
      // Announce first, so that running requests store nothing after the erasure.
      erasedVisitors.add(erasureKey);
      try {
        const tombstone = { mark: erasureKey, atMillis: clock.now() };
        const erased = await store.in(caller.workspace.id).eraseVisitor(visitorId, tombstone);
        return { status: 200, body: { ok: true, ...erased } };
      } catch (error) {
        erasedVisitors.remove(erasureKey);
        throw error;
      }
    },
  };
}

/** Erased visitors whose tokens may still be valid. In memory, because every visitor request is checked. */
type ErasedVisitors = {
  /** Takes the erasure key of `VisitorIdentity`. */
  has(erasureKey: string): boolean;
  /** Adds the erasure key at all nodes that can be reached. */
  add(erasureKey: string): void;
  remove(erasureKey: string): void;
  /** Adds visitors whose erasure by other nodes this node has missed. */
  refresh(): Promise<void>;
};

/** How long marks are kept: longer than any token lives. */
const KEPT_MILLIS = (CHAT_LIMITS.visitorTokenSeconds + 60) * 1000;

export async function openErasedVisitors(
  store: Pick<Store, 'listErasedVisitors'>,
  clock: Clock,
  { announce, listen }: Announcements,
): Promise<ErasedVisitors> {
  const erased = new Map<string, number>();
  const add = (erasureKey: string, atMillis = clock.now()) => {
    // Drop marks whose tokens have expired. The oldest marks come first.
    for (const [old, addedAt] of erased) {
      if (addedAt > clock.now() - KEPT_MILLIS) break;
      erased.delete(old);
    }
    erased.set(erasureKey, atMillis);
  };
  const refresh = async () => {
    for (const { mark: erasureKey, atMillis } of await store.listErasedVisitors(clock.now() - KEPT_MILLIS)) {
      if (!erased.has(erasureKey)) add(erasureKey, atMillis);
    }
  };
  listen((announcement) => {
    if (announcement?.kind === 'visitor_erased') add(announcement.erasureKey);
    if (announcement?.kind === 'erasure_failed') erased.delete(announcement.erasureKey);
  });
  await refresh();
  return {
    has: (erasureKey) => erased.has(erasureKey),
    add(erasureKey) {
      add(erasureKey);
      announce({ kind: 'visitor_erased', erasureKey });
    },
    remove(erasureKey) {
      erased.delete(erasureKey);
      announce({ kind: 'erasure_failed', erasureKey });
    },
    refresh,
  };
}
