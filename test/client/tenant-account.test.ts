import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createTenant, isGuideError } from '../../client/sdk/index.ts';
import { hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { type OwnBrowser, openBrowser } from '../support/browser.ts';
import { openHarness } from '../support/harness.ts';
import { openTeam, type Team } from '../support/team.ts';
import { type Colleague, catchError, collect, invite, join, PASSWORD } from './colleagues.ts';
import { json, openScriptedServer } from './scripted-server.ts';

describe('an account', () => {
  let team: Team;
  let owner: Colleague;
  beforeAll(async () => {
    team = await openTeam();
    owner = await join(team, 'owner');
  });
  afterAll(() => team.close());

  const openAccount = () => createAccount({ baseUrl: `${team.harness.baseUrl}/` });
  test('an account signs in with a password, knows its user, and signs out for good', async () => {
    const account = openAccount();
    expect(await account.session()).toBeUndefined();
    const session = await account.signIn(owner.email.toUpperCase(), PASSWORD);
    expect(session).toMatchObject({
      email: owner.email,
      memberships: [{ tenantId: team.workspace.id, role: 'owner' }],
    });
    expect(await account.session()).toEqual(session);
    const tenant = account.tenant(session.memberships[0]!.tenantId);
    expect((await tenant.settings.read()).name).toBe('A shop');
    await account.signOut();
    expect(await account.session()).toBeUndefined();
    await account.signOut();
    const sessionError = await catchError(tenant.settings.read());
    expect(sessionError).toMatchObject({ code: 'session/unauthorized', status: 401 });
  });

  test('a wrong email address and a wrong password reject with the same code', async () => {
    for (const email of [owner.email, 'unknown@shop.example']) {
      const error = await catchError(openAccount().signIn(email, 'another spoon under the desk'));
      if (!isGuideError(error, 'session/wrong_credentials')) throw error;
      expect(error).toMatchObject({ status: 401, requestId: expect.stringMatching(/^req_/) });
    }
  });

  test('too many sign-in attempts reject with the time to wait', async () => {
    const attempts = Array.from(
      { length: 11 },
      () => () => openAccount().signIn('eve@shop.example', 'wrong'),
    );
    let last: unknown;
    for (const attempt of attempts) last = await catchError(attempt());
    expect(last).toMatchObject({ code: 'rate_limit/exceeded', bucket: 'session/sign-in' });
    if (!isGuideError(last)) throw last;
    expect(last.retryAfterSeconds).toBeGreaterThan(600);
  });

  test('all tenants of an account share its session', async () => {
    const account = openAccount();
    const { baseUrl } = team.harness;
    const tenants = [
      account.tenant(team.workspace.id),
      createTenant({ account, tenantId: team.workspace.id }),
    ];
    const stranger = createTenant({ baseUrl, tenantId: team.workspace.id });
    await account.signIn(owner.email, PASSWORD);
    for (const each of tenants) expect((await each.settings.read()).id).toBe(team.workspace.id);
    expect(await catchError(stranger.settings.read())).toMatchObject({ code: 'session/unauthorized' });
  });

  test('a program changes a workspace with an automation session until its owner ends it', async () => {
    const account = openAccount();
    const { baseUrl } = team.harness;
    await account.signIn(owner.email, PASSWORD);
    const { automationSessions } = account.tenant(team.workspace.id);
    const name = 'Docs pipeline';
    const { id, token } = await automationSessions.create({ name, role: 'admin', areas: ['articles'] });
    const program = createTenant({ baseUrl, tenantId: team.workspace.id, session: token });
    const article = { slug: 'from-a-program', locale: 'en', title: 'From a program', answer: 'Yes.' };
    expect(await program.articles.create(article)).toMatchObject({ createdBy: id });
    expect(await catchError(program.members.list().page())).toMatchObject({ code: 'session/area_required' });
    expect(await collect(automationSessions.list())).toMatchObject([{ id, name, active: true }]);
    await automationSessions.end(id);
    expect(await catchError(program.settings.read())).toMatchObject({ code: 'session/unauthorized' });
    expect(await collect(automationSessions.list())).toMatchObject([{ id, active: false }]);
    expect(await catchError(automationSessions.end(id))).toMatchObject({ code: 'session/not_found' });
  });

  test('a cookie header of the caller is sent along', async () => {
    const { baseUrl } = team.harness;
    const headers = { Cookie: team.as('member').cookie };
    const tenant = createTenant({ baseUrl, tenantId: team.workspace.id, headers });
    expect((await tenant.settings.read()).id).toBe(team.workspace.id);
  });

  test('the session cookie is never sent to another service, not even after a redirect', async () => {
    const other = await openScriptedServer();
    const here = await openScriptedServer();
    try {
      const cookie = { 'set-cookie': 'gp_session=secret; Path=/; Max-Age=60; HttpOnly; SameSite=Lax' };
      here.answer('/api/session', json({}, 200, cookie), (response) =>
        response.writeHead(307, { location: `${other.baseUrl}/api/session` }).end(),
      );
      const account = createAccount({ baseUrl: here.baseUrl });
      await account.signIn('ada@shop.example', PASSWORD);
      const redirectError = await catchError(account.session());
      expect(redirectError).toMatchObject({ code: 'protocol', status: 307 });
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

  test('creating an API key needs a confirmed password, and the account continues with its new cookie', async () => {
    const account = openAccount();
    await account.signIn(owner.email, PASSWORD);
    const { apiKeys } = account.tenant(team.workspace.id);
    team.harness.clock.advance(11 * 60_000);
    const wanted = { name: 'Report', scopes: ['analytics:read' as const] };
    expect(await catchError(apiKeys.create(wanted))).toMatchObject({ code: 'session/password_needed' });
    const confirmed = await account.confirmPassword(PASSWORD);
    expect(Date.parse(confirmed.freshUntil)).toBeGreaterThan(team.harness.clock.now());
    const { id, key } = await apiKeys.create(wanted);
    expect(key).toMatch(/^pk_live_/);
    expect(await collect(apiKeys.list())).toMatchObject([{ id, lastFour: key.slice(-4) }]);
    await apiKeys.revoke(id);
    expect((await apiKeys.list().page()).data[0]).toHaveProperty('revokedAt');
  });

  test('account.sessions lists all devices and signs one out', async () => {
    const [here, there] = [openAccount(), openAccount()];
    await here.signIn(owner.email, PASSWORD);
    await there.signIn(owner.email, PASSWORD);
    const devices = await collect(here.sessions.list({ limit: 1 }));
    expect(devices.length).toBeGreaterThanOrEqual(2);
    const session = await there.session();
    await here.sessions.revoke(session!.sessionId);
    expect(await there.session()).toBeUndefined();
    expect(await catchError(here.sessions.revoke(session!.sessionId))).toMatchObject({
      code: 'session/not_found',
    });
  });

  test('changePassword() ends every other session', async () => {
    const { account, email } = await join(team, 'member');
    const elsewhere = openAccount();
    await elsewhere.signIn(email, PASSWORD);
    const tooEasy = await catchError(account.changePassword(PASSWORD, 'passwordpassword'));
    if (!isGuideError(tooEasy, 'request/invalid')) throw tooEasy;
    expect(tooEasy.issues?.[0]?.path).toBe('body.newPassword');
    await account.changePassword(PASSWORD, 'a green kettle sings at noon');
    expect(await account.session()).toMatchObject({ email });
    expect(await elsewhere.session()).toBeUndefined();
    await elsewhere.signIn(email, 'a green kettle sings at noon');
  });

  test('an invitation can be read before it is accepted, once', async () => {
    const token = await invite(team, 'admin', 'grace@shop.example');
    const account = openAccount();
    expect(await account.invitations.read(token)).toMatchObject({ role: 'admin', provesAddress: false });
    expect(await account.invitations.readLink(token)).toMatchObject({ role: 'admin' });
    const session = await account.invitations.accept(token, PASSWORD);
    expect(await account.session()).toEqual(session);
    expect(await catchError(openAccount().invitations.read(token))).toMatchObject({
      code: 'invitation/not_found',
    });
  });

  test('setUp() works once with the link that the service prints', async () => {
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
      expect(await catchError(account.setUp(details))).toMatchObject({ code: 'setup/not_found' });
      expect(await catchError(account.readSetupLink(token))).toMatchObject({ code: 'setup/not_found' });
    } finally {
      await harness.close();
    }
  });
});

const INDEX = fileURLToPath(new URL('../../client/sdk/index.ts', import.meta.url));

const PAGE =
  '<script type="module">import * as client from "/client.js"; globalThis.client = client;</script>';
/** The page's browser types do not exist here. */
type InPage = {
  client: typeof import('../../client/sdk/index.ts');
  document: { cookie: string };
};

describe('an account in a browser', () => {
  let team: Team;
  let browser: OwnBrowser;
  let script: string;
  let email: string;
  beforeAll(async () => {
    team = await openTeam();
    ({ email } = await join(team, 'admin'));
    browser = await openBrowser();
    const bundle = await rolldown({ input: INDEX, logLevel: 'silent' });
    script = (await bundle.generate({ format: 'esm' })).output[0].code;
    await bundle.close();
  });
  afterAll(() => Promise.all([browser.close(), team.close()]));

  /** Opens a page of this origin that can import the client; other requests go to the service. */
  async function pageAt(origin: string): Promise<Page> {
    const page = await browser.newPage();
    await page.route('**/page', (route) => route.fulfill({ body: PAGE, contentType: 'text/html' }));
    await page.route('**/client.js', (route) =>
      route.fulfill({ body: script, contentType: 'text/javascript' }),
    );
    await page.goto(`${origin}/page`);
    return page;
  }

  test('on a page of the service the browser keeps the session, out of reach of scripts', async () => {
    const page = await pageAt(team.harness.baseUrl);
    const work = async ({ email, password, tenantId }: Record<'email' | 'password' | 'tenantId', string>) => {
      const { client, document } = globalThis as unknown as InPage;
      const { createAccount, createTenant } = client;
      const account = createAccount({ baseUrl: '' });
      await account.signIn(email, password);
      // A new object, as after a reload: only the browser's cookie remains.
      const tenant = createTenant({ baseUrl: '', tenantId });
      const created = await tenant.articles.create({ title: 'From a browser', answer: 'Text.' });
      const titles: string[] = [];
      for await (const { title } of tenant.articles.list({ q: 'browser' })) titles.push(title);
      let exported = 0;
      for await (const _ of tenant.export()) if (++exported === 3) break;
      const { cookie } = document;
      await account.signOut();
      const signedOut = (await account.session()) === undefined;
      return { status: created.status, titles, exported, signedOut, cookie };
    };
    expect(await page.evaluate(work, { email, password: PASSWORD, tenantId: team.workspace.id })).toEqual({
      status: 'draft',
      titles: ['From a browser'],
      exported: 3,
      signedOut: true,
      cookie: '',
    });
    await page.close();
  });

  test('a page of another origin cannot sign in, even with the right password', async () => {
    const page = await pageAt(team.harness.baseUrl.replace('127.0.0.1', 'localhost'));
    const signIns = () => team.harness.logged.filter((line) => line.operation === 'signIn').length;
    const before = signIns();
    const attempt = async ({
      baseUrl,
      email,
      password,
    }: Record<'baseUrl' | 'email' | 'password', string>) => {
      const { client } = globalThis as unknown as InPage;
      return client
        .createAccount({ baseUrl })
        .signIn(email, password)
        .catch((error) => error.code);
    };
    expect(await page.evaluate(attempt, { baseUrl: team.harness.baseUrl, email, password: PASSWORD })).toBe(
      'network',
    );
    expect(signIns()).toBe(before);
    await page.close();
  });
});
