import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock.ts';
import { newId } from '../ids.ts';
import type { ApiKey } from '../storage/api-keys.ts';
import type { Store } from '../storage/store.ts';
import { API_KEY_PATTERN, parseApiKey, secretMatches } from '../tokens/api-key.ts';
import type { KeyCaller } from './handler.ts';

export type ResolvedKey =
  | { readonly ok: true; readonly caller: KeyCaller; readonly scopes: readonly string[] }
  | { readonly ok: false; readonly reason: string };

type KeyStore = Pick<Store, 'apiKeys' | 'workspaces'>;

const USED_EVERY_MILLIS = 60_000;

/** API key to its workspace: from `x-api-key` or the bearer token; two that differ are none. */
export async function resolveKey(
  headers: IncomingHttpHeaders,
  { apiKeys, workspaces }: KeyStore,
  clock: Clock,
): Promise<ResolvedKey> {
  const invalid = (reason: string): ResolvedKey => ({ ok: false, reason });
  const sent = keysIn(headers);
  if (sent.length === 0) return invalid('no API key');
  if (new Set(sent).size > 1) return invalid('two API keys that differ');
  const key = await genuineKey(sent[0]!, { apiKeys });
  if (!key) return invalid('unknown API key');
  if (key.revokedAt !== undefined) return invalid('revoked API key');
  const workspace = await workspaces.find(key.workspaceId);
  if (!workspace) return invalid('workspace removed');
  const now = clock.now();
  if (now - (key.lastUsedAt ?? 0) >= USED_EVERY_MILLIS)
    await apiKeys.used(key.id, now).catch(() => undefined);
  return { ok: true, caller: { kind: 'key', keyId: key.id, workspace }, scopes: key.scopes };
}

/** Addresses end up in logs and histories, so that a key that was sent in one is as good as published: its owner has to know. */
export async function auditKeyInUrl(
  url: string,
  store: Pick<Store, 'apiKeys' | 'in'>,
  clock: Clock,
): Promise<boolean> {
  const keys = url.match(API_KEY_PATTERN) ?? [];
  for (const text of new Set(keys)) {
    const key = await genuineKey(text, store);
    if (!key) continue;
    const audit = { id: newId('aud'), atMillis: clock.now(), actor: key.id, subject: key.id };
    const details = { lastFour: key.lastFour };
    await store.in(key.workspaceId).audit.append({ ...audit, action: 'api_key.sent_in_address', details });
  }
  return keys.length > 0;
}

/** Unknown keys take as long as known ones. */
async function genuineKey(text: string, { apiKeys }: Pick<Store, 'apiKeys'>): Promise<ApiKey | undefined> {
  const parts = parseApiKey(text);
  const key = parts && (await apiKeys.findByPublicId(parts.publicId));
  return secretMatches(parts?.secret ?? '', key?.secretHash) ? key : undefined;
}

function keysIn({ 'x-api-key': own, authorization }: IncomingHttpHeaders): string[] {
  const bearer = authorization === undefined ? [] : [/^Bearer ([^\s,]+)$/i.exec(authorization)?.[1] ?? ''];
  return [...[own ?? []].flat(), ...bearer];
}
