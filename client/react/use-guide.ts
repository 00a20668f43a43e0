'use client';
import type { BootReply } from '@guidepost/client';
import { useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ConsentControls, GuideControls, GuideSource } from './controls.ts';
import { ScopeContext } from './scope.ts';
import { type ConsentState, type GuideState, INITIAL, type VoiceControl, type VoiceState } from './state.ts';
import { type GuideSettings, GuideStore } from './store.ts';

/** The guide as `useGuide()` returns it: its state and its actions. */
export type GuideHandle = Omit<GuideState, 'consent' | 'voice'> &
  GuideControls & {
    consent: ConsentState &
      ConsentControls & {
        /** Title, text and names of the two choices, in the visitor's language. Undefined before the first boot. */
        copy: BootReply['config']['consent']['copy'] | undefined;
      };
    voice: VoiceState & Omit<VoiceControl, 'close'>;
    /** Passed to `<Guide.Root guide={…}>`, which shares it with the components in it. */
    store: GuideSource;
  };

/**
 * Returns the guide of the surrounding `<Guide.Root>` or, with settings, a new one, which boots when the component is
 * mounted and stops when it is unmounted. Another `baseUrl` or `appId` starts another guide; other settings are read
 * once.
 */
export function useGuide(settings?: GuideSettings): GuideHandle {
  const scope = useContext(ScopeContext);
  const ownStore = useStore(settings);
  const store = ownStore ?? scope?.store;
  if (!store) throw new Error('useGuide() takes settings, or is called inside of <Guide.Root>.');
  const state = useSyncExternalStore(store.subscribe, store.getState, getInitialState);
  return useMemo(() => toHandle(store, state), [store, state]);
}

const getInitialState = (): GuideState => INITIAL;

/** Keeps a guide for as long as the component is mounted. Returns undefined without settings. */
export function useStore(settings: GuideSettings | undefined): GuideStore | undefined {
  const [keptStore, setKeptStore] = useState(() => settings && new GuideStore(settings));
  let store = keptStore;
  if (keptStore?.settings.baseUrl !== settings?.baseUrl || keptStore?.settings.appId !== settings?.appId) {
    store = settings && new GuideStore(settings);
    setKeptStore(store);
  }
  useEffect(() => store?.connect(), [store]);
  return store;
}

function toHandle(store: GuideSource, state: GuideState): GuideHandle {
  const { accept, deny, voice } = store;
  const copy = state.boot?.config.consent.copy;
  return {
    ...state,
    send: store.send,
    stop: store.stop,
    retry: store.retry,
    feedback: store.feedback,
    perform: store.perform,
    decline: store.decline,
    setDraft: store.setDraft,
    erase: store.erase,
    help: store.help,
    openHandover: store.openHandover,
    store,
    consent: { ...state.consent, copy, accept, deny },
    voice: { ...state.voice, ...voice },
  };
}
