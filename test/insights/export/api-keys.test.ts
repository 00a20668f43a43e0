import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exporting } from '../../../contract/export.ts';
import { BUCKETS } from '../../../contract/limits/rate-limits.ts';
import { createKey, rotateKey } from '../../../server/accounts/api-keys.ts';
import { makeApiKey } from '../../../server/tokens/api-key.ts';
import { makeKey } from '../../support/export-client.ts';
import { expectError, readResponse, type TestResponse } from '../../support/response.ts';
import { openTeam, type Team } from '../../support/team.ts';

let team: Team;
let key: string;
beforeAll(async () => {
  team = await openTeam({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  key = (await makeKey(team.harness)).text;
});
afterAll(() => team.close());

function ask(headers: Record<string, string>, path = '/events'): Promise<TestResponse> {
  return readResponse(fetch(`${team.harness.baseUrl}/api/export${path}`, { headers }));
}
/** Several rows, since two processes order the rows of one millisecond at random. They are written after the response. */
const listAudit = () => team.harness.service.store.in(team.workspace.id).audit.list(100);
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const routes = Object.values(exporting).map((route) => [route.metadata.operationId, route] as const);

describe('an API key', () => {
  it('is accepted in x-api-key, as a bearer token, or in both if they are equal', async () => {
    for (const headers of [{ 'x-api-key': key }, bearer(key), { 'x-api-key': key, ...bearer(key) }]) {
      expect((await ask(headers)).status).toBe(200);
    }
  });

  it('is rejected when it is missing, unknown, mistyped, truncated, or differs between the headers', async () => {
    const other = (await makeKey(team.harness)).text;
    const wrong: Record<string, string>[] = [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': makeApiKey().text },
      { 'x-api-key': key.slice(0, -1) },
      { 'x-api-key': `${key.slice(0, -7)}${key.at(-7) === 'a' ? 'b' : 'a'}${key.slice(-6)}` },
      { 'x-api-key': key, ...bearer(other) },
      { 'x-api-key': key, authorization: 'Basic dmlzaXRvcjpzZWNyZXQ=' },
      { authorization: key },
      { authorization: `Bearer ${key}, Bearer ${key}` },
    ];
    for (const headers of wrong) expectError(await ask(headers), 'export/unauthorized');
  });

  it.each(routes)('is rejected without the scope of %s', async (_id, { path, metadata }) => {
    const scope = metadata.scope === 'events:read' ? 'analytics:read' : 'events:read';
    const { text } = await makeKey(team.harness, [scope]);
    const answer = await ask({ 'x-api-key': text }, path.slice('/api/export'.length));
    expectError(answer, 'export/insufficient_scope');
    const fitting = await makeKey(team.harness, [metadata.scope as 'events:read']);
    expect((await ask({ 'x-api-key': fitting.text }, path.slice('/api/export'.length))).status).toBe(200);
  });

  it('reads only its own workspace', async () => {
    const { harness, workspace, elsewhere } = team;
    const row = { atMillis: harness.clock.now(), type: 'feedback' as const, data: { rating: 'up' } };
    await harness.service.store
      .in(workspace.id)
      .events.append([{ ...row, id: 'evt_01kakv2fxse7wtg6x5r0h8rjbm' }]);
    const stranger = (await makeKey(harness, undefined, elsewhere.id)).text;
    expect((await ask({ 'x-api-key': key })).json).toMatchObject({ data: [{ type: 'feedback' }] });
    expect((await ask({ 'x-api-key': stranger })).json).toMatchObject({ data: [], has_more: false });
  });

  it('is rejected and audited when it is sent in the URL', async () => {
    const { harness, workspace } = team;
    const { key: stored, text } = await makeKey(harness);
    for (const headers of [{}, { 'x-api-key': text }] as Record<string, string>[]) {
      const { issues } = expectError(await ask(headers, `/events?api_key=${text}`), 'request/invalid');
      expect(issues).toMatchObject([{ path: 'query', code: 'key_in_address' }]);
    }
    const { audit } = harness.service.store.in(workspace.id);
    // The response is sent before the audit row is written.
    await expect
      .poll(() => audit.list(1))
      .toMatchObject([{ action: 'api_key.sent_in_address', actor: stored.id, subject: stored.id }]);
    const [entry] = await audit.list(1);
    expect(JSON.stringify(entry)).not.toContain(text);
    expect(JSON.stringify(harness.logged)).not.toContain(text);
  });

  it('is rejected as soon as it is revoked', async () => {
    const { key: stored, text } = await makeKey(team.harness);
    expect((await ask({ 'x-api-key': text })).status).toBe(200);
    expect((await team.as('owner').delete(`/api-keys/${stored.id}`)).status).toBe(200);
    expectError(await ask({ 'x-api-key': text }), 'export/unauthorized');
  });

  it('is rejected once it has expired', async () => {
    const { harness, workspace } = team;
    const wanted = {
      workspaceId: workspace.id,
      name: 'Report',
      scopes: ['events:read'],
      createdBy: 'operator',
    } as const;
    const { text } = await createKey(
      { store: harness.service.store, clock: harness.clock },
      {
        ...wanted,
        expiresAt: harness.clock.now() + 60_000,
      },
    );
    expect((await ask({ 'x-api-key': text })).status).toBe(200);
    harness.clock.advance(60_000);
    for (const [, { path }] of routes) {
      expectError(await ask({ 'x-api-key': text }, path.slice('/api/export'.length)), 'export/key_expired');
    }
    await expect.poll(listAudit).toContainEqual(
      expect.objectContaining({
        action: 'access.refused',
        details: expect.objectContaining({ error: 'export/key_expired' }),
      }),
    );
  });

  it('works during the overlap of a rotation and ends by itself', async () => {
    const { harness } = team;
    const { key: old, text } = await makeKey(harness);
    const { store } = harness.service;
    const rotated = await rotateKey({ store, clock: harness.clock }, old, 3600, { createdBy: 'operator' });
    const rotatedKey = (rotated as { text: string }).text;
    const ask2 = async () => [
      (await ask({ 'x-api-key': text })).status,
      (await ask({ 'x-api-key': rotatedKey })).status,
    ];
    expect(await ask2()).toEqual([200, 200]);
    harness.clock.advance(3_599_000);
    expect(await ask2()).toEqual([200, 200]);
    harness.clock.advance(1_000);
    expect(await ask2()).toEqual([401, 200]);
  });

  it.each([
    ['203.0.113.7', true],
    ['203.0.114.7', false],
    ['2001:db8:1::7', true],
    ['2001:db9::7', false],
    ['::ffff:203.0.113.7', true],
  ])('is accepted or rejected from %s by its allow-list: %s', async (address, isAllowed) => {
    const { harness, workspace } = team;
    const { key: stored, text } = await createKey(
      { store: harness.service.store, clock: harness.clock },
      {
        workspaceId: workspace.id,
        name: 'Report',
        scopes: ['events:read'],
        createdBy: 'operator',
        allowedNetworks: ['203.0.113.0/24', '2001:db8::/32'],
      },
    );
    const answer = await ask({ 'x-api-key': text, 'x-forwarded-for': address });
    if (isAllowed) {
      expect(answer.status).toBe(200);
      return;
    }
    expectError(answer, 'export/address_not_allowed');
    await expect.poll(listAudit).toContainEqual(
      expect.objectContaining({
        actor: stored.id,
        action: 'access.refused',
        details: expect.objectContaining({ error: 'export/address_not_allowed' }),
      }),
    );
    expect((await harness.service.store.apiKeys.find(stored.id))?.lastUsedAt).toBeUndefined();
  });

  it.each(routes)('is rejected by %s outside of its networks', async (_id, { path, metadata }) => {
    const { harness, workspace } = team;
    const { text } = await createKey(
      { store: harness.service.store, clock: harness.clock },
      {
        workspaceId: workspace.id,
        name: 'Report',
        scopes: [metadata.scope as 'events:read'],
        createdBy: 'operator',
        allowedNetworks: ['203.0.113.0/24'],
      },
    );
    const headers = { 'x-api-key': text, 'x-forwarded-for': '198.51.100.1' };
    expectError(await ask(headers, path.slice('/api/export'.length)), 'export/address_not_allowed');
  });

  it('records its last network, the first use from each network, and that data was exported', async () => {
    const { harness, workspace } = team;
    const { key: stored, text } = await makeKey(harness);
    for (const address of ['203.0.113.7', '198.51.100.1', '203.0.113.8']) {
      await ask({ 'x-api-key': text, 'x-forwarded-for': address });
    }
    expect((await harness.service.store.apiKeys.find(stored.id))?.lastUsedNetwork).toBe('203.0.113.0/24');
    const listOwn = async (wanted: string) =>
      (await harness.service.store.in(workspace.id).audit.list(100)).filter(
        ({ actor, action }) => actor === stored.id && action === wanted,
      );
    // Stored after the response.
    await expect
      .poll(async () => (await listOwn('api_key.new_network')).map(({ network }) => network))
      .toEqual(['198.51.100.0/24', '203.0.113.0/24']);
    await expect
      .poll(() => listOwn('api_key.exported'))
      .toMatchObject([
        { network: '198.51.100.0/24', details: { operation: 'exportEvents' } },
        { network: '203.0.113.0/24' },
      ]);
  });

  it('stores its last use at most once a minute', async () => {
    const { harness } = team;
    const { key: stored, text } = await makeKey(harness);
    const used = async () => {
      await ask({ 'x-api-key': text });
      return (await harness.service.store.apiKeys.find(stored.id))!.lastUsedAt!;
    };
    const first = await used();
    expect(first).toBeGreaterThanOrEqual(stored.createdAt);
    harness.clock.advance(30_000);
    expect(await used()).toBe(first);
    harness.clock.advance(31_000);
    expect(await used()).toBeGreaterThanOrEqual(first + 61_000);
  });

  it('has its own rate limit with Retry-After', async () => {
    const { text } = await makeKey(team.harness);
    const { points, windowSeconds } = BUCKETS['export/key-burst'];
    for (let sent = 0; sent < points; sent += 1) {
      expect((await ask({ 'x-api-key': text }, '/events?limit=1')).status).toBe(200);
    }
    const rejected = await ask({ 'x-api-key': text });
    expect(expectError(rejected, 'rate_limit/exceeded').bucket).toBe('export/key-burst');
    expect(rejected.headers.get('retry-after')).toBe(`${windowSeconds}`);
    expect((await ask({ 'x-api-key': key })).status).toBe(200);
  });

  it('gets no CORS headers, so pages cannot read the responses', async () => {
    const answer = await ask({ 'x-api-key': key, origin: team.harness.origin });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('guessed API keys are rate-limited by IP address', async () => {
  const { points } = BUCKETS['export/ip-rate-limited'];
  let answer = await ask({ 'x-api-key': makeApiKey().text });
  for (let sent = 0; answer.status === 401 && sent < points; sent += 1) {
    answer = await ask({ 'x-api-key': makeApiKey().text });
  }
  expect(expectError(answer, 'rate_limit/exceeded').bucket).toBe('export/ip-rate-limited');
  expect((await ask({ 'x-api-key': key })).status).toBe(200);
});
