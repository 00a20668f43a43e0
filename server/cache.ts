import type { Clock } from './clock.ts';

const REMEMBERED_CHARS_MAX = 1_024;

/** Remembers what a pure function made of the latest keys; a key of indecent length is made anew each time. */
export function remembered<T>(make: (key: string) => T, keptMax = 2_000): (key: string) => T {
  const kept = new Map<string, T>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    if (key.length > REMEMBERED_CHARS_MAX) return made;
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, made);
    return made;
  };
}

/**
 * Reads through: what was loaded for a key is answered again until it is `millis` old. Callers at the same time share one
 * load; a load that fails is not kept.
 */
export function cached<T>(
  clock: Clock,
  millis: number,
  load: (key: string) => Promise<T>,
  keptMax = 10_000,
): (key: string) => Promise<T> {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<T> }>();
  return (key) => {
    const now = clock.now();
    const known = kept.get(key);
    if (known && now - known.at < millis && now >= known.at) return known.value;
    const value = load(key);
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, { at: now, value });
    value.catch(() => kept.delete(key));
    return value;
  };
}
