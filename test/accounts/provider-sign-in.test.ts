import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SignInSettings } from '../../contract/identity-providers.ts';
import { PROVIDER_LIMITS } from '../../contract/limits/identity-providers.ts';
import type { SessionState } from '../../contract/session.ts';
import { lookForRecord } from '../../server/base/domain-proof.ts';
import { newId } from '../../server/base/ids.ts';
import { type Harness, openHarness, txtRecords } from '../support/harness.ts';
import { CLIENT, type IdentityProvider, openIdentityProvider } from '../support/identity-provider.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { expectError } from '../support/response.ts';
import { addPerson, type Browser, browserAt, PASSWORD } from '../support/signed-in-client.ts';
import { joinAs, joinUnproved, type MemberClient, openSessionOf } from '../support/team.ts';

/** Sign-in with the provider of a workspace, at a real provider of a package. */

let harness: Harness;
let provider: IdentityProvider;
let mail: MailServer;
let owner: MemberClient;

const PUBLIC_URL = 'http://127.0.0.1:9';
const CALLBACK_URL = `${PUBLIC_URL}/dashboard/sign-in/callback`;
const path = '/identity-provider';

beforeAll(async () => {
  mail = await openMailServer();
  harness = await openHarness({
    env: {
      ...{ SOURCE_NETWORKS: '127.0.0.0/8', TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL },
      ...{ SMTP_URL: mail.url, MAIL_FROM: 'guide@corp.example' },
    },
  });
  provider = await openIdentityProvider(CALLBACK_URL);
  owner = await joinAs(harness, harness.workspace, 'owner', 'owner@corp.example');
});
afterAll(() => Promise.all([harness.close(), provider.close(), mail.close()]));
// Sign-ins are counted for each address.
beforeEach(() => harness.clock.advance(61 * 60_000));

const settingsOf = (change: object = {}) => ({
  ...{ ...CLIENT, issuer: provider.issuer, mode: 'optional', defaultRole: 'member', groupsClaim: 'groups' },
  ...{ groupRoles: [], domains: ['corp.example'], ...change },
});

/** Sets the provider of the workspace as its owner, with a proved domain. */
async function setProvider(
  change: object = {},
  of: { owner: MemberClient; base: string } = { owner, base: path },
  at = harness,
) {
  const fresh = await openSessionOf(at, of.owner);
  const set = await fresh.put<SignInSettings>(of.base, settingsOf({ ...change, mode: 'optional' }));
  expect(set).toMatchObject({ status: 200 });
  for (const { domain, record, provedAt } of set.json.domains) {
    txtRecords.set(record.name, record.value);
    if (!provedAt)
      expect(await fresh.post(`${of.base}/domains/proofs`, { domain })).toMatchObject({ status: 200 });
  }
  const all = await fresh.put<SignInSettings>(of.base, settingsOf(change));
  expect(all).toMatchObject({ status: 200 });
  return all.json;
}

type Person = Record<string, unknown> & { email: string };

const addToProvider = (claims: Person) => {
  const subject = newId('usr');
  provider.people.set(subject, { email_verified: true, ...claims });
  return subject;
};

const startAs = async (browser: Browser, email: string, more: object = {}) =>
  (await browser.post<{ url: string }>('/api/session/provider', { email, ...more })).json.url;

/** Signs in at the provider, and returns the response of the service. */
async function signInAs(subject: string, browser = browserAt(harness), more: object = {}) {
  const { email } = provider.people.get(subject) as Person;
  const query = await provider.signIn(await startAs(browser, email, more), subject);
  return browser.post<SessionState>('/api/session/provider/return', { query });
}

/** Returns the mails to an address with these words in the subject. */
async function readMails(address: string, words: string) {
  harness.clock.advance(1_000);
  await harness.service.tick();
  return mail.mailsTo(address).filter(({ subject }) => subject?.includes(words));
}

const readAudit = async () =>
  (await (await openSessionOf(harness, owner)).get<{ data: { action: string; details: string }[] }>('/audit'))
    .json.data;

