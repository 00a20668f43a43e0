import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { SecondStep } from '../../contract/sign-in-factors.ts';
import { toTotpCode } from '../../server/accounts/totp.ts';
import type { createAuthenticator } from './authenticator.ts';
import type { Harness } from './harness.ts';
import { expectError } from './response.ts';
import type { Browser } from './signed-in-client.ts';

/** Set-ups of second factors through the interface. The browser has a fresh session. */

export type Device = ReturnType<typeof createAuthenticator>;
type Added = { passkey: { id: string }; recoveryCodes?: string[] };
type Creation = Parameters<Device['create']>[0];

/** Where browsers reach the service: passkeys take no IP address. */
export const originOf = ({ baseUrl }: Pick<Harness, 'baseUrl'>) => baseUrl.replace('127.0.0.1', 'localhost');

export async function addPasskey(browser: Browser, device: Device, name = 'Laptop') {
  const { json } = await browser.post<Creation>('/api/passkey-options', undefined);
  return browser.post<Added>('/api/passkeys', { name, ...device.create(json) });
}

/** An app as a phone has it: it knows the secret and the time. */
export type App = { code(): string };

/** Returns the app that knows a secret in base32. */
export const appOf = ({ clock }: Harness, secret: string): App => ({
  code: () => toTotpCode(fromBase32(secret), clock.now()),
});

export async function addApp(
  harness: Harness,
  browser: Browser,
): Promise<{ app: App; codes: string[]; used: string }> {
  const { json } = await browser.post<{ secret: string; uri: string }>(
    '/api/authenticator-app/options',
    undefined,
  );
  const app = appOf(harness, json.secret);
  const used = app.code();
  const added = await browser.put<{ recoveryCodes?: string[] }>('/api/authenticator-app', {
    code: used,
  });
  expect(added.status).toBe(200);
  return { app, codes: added.json.recoveryCodes ?? [], used };
}

function fromBase32(text: string): string {
  const bits = [...text].map((char) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g)!;
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString('base64url');
}

/** Enters the password, which is right, and returns what is asked next. */
export async function enterPassword(browser: Browser, email: string): Promise<SecondStep> {
  expectError(await browser.signIn(email), 'session/second_factor_asked');
  return (await browser.get<SecondStep>('/api/session/factor')).json;
}

/**
 * Gives the browser an authenticator that verifies its user, as a laptop with a fingerprint reader does. While somebody touches
 * it, the browser also takes each passkey that a page offers to fill in.
 */
export async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    touch: (enabled: boolean) =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  };
}
