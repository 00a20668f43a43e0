import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, createTenant, isGuideError } from '../../client/sdk/index.ts';
import { hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { openHarness } from '../harness.ts';
import { allOf, type Colleague, failureOf, invite, join, PASSWORD } from './colleagues.ts';
import { json, openScriptedServer } from './scripted-server.ts';

let office: Office;
let owner: Colleague;
beforeAll(async () => {
  office = await openOffice();
  owner = await join(office, 'owner');
});
afterAll(() => office.close());

const somebody = () => createAccount({ baseUrl: `${office.harness.baseUrl}/` });
test('signs in with a password, says who that is, and signs out for good', async () => {
  const account = somebody();
  expect(await account.session()).toBeUndefined();
  const session = await account.signIn(owner.email.toUpperCase(), PASSWORD);
  expect(session).toMatchObject({
    email: owner.email,
    memberships: [{ tenantId: office.workspace.id, role: 'owner' }],
  });
  expect(await account.session()).toEqual(session);
  const tenant = account.tenant(session.memberships[0]!.tenantId);
  expect((await tenant.settings.read()).name).toBe('A shop');
  await account.signOut();
  expect(await account.session()).toBeUndefined();
  await account.signOut();
  const refused = await failureOf(tenant.settings.read());
  expect(refused).toMatchObject({ code: 'session/unauthorized', status: 401 });
});

test('says by code alone that a sign-in failed, whether the address or the password is wrong', async () => {
  for (const email of [owner.email, 'nobody@shop.example']) {
    const error = await failureOf(somebody().signIn(email, 'another spoon under the desk'));
    if (!isGuideError(error, 'session/wrong_credentials')) throw error;
    expect(error).toMatchObject({ status: 401, requestId: expect.stringMatching(/^req_/) });
  }
});

test('says how long to wait after too many attempts', async () => {
  const attempts = Array.from({ length: 11 }, () => () => somebody().signIn('eve@shop.example', 'wrong'));
  let last: unknown;
  for (const attempt of attempts) last = await failureOf(attempt());
  expect(last).toMatchObject({ code: 'rate_limit/exceeded', bucket: 'session/sign-in' });
  if (!isGuideError(last)) throw last;
  expect(last.retryAfterSeconds).toBeGreaterThan(600);
});

test('an account that signs in serves all the doors that were opened with it', async () => {
  const account = somebody();
  const { baseUrl } = office.harness;
  const routeGroups = [
    account.tenant(office.workspace.id),
    createTenant({ account, tenantId: office.workspace.id }),
  ];
  const stranger = createTenant({ baseUrl, tenantId: office.workspace.id });
  await account.signIn(owner.email, PASSWORD);
  for (const door of routeGroups) expect((await door.settings.read()).id).toBe(office.workspace.id);
  expect(await failureOf(stranger.settings.read())).toMatchObject({ code: 'session/unauthorized' });
});

test('somebody with a cookie of their own passes it on', async () => {
  const { baseUrl } = office.harness;
  const headers = { Cookie: office.as('member').cookie };
  const tenant = createTenant({ baseUrl, tenantId: office.workspace.id, headers });
  expect((await tenant.settings.read()).id).toBe(office.workspace.id);
});

test('keeps the cookie of one service from every other, redirects included', async () => {
  const other = await openScriptedServer();
  const here = await openScriptedServer();
  try {
    const cookie = { 'set-cookie': 'gp_session=secret; Path=/; Max-Age=60; HttpOnly; SameSite=Lax' };
    here.answer('/api/session', json({}, 200, cookie), (response) =>
      response.writeHead(307, { location: `${other.baseUrl}/api/session` }).end(),
    );
    const account = createAccount({ baseUrl: here.baseUrl });
    await account.signIn('ada@shop.example', PASSWORD);
    const refused = await failureOf(account.session());
    expect(refused).toMatchObject({ code: 'protocol', status: 307 });
    expect(here.at('/api/session')[1]?.headers).toMatchObject({
      cookie: 'gp_session=secret',
      origin: here.baseUrl,
    });
    expect(other.received).toEqual([]);

    other.answer('/api/session', json({}));
    await createAccount({ baseUrl: other.baseUrl }).session();
    expect(other.at('/api/session')[0]?.headers.cookie).toBeUndefined();
  } finally {
    await Promise.all([here.close(), other.close()]);
  }
});

test('asks for the password once more before it makes a key, and goes on under the new cookie', async () => {
  const account = somebody();
  await account.signIn(owner.email, PASSWORD);
  const { apiKeys } = account.tenant(office.workspace.id);
  office.harness.clock.advance(11 * 60_000);
  const wanted = { name: 'Report', scopes: ['analytics:read' as const] };
  expect(await failureOf(apiKeys.create(wanted))).toMatchObject({ code: 'session/password_needed' });
  const confirmed = await account.confirmPassword(PASSWORD);
  expect(Date.parse(confirmed.freshUntil)).toBeGreaterThan(office.harness.clock.now());
  const { id, key } = await apiKeys.create(wanted);
  expect(key).toMatch(/^pk_live_/);
  expect(await allOf(apiKeys.list())).toMatchObject([{ id, lastFour: key.slice(-4) }]);
  await apiKeys.revoke(id);
  expect((await apiKeys.list().page()).data[0]).toHaveProperty('revokedAt');
});

test('shows where the person is signed in, and signs out there', async () => {
  const [here, there] = [somebody(), somebody()];
  await here.signIn(owner.email, PASSWORD);
  await there.signIn(owner.email, PASSWORD);
  const devices = await allOf(here.sessions.list({ limit: 1 }));
  expect(devices.length).toBeGreaterThanOrEqual(2);
  const session = await there.session();
  await here.sessions.revoke(session!.sessionId);
  expect(await there.session()).toBeUndefined();
  expect(await failureOf(here.sessions.revoke(session!.sessionId))).toMatchObject({
    code: 'session/not_found',
  });
});

test('changes the password: this session goes on, every other one ends', async () => {
  const { account, email } = await join(office, 'member');
  const elsewhere = somebody();
  await elsewhere.signIn(email, PASSWORD);
  const tooEasy = await failureOf(account.changePassword(PASSWORD, 'passwordpassword'));
  if (!isGuideError(tooEasy, 'request/invalid')) throw tooEasy;
  expect(tooEasy.issues?.[0]?.path).toBe('body.newPassword');
  await account.changePassword(PASSWORD, 'a green kettle sings at noon');
  expect(await account.session()).toMatchObject({ email });
  expect(await elsewhere.session()).toBeUndefined();
  await elsewhere.signIn(email, 'a green kettle sings at noon');
});

test('reads an invitation before it accepts it, and accepts it once', async () => {
  const token = await invite(office, 'admin', 'grace@shop.example');
  const account = somebody();
  expect(await account.invitations.read(token)).toMatchObject({ role: 'admin', hasAccount: false });
  expect(await account.invitations.readLink(token)).toMatchObject({ role: 'admin' });
  const session = await account.invitations.accept(token, PASSWORD);
  expect(await account.session()).toEqual(session);
  expect(await failureOf(somebody().invitations.read(token))).toMatchObject({
    code: 'invitation/not_found',
  });
});

test('sets the service up with the link that it prints at its start, once', async () => {
  const harness = await openHarness();
  try {
    const token = makeSessionToken();
    const now = harness.clock.now();
    await harness.service.store.users.addSetupLink(hashToken(token), now + 60_000, now);
    const account = createAccount({ baseUrl: harness.baseUrl });
    const details = {
      token,
      email: 'first@shop.example',
      password: PASSWORD,
      workspaceName: 'First',
      allowedOrigins: ['https://shop.example'],
    };
    expect(await account.readSetupLink(token)).toEqual({ expiresAt: expect.any(String) });
    const { memberships } = await account.setUp(details);
    expect(memberships.map(({ name }) => name)).toContain('First');
    expect(await account.session()).toMatchObject({ email: 'first@shop.example' });
    expect(await failureOf(account.setUp(details))).toMatchObject({ code: 'setup/not_found' });
    expect(await failureOf(account.readSetupLink(token))).toMatchObject({ code: 'setup/not_found' });
  } finally {
    await harness.close();
  }
});
