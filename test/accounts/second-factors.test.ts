import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { SecondFactors } from '../../contract/second-factors.ts';
import type { SessionState } from '../../contract/session.ts';
import type { PasskeyRequest } from '../../contract/sign-in-factors.ts';
import { newId } from '../../server/base/ids.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { expectError } from '../support/response.ts';
import { addApp, addPasskey, enterPassword, originOf } from '../support/second-factors.ts';
import { addPerson, type Browser, browserAt, PASSWORD } from '../support/signed-in-client.ts';
import { joinUnproved, openAutomation, openSessionOf } from '../support/team.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let server: MailServer;
let harness: Harness;
let people = 0;

beforeAll(async () => {
  server = await openMailServer();
  harness = await openHarness({ env: { SMTP_URL: server.url, MAIL_FROM: 'guide@shop.example' } });
});
afterAll(async () => {
  await harness.close();
  await server.close();
});
// Attempts are rate-limited.
beforeEach(() => harness.clock.advance(HOUR));

type Account = { email: string; userId: string; memberId: string; browser: Browser };

async function signedIn(
  role: 'owner' | 'admin' | 'member' = 'owner',
  workspaceId?: string,
): Promise<Account> {
  people += 1;
  const person = await addPerson(harness, `person${people}@shop.example`, {
    role,
    ...(workspaceId !== undefined && { workspaceId }),
  });
  const browser = browserAt(harness);
  expect((await browser.signIn(person.email)).status).toBe(200);
  return { ...person, browser };
}

const newDevice = (made: Partial<Parameters<typeof createAuthenticator>[0]> = {}) =>
  createAuthenticator({ origin: originOf(harness), ...made });
const factorsOf = async ({ get }: Browser) => (await get<SecondFactors>('/api/second-factors')).json;
const startPasskey = async (browser: Browser) =>
  (await browser.post<PasskeyRequest>('/api/session/passkey/options', undefined)).json;
const complete = (browser: Browser, proof: object) =>
  browser.post<SessionState>('/api/session/factor', proof);
const confirm = (browser: Browser, proof: object) =>
  browser.post<SessionState>('/api/session/confirm', proof);
const nextPeriod = () => harness.clock.advance(30_000);
const actionsIn = async (count: number) =>
  (await harness.service.store.in(harness.workspace.id).audit.list(count)).map(({ action }) => action);

async function receive(): Promise<string[]> {
  harness.clock.advance(1_000);
  await harness.service.tick();
  return server.mails.splice(0).map(({ subject, text }) => `${subject}\n${text}`);
}

