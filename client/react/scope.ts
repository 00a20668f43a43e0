import { createContext, useContext, useSyncExternalStore } from 'react';
import type { GuideSource } from './controls.ts';
import type { FORM_LABELS } from './form-labels.ts';
import type { GuideLabels } from './labels.ts';
import { type Answer, type GuideState, INITIAL, isAnswer, type Message } from './state.ts';

/** The texts, without the defaults of the form that is loaded later. */
type ScopeLabels = Omit<GuideLabels, keyof typeof FORM_LABELS> & Partial<GuideLabels>;

/** The context that `<Guide.Root>` provides to the components in it. */
export type GuideScope = { store: GuideSource; labels: ScopeLabels };

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

/** The message that `<Guide.Message>` provides to the components in it. */
export type MessageScope = { message: Message; id: string };
export const MessageContext = createContext<MessageScope | undefined>(undefined);

export function useMessage(): MessageScope {
  const scope = useContext(MessageContext);
  if (!scope) throw new Error('This component belongs inside of <Guide.Message>.');
  return scope;
}

/** Returns the answer around these parts; undefined in a question. */
export function useAnswer(): Answer | undefined {
  const { message } = useMessage();
  return isAnswer(message) ? message : undefined;
}
