import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import type { Workspaces } from '../storage/store.ts';
import { HELP_CENTRE_DEFAULTS } from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';

/** The help centre of a workspace that has switched it on. */
export type HelpSite = {
  workspace: Workspace;
  /** Where its pages are, without a trailing slash, such as `https://guide.example.com/help/gp_…`. */
  baseUrl: string;
};

export type HelpSites = ReturnType<typeof createHelpSites>;

/** Finds help centres. Changes take effect within a second. */
export function createHelpSites({
  workspaces,
  clock,
  baseUrl,
  isServed,
}: {
  workspaces: Pick<Workspaces, 'find' | 'findByAppId'>;
  clock: Clock;
  /** Where browsers reach the service. */
  baseUrl: () => string;
  isServed: (workspace: Workspace) => boolean;
}) {
  const toSite = (workspace: Workspace | undefined): HelpSite | undefined => {
    const isOn = (workspace?.settings.helpCentre ?? HELP_CENTRE_DEFAULTS).enabled;
    if (!workspace || !isOn || !isServed(workspace)) return undefined;
    return { workspace, baseUrl: `${baseUrl()}/help/${workspace.appId}` };
  };
  const cached = (find: (key: string) => Promise<Workspace | undefined>) => {
    const findCached = memoizeWithTtl(clock, WORKSPACE_LIMITS.workspaceCacheMillis, find);
    return async (key: string) => toSite(await findCached(key));
  };
  return {
    findByAppId: cached(workspaces.findByAppId),
    findByWorkspace: cached(workspaces.find),
  };
}
