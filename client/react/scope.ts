import { createContext, useContext, useSyncExternalStore } from 'react';
import type { GuideSource } from './controls.ts';
import type { GuideLabels } from './labels.ts';
import { type GuideState, INITIAL } from './state.ts';

/** The context that `<Guide.Root>` provides to the components in it. */
export type GuideScope = { store: GuideSource; labels: GuideLabels };

export const ScopeContext = createContext<GuideScope | undefined>(undefined);

export function useScope(): GuideScope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error('This component belongs inside of <Guide.Root>.');
  return scope;
}

/** Returns a part of the state. `select` must return the same object while nothing changes. */
export function useGuideState<T>(select: (state: GuideState) => T): T {
  const { store } = useScope();
  return useSyncExternalStore(
    store.subscribe,
    () => select(store.getState()),
    () => select(INITIAL),
  );
}
