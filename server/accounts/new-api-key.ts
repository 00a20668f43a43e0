import type { Clock } from '../clock.ts';
import { newId } from '../ids.ts';
import type { ApiKey } from '../storage/api-keys.ts';
import type { Store } from '../storage/store.ts';
import { hashSecret, makeApiKey } from '../tokens/api-key.ts';

/** A public id that is taken is as unlikely as a full lottery win; a second one is no chance but a fault. */
const ATTEMPTS_MAX = 3;

export type WantedKey = Pick<ApiKey, 'workspaceId' | 'name' | 'scopes' | 'createdBy'>;

/** Makes a key and stores what is kept of it. Its text is in the answer and nowhere else. */
export async function storeNewKey(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  wanted: WantedKey,
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { text, publicId, secret, lastFour } = makeApiKey();
    const createdAt = clock.now();
    const key = {
      ...wanted,
      id: newId('key'),
      publicId,
      lastFour,
      secretHash: hashSecret(secret),
      createdAt,
    };
    const stored = await store.in(wanted.workspaceId).apiKeys.create(key, {
      id: newId('aud'),
      atMillis: createdAt,
      actor: wanted.createdBy,
      action: 'api_key.created',
      subject: key.id,
      details: { name: wanted.name, scopes: wanted.scopes, lastFour },
    });
    if (stored === 'created') return { key, text };
  }
  throw new Error('no free public id for an API key');
}
