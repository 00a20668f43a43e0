import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderTrial, SignInSettings } from '../../contract/identity-providers.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { SessionState } from '../../contract/session.ts';
import { type Harness, openHarness, txtRecords } from '../support/harness.ts';
import { CLIENT, type LyingProvider, openLyingProvider } from '../support/identity-provider.ts';
import { expectError } from '../support/response.ts';
import { browserAt } from '../support/signed-in-client.ts';
import { joinAs, type MemberClient, openSessionOf } from '../support/team.ts';

/** Providers that answer with what no provider should, or that are where none may be. */

let harness: Harness;
let provider: LyingProvider;
let owner: MemberClient;
const PERSON = { sub: 'ada', email: 'ada@corp.example', email_verified: true };

beforeAll(async () => {
  harness = await openHarness({
    env: { SOURCE_NETWORKS: '127.0.0.1/32', TRUSTED_PROXIES: '127.0.0.1' },
  });
  provider = await openLyingProvider(PERSON);
  owner = await joinAs(harness, harness.workspace, 'owner');
  const set = await owner.put<SignInSettings>('/identity-provider', settingsOf());
  const { record } = set.json.domains[0]!;
  txtRecords.set(record.name, record.value);
  await owner.post('/identity-provider/domains/proofs', { domain: 'corp.example' });
});
afterAll(() => Promise.all([harness.close(), provider.close()]));
beforeEach(() => {
  harness.clock.advance(61 * 60_000);
  for (const name of Object.keys(provider.lie)) delete provider.lie[name as keyof typeof provider.lie];
});

const settingsOf = (change: object = {}) => ({
  ...{ ...CLIENT, issuer: provider.issuer, mode: 'optional', defaultRole: 'member', groupsClaim: 'groups' },
  ...{ groupRoles: [], domains: ['corp.example'], ...change },
});

/** Comes back with a code, as from the page of the provider; `nonce` is in its ID token. */
async function signIn({ fresh = false } = {}) {
  const browser = browserAt(harness);
  const started = await browser.post<{ url: string }>('/api/session/provider', {
    email: PERSON.email,
    fresh,
  });
  expect(started.status).toBe(200);
  const { searchParams } = new URL(started.json.url);
  provider.lie.claims = { nonce: searchParams.get('nonce'), ...provider.lie.claims };
  const query = `?code=a-code&state=${searchParams.get('state')}`;
  return browser.post<SessionState>('/api/session/provider/return', { query });
}

const nowSeconds = () => Math.floor(harness.clock.now() / 1000);

describe('an ID token', () => {
  it('signs the person in when it is right, with the code verifier and the secret', async () => {
    expect((await signIn()).json).toMatchObject({ email: PERSON.email });
    const sent = Object.fromEntries(provider.redeemed.at(-1)!);
    expect(sent).toMatchObject({ code: 'a-code', grant_type: 'authorization_code' });
    expect(sent.code_verifier).toMatch(/^[\w-]{43}$/);
  });

  const lies: [string, () => JWTPayload][] = [
    ['another nonce', () => ({ nonce: 'of-another-attempt' })],
    ['another audience', () => ({ aud: 'another-client' })],
    ['several audiences and another authorized party', () => ({ aud: [CLIENT.clientId, 'b'], azp: 'b' })],
    ['another issuer', () => ({ iss: 'https://rival.example' })],
    ['an expiry in the past', () => ({ iat: nowSeconds() - 900, exp: nowSeconds() - 600 })],
    ['a start in the future', () => ({ nbf: nowSeconds() + 600 })],
    ['no subject', () => ({ sub: undefined }) as JWTPayload],
    ['an empty subject', () => ({ sub: '' })],
  ];
  it.each(lies)('is refused with %s', async (_, claims) => {
    provider.lie.claims = claims();
    expectError(await signIn(), 'session/provider_refused');
  });

  const forgeries: [string, (payload: JWTPayload) => string | Promise<string>][] = [
    ['without a signature', (payload) => new UnsecuredJWT(payload).encode()],
    [
      'signed with the client secret',
      (payload) =>
        new SignJWT(payload)
          .setProtectedHeader({ alg: 'HS256', kid: 'of-tests' })
          .sign(new TextEncoder().encode(CLIENT.clientSecret)),
    ],
    [
      'signed with another key of the same name',
      async (payload) =>
        new SignJWT(payload)
          .setProtectedHeader({ alg: 'RS256', kid: 'of-tests' })
          .sign((await generateKeyPair('RS256')).privateKey),
    ],
    ['that is no token', () => 'a.b.c'],
  ];
  it.each(forgeries)('is refused %s', async (_, token) => {
    provider.lie.token = token;
    expectError(await signIn(), 'session/provider_refused');
  });

  it('is refused when the person did not authenticate again as asked', async () => {
    provider.lie.claims = { auth_time: nowSeconds() - 3600 };
    expectError(await signIn({ fresh: true }), 'session/provider_refused');
    provider.lie.claims = {};
    expectError(await signIn({ fresh: true }), 'session/provider_refused');
    provider.lie.claims = { auth_time: nowSeconds() };
    expect((await signIn({ fresh: true })).status).toBe(200);
  });

  it('is not completed by what the provider says about somebody else', async () => {
    provider.lie.claims = { email: undefined } as JWTPayload;
    provider.lie.userinfo = { ...PERSON, sub: 'somebody-else' };
    expectError(await signIn(), 'session/provider_refused');
    provider.lie.claims = { email: undefined } as JWTPayload;
    provider.lie.userinfo = PERSON;
    expect((await signIn()).json).toMatchObject({ email: PERSON.email });
  });
});

