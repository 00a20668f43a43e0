import type { workspace as surface, Tenant } from '../../contract/workspace.ts';
import { type Clock, momentOf } from '../clock.ts';
import type { Handlers } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { refuse } from '../refuse.ts';
import type { Store } from '../storage/store.ts';
import { BRANDING_USUAL, GUIDE_USUAL, type Workspace } from '../storage/workspaces.ts';
import { auditPageOf } from './audit.ts';
import { settingsChange } from './settings-change.ts';
import { settingsDiff } from './settings-diff.ts';

/** Pick the surface's routes that are about the settings and their trail. */
type SettingsRoutes = Pick<typeof surface, 'readTenant' | 'changeTenant' | 'listAudit'>;

type Needs = {
  readonly store: Store;
  readonly clock: Clock;
};

export function workspaceHandlers({ store, clock }: Needs): Handlers<SettingsRoutes> {
  return {
    readTenant: async ({ caller }) => ({ status: 200, body: tenantOf(caller.workspace) }),

    async changeTenant({ caller, body }) {
      const { id } = caller.workspace;
      const atMillis = clock.now();
      const auditId = newId('aud');
      const after = await store.workspaces.change(id, settingsChange(body), atMillis, (before, after) => {
        const details = settingsDiff(before, after);
        const action = 'workspace.changed';
        return details && { id: auditId, atMillis, actor: caller.memberId, action, subject: id, details };
      });
      if (!after) return refuse('tenant/not_found', 'removed meanwhile');
      return { status: 200, body: tenantOf(after) };
    },

    async listAudit({ caller, query }) {
      return { status: 200, body: await auditPageOf(store.in(caller.workspace.id).audit, query) };
    },
  };
}

function tenantOf({ id, appId, name, enabled, settings, version, createdAt, updatedAt }: Workspace): Tenant {
  const { allowedOrigins, features, suggestions, voice, ...chosen } = settings;
  const { guide = GUIDE_USUAL, branding = BRANDING_USUAL, consentStrictnessByRegion = [], ...plain } = chosen;
  return {
    id,
    appId,
    name,
    enabled,
    ...plain,
    allowedOrigins: [...allowedOrigins],
    features,
    suggestions: [...suggestions],
    voice,
    guide,
    branding,
    consentStrictnessByRegion: [...consentStrictnessByRegion],
    version,
    createdAt: momentOf(createdAt),
    updatedAt: momentOf(updatedAt),
  };
}
