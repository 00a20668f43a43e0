import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { SCOPES } from '../../contract/route.ts';
import { API_KEY_PATTERN, makeApiKey, parseApiKey, secretMatches } from '../../server/tokens/api-key.ts';
import { makeKey } from '../support/export-client.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';

type Shown = { id: string; name: string; scopes: string[]; lastFour: string; revokedAt?: string };
type Created = Shown & { key: string };
type Page = { data: Shown[]; nextCursor?: string };

const wanted = { name: 'Nightly report', scopes: ['events:read'] };

const DAY = 86_400_000;

describe('API keys', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openTeam();
  });
  afterEach(() => team.close());
  const create = async (json: unknown = wanted) =>
    (await team.as('admin').post<Created>('/api-keys', json)).json;
  const list = async (query = '') => (await team.as('admin').get<Page>(`/api-keys${query}`)).json;
  const stored = async (key: string) =>
    team.harness.service.store.apiKeys.findByPublicId(parseApiKey(key)!.publicId);
  const auditRows = () => team.harness.service.store.in(team.workspace.id).audit.list(100);

  describe('an API key', () => {
    it('is shown in full only when it is created, and only its hash is stored', async () => {
      const response = await team.as('admin').post<Created>('/api-keys', wanted);
      expect(response.status).toBe(201);
      const { key, ...rest } = response.json;
      expect(rest).toStrictEqual({
        id: expect.stringMatching(/^key_/),
        name: 'Nightly report',
        scopes: ['events:read'],
        lastFour: key.slice(-4),
        allowedNetworks: [],
        createdBy: team.as('admin').memberId,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      });
      const { secret } = parseApiKey(key)!;
      const row = await stored(key);
      expect(secretMatches(secret, row?.secretHash)).toBe(true);
      expect(JSON.stringify(row)).not.toContain(secret);

      const listed = await team.as('owner').get('/api-keys');
      expect(listed.json).toStrictEqual({ data: [rest] });
      const audit = JSON.stringify(await auditRows());
      const logged = JSON.stringify(team.harness.logged);
      for (const place of [listed.text, audit, logged]) {
        expect(place).not.toContain(secret);
        expect(place).not.toContain(key);
      }
    });

    it('is created with unique scopes and a trimmed name', async () => {
      const { name, scopes } = await create({
        name: ' Two \n lines ',
        scopes: ['events:read', 'events:read'],
      });
      expect({ name, scopes }).toStrictEqual({ name: 'Two lines', scopes: ['events:read'] });
    });

    it.each([
      ['no scope', { name: 'A', scopes: [] }, 'body.scopes'],
      ['an unknown scope', { name: 'A', scopes: ['chat:write'] }, 'body.scopes.0'],
      [
        'more scopes than exist',
        { name: 'A', scopes: Array(SCOPES.length + 1).fill('events:read') },
        'body.scopes',
      ],
      ['a name of white space', { ...wanted, name: ' ' }, 'body.name'],
      ['a name of a control character', { ...wanted, name: '\u0001' }, 'body.name'],
      ['a name of zero-width characters', { ...wanted, name: '\u200b\u2060' }, 'body.name'],
      ['a name of 101 characters', { ...wanted, name: 'x'.repeat(101) }, 'body.name'],
    ])('is not created with %s', async (_what, body, path) => {
      const { issues } = expectError(await team.as('admin').post('/api-keys', body), 'request/invalid');
      expect(issues).toMatchObject([{ path }]);
      expect(await list()).toStrictEqual({ data: [] });
    });

    it('appears exactly once across pages when created by a clock before 1970', async () => {
      const { harness } = team;
      const made: string[] = [];
      for (const atMillis of [-86_400_000, -1, 5]) {
        made.push((await makeKey({ ...harness, clock: { ...harness.clock, now: () => atMillis } })).key.id);
      }
      const listed: string[] = [];
      let cursor = '';
      do {
        const { data, nextCursor } = await list(`?limit=1${cursor}`);
        listed.push(...data.map(({ id }) => id));
        cursor = nextCursor ? `&cursor=${nextCursor}` : '';
      } while (cursor);
      expect(listed).toStrictEqual(made.toReversed());
    });

    it('requires a password confirmed within ten minutes to be created', async () => {
      team.harness.clock.advance(ACCOUNT_LIMITS.freshPasswordSeconds * 1000 + 1);
      expectError(await team.as('owner').post('/api-keys', wanted), 'session/password_needed');
      expect((await team.as('owner').get('/api-keys')).status).toBe(200);
    });

    it('is not accessible to members or to other workspaces', async () => {
      const { id } = await create();
      expectError(await team.as('member').get('/api-keys'), 'tenant/role_required');
      expectError(await team.as('member').post('/api-keys', wanted), 'tenant/role_required');
      expectError(await team.as('member').delete(`/api-keys/${id}`), 'tenant/role_required');
      const theirs = `/api/tenants/${team.elsewhere.id}/api-keys/${id}`;
      expectError(await team.as('stranger').delete(theirs), 'api_key/not_found');
      expect((await list()).data[0]).not.toHaveProperty('revokedAt');
    });

    it('is revoked permanently, and a repeated revocation adds no audit entry', async () => {
      const { id, key } = await create();
      const first = await team.as('owner').delete(`/api-keys/${id}`);
      expect(first.json).toStrictEqual({ ok: true });
      const { revokedAt } = (await stored(key))!;
      expect(revokedAt).toBeLessThanOrEqual(team.harness.clock.now());
      team.harness.clock.advance(1000);
      expect((await team.as('admin').delete(`/api-keys/${id}`)).status).toBe(200);
      expect((await stored(key))?.revokedAt).toBe(revokedAt);
      expect((await list()).data[0]?.revokedAt).toBe(new Date(revokedAt!).toISOString());
      const revocations = (await auditRows()).filter(({ action }) => action === 'api_key.revoked');
      expect(revocations).toMatchObject([{ actor: team.as('owner').memberId, subject: id }]);
    });

    it('returns 404 when an unknown key is revoked', async () => {
      const never = '/api-keys/key_01kakv2fxse7wtg6x5r0h8rjbm';
      expectError(await team.as('owner').delete(never), 'api_key/not_found');
    });

    it('records its creator and scopes in the audit log', async () => {
      const { id, lastFour } = await create();
      expect((await auditRows())[0]).toMatchObject({
        actor: team.as('admin').memberId,
        action: 'api_key.created',
        subject: id,
        details: { ...wanted, lastFour },
      });
    });
  });
  const inDays = (days: number) => new Date(team.harness.clock.now() + days * DAY).toISOString();

  describe('a restricted API key', () => {
    it('is created with an expiry and with networks in canonical form', async () => {
      const expiresAt = inDays(30);
      const networks = ['203.0.113.77/24', '2001:DB8::/32', '198.51.100.7', '203.0.113.0/24'];
      const created = await create({ ...wanted, expiresAt, allowedNetworks: networks });
      const allowedNetworks = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7/32'];
      expect(created).toMatchObject({ expiresAt, allowedNetworks });
      expect((await list()).data[0]).toMatchObject({ expiresAt, allowedNetworks });
      expect((await auditRows())[0]).toMatchObject({ details: { expiresAt, allowedNetworks } });
    });

    it('takes an expiry with any time zone', async () => {
      const created = await create({ ...wanted, expiresAt: '2099-01-01T01:30:00.123456+01:30' });
      expect(created).toMatchObject({ expiresAt: '2099-01-01T00:00:00.123Z' });
    });

    it.each([
      ['an expiry in the past', () => ({ expiresAt: inDays(-1) }), 'body.expiresAt'],
      ['a host name', () => ({ allowedNetworks: ['shop.example'] }), 'body.allowedNetworks.0'],
      [
        'a prefix that is too long',
        () => ({ allowedNetworks: ['::/0', '10.0.0.0/33'] }),
        'body.allowedNetworks.1',
      ],
      ['an octal address', () => ({ allowedNetworks: ['010.0.0.1'] }), 'body.allowedNetworks.0'],
      [
        'too many networks',
        () => ({ allowedNetworks: Array.from({ length: 21 }, (_, at) => `10.0.${at}.0/24`) }),
        'body.allowedNetworks',
      ],
    ])('is not created with %s', async (_what, more, path) => {
      const response = await team.as('admin').post('/api-keys', { ...wanted, ...more() });
      expect(expectError(response, 'request/invalid').issues).toMatchObject([{ path }]);
    });
  });

  describe('rotating an API key', () => {
    const rotate = (id: string, json: unknown = { overlapSeconds: 3600 }) =>
      team.as('owner').post<Created>(`/api-keys/${id}/rotate`, json);

    it('creates a key for the same purpose and lets the old one end after the overlap', async () => {
      const old = await create({ ...wanted, allowedNetworks: ['127.0.0.0/8'] });
      const { status, json } = await rotate(old.id);
      expect(status).toBe(201);
      expect(json).toMatchObject({ ...wanted, allowedNetworks: ['127.0.0.0/8'] });
      expect(json.key).not.toBe(old.key);
      const endsAt = (await stored(old.key))!.expiresAt!;
      expect(endsAt - (await stored(json.key))!.createdAt).toBe(3_600_000);
      expect((await list()).data[1]).toMatchObject({
        id: old.id,
        replacedBy: json.id,
        expiresAt: new Date(endsAt).toISOString(),
      });
      const { memberId } = team.as('owner');
      expect(await auditRows()).toMatchObject([
        { action: 'api_key.created', subject: json.id, actor: memberId },
        { action: 'api_key.rotated', subject: old.id, actor: memberId, details: { replacedBy: json.id } },
        { action: 'api_key.created', subject: old.id },
        ...Array((await auditRows()).length - 3).fill({}),
      ]);
    });

    it('never extends the old key, and gives the new key the same lifetime', async () => {
      const old = await create({ ...wanted, expiresAt: inDays(2) });
      const before = (await stored(old.key))!;
      const { json } = await rotate(old.id, { overlapSeconds: 30 * 86_400 });
      expect((await stored(old.key))!.expiresAt).toBe(before.expiresAt);
      const after = (await stored(json.key))!;
      expect(after.expiresAt! - after.createdAt).toBe(before.expiresAt! - before.createdAt);
    });

    it('accepts another expiry and other networks', async () => {
      const old = await create({ ...wanted, allowedNetworks: ['127.0.0.0/8'] });
      const expiresAt = inDays(90);
      const { json } = await rotate(old.id, { overlapSeconds: 0, expiresAt, allowedNetworks: [] });
      expect(json).toMatchObject({ expiresAt, allowedNetworks: [] });
    });

    it('is rejected for a key that is revoked, expired, replaced or of another workspace', async () => {
      const [revoked, expired, replaced] = [
        await create(),
        await create({ ...wanted, expiresAt: inDays(1) }),
        await create(),
      ];
      await team.as('owner').delete(`/api-keys/${revoked.id}`);
      expect((await rotate(replaced.id)).status).toBe(201);
      for (const { id } of [revoked, replaced]) expectError(await rotate(id), 'api_key/inactive');
      const theirs = `/api/tenants/${team.elsewhere.id}/api-keys/${expired.id}/rotate`;
      expectError(await team.as('stranger').post(theirs, { overlapSeconds: 0 }), 'api_key/not_found');
      team.harness.clock.advance(2 * DAY);
      const owner = await team.signIn(team.as('owner'));
      expectError(
        await owner.post(`/api-keys/${expired.id}/rotate`, { overlapSeconds: 0 }),
        'api_key/inactive',
      );
    });

    it('requires the role owner or admin, a recent password and an overlap in range', async () => {
      const { id } = await create();
      expectError(
        await team.as('member').post(`/api-keys/${id}/rotate`, { overlapSeconds: 0 }),
        'tenant/role_required',
      );
      for (const overlapSeconds of [-1, ACCOUNT_LIMITS.apiKeyOverlapSecondsMax + 1]) {
        expectError(await rotate(id, { overlapSeconds }), 'request/invalid');
      }
      team.harness.clock.advance(ACCOUNT_LIMITS.freshPasswordSeconds * 1000 + 1);
      expectError(await rotate(id), 'session/password_needed');
    });
  });

  describe('GET /api-keys', () => {
    it('returns pages, newest first, without gaps or duplicates', async () => {
      const ids: string[] = [];
      for (let at = 0; at < 5; at += 1) ids.unshift((await create()).id);
      const first = await list('?limit=2');
      const second = await list(`?limit=2&cursor=${first.nextCursor}`);
      const third = await list(`?limit=2&cursor=${second.nextCursor}`);
      expect([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))).toStrictEqual(ids);
      expect(third).not.toHaveProperty('nextCursor');
    });

    it('returns when each key was last used', async () => {
      const { id } = await create();
      const at = team.harness.clock.now();
      await team.harness.service.store.apiKeys.recordUse(id, at, '203.0.113.0/24');
      expect((await list()).data[0]).toMatchObject({
        lastUsedAt: new Date(at).toISOString(),
        lastUsedNetwork: '203.0.113.0/24',
      });
    });
  });
});

