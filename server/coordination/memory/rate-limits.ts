import { hash } from 'node:crypto';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { BUCKETS, type BucketName } from '../../../contract/limits/rate-limits.ts';
import type { Clock } from '../../base/clock.ts';
import type { RateWindow, RateWindows } from '../../storage/operations.ts';
import type { RateLimitKey, RateLimitOutcome, RateLimits } from '../coordination.ts';
import { BucketLimiter } from './rate-windows.ts';

const ROWS_PER_SAVE = 500;
const RESTORED_MAX = 200_000;

export type MemoryRateLimitDeps = {
  clock: Clock;
  /** Windows are stored under digests with this secret, so the table holds no addresses or visitor ids. */
  secret: string;
  /** Windows survive a restart in this store; without it they are lost. */
  stored?: RateWindows;
};

/** Opens rate limits in memory. Restores a stored window when its key is used again. */
export async function openMemoryRateLimits({
  clock,
  secret,
  stored,
}: MemoryRateLimitDeps): Promise<RateLimits> {
  const names = Object.keys(BUCKETS) as BucketName[];
  const limiters = new Map(names.map((name) => [name, new BucketLimiter(BUCKETS[name], clock)]));
  const restored = stored ? await loadWindows(stored, clock.now()) : new Map<string, RateWindow>();
  const restore = async ({ bucket, key }: RateLimitKey) => {
    const window = restored.get(digestKey(secret, bucket, key));
    if (!window) return;
    restored.delete(window.key);
    const millis = window.expiresAtMillis - clock.now();
    if (millis > 0) await limiters.get(bucket)!.set(key, window.points, millis / 1000);
  };
  const refund = (windows: readonly RateLimitKey[], count = windows.length) => {
    for (let at = 0; at < count; at += 1) {
      const { bucket, key, network } = windows[at]!;
      limiters.get(bucket)!.giveBack(key, network);
    }
  };

  return {
    async consume(windows): Promise<RateLimitOutcome> {
      const remaining: { points: number; millis: number }[] = [];
      for (const window of windows) {
        if (restored.size > 0) await restore(window);
        try {
          const limiter = limiters.get(window.bucket)!;
          const { remainingPoints, msBeforeNext } = await limiter.take(window.key, window.network);
          remaining.push({ points: remainingPoints, millis: msBeforeNext });
        } catch (thrown) {
          refund(windows, remaining.length);
          if (!(thrown instanceof RateLimiterRes)) throw thrown;
          return { exceededAt: remaining.length, millisLeft: thrown.msBeforeNext };
        }
      }
      return { remaining };
    },
    refund,
    async save() {
      if (!stored) return;
      const now = clock.now();
      const rows = [...limiters].flatMap(([name, limiter]) =>
        Array.from(limiter.takeChanged(), ({ key, points, expiresAt }) => {
          return { key: digestKey(secret, name, key), points, expiresAtMillis: expiresAt };
        }),
      );
      for (const { key, expiresAtMillis } of restored.values()) {
        if (expiresAtMillis <= now) restored.delete(key);
      }
      for (let at = 0; at < rows.length; at += ROWS_PER_SAVE) {
        await stored.save(rows.slice(at, at + ROWS_PER_SAVE), now);
      }
    },
  };
}

/** Returns a name that identifies a window without revealing its key. */
export function digestKey(secret: string, bucket: BucketName, key: string): string {
  return `${bucket} ${hash('sha256', `${secret} ${key}`, 'base64url')}`;
}

/** Loads the windows from before the start, by digest of their keys. */
async function loadWindows(stored: RateWindows, nowMillis: number): Promise<Map<string, RateWindow>> {
  const windows = [...(await stored.load(nowMillis))];
  if (windows.length > RESTORED_MAX) windows.sort((a, b) => b.points - a.points).splice(RESTORED_MAX);
  return new Map(windows.map((window) => [window.key, window]));
}
