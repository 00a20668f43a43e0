import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK_HEADER } from '../../contract/fields.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import type { SessionState } from '../../contract/session.ts';
import { newInvitation } from '../../server/accounts/members.ts';
import { newId } from '../../server/base/ids.ts';
import type { Member } from '../../server/storage/members.ts';
import { hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { expectError, readResponse, type TestResponse } from '../support/response.ts';
import { browserAt } from '../support/signed-in-client.ts';
import { occupyHashing, openTeam, type Team } from '../support/team.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam();
});
afterEach(() => team.close());

type Invited = { id: string; email: string; role: string; expiresAt: string; link: string; mailed: boolean };
type Page = { data: Omit<Invited, 'link' | 'mailed'>[]; nextCursor?: string };

const GRACE_AS_MEMBER = { email: 'Grace@Shop.example', role: 'member' };
const invite = (json: unknown = GRACE_AS_MEMBER, person: 'owner' | 'admin' | 'member' = 'admin') =>
  team.as(person).post<Invited>('/invitations', json);
const open = async () => (await team.as('admin').get<Page>('/invitations')).json.data;
const audit = async () => team.harness.service.store.in(team.workspace.id).audit.list(50);
const tokenIn = ({ json }: TestResponse<Invited>) => new URL(json.link).hash.replace('#token=', '');
const expire = () => team.harness.clock.advance(ACCOUNT_LIMITS.invitationSeconds * 1000);

const readLink = (token: string) => post<Record<string, unknown>>('/api/invitations/read', { token });
const check = (token: string) =>
  browserAt(team.harness).get<Record<string, unknown>>('/api/invitations/accept', { [LINK_HEADER]: token });