describe('a passkey', () => {
  it('signs in alone, and says so in the session', async () => {
    const { browser, email } = await signedIn();
    const device = newDevice();
    await receive();
    const added = await addPasskey(browser, device);
    expect(added.status).toBe(201);
    expect(added.json.recoveryCodes).toHaveLength(ACCOUNT_LIMITS.recoveryCodes);
    expect(await actionsIn(1)).toEqual(['factor.added']);
    const [mail] = await receive();
    expect(mail).toContain('Second factor added');
    expect(mail).toContain('Laptop');

    const stranger = browserAt(harness);
    const options = await startPasskey(stranger);
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options.allowCredentials).toBeUndefined();
    const { status, json } = await stranger.post<SessionState>('/api/session/passkey', device.sign(options));
    expect(status).toBe(200);
    expect(json).toMatchObject({
      email,
      signedInWith: 'passkey',
      factor: 'passkey',
      secondFactors: ['passkey'],
    });
    expect(stranger.challenge).toBe('');
    const { data } = (await stranger.get<{ data: object[] }>('/api/sessions')).json;
    expect(data[0]).toMatchObject({ signedInWith: 'passkey', factor: 'passkey', current: true });
    const { passkeys } = await factorsOf(stranger);
    expect(passkeys).toMatchObject([{ name: 'Laptop', lastUsedAt: expect.any(String) }]);
  });

  it('is asked for after the password, and no session opens before', async () => {
    const { browser, email } = await signedIn();
    const device = newDevice();
    await addPasskey(browser, device);
    const other = browserAt(harness);
    const step = await enterPassword(other, email);
    expect(step).toMatchObject({ factors: ['passkey'] });
    expect(step.passkeyRequest!.allowCredentials).toMatchObject([{ id: device.id }]);
    expect(other.cookie).toBe('');
    expectError(await other.get('/api/session'), 'session/unauthorized');
    const { status, json } = await complete(other, { passkey: device.sign(step.passkeyRequest!) });
    expect(status).toBe(200);
    expect(json).toMatchObject({ signedInWith: 'password', factor: 'passkey' });
  });

  it('can be renamed and removed by its user alone', async () => {
    const [ada, grace] = [await signedIn(), await signedIn()];
    const { passkey, recoveryCodes } = (await addPasskey(ada.browser, newDevice())).json;
    expect(recoveryCodes).toBeDefined();
    const path = `/api/passkeys/${passkey.id}`;
    expectError(await grace.browser.patch(path, { name: 'Mine' }), 'passkey/not_found');
    expectError(await grace.browser.delete(path), 'passkey/not_found');
    expect((await ada.browser.patch(path, { name: '  Work  laptop ' })).json).toMatchObject({
      name: 'Work laptop',
    });
    expectError(await ada.browser.patch(path, { name: ' ' }), 'request/invalid');
    await receive();
    expect((await ada.browser.delete(path)).status).toBe(200);
    expect(await factorsOf(ada.browser)).toEqual({ passkeys: [], recoveryCodesLeft: 0, required: false });
    expect((await receive())[0]).toContain('Second factor removed');
    expect((await browserAt(harness).signIn(ada.email)).status).toBe(200);
  });

  it('is refused where it was added before, and beyond the limit', async () => {
    const [ada, grace] = [await signedIn(), await signedIn()];
    const device = newDevice();
    await addPasskey(ada.browser, device);
    expectError(await addPasskey(grace.browser, device), 'passkey/taken');
    for (let at = 1; at < ACCOUNT_LIMITS.passkeysMax; at += 1)
      expect((await addPasskey(ada.browser, newDevice())).status).toBe(201);
    expectError(await addPasskey(ada.browser, newDevice()), 'passkey/too_many');
  });

  it('is refused from another origin, for another service, and without verification of its user', async () => {
    const { browser } = await signedIn();
    const elsewhere = newDevice({ origin: 'https://evil.example' });
    expectError(await addPasskey(browser, elsewhere), 'session/wrong_factor');
    expectError(await addPasskey(browser, newDevice({ isVerified: false })), 'session/wrong_factor');
    const device = newDevice();
    await addPasskey(browser, device);
    const signIn = async (change: () => void, rpId = 'localhost') => {
      const stranger = browserAt(harness);
      const { challenge } = await startPasskey(stranger);
      change();
      return stranger.post('/api/session/passkey', device.sign({ challenge, rpId }));
    };
    const reset = () => Object.assign(device.made, { origin: originOf(harness), isVerified: true });
    expectError(
      await signIn(() => Object.assign(device.made, { origin: 'https://evil.example' })),
      'session/wrong_factor',
    );
    expectError(await signIn(reset, 'evil.example'), 'session/wrong_factor');
    expectError(
      await signIn(() => Object.assign(device.made, { isVerified: false })),
      'session/wrong_factor',
    );
    expectError(
      await signIn(() => Object.assign(reset(), { userHandle: 'somebody' })),
      'session/wrong_factor',
    );
    delete device.made.userHandle;
    expect((await signIn(reset)).status).toBe(200);
  });

  it('is refused with a challenge that was used, has expired, or was given to another browser', async () => {
    const { browser } = await signedIn();
    const device = newDevice();
    await addPasskey(browser, device);
    const [here, there] = [browserAt(harness), browserAt(harness)];
    const options = await startPasskey(here);
    const { challenge } = here;
    const signature = device.sign(options);
    expectError(await there.post('/api/session/passkey', signature), 'session/step_ended');
    await startPasskey(there);
    expectError(await there.post('/api/session/passkey', signature), 'session/wrong_factor');
    expect((await here.post('/api/session/passkey', signature)).status).toBe(200);
    here.challenge = challenge;
    expectError(await here.post('/api/session/passkey', signature), 'session/step_ended');
    const late = device.sign(await startPasskey(here));
    harness.clock.advance(ACCOUNT_LIMITS.factorStepSeconds * 1000);
    expectError(await here.post('/api/session/passkey', late), 'session/step_ended');
  });

  it('of another user does not complete a sign-in and does not confirm a session', async () => {
    const [ada, mallory] = [await signedIn(), await signedIn()];
    const [own, foreign] = [newDevice(), newDevice()];
    await addPasskey(ada.browser, own);
    await addPasskey(mallory.browser, foreign);
    const stranger = browserAt(harness);
    const step = await enterPassword(stranger, ada.email);
    const forged = foreign.sign(step.passkeyRequest!);
    expectError(await complete(stranger, { passkey: forged }), 'session/wrong_factor');
    // The attempt has ended the step.
    expectError(await complete(stranger, { passkey: own.sign(step.passkeyRequest!) }), 'session/step_ended');
    const options = await startPasskey(ada.browser);
    expectError(await confirm(ada.browser, { passkey: foreign.sign(options) }), 'session/wrong_factor');
  });

  it('is refused once a copy of it has signed', async () => {
    const { browser } = await signedIn();
    const device = newDevice({ step: 1 });
    await addPasskey(browser, device);
    const signIn = async () => {
      const stranger = browserAt(harness);
      return stranger.post('/api/session/passkey', device.sign(await startPasskey(stranger)));
    };
    expect((await signIn()).status).toBe(200);
    device.made.step = 0;
    expectError(await signIn(), 'session/wrong_factor');
    await harness.service.tick();
    expect(await actionsIn(5)).toContain('session.factor_failed');
  });

  it('cannot be added with a step that another user has begun in the same browser', async () => {
    const [ada, mallory] = [await signedIn(), await signedIn()];
    const { json } = await mallory.browser.post<never>('/api/passkey-options', undefined);
    ada.browser.challenge = mallory.browser.challenge;
    const body = { name: 'Planted', ...newDevice().create(json) };
    expectError(await ada.browser.post('/api/passkeys', body), 'session/step_ended');
    ada.browser.challenge = '';
    expectError(await ada.browser.put('/api/authenticator-app', { code: '123456' }), 'session/step_ended');
  });
});

