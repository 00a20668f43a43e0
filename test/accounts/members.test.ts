import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { newId } from '../../server/base/ids.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import {
  createFixtures,
  named,
  type Prepared,
  requestOf,
  sendPrepared,
  shareRequests,
} from '../support/requests.ts';
import { expectError, type TestResponse } from '../support/response.ts';
import type { Fixtures } from '../support/samples.ts';
import {
  joinAs,
  type MemberClient,
  openSessionOf,
  openTeam,
  type Person,
  type Team,
} from '../support/team.ts';

type Member = { id: string; email: string; role: string; createdAt: string; self: boolean };
type Page = { data: Member[]; nextCursor?: string };

describe('members of a workspace', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openTeam();
  });
  afterEach(() => team.close());

  const at = (person: Person) => `/members/${team.as(person).memberId}`;
  const roles = async () => {
    const { json } = await team.as('member').get<Page>('/members');
    return Object.fromEntries(json.data.map(({ email, role }) => [email.split('@')[0]!, role]));
  };
  const newest = async () => (await team.harness.service.store.in(team.workspace.id).audit.list(1))[0];
  const changeRole = (role: string, who: Person, by: Person | MemberClient) =>
    (typeof by === 'string' ? team.as(by) : by).patch<Member>(at(who), { role });
  const forgetPasswords = () => team.harness.clock.advance(ACCOUNT_LIMITS.freshPasswordSeconds * 1000 + 1);

  describe('GET /members', () => {
    it('returns members oldest first and marks the caller', async () => {
      const { json } = await team.as('member').get<Page>('/members');
      expect(json.data.map(({ email, role, self }) => ({ email, role, self }))).toStrictEqual([
        { email: 'owner@shop.example', role: 'owner', self: false },
        { email: 'admin@shop.example', role: 'admin', self: false },
        { email: 'member@shop.example', role: 'member', self: true },
      ]);
      expectError(await team.as('stranger').get('/members'), 'tenant/not_found');
    });

    it('returns pages', async () => {
      const first = (await team.as('owner').get<Page>('/members?limit=2')).json;
      const rest = (await team.as('owner').get<Page>(`/members?limit=2&cursor=${first.nextCursor}`)).json;
      expect([first.data.length, rest.data.length, rest.nextCursor]).toStrictEqual([2, 1, undefined]);
      const bad = await team.as('owner').get('/members?cursor=AAAA');
      expectError(bad, 'request/invalid');
    });

    it('rejects changes to unknown members and to members of another workspace', async () => {
      for (const id of [team.as('stranger').memberId, newId('mem')]) {
        const change = await team.as('owner').patch(`/members/${id}`, { role: 'admin' });
        expectError(change, 'member/not_found');
        expectError(await team.as('owner').delete(`/members/${id}`), 'member/not_found');
      }
    });
  });

  describe('the role of a member', () => {
    it('changes at once and is audited with its old and new value', async () => {
      const response = await changeRole('admin', 'member', 'admin');
      expect(response.json).toMatchObject({ id: team.as('member').memberId, role: 'admin', self: false });
      expect(await newest()).toMatchObject({
        actor: team.as('admin').memberId,
        action: 'member.role_changed',
        subject: team.as('member').memberId,
        details: { email: 'member@shop.example', from: 'member', to: 'admin' },
      });
      expect((await team.as('member').patch('', { name: 'Renamed by a new admin' })).status).toBe(200);
    });

    it('is not audited when it stays the same', async () => {
      const before = await newest();
      expect((await changeRole('member', 'member', 'admin')).status).toBe(200);
      expect(await newest()).toStrictEqual(before);
    });

    it('cannot be changed by members, not even their own', async () => {
      expectError(await changeRole('admin', 'member', 'member'), 'tenant/role_required');
    });

    it('can be raised to owner or lowered from owner only by owners', async () => {
      expectError(await changeRole('owner', 'admin', 'admin'), 'tenant/role_required');
      expectError(await changeRole('owner', 'member', 'admin'), 'tenant/role_required');
      expectError(await changeRole('admin', 'owner', 'admin'), 'tenant/role_required');
      expectError(await team.as('admin').delete(at('owner')), 'tenant/role_required');
      expect((await changeRole('owner', 'admin', 'owner')).status).toBe(200);
      expect((await changeRole('admin', 'owner', 'admin')).status).toBe(200);
      expect(await roles()).toStrictEqual({ owner: 'admin', admin: 'owner', member: 'member' });
    });

    it('takes a recently confirmed password to be changed or removed, but not to leave', async () => {
      await changeRole('owner', 'admin', 'owner');
      forgetPasswords();
      expectError(await changeRole('owner', 'member', 'owner'), 'session/password_needed');
      expectError(await changeRole('member', 'admin', 'owner'), 'session/password_needed');
      expectError(await team.as('owner').delete(at('admin')), 'session/password_needed');
      expectError(await team.as('admin').delete(at('admin')), 'session/password_needed');
      expectError(await changeRole('admin', 'member', 'owner'), 'session/password_needed');
      expectError(await team.as('owner').delete(at('member')), 'session/password_needed');
      expect((await changeRole('admin', 'admin', await team.signIn(team.as('owner')))).status).toBe(200);
      expect((await team.as('member').delete(at('member'))).status).toBe(200);
    });

    it('stays owner for the last owner', async () => {
      expectError(await changeRole('admin', 'owner', 'owner'), 'member/last_owner');
      expectError(await team.as('owner').delete(at('owner')), 'member/last_owner');
      expect(await roles()).toMatchObject({ owner: 'owner' });
    });

    it('stays owner for one of two owners who demote each other at once', async () => {
      await changeRole('owner', 'admin', 'owner');
      const responses = await Promise.all([
        changeRole('member', 'admin', 'owner'),
        changeRole('member', 'owner', 'admin'),
        team.as('owner').delete(at('owner')),
        team.as('admin').delete(at('admin')),
      ]);
      expect(responses.some(({ status }) => status === 200)).toBe(true);
      expect(Object.values(await roles()).filter((role) => role === 'owner')).toHaveLength(1);
    });

    it('loses its permissions and its open invitations when it is lowered', async () => {
      const invited = await team.as('admin').post<{ id: string }>('/invitations', {
        email: 'grace@shop.example',
        role: 'admin',
      });
      expect(invited.status).toBe(201);
      await changeRole('member', 'admin', 'owner');
      expectError(await team.as('admin').get('/invitations'), 'tenant/role_required');
      expect((await team.as('owner').get<Page>('/invitations')).json.data).toStrictEqual([]);
    });
  });

  describe('DELETE /members/:id', () => {
    it('ends access at once and audits whether the member left or was removed', async () => {
      const removed = await team.as('admin').delete(at('member'));
      expect(removed.json).toStrictEqual({ ok: true });
      expect(await newest()).toMatchObject({
        action: 'member.removed',
        actor: team.as('admin').memberId,
        subject: team.as('member').memberId,
        details: { email: 'member@shop.example', role: 'member' },
      });
      expectError(await team.as('member').get(''), 'tenant/not_found');

      expect((await team.as('admin').delete(at('admin'))).status).toBe(200);
      expect(await newest()).toMatchObject({ action: 'member.left', subject: team.as('admin').memberId });
      expectError(await team.as('admin').get(''), 'tenant/not_found');
      const { json } = await team.as('owner').get<Page>('/members');
      expect(json.data.map(({ email }) => email)).toStrictEqual(['owner@shop.example']);
    });

    it('lets members leave but not remove others', async () => {
      expectError(await team.as('member').delete(at('admin')), 'tenant/role_required');
      expect((await team.as('member').delete(at('member'))).status).toBe(200);
    });

    it('keeps memberships of other workspaces', async () => {
      const { store } = team.harness.service;
      await team.as('owner').delete(at('member'));
      expect(await store.users.find(team.as('member').userId)).toBeDefined();
    });
  });
});

