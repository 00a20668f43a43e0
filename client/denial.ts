import type { GuideStorage } from './sdk/visitor-storage.ts';

/** Stores a denial of consent on the device, without a visitor id, so that the next page does not ask again. */
export type Denial = {
  /** Keeps a denial, or removes it after an agreement. */
  keep: (isDenial: boolean) => void;
  isKept: () => boolean;
  /** The storage for everything else. Writes nothing while a denial is kept: the service may not know of it yet. */
  storage: GuideStorage;
};

/** Accesses `localStorage` only when needed, because reading the property may throw. With `null` nothing is kept. */
export function openDenial(appId: string, getStore: () => GuideStorage | null = () => localStorage): Denial {
  const key = `guidepost:${appId}:declined`;
  const isKept = () => {
    try {
      return getStore()?.getItem(key) === '1';
    } catch {
      return false;
    }
  };
  return {
    isKept,
    keep: (isDenial) => {
      try {
        if (isDenial) getStore()?.setItem(key, '1');
        else getStore()?.removeItem(key);
      } catch {}
    },
    storage: {
      getItem: (name) => getStore()?.getItem(name) ?? null,
      setItem: (name, value) => isKept() || getStore()?.setItem(name, value),
      removeItem: (name) => getStore()?.removeItem(name),
    },
  };
}
