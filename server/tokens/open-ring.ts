import type { Store } from '../storage/store.ts';
import { type KeyRing, KeyRingRefused, openKeyRing } from './key-ring.ts';
import { openSealedKeyRing } from './sealed-keys.ts';

type RingSettings = {
  dataDir: string;
  /** Newest first; they replace the stored keys. */
  tokenKeys: readonly { kid: string; secret: Buffer }[];
  /** `GUIDEPOST_SECRET`, newest first; empty if keys are in a file. */
  secrets: readonly string[];
};

/**
 * Opens the ring of the database, from the key file or from the sealed keys.
 * The database stores the id of its ring, so that a missing key file is noticed before a new ring replaces it.
 * @throws KeyRingRefused when the keys are missing, are another database's, or may have been read by others.
 */
export async function openRing(
  { keyRingId, sealedKeys }: Pick<Store, 'keyRingId' | 'sealedKeys'>,
  { dataDir, tokenKeys: configured, secrets }: RingSettings,
  nowMillis: number,
): Promise<KeyRing> {
  const expectedId = await keyRingId.get();
  if (secrets.length === 0 && (await sealedKeys.get()) !== undefined)
    throw new KeyRingRefused('the keys of this database are sealed in it: set GUIDEPOST_SECRET');
  const ring =
    secrets.length === 0
      ? openKeyRing(dataDir, configured, nowMillis, expectedId)
      : await openSealedKeyRing({ sealedKeys, secrets, dataDir, configured, nowMillis, expectedId });
  if (expectedId === undefined) await keyRingId.set(ring.id);
  return ring;
}
