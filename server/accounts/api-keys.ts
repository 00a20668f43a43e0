import { API_KEY_NAME_CHARS_MAX, type apiKeys, type ShownApiKey } from '../../contract/api-keys.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { normalizeLine } from '../normalize-text.ts';
import type { ApiKey } from '../storage/api-keys.ts';
import type { Store } from '../storage/store.ts';
import { pageOfList } from './list-page.ts';
import { storeNewKey } from './new-api-key.ts';

const NAMELESS = {
  path: 'body.name',
  code: 'custom',
  message: `Expected 1 to ${API_KEY_NAME_CHARS_MAX} characters that can be seen.`,
};

export function apiKeyHandlers(deps: {
  readonly store: Store;
  readonly clock: Clock;
}): Handlers<typeof apiKeys> {
  const { store, clock } = deps;
  return {
    async createApiKey({ caller, body }) {
      const name = normalizeLine(body.name, API_KEY_NAME_CHARS_MAX);
      if (name === undefined) return throwInvalidRequest(NAMELESS);
      const { key, text } = await storeNewKey(deps, {
        workspaceId: caller.workspace.id,
        name,
        scopes: [...new Set(body.scopes)],
        createdBy: caller.memberId,
      });
      return { status: 201, body: { ...shown(key), key: text } };
    },

    async listApiKeys({ caller, query }) {
      const keys = await store.in(caller.workspace.id).apiKeys.list();
      const { data, ...rest } = pageOfList(keys, query, 'newest_first');
      return { status: 200, body: { data: data.map((key) => shown(key)), ...rest } };
    },

    async revokeApiKey({ caller, params }) {
      const { apiKeys } = store.in(caller.workspace.id);
      const atMillis = clock.now();
      const revoked = await apiKeys.revoke(params.keyId, atMillis, {
        id: newId('aud'),
        atMillis,
        actor: caller.memberId,
        action: 'api_key.revoked',
        subject: params.keyId,
        details: {},
      });
      return revoked ? { status: 200, body: { ok: true } } : throwApiError('api_key/not_found');
    },
  };
}

function shown(key: ApiKey): ShownApiKey {
  return {
    id: key.id,
    name: key.name,
    scopes: [...key.scopes],
    lastFour: key.lastFour,
    createdBy: key.createdBy,
    createdAt: toIsoString(key.createdAt),
    ...(key.lastUsedAt === undefined ? {} : { lastUsedAt: toIsoString(key.lastUsedAt) }),
    ...(key.revokedAt === undefined ? {} : { revokedAt: toIsoString(key.revokedAt) }),
  };
}
