import type { Coordination } from '../coordination.ts';
import { createMemoryLiveTurns } from './live-turns.ts';
import { type MemoryRateLimitDeps, openMemoryRateLimits } from './rate-limits.ts';

/** Opens the adapter for a single node, which keeps everything in the memory of this process. */
export async function openMemoryCoordination(
  deps: MemoryRateLimitDeps & { onOpenTurns: (open: number) => void },
): Promise<Coordination> {
  return {
    rateLimits: await openMemoryRateLimits(deps),
    liveTurns: createMemoryLiveTurns(deps.onOpenTurns),
    announcements: { announce() {}, listen() {} },
    isLeader: () => true,
    state: () => 'single',
    async close() {},
  };
}
