import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK_HEADER } from '../../contract/fields.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { SessionState, SetupLink } from '../../contract/session.ts';
import { newSetupUrl } from '../../server/accounts/setup.ts';
import { hashToken } from '../../server/tokens/session-cookie.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { expectError, type TestResponse } from '../support/response.ts';
import { addPerson, browserAt, PASSWORD } from '../support/signed-in-client.ts';
import { occupyHashing } from '../support/team.ts';

/** The harness workspace replaces the demo workspace: it has no members. */
let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const link = async () => (await newSetupUrl(harness.service, harness.baseUrl))!;
const tokenOf = (url: string) => new URL(url).hash.replace('#token=', '');

const wanted = (token: string, more: object = {}) => ({
  token,
  email: 'Ada@Shop.example',
  password: PASSWORD,
  workspaceName: '  The   bicycle shop ',
  allowedOrigins: ['HTTPS://Bikes.example:443', 'https://*.bikes.example', 'https://bikes.example'],
  ...more,
});

const setUp = (token: string, more?: object): Promise<TestResponse<SessionState>> =>
  browserAt(harness).post('/api/setup', wanted(token, more));

const check = (token: string): Promise<TestResponse<SetupLink>> =>
  browserAt(harness).get('/api/setup', { [LINK_HEADER]: token });

describe('GET /api/setup', () => {
  it('returns when the link expires and does not use it up', async () => {
    const token = tokenOf(await link());
    const { expiresAt } = (await check(token)).json;
    const secondsLeft = (Date.parse(expiresAt) - harness.clock.now()) / 1000;
    expect(Math.abs(secondsLeft - ACCOUNT_LIMITS.setupLinkSeconds)).toBeLessThan(60);
    expect((await setUp(token)).status).toBe(201);
  });

  it('returns 404 for unknown, expired and used links, and once there is an owner', async () => {
    expectError(await check('unknown'), 'setup/not_found');
    const [first, second] = [tokenOf(await link()), tokenOf(await link())];
    await setUp(first);
    for (const token of [first, second]) expectError(await check(token), 'setup/not_found');
  });

  it('returns 404 after the link has expired', async () => {
    const token = tokenOf(await link());
    harness.clock.advance(ACCOUNT_LIMITS.setupLinkSeconds * 1000);
    expectError(await check(token), 'setup/not_found');
  });

  it('rejects a request without the token', async () => {
    const { issues } = expectError(await browserAt(harness).get('/api/setup'), 'request/invalid');
    expect(issues?.map(({ path }) => path)).toEqual([`headers.${LINK_HEADER}`]);
  });

  it('does not log the token', async () => {
    const token = tokenOf(await link());
    await check(token);
    expect(JSON.stringify(harness.logged)).not.toContain(token);
  });

  it('is rate-limited by IP address', async () => {
    const { points } = BUCKETS['session/ip-rate-limited'];
    for (let sent = 0; sent < points; sent += 1) await check('unknown');
    expectError(await check('unknown'), 'rate_limit/exceeded');
  });
});

