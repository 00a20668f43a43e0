import { hkdfSync, type KeyObject } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Encrypts short texts at rest, as JWE. */

export const deriveSealKey = (secret: string | KeyObject, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));

export function sealText(text: string, key: Uint8Array): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(key);
}

/** Returns undefined when the text was sealed with another key, or changed since. */
export async function openText(sealed: string, key: Uint8Array): Promise<string | undefined> {
  const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
  const opened = await compactDecrypt(sealed, key, options).catch(() => undefined);
  return opened && new TextDecoder().decode(opened.plaintext);
}

export type SecretBox = ReturnType<typeof createSecretBox>;

/** Seals secrets that a workspace stores, each for its owner, such as a source, alone. A copy of the database opens none. */
export function createSecretBox(key: KeyObject) {
  const keyFor = (owner: string) => deriveSealKey(key, `guidepost secret of ${owner}`);
  return {
    seal: (text: string, owner: string) => sealText(text, keyFor(owner)),
    /** Returns undefined for a secret of another owner or key ring. */
    open: (sealed: string, owner: string) => openText(sealed, keyFor(owner)),
  };
}

/** The owner of a model's API key: another workspace or address cannot open it. */
export const toKeyOwner = (workspaceId: string, baseUrl: string) => `model of ${workspaceId} at ${baseUrl}`;