describe('sign-in with the provider of a workspace', () => {
  it('adds a person of a proved domain with the default role, and knows them again', async () => {
    await setProvider({ defaultRole: 'admin' });
    const subject = addToProvider({ email: 'Grace@Corp.example' });
    const browser = browserAt(harness);
    const first = await signInAs(subject, browser);
    expect(first).toMatchObject({ status: 200, json: { email: 'grace@corp.example', signedInWith: 'oidc' } });
    expect(first.json.memberships).toMatchObject([{ tenantId: harness.workspace.id, role: 'admin' }]);
    expect((await browser.get(`/api/tenants/${harness.workspace.id}`)).status).toBe(200);
    expect(first.headers.getSetCookie().join()).toMatch(
      /gp_sign_in=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax/,
    );
    const again = await signInAs(subject);
    expect(again.json.userId).toBe(first.json.userId);
    expect(await readAudit()).toContainEqual(
      expect.objectContaining({
        action: 'member.joined',
        details: expect.stringContaining(
          `"email":"grace@corp.example","issuer":"${provider.issuer}","role":"admin"`,
        ),
      }),
    );
    // The account has no password, so none works.
    expectError(
      await browserAt(harness).signIn('grace@corp.example', ''.padEnd(15, 'x')),
      'session/wrong_credentials',
    );
  });

  it('keeps the identity when the address changes at the provider', async () => {
    await setProvider();
    const subject = addToProvider({ email: 'before@corp.example' });
    const before = await signInAs(subject);
    provider.people.set(subject, { email: 'after@corp.example', email_verified: true });
    const after = await signInAs(subject);
    expect(after.json).toMatchObject({ userId: before.json.userId, email: 'before@corp.example' });
  });

  it('refuses another identity with the address of an account, until the member is removed', async () => {
    await setProvider();
    const left = addToProvider({ email: 'seat@corp.example' });
    const { json } = await signInAs(left);
    const successor = addToProvider({ email: 'seat@corp.example' });
    expectError(await signInAs(successor), 'session/other_identity');
    const { memberId } = json.memberships[0]!;
    expect((await (await openSessionOf(harness, owner)).delete(`/members/${memberId}`)).status).toBe(200);
    expect((await signInAs(successor)).json.memberships).toHaveLength(1);
  });

  it('sets roles by groups at each sign-in, and never those of owners', async () => {
    const groupRoles = [
      { group: 'leads', role: 'admin' },
      { group: 'staff', role: 'member' },
    ];
    await setProvider({ groupRoles });
    const subject = addToProvider({ email: 'role@corp.example', groups: ['staff', 'leads'] });
    const roleOf = async () => (await signInAs(subject)).json.memberships[0]!.role;
    expect(await roleOf()).toBe('admin');
    provider.people.get(subject)!.groups = 'staff';
    expect(await roleOf()).toBe('member');
    provider.people.get(subject)!.groups = [];
    expect(await roleOf()).toBe('member');
    const own = addToProvider({ email: owner.email, groups: ['staff'] });
    expect((await signInAs(own)).json).toMatchObject({
      userId: owner.userId,
      memberships: [{ role: 'owner' }],
    });
    expect(await readAudit()).toContainEqual(
      expect.objectContaining({
        action: 'member.role_changed',
        details: expect.stringMatching(/"from":"admin".*"to":"member"/),
      }),
    );
  });

  it('ends a password that somebody chose through an invitation link, and keeps a proved one', async () => {
    await setProvider();
    const unproved = await joinUnproved(harness, harness.workspace, 'invited@corp.example');
    const intruder = await openSessionOf(harness, unproved);
    const { json } = await signInAs(addToProvider({ email: 'invited@corp.example' }));
    expect(json.userId).toBe(unproved.userId);
    expectError(await browserAt(harness).signIn('invited@corp.example'), 'session/wrong_credentials');
    expectError(await intruder.get(''), 'session/unauthorized');

    await addPerson(harness, 'proved@corp.example', { role: 'member' });
    await signInAs(addToProvider({ email: 'proved@corp.example' }));
    expect((await browserAt(harness).signIn('proved@corp.example')).status).toBe(200);
  });

  it('does not take over the account that an address has in another workspace alone', async () => {
    await setProvider();
    const elsewhere = await harness.addWorkspace();
    const other = await joinUnproved(harness, elsewhere, 'two@corp.example');
    const { json } = await signInAs(addToProvider({ email: 'two@corp.example' }));
    expect(json.userId).not.toBe(other.userId);
    expect(json.memberships.map(({ tenantId }) => tenantId)).toEqual([harness.workspace.id]);
  });

  it('refuses addresses that the provider marks as unverified, or whose domain is not proved', async () => {
    await setProvider();
    for (const claims of [
      { email: 'a@corp.example', email_verified: false },
      { email: 'a@rival.example' },
      { email: 'a@corp.example.rival.example' },
      { email: 'a@sub.corp.example' },
      { email: '"a@corp.example"@rival.example' },
      { email: 'a@corp.example\r\nbcc: b@rival.example' },
      { email: ['a@corp.example', 'b@corp.example'] as never },
      { email: undefined as never },
    ]) {
      const subject = addToProvider(claims);
      const browser = browserAt(harness);
      const query = await provider.signIn(await startAs(browser, 'a@corp.example'), subject);
      expectError(await browser.post('/api/session/provider/return', { query }), 'session/email_not_allowed');
      expect(browser.cookie).toBe('');
    }
  });

  it('names the second factor of the provider', async () => {
    await setProvider();
    const subject = addToProvider({ email: 'mfa@corp.example', amr: ['pwd', 'otp'] });
    expect((await signInAs(subject)).json).toMatchObject({ factor: 'provider' });
  });

  it('counts as a confirmed identity when the provider asked again', async () => {
    await setProvider();
    const subject = addToProvider({ email: 'fresh@corp.example' });
    const { json } = await signInAs(subject, browserAt(harness), { fresh: true });
    expect(Date.parse(json.freshUntil)).toBeGreaterThan(harness.clock.now() + 9 * 60_000);
  });
});