/**
 * Sends a request to every workspace route as every role; the contract declares the expected result.
 */

const CANARY = 'the blue lantern in the cellar';

const workspaceRoutes = named.filter(([, route]) => route.metadata.roles);

/** Rules that depend on the target too: only managers may remove other members, and notes of others. */
const OWNERS_RULES = new Set([
  'removeMember member',
  'removeMember admin',
  'deleteConversationNote member',
  'deleteHandoverNote member',
]);
describe('every workspace route', () => {
  let harness: Harness;
  let fixtures: Fixtures;
  let stranger: MemberClient;
  let removed: MemberClient;
  beforeAll(async () => {
    harness = await openHarness();
    stranger = await joinAs(harness, await harness.addWorkspace(), 'owner');
    const owner = await joinAs(harness, harness.workspace, 'owner');
    const article = { title: CANARY, answer: `${CANARY} is lit at night.` };
    await owner.post('/knowledge/articles', article);
    removed = await joinAs(harness, harness.workspace, 'owner');
    expect((await removed.delete(`/members/${removed.memberId}`)).status).toBe(200);
    fixtures = await createFixtures(harness);
  });
  afterAll(() => harness.close());

  const readyFor = shareRequests((id, route) => requestOf(fixtures, id, route));
  const sendAs = ({ cookie }: MemberClient, request: Prepared): Promise<TestResponse> =>
    sendPrepared({ ...request, headers: { ...request.headers, cookie } });

  // test/every-route.test.ts sends each valid request as an owner.
  const cases = workspaceRoutes.flatMap(([id, route]) =>
    (['admin', 'member'] as const).map((role) => [id, role, route] as const),
  );
  it.each(cases)('%s allows or rejects the role %s as its contract says', async (id, role, route) => {
    const person = await joinAs(harness, harness.workspace, role);
    if (!route.metadata.roles!.includes(role)) {
      const answer = await sendAs(person, await readyFor(id, route));
      expectError(answer, 'tenant/role_required');
      expect(answer.text).not.toContain(CANARY);
      return;
    }
    const answer = await sendAs(person, await requestOf(await createFixtures(harness), id, route));
    if (OWNERS_RULES.has(`${id} ${role}`)) expectError(answer, 'tenant/role_required');
    else expect(route.metadata, answer.text).toHaveProperty(`successResponses.${answer.status}`);
  });

  it.each(workspaceRoutes)('%s returns 404 to the owner of another workspace', async (id, route) => {
    const answer = await sendAs(stranger, await readyFor(id, route));
    expectError(answer, 'tenant/not_found');
    expect(answer.text).not.toContain(CANARY);
  });

  it.each(workspaceRoutes)('%s returns the same 404 for an unknown workspace', async (id, route) => {
    const { url, ...request } = await readyFor(id, route);
    const nowhere = url.replace(harness.workspace.id, 'ws_01kakv2fxse7wtg6x5r0h8rjbm');
    expectError(await sendPrepared({ ...request, url: nowhere }), 'tenant/not_found');
  });

  it.each(workspaceRoutes)('%s returns 404 to a member who was removed', async (id, route) => {
    expectError(await sendAs(removed, await readyFor(id, route)), 'tenant/not_found');
  });

  it('returns 403 on each to a member who signed in without the required provider', async () => {
    const closed = await openHarness({
      env: {
        OIDC_ISSUER: 'https://login.example.com',
        OIDC_CLIENT_ID: 'guidepost',
        OIDC_CLIENT_SECRET: 'a-secret-of-the-provider',
        OIDC_REQUIRED: 'on',
      },
    });
    const signed = await createFixtures(closed);
    const admin = await joinAs(closed, closed.workspace, 'admin');
    for (const [id, route] of workspaceRoutes) {
      closed.clock.advance(1000);
      expectError(await sendAs(admin, await requestOf(signed, id, route)), 'session/provider_required');
    }
    await closed.close();
  });

  it("rejects a session that was ended and keeps the user's other session", async () => {
    const memberClient = await joinAs(harness, harness.workspace, 'owner');
    const again = await openSessionOf(harness, memberClient);
    expect((await memberClient.delete('/api/session')).status).toBe(200);
    expectError(await memberClient.get(''), 'session/unauthorized');
    expect((await again.get('')).status).toBe(200);
  });
});
