import type { Guide } from '../sdk/guide.ts';
import { getStorageKey, type StoredVisitor } from '../sdk/visitor-storage.ts';

export type Tabs = {
  /**
   * Runs a turn while no other tab of this visitor runs one, after catching up with the other tabs. Tabs without a
   * stored visitor share no conversation and do not wait.
   */
  readonly takeTurn: (signal: AbortSignal, turn: () => Promise<void>) => Promise<void>;
  /** The conversation that was last continued in any tab. */
  readonly conversationId: () => string | undefined;
  /** Marks the current storage as seen. */
  readonly settle: () => void;
};

type TabsDeps = {
  readonly appId: string;
  readonly guide: () => Guide | undefined;
  readonly signal: AbortSignal;
  /** Called when another tab has continued the conversation. */
  readonly onBehind: () => Promise<void>;
  /** Called when another tab has deleted the stored visitor, or has started to store one. */
  readonly onVisitorChange: (isDeleted: boolean) => void;
};

/** Keeps several tabs of one visitor in sync through the storage. */
export function openTabs({ appId, guide, signal, onBehind, onVisitorChange }: TabsDeps): Tabs {
  const key = getStorageKey(appId);
  let seen = read();
  let caughtUp: Promise<void> = Promise.resolve();

  function read(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function settle(): void {
    seen = read();
  }

  function catchUp(): Promise<void> {
    caughtUp = onBehind();
    return caughtUp;
  }

  async function checkStorage(): Promise<void> {
    const now = read();
    const state = guide()?.state;
    if (now === seen || !state) return;
    seen = now;
    if (now === null) onVisitorChange(true);
    else if (state.features.persist_visitor) await catchUp();
    // A conversation that was started without storage stays in this tab.
    else if (!guide()?.conversationId) onVisitorChange(false);
  }

  const listening = { signal };
  // A page in the back/forward cache gets no storage events.
  addEventListener('pageshow', (event) => event.persisted && void checkStorage(), listening);
  addEventListener(
    'storage',
    (event) => (event.key === key || event.key === null) && void checkStorage(),
    listening,
  );

  return {
    settle,
    conversationId: () => {
      try {
        return (JSON.parse(read() ?? '{}') as StoredVisitor).conversationId;
      } catch {
        return undefined;
      }
    },
    takeTurn: async (aborted, turn) => {
      const work = async () => {
        // A conversation that is read while the turn runs would show its question twice.
        await caughtUp;
        if (guide()?.state?.features.persist_visitor && read() !== seen) await catchUp();
        await turn().finally(settle);
      };
      // Locks exist on secure pages only. Without them the service separates turns that collide.
      if (!navigator.locks || !guide()?.state?.features.persist_visitor) return work();
      await navigator.locks.request(key, { signal: aborted }, work);
    },
  };
}
