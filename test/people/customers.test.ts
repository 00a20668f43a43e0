import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CUSTOMER_LIMITS } from '../../contract/limits/customers.ts';
import { createNamedServers, PrivateAddress } from '../../server/base/address-guard.ts';
import { createKeySets } from '../../server/people/key-set.ts';
import { decide } from '../support/decisions.ts';
import { textOf } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';

/** Known customers: visitors whom the site has signed in. */

type CreatedKey = { id: string; kind: string; url?: string; secret?: string };

let team: Team;
beforeEach(async () => {
  team = await openTeam({ env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
});
afterEach(() => team.close());

const createKey = async (json: object = { kind: 'secret' }) =>
  (await team.as('admin').post<CreatedKey>('/customer-keys', json)).json;
const createSecret = async () => (await createKey()).secret!;
const nowSeconds = () => Math.floor(team.harness.clock.now() / 1000);

const claimsOf = (more: JWTPayload = {}): JWTPayload => ({
  sub: 'customer-1',
  aud: team.harness.appId,
  exp: nowSeconds() + 600,
  ...more,
});
const sign = (secret: string, claims: JWTPayload = {}) =>
  new SignJWT(claimsOf(claims)).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
const check = async (token: string) =>
  (await team.as('admin').post('/customers/token-checks', { token })).json;
const boot = (userToken: string, more: object = {}) => team.harness.boot({ user_token: userToken, ...more });

describe('a user token', () => {
  it('makes the visitor the same customer on every device, and only with the token', async () => {
    const secret = await createSecret();
    const phone = await boot(await sign(secret));
    const laptop = await boot(await sign(secret), { visitor_id: (await team.harness.boot()).visitor_id });
    expect(phone).toMatchObject({ user_token: 'accepted', features: { persist_visitor: false } });
    expect(laptop.visitor_id).toBe(phone.visitor_id);
    expect((await boot(await sign(secret, { sub: 'customer-2' }))).visitor_id).not.toBe(phone.visitor_id);

    const withoutToken = await team.harness.boot({ visitor_id: phone.visitor_id });
    expect(withoutToken.visitor_id).not.toBe(phone.visitor_id);
    expect(withoutToken).not.toHaveProperty('user_token');
    expect(textOf(await team.harness.ask(phone.jwt))).not.toBe('');
  });

  it('lets the customer continue on another device what they have agreed to keep', async () => {
    const secret = await createSecret();
    const phone = await boot(await sign(secret));
    await team.harness.ask(phone.jwt, { conversation_id: 'first', message: 'Do you wrap gifts?' });
    team.harness.clock.advance(60_000);
    await team.harness.ask(phone.jwt, { conversation_id: 'second', message: 'a'.repeat(200) });
    const list = async (userToken: string) => {
      const { jwt } = await boot(userToken);
      const response = await team.harness.fetch('/conversations', {
        headers: { authorization: `Bearer ${jwt}` },
      });
      return (await response.json()) as object;
    };
    expect(await list(await sign(secret))).toEqual({ data: [] });
    await decide(team.harness, phone);
    expect(await list(await sign(secret))).toEqual({
      data: [
        { conversation_id: 'second', title: 'a'.repeat(100), last_at: expect.any(Number) },
        { conversation_id: 'first', title: 'Do you wrap gifts?', last_at: expect.any(Number) },
      ],
    });
    expect(await list(await sign(secret, { sub: 'customer-2' }))).toEqual({ data: [] });
  });

  it('is that of one workspace', async () => {
    const secret = await createSecret();
    const other = await team.harness.addWorkspace();
    const token = await sign(secret);
    const booted = await boot(token, { app_id: other.appId });
    expect(booted).toMatchObject({ user_token: 'no_key' });
    expect(booted.visitor_id).not.toBe((await boot(token)).visitor_id);
  });

  it('is proved by any key of the workspace, until the key is deleted', async () => {
    const old = await createKey();
    const secret = await createSecret();
    for (const one of [old.secret!, secret])
      expect(await boot(await sign(one))).toMatchObject({ user_token: 'accepted' });
    expect((await team.as('admin').delete(`/customer-keys/${old.id}`)).status).toBe(200);
    expect(await boot(await sign(old.secret!))).toMatchObject({ user_token: 'invalid' });
    expect(await boot(await sign(secret))).toMatchObject({ user_token: 'accepted' });
    expectError(await team.as('admin').delete(`/customer-keys/${old.id}`), 'customer/key_not_found');
  });

  it('is refused, and the visitor is served without it, when it is forged, late or for something else', async () => {
    const secret = await createSecret();
    const publicLooking = await generateKeyPair('RS256');
    const forged: [string, string][] = [
      ['malformed', 'no token at all'],
      ['malformed', 'x'.repeat(CUSTOMER_LIMITS.userTokenCharsMax)],
      ['algorithm', new UnsecuredJWT(claimsOf()).encode()],
      ['signature', await sign('cks_another-secret-of-somebody-else-entirely-000')],
      [
        'algorithm',
        await new SignJWT(claimsOf()).setProtectedHeader({ alg: 'RS256' }).sign(publicLooking.privateKey),
      ],
      [
        'algorithm',
        await new SignJWT(claimsOf())
          .setProtectedHeader({ alg: 'HS512' })
          .sign(new TextEncoder().encode(secret)),
      ],
      ['audience', await sign(secret, { aud: 'gp_another_app' })],
      ['audience', await sign(secret, { aud: undefined })],
      ['subject', await sign(secret, { sub: undefined })],
      ['subject', await sign(secret, { sub: '' })],
      ['subject', await sign(secret, { sub: 'x'.repeat(CUSTOMER_LIMITS.subCharsMax + 1) })],
      ['times', await sign(secret, { exp: undefined })],
      ['times', await sign(secret, { exp: nowSeconds() + CUSTOMER_LIMITS.userTokenSecondsMax + 60 })],
      ['times', await sign(secret, { nbf: nowSeconds() + 600 })],
      ['expired', await sign(secret, { exp: nowSeconds() - 60 })],
      ['signature', `${(await sign(secret)).slice(0, -2)}AA`],
    ];
    const { visitor_id } = await team.harness.boot();
    for (const [problem, token] of forged) {
      const result = problem === 'expired' ? 'expired' : 'invalid';
      expect(await boot(token, { visitor_id })).toMatchObject({ user_token: result, visitor_id });
      expect(await check(token)).toEqual({ result, problem });
    }
  });

  it('takes name and email, and drops those that are none', async () => {
    const secret = await createSecret();
    const { jwt } = await boot(await sign(secret, { name: ' Ada \n Lovelace ', email: 'ada@example.com' }));
    const read = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).usr;
    expect(read(jwt)).toStrictEqual({ name: 'Ada Lovelace', email: 'ada@example.com' });
    const odd = await boot(await sign(secret, { name: 7, email: 'a\r\nBcc: b@example.com' }));
    expect(read(odd.jwt)).toStrictEqual({});
  });

  it('is checked for the site: what is kept, and which claims are dropped', async () => {
    expect(await check('not.a.token')).toEqual({ result: 'no_key', problem: 'no_key' });
    const secret = await createSecret();
    const customerAttributes = [
      { name: 'plan', type: 'one_of', values: ['free', 'pro'] },
      { name: 'beta', type: 'boolean' },
    ];
    await team.as('admin').patch('', { customerAttributes });
    const claims = { name: 'Ada', email: 'none', plan: 'pro', beta: 'yes', role: 'buyer', iat: nowSeconds() };
    const token = await sign(secret, { ...claims, exp: nowSeconds() + 60 });
    expect(await check(token)).toEqual({
      result: 'accepted',
      customer: {
        ...{ sub: 'customer-1', name: 'Ada', attributes: ['plan=pro'] },
        dropped: ['email', 'beta', 'role'],
        expiresAt: expect.any(String),
      },
    });
    expect(
      JSON.stringify(await team.harness.service.store.in(team.workspace.id).audit.list(100)),
    ).not.toContain(token);
  });
});

describe('a key set', () => {
  let site: Server;
  let reply: () => { status: number; body: string };
  let requests = 0;
  beforeEach(async () => {
    requests = 0;
    site = createServer((_request, response) => {
      requests += 1;
      const { status, body } = reply();
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
    await new Promise<void>((resolve) => site.listen(0, '0.0.0.0', resolve));
  });
  afterEach(() => site.close());
  const url = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/jwks.json`;

  it.each(['RS256', 'ES256'])('proves a token signed with %s, and is read once', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg);
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg }];
    reply = () => ({ status: 200, body: JSON.stringify({ keys }) });
    expect(await createKey({ kind: 'key_set', url: url() })).toMatchObject({ kind: 'key_set', url: url() });
    const token = await new SignJWT(claimsOf()).setProtectedHeader({ alg, kid: 'one' }).sign(privateKey);
    for (let n = 0; n < 2; n += 1) expect(await boot(token)).toMatchObject({ user_token: 'accepted' });
    expect(requests).toBe(1);

    // A public key is known to everybody, so it may not pass for a secret.
    const confused = await new SignJWT(claimsOf())
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(new TextEncoder().encode(JSON.stringify(keys[0])));
    expect(await boot(confused)).toMatchObject({ user_token: 'invalid' });
  });

  it('that cannot be read leaves the visitor without the token', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    await createKey({ kind: 'key_set', url: url() });
    const token = await new SignJWT(claimsOf()).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    for (const answer of [
      { status: 500, body: '' },
      { status: 302, body: '' },
      { status: 200, body: 'no JSON' },
      { status: 200, body: `"${'x'.repeat(300_000)}"` },
    ]) {
      reply = () => answer;
      expect(await boot(token)).toMatchObject({ user_token: 'no_key' });
      expect(await check(token)).toEqual({ result: 'no_key', problem: 'unreadable_key' });
    }
  });

  it('is refused without an address, without TLS, and at a private one', async () => {
    const post = (json: object) => team.as('admin').post('/customer-keys', json);
    for (const json of [{ kind: 'key_set' }, { kind: 'secret', url: url() }])
      expectError(await post(json), 'request/invalid');
    for (const address of [
      'http://93.184.215.14/jwks.json',
      'https://user@shop.example.com/jwks.json',
      'https://10.0.0.1/jwks.json',
      'https://[::ffff:10.0.0.1]/jwks.json',
    ])
      expect(await post({ kind: 'key_set', url: address })).toMatchObject({
        status: 400,
        json: { issues: [{ path: 'body.url', code: 'address_not_allowed' }] },
      });
  });

  it('is not read once its name has a private address', async () => {
    let address = '127.0.0.1';
    const servers = createNamedServers({
      networks: ['127.0.0.1/32'],
      setting: 'SOURCE_NETWORKS',
      resolve: async () => [{ address, family: 4 }],
    });
    const named = `http://shop.example:${new URL(url()).port}/jwks.json`;
    reply = () => ({ status: 500, body: '' });
    const read = () => createKeySets(servers)(named)({ alg: 'ES256' }, {} as never);
    expect(await servers.parse(named)).toBe(named);
    await expect(read()).rejects.toThrow('Expected 200 OK');
    address = '127.0.0.2';
    expect(await servers.parse(named)).toBeUndefined();
    await expect(read()).rejects.toThrow(PrivateAddress);
    expect(requests).toBe(1);
  });
});

describe('the keys of a workspace', () => {
  it('are listed without their secrets, which are stored encrypted, and are at most five', async () => {
    const secrets = [];
    for (let n = 0; n < CUSTOMER_LIMITS.keysMax; n += 1) secrets.push(await createSecret());
    expectError(await team.as('admin').post('/customer-keys', { kind: 'secret' }), 'customer/too_many_keys');
    const listed = (await team.as('admin').get<{ data: CreatedKey[] }>('/customer-keys')).json;
    expect(listed.data).toHaveLength(CUSTOMER_LIMITS.keysMax);
    const stored = await team.harness.service.store.in(team.workspace.id).customerKeys.list();
    for (const secret of secrets) {
      expect(JSON.stringify(listed)).not.toContain(secret);
      expect(JSON.stringify(stored)).not.toContain(secret);
    }
    const audit = await team.harness.service.store.in(team.workspace.id).audit.list(100);
    expect(audit.filter(({ action }) => action === 'customer_key.created')).toHaveLength(secrets.length);
  });
});

describe('a customer', () => {
  it('is found under the pseudonym of their data, and erased, by the id of the site', async () => {
    const secret = await createSecret();
    const first = await boot(await sign(secret));
    await decide(team.harness, first);
    await team.harness.ask(first.jwt);
    const workspaceStore = team.harness.service.store.in(team.workspace.id);
    const find = async () =>
      (await team.as('admin').post<{ visitorId: string }>('/customers/lookups', { sub: 'customer-1' })).json;
    const { visitorId } = await find();
    const ofCustomer = () =>
      workspaceStore.conversations.listConversations(10, undefined, undefined, visitorId);
    expect(await ofCustomer()).toHaveLength(1);

    const erased = await team.as('admin').post('/customers/erasures', { sub: 'customer-1' });
    expect(erased.json).toMatchObject({ ok: true, conversations: 1 });
    expect(await ofCustomer()).toEqual([]);
    const late = await team.harness.fetch('/visitor', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${first.jwt}` },
    });
    expect(late.status).toBe(401);

    const again = await boot(await sign(secret));
    expect(again).toMatchObject({ user_token: 'accepted' });
    expect(again.visitor_id).not.toBe(first.visitor_id);
    expect((await find()).visitorId).not.toBe(visitorId);
    const audit = await workspaceStore.audit.list(100);
    expect(JSON.stringify(audit)).not.toContain('customer-1');
  });
});

it('accepts what the documented code signs', async () => {
  const page = readFileSync(new URL('../../docs/known-customers.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]+?)```/.exec(page)![1]!;
  const { signUser } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const secret = await createSecret();
  await team.as('admin').patch('', { customerAttributes: [{ name: 'plan', type: 'text' }] });
  const attributes = { plan: 'pro' };
  const customer = { id: '48151623', name: 'Ada', email: 'ada@example.com', attributes };
  expect(await check(signUser(secret, team.harness.appId, customer))).toMatchObject({
    customer: { sub: '48151623', attributes: ['plan=pro'], dropped: [] },
  });
});
