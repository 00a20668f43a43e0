import type { Clock } from './clock.ts';

const REMEMBERED_CHARS_MAX = 1_024;

/** Remembers what a pure function made of the latest inputs; an input whose key is of indecent length is made anew each time. */
export function remembered<Input, T>(
  make: (input: Input) => T,
  keyOf: (input: Input) => string,
  keptMax = 2_000,
): (input: Input) => T {
  const kept = new Map<string, T>();
  return (input) => {
    const key = keyOf(input);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make(input);
    if (key.length > REMEMBERED_CHARS_MAX) return made;
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, made);
    return made;
  };
}

/** The key of an input that is text already. */
export const itself = (text: string): string => text;

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

const constants = new WeakSet<object>();

/** Declares that an answer's part never changes, and sees to it: what is constant is checked and written out once. */
export function constant<T extends object>(value: T): T {
  freeze(value);
  constants.add(value);
  return value;
}

export function isConstant(value: unknown): value is object {
  return typeof value === 'object' && value !== null && constants.has(value);
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