/** Tests the rules and scripts in docs/secret-scanning.md exactly as users copy them. */

const guide = readFileSync(new URL('../../docs/secret-scanning.md', import.meta.url), 'utf8');
const block = (language: string) => guide.split(`\`\`\`${language}\n`)[1]!.split('\n```')[0]!;
const pattern = new RegExp(block('regex'), 'g');

const KEYS = Array.from({ length: 200 }, () => makeApiKey().text);
const DIGITS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

/** Returns copies of the key in which one character after the prefix is replaced. */
const lookAlikesOf = (key: string) =>
  Array.from({ length: 47 }, (_, at) => {
    const place = at + 8;
    const other = DIGITS[(DIGITS.indexOf(key[place]!) + 1) % 62];
    return key.slice(0, place) + other + key.slice(place + 1);
  });

describe('the secret-scanning rule in the docs', () => {
  it('equals the pattern that the server redacts with', () => {
    expect(pattern.source).toBe(API_KEY_PATTERN.source);
    expect(/^regex = '''(.+)'''$/m.exec(block('toml'))?.[1]).toBe(pattern.source);
    const inGitHub = /Secret format \| `(.+)`/.exec(guide)?.[1];
    expect(`\\b${inGitHub}\\b`).toBe(pattern.source);
  });

  it.each([
    ['a line of code', (key: string) => `const client = connect('${key}');`],
    ['a header', (key: string) => `x-api-key: ${key}\r\n`],
    ['an environment file', (key: string) => `GUIDEPOST_KEY=${key}`],
    ['a URL', (key: string) => `https://guide.example/?key=${key}&limit=1`],
    ['JSON', (key: string) => JSON.stringify({ key })],
    ['a comma-separated list', (key: string) => `${key},${key}`],
  ])('matches every key in %s', (_place, written) => {
    for (const key of KEYS) {
      const found = written(key).match(pattern);
      expect(new Set(found)).toStrictEqual(new Set([key]));
    }
  });

  it.each([
    ['a key that is too short', (key: string) => key.slice(0, -1)],
    ['a key that is too long', (key: string) => `${key}0`],
    ['a part of a longer word', (key: string) => `s${key}`],
    ['the prefix of a test key', (key: string) => key.replace('live', 'test')],
    ['a masked key', (key: string) => `pk_live_${key.slice(8, 16)}…${key.slice(-4)}`],
  ])('does not match %s', (_what, spoilt) => {
    for (const key of KEYS) expect(spoilt(key).match(pattern)).toBeNull();
  });
});