describe('an attempt', () => {
  let subject: string;
  beforeEach(async () => {
    await setProvider();
    subject = addToProvider({ email: `${newId('usr')}@corp.example` });
  });
  const finish = (browser: Browser, query: string) => browser.post('/api/session/provider/return', { query });
  const begin = async (browser = browserAt(harness)) => {
    const query = await provider.signIn(await startAs(browser, 'a@corp.example'), subject);
    return { browser, query };
  };

  it('goes to the provider with PKCE, state and nonce, and back to one address', async () => {
    const url = new URL(await startAs(browserAt(harness), 'ada@corp.example'));
    const { code_challenge, state, nonce, ...rest } = Object.fromEntries(url.searchParams);
    expect(url.href.startsWith(`${provider.issuer}/auth?`)).toBe(true);
    expect(rest).toEqual({
      client_id: 'guidepost',
      code_challenge_method: 'S256',
      login_hint: 'ada@corp.example',
      redirect_uri: CALLBACK_URL,
      response_type: 'code',
      scope: 'openid email profile',
    });
    for (const random of [code_challenge, state, nonce]) expect(random).toMatch(/^[\w-]{43}$/);
  });

  it('ends in no other browser, and not after its time', async () => {
    const { browser, query } = await begin();
    expectError(await finish(browserAt(harness), query), 'session/attempt_expired');
    const other = browserAt(harness);
    other.attempt = `${browser.attempt.slice(0, -3)}AAA`;
    expectError(await finish(other, query), 'session/attempt_expired');
    harness.clock.advance(PROVIDER_LIMITS.attemptSeconds * 1000);
    expectError(await finish(browser, query), 'session/attempt_expired');
  });

  it('refuses a code of another attempt, a repeated code, and what was added to the query', async () => {
    const { browser, query } = await begin();
    const victim = await begin();
    expectError(await finish(victim.browser, query), 'session/provider_refused');
    const params = new URLSearchParams(query);
    for (const [name, value] of [
      ['state', 'of-somebody-else'],
      ['iss', 'https://rival.example'],
      ['code', 'of-somebody-else'],
    ] as const) {
      const changed = new URLSearchParams(query);
      changed.set(name, value);
      expectError(await finish(browser, `?${changed}`), 'session/provider_refused');
    }
    params.append('state', params.get('state')!);
    expectError(await finish(browser, `?${params}`), 'session/provider_refused');
    expectError(await finish(browser, '?error=access_denied'), 'session/provider_refused');

    const { attempt } = victim.browser;
    expect((await finish(victim.browser, victim.query)).status).toBe(200);
    expect(victim.browser.attempt).toBe('');
    victim.browser.attempt = attempt;
    expectError(await finish(victim.browser, victim.query), 'session/provider_refused');
  });

  it('ends with the provider that it began with', async () => {
    const { browser, query } = await begin();
    await setProvider({ clientId: 'another-client' });
    expectError(await finish(browser, query), 'session/attempt_expired');
    await setProvider({ mode: 'off' });
    expectError(await finish(browser, query), 'session/attempt_expired');
    expectError(
      await browser.post('/api/session/provider', { email: 'a@corp.example' }),
      'session/no_provider',
    );
  });

  it('is refused from other sites', async () => {
    const crossSite = browserAt(harness, { 'sec-fetch-site': 'cross-site' });
    for (const [where, body] of [
      ['', { email: 'a@corp.example' }],
      ['/return', { query: '?code=x' }],
    ] as const) {
      expectError(await crossSite.post(`/api/session/provider${where}`, body), 'session/cross_site');
    }
  });

  it('keeps the secret and the provider’s answers out of responses and logs', async () => {
    const { browser, query } = await begin();
    await finish(browser, query.replace('code=', 'code=x'));
    const logged = JSON.stringify(harness.logged);
    expect(logged).not.toContain(CLIENT.clientSecret);
    expect(logged).not.toContain(new URLSearchParams(query).get('code'));
  });
});

