/**
 * Preparing all statements takes longer than opening the file, and most processes use few. So each
 * part of the store
 * prepares its statements on first use.
 */

/** Calls `make` once, on first use. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns an object whose properties are created on first use. */
export function lazyObject<T extends object>(factories: { readonly [part in keyof T]: () => T[part] }): T {
  const getters = Object.entries<() => unknown>(factories).map(([name, make]) => [
    name,
    { get: lazy(make), enumerable: true, configurable: true },
  ]);
  return Object.defineProperties({}, Object.fromEntries(getters)) as T;
}
