import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Announcement, Coordination } from '../coordination.ts';
import { openMemoryRateLimits } from '../memory/rate-limits.ts';
import { openLink, script } from './link.ts';
import { createRedisLiveTurns } from './live-turns.ts';
import { createRedisRateLimits } from './rate-limits.ts';

type RedisDeps = {
  /** URL of one primary: `redis://…` or `rediss://…`. */
  url: string;
  /** Separates installations that share a Redis. */
  installationId: string;
  /** The same on all nodes. Redis holds addresses and visitor ids only as digests with this secret. */
  secret: string;
  clock: Clock;
  log: Log;
  onOpenTurns: (open: number) => void;
};

/** How long a leader that has vanished keeps its lease. */
const LEADER_MILLIS = 3_000;

/**
 * Takes or renews the lease of the leader, and returns 1 to the node that has it. Also writes when another node has it,
 * which fails on a replica: only a Redis that takes writes counts as up. KEYS leader, probe. ARGV node, milliseconds.
 */
const LEAD = script(`
local leader = redis.call('GET', KEYS[1])
if leader and leader ~= ARGV[1] then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);

/** Gives the lease back. KEYS leader. ARGV node. */
const RESIGN = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0
`);

/** Opens the adapter for several nodes. Redis holds nothing that must not be lost. */
export async function openRedisCoordination(deps: RedisDeps): Promise<Coordination> {
  const { secret, clock, log } = deps;
  const nodeId = randomUUID();
  const prefix = `guidepost:${deps.installationId}:`;
  const leaderKeys = [`${prefix}leader`, `${prefix}probe`];
  let isLeading = false;
  const link = await openLink({
    url: deps.url,
    log,
    async beat(run) {
      isLeading = (await run(LEAD, leaderKeys, [nodeId, LEADER_MILLIS])) === 1;
    },
  });
  const liveTurns = createRedisLiveTurns({
    link,
    prefix,
    digestVisitor: (visitorId) => hash('sha256', `${secret} ${visitorId}`, 'base64url'),
    onOpenTurns: deps.onOpenTurns,
  });

  const listeners: ((announcement: Announcement | undefined) => void)[] = [];
  const notifyListeners = (announcement: Announcement | undefined) => {
    for (const listener of listeners) listener(announcement);
  };
  link.subscribe(`${prefix}news`, (message) => {
    const { from, news } = JSON.parse(message) as { from: string; news: Announcement };
    if (from !== nodeId) notifyListeners(news);
  });
  link.onChange((isUp) => {
    if (isUp) notifyListeners(undefined);
  });

  return {
    rateLimits: createRedisRateLimits(link, prefix, secret, await openMemoryRateLimits({ clock, secret })),
    liveTurns,
    announcements: {
      announce(announcement) {
        if (!link.isUp) return;
        link
          .send(['PUBLISH', `${prefix}news`, JSON.stringify({ from: nodeId, news: announcement })])
          .catch(() => {});
      },
      listen: (callback) => void listeners.push(callback),
    },
    isLeader: () => isLeading || !link.isUp,
    state: () => (link.isUp ? 'shared' : 'alone'),
    async close() {
      liveTurns.close();
      if (isLeading && link.isUp) await link.run(RESIGN, leaderKeys, [nodeId]).catch(() => {});
      await link.close();
    },
  };
}
