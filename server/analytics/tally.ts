const KEYS_MAX = 10_000;

/**
 * How often each of many things came up, in bounded memory: when there are too many different ones, the rarer half is
 * forgotten, so that what comes up often is counted exactly.
 */
export type Tally<T> = {
  /** The value that came last stands for all of its key. */
  add(key: string, value: T): void;
  /** The most frequent ones first; by key where they are equal. */
  top(rows: number): readonly (T & { readonly count: number })[];
};

export function createTally<T extends object>(keysMax = KEYS_MAX): Tally<T> {
  let counted = new Map<string, { value: T; count: number }>();
  const ranked = () =>
    [...counted].sort(
      ([key, { count }], [otherKey, other]) => other.count - count || (key < otherKey ? -1 : 1),
    );
  return {
    add(key, value) {
      const known = counted.get(key);
      if (known) {
        known.count += 1;
        known.value = value;
        return;
      }
      if (counted.size >= keysMax) counted = new Map(ranked().slice(0, keysMax / 2));
      counted.set(key, { value, count: 1 });
    },
    top: (rows) =>
      ranked()
        .slice(0, rows)
        .map(([, { value, count }]) => ({ ...value, count })),
  };
}
