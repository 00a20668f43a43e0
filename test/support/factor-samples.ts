import { newId } from '../../server/base/ids.ts';
import type { FactorChallenge } from '../../server/storage/factors.ts';
import { hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { createAuthenticator } from './authenticator.ts';
import type { Harness } from './harness.ts';
import { appOf, originOf } from './second-factors.ts';
import type { MemberClient } from './team.ts';

/** Valid requests about second factors: the state that each needs is stored first. */

type Signed = { harness: Harness; memberClient: MemberClient };

const RECOVERY_CODE = 'K7Q29XTM4HVCB3RW';
const newDevice = (harness: Harness) => createAuthenticator({ origin: originOf(harness) });

const toChange = ({ harness: { clock }, memberClient }: Signed, codeHashes: readonly string[]) => ({
  sessionId: newId('ses'),
  codeHashes,
  audit: (_: string, memberId: string) => ({
    ...{ id: newId('aud'), atMillis: clock.now(), actor: memberId, details: {} },
    ...{ action: 'factor.added', subject: memberClient.userId },
  }),
});

/** Gives the account an app and a recovery code. */
export async function addStoredApp(signed: Signed): Promise<void> {
  const { harness, memberClient } = signed;
  const app = { userId: memberClient.userId, sealedSecret: 'sealed', lastPeriod: 0, createdAt: 0 };
  await harness.service.store.factors.putApp(app, toChange(signed, [hashToken(RECOVERY_CODE)]));
}

async function addStoredPasskey(signed: Signed) {
  const { harness, memberClient } = signed;
  const device = newDevice(harness);
  const { json, headers } =
    await memberClient.post<Parameters<typeof device.create>[0]>('/api/passkey-options');
  const cookie = headers.getSetCookie()[0]!.split(';')[0]!;
  return { body: { name: 'Laptop', ...device.create(json) }, headers: { cookie }, device };
}

/** Stores a passkey that signs nothing. */
async function addIdlePasskey(signed: Signed): Promise<string> {
  const { harness, memberClient } = signed;
  const id = newId('pky');
  const passkey = {
    ...{ id, userId: memberClient.userId, credentialId: id, publicKey: 'key', counter: 0 },
    ...{ transports: '[]', name: 'Laptop', createdAt: harness.clock.now() },
  };
  await harness.service.store.factors.addPasskey(passkey, 10, toChange(signed, []));
  return id;
}

/** Begins a step in the browser that sends the returned cookie. */
async function begin({ harness }: Signed, step: Pick<FactorChallenge, 'purpose'> & Partial<FactorChallenge>) {
  const token = makeSessionToken();
  const now = harness.clock.now();
  await harness.service.store.factors.addChallenge(
    {
      challenge: 'Y2hhbGxlbmdl',
      isNewDevice: false,
      ...step,
      tokenHash: hashToken(token),
      expiresAt: now + 300_000,
    },
    now,
  );
  const prefix = harness.service.baseUrl().startsWith('https:') ? '__Host-' : '';
  return { headers: { cookie: `${prefix}gp_challenge=${token}` } };
}

async function beginSecondStep(signed: Signed) {
  await addStoredApp(signed);
  const { userId } = signed.memberClient;
  const user = await signed.harness.service.store.users.find(userId);
  return begin(signed, { purpose: 'second_step', userId, verifiedHash: user!.passwordHash });
}

export const factorSamples = {
  addPasskey: async (signed: Signed) => {
    const { device: _, ...sample } = await addStoredPasskey(signed);
    return sample;
  },
  renamePasskey: async (signed: Signed) => ({
    path: `/api/passkeys/${await addIdlePasskey(signed)}`,
    body: { name: 'Phone' },
  }),
  removePasskey: async (signed: Signed) => ({ path: `/api/passkeys/${await addIdlePasskey(signed)}` }),
  addAuthenticatorApp: async ({ harness, memberClient }: Signed) => {
    const { json, headers } = await memberClient.post<{ secret: string }>('/api/authenticator-app/options');
    const cookie = headers.getSetCookie()[0]!.split(';')[0]!;
    return { body: { code: appOf(harness, json.secret).code() }, headers: { cookie } };
  },
  removeAuthenticatorApp: async (signed: Signed) => {
    await addStoredApp(signed);
    return {};
  },
  renewRecoveryCodes: async (signed: Signed) => {
    await addStoredApp(signed);
    return {};
  },
  signInWithPasskey: async (signed: Signed) => {
    const { harness, memberClient } = signed;
    const { device, body, headers } = await addStoredPasskey(signed);
    const cookie = `${memberClient.cookie}; ${headers.cookie}`;
    const sent = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
    await fetch(`${harness.baseUrl}/api/passkeys`, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(body),
    });
    const challenge = makeSessionToken();
    return {
      ...(await begin(signed, { purpose: 'passkey_sign_in', challenge })),
      body: device.sign({ challenge, rpId: 'localhost' }),
    };
  },
  readSecondStep: beginSecondStep,
  completeSignIn: async (signed: Signed) => ({
    ...(await beginSecondStep(signed)),
    body: { code: RECOVERY_CODE },
  }),
};
