import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorBody } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { isCorsEnabled, type Route } from '../contract/route.ts';
import { rowsOfCsv } from './export/csv.ts';
import { expectRefusal } from './fixtures/answer.ts';
import {
  createFixtures,
  named,
  type OperationId,
  type Prepared,
  requestOf,
  routes,
  send,
  sendPrepared,
  visitorOf,
} from './fixtures/requests.ts';
import { type Harness, ORIGIN, openHarness } from './harness.ts';
import { defaultSpeech } from './voice/scripted-speech.ts';

/** Walks the contract: what holds for every route is tested on every route, also on those that are still to be written. */

/** Only an installation without anybody can be set up, and the workspace here is still needed: tests of their own do that. */
const exceptSetUp = named.filter(([id]) => !['setUp', 'readSetupLink', 'deleteTenant'].includes(id));

/** What no route takes for a credential of its own kind. */
const foreignCredentials: Record<string, Record<string, string>> = {
  'no credential': {},
  'an empty bearer': { authorization: 'Bearer ' },
  'a scheme that is not bearer': { authorization: 'Basic dmlzaXRvcjpzZWNyZXQ=' },
  'an unknown session cookie': { cookie: `gp_session=${'4YQ0xXrXkTj0v8Jm2F3kq5u7w9y1A3C5'.padEnd(43, 'x')}` },
  'an API key as bearer': { authorization: `Bearer pk_live_${'a'.repeat(47)}` },
  'an API key in its header': { 'x-api-key': `pk_live_${'a'.repeat(47)}` },
};

const fieldsOf = (schema: z.ZodType | undefined) =>
  Object.entries(schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {});

/** Where problems of this part of a request are reported. */
const requiredOf = (route: Route) =>
  fieldsOf(route.body).flatMap(([name, field]) =>
    field.safeParse(undefined).success ? [] : [`body.${name}`],
  );

/** The request with another credential than its own. */
function withCredential(request: Prepared, credential: Record<string, string>): Prepared {
  const { cookie: _c, authorization: _a, 'x-api-key': _k, ...rest } = request.headers;
  return { ...request, headers: { ...rest, ...credential } };
}

