import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../contract/limits.ts';
import { refusalBody } from '../contract/refusals.ts';
import { expectRefusal } from './answer.ts';
import { type Harness, ORIGIN, openHarness } from './harness.ts';
import { named, requestOf, samples, send, visitorOf, worldOf } from './requests.ts';

/** Walks the contract: what holds for every route is tested on every route, also on those that are still to be written. */

/** A credential of every kind that a visitor route must not take. */
const foreignCredentials: Record<string, Record<string, string>> = {
  'no credential': {},
  'an empty bearer': { authorization: 'Bearer ' },
  'a scheme that is not bearer': { authorization: 'Basic dmlzaXRvcjpzZWNyZXQ=' },
  'a session cookie': { cookie: 'gp_session=4YQ0xXrXkTj0v8Jm2F3kq5u7w9y1A3C5' },
  'an API key as bearer': { authorization: `Bearer pk_live_${'a'.repeat(47)}` },
  'an API key in its header': { 'x-api-key': `pk_live_${'a'.repeat(47)}` },
};

describe('every route', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it.each(named)('%s answers a good request with a declared status and body', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route);
    expect(route.metadata).toHaveProperty(`answers.${response.status}`);
    if (!route.metadata.streams)
      expect(() => route.responses[response.status]!.parse(response.json)).not.toThrow();
  });

  const guarded = named.filter(([, route]) => route.metadata.credential === 'visitor');
  const attacks = guarded.flatMap(([id, route]) =>
    Object.entries(foreignCredentials).map(([kind, headers]) => [id, kind, route, headers] as const),
  );
  it.each(attacks)('%s refuses %s', async (id, _kind, route, headers) => {
    const world = await worldOf(harness);
    const response = await send(harness, world, id, route, { headers, jwt: undefined });
    if (route.metadata.unauthorized) expectRefusal(response, route.metadata.unauthorized);
    else expect(response.json).toEqual({ ok: true, recorded: false });
  });

  it.each(guarded)('%s tells an expired token from a wrong one', async (id, route) => {
    const world = await worldOf(harness);
    harness.clock.advance((LIMITS.visitorTokenSeconds + 6) * 1000);
    const response = await send(harness, world, id, route);
    if (route.metadata.unauthorized) expectRefusal(response, 'jwt_expired');
    else expect(response.json).toEqual({ ok: true, recorded: false });
  });

  it.each(named)('%s refuses unknown fields in its query', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, { query: '?surprise=1' });
    expect(expectRefusal(response, 'request/invalid').issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'query' }),
    );
  });

  const withBody = named.filter(([, route]) => route.body);
  it.each(withBody)('%s refuses unknown fields in its body', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, { extra: { surprise: 1 } });
    expect(expectRefusal(response, 'request/invalid').issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'body' }),
    );
  });

  it.each(withBody)('%s names every field that is missing', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, { raw: '{}' });
    const { issues = [] } = expectRefusal(response, 'request/invalid');
    const required = Object.keys(
      samples[id]({ harness, visitor: await visitorOf(harness), messageId: 'x' }).body ?? {},
    );
    const reported = issues.map(({ path }) => path);
    expect(reported).toEqual(expect.arrayContaining(required.map((field) => `body.${field}`)));
  });

  it.each(withBody)('%s refuses what is not JSON', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, { raw: '{"a":' });
    expect(expectRefusal(response, 'request/invalid').issues).toEqual([
      expect.objectContaining({ code: 'invalid_json', path: 'body' }),
    ]);
  });

  it.each(withBody)('%s refuses another content type', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, {
      headers: { 'content-type': 'text/plain' },
    });
    expectRefusal(response, 'request/unsupported_media_type');
  });

  it.each(withBody)('%s refuses a body that is too large before reading it all', async (id, route) => {
    const raw = JSON.stringify({ padding: 'x'.repeat(route.metadata.bodyBytesMax) });
    expectRefusal(await send(harness, await worldOf(harness), id, route, { raw }), 'request/too_large');
  });

  const withoutBody = named.filter(([, route]) => !route.body && route.method !== 'GET');
  it.each(withoutBody)('%s refuses a body, because it takes none', async (id, route) => {
    expectRefusal(await send(harness, await worldOf(harness), id, route, { raw: '{}' }), 'request/invalid');
  });

  it.each(named)('%s answers a wrong method with 405 and the right ones', async (id, route) => {
    const { path } = await requestOf(harness, await worldOf(harness), id, route);
    const response = await harness.fetch(path, { method: 'PATCH' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')?.split(', ')).toEqual(
      expect.arrayContaining([route.method, 'OPTIONS']),
    );
    expect(refusalBody.parse(await response.json()).error).toBe('request/method_not_allowed');
  });

  it.each(named)('%s answers the preflight of a page that is allowed, and of no other', async (id, route) => {
    const { path } = await requestOf(harness, await worldOf(harness), id, route);
    const ask = (origin: string) =>
      fetch(`${harness.baseUrl}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': route.method },
      });
    const allowed = await ask(ORIGIN);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(allowed.headers.get('access-control-allow-methods')).toContain(route.method);
    expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
    const foreign = await ask('https://evil.example');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers an unknown path with 404', async () => {
    const response = await harness.fetch('/no/such/place');
    expect(response.status).toBe(404);
    expect(refusalBody.parse(await response.json()).error).toBe('request/not_found');
  });

  it('answers a path that is not valid percent-encoding with 400', async () => {
    const { jwt } = await visitorOf(harness);
    const response = await harness.fetch('/conversations/%E0%A4%A', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(response.status).toBe(400);
  });
});
