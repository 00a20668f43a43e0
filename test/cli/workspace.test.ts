import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newInvitation } from '../../server/accounts/members.ts';
import { hashPassword, verifyPassword } from '../../server/accounts/password.ts';
import { newId } from '../../server/base/ids.ts';
import { hashSecret, parseApiKey } from '../../server/tokens/api-key.ts';
import { hashToken } from '../../server/tokens/session-cookie.ts';
import {
  actionsIn,
  cli,
  commandLine,
  databaseFile,
  dataDir,
  inStore,
  PASSWORD,
  setUpInstallation,
} from '../support/command-line.ts';

setUpInstallation();

describe('workspace create', () => {
  const base = ['workspace', 'create', '--name', 'Shop', '--owner-password-stdin'];
  const email = ['--owner-email', 'owner@shop.example'];
  const domain = ['--domain', 'https://shop.example'];

  it('stores each domain once, in canonical form', async () => {
    await cli.createWorkspace(
      ...['--domain', 'HTTPS://Shop.Example:443'],
      ...['--domain', 'https://*.bücher.example'],
    );
    const [workspace] = await cli.json(['workspace', 'list']);
    expect(workspace.domains).toEqual(['https://shop.example', 'https://*.xn--bcher-kva.example']);
  });

  it('accepts app id, language, consent level and branding', async () => {
    await cli.createWorkspace(
      '--app-id',
      'gp_mine',
      '--locale',
      'pt-br',
      '--consent',
      'opt_in',
      '--no-branding',
    );
    const [workspace] = await cli.json(['workspace', 'list']);
    expect(workspace).toMatchObject({
      app_id: 'gp_mine',
      locale: 'pt-BR',
      consent: 'opt_in',
      branding: false,
      enabled: true,
    });
  });

  it.each([
    ['an origin with a path', [...base, ...email, '--domain', 'https://shop.example/help'], '--domain'],
    ['a wildcard for any host', [...base, ...email, '--domain', '*'], '--domain'],
    ['an invalid email address', [...base, ...domain, '--owner-email', 'owner'], '--owner-email'],
    ['a malformed app id', [...base, ...email, ...domain, '--app-id', 'shop'], '--app-id'],
    ['an invalid locale', [...base, ...email, ...domain, '--locale', 'no such'], '--locale'],
    ['an unknown consent level', [...base, ...email, ...domain, '--consent', 'never'], '--consent'],
    ['a blank name', [...base, ...email, ...domain, '--name', ' '], '--name'],
    [
      'a password for an existing account',
      [...base, ...email, ...domain, '--existing-account'],
      '--existing-account',
    ],
  ])('rejects %s as a usage error before it stores anything', async (_, args, option) => {
    const { code, stderr } = await cli.runInProcess(args, PASSWORD);
    expect(code).toBe(2);
    expect(stderr).toContain(option);
    expect(existsSync(databaseFile())).toBe(false);
  });

  it('explains why a password is weak without printing it', async () => {
    const { code, stderr } = await cli.runInProcess([...base, ...email, ...domain], 'owner@shop.example\n');
    expect(code).toBe(1);
    expect(stderr).toContain('your email');
    expect(stderr).not.toContain('owner@');
  });

  it('rejects an app id that is taken', async () => {
    await cli.createWorkspace('--app-id', 'gp_mine');
    const { code, stderr } = await cli.runInProcess(
      [...base, ...email, ...domain, '--app-id', 'gp_mine'],
      PASSWORD,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('gp_mine is taken');
  });

  it('never gives the workspace to an existing account without --existing-account', async () => {
    await cli.createWorkspace();
    const rejected = await cli.runInProcess([...base, ...email, ...domain], 'eleven green lamps at dusk');
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('owner@shop.example already has an account');
    expect(await cli.json(['workspace', 'list'])).toHaveLength(1);
    const args = ['workspace', 'create', '--name', 'Second', '--domain', 'https://second.example'];
    const { code, stdout, stderr } = await cli.runInProcess([...args, ...email, '--json']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('It is not added as it is')]);
    const { tenant_id, link } = JSON.parse(stdout);
    expect(link).toContain('/dashboard/invitation#token=');
    expect(await inStore((store) => store.in(tenant_id).members.list())).toEqual([]);
    const added = await cli.json([...args, ...email, '--existing-account']);
    expect(added).toHaveProperty('owner_id');
    const [user] = await inStore((store) => store.users.listByEmail('owner@shop.example'));
    expect(await verifyPassword(PASSWORD, user?.passwordHash)).toBe(true);
  });

  it('does not join an account with an unproved address, and says so', async () => {
    const { tenant_id } = await cli.createWorkspace('--owner-email', 'mallory@shop.example');
    await inStore(async (store) => {
      const createdAt = Date.now();
      const invitation = newInvitation({
        workspaceId: tenant_id,
        email: 'owner@shop.example',
        role: 'member',
        tokenHash: 'hash',
        invitedBy: 'mem_mallory',
        createdAt,
        provesAddress: false,
      });
      const row = { atMillis: createdAt, actor: 'mem_mallory', action: 'test', subject: 'test', details: {} };
      await store.in(tenant_id).invitations.create(invitation, { ...row, id: newId('aud') });
      await store.invitations.accept({
        tokenHash: 'hash',
        nowMillis: createdAt,
        newMemberId: newId('mem'),
        newUserId: newId('usr'),
        account: { passwordHash: await hashPassword('a password of mallory') },
        auditId: newId('aud'),
        auditReset: () => ({ ...row, id: newId('aud') }),
      });
    });
    const { code, stdout, stderr } = await cli.runInProcess(
      [...base, ...email, ...domain, '--json'],
      PASSWORD,
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('an account with an unproved address')]);
    const created = JSON.parse(stdout);
    const [proved, other] = await inStore((store) => store.users.listByEmail('owner@shop.example'));
    expect(await verifyPassword(PASSWORD, proved?.passwordHash)).toBe(true);
    const workspacesOf = async (id: string) =>
      (await inStore((store) => store.memberships.ofUser(id))).map(({ workspaceId }) => workspaceId);
    expect(await workspacesOf(proved!.id)).toEqual([created.tenant_id]);
    expect(await workspacesOf(other!.id)).toEqual([tenant_id]);
  });
});

