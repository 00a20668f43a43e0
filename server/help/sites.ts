import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { HELP_PATH } from '../base/help-paths.ts';
import type { HelpDomains } from '../settings/help.ts';
import type { Workspaces } from '../storage/store.ts';
import { HELP_CENTRE_DEFAULTS } from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';

/** The help centre of a workspace that has switched it on. */
export type HelpSite = {
  workspace: Workspace;
  /** Where the pages are for readers, such as `https://guide.example.com`. */
  origin: string;
  /** Where they begin: `/help/gp_…`, or nothing on a domain of its own. */
  basePath: string;
};

export type FindHelpPlace = (appId: string) => Pick<HelpSite, 'origin' | 'basePath'>;

export type HelpSites = ReturnType<typeof createHelpSites>;

/** Finds help centres. Changes take effect within a second. */
export function createHelpSites({
  workspaces,
  clock,
  findPlace,
  domains,
  isServed,
}: {
  workspaces: Pick<Workspaces, 'find' | 'findByAppId'>;
  clock: Clock;
  findPlace: FindHelpPlace;
  domains: HelpDomains;
  isServed: (workspace: Workspace) => boolean;
}) {
  const toSite = (workspace: Workspace | undefined): HelpSite | undefined => {
    const isOn = (workspace?.settings.helpCentre ?? HELP_CENTRE_DEFAULTS).enabled;
    return workspace && isOn && isServed(workspace)
      ? { workspace, ...findPlace(workspace.appId) }
      : undefined;
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
      const appId = domains.get(domain);
      return appId === undefined ? undefined : findByAppId(appId);
    },
  };
}

/** Returns where the pages of a workspace are, if they are on: on its domain, or below the address of the service. */
export function createFindPlace(domains: HelpDomains, baseUrl: () => string): FindHelpPlace {
  const domainOf = new Map([...domains].map(([domain, appId]) => [appId, domain]));
  return (appId) => {
    const domain = domainOf.get(appId);
    if (domain !== undefined) return { origin: `https://${domain}`, basePath: '' };
    return { origin: new URL(baseUrl()).origin, basePath: `${HELP_PATH}/${appId}` };
  };
}