describe('the checksum scripts in the docs', () => {
  let folder: string;
  let isGuidepostKey: (text: string) => boolean;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guidepost-scan-'));
    const file = join(folder, 'scan.mjs');
    writeFileSync(file, block('js'));
    ({ isGuidepostKey } = await import(pathToFileURL(file).href));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('accept every real key', () => {
    for (const key of KEYS) expect(isGuidepostKey(key)).toBe(true);
  });

  it('reject every key with one changed character', () => {
    for (const key of KEYS.slice(0, 20)) {
      for (const other of lookAlikesOf(key)) {
        expect(other).toMatch(new RegExp(pattern.source));
        expect(isGuidepostKey(other)).toBe(false);
        expect(parseApiKey(other)).toBeUndefined();
      }
    }
  });

  it('agree with parseApiKey on keys with reversed characters', () => {
    for (const key of KEYS) {
      const shuffled = `pk_live_${[...key.slice(8)].reverse().join('')}`;
      expect(isGuidepostKey(shuffled)).toBe(parseApiKey(shuffled) !== undefined);
    }
  });

  it('give the documented results for the documented examples in every language', () => {
    const [real, lookAlike] = block('text').split('\n') as [string, string];
    expect([isGuidepostKey(real), isGuidepostKey(lookAlike)]).toStrictEqual([true, false]);
    expect([parseApiKey(real), parseApiKey(lookAlike)].map((parts) => parts !== undefined)).toStrictEqual([
      true,
      false,
    ]);
    const python = `${block('python')}\nprint([is_guidepost_key(one) for one in ${JSON.stringify([real, lookAlike])}])`;
    const output = pythonSays(python);
    if (output !== undefined) expect(output).toBe('[True, False]');
  });
});

/** Returns what the program prints; undefined when Python is not installed. */
function pythonSays(program: string): string | undefined {
  try {
    return execFileSync('python3', ['-c', program], { encoding: 'utf8' }).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
