import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorBody } from '../contract/errors.ts';
import { ACCOUNT_LIMITS } from '../contract/limits/accounts.ts';
import { CHAT_LIMITS } from '../contract/limits/chat.ts';
import { AREAS, isCorsEnabled, type Route } from '../contract/route.ts';
import { openForAllRoutes } from './support/all-routes.ts';
import { rowsOfCsv } from './support/export-client.ts';
import { type Harness, ORIGIN } from './support/harness.ts';
import { query } from './support/other-program.ts';
import {
  createFixtures,
  named,
  type Prepared,
  requestOf,
  routes,
  send,
  sendPrepared,
  shareRequests,
  visitorOf,
} from './support/requests.ts';
import { expectError, type TestResponse } from './support/response.ts';
import type { Fixtures } from './support/samples.ts';
import { openAutomation } from './support/team.ts';

/** Tests what holds for every route of the contract, so new routes are covered without new tests. */

/** Leaves out operations with tests of their own, which need an installation without owner or remove the workspace. */
const exceptSetUp = named.filter(([id]) => !['setUp', 'readSetupLink', 'deleteTenant'].includes(id));

/** Credentials that no route accepts as its own. */
const foreignCredentials: Record<string, Record<string, string>> = {
  'no credential': {},
  'an empty bearer': { authorization: 'Bearer ' },
  'a scheme that is not bearer': { authorization: 'Basic dmlzaXRvcjpzZWNyZXQ=' },
  'an unknown session cookie': { cookie: `gp_session=${'4YQ0xXrXkTj0v8Jm2F3kq5u7w9y1A3C5'.padEnd(43, 'x')}` },
  'an API key as bearer': { authorization: `Bearer pk_live_${'a'.repeat(47)}` },
  'an API key in its header': { 'x-api-key': `pk_live_${'a'.repeat(47)}` },
};

const fieldsOf = (schema: z.ZodType | null | undefined) =>
  Object.entries(schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {});

/** Returns the paths that validation issues report for required fields. */
const requiredOf = (route: Route) =>
  fieldsOf(route.body).flatMap(([name, field]) =>
    field.safeParse(undefined).success ? [] : [`body.${name}`],
  );

/** Expects the challenge that RFC 9110 asks of every 401, with an error only if a token was sent. */
function expectChallenge(
  { status, headers }: TestResponse,
  { metadata }: Route,
  wasTokenSent: boolean,
): void {
  expect(status).toBe(401);
  const bearer = `Bearer realm="guidepost"${wasTokenSent ? ', error="invalid_token"' : ''}`;
  const challenge = metadata.credential === 'session' ? 'Cookie realm="guidepost"' : bearer;
  expect(headers.get('www-authenticate')).toBe(challenge);
  const exposed = headers.get('access-control-expose-headers') ?? '';
  expect(exposed.includes('WWW-Authenticate')).toBe(headers.has('access-control-allow-origin'));
}

/** Replaces the credential of the request. */
function withCredential(request: Prepared, credential: Record<string, string>): Prepared {
  const { cookie: _c, authorization: _a, 'x-api-key': _k, ...rest } = request.headers;
  return { ...request, headers: { ...rest, ...credential } };
}