describe('an invitation', () => {
  it('is refused for an address that has had many within the hour, also from another workspace', async () => {
    const { points } = BUCKETS['tenant/invited-address'];
    for (let count = 0; count < points; count += 1) expect((await invite()).status).toBe(201);
    const refused = await invite();
    expectError(refused, 'rate_limit/exceeded');
    expect(refused.json).toMatchObject({ bucket: 'tenant/invited-address' });
    const elsewhere = `/api/tenants/${team.elsewhere.id}/invitations`;
    expectError(await team.as('stranger').post(elsewhere, GRACE_AS_MEMBER), 'rate_limit/exceeded');
    expect((await invite({ email: 'hedy@shop.example', role: 'member' })).status).toBe(201);
    expect(await open()).toHaveLength(2);
  });

  it('returns its link once and stores only the hash of the token', async () => {
    const response = await invite();
    expect(response.status).toBe(201);
    const { link, mailed, ...rest } = response.json;
    expect(mailed).toBe(false);
    expect(rest).toMatchObject({
      email: 'grace@shop.example',
      role: 'member',
      invitedBy: team.as('admin').memberId,
    });
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/invitation#token=[\w-]{43}$/);
    expect(await open()).toStrictEqual([rest]);
    const token = tokenIn(response);
    const stored = await team.harness.service.store.in(team.workspace.id).invitations.list(0);
    for (const place of [stored, await audit(), team.harness.logged]) {
      expect(JSON.stringify(place)).not.toContain(token);
    }
    expect((await audit())[0]).toMatchObject({
      actor: team.as('admin').memberId,
      action: 'invitation.created',
      subject: rest.id,
      details: { email: 'grace@shop.example', role: 'member' },
    });
  });

  it('returns its workspace, role and email to the holder of the link', async () => {
    const invited = await invite();
    const { json } = await readLink(tokenIn(invited));
    expect(json).toStrictEqual({
      workspaceName: 'A shop',
      email: 'grace@shop.example',
      role: 'member',
      expiresAt: invited.json.expiresAt,
      provesAddress: false,
    });
  });

  it('can be checked by its link without revealing whether the address has an account', async () => {
    const invited = await invite();
    const { json } = await check(tokenIn(invited));
    expect(json).toStrictEqual({
      workspaceName: 'A shop',
      email: 'grace@shop.example',
      role: 'member',
      expiresAt: invited.json.expiresAt,
    });
    expect(JSON.stringify(team.harness.logged)).not.toContain(tokenIn(invited));
  });

  it('returns 404 for a link that is unknown, expired or withdrawn', async () => {
    const [first, second] = [await invite(), await invite({ ...GRACE_AS_MEMBER, email: 'ada@shop.example' })];
    await team.as('admin').delete(`/invitations/${first.json.id}`);
    expectError(await check(tokenIn(first)), 'invitation/not_found');
    expectError(await check('unknown'), 'invitation/not_found');
    expire();
    expectError(await check(tokenIn(second)), 'invitation/not_found');
  });

  it('expires after seven days', async () => {
    const invited = await invite();
    team.harness.clock.advance(ACCOUNT_LIMITS.invitationSeconds * 1000 - 60_000);
    expect((await readLink(tokenIn(invited))).status).toBe(200);
    team.harness.clock.advance(60_000);
    expectError(await readLink(tokenIn(invited)), 'invitation/not_found');
  });

  it('is deleted with its personal data after it expires', async () => {
    await invite();
    expire();
    const { store } = team.harness.service;
    await store.sweep(team.harness.clock.now());
    expect(await store.in(team.workspace.id).invitations.list(0)).toStrictEqual([]);
  });

  it('disappears when it is withdrawn and cannot be withdrawn twice', async () => {
    const invited = await invite();
    const path = `/invitations/${invited.json.id}`;
    expect((await team.as('owner').delete(path)).json).toStrictEqual({ ok: true });
    expectError(await readLink(tokenIn(invited)), 'invitation/not_found');
    expect((await audit())[0]).toMatchObject({
      action: 'invitation.withdrawn',
      subject: invited.json.id,
      details: { email: 'grace@shop.example' },
    });
    expectError(await team.as('owner').delete(path), 'invitation/not_found');
    expectError(await team.as('owner').delete(`/invitations/${newId('inv')}`), 'invitation/not_found');
  });

  it('replaces an earlier one to the same address', async () => {
    const [first, second] = [await invite(), await invite({ ...GRACE_AS_MEMBER, role: 'admin' })];
    expectError(await readLink(tokenIn(first)), 'invitation/not_found');
    expect((await readLink(tokenIn(second))).json).toMatchObject({ role: 'admin' });
    expect(await open()).toHaveLength(1);
  });

  it('requires the role owner or admin to create, list and withdraw', async () => {
    const { json } = await invite();
    expectError(await invite(GRACE_AS_MEMBER, 'member'), 'tenant/role_required');
    expectError(await team.as('member').get('/invitations'), 'tenant/role_required');
    expectError(await team.as('member').delete(`/invitations/${json.id}`), 'tenant/role_required');
    const theirs = `/api/tenants/${team.elsewhere.id}/invitations/${json.id}`;
    expectError(await team.as('stranger').delete(theirs), 'invitation/not_found');
  });

  it('takes a recently confirmed password, and an owner when it is for the role owner', async () => {
    const asOwner = { ...GRACE_AS_MEMBER, role: 'owner' };
    expectError(await invite(asOwner, 'admin'), 'tenant/role_required');
    expect((await invite(asOwner, 'owner')).status).toBe(201);
    team.harness.clock.advance(ACCOUNT_LIMITS.freshPasswordSeconds * 1000 + 1);
    expectError(await invite(asOwner, 'owner'), 'session/password_needed');
    expectError(await invite(GRACE_AS_MEMBER, 'owner'), 'session/password_needed');
  });

  it.each([
    ['an invalid email address', { ...GRACE_AS_MEMBER, email: 'grace' }, 'body.email'],
    ['an unknown role', { ...GRACE_AS_MEMBER, role: 'king' }, 'body.role'],
  ])('is rejected when it has %s', async (_what, body, path) => {
    expect(expectError(await invite(body), 'request/invalid').issues).toMatchObject([{ path }]);
  });

  it.each(['x', '', 'a'.repeat(129)])(
    'returns only an error code for the made-up token %j',
    async (token) => {
      const code = token === 'x' ? 'invitation/not_found' : 'request/invalid';
      expectError(await readLink(token), code);
    },
  );
});

const GRACE = 'grace@shop.example';
const PASSWORD = 'seven green bicycles sing';
const ANOTHER = 'eleven amber kettles hum';

