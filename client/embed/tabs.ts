import type { Guide } from '../sdk/guide.ts';
import { getStorageKey, type StoredVisitor } from '../sdk/visitor-storage.ts';
import { deviceStorage } from './settings.ts';

export type Tabs = {
  /**
   * Runs one turn while no other page of this visitor does, and catches up with them first. Pages that remember nobody
   * share no conversation, so that they need not wait.
   */
  readonly takeTurn: (signal: AbortSignal, turn: () => Promise<void>) => Promise<void>;
  /** The conversation that was last gone on with on any page. */
  readonly conversationId: () => string | undefined;
  /** What is on the device now is known here. */
  readonly settle: () => void;
};

export type TabsDeps = {
  readonly appId: string;
  readonly guide: () => Guide | undefined;
  readonly signal: AbortSignal;
  /** Another page has gone on with the conversation. */
  readonly onBehind: () => Promise<void>;
  /** Another page has deleted what was remembered, or began to remember. */
  readonly onOther: () => void;
};

/** Several pages of one visitor: what one of them writes onto the device, the others hear of. */
export function openTabs({ appId, guide, signal, onBehind, onOther }: TabsDeps): Tabs {
  const key = getStorageKey(appId);
  let seen = read();

  function read(): string | null {
    try {
      return deviceStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function settle(): void {
    seen = read();
  }

  async function lookAround(): Promise<void> {
    const now = read();
    if (now === seen || !guide()?.state) return;
    const before = seen;
    seen = now;
    if (now === null) onOther();
    else if (before !== null) await onBehind();
    // What was asked here as somebody who is not remembered stays here.
    else if (!guide()?.conversationId) onOther();
  }

  const listening = { signal };
  // A page that comes back from the back and forward cache has heard nothing in there.
  addEventListener('pageshow', (event) => event.persisted && void lookAround(), listening);
  addEventListener(
    'storage',
    (event) => (event.key === key || event.key === null) && void lookAround(),
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
        if (guide()?.state?.features.persist_visitor && read() !== seen) await onBehind();
        await turn().finally(settle);
      };
      // Where a page is not secure there are no locks; the service then rotates what would mix.
      if (!navigator.locks || !guide()?.state?.features.persist_visitor) return work();
      await navigator.locks.request(key, { signal: aborted }, work);
    },
  };
}
