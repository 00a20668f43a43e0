import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import type { HelpDomains } from '../settings/help.ts';
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
  findBaseUrl,
  domains,
  isServed,
}: {
  workspaces: Pick<Workspaces, 'find' | 'findByAppId'>;
  clock: Clock;
  findBaseUrl: (appId: string) => string;
  domains: HelpDomains;
  isServed: (workspace: Workspace) => boolean;
}) {
  const toSite = (workspace: Workspace | undefined): HelpSite | undefined => {
    const isOn = (workspace?.settings.helpCentre ?? HELP_CENTRE_DEFAULTS).enabled;
    return workspace && isOn && isServed(workspace)
      ? { workspace, baseUrl: findBaseUrl(workspace.appId) }
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
    /** Whether the host of a request is a domain of help centres, also of one that is off. */
    isDomain: (host: string) => domains.has(host),
    async findByDomain(host: string): Promise<HelpSite | undefined> {
      const appId = domains.get(host);
      return appId === undefined ? undefined : findByAppId(appId);
    },
  };
}

/** Returns where the pages of a workspace are, if they are on: on its domain, or below the address of the service. */
export function createFindBaseUrl(domains: HelpDomains, baseUrl: () => string): (appId: string) => string {
  const domainOf = new Map([...domains].map(([domain, appId]) => [appId, domain]));
  return (appId) => {
    const domain = domainOf.get(appId);
    return domain === undefined ? `${baseUrl()}/help/${appId}` : `https://${domain}`;
  };
}
