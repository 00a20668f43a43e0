import { LIMITS } from '../../contract/limits.ts';
import { memoizeWithTtl } from '../cache.ts';
import type { Clock } from '../clock.ts';
import type { WorkspaceResolver } from '../http/handler.ts';
import type { Workspace, Workspaces } from '../storage/workspaces.ts';
import { canonicalOrigin, isAllowedOrigin } from './allowed-origin.ts';

/** Resolves which workspaces are served, and to which origins. Changes apply once the cache entry expires. */
export function createWorkspaceResolver(deps: {
  readonly workspaces: Workspaces;
  readonly rollout: readonly string[];
  readonly clock: Clock;
}): WorkspaceResolver {
  const { workspaces, rollout, clock } = deps;
  const byAppId = memoizeWithTtl(clock, LIMITS.workspaceCacheMillis, (appId) =>
    workspaces.findByAppId(appId),
  );
  const byId = memoizeWithTtl(clock, LIMITS.workspaceCacheMillis, (id) => workspaces.find(id));
  const isServed = (workspace: Workspace) =>
    workspace.enabled &&
    (rollout.length === 0 || rollout.includes(workspace.id) || rollout.includes(workspace.appId));
  return {
    byAppId,
    isServed,
    async findForOrigin(workspaceId, origin) {
      const workspace = await byId(workspaceId);
      if (!workspace || !isServed(workspace)) return undefined;
      return isAllowedOrigin(origin, workspace.settings.allowedOrigins) ? workspace : undefined;
    },
    isSameOrigin: (header, origin) => header === origin || canonicalOrigin(header) === origin,
  };
}