describe('every route', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openForAllRoutes();
  });
  afterAll(() => harness.close());

  let fixtures: Fixtures | undefined;
  let freshUntil = 0;
  /** Returns the same fixtures for minutes, for tests whose requests are all rejected and change nothing. */
  async function unchanged(): Promise<Fixtures> {
    // Keeps the callers' buckets from running empty.
    harness.clock.advance(1000);
    if (!fixtures || harness.clock.now() > freshUntil) {
      fixtures = await createFixtures(harness);
      freshUntil = harness.clock.now() + (CHAT_LIMITS.visitorTokenSeconds / 2) * 1000;
    }
    return fixtures;
  }

  const readyFor = shareRequests(async (id, route) => requestOf(await createFixtures(harness), id, route));

  it.each(exceptSetUp)('%s returns a declared status and body for a valid request', async (id, route) => {
    const response = await send(await createFixtures(harness), id, route);
    expect(route.metadata, response.text).toHaveProperty(`successResponses.${response.status}`);
    const { streams, lines, csv, audio } = route.metadata;
    if (lines) for (const line of response.text.trimEnd().split('\n')) lines.parse(JSON.parse(line));
    else if (audio) expect(audio).toContain(response.headers.get('content-type'));
    else if (csv) expect(rowsOfCsv(response.text, csv as z.ZodObject).length).toBeGreaterThan(0);
    else if (!streams)
      expect(() => route.metadata.successResponses[response.status]!.parse(response.json)).not.toThrow();
  });

  const guarded = named.filter(([, route]) => route.metadata.credential !== 'none');
  const attacks = guarded.flatMap(([id, route]) =>
    Object.entries(foreignCredentials).map(([kind, headers]) => [id, kind, route, headers] as const),
  );
  it.each(attacks)('%s rejects %s', async (id, kind, route, headers) => {
    // Requests without credentials share one bucket by address; this keeps it from running empty.
    harness.clock.advance(1000);
    const response = await sendPrepared(withCredential(await readyFor(id, route), headers));
    if (!route.metadata.unauthorized)
      return void expect(response.json).toEqual({ ok: true, recorded: false });
    expectError(response, route.metadata.unauthorized);
    const keyHeaders = route.metadata.credential === 'api-key' ? ['an API key in its header'] : [];
    expectChallenge(response, route, ['an API key as bearer', ...keyHeaders].includes(kind));
  });

  const ownPages = named.filter(([, route]) => route.metadata.firstParty && route.method !== 'GET');
  const forged: Record<string, Record<string, string>> = {
    'another site': { 'sec-fetch-site': 'cross-site' },
    'a sibling of this site': { 'sec-fetch-site': 'same-site' },
    'an address that was typed': { 'sec-fetch-site': 'none' },
  };
  it.each(ownPages)('%s rejects requests from other sites', async (id, route) => {
    harness.clock.advance(1000);
    const request = await readyFor(id, route);
    const sendWithHeaders = async (headers: Record<string, string>) => {
      const { method, url, body } = request;
      const { 'sec-fetch-site': _, ...rest } = request.headers;
      const response = await fetch(url, { method, headers: { ...rest, ...headers }, body: body ?? null });
      return errorBody.parse(await response.json()).error;
    };
    for (const headers of Object.values(forged))
      expect(await sendWithHeaders(headers)).toBe('session/cross_site');
    expect(await sendWithHeaders({ origin: ORIGIN })).toBe('session/cross_site');
    expect(await sendWithHeaders({})).toBe('session/cross_site');
  });

  const ofVisitors = named.filter(([, route]) => route.metadata.credential === 'visitor');
  describe('after the tokens of the visitors have expired', () => {
    beforeAll(async () => {
      for (const [id, route] of ofVisitors) await readyFor(id, route);
      harness.clock.advance((CHAT_LIMITS.visitorTokenSeconds + 6) * 1000);
    });
    it.each(ofVisitors)('%s distinguishes an expired token from an invalid one', async (id, route) => {
      harness.clock.advance(1000);
      const response = await sendPrepared(await readyFor(id, route));
      if (!route.metadata.unauthorized)
        return void expect(response.json).toEqual({ ok: true, recorded: false });
      expectError(response, 'jwt_expired');
      expectChallenge(response, route, true);
    });
  });

  const ofSessions = named.filter(([, route]) => route.metadata.credential === 'session');
  it.each(ofSessions)('%s rejects a visitor token', async (id, route) => {
    const { visitor } = await unchanged();
    const credential = { authorization: `Bearer ${visitor.jwt}` };
    expectError(
      await sendPrepared(withCredential(await readyFor(id, route), credential)),
      'session/unauthorized',
    );
  });

  describe('after the sessions have been idle', () => {
    beforeAll(async () => {
      for (const [id, route] of ofSessions) await readyFor(id, route);
      harness.clock.advance(ACCOUNT_LIMITS.sessionIdleSeconds * 1000);
    });
    it.each(ofSessions)('%s rejects the session', async (id, route) => {
      harness.clock.advance(1000);
      expectChallenge(await sendPrepared(await readyFor(id, route)), route, true);
    });
  });

  const freshPasswordRoutes = named.filter(([, route]) => route.metadata.freshPassword);
  it.each(freshPasswordRoutes)('%s requires a recently confirmed password', async (id, route) => {
    const fixtures = await createFixtures(harness);
    const request = await requestOf(fixtures, id, route);
    harness.clock.advance((ACCOUNT_LIMITS.freshPasswordSeconds + 1) * 1000);
    expectError(await sendPrepared(request), 'session/password_needed');
  });

  describe('in a workspace that requires a second factor', () => {
    const require = (requireSecondFactor: boolean) =>
      harness.service.store.workspaces.change(
        harness.workspace.id,
        () => ({ settings: { requireSecondFactor } }),
        harness.clock.now(),
      );
    const ofMembers = named.filter(([, route]) => route.metadata.roles);
    beforeAll(async () => {
      for (const [id, route] of ofMembers) await readyFor(id, route);
      await require(true);
    });
    afterAll(() => require(false));

    it.each(ofMembers)('%s rejects a session without one', async (id, route) => {
      harness.clock.advance(1000);
      const { memberClient } = await unchanged();
      const cookie = { cookie: memberClient.cookie };
      const request = withCredential(await readyFor(id, route), cookie);
      expectError(await sendPrepared(request), 'session/second_factor_needed');
    });
  });

  it.each(ofSessions)('%s accepts automation sessions of its areas only', async (id, route) => {
    const fixtures = await createFixtures(harness);
    const request = await requestOf(fixtures, id, route);
    const elsewhere = await openAutomation(fixtures, { allowedNetworks: ['203.0.113.0/24'] });
    const rejected = await sendPrepared(withCredential(request, { cookie: elsewhere.cookie }));
    expectError(rejected, 'session/address_not_allowed');
    // Ends the session, because a workspace has a maximum number of automation sessions.
    const end = ({ userId, memberId }: typeof elsewhere) =>
      harness.service.store.sessions.end(userId, memberId);
    await end(elsewhere);
    // Test areas without access first, because the others may change what the request needs.
    const areas = AREAS.toSorted(
      (one, other) =>
        Number(route.metadata.areas.includes(one)) - Number(route.metadata.areas.includes(other)),
    );
    for (const area of areas) {
      const automation = await openAutomation(fixtures, { areas: [area] });
      const response = await sendPrepared(withCredential(request, { cookie: automation.cookie }));
      await end(automation);
      if (route.metadata.areas.includes(area)) expect(response.status, response.text).toBeLessThan(300);
      else expectError(response, 'session/area_required');
    }
  });

  it('keeps accounts, members, keys, conversations and whole workspaces from automation sessions', () => {
    const open = named.filter(([, { metadata }]) => metadata.areas.length > 0);
    const others = open.filter(([, { path }]) => !path.startsWith('/api/tenants/:tenantId/knowledge/'));
    expect(others.map(([id]) => id).sort()).toEqual([
      'changeTenant',
      'listConsentDirectives',
      'readInstallation',
      'readModel',
      'readSession',
      'readTenant',
      'removeModel',
      'setModel',
      'signOut',
      'testModel',
    ]);
    const deciding = open.filter(
      ([, { method, metadata }]) => method !== 'GET' && metadata.areas.includes('review'),
    );
    expect(deciding.map(([id]) => id).sort()).toEqual(['reviewTranslation', 'signOut']);
  });

  const creating = named.filter(([, { metadata }]) => metadata.replays !== undefined);
  it.each(creating)('%s runs once for repeated requests with an Idempotency-Key', async (id, route) => {
    const fixtures = await createFixtures(harness);
    const prepared = await requestOf(fixtures, id, route);
    const sendWith = (key: string, request = prepared) =>
      sendPrepared({ ...request, headers: { ...request.headers, 'idempotency-key': key } });

    const first = await sendWith(id);
    expect(first.status, first.text).toBe(201);
    const again = await sendWith(id);
    if (route.metadata.replays === 'response') expect(again.json).toEqual(first.json);
    else expectError(again, 'request/already_done');

    await query(harness, `UPDATE idempotency_keys SET status = NULL, body = NULL WHERE key = '${id}'`);
    expectError(await sendWith(id), 'request/in_progress');

    const other = creating.find(([otherId]) => otherId !== id)!;
    expect((await sendWith('other', await requestOf(fixtures, ...other))).status).toBe(201);
    expectError(await sendWith('other'), 'request/idempotency_mismatch');
  });

  it.each(named)('%s rejects unknown query fields', async (id, route) => {
    const response = await send(await unchanged(), id, route, { query: 'surprise=1' });
    expect(expectError(response, 'request/invalid').issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'query' }),
    );
  });

  const withBody = named.filter(([, route]) => route.body);
  const withJson = withBody.filter(([, route]) => !route.metadata.upload);
  it.each(withJson)('%s rejects unknown body fields', async (id, route) => {
    const response = await send(await unchanged(), id, route, { extra: { surprise: 1 } });
    expect(expectError(response, 'request/invalid').issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'body' }),
    );
  });

  const withRequired = withJson.filter(([, route]) => requiredOf(route).length > 0);
  it.each(withRequired)('%s reports every missing field', async (id, route) => {
    const response = await send(await unchanged(), id, route, { raw: '{}' });
    const { issues = [] } = expectError(response, 'request/invalid');
    expect(issues.map(({ path }) => path)).toEqual(expect.arrayContaining(requiredOf(route)));
  });

  it.each(withJson)('%s rejects a body that is not JSON', async (id, route) => {
    const response = await send(await unchanged(), id, route, { raw: '{"a":' });
    expect(expectError(response, 'request/invalid').issues).toEqual([
      expect.objectContaining({ code: 'invalid_json', path: 'body' }),
    ]);
  });

  it.each(withBody)('%s rejects other content types', async (id, route) => {
    const headers = { 'content-type': route.metadata.simpleRequest ? 'text/csv' : 'text/plain' };
    expectError(await send(await unchanged(), id, route, { headers }), 'request/unsupported_media_type');
  });

  it.each(withBody)('%s rejects a body over the limit before reading all of it', async (id, route) => {
    const raw = JSON.stringify({ padding: 'x'.repeat(route.metadata.bodyBytesMax) });
    const tooLarge = route.metadata.upload?.tooLarge ?? 'request/too_large';
    expectError(await send(await unchanged(), id, route, { raw }), tooLarge);
  });

  const withoutBody = named.filter(([, route]) => !route.body && route.method !== 'GET');
  it.each(withoutBody)('%s rejects any body, because it takes none', async (id, route) => {
    expectError(await send(await unchanged(), id, route, { raw: '{}' }), 'request/invalid');
  });

  it.each(named)('%s returns 405 with Allow for other methods', async (id, route) => {
    const { url } = await readyFor(id, route);
    const known = routes.filter(({ path }) => path === route.path).map(({ method }): string => method);
    const wrong = ['PATCH', 'PUT', 'DELETE', 'POST'].find((method) => !known.includes(method))!;
    const response = await fetch(url, { method: wrong });
    expect(response.status).toBe(405);
    const others = isCorsEnabled(route) ? ['OPTIONS'] : [];
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual([...known, ...others].sort());
    expect(errorBody.parse(await response.json()).error).toBe('request/method_not_allowed');
  });

  it.each(named)('%s answers preflights of every origin, or of none', async (id, route) => {
    const { url } = await readyFor(id, route);
    const ask = (origin: string) =>
      fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': route.method } });
    const foreign = await ask('https://evil.example');
    const allowed = await ask(ORIGIN);
    if (!isCorsEnabled(route)) {
      // The dashboard's routes are closed to customers' pages, even those of an allowed origin.
      expect(allowed.status).toBe(405);
      for (const { headers } of [allowed, foreign])
        expect(headers.get('access-control-allow-origin')).toBeNull();
      return;
    }
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(foreign.headers.get('access-control-allow-origin')).toBe('https://evil.example');
    expect(allowed.headers.get('access-control-allow-methods')).toContain(route.method);
    expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
  });

  it('allows the headers that a preflight names, if they are few and well-formed', async () => {
    const ask = async (requested: string) => {
      const headers = {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': requested,
      };
      const response = await harness.fetch('/boot', { method: 'OPTIONS', headers });
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      return response.headers.get('access-control-allow-headers')!.split(', ').slice(6);
    };
    expect(await ask('baggage,x-trace-id, sentry-trace')).toEqual(['baggage', 'x-trace-id', 'sentry-trace']);
    expect(await ask(`bad name,*,x-${'a'.repeat(70)},x"y,ok`)).toEqual(['ok']);
    expect(await ask(Array.from({ length: 40 }, (_, at) => `x-${at}`).join())).toHaveLength(32);
    expect(await ask(`x-a,${'x-b,'.repeat(400)}`)).toEqual([]);
  });

  it('returns 404 for an unknown path', async () => {
    const response = await harness.fetch('/no/such/place');
    expect(response.status).toBe(404);
    expect(errorBody.parse(await response.json()).error).toBe('request/not_found');
  });

  it('returns 400 for a path that is not valid percent-encoding', async () => {
    const { jwt } = await visitorOf(harness);
    const response = await harness.fetch('/conversations/%E0%A4%A', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(response.status).toBe(400);
  });
});
