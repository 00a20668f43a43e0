import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { hashToken } from '../../server/tokens/session-cookie.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { expectError } from '../support/response.ts';
import { addPerson, browserAt, PASSWORD } from '../support/signed-in-client.ts';
import { joinUnproved } from '../support/team.ts';

const NEW_PASSWORD = 'eleven green lamps at dusk';
const OWNER = 'ada@shop.example';
const MINUTE = 60_000;

let server: MailServer;
let harness: Harness;

beforeAll(async () => {
  server = await openMailServer();
  harness = await openHarness({
    env: {
      SMTP_URL: server.url,
      MAIL_FROM: 'guide@shop.example',
      PUBLIC_URL: 'http://guide.example',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  await addPerson(harness, OWNER);
});
afterAll(async () => {
  await harness.close();
  await server.close();
});
beforeEach(() => {
  // Requests are rate-limited by network and by address.
  harness.clock.advance(61 * MINUTE);
  server.mails.length = 0;
});

const request = (email: string, headers = {}) =>
  browserAt(harness).post('/api/password-resets', { email }, headers);
const check = (token: string) =>
  browserAt(harness).get('/api/password-resets', { 'x-guidepost-link': token });
const complete = (token: string, newPassword = NEW_PASSWORD) =>
  browserAt(harness).put('/api/password-resets', { token, newPassword });

async function sendAll(): Promise<void> {
  harness.clock.advance(1_000);
  await harness.service.tick();
}

/** Requests a link and returns the token of the mail. */
async function receiveToken(email = OWNER): Promise<string> {
  server.mails.length = 0;
  expect((await request(email)).status).toBe(202);
  await sendAll();
  return server.mails.flatMap(({ text }) => /#token=([\w-]+)/.exec(text!)?.[1] ?? []).at(-1)!;
}

describe('POST /api/password-resets', () => {
  it("mails a link in the reader's language, and stores its token as a digest only", async () => {
    await request('Ada@Shop.example', { 'accept-language': 'fr-CH, de;q=0.5' });
    await sendAll();
    const [mail] = server.mails;
    expect(mail).toMatchObject({ subject: 'Choisir un nouveau mot de passe pour Guidepost' });
    const token = /http:\/\/guide\.example\/dashboard\/password#token=([\w-]{43})/.exec(mail!.text!)![1]!;
    expect((await check(token)).json).toMatchObject({ email: OWNER });
    const stored = await harness.service.store.passwordResets.find(hashToken(token), harness.clock.now());
    expect(stored).toBeDefined();
  });

  it('answers alike for an address without an account, to which it mails nothing', async () => {
    const [known, unknown] = [await request(OWNER), await request('nobody@shop.example')];
    const shown = ({ status, json, headers }: typeof known) => [
      status,
      json,
      headers.get('ratelimit-policy'),
    ];
    expect(shown(unknown)).toEqual(shown(known));
    // The request stores the same rows; only the sender looks for an account.
    await sendAll();
    expect(server.recipients.at(-1)).toEqual([OWNER]);
    expect(server.mails).toHaveLength(1);
    expect(JSON.stringify(harness.logged)).not.toContain('nobody@');
  });

  it('limits requests for an address and from a network', async () => {
    const { points } = BUCKETS['session/account-resets'];
    for (let count = 0; count < points; count += 1)
      expect((await request('eve@shop.example')).status).toBe(202);
    const limited = await request('Eve@shop.example');
    expectError(limited, 'rate_limit/exceeded');
    expect(limited.json).toMatchObject({ bucket: 'session/account-resets' });
    for (let count = points; count < BUCKETS['session/network-resets'].points; count += 1)
      await request(`person${count}@shop.example`);
    expect((await request('one-more@shop.example')).json).toMatchObject({
      bucket: 'session/network-resets',
    });
    const elsewhere = await request('one-more@shop.example', { 'x-forwarded-for': '203.0.113.9' });
    expect(elsewhere.status).toBe(202);
  });

  it('says so where the service sends no mail', async () => {
    const silent = await openHarness();
    expectError(
      await browserAt(silent).post('/api/password-resets', { email: OWNER }),
      'mail/not_configured',
    );
    await silent.close();
  });
});

describe('PUT /api/password-resets', () => {
  it('sets the password once, ends all sessions, tells the audit and the owner', async () => {
    const signedIn = browserAt(harness);
    await signedIn.signIn(OWNER);
    const [first, second] = [await receiveToken(), await receiveToken()];
    expect((await complete(second)).status).toBe(200);
    expectError(await signedIn.get('/api/session'), 'session/unauthorized');
    expectError(await browserAt(harness).signIn(OWNER, PASSWORD), 'session/wrong_credentials');
    expect((await browserAt(harness).signIn(OWNER, NEW_PASSWORD)).status).toBe(200);
    for (const token of [first, second]) {
      expectError(await check(token), 'password_reset/not_found');
      expectError(await complete(token), 'password_reset/not_found');
    }
    const [row] = (await harness.service.store.in(harness.workspace.id).audit.list(5)).filter(
      ({ action }) => action === 'password.reset',
    );
    expect(row).toMatchObject({ device: 'Firefox on Linux', network: '127.0.0.0/24' });
    await sendAll();
    expect(server.mails.map(({ subject }) => subject)).toContain('Your Guidepost password was changed');
  });

  it('proves the address, which an invitation does not', async () => {
    await joinUnproved(harness, harness.workspace, 'ines@shop.example');
    await complete(await receiveToken('ines@shop.example'));
    const accounts = await harness.service.store.users.listByEmail('ines@shop.example');
    expect(accounts).toHaveLength(1);
    expect(accounts[0]!.addressProvedAt).toBeDefined();
  });

  it('rejects an easy password, and keeps the link', async () => {
    const token = await receiveToken();
    const refused = await complete(token, 'password');
    expect(refused.json).toMatchObject({ issues: [{ path: 'body.newPassword', code: 'too_short' }] });
    expect((await check(token)).status).toBe(200);
  });

  it('rejects a link after thirty minutes', async () => {
    const token = await receiveToken();
    harness.clock.advance(30 * MINUTE);
    expectError(await check(token), 'password_reset/not_found');
    expectError(await complete(token), 'password_reset/not_found');
  });

  it('lets one of two requests with the same link win', async () => {
    const token = await receiveToken();
    const statuses = await Promise.all([complete(token), complete(token)]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 404]);
  });
});
