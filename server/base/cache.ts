import type { Clock } from './clock.ts';

const KEY_CHARS_MAX = 1_024;

/** Caches results of a pure function. Keys longer than 1,024 characters are not cached. */
export function memoize<Input, T>(
  compute: (input: Input) => T,
  toKey: (input: Input) => string,
  entriesMax = 2_000,
): (input: Input) => T {
  const entries = new Map<string, T>();
  return (input) => {
    const key = toKey(input);
    const known = entries.get(key);
    if (known !== undefined) return known;
    const computed = compute(input);
    if (key.length > KEY_CHARS_MAX) return computed;
    if (entries.size >= entriesMax) entries.clear();
    entries.set(key, computed);
    return computed;
  };
}

/** Computes a value at its first use, because a start waits for everything that modules compute. */
export function once<T>(compute: () => T): () => T {
  let computed: { value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

/** The key function for inputs that are strings. */
export const identity = (text: string): string => text;

/** Creates a read-through cache. Concurrent callers share one load; failed loads are not cached. */
export function memoizeWithTtl<T>(
  clock: Clock,
  ttlMillis: number,
  load: (key: string) => Promise<T>,
  entriesMax = 10_000,
): (key: string) => Promise<T> {
  const entries = new Map<string, { loadedAt: number; value: Promise<T> }>();
  return (key) => {
    const now = clock.now();
    const known = entries.get(key);
    if (known && now - known.loadedAt < ttlMillis && now >= known.loadedAt) return known.value;
    const value = load(key);
    if (entries.size >= entriesMax) entries.clear();
    entries.set(key, { loadedAt: now, value });
    value.catch(() => entries.delete(key));
    return value;
  };
}

/** Removes the first (least recently used) entries of a map until the others fit, but always keeps one. */
export function evictLeastUsed<Entry extends { bytes: number }>(
  entries: ReadonlyMap<string, Entry>,
  bytesMax: number,
  remove: (key: string, entry: Entry) => void,
): void {
  let bytes = 0;
  for (const entry of entries.values()) bytes += entry.bytes;
  for (const [key, entry] of entries) {
    if (bytes <= bytesMax || entries.size === 1) return;
    remove(key, entry);
    bytes -= entry.bytes;
  }
}

const immutables = new WeakSet<object>();

/** Deep-freezes part of a response, so that it is validated and serialized once. */
export function makeImmutable<T extends object>(value: T): T {
  deepFreeze(value);
  immutables.add(value);
  return value;
}

export function isImmutable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && immutables.has(value);
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}
