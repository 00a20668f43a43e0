import type { AnalyticsFigures } from '../../contract/analytics.ts';

const KEYS_MAX = 10_000;

/** Counts keys in bounded memory: when there are too many, drops the rarer half, so frequent keys stay exact. */
export type TopCounter<T> = {
  /** The latest value of a key is kept. */
  add(key: string, value: T): void;
  /** Most frequent first, then by key. */
  top(rows: number): readonly (T & { readonly count: number })[];
};

export function createTopCounter<T extends object>(keysMax = KEYS_MAX): TopCounter<T> {
  let entries = new Map<string, { value: T; count: number }>();
  const ranked = () =>
    [...entries].sort(
      ([key, { count }], [otherKey, other]) => other.count - count || (key < otherKey ? -1 : 1),
    );
  return {
    add(key, value) {
      const known = entries.get(key);
      if (known) {
        known.count += 1;
        known.value = value;
        return;
      }
      if (entries.size >= keysMax) entries = new Map(ranked().slice(0, keysMax / 2));
      entries.set(key, { value, count: 1 });
    },
    top: (rows) =>
      ranked()
        .slice(0, rows)
        .map(([, { value, count }]) => ({ ...value, count })),
  };
}

const KEPT_MAX = 65_536;

/**
 * Counts distinct names: exactly up to `keptMax`, then by adaptive sampling. Each time the sample is full, half of the names leave it by
 * their hash, and the others count twice. With 65,536 names the error is mostly below 1 %.
 */
export function createDistinctCounter(keptMax = KEPT_MAX): { add(name: string): void; count(): number } {
  const kept = new Set<string>();
  let halvings = 0;
  const isSampled = (name: string) => hashName(name) >>> (32 - halvings) === 0;
  return {
    add(name) {
      if (halvings > 0 && !isSampled(name)) return;
      kept.add(name);
      while (kept.size > keptMax) {
        halvings += 1;
        for (const known of kept) if (!isSampled(known)) kept.delete(known);
      }
    },
    count: () => kept.size * 2 ** halvings,
  };
}

/** FNV-1a with MurmurHash3's finalizer, so that every bit depends on every character. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const EXACT_MILLIS = 100;
const STEP = Math.log(1.01);
const BUCKETS = EXACT_MILLIS + Math.ceil(Math.log(1_000_000) / STEP);

/** A histogram of about 1,500 buckets: 1 ms wide up to 100 ms, then growing by 1 % each. */
export function createLatencyHistogram(): {
  add(millis: number): void;
  percentiles(): AnalyticsFigures['latency'];
} {
  let buckets: Uint32Array | undefined;
  let measured = 0;
  return {
    add(millis) {
      buckets ??= new Uint32Array(BUCKETS);
      const at = toBucket(Math.max(0, Math.round(millis)));
      buckets[at] = buckets[at]! + 1;
      measured += 1;
    },
    percentiles() {
      const counts = buckets;
      if (!counts) return undefined;
      const at = (share: number) => toMillis(findBucket(counts, Math.ceil(share * measured)));
      return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
    },
  };
}

function toBucket(millis: number): number {
  if (millis <= EXACT_MILLIS) return millis;
  return Math.min(BUCKETS - 1, EXACT_MILLIS + Math.floor(Math.log(millis / EXACT_MILLIS) / STEP));
}

/** The middle of the bucket. */
function toMillis(bucket: number): number {
  if (bucket <= EXACT_MILLIS) return bucket;
  return Math.round(EXACT_MILLIS * Math.exp((bucket - EXACT_MILLIS + 0.5) * STEP));
}

function findBucket(buckets: Uint32Array, rank: number): number {
  let passed = 0;
  for (const [bucket, count] of buckets.entries()) {
    passed += count;
    if (passed >= rank) return bucket;
  }
  return BUCKETS - 1;
}
