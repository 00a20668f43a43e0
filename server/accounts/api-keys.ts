import { API_KEY_NAME_CHARS_MAX, type apiKeys, type ShownApiKey } from '../../contract/api-keys.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { normalizeLine } from '../normalize-text.ts';
import type { ApiKey } from '../storage/api-keys.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Store } from '../storage/store.ts';
import { hashSecret, makeApiKey } from '../tokens/api-key.ts';
import { toAuditOrigin } from './audit-trail.ts';
import { paginate } from './paginate.ts';

const INVALID_NAME = {
  path: 'body.name',
  code: 'custom',
  message: `Expected 1 to ${API_KEY_NAME_CHARS_MAX} visible characters.`,
};

export function apiKeyHandlers(deps: {
  readonly store: Store;
  readonly clock: Clock;
}): Handlers<typeof apiKeys> {
  const { store, clock } = deps;
  return {
    async createApiKey({ caller, body, ctx }) {
      const name = normalizeLine(body.name, API_KEY_NAME_CHARS_MAX);
      if (name === undefined) return throwInvalidRequest(INVALID_NAME);
      const newKey = {
        workspaceId: caller.workspace.id,
        name,
        scopes: [...new Set(body.scopes)],
        createdBy: caller.memberId,
      };
      const { key, text } = await createKey(deps, newKey, toAuditOrigin(ctx));
      return { status: 201, body: { ...toBody(key), key: text } };
    },

    async listApiKeys({ caller, query }) {
      const keys = await store.in(caller.workspace.id).apiKeys.list();
      const { data, ...page } = paginate(keys, query, 'newest_first');
      return { status: 200, body: { data: data.map((key) => toBody(key)), ...page } };
    },

    async revokeApiKey({ caller, params, ctx }) {
      const { apiKeys } = store.in(caller.workspace.id);
      const atMillis = clock.now();
      const revoked = await apiKeys.revoke(params.keyId, atMillis, {
        id: newId('aud'),
        atMillis,
        actor: caller.memberId,
        action: 'api_key.revoked',
        subject: params.keyId,
        details: {},
        ...toAuditOrigin(ctx),
      });
      return revoked ? { status: 200, body: { ok: true } } : throwApiError('api_key/not_found');
    },
  };
}

function toBody(key: ApiKey): ShownApiKey {
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

/** One collision of public ids is practically impossible, so repeated ones are a bug. */
const ATTEMPTS_MAX = 3;

export type NewKey = Pick<ApiKey, 'workspaceId' | 'name' | 'scopes' | 'createdBy'>;

/** Returns the key's text, which is not stored. */
export async function createKey(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  newKey: NewKey,
  origin: Pick<AuditEntry, 'device' | 'network'> = {},
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { text, publicId, secret, lastFour } = makeApiKey();
    const createdAt = clock.now();
    const key = {
      ...newKey,
      id: newId('key'),
      publicId,
      lastFour,
      secretHash: hashSecret(secret),
      createdAt,
    };
    const stored = await store.in(newKey.workspaceId).apiKeys.create(key, {
      id: newId('aud'),
      atMillis: createdAt,
      actor: newKey.createdBy,
      action: 'api_key.created',
      subject: key.id,
      details: { name: newKey.name, scopes: newKey.scopes, lastFour },
      ...origin,
    });
    if (stored === 'created') return { key, text };
  }
  throw new Error('no free public id for an API key');
}
