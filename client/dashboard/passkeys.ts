import { isGuideError } from '../sdk/errors.ts';
import type { NewPasskey, PasskeyCreation, PasskeyRequest, PasskeySignature } from '../sdk/types.ts';

/** Browsers create passkeys on https pages and on localhost, and never for an IP address. */
export const canUsePasskeys =
  'PublicKeyCredential' in globalThis && !/^[\d.]+$|^\[/.test(globalThis.location?.hostname ?? '');

const load = () => import('@simplewebauthn/browser');

/** Whether the browser offers passkeys among the addresses that it fills in. */
export const canFillInPasskeys = async () =>
  canUsePasskeys && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;

/** With `isFilledIn`, waits until the user picks a passkey in the e-mail field, or until another request ends this one. */
export async function signWithPasskey(
  request: PasskeyRequest,
  isFilledIn = false,
): Promise<PasskeySignature> {
  const { startAuthentication } = await load();
  const { id, response } = await startAuthentication({
    optionsJSON: toLibrary(request),
    useBrowserAutofill: isFilledIn,
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return { id, clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) };
}

/** Ends a request that waits. */
export const endPasskeyRequest = async () => (await load()).WebAuthnAbortService.cancelCeremony();

export async function createPasskey(creation: PasskeyCreation): Promise<Omit<NewPasskey, 'name'>> {
  const { startRegistration } = await load();
  const { id, response } = await startRegistration({ optionsJSON: toLibrary(creation) });
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, clientDataJSON, attestationObject, ...(transports && { transports }) };
}

/** Their types differ in what the browser alone limits, such as the transports. */
const toLibrary = <T>(options: object) => options as T;

/** Whether the browser or its user ended it, which the service knows nothing of. */
export const isPasskeyError = (error: unknown) => !isGuideError(error);