describe('every route', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ speech: defaultSpeech() });
  });
  afterAll(() => harness.close());

  /** One good request for each route, for tests that do not let it through: those leave it as good as it was. */
  const ready = new Map<OperationId, Promise<Prepared>>();
  function readyFor(id: OperationId, route: Route): Promise<Prepared> {
    const known = ready.get(id) ?? createFixtures(harness).then((fixtures) => requestOf(fixtures, id, route));
    ready.set(id, known);
    return known;
  }

  it.each(exceptSetUp)('%s answers a good request with a declared status and body', async (id, route) => {
    const response = await send(await createFixtures(harness), id, route);
    expect(route.metadata, response.text).toHaveProperty(`successResponses.${response.status}`);
    const { streams, lines, csv, audio } = route.metadata;
    if (lines) for (const line of response.text.trimEnd().split('\n')) lines.parse(JSON.parse(line));
    else if (audio) expect(audio).toContain(response.headers.get('content-type'));
    else if (csv) expect(rowsOfCsv(response.text, csv as z.ZodObject).length).toBeGreaterThan(0);
    else if (!streams) expect(() => route.responses[response.status]!.parse(response.json)).not.toThrow();
  });

  const guarded = named.filter(([, route]) => route.metadata.credential !== 'none');
  const attacks = guarded.flatMap(([id, route]) =>
    Object.entries(foreignCredentials).map(([kind, headers]) => [id, kind, route, headers] as const),
  );
  it.each(attacks)('%s refuses %s', async (id, _kind, route, headers) => {
    // Strangers are counted by their address, and this one is very busy.
    harness.clock.advance(1000);
    const response = await sendPrepared(withCredential(await readyFor(id, route), headers));
    if (route.metadata.unauthorized) expectRefusal(response, route.metadata.unauthorized);
    else expect(response.json).toEqual({ ok: true, recorded: false });
  });

  const ofVisitors = named.filter(([, route]) => route.metadata.credential === 'visitor');
  it.each(ofVisitors)('%s tells an expired token from a wrong one', async (id, route) => {
    const fixtures = await createFixtures(harness);
    harness.clock.advance((LIMITS.visitorTokenSeconds + 6) * 1000);
    const response = await send(fixtures, id, route);
    if (route.metadata.unauthorized) expectRefusal(response, 'jwt_expired');
    else expect(response.json).toEqual({ ok: true, recorded: false });
  });

  const ofSessions = named.filter(([, route]) => route.metadata.credential === 'session');
  it.each(ofSessions)(
    '%s takes neither a visitor token nor a session that has been idle',
    async (id, route) => {
      const fixtures = await createFixtures(harness);
      const visitor = { authorization: `Bearer ${fixtures.visitor.jwt}` };
      expectRefusal(
        await send(fixtures, id, route, { headers: visitor, anonymous: true }),
        'session/unauthorized',
      );
      const request = await requestOf(fixtures, id, route);
      harness.clock.advance(LIMITS.sessionIdleSeconds * 1000);
      const { method, headers, body } = request;
      const response = await fetch(request.url, { method, headers, body: body ?? null });
      expect(response.status).toBe(401);
    },
  );

  const fresh = named.filter(([, route]) => route.metadata.freshPassword);
  it.each(fresh)('%s asks for a password that was given lately', async (id, route) => {
    const fixtures = await createFixtures(harness);
    harness.clock.advance((LIMITS.freshPasswordSeconds + 1) * 1000);
    expectRefusal(await send(fixtures, id, route), 'session/password_needed');
  });

  const ownPages = named.filter(([, route]) => route.metadata.firstParty && route.method !== 'GET');
  const forged: Record<string, Record<string, string>> = {
    'another site': { 'sec-fetch-site': 'cross-site' },
    'a sibling of this site': { 'sec-fetch-site': 'same-site' },
    'an address that was typed': { 'sec-fetch-site': 'none' },
  };
  it.each(ownPages)('%s refuses what comes from pages that are not its own', async (id, route) => {
    const fixtures = await createFixtures(harness);
    const request = await requestOf(fixtures, id, route);
    const from = async (headers: Record<string, string>) => {
      const { method, url, body } = request;
      const { 'sec-fetch-site': _, ...rest } = request.headers;
      const answer = await fetch(url, { method, headers: { ...rest, ...headers }, body: body ?? null });
      return errorBody.parse(await answer.json()).error;
    };
    for (const headers of Object.values(forged)) expect(await from(headers)).toBe('session/cross_site');
    expect(await from({ origin: ORIGIN })).toBe('session/cross_site');
    expect(await from({})).toBe('session/cross_site');
  });

  it.each(named)('%s refuses unknown fields in its query', async (id, route) => {
    const response = await send(await createFixtures(harness), id, route, { query: 'surprise=1' });
    expect(expectRefusal(response, 'request/invalid').issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'query' }),
    );
  });

  const withBody = named.filter(([, route]) => route.body);
  const withJson = withBody.filter(([, route]) => !route.metadata.upload);
  it.each(withJson)('%s refuses unknown fields in its body', async (id, route) => {
    const response = await send(await createFixtures(harness), id, route, { extra: { surprise: 1 } });
    expect(expectRefusal(response, 'request/invalid').issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'body' }),
    );
  });

  const withRequired = withJson.filter(([, route]) => requiredOf(route).length > 0);
  it.each(withRequired)('%s names every field that is missing', async (id, route) => {
    const response = await send(await createFixtures(harness), id, route, { raw: '{}' });
    const { issues = [] } = expectRefusal(response, 'request/invalid');
    expect(issues.map(({ path }) => path)).toEqual(expect.arrayContaining(requiredOf(route)));
  });

  it.each(withJson)('%s refuses what is not JSON', async (id, route) => {
    const response = await send(await createFixtures(harness), id, route, { raw: '{"a":' });
    expect(expectRefusal(response, 'request/invalid').issues).toEqual([
      expect.objectContaining({ code: 'invalid_json', path: 'body' }),
    ]);
  });

  it.each(withBody)('%s refuses another content type', async (id, route) => {
    const headers = { 'content-type': 'text/plain' };
    expectRefusal(
      await send(await createFixtures(harness), id, route, { headers }),
      'request/unsupported_media_type',
    );
  });

  it.each(withBody)('%s refuses a body that is too large before reading it all', async (id, route) => {
    const raw = JSON.stringify({ padding: 'x'.repeat(route.metadata.bodyBytesMax) });
    const tooLarge = route.metadata.upload?.tooLarge ?? 'request/too_large';
    expectRefusal(await send(await createFixtures(harness), id, route, { raw }), tooLarge);
  });

  const withoutBody = named.filter(([, route]) => !route.body && route.method !== 'GET');
  it.each(withoutBody)('%s refuses a body, because it takes none', async (id, route) => {
    expectRefusal(await send(await createFixtures(harness), id, route, { raw: '{}' }), 'request/invalid');
  });

  it.each(named)('%s answers a wrong method with 405 and the right ones', async (id, route) => {
    const { url } = await readyFor(id, route);
    const known = routes.filter(({ path }) => path === route.path).map(({ method }): string => method);
    const wrong = ['PATCH', 'PUT', 'DELETE', 'POST'].find((method) => !known.includes(method))!;
    const response = await fetch(url, { method: wrong });
    expect(response.status).toBe(405);
    const others = isCorsEnabled(route) ? ['OPTIONS'] : [];
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual([...known, ...others].sort());
    expect(errorBody.parse(await response.json()).error).toBe('request/method_not_allowed');
  });

  it.each(named)('%s answers the preflight of a page that is allowed, and of no other', async (id, route) => {
    const { url } = await readyFor(id, route);
    const ask = (origin: string) =>
      fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': route.method } });
    const foreign = await ask('https://evil.example');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const allowed = await ask(ORIGIN);
    if (!isCorsEnabled(route)) {
      // Pages of customers have no business here, however well they are known.
      expect(allowed.status).toBe(405);
      expect(allowed.headers.get('access-control-allow-origin')).toBeNull();
      return;
    }
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(allowed.headers.get('access-control-allow-methods')).toContain(route.method);
    expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
  });

  it('answers an unknown path with 404', async () => {
    const response = await harness.fetch('/no/such/place');
    expect(response.status).toBe(404);
    expect(errorBody.parse(await response.json()).error).toBe('request/not_found');
  });

  it('answers a path that is not valid percent-encoding with 400', async () => {
    const { jwt } = await visitorOf(harness);
    const response = await harness.fetch('/conversations/%E0%A4%A', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(response.status).toBe(400);
  });
});
