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
      const { visitorId, mark } = caller;
      // Announce first, so that running requests store nothing after the erasure.
      erasedVisitors.add(mark);
      try {
        const tombstone = { mark, atMillis: clock.now() };
        const erased = await store.in(caller.workspace.id).eraseVisitor(visitorId, tombstone);
        return { status: 200, body: { ok: true, ...erased } };
      } catch (error) {
        erasedVisitors.remove(mark);
        throw error;
      }
    },
  };
}

/** Erased visitors whose tokens may still be valid. In memory, because every visitor request is checked. */
type ErasedVisitors = {
  /** Takes the mark of `VisitorIdentity`. */
  has(mark: string): boolean;
  /** Adds the mark at all nodes that can be reached. */
  add(mark: string): void;
  remove(mark: string): void;
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
  const add = (mark: string, atMillis = clock.now()) => {
    // Drop marks whose tokens have expired. The oldest marks come first.
    for (const [old, addedAt] of erased) {
      if (addedAt > clock.now() - KEPT_MILLIS) break;
      erased.delete(old);
    }
    erased.set(mark, atMillis);
  };
  const refresh = async () => {
    for (const { mark, atMillis } of await store.listErasedVisitors(clock.now() - KEPT_MILLIS)) {
      if (!erased.has(mark)) add(mark, atMillis);
    }
  };
  listen((announcement) => {
    if (announcement?.kind === 'visitor_erased') add(announcement.mark);
    if (announcement?.kind === 'erasure_failed') erased.delete(announcement.mark);
  });
  await refresh();
  return {
    has: (mark) => erased.has(mark),
    add(mark) {
      add(mark);
      announce({ kind: 'visitor_erased', mark });
    },
    remove(mark) {
      erased.delete(mark);
      announce({ kind: 'erasure_failed', mark });
    },
    refresh,
  };
}
