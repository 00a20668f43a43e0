import type { workspace as router, Tenant } from '../../contract/workspace.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { Store } from '../storage/store.ts';
import { BRANDING_DEFAULTS, GUIDE_DEFAULTS, type Workspace } from '../storage/workspaces.ts';
import { auditPageOf } from './audit.ts';
import { settingsChange } from './settings-change.ts';
import { settingsDiff } from './settings-diff.ts';

/** Pick the surface's routes that are about the settings and their trail. */
type SettingsRoutes = Pick<typeof router, 'readTenant' | 'changeTenant' | 'listAudit'>;

type Deps = {
  readonly store: Store;
  readonly clock: Clock;
};

export function workspaceHandlers({ store, clock }: Deps): Handlers<SettingsRoutes> {
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
      if (!after) return throwApiError('tenant/not_found', 'removed meanwhile');
      return { status: 200, body: tenantOf(after) };
    },

    async listAudit({ caller, query }) {
      return { status: 200, body: await auditPageOf(store.in(caller.workspace.id).audit, query) };
    },
  };
}

function tenantOf({ id, appId, name, enabled, settings, version, createdAt, updatedAt }: Workspace): Tenant {
  const { allowedOrigins, features, suggestions, voice, ...chosen } = settings;
  const {
    guide = GUIDE_DEFAULTS,
    branding = BRANDING_DEFAULTS,
    consentStrictnessByRegion = [],
    ...plain
  } = chosen;
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
    createdAt: toIsoString(createdAt),
    updatedAt: toIsoString(updatedAt),
  };
}
