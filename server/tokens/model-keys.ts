import { CompactEncrypt, compactDecrypt } from 'jose';

/** Encrypts the API keys of workspaces' language models. A key opens only for the workspace and the address that it was stored for. */
export type ModelKeys = {
  seal(apiKey: string, owner: KeyOwner): Promise<string>;
  /** Undefined if the key was sealed for another owner, or with keys that were lost since. */
  open(sealed: string, owner: KeyOwner): Promise<string | undefined>;
};

type KeyOwner = { workspaceId: string; baseUrl: string };

const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };

/** @param secret 32 bytes */
export function createModelKeys(secret: Uint8Array): ModelKeys {
  return {
    // The header is authenticated with the key, so a row that is copied elsewhere does not open.
    seal: (apiKey, { workspaceId, baseUrl }) =>
      new CompactEncrypt(new TextEncoder().encode(apiKey))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', sub: workspaceId, aud: baseUrl })
        .encrypt(secret),

    async open(sealed, { workspaceId, baseUrl }) {
      const opened = await compactDecrypt(sealed, secret, ALGORITHMS).catch(() => undefined);
      if (opened?.protectedHeader.sub !== workspaceId || opened.protectedHeader.aud !== baseUrl)
        return undefined;
      return new TextDecoder().decode(opened.plaintext);
    },
  };
}
