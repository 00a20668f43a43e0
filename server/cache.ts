import type { Clock } from './clock.ts';

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
