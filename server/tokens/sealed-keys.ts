import { existsSync } from 'node:fs';
import type { Store } from '../storage/store.ts';
import {
  type AddedKey,
  addKey,
  createKeyRing,
  getRingId,
  type KeyRing,
  KeyRingRefused,
  keyFileIn,
  newRingKeys,
  REMEDY,
  type RingKeys,
  readKeyFile,
  ringKeys,
} from './key-ring.ts';
import { deriveSealKey, openText, sealText } from './sealed-text.ts';

/** A key ring that nodes share: stored in the database, encrypted under a secret of the nodes. */
type SealedKeysDeps = {
  sealedKeys: Store['sealedKeys'];
  /** `GUIDEPOST_SECRET`, newest first. The first secret seals the keys; any of them opens the keys. */
  secrets: readonly string[];
};

/**
 * Opens the ring. If the database has no keys yet, seals those of the key file in it, or new keys if there is no file.
 * @throws KeyRingRefused when the keys cannot be opened with these secrets, or are not those of the database.
 */
export async function openSealedKeyRing(
  deps: SealedKeysDeps & {
    dataDir: string;
    configured: readonly { kid: string; secret: Buffer }[];
    expectedId: string | undefined;
    nowMillis: number;
  },
): Promise<KeyRing> {
  const { sealedKeys, secrets, expectedId } = deps;
  let text = await sealedKeys.get();
  if (text === undefined) {
    const first = await seal(findFirstKeys(deps), secrets);
    // When several nodes start together, one stores its keys and the others use these.
    text = (await sealedKeys.replace(undefined, first)) === 'replaced' ? first : (await sealedKeys.get())!;
  }
  const opened = await unseal(text, secrets);
  if (expectedId !== undefined && getRingId(opened.keys) !== expectedId)
    throw new KeyRingRefused(`the sealed keys are those of another database. ${REMEDY}`);
  if (opened.isOutdated) {
    const resealed = await seal(opened.keys, secrets);
    if ((await sealedKeys.replace(text, resealed)) === 'replaced') text = resealed;
  }
  return createKeyRing(opened.keys, deps.configured, async () => {
    const changed = await sealedKeys.get();
    if (changed === undefined || changed === text) return undefined;
    const { keys } = await unseal(changed, secrets);
    text = changed;
    return keys;
  });
}

function findFirstKeys({
  dataDir,
  expectedId,
  nowMillis,
}: {
  dataDir: string;
  expectedId: string | undefined;
  nowMillis: number;
}): RingKeys {
  const path = keyFileIn(dataDir);
  if (existsSync(path)) return readKeyFile(path);
  if (expectedId === undefined) return newRingKeys(nowMillis);
  throw new KeyRingRefused(
    `the keys of this database are neither sealed in it nor in ${path}: start once with them`,
  );
}

/** Adds a signing key, which every node reads before the key begins to sign. */
export async function rotateSealedKeys(
  { sealedKeys, secrets }: SealedKeysDeps,
  nowMillis: number,
): Promise<AddedKey> {
  for (;;) {
    const text = await sealedKeys.get();
    if (text === undefined)
      throw new KeyRingRefused('the database has no sealed keys yet: start the server once');
    const { keys, added } = addKey((await unseal(text, secrets)).keys, nowMillis);
    if ((await sealedKeys.replace(text, await seal(keys, secrets))) === 'replaced') return added;
  }
}

/** Replaces keys that can no longer be opened with new ones. Returns the id of the new ring. */
export async function resetSealedKeys(
  { sealedKeys, secrets }: SealedKeysDeps,
  nowMillis: number,
): Promise<string> {
  const keys = newRingKeys(nowMillis);
  while ((await sealedKeys.replace(await sealedKeys.get(), await seal(keys, secrets))) === 'conflict');
  return getRingId(keys);
}

/** Returns the id of the sealed ring. @throws KeyRingRefused when these secrets do not open it. */
export async function readSealedRingId({ sealedKeys, secrets }: SealedKeysDeps): Promise<string | undefined> {
  const text = await sealedKeys.get();
  return text === undefined ? undefined : getRingId((await unseal(text, secrets)).keys);
}

const toKey = (secret: string) => deriveSealKey(secret, 'guidepost key ring');

const seal = (keys: RingKeys, [secret]: readonly string[]): Promise<string> =>
  sealText(JSON.stringify(keys), toKey(secret!));

async function unseal(
  text: string,
  secrets: readonly string[],
): Promise<{ keys: RingKeys; isOutdated: boolean }> {
  for (const [index, secret] of secrets.entries()) {
    const opened = await openText(text, toKey(secret));
    if (opened !== undefined) return { keys: ringKeys.parse(JSON.parse(opened)), isOutdated: index > 0 };
  }
  throw new KeyRingRefused(
    'GUIDEPOST_SECRET is not the secret that the keys of this database are sealed with. Set that one; several may stand after one another, newest first',
  );
}