describe('the set-up link', () => {
  it('carries its token in the URL fragment, which logs and proxies never see', async () => {
    const url = await link();
    expect(url).toMatch(new RegExp(`^${harness.baseUrl}/dashboard/setup#token=[A-Za-z0-9_-]{43}$`));
    await setUp(tokenOf(url));
    expect(JSON.stringify(harness.logged)).not.toContain(tokenOf(url));
  });

  it('still works after the database was unavailable for a while', async () => {
    const token = tokenOf(await link());
    const holder = new Database(harness.config.database.file);
    holder.exec('BEGIN IMMEDIATE');
    expectError(await setUp(token), 'storage/unavailable');
    holder.exec('ROLLBACK');
    holder.close();
    expect((await setUp(token)).status).toBe(201);
  });

  it('creates and signs in the first owner, who also owns the demo workspace', async () => {
    const browser = browserAt(harness);
    const { status, json } = await browser.post<SessionState>('/api/setup', wanted(tokenOf(await link())));
    expect(status).toBe(201);
    expect(json.email).toBe('ada@shop.example');
    expect(json.memberships.map(({ name, role }) => ({ name, role }))).toEqual(
      expect.arrayContaining([
        { name: 'The bicycle shop', role: 'owner' },
        { name: 'A shop', role: 'owner' },
      ]),
    );
    expect((await browser.get('/api/session')).json).toEqual(json);
    const { tenantId, memberId } = json.memberships.find(({ name }) => name === 'The bicycle shop')!;
    const { store } = harness.service;
    const workspace = await store.workspaces.find(tenantId);
    expect(workspace?.settings).toMatchObject({
      allowedOrigins: ['https://bikes.example', 'https://*.bikes.example'],
      sourceLocale: 'en',
    });
    expect(await store.in(tenantId).audit.list(10)).toMatchObject([
      { action: 'session.signed_in', actor: memberId },
      { action: 'workspace.created', actor: memberId, subject: tenantId, device: 'Firefox on Linux' },
    ]);
    expect(await store.in(harness.workspace.id).audit.list(2)).toMatchObject([
      { action: 'session.signed_in' },
      { action: 'member.added' },
    ]);
    expect((await browserAt(harness).signIn('ada@shop.example')).status).toBe(200);
  });

  it('works once and voids every other set-up link', async () => {
    const [first, second] = [tokenOf(await link()), tokenOf(await link())];
    expect((await setUp(second)).status).toBe(201);
    for (const token of [second, first]) {
      expectError(await setUp(token, { email: 'mallory@example.com' }), 'setup/not_found');
    }
    expect(await newSetupUrl(harness.service, harness.baseUrl)).toBeUndefined();
  });

  it('creates only one owner when two people use it at once', async () => {
    const [first, second] = [tokenOf(await link()), tokenOf(await link())];
    const responses = await Promise.all([
      setUp(first, { email: 'ada@shop.example' }),
      setUp(first, { email: 'grace@shop.example' }),
      setUp(second, { email: 'linus@shop.example' }),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
    for (const response of responses.filter(({ status }) => status === 404))
      expectError(response, 'setup/not_found');
    expect(await harness.service.store.workspaces.list()).toHaveLength(2);
  });

  it('expires after an hour and is deleted', async () => {
    const token = tokenOf(await link());
    harness.clock.advance(ACCOUNT_LIMITS.setupLinkSeconds * 1000 - 5_000);
    const { store, clock } = harness.service;
    expect(await store.users.findSetupLink(hashToken(token), clock.now())).toBeDefined();
    harness.clock.advance(5_000);
    expectError(await setUp(token), 'setup/not_found');
    await harness.service.tick();
    expect(await store.users.findSetupLink(hashToken(token), 0)).toBeUndefined();
  });

  it('rejects an unknown token before it hashes the password', async () => {
    const release = occupyHashing();
    const wrong = await setUp('a-link-that-nobody-made');
    const right = await setUp(tokenOf(await link()));
    await release();
    expectError(wrong, 'setup/not_found');
    expectError(right, 'server/overloaded');
  });

  it('stops working as soon as the command line creates an owner', async () => {
    const token = tokenOf(await link());
    await addPerson(harness, 'grace@shop.example');
    expectError(await setUp(token), 'setup/not_found');
    expect(await newSetupUrl(harness.service, harness.baseUrl)).toBeUndefined();
  });

  it.each([
    ['a weak password', { password: 'The bicycle shop' }, 'body.password'],
    ['an origin with a path', { allowedOrigins: ['https://a.example/x'] }, 'body.allowedOrigins.0'],
    ['no origin', { allowedOrigins: [] }, 'body.allowedOrigins'],
    ['a locale of one letter', { sourceLocale: 'x' }, 'body.sourceLocale'],
    ['an invalid locale', { sourceLocale: 'no-such-language-tag' }, 'body.sourceLocale'],
    ['an empty name', { workspaceName: ' \u0001 ' }, 'body.workspaceName'],
    ['an unknown field', { role: 'owner' }, 'body'],
  ])('stays valid after a request with %s', async (_, more, path) => {
    const token = tokenOf(await link());
    const { issues } = expectError(await setUp(token, more), 'request/invalid');
    expect(issues?.map((issue) => issue.path)).toEqual([path]);
    expect((await setUp(token)).status).toBe(201);
  });

  it('rejects cross-site requests', async () => {
    const token = tokenOf(await link());
    const headers = { 'sec-fetch-site': 'cross-site' };
    expectError(await browserAt(harness).post('/api/setup', wanted(token), headers), 'session/cross_site');
  });
});
