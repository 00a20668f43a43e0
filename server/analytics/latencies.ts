import type { AnalyticsFigures } from '../../contract/analytics.ts';

const EXACT_MILLIS = 100;
const STEP = Math.log(1.01);
const BUCKETS = EXACT_MILLIS + Math.ceil(Math.log(1_000_000) / STEP);

/** Percentiles from a histogram of 1,500 buckets: a millisecond each up to 100, then each one percent wider than the one before. */
export function createLatencies(): {
  add(millis: number): void;
  percentiles(): AnalyticsFigures['latency'];
} {
  let buckets: Uint32Array | undefined;
  let measured = 0;
  return {
    add(millis) {
      buckets ??= new Uint32Array(BUCKETS);
      const at = bucketOf(Math.max(0, Math.round(millis)));
      buckets[at] = buckets[at]! + 1;
      measured += 1;
    },
    percentiles() {
      const counts = buckets;
      if (!counts) return undefined;
      const at = (share: number) => millisOf(bucketAtRank(counts, Math.ceil(share * measured)));
      return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
    },
  };
}

function bucketOf(millis: number): number {
  if (millis <= EXACT_MILLIS) return millis;
  return Math.min(BUCKETS - 1, EXACT_MILLIS + Math.floor(Math.log(millis / EXACT_MILLIS) / STEP));
}

/** The middle of the bucket. */
function millisOf(bucket: number): number {
  if (bucket <= EXACT_MILLIS) return bucket;
  return Math.round(EXACT_MILLIS * Math.exp((bucket - EXACT_MILLIS + 0.5) * STEP));
}

function bucketAtRank(buckets: Uint32Array, rank: number): number {
  let passed = 0;
  for (const [bucket, count] of buckets.entries()) {
    passed += count;
    if (passed >= rank) return bucket;
  }
  return BUCKETS - 1;
}
