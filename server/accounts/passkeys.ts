import { randomBytes } from 'node:crypto';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import type { NewPasskey } from '../../contract/second-factors.ts';
import type { PasskeyRequest, PasskeySignature } from '../../contract/sign-in-factors.ts';
import { once } from '../base/cache.ts';
import type { Passkey } from '../storage/factors.ts';

/** Web Authentication. The service takes only passkeys that name their user and verify them by a PIN or a finger. */

/** Loaded when the first passkey is used: it is large. */
const loadLibrary = once(() => import('@simplewebauthn/server'));
const loadHelpers = once(() => import('@simplewebauthn/server/helpers'));

/** EdDSA, ES256 and RS256, by their COSE numbers. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MILLIS = ACCOUNT_LIMITS.factorStepSeconds * 1000;
const NAME = 'Guidepost';

export const makePasskeyChallenge = (): string => randomBytes(32).toString('base64url');

/** What passkeys are bound to. Browsers take no IP address, so the machine itself is `localhost`. */
export function getRelyingParty(baseUrl: string): { id: string; origin: string } {
  const url = new URL(baseUrl);
  if (url.hostname === '127.0.0.1' || url.hostname === '[::1]') url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin };
}

const describePasskey = ({ credentialId, transports }: Passkey) => ({
  type: 'public-key' as const,
  id: credentialId,
  transports: JSON.parse(transports) as string[],
});

export function toPasskeyCreation(
  baseUrl: string,
  user: { id: string; email: string },
  challenge: string,
  known: readonly Passkey[],
) {
  return {
    rp: { id: getRelyingParty(baseUrl).id, name: NAME },
    user: { id: toUserHandle(user.id), name: user.email, displayName: user.email },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: TIMEOUT_MILLIS,
    excludeCredentials: known.map(describePasskey),
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true as const,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
  };
}

/** Without `known`, the authenticator offers every passkey that it has for this service. */
export function toPasskeyRequest(
  baseUrl: string,
  challenge: string,
  known?: readonly Passkey[],
): PasskeyRequest {
  return {
    challenge,
    rpId: getRelyingParty(baseUrl).id,
    timeout: TIMEOUT_MILLIS,
    ...(known && { allowCredentials: known.map(describePasskey) }),
    userVerification: 'required',
  };
}

const toUserHandle = (userId: string) => Buffer.from(userId).toString('base64url');

type Expected = { baseUrl: string; challenge: string };

/** Returns what to store of a passkey that the browser has made; undefined if it proves nothing. */
export async function verifyNewPasskey(
  { id, clientDataJSON, attestationObject, transports = [] }: NewPasskey,
  { baseUrl, challenge }: Expected,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> | undefined> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
    loadLibrary(),
    loadHelpers(),
  ]);
  const { id: expectedRPID, origin } = getRelyingParty(baseUrl);
  try {
    // The library would fetch addresses in the certificates of an attestation, which was not asked for.
    const { size } = decodeAttestationObject(Buffer.from(attestationObject, 'base64url')).get('attStmt');
    if (size > 0) return undefined;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) return undefined;
    const { publicKey, counter, id: credentialId } = registrationInfo.credential;
    return {
      credentialId,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: JSON.stringify(transports),
    };
  } catch {
    return undefined;
  }
}

/** Returns how often the passkey has signed; undefined if this signature proves nothing or the passkey is a copy. */
export async function verifySignature(
  { id, clientDataJSON, authenticatorData, signature, userHandle }: PasskeySignature,
  { credentialId, publicKey, counter, userId }: Passkey,
  { baseUrl, challenge }: Expected,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { id: expectedRPID, origin } = getRelyingParty(baseUrl);
  if (userHandle !== undefined && userHandle !== toUserHandle(userId)) return undefined;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID,
      credential: { id: credentialId, publicKey: Buffer.from(publicKey, 'base64url'), counter },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
