import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import type { Workspaces } from '../storage/store.ts';
import { HELP_CENTRE_DEFAULTS } from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { HelpDomainReader, HelpPlace } from './domains.ts';

/** The help centre of a workspace that has switched it on. */
export type HelpSite = HelpPlace & { workspace: Workspace };

export type HelpSites = ReturnType<typeof createHelpSites>;

/** Finds help centres. Changes take effect within a second. */
export function createHelpSites({
  workspaces,
  clock,
  helpDomains,
  isServed,
}: {
  workspaces: Pick<Workspaces, 'find' | 'findByAppId'>;
  clock: Clock;
  helpDomains: Pick<HelpDomainReader, 'read' | 'findPlace'>;
  isServed: (workspace: Workspace) => boolean;
}) {
  const toSite = async (workspace: Workspace | undefined): Promise<HelpSite | undefined> => {
    const isOn = (workspace?.settings.helpCentre ?? HELP_CENTRE_DEFAULTS).enabled;
    if (!workspace || !isOn || !isServed(workspace)) return undefined;
    const { findDomain } = await helpDomains.read();
    const { appId } = workspace;
    return { workspace, ...helpDomains.findPlace(appId, findDomain(appId)) };
  };
  const cached = (find: (key: string) => Promise<Workspace | undefined>) => {
    const findCached = memoizeWithTtl(clock, WORKSPACE_LIMITS.workspaceCacheMillis, find);
    return async (key: string) => toSite(await findCached(key));
  };
  const findByAppId = cached(workspaces.findByAppId);
  return {
    findByAppId,
    findByWorkspace: cached(workspaces.find),
    async findByDomain(domain: string): Promise<HelpSite | undefined> {
      const appId = (await helpDomains.read()).findAppId(domain);
      return appId === undefined ? undefined : findByAppId(appId);
    },
  };
}