describe('the address of a provider', () => {
  const tryOut = async (issuer: string) =>
    (await (await openSessionOf(harness, owner)).post<ProviderTrial>('/identity-provider/trials', { issuer }))
      .json;

  it('is read, and what is wrong is said', async () => {
    expect(await tryOut(provider.issuer)).toEqual({ signInUrl: `${provider.issuer}/authorize` });
    expect(await tryOut(`${provider.issuer}/nowhere`)).toEqual({ problem: 'no_document', status: 404 });
    expect(await tryOut('http://127.0.0.1:9')).toEqual({ problem: 'unreachable' });
    provider.lie.document = { issuer: 'https://rival.example' };
    expect(await tryOut(provider.issuer)).toEqual({
      problem: 'wrong_issuer',
      statedIssuer: 'https://rival.example',
    });
    provider.lie.document = { token_endpoint: undefined };
    expect(await tryOut(provider.issuer)).toEqual({ problem: 'no_endpoint' });
    provider.lie.document = { jwks_uri: `${provider.issuer}/nowhere` };
    expect(await tryOut(provider.issuer)).toEqual({ problem: 'no_keys', status: 404 });
    provider.lie.document = { response_types_supported: ['id_token'] };
    expect(await tryOut(provider.issuer)).toEqual({ problem: 'no_code_flow' });
  });

  it.each([
    'http://login.example.com',
    'https://127.0.0.2',
    'https://10.0.0.1',
    'https://[::1]',
    'https://169.254.169.254/latest',
    'https://user:password@login.example.com',
    'https://login.example.com/?a=b',
  ])('is not asked when it is %s', async (issuer) => {
    expect(await tryOut(issuer)).toEqual({ problem: 'address_not_allowed' });
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'https://login.example.com/\r\nhost: rival.example'])(
    'is refused when it is %j',
    async (issuer) => {
      const fresh = await openSessionOf(harness, owner);
      expectError(await fresh.post('/identity-provider/trials', { issuer }), 'request/invalid');
    },
  );

  it('leads the browser nowhere but to a page of the web', async () => {
    for (const endpoint of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://login.example.com',
      'nonsense',
    ]) {
      provider.lie.document = { authorization_endpoint: endpoint };
      expect(await tryOut(provider.issuer)).toEqual({ problem: 'no_endpoint' });
    }
  });

  it('does not lead into a private network with its other addresses', async () => {
    provider.lie.document = { jwks_uri: 'http://127.0.0.2:9/jwks' };
    const fresh = await openSessionOf(harness, owner);
    // Another client id, so that what was read before is not used.
    const settings = settingsOf({ clientId: 'another', clientSecret: 'x' });
    expect((await fresh.put('/identity-provider', settings)).status).toBe(200);
    provider.lie.claims = { aud: 'another' };
    expectError(await signIn(), 'session/provider_refused');
    provider.lie.document = { token_endpoint: 'http://127.0.0.2:9/token' };
    await fresh.put('/identity-provider', { ...settings, clientId: 'a-third' });
    expectError(await signIn(), 'session/provider_refused');
  });

  it('is not used any more when it fails before the person comes back', async () => {
    const fresh = await openSessionOf(harness, owner);
    await fresh.put('/identity-provider', settingsOf({ clientId: 'a-fifth' }));
    expect((await browserAt(harness).post('/api/session/provider', { email: PERSON.email })).status).toBe(
      200,
    );
    harness.clock.advance(9 * 60_000);
    const browser = browserAt(harness);
    await browser.post('/api/session/provider', { email: PERSON.email });
    harness.clock.advance(2 * 60_000);
    provider.lie.document = { issuer: 'https://rival.example' };
    expectError(
      await browser.post('/api/session/provider/return', { query: '?code=a-code&state=x' }),
      'session/provider_failed',
    );
  });

  it('is kept for a while, and a failure for a shorter one', async () => {
    const fresh = await openSessionOf(harness, owner);
    await fresh.put('/identity-provider', settingsOf({ clientId: 'a-fourth' }));
    provider.lie.document = { issuer: 'https://rival.example' };
    const start = () => browserAt(harness).post('/api/session/provider', { email: PERSON.email });
    const count = () => provider.asked.filter((path) => path.includes('openid-configuration')).length;
    const before = count();
    for (let time = 0; time < 3; time += 1) expectError(await start(), 'session/provider_failed');
    expect(count()).toBe(before + 1);
    harness.clock.advance(20_000);
    provider.lie.document = {};
    for (let time = 0; time < 3; time += 1) expect((await start()).status).toBe(200);
    expect(count()).toBe(before + 2);
  });
});

it('limits how often a network starts and finishes sign-ins', async () => {
  const browser = browserAt(harness, { 'x-forwarded-for': '203.0.113.9' });
  const { points } = BUCKETS['session/ip-rate-limited'];
  for (let time = 0; time < points; time += 1)
    await browser.post('/api/session/provider/return', { query: '?code=x' });
  expectError(
    await browser.post('/api/session/provider/return', { query: '?code=x' }),
    'rate_limit/exceeded',
  );
  expectError(await browser.post('/api/session/provider', { email: PERSON.email }), 'rate_limit/exceeded');
});