describe('an authenticator app', () => {
  it('signs in after the password with a code that works once, also one of the periods around', async () => {
    const { browser, email } = await signedIn();
    const { app, codes, used } = await addApp(harness, browser);
    expect(codes).toHaveLength(ACCOUNT_LIMITS.recoveryCodes);
    expect(await factorsOf(browser)).toMatchObject({
      authenticatorApp: { createdAt: expect.any(String) },
      recoveryCodesLeft: 10,
    });
    const [here, there] = [browserAt(harness), browserAt(harness)];
    expect(await enterPassword(here, email)).toMatchObject({ factors: ['totp'] });
    await enterPassword(there, email);
    // It has set the app up.
    expectError(await complete(here, { code: used }), 'session/wrong_factor');
    nextPeriod();
    const code = app.code();
    nextPeriod();
    const responses = await Promise.all([here, there].map((each) => complete(each, { code })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(responses.find(({ status }) => status === 200)!.json).toMatchObject({
      signedInWith: 'password',
      factor: 'totp',
    });
    const late = app.code();
    nextPeriod();
    nextPeriod();
    await enterPassword(there, email);
    expectError(await complete(there, { code: late }), 'session/wrong_factor');
    expectError(await complete(there, {}), 'request/invalid');
    expectError(await complete(browserAt(harness), { code: app.code() }), 'session/step_ended');
    expectError(await browserAt(harness).get('/api/session/factor'), 'session/step_ended');
  });

  it('is not in use before a code has proved it, and stores its secret encrypted', async () => {
    const { browser, email, userId } = await signedIn();
    const { json } = await browser.post<{ secret: string; uri: string }>(
      '/api/authenticator-app/options',
      undefined,
    );
    expect(json.uri).toContain(`secret=${json.secret}&issuer=Guidepost`);
    expectError(await browser.put('/api/authenticator-app', { code: '000000' }), 'session/wrong_factor');
    expect((await browserAt(harness).signIn(email)).status).toBe(200);
    await addApp(harness, browser);
    const { app } = await harness.service.store.factors.ofUser(userId);
    expect(app!.sealedSecret).toMatch(/^eyJ/);
    expect((await browser.delete('/api/authenticator-app')).status).toBe(200);
    expectError(await browser.delete('/api/authenticator-app'), 'authenticator_app/not_found');
    expectError(await browser.post('/api/recovery-codes', undefined), 'session/second_factor_needed');
  });

  it('are asked of an account that accepts an invitation', async () => {
    const elsewhere = await harness.addWorkspace();
    const invited = await signedIn('member', elsewhere.id);
    await addApp(harness, invited.browser);
    const owner = await signedIn();
    const path = `/api/tenants/${harness.workspace.id}/invitations`;
    const { json } = await owner.browser.post<{ link: string }>(path, {
      email: invited.email,
      role: 'member',
    });
    const token = new URL(json.link).hash.replace('#token=', '');
    const accepted = { token, password: PASSWORD };
    expectError(
      await browserAt(harness).post('/api/invitations/accept', accepted),
      'session/second_factor_asked',
    );
  });

  it('resists guessing: strangers are slowed on every network, known browsers apart from them', async () => {
    const { browser, email } = await signedIn();
    const { app } = await addApp(harness, browser);
    nextPeriod();
    const known = browserAt(harness);
    known.device = browser.device;
    const stranger = browserAt(harness);
    await enterPassword(stranger, email);
    const { points } = BUCKETS['session/account-factor'];
    for (let at = 0; at < points; at += 1)
      expectError(await complete(stranger, { code: '000000' }), 'session/wrong_factor');
    expectError(await complete(stranger, { code: app.code() }), 'rate_limit/exceeded');
    await enterPassword(known, email);
    expect((await complete(known, { code: app.code() })).status).toBe(200);
  });
});

describe('recovery codes', () => {
  it('work once each, however they are typed, and can be renewed, of which the owner is told', async () => {
    const { browser, email } = await signedIn();
    const { codes } = await addApp(harness, browser);
    const signIn = async (code: string) => {
      const stranger = browserAt(harness);
      await enterPassword(stranger, email);
      return complete(stranger, { code });
    };
    const typed = codes[0]!.toLowerCase().replaceAll('-', ' ');
    await receive();
    expect((await signIn(typed)).json).toMatchObject({ factor: 'recovery_code' });
    expectError(await signIn(codes[0]!), 'session/wrong_factor');
    expect((await receive()).filter((mail) => /^Recovery code .* used/.test(mail))).toEqual([
      expect.stringContaining('Codes left: 9'),
    ]);
    expect((await factorsOf(browser)).recoveryCodesLeft).toBe(9);
    const { recoveryCodes } = (
      await browser.post<{ recoveryCodes: string[] }>('/api/recovery-codes', undefined)
    ).json;
    expect(recoveryCodes).toHaveLength(10);
    expect(await receive()).toEqual([
      expect.stringContaining('Recovery codes of your Guidepost account renewed'),
    ]);
    expectError(await signIn(codes[1]!), 'session/wrong_factor');
    expect((await signIn(recoveryCodes[1]!)).status).toBe(200);
  });
});

describe('a session of an account with a second factor', () => {
  it('is confirmed by password and code, or by a passkey, but not by the password alone', async () => {
    const { browser } = await signedIn();
    const { app } = await addApp(harness, browser);
    const device = newDevice();
    await addPasskey(browser, device);
    harness.clock.advance(11 * MINUTE);
    expectError(await browser.post('/api/recovery-codes', undefined), 'session/password_needed');
    const newPassword = 'eleven green lamps at dusk';
    const change = { currentPassword: PASSWORD, newPassword };
    expectError(await browser.put('/api/password', change), 'session/password_needed');
    expectError(await confirm(browser, { password: PASSWORD }), 'session/second_factor_needed');
    expectError(await confirm(browser, { password: PASSWORD, code: '000000' }), 'session/wrong_factor');
    expectError(await confirm(browser, { password: 'wrong', code: app.code() }), 'session/wrong_credentials');
    expectError(await confirm(browser, { code: app.code() }), 'request/invalid');
    expectError(await browser.post('/api/recovery-codes', undefined), 'session/password_needed');
    expect((await confirm(browser, { password: PASSWORD, code: app.code() })).json).toMatchObject({
      factor: 'totp',
    });
    expect((await browser.post('/api/recovery-codes', undefined)).status).toBe(200);
    harness.clock.advance(11 * MINUTE);
    expectError(
      await confirm(browser, { passkey: device.sign({ challenge: 'x', rpId: 'localhost' }) }),
      'session/step_ended',
    );
    const before = browser.cookie;
    expect(
      (await confirm(browser, { passkey: device.sign(await startPasskey(browser)) })).json,
    ).toMatchObject({
      factor: 'passkey',
    });
    expect(browser.cookie).not.toBe(before);
  });

  it('gets a token of its own: neither the first step nor a cookie set by somebody else opens it', async () => {
    const { browser, email } = await signedIn();
    const { app } = await addApp(harness, browser);
    nextPeriod();
    const victim = browserAt(harness);
    victim.cookie = `gp_session=${'A'.repeat(43)}`;
    await enterPassword(victim, email);
    const step = victim.challenge;
    expect((await complete(victim, { code: app.code() })).status).toBe(200);
    expect(victim.cookie).not.toContain('AAAA');
    // The token of the step opens nothing, then or later.
    const thief = browserAt(harness);
    thief.cookie = step.replace('gp_challenge', 'gp_session');
    expectError(await thief.get('/api/session'), 'session/unauthorized');
    nextPeriod();
    thief.challenge = step;
    expectError(await complete(thief, { code: app.code() }), 'session/step_ended');
  });

  it('does not open when the password changes between the steps', async () => {
    const { browser, email } = await signedIn();
    const { app } = await addApp(harness, browser);
    nextPeriod();
    const stranger = browserAt(harness);
    await enterPassword(stranger, email);
    const newPassword = 'eleven green lamps at dusk';
    await browser.put('/api/password', { currentPassword: PASSWORD, newPassword });
    expectError(await complete(stranger, { code: app.code() }), 'session/step_ended');
  });
});

describe('an address that gets proved', () => {
  it('loses the second factors that somebody else may have set up for it', async () => {
    const email = 'invited@shop.example';
    const joined = await joinUnproved(harness, harness.workspace, email);
    const client = await openSessionOf(harness, joined);
    const browser = browserAt(harness);
    browser.cookie = client.cookie;
    await addApp(harness, browser);
    await harness.service.store.users.proveAddress({
      email,
      passwordHash: (await harness.service.store.users.find(joined.userId))!.passwordHash,
      nowMillis: harness.clock.now(),
      audit: (_, memberId) => ({
        id: newId('aud'),
        atMillis: harness.clock.now(),
        actor: 'operator',
        action: 'password.reset',
        subject: memberId,
        details: {},
      }),
    });
    expect((await browserAt(harness).signIn(email)).status).toBe(200);
  });
});

describe('a workspace that requires a second factor', () => {
  it('is closed to members without one, until they set one up', async () => {
    const { id: workspaceId } = await harness.addWorkspace();
    const path = `/api/tenants/${workspaceId}`;
    const [owner, admin] = [await signedIn('owner', workspaceId), await signedIn('admin', workspaceId)];
    const require = ({ browser }: Account, requireSecondFactor: boolean) =>
      browser.patch(path, { requireSecondFactor });
    expectError(await require(admin, true), 'tenant/role_required');
    expectError(await require(owner, true), 'session/second_factor_needed');
    const { app } = await addApp(harness, owner.browser);
    harness.clock.advance(11 * MINUTE);
    expectError(await require(owner, true), 'session/password_needed');
    await confirm(owner.browser, { password: PASSWORD, code: app.code() });
    expect((await require(owner, true)).json).toMatchObject({ requireSecondFactor: true });

    expectError(await admin.browser.get(path), 'session/second_factor_needed');
    expect((await admin.browser.get<SessionState>('/api/session')).json.memberships).toMatchObject([
      { tenantId: workspaceId, needsSecondFactor: true },
    ]);
    await confirm(admin.browser, { password: PASSWORD });
    await addPasskey(admin.browser, newDevice());
    expect((await admin.browser.get(path)).status).toBe(200);
    expect((await admin.browser.get<SessionState>('/api/session')).json.memberships).toMatchObject([
      { needsSecondFactor: false },
    ]);

    const { passkeys, required } = await factorsOf(admin.browser);
    expect(required).toBe(true);
    expectError(await admin.browser.delete(`/api/passkeys/${passkeys[0]!.id}`), 'session/last_factor');
    expectError(await owner.browser.delete('/api/authenticator-app'), 'session/last_factor');
    expect((await require(owner, false)).status).toBe(200);
    expect((await owner.browser.delete('/api/authenticator-app')).status).toBe(200);
  });

  it('stays open to its automation sessions, which cannot change that', async () => {
    const owner = await signedIn();
    const automation = await openAutomation(
      { harness, memberClient: await openSessionOf(harness, owner) },
      { areas: ['settings'] },
    );
    expectError(await automation.patch('', { requireSecondFactor: true }), 'session/area_required');
    await addApp(harness, owner.browser);
    const path = `/api/tenants/${harness.workspace.id}`;
    expect((await owner.browser.patch(path, { requireSecondFactor: true })).status).toBe(200);
    expect((await automation.get('')).status).toBe(200);
    expect((await automation.get<SessionState>('/api/session')).json.memberships).toMatchObject([
      { needsSecondFactor: false },
    ]);
    await owner.browser.patch(path, { requireSecondFactor: false });
  });
});
