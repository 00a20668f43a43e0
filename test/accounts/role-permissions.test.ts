import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Route } from '../../contract/route.ts';
import { type Answer, expectError } from '../fixtures/answer.ts';
import {
  createFixtures,
  type Fixtures,
  named,
  type OperationId,
  requestOf,
  sendPrepared,
} from '../fixtures/requests.ts';
import { type Harness, openHarness } from '../harness.ts';
import { joinAs, type MemberClient, openSessionOf } from './team.ts';

/**
 * Sends a request to every workspace route as every role; the contract declares the expected
 * result.
 */

const CANARY = 'the blue lantern in the cellar';

const ofTenants = named.filter(([, route]) => route.metadata.roles);

let harness: Harness;
let stranger: MemberClient;
beforeAll(async () => {
  harness = await openHarness();
  const elsewhere = await harness.addWorkspace();
  stranger = await joinAs(harness, elsewhere, 'owner');
  const owner = await joinAs(harness, harness.workspace, 'owner');
  const article = { title: CANARY, answer: `${CANARY} is lit at night.` };
  await owner.post('/knowledge/articles', article);
});
afterAll(() => harness.close());

/** Sends an owner's valid request with other credentials. */
async function asking(
  fixtures: Fixtures,
  id: OperationId,
  route: Route,
  headers: Record<string, string>,
): Promise<Answer> {
  const request = await requestOf(fixtures, id, route);
  const { cookie: _, ...rest } = request.headers;
  return sendPrepared({ ...request, headers: { ...rest, ...headers } });
}

describe('every workspace route', () => {
  const cases = ofTenants.flatMap(([id, route]) => ROLES.map((role) => [id, role, route] as const));
  it.each(cases)('%s allows or rejects the role %s as its contract says', async (id, role, route) => {
    const { cookie } = await joinAs(harness, harness.workspace, role);
    const answer = await asking(await createFixtures(harness), id, route, { cookie });
    if (!route.metadata.roles!.includes(role)) {
      expectError(answer, 'tenant/role_required');
      expect(answer.text).not.toContain(CANARY);
    } else if (id === 'deleteTenant') {
      // The request confirms a wrong name, because other tests still need this workspace.
      expectError(answer, 'tenant/name_mismatch');
    } else if (!OWNERS_RULES.has(`${id} ${role}`)) {
      expect(route.metadata, answer.text).toHaveProperty(`successResponses.${answer.status}`);
    } else expectError(answer, 'tenant/role_required');
  });

  it.each(ofTenants)('%s returns 404 to the owner of another workspace', async (id, route) => {
    const answer = await asking(await createFixtures(harness), id, route, { cookie: stranger.cookie });
    expectError(answer, 'tenant/not_found');
    expect(answer.text).not.toContain(CANARY);
  });

  it.each(ofTenants)('%s returns the same 404 for an unknown workspace', async (id, route) => {
    const fixtures = await createFixtures(harness);
    const { url, ...request } = await requestOf(fixtures, id, route);
    const nowhere = url.replace(harness.workspace.id, 'ws_01kakv2fxse7wtg6x5r0h8rjbm');
    expectError(await sendPrepared({ ...request, url: nowhere }), 'tenant/not_found');
  });

  it.each(ofTenants)('%s returns 404 to a member who was removed', async (id, route) => {
    const fixtures = await createFixtures(harness);
    const request = await requestOf(fixtures, id, route);
    const { memberClient } = fixtures;
    const left = await memberClient.delete(`/members/${memberClient.memberId}`);
    expect(left.status).toBe(200);
    expectError(await sendPrepared(request), 'tenant/not_found');
  });

  it("rejects a session that was ended and keeps the user's other session", async () => {
    const memberClient = await joinAs(harness, harness.workspace, 'owner');
    const again = await openSessionOf(harness, memberClient);
    expect((await memberClient.delete('/api/session')).status).toBe(200);
    expectError(await memberClient.get(''), 'session/unauthorized');
    expect((await again.get('')).status).toBe(200);
  });
});

/** Rules that depend on the target too: members may leave, but only managers may remove others. */
const OWNERS_RULES = new Set(['removeMember member', 'removeMember admin']);
