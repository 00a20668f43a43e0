import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SessionState } from '../../contract/session.ts';
import { getDeviceName } from '../../server/base/device-name.ts';
import { newId } from '../../server/base/ids.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { addPerson, type Browser, browserAt, PASSWORD } from '../support/signed-in-client.ts';

let harness: Harness;
const ADA = 'ada@shop.example';
const GRACE = 'grace@shop.example';
const NEW_PASSWORD = 'eleven green lamps at dusk';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Page = {
  data: { id: string; device: string; lastSeenAt: string; current: boolean; signedInWith?: string }[];
  nextCursor?: string;
};

beforeAll(async () => {
  harness = await openHarness();
  await addPerson(harness, ADA);
  await addPerson(harness, GRACE);
});
afterAll(() => harness.close());

// Ends all sessions of the previous test and resets its rate limits.
beforeEach(() => harness.clock.advance(13 * HOUR));

async function signedIn(email = ADA, password = PASSWORD): Promise<Browser> {
  const browser = browserAt(harness);
  const response = await browser.signIn(email, password);
  expect(response.status).toBe(200);
  return browser;
}
const works = async (browser: Browser) => (await browser.get('/api/session')).status === 200;
const idOf = async (browser: Browser) => (await browser.get<SessionState>('/api/session')).json.sessionId;

describe('a session', () => {
  it('expires after twelve hours without use; each use restarts the period', async () => {
    const browser = await signedIn();
    for (let day = 0; day < 3; day += 1) {
      harness.clock.advance(11 * HOUR + 59 * MINUTE);
      expect(await works(browser)).toBe(true);
    }
    harness.clock.advance(12 * HOUR);
    expectError(await browser.get('/api/session'), 'session/unauthorized');
  });

  it('expires after seven days of constant use and is deleted', async () => {
    const browser = await signedIn();
    const id = await idOf(browser);
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      harness.clock.advance(8 * HOUR);
      expect(await works(browser)).toBe(true);
    }
    harness.clock.advance(8 * HOUR - MINUTE);
    expect(await works(browser)).toBe(true);
    harness.clock.advance(MINUTE);
    expect(await works(browser)).toBe(false);
    harness.clock.advance(2 * MINUTE);
    await harness.service.tick();
    expect(await harness.service.store.sessions.find(id)).toBeUndefined();
  });

  it('ends on the server as soon as the user signs out', async () => {
    const browser = await signedIn();
    const cookie = browser.cookie;
    const { json, headers } = await browser.delete('/api/session');
    expect(json).toEqual({ ok: true });
    expect(headers.get('set-cookie')).toBe('gp_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    browser.cookie = cookie;
    expectError(await browser.get('/api/session'), 'session/unauthorized');
    expectError(await browser.delete('/api/session'), 'session/unauthorized');
  });

  it('survives a restart of the server', async () => {
    const first = await openHarness();
    await addPerson(first, ADA);
    const browser = browserAt(first);
    await browser.signIn(ADA);
    const second = await first.restart();
    const again = browserAt(second);
    again.cookie = browser.cookie;
    expect((await again.get('/api/session')).status).toBe(200);
    await second.close();
  });
});

describe('the session list', () => {
  it('is sorted newest first and marks the current session', async () => {
    const old = await signedIn();
    harness.clock.advance(MINUTE);
    const phone = browserAt(harness, {
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    });
    await phone.signIn(ADA);
    await signedIn(GRACE);
    const { json } = await old.get<Page>('/api/sessions');
    expect(json.data.map(({ id, device, current }) => ({ id, device, current }))).toEqual([
      { id: await idOf(phone), device: 'Safari on iPhone', current: false },
      { id: await idOf(old), device: 'Firefox on Linux', current: true },
    ]);
    expect(json.data.map(({ signedInWith }) => signedInWith)).toEqual(['password', 'password']);
    const first = await old.get<Page>('/api/sessions?limit=1');
    expect(first.json.data).toHaveLength(1);
    const second = await old.get<Page>(`/api/sessions?limit=1&cursor=${first.json.nextCursor}`);
    expect(second.json.data.map(({ id }) => id)).toEqual([await idOf(old)]);
    expect(second.json.nextCursor).toBeUndefined();
  });

  it('drops the oldest session when an eleventh one opens', async () => {
    const browsers: Browser[] = [];
    for (let at = 0; at < 12; at += 1) {
      harness.clock.advance(5 * MINUTE);
      browsers.push(await signedIn());
    }
    const alive = await Promise.all(browsers.map(works));
    expect(alive).toEqual([false, false, ...Array(10).fill(true)]);
    expect((await browsers.at(-1)!.get<Page>('/api/sessions')).json.data).toHaveLength(10);
  });

  it('lets users revoke their own sessions but not those of others', async () => {
    const [here, there, other] = [await signedIn(), await signedIn(), await signedIn(GRACE)];
    expectError(await here.delete(`/api/sessions/${await idOf(other)}`), 'session/not_found');
    expectError(await here.delete(`/api/sessions/${newId('ses')}`), 'session/not_found');
    expect(await works(other)).toBe(true);
    const id = await idOf(there);
    const revoked = await here.delete(`/api/sessions/${id}`);
    expect(revoked.json).toEqual({ ok: true });
    expect(revoked.headers.get('set-cookie')).toBeNull();
    expect(await works(there)).toBe(false);
    expect(await works(here)).toBe(true);
    expectError(await here.delete(`/api/sessions/${id}`), 'session/not_found');
  });

  it('clears the cookie when the current session is revoked', async () => {
    const browser = await signedIn();
    const { headers } = await browser.delete(`/api/sessions/${await idOf(browser)}`);
    expect(headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await works(browser)).toBe(false);
  });
});

