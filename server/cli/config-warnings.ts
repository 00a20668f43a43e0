import type { Config } from '../config.ts';
import { DEMO_APP_ID } from '../demo/demo.ts';
import type { Workspaces } from '../storage/workspaces.ts';

/** Settings that are right by themselves and yet hardly what was meant, a sentence each. */
export async function doubtsAbout(
  { edgeProvider, trustsProxy, rollout, demo }: Config,
  workspaces: Pick<Workspaces, 'find' | 'findByAppId'>,
): Promise<readonly string[]> {
  const doubts: string[] = [];
  if (edgeProvider && !trustsProxy) {
    doubts.push(
      'EDGE_PROVIDER without TRUSTED_PROXIES has no effect: region headers are believed only from a trusted proxy',
    );
  }
  for (const id of rollout) {
    // The demo workspace is made while the service runs already.
    const isThere =
      (demo && id === DEMO_APP_ID) || (await workspaces.findByAppId(id)) || (await workspaces.find(id));
    if (!isThere) doubts.push(`ROLLOUT names ${id}, and there is no such workspace`);
  }
  return doubts;
}
