/**
 * Preparing all statements takes longer than opening the file, and few processes need them all: each part of the store prepares its own
 * when it is first asked for.
 */

/** An object whose parts are made when they are first asked for, and kept. */
export function onDemand<T extends object>(makers: { readonly [part in keyof T]: () => T[part] }): T {
  const parts = {} as T;
  for (const part of Object.keys(makers) as (keyof T)[]) {
    const keep = { configurable: true, enumerable: true };
    Object.defineProperty(parts, part, {
      ...keep,
      get() {
        const value = makers[part]();
        Object.defineProperty(parts, part, { ...keep, value });
        return value;
      },
    });
  }
  return parts;
}

/** Answers with the same thing each time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