describe('workspace disable, enable and set', () => {
  it('accept an id or app id and are audited', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    expect(await cli.json(['workspace', 'disable', app_id])).toMatchObject({ tenant_id, enabled: false });
    expect(await cli.json(['workspace', 'enable', tenant_id])).toMatchObject({ tenant_id, enabled: true });
    expect(await actionsIn(tenant_id)).toEqual([
      'workspace.enabled',
      'workspace.disabled',
      'workspace.created',
    ]);
  });

  it('change only the settings in the arguments', async () => {
    const { app_id } = await cli.createWorkspace('--locale', 'de');
    const changed = await cli.json([
      ...[
        'workspace',
        'set',
        app_id,
        '--domain',
        'https://new.example',
        '--consent',
        'notice',
        '--no-branding',
      ],
      ...['--suggestion', 'Wie geht das?', '--name', 'Laden'],
    ]);
    expect(changed).toMatchObject({
      name: 'Laden',
      domains: ['https://new.example'],
      consent: 'notice',
      branding: false,
      locale: 'de',
      suggestions: ['Wie geht das?'],
    });
    expect(await cli.json(['workspace', 'set', app_id, '--branding'])).toEqual({
      ...changed,
      branding: true,
      version: changed.version + 1,
    });
  });

  it('reject an unknown workspace, and an empty change as a usage error', async () => {
    const { app_id } = await cli.createWorkspace();
    expect(await cli.runInProcess(['workspace', 'disable', 'ws_nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No workspace with id ws_nobody'),
    });
    expect((await cli.runInProcess(['workspace', 'set', app_id])).code).toBe(2);
  });
});

