import { describe, expect, it } from 'vitest';
import { verifyPassword } from '../../server/accounts/password-hash.ts';
import { newId } from '../../server/ids.ts';
import { hashToken } from '../../server/tokens/session-cookie.ts';
import { actionsIn, anInstallationForEach, cli, inStore, PASSWORD } from './command-line.ts';

anInstallationForEach();

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

  it('accepts an app id, and adds an existing account only when told to', async () => {
    await cli.createWorkspace('--app-id', 'gp_first');
    await cli.createWorkspace('--app-id', 'gp_second', '--owner-email', 'grace@shop.example');
    const refused = await cli.here([...base, '--workspace', 'gp_first'], NEW_PASSWORD);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('grace@shop.example already has an account');
    expect(refused.stderr).toContain('--existing-account');
    const added = await cli.json([...withoutPassword, '--existing-account', '--workspace', 'gp_first']);
    expect(added.role).toBe('admin');
    expect(await verifyPassword(PASSWORD, await hashOf('grace@shop.example'))).toBe(true);
    const both = [...base, '--existing-account', '--workspace', 'gp_second'];
    expect(await cli.here([...both, '--email', 'owner@shop.example'], NEW_PASSWORD)).toMatchObject({
      code: 2,
    });
    const unknown = [...withoutPassword, '--existing-account', '--workspace', 'gp_first'];
    expect(await cli.here([...unknown, '--email', 'eve@shop.example'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no account with a proved address'),
    });
  });

  it('prints a link that proves the address, for a new and for an existing account', async () => {
    await cli.createWorkspace('--app-id', 'gp_first');
    await cli.createWorkspace('--app-id', 'gp_second', '--owner-email', 'grace@shop.example');
    for (const email of ['grace@shop.example', 'new@shop.example']) {
      const args = [...withoutPassword, '--workspace', 'gp_first', '--email', email];
      const { code, stdout, stderr } = await cli.here([...args, '--json']);
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
    ['a member of it already', ['--email', 'owner@shop.example'], PASSWORD, 1, 'already a member of Shop'],
    ['a weak password', [], 'grace@shop.example', 1, 'your email'],
    [
      'a workspace that does not exist',
      ['--workspace', 'ws_nobody'],
      NEW_PASSWORD,
      1,
      'No workspace with id ws_nobody',
    ],
    ['no address', ['--email', 'grace'], NEW_PASSWORD, 2, '--email'],
    ['an unknown role', ['--role', 'king'], NEW_PASSWORD, 2, '--role'],
  ])('rejects %s', async (_, more, stdin, expected, hint) => {
    const { app_id } = await cli.createWorkspace();
    const { code, stderr } = await cli.here([...base, '--workspace', app_id, ...more], stdin);
    expect(code).toBe(expected);
    expect(stderr).toContain(hint);
  });
});

describe('member link', () => {
  it('prints a link for a member, who keeps the role', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const args = ['member', 'link', '--workspace', tenant_id, '--email'];
    const { link, role } = await cli.json([...args, 'owner@shop.example']);
    expect(role).toBe('owner');
    const found = await inStore((store) => store.invitations.find(hashToken(link.split('=')[1]), Date.now()));
    expect(found).toMatchObject({ provesAddress: true, workspaceId: tenant_id });
    const stranger = await cli.here([...args, 'eve@shop.example']);
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a member of Shop') });
  });
});

describe('member password', () => {
  const args = ['member', 'password', '--email', 'owner@shop.example', '--password-stdin'];

  it("sets a new password, ends all sessions, and is audited in each of the user's workspaces", async () => {
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
      device: 'Firefox on Linux',
    };
    await inStore((store) => store.sessions.open(session, 10));
    expect(await cli.json(args, NEW_PASSWORD)).toEqual({ user_id: user!.id, email: 'owner@shop.example' });
    expect(await verifyPassword(NEW_PASSWORD, await hashOf('owner@shop.example'))).toBe(true);
    expect(await inStore((store) => store.sessions.find(session.id))).toBeUndefined();
    for (const { tenant_id } of [first, second]) {
      expect(await actionsIn(tenant_id)).toEqual(['password.reset', 'workspace.created']);
    }
  });

  it('rejects an unknown email and a weak password', async () => {
    await cli.createWorkspace();
    const unknown = await cli.here(
      args.map((word) => word.replace('owner@', 'nobody@')),
      NEW_PASSWORD,
    );
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('No user with email') });
    const weak = await cli.here(args, 'passwordpassword1');
    expect(weak.code).toBe(1);
    expect(weak.stderr).not.toContain('passwordpassword1');
    expect(await verifyPassword(PASSWORD, await hashOf('owner@shop.example'))).toBe(true);
  });
});
