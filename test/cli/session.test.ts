import { describe, expect, it } from 'vitest';
import { hashToken } from '../../server/tokens/session-cookie.ts';
import { actionsIn, cli, inStore, setUpInstallation } from '../support/command-line.ts';

setUpInstallation();

const create = (workspace: string, ...more: string[]) => [
  ...['session', 'create', '--workspace', workspace, '--name', 'Docs pipeline', '--area', 'articles'],
  ...more,
];

describe('session create', () => {
  it('prints the token once, and stores its hash and its permissions', async () => {
    const { tenant_id, owner_id } = await cli.createWorkspace();
    const options = ['--area', 'translations,review', '--role', 'member', '--allow', '203.0.113.9'];
    const args = create(tenant_id, '--expires', '30d', '--may-approve-own', ...options);
    const { id, token } = await cli.json(args);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const found = await inStore((store) => store.sessions.findByToken(hashToken(token)));
    expect(found).toMatchObject({
      id,
      automation: {
        workspaceId: tenant_id,
        memberId: owner_id,
        name: 'Docs pipeline',
        role: 'member',
        areas: ['articles', 'translations', 'review'],
        allowedNetworks: ['203.0.113.9/32'],
        mayApproveOwn: true,
      },
    });
    const listed = await cli.runInProcess(['session', 'list', '--workspace', tenant_id, '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id, active: true, created_by: owner_id }]);
    expect(listed.stdout).not.toContain(token);
    expect(await actionsIn(tenant_id)).toContain('automation_session.created');
  });

  it.each([
    ['an expiry after a year', ['--expires', '366d'], 2, '--expires'],
    ['an unknown area', ['--expires', '30d', '--area', 'members'], 2, '--area members'],
    [
      'an email address that is not an owner’s',
      ['--expires', '30d', '--owner', 'eve@shop.example'],
      1,
      'eve@shop.example',
    ],
  ])('rejects %s', async (_, options, code, message) => {
    const { tenant_id } = await cli.createWorkspace();
    const outcome = await cli.runInProcess(create(tenant_id, ...options));
    expect(outcome).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('rejects a session beyond the maximum of the workspace', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const args = create(tenant_id, '--expires', '30d');
    for (let count = 0; count < 20; count += 1) await cli.json(args);
    const outcome = await cli.runInProcess(args);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('End one first') });
  });
});

describe('session end', () => {
  it('ends a session for good, and lists it as ended', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const { id, token } = await cli.json(create(tenant_id, '--expires', '30d'));
    const end = ['session', 'end', id, '--workspace', tenant_id];
    expect(await cli.json(end)).toEqual({ id });
    expect(await inStore((store) => store.sessions.findByToken(hashToken(token)))).toBeUndefined();
    expect(await cli.json(['session', 'list', '--workspace', tenant_id])).toMatchObject([
      { id, active: false },
    ]);
    expect((await actionsIn(tenant_id))[0]).toBe('automation_session.ended');
    expect(await cli.runInProcess(end)).toMatchObject({ code: 1, stderr: expect.stringContaining(id) });
  });

  it('rejects a session of another workspace', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const other = await cli.createWorkspace('--name', 'Other shop');
    const { id } = await cli.json(create(tenant_id, '--expires', '30d'));
    const outcome = await cli.runInProcess(['session', 'end', id, '--workspace', other.tenant_id]);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining(id) });
    expect(await cli.json(['session', 'list', '--workspace', tenant_id])).toMatchObject([
      { id, active: true },
    ]);
  });
});
