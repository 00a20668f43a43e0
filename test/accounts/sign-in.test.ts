import { argon2Sync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { hashToken } from '../../server/tokens/session-cookie.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { addPerson, browserAt, PASSWORD } from '../support/signed-in-client.ts';
import { occupyHashing } from '../support/team.ts';

let harness: Harness;
let owner: Awaited<ReturnType<typeof addPerson>>;
const OWNER = 'ada@shop.example';
const MINUTE = 60_000;

beforeAll(async () => {
  harness = await openHarness({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  owner = await addPerson(harness, OWNER);
});
afterAll(() => harness.close());

// Attempts are rate-limited, so each test uses its own address.
beforeEach(() => harness.clock.advance(61 * MINUTE));

describe('POST /api/session', () => {
  it('returns the user, the expiry and the memberships', async () => {
    const elsewhere = await harness.addWorkspace();
    const second = await addPerson(harness, OWNER, { role: 'member', workspaceId: elsewhere.id });
    const browser = browserAt(harness);
    const before = harness.clock.now();
    const { status, json } = await browser.signIn('Ada@Shop.example');
    expect(status).toBe(200);
    expect(json).toMatchObject({ userId: owner.userId, email: OWNER });
    expect(json.memberships).toEqual([
      {
        tenantId: harness.workspace.id,
        appId: harness.appId,
        name: 'A shop',
        memberId: owner.memberId,
        role: 'owner',
        needsSecondFactor: false,
      },
      {
        tenantId: elsewhere.id,
        appId: elsewhere.appId,
        name: 'A shop',
        memberId: second.memberId,
        role: 'member',
        needsSecondFactor: false,
      },
    ]);
    const minutesTo = (iso: string) => Math.round((Date.parse(iso) - before) / MINUTE);
    expect([minutesTo(json.createdAt), minutesTo(json.freshUntil), minutesTo(json.expiresAt)]).toEqual([
      0,
      10,
      7 * 24 * 60,
    ]);
    expect((await browser.get('/api/session')).json).toEqual(json);
    expect((await browser.get(`/api/tenants/${harness.workspace.id}`)).status).toBe(200);
  });

  it('sets a cookie that is HttpOnly and SameSite', async () => {
    const { headers } = await browserAt(harness).signIn(OWNER);
    expect(headers.getSetCookie()[0]).toMatch(
      /^gp_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=60(?:4800|479\d); HttpOnly; SameSite=Lax$/,
    );
    expect(headers.get('cache-control')).toContain('no-store');
  });

  it('sets a __Host- cookie over https', async () => {
    const secure = await openHarness({ env: { PUBLIC_URL: 'https://guide.example.com' } });
    await addPerson(secure, OWNER);
    const browser = browserAt(secure);
    const { headers } = await browser.signIn(OWNER);
    const [session, device] = headers.getSetCookie();
    expect(device).toMatch(
      /^__Host-gp_device=usr_[0-9a-z]{26}\.[A-Za-z0-9_-]{22}(?:\.[A-Za-z0-9_-]{43}){2}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(session).toMatch(
      /^__Host-gp_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=60(?:4800|479\d); HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await browser.get('/api/session')).status).toBe(200);
    const signedOut = await browser.delete('/api/session');
    expect(signedOut.headers.get('set-cookie')).toBe(
      '__Host-gp_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    );
    // Sibling hosts can set a cookie without the prefix.
    browser.cookie = headers.get('set-cookie')!.split(';')[0]!.replace('__Host-', '');
    expectError(await browser.get('/api/session'), 'session/unauthorized');
    await secure.close();
  });

  it('ends the previous session of the browser', async () => {
    const browser = browserAt(harness);
    await browser.signIn(OWNER);
    const earlier = browserAt(harness);
    earlier.cookie = browser.cookie;
    await browser.signIn(OWNER);
    expect(browser.cookie).not.toBe(earlier.cookie);
    expectError(await earlier.get('/api/session'), 'session/unauthorized');
  });

  it('stores only the hash of the session token', async () => {
    const browser = browserAt(harness);
    const { json } = await browser.signIn(OWNER);
    const token = browser.cookie.split('=')[1]!;
    const session = await harness.service.store.sessions.find(json.sessionId);
    expect(session?.tokenHash).toBe(hashToken(token));
    expect(JSON.stringify(session)).not.toContain(token);
    expect(JSON.stringify(harness.logged)).not.toContain(token);
    expect(JSON.stringify(harness.logged)).not.toContain(PASSWORD);
  });

  it('rehashes a password that was hashed with older parameters', async () => {
    const { userId } = await addPerson(harness, 'grace@shop.example');
    const { users } = harness.service.store;
    const { passwordHash } = (await users.find(userId))!;
    const nonce = Buffer.from('0123456789abcdef');
    const parameters = { parallelism: 1, tagLength: 32, memory: 1024, passes: 3 };
    const made = argon2Sync('argon2id', { message: PASSWORD, nonce, ...parameters });
    const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    await users.rehash(userId, passwordHash, `$argon2id$v=19$m=1024,t=3,p=1$${bare(nonce)}$${bare(made)}`);
    expect((await browserAt(harness).signIn('grace@shop.example')).status).toBe(200);
    expect((await users.find(userId))?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await browserAt(harness).signIn('grace@shop.example')).status).toBe(200);
  });
});

describe('POST /api/session: rejected requests', () => {
  it('returns the same error for a wrong password, an unknown email and a user without a password', async () => {
    await addPerson(harness, 'imported@shop.example', { password: PASSWORD });
    const { users } = harness.service.store;
    const { id, passwordHash } = (await users.listByEmail('imported@shop.example').then(([first]) => first))!;
    await users.rehash(id, passwordHash, '');
    const tries = [
      await browserAt(harness).signIn(OWNER, 'violet spoon under the sofa'),
      await browserAt(harness).signIn('nobody@shop.example'),
      await browserAt(harness).signIn('imported@shop.example'),
      await browserAt(harness).signIn('imported@shop.example', ' '),
    ];
    const bodies = tries.map((response) => {
      const { request_id: _, ...body } = expectError(response, 'session/wrong_credentials');
      expect(response.headers.get('set-cookie')).toBeNull();
      // No browser knows this scheme, so none opens a dialog of its own.
      expect(response.headers.get('www-authenticate')).toBe('Cookie realm="guidepost"');
      return body;
    });
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });

  it('rejects everyone on a new installation, because there is no default account', async () => {
    const fresh = await openHarness();
    for (const email of [
      'admin@example.com',
      'owner@example.com',
      'demo@example.com',
      'root@localhost.example',
    ]) {
      for (const password of ['admin', 'password', 'guidepost', 'changeme']) {
        expectError(await browserAt(fresh).signIn(email, password), 'session/wrong_credentials');
      }
    }
    await fresh.close();
  });

  it('returns 503 while the hashing queue is full, for unknown emails too', async () => {
    const browser = browserAt(harness);
    await browser.signIn(OWNER);
    const release = occupyHashing();
    const answers = [
      await browserAt(harness).signIn(OWNER),
      // Timing must not reveal that an email is unknown.
      await browserAt(harness).signIn('nobody@shop.example'),
      await browser.post('/api/session/confirm', { password: PASSWORD }),
      await browser.put('/api/password', {
        currentPassword: PASSWORD,
        newPassword: 'eleven green lamps at dusk',
      }),
    ];
    await release();
    for (const response of answers) {
      expectError(response, 'server/overloaded');
      expect(response.headers.get('retry-after')).toBe('2');
    }
    expect((await browserAt(harness).signIn(OWNER)).status).toBe(200);
  });

  it('rejects cross-site requests and HTML forms', async () => {
    const browser = browserAt(harness);
    const good = { email: OWNER, password: PASSWORD };
    const foreign = await browser.post('/api/session', good, { 'sec-fetch-site': 'same-site' });
    expectError(foreign, 'session/cross_site');
    const form = await browser.post('/api/session', good, { 'content-type': 'text/plain' });
    expectError(form, 'request/unsupported_media_type');
    expect(browser.cookie).toBe('');
  });
});

describe('the rate limit of sign-in attempts', () => {
  const from = (address: string) => browserAt(harness, { 'x-forwarded-for': address });

  it('rejects even the right password after ten attempts from one network on one email', async () => {
    const browser = from('192.0.2.1');
    for (let at = 0; at < BUCKETS['session/sign-in'].points; at += 1) {
      expectError(await browser.signIn(OWNER, `guess number ${at}`), 'session/wrong_credentials');
    }
    harness.clock.advance(5 * MINUTE);
    for (const email of [OWNER, OWNER.toUpperCase()]) {
      const response = await browser.signIn(email);
      const { bucket, retryAfterSec } = expectError(response, 'rate_limit/exceeded');
      expect(bucket).toBe('session/sign-in');
      expect(retryAfterSec).toBeGreaterThan(9 * 60);
      expect(retryAfterSec).toBeLessThanOrEqual(10 * 60);
      expect(response.headers.get('retry-after')).toBe(String(retryAfterSec));
    }
    // Neither the owner on another network nor other accounts on this network are locked out.
    expect((await from('198.51.100.1').signIn(OWNER)).status).toBe(200);
    expectError(await browser.signIn('nobody@shop.example'), 'session/wrong_credentials');
    harness.clock.advance(10 * MINUTE + 1000);
    expect((await browser.signIn(OWNER)).status).toBe(200);
  });

  it('applies to unknown emails too', async () => {
    const browser = from('192.0.2.2');
    const points = BUCKETS['session/sign-in'].points;
    for (let at = 0; at < points; at += 1) await browser.signIn('nobody@shop.example', `guess number ${at}`);
    const { bucket } = expectError(await browser.signIn('nobody@shop.example'), 'rate_limit/exceeded');
    expect(bucket).toBe('session/sign-in');
  });

  it('does not count attempts that are rejected because the hashing queue is full', async () => {
    const release = occupyHashing();
    const browser = from('192.0.2.3');
    for (let at = 0; at < 3 * BUCKETS['session/sign-in'].points; at += 1)
      expectError(await browser.signIn('busy@shop.example', 'a guess'), 'server/overloaded');
    await release();
    expectError(await browser.signIn('busy@shop.example', 'a guess'), 'session/wrong_credentials');
  });

  it('slows strangers on changing networks but not the owner in known browsers', async () => {
    const { email } = await addPerson(harness, 'target@shop.example');
    const known = from('192.0.2.40');
    const signedIn = from('192.0.2.41');
    expect((await known.signIn(email)).status).toBe(200);
    expect((await signedIn.signIn(email)).status).toBe(200);
    const responses = await Promise.all(
      Array.from({ length: 120 }, (_, at) => from(`203.0.113.${at % 12}`).signIn(email, 'a guess')),
    );
    const allowed = responses.filter(({ status }) => status !== 429);
    expect(allowed).toHaveLength(BUCKETS['session/account-sign-in'].points - 2);
    const stranger = await from('198.51.100.7').signIn(email);
    const { bucket, retryAfterSec } = expectError(stranger, 'rate_limit/exceeded');
    expect(bucket).toBe('session/account-sign-in');
    expect(retryAfterSec).toBeLessThanOrEqual(5 * 60);
    expect((await known.signIn(email)).status).toBe(200);
    expect((await signedIn.post('/api/session/confirm', { password: PASSWORD })).status).toBe(200);
    harness.clock.advance(5 * MINUTE + 1000);
    expect((await from('198.51.100.7').signIn(email)).status).toBe(200);
  });

  it("counts attempts of each known browser separately, and those with a forged cookie as a stranger's", async () => {
    const { email } = await addPerson(harness, 'barbara@shop.example');
    const [thief, known] = [from('192.0.2.50'), from('192.0.2.51')];
    for (const browser of [thief, known]) await browser.signIn(email);
    const { points } = BUCKETS['session/device-sign-in'];
    for (let at = 0; at < points; at += 1)
      expectError(await thief.signIn(email, 'a guess'), 'session/wrong_credentials');
    expect(expectError(await thief.signIn(email), 'rate_limit/exceeded').bucket).toBe(
      'session/device-sign-in',
    );
    expect((await known.signIn(email)).status).toBe(200);
    const forger = from('192.0.2.52');
    const swap = (text: string) => (text.at(-2) === 'A' ? 'B' : 'A');
    for (let at = 0; at < BUCKETS['session/sign-in'].points; at += 1) {
      forger.device = `${known.device.slice(0, -2)}${swap(known.device)}${known.device.at(-1)}`;
      expectError(await forger.signIn(email, 'a guess'), 'session/wrong_credentials');
    }
    expect(expectError(await forger.signIn(email), 'rate_limit/exceeded').bucket).toBe('session/sign-in');
  });

  it('stops recognizing known browsers after a password change', async () => {
    const { email } = await addPerson(harness, 'radia@shop.example');
    const [other, own] = [from('192.0.2.60'), from('192.0.2.61')];
    for (const browser of [other, own]) await browser.signIn(email);
    const newPassword = 'eleven green lamps at dusk';
    const earlier = own.device;
    await own.put('/api/password', { currentPassword: PASSWORD, newPassword });
    expect(own.device).not.toBe(earlier);
    for (let at = 0; at < BUCKETS['session/sign-in'].points; at += 1) await other.signIn(email, 'a guess');
    expect(expectError(await other.signIn(email, newPassword), 'rate_limit/exceeded').bucket).toBe(
      'session/sign-in',
    );
    expect((await own.signIn(email, newPassword)).status).toBe(200);
  });

  it('counts confirmations and changes of the password separately for each session', async () => {
    const [browser, another] = [from('192.0.2.3'), from('192.0.2.3')];
    const { email } = await addPerson(harness, 'linus@shop.example');
    for (const one of [browser, another]) await one.signIn(email);
    const change = { currentPassword: 'not the password', newPassword: 'eleven green lamps at dusk' };
    for (let at = 0; at < BUCKETS['session/device-sign-in'].points / 2; at += 1) {
      const confirmed = await browser.post('/api/session/confirm', { password: 'not the password' });
      expectError(confirmed, 'session/wrong_credentials');
      expectError(await browser.put('/api/password', change), 'session/wrong_credentials');
    }
    for (const response of [
      await browser.post('/api/session/confirm', { password: PASSWORD }),
      await browser.put('/api/password', { ...change, currentPassword: PASSWORD }),
    ]) {
      expect(expectError(response, 'rate_limit/exceeded').bucket).toBe('session/device-sign-in');
    }
    expect((await browser.get('/api/session')).status).toBe(200);
    expect((await another.post('/api/session/confirm', { password: PASSWORD })).status).toBe(200);
  });
});
