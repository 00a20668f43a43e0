import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits.ts';
import type { SessionState } from '../../contract/session.ts';
import { newId } from '../../server/ids.ts';
import type { Member } from '../../server/storage/members.ts';
import { hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { answerOf, expectRefusal } from '../fixtures/answer.ts';
import { occupyHashing } from './occupied-hashing.ts';
import { type Office, openOffice } from './office.ts';

let office: Office;
beforeEach(async () => {
  office = await openOffice();
});
afterEach(() => office.close());

const GRACE = 'grace@shop.example';
const PASSWORD = 'seven green bicycles sing';
const ANOTHER = 'eleven amber kettles hum';

/** Invites as an owner would and answers with the token of the link. */
async function linkFor(email: string, role = 'member', into = office.workspace.id): Promise<string> {
  const desk = office.as(into === office.workspace.id ? 'owner' : 'stranger');
  const path = `/api/tenants/${into}/invitations`;
  const { status, json } = await desk.post<{ link: string }>(path, { email, role });
  expect(status).toBe(201);
  return new URL(json.link).hash.replace('#token=', '');
}

/** A page of the service itself, of somebody who is not signed in. */
const post = <Json>(path: string, json: unknown, headers: Record<string, string> = {}) =>
  answerOf<Json>(
    fetch(`${office.harness.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      body: JSON.stringify(json),
    }),
  );
const accept = (token: string, password = PASSWORD) =>
  post<SessionState>('/api/invitations/accept', { token, password });
const hasAccount = async (token: string) =>
  (await post<{ hasAccount: boolean }>('/api/invitations/read', { token })).json.hasAccount;
const store = () => office.harness.service.store;
const membersHere = () => store().in(office.workspace.id).members.list();
const roleOf = async (email: string) => (await membersHere()).find((one) => one.email === email)?.role;

describe('who accepts an invitation', () => {
  it('without an account chooses a password, belongs, and is signed in', async () => {
    const answer = await accept(await linkFor('Grace@Shop.Example', 'admin'));
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      email: GRACE,
      memberships: [{ tenantId: office.workspace.id, name: 'A shop', role: 'admin' }],
    });
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    const settings = await answerOf(
      fetch(`${office.harness.baseUrl}/api/tenants/${office.workspace.id}`, { headers: { cookie } }),
    );
    expect(settings.status).toBe(200);
    const user = await store().users.findByEmail(GRACE);
    expect(user?.passwordHash).toMatch(/^\$argon2id\$/);
    const [row] = await store().in(office.workspace.id).audit.list(1);
    const { memberId } = answer.json.memberships[0]!;
    expect(row).toMatchObject({
      actor: memberId,
      action: 'invitation.accepted',
      details: { memberId, email: GRACE, role: 'admin' },
    });
  });

  it('chooses a password by the rules, and may try again with the same link', async () => {
    const token = await linkFor(GRACE);
    for (const bad of ['short', 'grace@shop.example', 'a'.repeat(20)]) {
      const { issues } = expectRefusal(await accept(token, bad), 'request/invalid');
      expect(issues).toMatchObject([{ path: 'body.password' }]);
    }
    expect((await accept(token)).status).toBe(200);
  });

  it('uses the link up: whoever comes second finds nothing', async () => {
    const token = await linkFor(GRACE);
    const answers = await Promise.all([accept(token), accept(token, ANOTHER), accept(token)]);
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, 404, 404]);
    expectRefusal(await accept(token), 'invitation/not_found');
    expect((await membersHere()).filter(({ email }) => email === GRACE)).toHaveLength(1);
  });

  it('with an account gives its password, and keeps it', async () => {
    await accept(await linkFor(GRACE, 'owner', office.elsewhere.id));
    const before = await store().users.findByEmail(GRACE);
    const token = await linkFor(GRACE);
    expect(await hasAccount(token)).toBe(true);
    expectRefusal(await accept(token, ANOTHER), 'session/wrong_credentials');
    const { json } = await accept(token);
    expect(json.memberships.map(({ role }) => role)).toStrictEqual(['owner', 'member']);
    expect(await store().users.findByEmail(GRACE)).toStrictEqual(before);
  });

  it('guesses at the password of an account as rarely as at the sign-in', async () => {
    await accept(await linkFor(GRACE, 'owner', office.elsewhere.id));
    const token = await linkFor(GRACE);
    for (let at = 0; at < BUCKETS['session/sign-in'].points; at += 1) {
      expectRefusal(await accept(token, ANOTHER), 'session/wrong_credentials');
    }
    expect(expectRefusal(await accept(token), 'rate_limit/exceeded').bucket).toBe('session/sign-in');
    const signIn = await post('/api/session', { email: GRACE, password: PASSWORD });
    expect(expectRefusal(signIn, 'rate_limit/exceeded').bucket).toBe('session/sign-in');
  });

  it('at the same moment as somebody who takes the address elsewhere does not join under their password', async () => {
    const here = await linkFor(GRACE);
    const there = await linkFor(GRACE, 'owner', office.elsewhere.id);
    const answers = await Promise.all([accept(here, PASSWORD), accept(there, ANOTHER)]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectRefusal(refused[0]!, 'session/wrong_credentials');
  });

  it('is a member already: an invitation is refused, and an earlier link is void', async () => {
    const earlier = await linkFor(GRACE);
    await accept(await linkFor(GRACE));
    expectRefusal(await accept(earlier), 'invitation/not_found');
    const again = await office.as('admin').post('/invitations', { email: GRACE, role: 'admin' });
    expectRefusal(again, 'invitation/already_member');
  });
});

/** Joins as an import or an operator would make somebody join: without a password. */
async function joinWithoutPassword(role: 'owner' | 'member', email: string): Promise<Member> {
  const { id: workspaceId } = office.workspace;
  const [id, tokenHash, nowMillis] = [
    newId('inv'),
    hashToken(makeSessionToken()),
    office.harness.clock.now(),
  ];
  const invitation = { id, workspaceId, email, role, tokenHash, invitedBy: 'operator', createdAt: nowMillis };
  await store()
    .in(workspaceId)
    .invitations.create({ ...invitation, expiresAt: nowMillis + 1 }, auditRow(nowMillis));
  const member = await store().invitations.accept({
    tokenHash,
    nowMillis,
    freshMemberId: newId('mem'),
    newUserId: newId('usr'),
    passwordHash: '',
    auditId: newId('aud'),
  });
  return member as Member;
}

const auditRow = (atMillis: number) => {
  return { id: newId('aud'), atMillis, actor: 'operator', action: 'test', subject: 'test', details: {} };
};

describe('a member who has no password yet', () => {
  const email = 'hedy@shop.example';

  it('cannot sign in until an invitation lets them choose one', async () => {
    const { id: memberId } = await joinWithoutPassword('member', email);
    expectRefusal(await post('/api/session', { email, password: PASSWORD }), 'session/wrong_credentials');
    const token = await linkFor(email);
    expect(await hasAccount(token)).toBe(false);
    expect((await accept(token)).json.memberships).toMatchObject([{ memberId, role: 'member' }]);
    expect((await post('/api/session', { email, password: PASSWORD })).status).toBe(200);
  });

  it('keeps the role, whatever the invitation was asked to say', async () => {
    await joinWithoutPassword('member', email);
    const asAdmin = await office.as('owner').post<{ role: string }>('/invitations', { email, role: 'admin' });
    expect(asAdmin.json.role).toBe('member');
    await joinWithoutPassword('owner', 'ada@shop.example');
    const asked = { email: 'ada@shop.example', role: 'member' };
    expectRefusal(await office.as('admin').post('/invitations', asked), 'tenant/role_required');
    const byOwner = await office.as('owner').post<{ role: string }>('/invitations', asked);
    expect(byOwner.json.role).toBe('owner');
  });

  it('whose role was raised meanwhile is not taken over by an older link', async () => {
    const { id: memberId } = await joinWithoutPassword('member', email);
    const { json } = await office
      .as('admin')
      .post<{ link: string }>('/invitations', { email, role: 'member' });
    await office.as('owner').patch(`/members/${memberId}`, { role: 'owner' });
    expectRefusal(await accept(json.link.split('#token=')[1]!), 'invitation/not_found');
    expect(await roleOf(email)).toBe('owner');
  });

  it('and belongs elsewhere too is not let in by a link of this workspace alone', async () => {
    await joinWithoutPassword('member', email);
    const there = await linkFor(email, 'member', office.elsewhere.id);
    expect(await hasAccount(there)).toBe(true);
    expectRefusal(await accept(there), 'session/wrong_credentials');
    expect((await store().users.findByEmail(email))?.passwordHash).toBe('');
  });
});

describe('the door of an invitation', () => {
  it('is closed to pages of other sites', async () => {
    const token = await linkFor(GRACE);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const answer = await post('/api/invitations/accept', { token, password: PASSWORD }, foreign);
    expectRefusal(answer, 'session/cross_site');
  });

  it('lets only so many passwords be hashed at once', async () => {
    const token = await linkFor(GRACE);
    const release = occupyHashing();
    const crowded = await accept(token);
    await release();
    expectRefusal(crowded, 'server/overloaded');
    expect((await accept(token)).status).toBe(200);
  });

  it('does not open with an expired link, an unknown one, or the hash of one', async () => {
    const tokenHash = hashToken(makeSessionToken());
    const now = office.harness.clock.now();
    const expired = makeSessionToken();
    await store()
      .in(office.workspace.id)
      .invitations.create(
        {
          id: newId('inv'),
          workspaceId: office.workspace.id,
          email: GRACE,
          role: 'owner',
          tokenHash: hashToken(expired),
          invitedBy: 'operator',
          createdAt: now - 2,
          expiresAt: now,
        },
        auditRow(now),
      );
    for (const token of [expired, makeSessionToken(), tokenHash, hashToken(expired)]) {
      expectRefusal(await accept(token), 'invitation/not_found');
    }
  });
});