describe('confirming the password', () => {
  it('is valid for ten minutes and replaces the session cookie', async () => {
    const browser = await signedIn();
    harness.clock.advance(30 * MINUTE);
    const before = await browser.get<SessionState>('/api/session');
    expect(Date.parse(before.json.freshUntil)).toBeLessThan(harness.clock.now());
    const thief = browserAt(harness);
    thief.cookie = browser.cookie;
    const confirmed = await browser.post<SessionState>('/api/session/confirm', { password: PASSWORD });
    const { freshUntil, ...same } = confirmed.json;
    expect(same).toEqual({ ...before.json, freshUntil: undefined });
    expect(Math.round((Date.parse(freshUntil) - harness.clock.now()) / MINUTE)).toBe(10);
    expect(confirmed.headers.get('set-cookie')).toMatch(/Max-Age=60(29|30)\d\d;/);
    expect(await works(browser)).toBe(true);
    expect(await works(thief)).toBe(false);
  });

  it('fails with a wrong password and leaves the session unchanged', async () => {
    const browser = await signedIn();
    const response = await browser.post('/api/session/confirm', { password: 'violet spoon under the sofa' });
    expectError(response, 'session/wrong_credentials');
    expect(await works(browser)).toBe(true);
  });
});

describe('PUT /api/password', () => {
  it('ends every other session and replaces the cookie of the current one', async () => {
    const { email } = await addPerson(harness, 'linus@shop.example');
    const [here, there, other] = [await signedIn(email), await signedIn(email), await signedIn(GRACE)];
    const thief = browserAt(harness);
    thief.cookie = here.cookie;
    const changed = await here.put('/api/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    expect(changed.json).toEqual({ ok: true });
    expect(await Promise.all([here, there, thief, other].map(works))).toEqual([true, false, false, true]);
    expectError(await browserAt(harness).signIn(email), 'session/wrong_credentials');
    await signedIn(email, NEW_PASSWORD);
    const rows = await harness.service.store.in(harness.workspace.id).audit.list(10);
    const row = rows.find(({ action }) => !action.startsWith('session.'));
    const { userId, memberships } = (await here.get<SessionState>('/api/session')).json;
    expect(row).toMatchObject({
      action: 'password.changed',
      subject: userId,
      actor: memberships[0]?.memberId,
    });
  });

  it('rejects a wrong current password', async () => {
    const browser = await signedIn();
    const response = await browser.put('/api/password', {
      currentPassword: NEW_PASSWORD,
      newPassword: NEW_PASSWORD,
    });
    expectError(response, 'session/wrong_credentials');
  });

  it.each([
    ['too short', 'too_short'],
    ['aaaaaaaaaaaaaaaaaaaa', 'repeated'],
    ['ada@shop.example 2026', 'guessable'],
    ['azertyuiopqsdfghj', 'sequential'],
    ['polniypizdec110211', 'guessable'],
  ])('rejects the new password %j with the issue %s', async (newPassword, code) => {
    const browser = await signedIn();
    const response = await browser.put('/api/password', { currentPassword: PASSWORD, newPassword });
    const { issues } = expectError(response, 'request/invalid');
    expect(issues).toMatchObject([{ path: 'body.newPassword', code }]);
    expect(response.text).not.toContain(newPassword);
    await signedIn();
  });

  it('applies only one of two concurrent password changes', async () => {
    const { email } = await addPerson(harness, 'race@shop.example');
    const browsers = [await signedIn(email), await signedIn(email)];
    const passwords = [NEW_PASSWORD, 'seven quiet boats at noon'];
    const responses = await Promise.all(
      browsers.map((browser, at) =>
        browser.put('/api/password', { currentPassword: PASSWORD, newPassword: passwords[at] }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
    const winner = responses.findIndex(({ status }) => status === 200);
    await signedIn(email, passwords[winner]);
    expect(await works(browsers[winner]!)).toBe(true);
    expect(await works(browsers[1 - winner]!)).toBe(false);
  });
});

describe('getDeviceName', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
      'Microsoft Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
      'Chrome on macOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
      'Chrome on Chrome OS',
    ],
    ['curl/8.5.0', 'Unknown device'],
    ['<script>alert(1)</script>', 'Unknown device'],
    ['x'.repeat(100_000), 'Unknown device'],
    [undefined, 'Unknown device'],
  ])('parses the header %.40s as: %s', (header, name) => {
    expect(getDeviceName(header)).toBe(name);
  });
});
