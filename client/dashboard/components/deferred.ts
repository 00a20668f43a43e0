import { useSyncExternalStore } from 'react';

/** Calls that wait while their toast offers to undo them. */

type DeferredCall = {
  /** Ids that are shown as if the call had been made. */
  ids: readonly string[];
  /** `keepalive` when the page is being left. Must not throw. */
  send: (options: { keepalive: boolean }) => Promise<unknown>;
};

const waiting = new Set<DeferredCall>();
const listeners = new Set<() => void>();
/** Ids of the calls that are waiting or running; replaced on every change. */
let pendingIds: ReadonlySet<string> = new Set();

function setPending(change: (ids: Set<string>) => void): void {
  const ids = new Set(pendingIds);
  change(ids);
  pendingIds = ids;
  for (const listener of listeners) listener();
}

const forget = ({ ids }: DeferredCall) => setPending((all) => ids.forEach((id) => void all.delete(id)));

/** Defers the call until `send` or `cancel`; after one of them, the other does nothing. */
export function defer(call: DeferredCall) {
  waiting.add(call);
  setPending((all) => call.ids.forEach((id) => void all.add(id)));
  return {
    send: (keepalive = false) => sendNow(call, keepalive),
    cancel: () => {
      if (waiting.delete(call)) forget(call);
    },
  };
}

async function sendNow(call: DeferredCall, keepalive: boolean): Promise<void> {
  if (!waiting.delete(call)) return;
  await call.send({ keepalive });
  forget(call);
}

/** Sends all waiting calls, for example before the session ends. */
export async function sendDeferred(keepalive = false): Promise<void> {
  await Promise.all([...waiting].map((call) => sendNow(call, keepalive)));
}

addEventListener('pagehide', () => void sendDeferred(true));

/** Browsers send at most 64 KB after the page is closed: about 2,000 ids, less a margin. */
const IDS_AFTER_PAGE_MAX = 1_500;

addEventListener('beforeunload', (event) => {
  if (pendingIds.size > IDS_AFTER_PAGE_MAX) event.preventDefault();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Returns the ids of records whose deletion, archiving or removal can still be undone. */
export const usePendingIds = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => pendingIds);
