import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK_HEADER } from '../../contract/fields.ts';
import { LIMITS } from '../../contract/limits.ts';
import { newId } from '../../server/ids.ts';
import { browserAt } from '../dashboard/browser.ts';
import { type Answer, answerOf, expectError } from '../fixtures/answer.ts';
import { openTeam, type Team } from './team.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam();
});
afterEach(() => team.close());

type Invited = { id: string; email: string; role: string; expiresAt: string; link: string };
type Page = { data: Omit<Invited, 'link'>[]; nextCursor?: string };

const GRACE = { email: 'Grace@Shop.example', role: 'member' };
const invite = (json: unknown = GRACE, person: 'owner' | 'admin' | 'member' = 'admin') =>
  team.as(person).post<Invited>('/invitations', json);
const open = async () => (await team.as('admin').get<Page>('/invitations')).json.data;
const audit = async () => team.harness.service.store.in(team.workspace.id).audit.list(50);
const tokenIn = ({ json }: Answer<Invited>) => new URL(json.link).hash.replace('#token=', '');
const expire = () => team.harness.clock.advance(LIMITS.invitationSeconds * 1000);

/** A page of the service without a session. */
const post = <Json>(path: string, json: unknown) =>
  answerOf<Json>(
    fetch(`${team.harness.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(json),
    }),
  );
const read = (token: string) => post<Record<string, unknown>>('/api/invitations/read', { token });
const check = (token: string) =>
  browserAt(team.harness).get<Record<string, unknown>>('/api/invitations/accept', { [LINK_HEADER]: token });

describe('an invitation', () => {
  it('returns its link once and stores only the hash of the token', async () => {
    const answer = await invite();
    expect(answer.status).toBe(201);
    const { link, ...rest } = answer.json;
    expect(rest).toMatchObject({
      email: 'grace@shop.example',
      role: 'member',
      invitedBy: team.as('admin').memberId,
    });
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/invitation#token=[\w-]{43}$/);
    expect(await open()).toStrictEqual([rest]);
    const token = tokenIn(answer);
    const kept = await team.harness.service.store.in(team.workspace.id).invitations.list(0);
    for (const place of [kept, await audit(), team.harness.logged]) {
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
    const made = await invite();
    const { json } = await read(tokenIn(made));
    expect(json).toStrictEqual({
      workspaceName: 'A shop',
      email: 'grace@shop.example',
      role: 'member',
      expiresAt: made.json.expiresAt,
      provesAddress: false,
    });
  });

  it('can be checked by its link without revealing whether the address has an account', async () => {
    const made = await invite();
    const { json } = await check(tokenIn(made));
    expect(json).toStrictEqual({
      workspaceName: 'A shop',
      email: 'grace@shop.example',
      role: 'member',
      expiresAt: made.json.expiresAt,
    });
    expect(JSON.stringify(team.harness.logged)).not.toContain(tokenIn(made));
  });

  it('returns 404 for a link that is unknown, expired or withdrawn', async () => {
    const [first, second] = [await invite(), await invite({ ...GRACE, email: 'ada@shop.example' })];
    await team.as('admin').delete(`/invitations/${first.json.id}`);
    expectError(await check(tokenIn(first)), 'invitation/not_found');
    expectError(await check('unknown'), 'invitation/not_found');
    expire();
    expectError(await check(tokenIn(second)), 'invitation/not_found');
  });

  it('expires after seven days', async () => {
    const made = await invite();
    team.harness.clock.advance(LIMITS.invitationSeconds * 1000 - 60_000);
    expect((await read(tokenIn(made))).status).toBe(200);
    team.harness.clock.advance(60_000);
    expectError(await read(tokenIn(made)), 'invitation/not_found');
  });

  it('is deleted with its personal data after it expires', async () => {
    await invite();
    expire();
    const { store } = team.harness.service;
    await store.sweep(team.harness.clock.now());
    expect(await store.in(team.workspace.id).invitations.list(0)).toStrictEqual([]);
  });

  it('disappears when it is withdrawn and cannot be withdrawn twice', async () => {
    const made = await invite();
    const path = `/invitations/${made.json.id}`;
    expect((await team.as('owner').delete(path)).json).toStrictEqual({ ok: true });
    expectError(await read(tokenIn(made)), 'invitation/not_found');
    expect((await audit())[0]).toMatchObject({
      action: 'invitation.withdrawn',
      subject: made.json.id,
      details: { email: 'grace@shop.example' },
    });
    expectError(await team.as('owner').delete(path), 'invitation/not_found');
    expectError(await team.as('owner').delete(`/invitations/${newId('inv')}`), 'invitation/not_found');
  });

  it('replaces an earlier one to the same address', async () => {
    const [first, second] = [await invite(), await invite({ ...GRACE, role: 'admin' })];
    expectError(await read(tokenIn(first)), 'invitation/not_found');
    expect((await read(tokenIn(second))).json).toMatchObject({ role: 'admin' });
    expect(await open()).toHaveLength(1);
  });

  it('requires the role owner or admin to create, list and withdraw', async () => {
    const { json } = await invite();
    expectError(await invite(GRACE, 'member'), 'tenant/role_required');
    expectError(await team.as('member').get('/invitations'), 'tenant/role_required');
    expectError(await team.as('member').delete(`/invitations/${json.id}`), 'tenant/role_required');
    const theirs = `/api/tenants/${team.elsewhere.id}/invitations/${json.id}`;
    expectError(await team.as('stranger').delete(theirs), 'invitation/not_found');
  });

  it('with the role owner requires an owner and a recently confirmed password', async () => {
    const asOwner = { ...GRACE, role: 'owner' };
    expectError(await invite(asOwner, 'admin'), 'tenant/role_required');
    expect((await invite(asOwner, 'owner')).status).toBe(201);
    team.harness.clock.advance(LIMITS.freshPasswordSeconds * 1000 + 1);
    expectError(await invite(asOwner, 'owner'), 'session/password_needed');
    expect((await invite({ ...GRACE, role: 'admin' }, 'owner')).status).toBe(201);
  });

  it.each([
    ['an address that is none', { ...GRACE, email: 'grace' }, 'body.email'],
    ['a role that there is not', { ...GRACE, role: 'king' }, 'body.role'],
  ])('is rejected when it has %s', async (_what, body, path) => {
    expect(expectError(await invite(body), 'request/invalid').issues).toMatchObject([{ path }]);
  });

  it.each(['x', '', 'a'.repeat(129)])(
    'returns only an error code for the made-up token %j',
    async (token) => {
      const code = token === 'x' ? 'invitation/not_found' : 'request/invalid';
      expectError(await read(token), code);
    },
  );
});