/** Creates an invitation as an owner and returns the token of its link. */
async function linkFor(email: string, role = 'member', into = team.workspace.id): Promise<string> {
  const memberClient = team.as(into === team.workspace.id ? 'owner' : 'stranger');
  const path = `/api/tenants/${into}/invitations`;
  const { status, json } = await memberClient.post<{ link: string }>(path, { email, role });
  expect(status).toBe(201);
  return new URL(json.link).hash.replace('#token=', '');
}

/** Posts without a session, as a same-origin page. */
const post = <Json>(path: string, json: unknown, headers: Record<string, string> = {}) =>
  readResponse<Json>(
    fetch(`${team.harness.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      body: JSON.stringify(json),
    }),
  );
const accept = (token: string, password = PASSWORD) =>
  post<SessionState>('/api/invitations/accept', { token, password });
const read = async (token: string) => (await post<object>('/api/invitations/read', { token })).json;
const signIn = (password: string) => post<SessionState>('/api/session', { email: GRACE, password });

/** Signs up with a link that an operator made, which proves the address. */
async function prove(email: string, password: string, workspaceId = team.elsewhere.id): Promise<string> {
  const token = makeSessionToken();
  const createdAt = team.harness.clock.now();
  const invitation = newInvitation({
    workspaceId,
    email,
    role: 'member',
    tokenHash: hashToken(token),
    invitedBy: 'operator',
    createdAt,
    provesAddress: true,
  });
  await store().in(workspaceId).invitations.create(invitation, auditRow(createdAt));
  const { status, json } = await accept(token, password);
  expect(status).toBe(200);
  return json.userId;
}
const store = () => team.harness.service.store;
const membersHere = () => store().in(team.workspace.id).members.list();
const roleOf = async (email: string) => (await membersHere()).find((one) => one.email === email)?.role;

describe('POST /api/invitations/accept', () => {
  it('creates an account with the chosen password, adds the member and signs them in', async () => {
    const response = await accept(await linkFor('Grace@Shop.Example', 'admin'));
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({
      email: GRACE,
      memberships: [{ tenantId: team.workspace.id, name: 'A shop', role: 'admin' }],
    });
    const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
    const settings = await readResponse(
      fetch(`${team.harness.baseUrl}/api/tenants/${team.workspace.id}`, { headers: { cookie } }),
    );
    expect(settings.status).toBe(200);
    const user = await store()
      .users.listByEmail(GRACE)
      .then(([first]) => first);
    expect(user?.passwordHash).toMatch(/^\$argon2id\$/);
    const [, row] = await store().in(team.workspace.id).audit.list(2);
    const { memberId } = response.json.memberships[0]!;
    expect(row).toMatchObject({
      actor: memberId,
      action: 'invitation.accepted',
      details: { memberId, email: GRACE, role: 'admin' },
    });
  });

  it('rejects a weak password and keeps the invitation valid', async () => {
    const token = await linkFor(GRACE);
    for (const bad of ['short', 'grace@shop.example', 'a'.repeat(20)]) {
      const { issues } = expectError(await accept(token, bad), 'request/invalid');
      expect(issues).toMatchObject([{ path: 'body.password' }]);
    }
    expect((await accept(token)).status).toBe(200);
  });

  it('accepts only one of several requests with the same link', async () => {
    const token = await linkFor(GRACE);
    const responses = await Promise.all([accept(token), accept(token, ANOTHER), accept(token)]);
    expect(responses.map(({ status }) => status).sort()).toStrictEqual([200, 404, 404]);
    expectError(await accept(token), 'invitation/not_found');
    expect((await membersHere()).filter(({ email }) => email === GRACE)).toHaveLength(1);
  });

  it('adds the existing account with a proved address when its password matches', async () => {
    const userId = await prove(GRACE, PASSWORD);
    const before = await store().users.listByEmail(GRACE);
    const { json } = await accept(await linkFor(GRACE));
    expect(json).toMatchObject({ userId });
    expect(json.memberships.map(({ tenantId }) => tenantId)).toStrictEqual([
      team.elsewhere.id,
      team.workspace.id,
    ]);
    expect(await store().users.listByEmail(GRACE)).toStrictEqual(before);
  });

  it('creates an account of this workspace alone when the password differs', async () => {
    const userId = await prove(GRACE, PASSWORD);
    const response = await accept(await linkFor(GRACE), ANOTHER);
    expect(response.json.memberships).toMatchObject([{ tenantId: team.workspace.id }]);
    expect(response.json.userId).not.toBe(userId);
    expect((await signIn(ANOTHER)).json.memberships).toMatchObject([{ tenantId: team.workspace.id }]);
    expect((await signIn(PASSWORD)).json).toMatchObject({
      userId,
      memberships: [{ tenantId: team.elsewhere.id }],
    });
  });

  it('returns the same responses whether or not the address has an account elsewhere', async () => {
    await prove('known@shop.example', PASSWORD);
    await accept(await linkFor('half@shop.example', 'member', team.elsewhere.id), PASSWORD);
    const outcomes = [];
    for (const email of ['known@shop.example', 'half@shop.example', 'nobody@shop.example']) {
      const token = await linkFor(email);
      const weak = await accept(token, 'short');
      const view = { ...(await read(token)), email: '', expiresAt: '' };
      const { status, json } = await accept(token, ANOTHER);
      outcomes.push({
        view,
        issues: weak.json,
        status,
        memberships: json.memberships.map(({ role }) => role),
      });
    }
    const [first, ...others] = outcomes.map((one) => JSON.stringify(one).replace(/req_\w+/, ''));
    expect(new Set(others)).toStrictEqual(new Set([first]));
  });

  it('does not let an inviter take over an address for which an operator later creates an account', async () => {
    const token = await linkFor(GRACE, 'member', team.elsewhere.id);
    const mallory = await accept(token, ANOTHER);
    const userId = await prove(GRACE, PASSWORD, team.workspace.id);
    expect(expectError(await signIn(ANOTHER), 'session/wrong_credentials')).toBeDefined();
    const cookie = mallory.headers.get('set-cookie')!.split(';')[0]!;
    const stale = await readResponse(fetch(`${team.harness.baseUrl}/api/session`, { headers: { cookie } }));
    expectError(stale, 'session/unauthorized');
    const { json } = await signIn(PASSWORD);
    expect(json.userId).toBe(userId);
    expect(json.memberships.map(({ tenantId }) => tenantId)).toStrictEqual([
      team.elsewhere.id,
      team.workspace.id,
    ]);
  });

  it('keeps accounts of two workspaces apart and rejects the same password for both', async () => {
    const [here, there] = [await linkFor(GRACE), await linkFor(GRACE, 'owner', team.elsewhere.id)];
    expect((await accept(here, PASSWORD)).json.memberships).toHaveLength(1);
    const { issues } = expectError(await accept(there, PASSWORD), 'request/invalid');
    expect(issues).toMatchObject([{ path: 'body.password', code: 'in_use' }]);
    expect((await accept(there, ANOTHER)).json.memberships).toMatchObject([{ tenantId: team.elsewhere.id }]);
    expect((await signIn(PASSWORD)).json.memberships).toMatchObject([{ tenantId: team.workspace.id }]);
    expect((await signIn(ANOTHER)).json.memberships).toMatchObject([{ tenantId: team.elsewhere.id }]);
  });

  it('shows the workspace which email addresses are proved', async () => {
    await prove('known@shop.example', PASSWORD, team.workspace.id);
    await accept(await linkFor(GRACE));
    const { json } = await team
      .as('member')
      .get<{ data: { email: string; addressProved: boolean }[] }>('/members');
    const proved = new Map(json.data.map(({ email, addressProved }) => [email, addressProved]));
    expect([proved.get('known@shop.example'), proved.get(GRACE)]).toStrictEqual([true, false]);
  });

  it('limits guesses at the password of the address with the sign-in bucket', async () => {
    await prove(GRACE, PASSWORD);
    const token = await linkFor(GRACE);
    for (let at = 0; at < BUCKETS['session/sign-in'].points; at += 1) {
      expectError(await accept(token, 'short'), 'request/invalid');
    }
    expect(expectError(await accept(token), 'rate_limit/exceeded').bucket).toBe('session/sign-in');
    expect(expectError(await signIn(PASSWORD), 'rate_limit/exceeded').bucket).toBe('session/sign-in');
  });

  it('rejects an invitation of a member and voids their earlier links', async () => {
    const earlier = await linkFor(GRACE);
    await accept(await linkFor(GRACE));
    expectError(await accept(earlier), 'invitation/not_found');
    const again = await team.as('admin').post('/invitations', { email: GRACE, role: 'admin' });
    expectError(again, 'invitation/already_member');
  });
});

/** Adds a member without a password, as an import or an operator would. */
async function joinWithoutPassword(role: 'owner' | 'member', email: string): Promise<Member> {
  const { id: workspaceId } = team.workspace;
  const [id, tokenHash, nowMillis] = [newId('inv'), hashToken(makeSessionToken()), team.harness.clock.now()];
  const invitation = { id, workspaceId, email, role, tokenHash, invitedBy: 'operator', createdAt: nowMillis };
  await store()
    .in(workspaceId)
    .invitations.create(
      { ...invitation, expiresAt: nowMillis + 1, provesAddress: false },
      auditRow(nowMillis),
    );
  const member = await store().invitations.accept({
    tokenHash,
    nowMillis,
    newMemberId: newId('mem'),
    newUserId: newId('usr'),
    account: { passwordHash: '' },
    auditId: newId('aud'),
    auditReset: () => auditRow(nowMillis),
  });
  return member as Member;
}

const auditRow = (atMillis: number) => {
  return { id: newId('aud'), atMillis, actor: 'operator', action: 'test', subject: 'test', details: {} };
};

describe('a member without a password', () => {
  const email = 'hedy@shop.example';

  it('cannot sign in until they choose a password through an invitation', async () => {
    const { id: memberId } = await joinWithoutPassword('member', email);
    expectError(await post('/api/session', { email, password: PASSWORD }), 'session/wrong_credentials');
    const token = await linkFor(email);
    expect((await accept(token)).json.memberships).toMatchObject([{ memberId, role: 'member' }]);
    expect((await post('/api/session', { email, password: PASSWORD })).status).toBe(200);
  });

  it('keeps the role when the invitation names another one', async () => {
    await joinWithoutPassword('member', email);
    const asAdmin = await team.as('owner').post<{ role: string }>('/invitations', { email, role: 'admin' });
    expect(asAdmin.json.role).toBe('member');
    await joinWithoutPassword('owner', 'ada@shop.example');
    const invitation = { email: 'ada@shop.example', role: 'member' };
    expectError(await team.as('admin').post('/invitations', invitation), 'tenant/role_required');
    const byOwner = await team.as('owner').post<{ role: string }>('/invitations', invitation);
    expect(byOwner.json.role).toBe('owner');
  });

  it('cannot be taken over with an older link after their role was raised', async () => {
    const { id: memberId } = await joinWithoutPassword('member', email);
    const { json } = await team.as('admin').post<{ link: string }>('/invitations', { email, role: 'member' });
    await team.as('owner').patch(`/members/${memberId}`, { role: 'owner' });
    expectError(await accept(json.link.split('#token=')[1]!), 'invitation/not_found');
    expect(await roleOf(email)).toBe('owner');
  });
});

describe('POST /api/invitations/accept: abuse', () => {
  it('rejects cross-site requests', async () => {
    const token = await linkFor(GRACE);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const response = await post('/api/invitations/accept', { token, password: PASSWORD }, foreign);
    expectError(response, 'session/cross_site');
  });

  it('returns 503 while the password hashing queue is full', async () => {
    const token = await linkFor(GRACE);
    const release = occupyHashing();
    const rejected = await accept(token);
    await release();
    expectError(rejected, 'server/overloaded');
    expect((await accept(token)).status).toBe(200);
  });

  it('rejects an expired token, an unknown token and the hash of a token', async () => {
    const tokenHash = hashToken(makeSessionToken());
    const now = team.harness.clock.now();
    const expired = makeSessionToken();
    await store()
      .in(team.workspace.id)
      .invitations.create(
        {
          id: newId('inv'),
          workspaceId: team.workspace.id,
          email: GRACE,
          role: 'owner',
          tokenHash: hashToken(expired),
          invitedBy: 'operator',
          createdAt: now - 2,
          expiresAt: now,
          provesAddress: false,
        },
        auditRow(now),
      );
    for (const token of [expired, makeSessionToken(), tokenHash, hashToken(expired)]) {
      expectError(await accept(token), 'invitation/not_found');
    }
  });
});
