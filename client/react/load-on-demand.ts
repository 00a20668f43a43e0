import { useEffect, useSyncExternalStore } from 'react';

export type OnDemand = typeof import('./on-demand.ts');

let loaded: OnDemand | undefined;
const listeners = new Set<() => void>();

/** Loads the module once. Rejects when that fails; the next call tries again. */
export async function loadOnDemand(): Promise<OnDemand> {
  if (loaded) return loaded;
  loaded = await import('./on-demand.ts');
  for (const listener of listeners) listener();
  return loaded;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns the module once it is loaded. Until then, or if loading fails, answers are shown as plain text. */
export function useOnDemand(): OnDemand | undefined {
  useEffect(() => void loadOnDemand().catch(() => {}), []);
  return useSyncExternalStore(
    subscribe,
    () => loaded,
    () => undefined,
  );
}
