import type { Guide } from '../sdk/guide.ts';
import { getStorageKey, type StoredVisitor } from '../sdk/visitor-storage.ts';

export type Tabs = {
  /**
   * Runs a turn while no other tab of this visitor runs one, after catching up with the other tabs. Tabs without a
   * stored visitor share no conversation and do not wait.
   */
  takeTurn: (signal: AbortSignal, turn: () => Promise<void>) => Promise<void>;
  /** The conversation that was last continued in any tab. */
  conversationId: () => string | undefined;
  /** Marks the current storage as seen. */
  settle: () => void;
};

type TabsDeps = {
  appId: string;
  guide: () => Guide | undefined;
  signal: AbortSignal;
  /** Called when another tab has continued the conversation. */
  onBehind: () => Promise<void>;
  /** Called when another tab has deleted the stored visitor, or has started to store one. */
  onVisitorChange: (isDeleted: boolean) => void;
};

/** Keeps several tabs of one visitor in sync through the storage. */
export function openTabs({ appId, guide, signal, onBehind, onVisitorChange }: TabsDeps): Tabs {
  const key = getStorageKey(appId);
  let lastSeen = readStorage();
  let caughtUp: Promise<void> = Promise.resolve();

  function readStorage(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function settle(): void {
    lastSeen = readStorage();
  }

  function catchUp(): Promise<void> {
    caughtUp = onBehind();
    return caughtUp;
  }

  async function checkStorage(): Promise<void> {
    const stored = readStorage();
    const state = guide()?.state;
    if (stored === lastSeen || !state) return;
    lastSeen = stored;
    if (stored === null) onVisitorChange(true);
    else if (state.features.persist_visitor) await catchUp();
    // A conversation that was started without storage stays in this tab.
    else if (!guide()?.conversationId) onVisitorChange(false);
  }

  const listenerOptions = { signal };
  // A page in the back/forward cache gets no storage events.
  addEventListener('pageshow', (event) => event.persisted && void checkStorage(), listenerOptions);
  addEventListener(
    'storage',
    (event) => (event.key === key || event.key === null) && void checkStorage(),
    listenerOptions,
  );

  return {
    settle,
    conversationId: () => {
      try {
        return (JSON.parse(readStorage() ?? '{}') as StoredVisitor).conversationId;
      } catch {
        return undefined;
      }
    },
    takeTurn: async (turnSignal, turn) => {
      const runTurn = async () => {
        // A conversation that is read while the turn runs would show its question twice.
        await caughtUp;
        if (guide()?.state?.features.persist_visitor && readStorage() !== lastSeen) await catchUp();
        await turn().finally(settle);
      };
      // Locks exist on secure pages only. Without them the service separates turns that collide.
      if (!navigator.locks || !guide()?.state?.features.persist_visitor) return runTurn();
      await navigator.locks.request(key, { signal: turnSignal }, runTurn);
    },
  };
}