describe('key create and revoke', () => {
  it('print the key once and store only the hash of its secret', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const scopes = ['--scope', 'events:read', '--scope', 'analytics:read,knowledge:read'];
    const { id, key } = await cli.json(['key', 'create', '--workspace', tenant_id, ...scopes]);
    const { publicId, secret } = parseApiKey(key)!;
    const stored = await inStore((store) => store.apiKeys.findByPublicId(publicId));
    expect(stored).toMatchObject({
      id,
      workspaceId: tenant_id,
      secretHash: hashSecret(secret),
      lastFour: key.slice(-4),
      scopes: ['events:read', 'analytics:read', 'knowledge:read'],
    });
    const { stdout } = await cli.runInProcess(['key', 'list']);
    expect(stdout).toContain(id);
    expect(stdout).not.toContain(secret);
  });

  it('revoke a key permanently', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    const { id } = await cli.json(['key', 'create', '--workspace', app_id, '--scope', 'events:read']);
    const { revoked_at } = await cli.json(['key', 'revoke', id]);
    expect(revoked_at).toMatch(/^\d{4}-/);
    expect(await cli.json(['key', 'list', '--workspace', tenant_id])).toMatchObject([{ id, revoked_at }]);
    expect(await actionsIn(tenant_id)).toEqual(['api_key.revoked', 'api_key.created', 'workspace.created']);
    expect((await cli.runInProcess(['key', 'revoke', 'key_nobody'])).code).toBe(1);
  });

  it.each([['events:write'], [''], ['events:read,admin']])(
    'reject the scope %j as a usage error',
    async (scope) => {
      const { app_id } = await cli.createWorkspace();
      expect((await cli.runInProcess(['key', 'create', '--workspace', app_id, '--scope', scope])).code).toBe(
        2,
      );
      expect((await cli.runInProcess(['key', 'create', '--workspace', app_id])).code).toBe(2);
    },
  );
});

describe('workspace usage', () => {
  it('reports what each workspace stores and has used this month, with its limits', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const { database, workspaces } = await cli.json(['workspace', 'usage']);
    expect(database.used_bytes).toBeGreaterThan(0);
    expect(database.bytes_max).toBe(8_589_934_592);
    expect(workspaces).toHaveLength(1);
    const [usage] = workspaces;
    expect(usage).toMatchObject({
      tenant_id,
      bytes_max: 2_147_483_648,
      retention: { conversation_days: 395, event_days: 395 },
      month: { tokens: 0, voice_seconds: 0, voice_seconds_max: 3600 },
    });
    const audit = usage.kinds.find(({ kind }: { kind: string }) => kind === 'audit');
    expect(audit).toMatchObject({ rows: 1, oldest_at: expect.any(String) });
    expect(usage.used_bytes).toBeGreaterThanOrEqual(audit.bytes);
  });

  it('prints one workspace as text', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const { code, stdout } = await cli.runInProcess(['workspace', 'usage', '--workspace', tenant_id]);
    expect(code).toBe(0);
    expect(stdout).toContain('of 2147.5 MB');
    expect(stdout).toMatch(/audit +0\.0 MB +1 rows {2}since \d{4}-/);
    expect((await cli.runInProcess(['workspace', 'usage', '--workspace', 'ws_none'])).code).toBe(1);
  });
});

