import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import type { visitor } from '../../contract/visitor.ts';
import type { Clock } from '../base/clock.ts';
import type { Announcements } from '../coordination/coordination.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { VisitorIdentity, VisitorIds } from '../tokens/visitor-token.ts';
import type { LastDecision } from './consent/consent-directive.ts';
import { toLastDecision } from './consent/visitor-consent.ts';

type Deps = { store: Pick<Store, 'in'>; clock: Clock; erasedVisitors: ErasedVisitors };

export function visitorHandlers({ eraseVisitor }: { eraseVisitor: EraseVisitor }): Handlers<typeof visitor> {
  return {
    async eraseVisitor({ caller }) {
      const erased = await eraseVisitor(caller.workspace.id, caller);
      return { status: 200, body: { ok: true, ...erased } };
    },
  };
}

export type EraseVisitor = ReturnType<typeof createEraseVisitor>;

export function createEraseVisitor({ store, clock, erasedVisitors }: Deps) {
  return async (
    workspaceId: string,
    { visitorId, erasureKey }: Pick<VisitorIdentity, 'visitorId' | 'erasureKey'>,
  ) => {
    // Announce first, so that running requests store nothing after the erasure.
    erasedVisitors.add(erasureKey);
    try {
      const tombstone = { mark: erasureKey, atMillis: clock.now() };
      return await store.in(workspaceId).eraseVisitor(visitorId, tombstone);
    } catch (error) {
      erasedVisitors.remove(erasureKey);
      throw error;
    }
  };
}

export type FoundVisitor = VisitorIdentity & { lastDecision: LastDecision | undefined };

/** Returns the visitor with the last decision; undefined for an erased one. */
export async function findVisitor(
  { store }: Pick<Deps, 'store'>,
  workspaceId: string,
  identity: VisitorIdentity,
): Promise<FoundVisitor | undefined> {
  const { visitorId, erasureKey } = identity;
  const found = await store.in(workspaceId).consents.findReturning(visitorId, erasureKey);
  return found === 'erased' ? undefined : { ...identity, lastDecision: toLastDecision(found) };
}

/** Finds the visitor that a customer is. Each erasure begins another generation. */
export async function findCustomer(
  deps: Pick<Deps, 'store'> & { visitorIds: Pick<VisitorIds, 'ofCustomer'> },
  workspaceId: string,
  sub: string,
): Promise<FoundVisitor> {
  for (let generation = 0; ; generation += 1) {
    const identity = deps.visitorIds.ofCustomer(workspaceId, sub, generation);
    const found = await findVisitor(deps, workspaceId, identity);
    if (found) return found;
  }
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
