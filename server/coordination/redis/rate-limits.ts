import { BUCKETS } from '../../../contract/limits.ts';
import type { RateLimitKey, RateLimitOutcome, RateLimits } from '../coordination.ts';
import { digestKey } from '../memory/rate-limits.ts';
import { type Link, script } from './link.ts';

/** Takes a point from every window or from none, in one round trip for all buckets of a request. Uses Redis's clock. */
const CONSUME = script(`
for at, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[2 * at - 1]) then
    return { at, redis.call('PTTL', key) }
  end
end
local reply = { 0 }
for at, key in ipairs(KEYS) do
  local count = redis.call('INCR', key)
  local left = redis.call('PTTL', key)
  if left < 0 then
    left = tonumber(ARGV[2 * at])
    redis.call('PEXPIRE', key, left)
  end
  reply[2 * at] = count
  reply[2 * at + 1] = left
end
return reply
`);

/** Gives a point back to each window, except to expired ones. */
const REFUND = script(`
for _, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') > 0 then redis.call('DECR', key) end
end
return 0
`);

/** Creates rate limits that all nodes share. While Redis is away, each node counts on its own. */
export function createRedisRateLimits(
  link: Link,
  prefix: string,
  secret: string,
  ownLimits: RateLimits,
): RateLimits {
  // Digests keep addresses and visitor ids out of Redis.
  const toKeys = (windows: readonly RateLimitKey[]) =>
    windows.map(({ bucket, key }) => `${prefix}w:${digestKey(secret, bucket, key)}`);
  return {
    async consume(windows) {
      if (windows.length === 0) return { remaining: [] };
      if (!link.isUp) return ownLimits.consume(windows);
      const sizes = windows.flatMap(({ bucket }) => [
        BUCKETS[bucket].points,
        BUCKETS[bucket].windowSeconds * 1000,
      ]);
      try {
        return toOutcome(windows, (await link.run(CONSUME, toKeys(windows), sizes)) as number[]);
      } catch {
        return ownLimits.consume(windows);
      }
    },
    refund(windows) {
      if (link.isUp) link.run(REFUND, toKeys(windows), []).catch(() => {});
      else ownLimits.refund(windows);
    },
    save: async () => {},
  };
}

function toOutcome(windows: readonly RateLimitKey[], [exceeded, ...rest]: number[]): RateLimitOutcome {
  if (exceeded! > 0) return { exceededAt: exceeded! - 1, millisLeft: Math.max(0, rest[0]!) };
  return {
    remaining: windows.map(({ bucket }, at) => ({
      points: BUCKETS[bucket].points - rest[2 * at]!,
      millis: rest[2 * at + 1]!,
    })),
  };
}
