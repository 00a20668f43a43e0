import type { GuideStorage } from './sdk/visitor-storage.ts';

/** Stores a denial of consent on the device, without a visitor id, so that the next page does not ask again. */
export type Denial = {
  /** Keeps a denial, or removes it after an agreement. */
  keep: (isDenial: boolean) => void;
  isKept: () => boolean;
  /** The storage for everything else. Writes nothing while a denial is kept: the service may not know of it yet. */
  storage: GuideStorage;
};

type GetStore = () => GuideStorage | null;

/** Accesses `localStorage` only when needed, because reading the property may throw. With `null` nothing is kept. */
export function openDenial(appId: string, getStore: GetStore = () => localStorage): Denial {
  const key = getKey(appId);
  return {
    isKept: () => isDenialKept(key, getStore),
    keep: (isDenial) => {
      try {
        if (isDenial) getStore()?.setItem(key, '1');
        else getStore()?.removeItem(key);
      } catch {}
    },
    storage: openAllowedStorage(appId, getStore),
  };
}

/** The storage of a denial alone, which the launcher needs. */
export function openAllowedStorage(
  appId: string,
  getStore: GetStore = () => localStorage,
): Denial['storage'] {
  return {
    getItem: (name) => getStore()?.getItem(name) ?? null,
    setItem: (name, value) => isDenialKept(getKey(appId), getStore) || getStore()?.setItem(name, value),
    removeItem: (name) => getStore()?.removeItem(name),
  };
}

const getKey = (appId: string) => `guidepost:${appId}:declined`;

function isDenialKept(key: string, getStore: GetStore): boolean {
  try {
    return getStore()?.getItem(key) === '1';
  } catch {
    return false;
  }
}
