import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { NewPasskey } from '../../contract/second-factors.ts';
import type { PasskeySignature } from '../../contract/sign-in-factors.ts';

/** An authenticator with one passkey, as a browser and its platform would answer. */

export type Authenticator = {
  id: string;
  create(options: { challenge: string; rp: { id: string } }): Omit<NewPasskey, 'name'>;
  sign(options: { challenge: string; rpId: string }): PasskeySignature;
};

/** What an attack changes. `step` is by how much the counter grows; 0 as that of synchronized passkeys. */
type Made = { origin: string; isVerified?: boolean; step?: number; userHandle?: string };

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest();
const encode = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

export function createAuthenticator(made: Made): Authenticator & { made: Made } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counter = 0;

  const toData = (rpId: string, flags: number, credential: Uint8Array = Buffer.alloc(0)) => {
    counter += made.step ?? 0;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const verified = made.isVerified === false ? 0 : USER_VERIFIED;
    return Buffer.concat([sha256(rpId), Buffer.from([flags | USER_PRESENT | verified]), count, credential]);
  };
  const toClientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: made.origin, crossOrigin: false }));

  return {
    made,
    id: encode(id),
    create({ challenge, rp }) {
      const { x, y } = publicKey.export({ format: 'jwk' });
      const key = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x!, 'base64url')],
        [-3, Buffer.from(y!, 'base64url')],
      ]);
      const credential = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        isoCBOR.encode(key as never),
      ]);
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(toData(rp.id, HAS_CREDENTIAL, credential))],
      ]);
      return {
        id: encode(id),
        clientDataJSON: encode(toClientData('webauthn.create', challenge)),
        attestationObject: encode(isoCBOR.encode(attestation as never)),
        transports: ['internal'],
      };
    },
    sign({ challenge, rpId }) {
      const clientData = toClientData('webauthn.get', challenge);
      const data = toData(rpId, 0);
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(clientData)]))
        .sign(privateKey);
      return {
        id: encode(id),
        clientDataJSON: encode(clientData),
        authenticatorData: encode(data),
        signature: encode(signature),
        ...(made.userHandle !== undefined && { userHandle: made.userHandle }),
      };
    },
  };
}