describe('a required provider', () => {
  it('refuses passwords and other providers to everybody but owners, whom the audit names', async () => {
    await addPerson(harness, 'local@corp.example', { role: 'member' });
    await addPerson(harness, 'boss@corp.example', { role: 'owner' });
    const earlier = browserAt(harness);
    await earlier.signIn('local@corp.example');
    await setProvider({ mode: 'required' });
    const workspacePath = `/api/tenants/${harness.workspace.id}`;
    expectError(await earlier.get(workspacePath), 'session/provider_required');
    expectError(await browserAt(harness).signIn('local@corp.example'), 'session/provider_required');
    // Who does not know the password learns nothing.
    expectError(
      await browserAt(harness).signIn('local@corp.example', 'x'.repeat(20)),
      'session/wrong_credentials',
    );

    const elsewhere = await harness.addWorkspace();
    await addPerson(harness, 'local@corp.example', { role: 'member', workspaceId: elsewhere.id });
    const both = browserAt(harness);
    expect((await both.signIn('local@corp.example')).json.memberships).toMatchObject([
      { tenantId: harness.workspace.id, closed: true },
      { tenantId: elsewhere.id },
    ]);
    expect((await both.get(`/api/tenants/${elsewhere.id}`)).status).toBe(200);
    expectError(await both.get(workspacePath), 'session/provider_required');

    const boss = browserAt(harness);
    expect((await boss.signIn('boss@corp.example')).status).toBe(200);
    expect((await boss.get(workspacePath)).status).toBe(200);
    expect(await readAudit()).toContainEqual(
      expect.objectContaining({ action: 'session.provider_bypassed' }),
    );

    const subject = addToProvider({ email: 'local@corp.example' });
    const browser = browserAt(harness);
    expect((await signInAs(subject, browser)).status).toBe(200);
    expect((await browser.get(workspacePath)).status).toBe(200);
  });
});

it('does not open a session that could read nothing: by an invitation to a workspace that requires its provider', async () => {
  await setProvider({ mode: 'required' });
  const fresh = await openSessionOf(harness, owner);
  const { json } = await fresh.post<{ link: string }>('/invitations', {
    email: 'new@corp.example',
    role: 'member',
  });
  const token = json.link.split('#token=')[1];
  expectError(
    await browserAt(harness).post('/api/invitations/accept', { token, password: PASSWORD }),
    'session/provider_required',
  );
});

