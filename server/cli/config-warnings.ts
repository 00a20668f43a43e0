import type { Config } from '../config.ts';
import { DEMO_APP_ID } from '../demo/demo.ts';
import type { Workspaces } from '../storage/workspaces.ts';

/** One sentence for each valid setting that is probably a mistake. */
export async function findConfigWarnings(
  { edgeProvider, trustsProxy, rollout, demo }: Config,
  workspaces: Pick<Workspaces, 'find' | 'findByAppId'>,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  if (edgeProvider && !trustsProxy) {
    warnings.push(
      'EDGE_PROVIDER has no effect without TRUSTED_PROXIES: region headers are only trusted from a trusted proxy',
    );
  }
  for (const id of rollout) {
    // The demo workspace is created after the start.
    const isThere =
      (demo && id === DEMO_APP_ID) || (await workspaces.findByAppId(id)) || (await workspaces.find(id));
    if (!isThere) warnings.push(`ROLLOUT contains ${id}, but no such workspace exists`);
  }
  return warnings;
}
