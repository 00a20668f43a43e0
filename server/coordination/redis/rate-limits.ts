import { BUCKETS, type Bucket } from '../../../contract/limits/rate-limits.ts';
import type { RateLimitKey, RateLimitOutcome, RateLimits } from '../coordination.ts';
import { digestKey } from '../memory/rate-limits.ts';
import { type Link, script } from './link.ts';

/**
 * Takes a point from every window or from none, in one round trip for all buckets of a request. Uses Redis's clock.
 * ARGV for each window: points, milliseconds, then the caller's network or '', the used points from which on networks
 * share the rest, and the least share. A hash beside a shared window counts the points of each network.
 */
const CONSUME = script(`
local function isShareUsed(key, used, points, network, beyond, least)
  if network == '' or used < beyond then return false end
  local usedByNetwork = tonumber(redis.call('HGET', key .. ':networks', network) or '0')
  local networks = redis.call('HLEN', key .. ':networks')
  if usedByNetwork == 0 then networks = networks + 1 end
  return usedByNetwork >= math.max(least, points / networks)
end
for at, key in ipairs(KEYS) do
  local points, _, network, beyond, least = unpack(ARGV, 5 * at - 4, 5 * at)
  local used = tonumber(redis.call('GET', key) or '0')
  points = tonumber(points)
  if used >= points or isShareUsed(key, used, points, network, tonumber(beyond), tonumber(least)) then
    return { at, redis.call('PTTL', key) }
  end
end
local reply = { 0 }
for at, key in ipairs(KEYS) do
  local _, millis, network = unpack(ARGV, 5 * at - 4, 5 * at)
  local count = redis.call('INCR', key)
  local left = redis.call('PTTL', key)
  if left < 0 then
    left = tonumber(millis)
    redis.call('PEXPIRE', key, left)
    if network ~= '' then redis.call('DEL', key .. ':networks') end
  end
  if network ~= '' then
    redis.call('HINCRBY', key .. ':networks', network, 1)
    redis.call('PEXPIRE', key .. ':networks', left)
  end
  reply[2 * at] = count
  reply[2 * at + 1] = left
end
return reply
`);

/** Gives a point back to each window, except to expired ones. ARGV for each window: the caller's network or ''. */
const REFUND = script(`
for at, key in ipairs(KEYS) do
  local network = ARGV[at]
  if tonumber(redis.call('GET', key) or '0') > 0 then
    redis.call('DECR', key)
    if redis.call('HEXISTS', key .. ':networks', network) == 1
      and redis.call('HINCRBY', key .. ':networks', network, -1) <= 0 then
      redis.call('HDEL', key .. ':networks', network)
    end
  end
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
  const digestNetwork = ({ bucket, network }: RateLimitKey) =>
    network === undefined ? '' : digestKey(secret, bucket, network);
  return {
    async consume(windows) {
      if (windows.length === 0) return { remaining: [] };
      if (!link.isUp) return ownLimits.consume(windows);
      const sizes = windows.flatMap((window) => {
        const { points, windowSeconds, sharing }: Bucket = BUCKETS[window.bucket];
        const share = [points * (sharing?.beyond ?? 1), sharing?.leastPoints ?? 0];
        return [points, windowSeconds * 1000, digestNetwork(window), ...share];
      });
      try {
        return toOutcome(windows, (await link.run(CONSUME, toKeys(windows), sizes)) as number[]);
      } catch {
        return ownLimits.consume(windows);
      }
    },
    refund(windows) {
      if (link.isUp) link.run(REFUND, toKeys(windows), windows.map(digestNetwork)).catch(() => {});
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