describe('key create and rotate with restrictions', () => {
  const NOW = Date.UTC(2026, 10, 23);
  const create = (app: string, ...more: string[]) =>
    cli.runInProcess(['key', 'create', '--workspace', app, '--scope', 'events:read', ...more]);

  it('sets the expiry and the allowed networks, and keeps them in a rotation', async () => {
    const at = commandLine(dataDir, () => NOW);
    const { app_id } = await at.createWorkspace();
    const { id } = await at.json([
      ...['key', 'create', '--workspace', app_id, '--scope', 'events:read', '--expires', '90d'],
      ...['--allow', '203.0.113.9/24', '--allow', '2001:db8::/32'],
    ]);
    const rotated = await at.json(['key', 'rotate', id, '--overlap', '7d']);
    expect(rotated).toMatchObject({ replaces: id, old_key_ends_at: '2026-11-30T00:00:00.000Z' });
    const allowed_networks = ['203.0.113.0/24', '2001:db8::/32'];
    const keys = await at.json(['key', 'list']);
    expect(keys.find((key: { id: string }) => key.id === id)).toMatchObject({
      allowed_networks,
      expires_at: '2026-11-30T00:00:00.000Z',
      replaced_by: rotated.id,
    });
    expect(keys.find((key: { id: string }) => key.id === rotated.id)).toMatchObject({
      allowed_networks,
      expires_at: '2027-02-21T00:00:00.000Z',
    });
    expect(await at.runInProcess(['key', 'rotate', id, '--overlap', '0'])).toMatchObject({ code: 1 });
  });

  it.each([
    [['--expires', '2020-01-31'], '--expires 2020-01-31: expected a date or time in the future'],
    [['--expires', 'soon'], '--expires soon'],
    [['--allow', 'shop.example'], '--allow shop.example: expected an address or CIDR block'],
  ])('rejects %j', async (options, message) => {
    const { app_id } = await cli.createWorkspace();
    expect(await create(app_id, ...options)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

const NEW_PASSWORD = 'eleven green lamps at dusk';
const base = ['member', 'create', '--email', 'Grace@Shop.example', '--role', 'admin', '--password-stdin'];
const withoutPassword = base.filter((word) => word !== '--password-stdin');
const hashOf = (email: string) =>
  inStore(async (store) => (await store.users.listByEmail(email).then(([first]) => first))?.passwordHash);

describe('member create', () => {
  it('adds a user who can sign in, with an audit entry', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const created = await cli.json([...base, '--workspace', tenant_id], `${NEW_PASSWORD}\n`);
    expect(created).toMatchObject({ tenant_id, email: 'grace@shop.example', role: 'admin' });
    const members = await inStore((store) => store.in(tenant_id).members.list());
    expect(members.find(({ id }) => id === created.id)).toMatchObject({
      userId: created.user_id,
      email: 'grace@shop.example',
      role: 'admin',
    });
    expect(await verifyPassword(NEW_PASSWORD, await hashOf('grace@shop.example'))).toBe(true);
    expect(await actionsIn(tenant_id)).toEqual(['member.added', 'workspace.created']);
  });

  it('accepts an app id, and adds an existing account only with --existing-account', async () => {
    await cli.createWorkspace('--app-id', 'gp_first');
    await cli.createWorkspace('--app-id', 'gp_second', '--owner-email', 'grace@shop.example');
    const rejected = await cli.runInProcess([...base, '--workspace', 'gp_first'], NEW_PASSWORD);
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('grace@shop.example already has an account');
    expect(rejected.stderr).toContain('--existing-account');
    const added = await cli.json([...withoutPassword, '--existing-account', '--workspace', 'gp_first']);
    expect(added.role).toBe('admin');
    expect(await verifyPassword(PASSWORD, await hashOf('grace@shop.example'))).toBe(true);
    const both = [...base, '--existing-account', '--workspace', 'gp_second'];
    expect(await cli.runInProcess([...both, '--email', 'owner@shop.example'], NEW_PASSWORD)).toMatchObject({
      code: 2,
    });
    const unknown = [...withoutPassword, '--existing-account', '--workspace', 'gp_first'];
    expect(await cli.runInProcess([...unknown, '--email', 'eve@shop.example'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no account with a proved address'),
    });
  });

  it('prints a link that proves the address, for a new and for an existing account', async () => {
    await cli.createWorkspace('--app-id', 'gp_first');
    await cli.createWorkspace('--app-id', 'gp_second', '--owner-email', 'grace@shop.example');
    for (const email of ['grace@shop.example', 'new@shop.example']) {
      const args = [...withoutPassword, '--workspace', 'gp_first', '--email', email];
      const { code, stdout, stderr } = await cli.runInProcess([...args, '--json']);
      expect(code).toBe(0);
      const { link, expires_at } = JSON.parse(stdout);
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8787\/dashboard\/invitation#token=[\w-]{43}$/);
      expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
      expect(stderr.includes('already has an account')).toBe(email.startsWith('grace'));
      const found = await inStore((store) =>
        store.invitations.find(hashToken(link.split('=')[1]), Date.now()),
      );
      expect(found).toMatchObject({ email, role: 'admin', provesAddress: true, invitedBy: 'operator' });
    }
    expect(await inStore((store) => store.users.listByEmail('new@shop.example'))).toEqual([]);
    expect(await verifyPassword(PASSWORD, await hashOf('grace@shop.example'))).toBe(true);
  });

  it.each([
    ['an existing member', ['--email', 'owner@shop.example'], PASSWORD, 1, 'already a member of Shop'],
    ['a weak password', [], 'grace@shop.example', 1, 'your email'],
    [
      'a workspace that does not exist',
      ['--workspace', 'ws_nobody'],
      NEW_PASSWORD,
      1,
      'No workspace with id ws_nobody',
    ],
    ['an invalid email address', ['--email', 'grace'], NEW_PASSWORD, 2, '--email'],
    ['an unknown role', ['--role', 'king'], NEW_PASSWORD, 2, '--role'],
  ])('rejects %s', async (_, more, stdin, expected, hint) => {
    const { app_id } = await cli.createWorkspace();
    const { code, stderr } = await cli.runInProcess([...base, '--workspace', app_id, ...more], stdin);
    expect(code).toBe(expected);
    expect(stderr).toContain(hint);
  });
});

describe('member link', () => {
  it('prints a link for a member and keeps the role', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const args = ['member', 'link', '--workspace', tenant_id, '--email'];
    const { link, role } = await cli.json([...args, 'owner@shop.example']);
    expect(role).toBe('owner');
    const found = await inStore((store) => store.invitations.find(hashToken(link.split('=')[1]), Date.now()));
    expect(found).toMatchObject({ provesAddress: true, workspaceId: tenant_id });
    const stranger = await cli.runInProcess([...args, 'eve@shop.example']);
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a member of Shop') });
  });
});

/** A command line of an installation that sends mail. */
const mailing = () =>
  commandLine(dataDir, Date.now, { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guide@shop.example' });
const queuedMails = () =>
  inStore(async ({ mails }) => (await mails.due(Date.now(), 10)).map(({ template }) => template));

describe('member password', () => {
  const args = ['member', 'password', '--email', 'owner@shop.example', '--password-stdin'];

  it("sets a new password, ends all sessions, tells the owner, and is audited in each of the user's workspaces", async () => {
    const first = await cli.createWorkspace('--app-id', 'gp_first');
    const second = await cli.createWorkspace('--app-id', 'gp_second');
    const user = await inStore((store) =>
      store.users.listByEmail('owner@shop.example').then(([first]) => first),
    );
    const session = {
      id: newId('ses'),
      userId: user!.id,
      tokenHash: 'hash',
      createdAt: 0,
      lastSeenAt: 0,
      expiresAt: Date.now() + 60_000,
      confirmedAt: 0,
      signedInWith: 'password' as const,
      factor: null,
      identityProvider: null,
      device: 'Firefox on Linux',
    };
    await inStore((store) => store.sessions.open(session, 10));
    expect(await mailing().json(args, NEW_PASSWORD)).toEqual({
      user_id: user!.id,
      email: 'owner@shop.example',
    });
    expect(await queuedMails()).toEqual(['password_changed']);
    expect(await verifyPassword(NEW_PASSWORD, await hashOf('owner@shop.example'))).toBe(true);
    expect(await inStore((store) => store.sessions.find(session.id))).toBeUndefined();
    for (const { tenant_id } of [first, second]) {
      expect(await actionsIn(tenant_id)).toEqual(['password.reset', 'workspace.created']);
    }
  });

  it('rejects an unknown email and a weak password', async () => {
    await cli.createWorkspace();
    const unknown = await cli.runInProcess(
      args.map((word) => word.replace('owner@', 'nobody@')),
      NEW_PASSWORD,
    );
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('No user with email') });
    const weak = await cli.runInProcess(args, 'passwordpassword1');
    expect(weak.code).toBe(1);
    expect(weak.stderr).not.toContain('passwordpassword1');
    expect(await verifyPassword(PASSWORD, await hashOf('owner@shop.example'))).toBe(true);
  });
});

describe('member reset-factors', () => {
  const args = ['member', 'reset-factors', '--email', 'owner@shop.example'];

  it('removes the second factors, ends all sessions, tells the owner, and is audited', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const [user] = await inStore((store) => store.users.listByEmail('owner@shop.example'));
    const none = await cli.runInProcess(args);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('has no second factors') });
    const app = { userId: user!.id, sealedSecret: 'sealed', lastPeriod: 0, createdAt: 0 };
    await inStore((store) =>
      store.factors.putApp(app, {
        sessionId: newId('ses'),
        codeHashes: ['hash'],
        audit: (_, memberId) => ({
          ...{ id: newId('aud'), atMillis: 0, actor: memberId, subject: user!.id, details: {} },
          action: 'factor.added',
        }),
      }),
    );
    expect(await mailing().json(args)).toEqual({ user_ids: [user!.id], email: 'owner@shop.example' });
    expect(await queuedMails()).toEqual(['factor_removed']);
    expect(await inStore((store) => store.factors.ofUser(user!.id))).toMatchObject({
      hasAny: false,
      recoveryCodesLeft: 0,
    });
    expect((await actionsIn(tenant_id))[0]).toBe('factor.reset');
    const unknown = await cli.runInProcess(args.map((word) => word.replace('owner@', 'nobody@')));
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('No user with email') });
  });
});