describe('the settings of a provider', () => {
  it('never return the secret, and keep it for the same issuer and client only', async () => {
    await setProvider();
    const fresh = await openSessionOf(harness, owner);
    const { clientSecret: _, ...rest } = settingsOf() as Record<string, unknown>;
    const kept = await fresh.put(path, { ...rest, defaultRole: 'admin' });
    expect(kept).toMatchObject({
      status: 200,
      json: { provider: { hasSecret: true, defaultRole: 'admin' } },
    });
    for (const response of [kept, await fresh.get(path), await fresh.get('/audit')])
      expect(response.text).not.toContain(CLIENT.clientSecret);
    for (const change of [{ issuer: 'https://rival.example' }, { clientId: 'other' }]) {
      const refused = expectError(await fresh.put(path, { ...rest, ...change }), 'request/invalid');
      expect(refused.issues).toMatchObject([{ path: 'body.clientSecret', code: 'secret_required' }]);
    }
  });

  it('are for owners with a fresh password', async () => {
    const admin = await joinAs(harness, harness.workspace, 'admin');
    expectError(await admin.get(path), 'tenant/role_required');
    expectError(await admin.post(`${path}/trials`, { issuer: provider.issuer }), 'tenant/role_required');
    const stale = await openSessionOf(harness, owner);
    harness.clock.advance(11 * 60_000);
    expectError(await stale.put(path, settingsOf()), 'session/password_needed');
    expectError(await stale.delete(path), 'session/password_needed');
  });

  it('need a proved domain, which belongs to the workspace whose record was found last', async () => {
    const one = await harness.addWorkspace();
    const two = await harness.addWorkspace();
    const baseOf = ({ id }: { id: string }) => `/api/tenants/${id}/identity-provider`;
    const ownerOne = await joinAs(harness, one, 'owner', 'one@corp.example');
    await joinAs(harness, one, 'member', 'member@corp.example');
    const ownerTwo = await joinAs(harness, two, 'owner');
    const wanted = settingsOf({ domains: ['shared.example'] });
    expectError(
      await ownerOne.put(baseOf(one), { ...wanted, mode: 'required' }),
      'identity_provider/no_proved_domain',
    );
    await ownerOne.put(baseOf(one), wanted);
    const start = () => browserAt(harness).post('/api/session/provider', { email: 'a@shared.example' });
    expectError(await start(), 'session/no_provider');
    const prove = (client: MemberClient, base: string, domain = 'shared.example') =>
      client.post<SignInSettings>(`${base}/domains/proofs`, { domain });
    expectError(await prove(ownerOne, baseOf(one)), 'identity_provider/record_not_found');
    expectError(await prove(ownerOne, baseOf(one), 'b.example'), 'identity_provider/domain_not_found');
    await setProvider(
      { domains: ['shared.example'], mode: 'required' },
      { owner: ownerOne, base: baseOf(one) },
    );
    expect((await start()).status).toBe(200);

    // The record of the first workspace proves nothing for the second.
    await ownerTwo.put(baseOf(two), wanted);
    expectError(await prove(ownerTwo, baseOf(two)), 'identity_provider/record_not_found');
    await setProvider({ domains: ['shared.example'] }, { owner: ownerTwo, base: baseOf(two) });
    expect((await ownerOne.get<SignInSettings>(baseOf(one))).json).toMatchObject({
      provider: { mode: 'optional' },
      domains: [],
    });
    const [told] = await readMails('one@corp.example', 'no longer works for shared.example');
    expect(told!.text).toContain('Another workspace has proved shared.example');
    expect(told!.text).toContain(`/dashboard/w/${one.id}/settings/sign-in`);
    expect(await readMails('member@corp.example', 'shared.example')).toEqual([]);
    expect((await ownerTwo.delete(baseOf(two))).status).toBe(200);
    expectError(await start(), 'session/no_provider');
    expectError(await ownerTwo.delete(baseOf(two)), 'identity_provider/not_found');
  });

  it('lose a domain two weeks after its record has gone, and never because name servers are silent', async () => {
    const workspace = await harness.addWorkspace();
    const owner = await joinAs(harness, workspace, 'owner', 'gone@corp.example');
    const base = `/api/tenants/${workspace.id}/identity-provider`;
    const [domain] = (await setProvider({ domains: ['gone.example'], mode: 'required' }, { owner, base }))
      .domains;
    const readAfter = async (days: number) => {
      harness.clock.advance(days * 86_400_000);
      await harness.service.tick();
      return (await (await openSessionOf(harness, owner)).get<SignInSettings>(base)).json;
    };
    const found = (await readAfter(30)).domains[0]!.provedAt!;
    expect(Date.parse(found)).toBeGreaterThan(Date.parse(domain!.provedAt!));
    txtRecords.delete(domain!.record.name);
    expect(await readAfter(PROVIDER_LIMITS.proofDays - 1)).toMatchObject({
      provider: { mode: 'required' },
      domains: [{ provedAt: found }],
    });
    const lost = await readAfter(2);
    expect(lost.provider?.mode).toBe('optional');
    expect(lost.domains).toEqual([{ domain: 'gone.example', record: domain!.record }]);
    const [entry] = await harness.service.store.in(workspace.id).audit.list(1);
    expect(entry).toMatchObject({ action: 'identity_provider.domain_lost', actor: 'service' });
    const told = await readMails('gone@corp.example', 'no longer works for gone.example');
    expect(told.map(({ text }) => text)).toEqual([expect.stringContaining('missing for 14 days')]);
    const silence = () => Promise.reject(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' }));
    expect(await lookForRecord(domain!.record, silence)).toBe('unknown');
  });

  it('refuse domains that no record can prove', async () => {
    const fresh = await openSessionOf(harness, owner);
    for (const domain of [
      'example',
      'Corp.example',
      '*.corp.example',
      'corp.example.',
      'a@corp.example',
      '127.0.0.1',
    ])
      expectError(await fresh.put(path, settingsOf({ domains: [domain] })), 'request/invalid');
  });
});

describe('the provider of the installation', () => {
  let single: Harness;
  const finishAt = async (of: Harness, subject: string, browser = browserAt(of)) => {
    const { json } = await browser.post<{ url: string }>('/api/session/provider', {});
    const query = await provider.signIn(json.url, subject);
    return browser.post<SessionState>('/api/session/provider/return', { query });
  };
  const env = () => ({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.clientId,
    OIDC_CLIENT_SECRET: CLIENT.clientSecret,
    PUBLIC_URL,
  });
  beforeAll(async () => {
    single = await openHarness({ env: { ...env(), OIDC_NAME: 'Corp Login', OIDC_REQUIRED: 'on' } });
  });
  afterAll(() => single.close());

  it('signs in to proved addresses of accounts that exist, and to no others', async () => {
    const { json } = await browserAt(single).get('/api/session/options');
    expect(json).toEqual({ provider: { name: 'Corp Login' } });
    expectError(
      await finishAt(single, addToProvider({ email: 'nobody@corp.example' })),
      'session/no_account',
    );
    const { userId } = await addPerson(single, 'ada@corp.example', { role: 'member' });
    const unverified = addToProvider({ email: 'ada@corp.example', email_verified: undefined });
    expectError(await finishAt(single, unverified), 'session/email_not_allowed');
    const browser = browserAt(single);
    const signedIn = await finishAt(single, addToProvider({ email: 'ada@corp.example' }), browser);
    expect(signedIn.json).toMatchObject({ userId, signedInWith: 'oidc' });
    expect((await browser.get(`/api/tenants/${single.workspace.id}`)).status).toBe(200);
    expectError(await browserAt(single).signIn('ada@corp.example', PASSWORD), 'session/provider_required');
  });

  it('does not open a workspace that requires its own provider', async () => {
    const elsewhere = await single.addWorkspace();
    const other = await joinAs(single, elsewhere, 'owner');
    const base = `/api/tenants/${elsewhere.id}/identity-provider`;
    await setProvider({ domains: ['own.example'], mode: 'required' }, { owner: other, base }, single);
    await addPerson(single, 'eve@own.example', { role: 'member', workspaceId: elsewhere.id });
    expectError(
      await finishAt(single, addToProvider({ email: 'eve@own.example' })),
      'session/provider_required',
    );
  });

  it('adds people of its domains to the workspace that the operator names', async () => {
    await single.service.close();
    const more = {
      OIDC_APP_ID: single.appId,
      OIDC_EMAIL_DOMAINS: 'corp.example',
      OIDC_GROUP_ROLES: 'leads=admin',
    };
    single = await openHarness({ dataDir: single.dataDir, env: { ...env(), ...more } });
    const lead = addToProvider({ email: 'lead@corp.example', email_verified: undefined, groups: ['leads'] });
    const { json } = await finishAt(single, lead);
    expect(json.memberships).toMatchObject([{ tenantId: single.workspace.id, role: 'admin' }]);
    expectError(
      await finishAt(single, addToProvider({ email: 'a@rival.example' })),
      'session/email_not_allowed',
    );
  });
});
