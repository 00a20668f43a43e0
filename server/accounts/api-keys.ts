import { API_KEY_NAME_CHARS_MAX, type apiKeys, type ShownApiKey } from '../../contract/api-keys.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { parseCidr } from '../base/network.ts';
import { normalizeLine } from '../base/text.ts';
import { paginate } from '../http/cursor.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { ApiKey } from '../storage/api-keys.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Store } from '../storage/store.ts';
import { hashSecret, makeApiKey } from '../tokens/api-key.ts';
import { createMemberAudit, toAuditOrigin } from '../workspaces/audit-trail.ts';

const INVALID_NAME = {
  path: 'body.name',
  code: 'custom',
  message: `Expected 1 to ${API_KEY_NAME_CHARS_MAX} visible characters.`,
};

export function apiKeyHandlers(deps: { store: Store; clock: Clock }): Handlers<typeof apiKeys> {
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
        allowedNetworks: parseNetworks(body.allowedNetworks ?? []),
        ...parseExpiry(body.expiresAt, clock),
      };
      const { key, text } = await createKey(deps, newKey, toAuditOrigin(ctx));
      return { status: 201, body: { ...toBody(key), key: text } };
    },

    async rotateApiKey({ caller, params, body, ctx }) {
      const keys = await store.in(caller.workspace.id).apiKeys.list();
      const old = keys.find(({ id }) => id === params.keyId);
      if (!old) return throwApiError('api_key/not_found');
      const changes = {
        createdBy: caller.memberId,
        ...(body.allowedNetworks ? { allowedNetworks: parseNetworks(body.allowedNetworks) } : {}),
        ...parseExpiry(body.expiresAt, clock),
      };
      const rotated = await rotateKey(deps, old, body.overlapSeconds, changes, toAuditOrigin(ctx));
      if (rotated === 'gone') return throwApiError('api_key/not_found');
      if (rotated === 'inactive') return throwApiError('api_key/inactive');
      return { status: 201, body: { ...toBody(rotated.key), key: rotated.text } };
    },

    async listApiKeys({ caller, query }) {
      const keys = await store.in(caller.workspace.id).apiKeys.list();
      const { data, ...page } = paginate(keys, query, 'newest_first');
      return { status: 200, body: { data: data.map((key) => toBody(key)), ...page } };
    },

    async revokeApiKey({ caller, params, ctx }) {
      const { apiKeys } = store.in(caller.workspace.id);
      const audit = createMemberAudit(clock)(caller, ctx, 'api_key.revoked', params.keyId);
      const revoked = await apiKeys.revoke(params.keyId, audit.atMillis, audit);
      return revoked ? { status: 200, body: { ok: true } } : throwApiError('api_key/not_found');
    },
  };
}

/** Throws `request/invalid` for a text that is not an address or CIDR block. */
export function parseNetworks(texts: readonly string[]): string[] {
  const networks = texts.map(
    (text, at) =>
      parseCidr(text) ??
      throwInvalidRequest({
        path: `body.allowedNetworks.${at}`,
        code: 'invalid_network',
        message: 'Expected an IPv4 or IPv6 address or CIDR block, such as 203.0.113.0/24.',
      }),
  );
  return [...new Set(networks)];
}

/** Throws `request/invalid` for a time in the past. */
export function parseExpiry(text: string | undefined, clock: Clock): { expiresAt?: number } {
  if (text === undefined) return {};
  const expiresAt = Date.parse(text);
  if (expiresAt > clock.now()) return { expiresAt };
  return throwInvalidRequest({
    path: 'body.expiresAt',
    code: 'in_the_past',
    message: 'Expected a time in the future.',
  });
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
    lastUsedNetwork: key.lastUsedNetwork,
    allowedNetworks: [...key.allowedNetworks],
    ...(key.expiresAt === undefined ? {} : { expiresAt: toIsoString(key.expiresAt) }),
    replacedBy: key.replacedBy,
    ...(key.revokedAt === undefined ? {} : { revokedAt: toIsoString(key.revokedAt) }),
  };
}

/** A single collision of public ids is practically impossible, so several in a row are a bug. */
const ATTEMPTS_MAX = 3;

type NewKey = Pick<ApiKey, 'workspaceId' | 'name' | 'scopes' | 'createdBy'> &
  Partial<Pick<ApiKey, 'allowedNetworks' | 'expiresAt'>>;
type Deps = { store: Pick<Store, 'in'>; clock: Clock };
type Origin = Pick<AuditEntry, 'device' | 'network'>;

/** Returns the key's text, which is not stored. */
export async function createKey(
  { store, clock }: Deps,
  newKey: NewKey,
  origin: Origin = {},
): Promise<{ key: ApiKey; text: string }> {
  const { apiKeys } = store.in(newKey.workspaceId);
  const created = await storeNewKey(newKey, clock.now(), (key) =>
    apiKeys.create(key, { ...toCreatedEntry(key), ...origin }),
  );
  return created as Exclude<typeof created, string>;
}

/** Creates a key that replaces `old`, which works for another `overlapSeconds`. */
export async function rotateKey(
  { store, clock }: Deps,
  old: ApiKey,
  overlapSeconds: number,
  changes: Pick<NewKey, 'createdBy' | 'allowedNetworks' | 'expiresAt'>,
  origin: Origin = {},
): Promise<{ key: ApiKey; text: string } | 'inactive' | 'gone'> {
  const { id: oldId, workspaceId, name, scopes, allowedNetworks, createdAt, expiresAt } = old;
  const nowMillis = clock.now();
  const endsAtMillis = nowMillis + overlapSeconds * 1000;
  const lifetime = expiresAt === undefined ? {} : { expiresAt: nowMillis + expiresAt - createdAt };
  const newKey = { workspaceId, name, scopes, allowedNetworks, ...lifetime, ...changes };
  return storeNewKey(newKey, nowMillis, (key) => {
    const details = { name, replacedBy: key.id, endsAt: toIsoString(endsAtMillis) };
    const rotated = {
      ...toCreatedEntry(key),
      id: newId('aud'),
      action: 'api_key.rotated',
      subject: oldId,
      details,
    };
    const audit = [rotated, toCreatedEntry(key)].map((row) => ({ ...row, ...origin }));
    return store.in(workspaceId).apiKeys.rotate({ oldId, key, endsAtMillis, nowMillis, audit });
  });
}

async function storeNewKey<Failure extends string>(
  newKey: NewKey,
  createdAt: number,
  storeKey: (key: ApiKey) => Promise<'created' | 'public_id_taken' | Failure>,
): Promise<{ key: ApiKey; text: string } | Failure> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { text, publicId, secret, lastFour } = makeApiKey();
    const id = newId('key');
    const secretHash = hashSecret(secret);
    const key = { allowedNetworks: [], ...newKey, id, publicId, lastFour, secretHash, createdAt };
    const stored = await storeKey(key);
    if (stored === 'created') return { key, text };
    if (stored !== 'public_id_taken') return stored as Failure;
  }
  throw new Error('no free public id for an API key');
}

function toCreatedEntry(key: ApiKey): AuditEntry {
  const { id, name, scopes, lastFour, allowedNetworks, expiresAt, createdAt, createdBy } = key;
  const restrictions = {
    ...(allowedNetworks.length === 0 ? {} : { allowedNetworks }),
    ...(expiresAt === undefined ? {} : { expiresAt: toIsoString(expiresAt) }),
  };
  return {
    id: newId('aud'),
    atMillis: createdAt,
    actor: createdBy,
    action: 'api_key.created',
    subject: id,
    details: { name, scopes, lastFour, ...restrictions },
  };
}
