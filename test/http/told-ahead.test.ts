import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUCKETS } from '../../contract/limits.ts';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { route, router } from '../../contract/route.ts';
import { createWorkspaceResolver } from '../../server/boot/workspace-resolver.ts';
import { HttpRequestContext } from '../../server/http/context.ts';
import { createMetrics } from '../../server/http/metrics.ts';
import { createApp, mountFallbacks } from '../../server/http/mount.ts';
import { attachContext, type PipelineDeps } from '../../server/http/pipeline.ts';
import { openLimiter } from '../../server/http/rate-limit.ts';
import { shortPath } from '../../server/http/short-path.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../harness.ts';

/** What answers tell callers who plan ahead: what is left of their buckets, and until when a route answers. */

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const told = async (path: string, init: Parameters<Harness['fetch']>[1]) => {
  const { status, headers, body } = await harness.fetch(path, init);
  await body?.cancel();
  return { status, policy: headers.get('ratelimit-policy'), limit: headers.get('ratelimit') };
};
const boot = () => told('/boot', { json: { app_id: harness.appId, origin: ORIGIN, path: '/' } });

describe('what is left of a bucket', () => {
  it('is told with every boot, down to nothing and with the rest of the window', async () => {
    expect(await boot()).toEqual({
      status: 200,
      policy: '"boot/rate-limited";q=120;w=60',
      limit: '"boot/rate-limited";r=119;t=60',
    });
    clock.advance(20_000);
    expect((await boot()).limit).toMatch(/^"boot\/rate-limited";r=118;t=(40|39)$/);
    for (let drawn = 0; drawn < 118; drawn += 1) await told('/boot', { json: {} });
    const empty = await boot();
    expect(empty.status).toBe(429);
    expect(empty.limit).toMatch(/^"boot\/rate-limited";r=0;t=(40|39)$/);
    clock.advance(60_000);
  });

  it('is told with refusals that were counted, and with none that came before', async () => {
    const invalid = await told('/boot', { json: { surprise: 1 } });
    expect(invalid).toMatchObject({ status: 400, limit: expect.stringContaining('"boot/rate-limited";r=') });
    const stranger = await told('/chat', { json: question() });
    expect(stranger.limit).toMatch(/^"chat\/ip-rate-limited";r=119;t=60$/);
    expect(await told('/api/session', { json: {}, headers: { origin: 'https://other.example' } })).toEqual({
      status: 403,
      policy: null,
      limit: null,
    });
  });

  it('is told of every bucket of a turn, but never of what the whole workspace has left', async () => {
    const { jwt } = await harness.boot();
    const turn = await told('/chat', { json: question(), headers: { authorization: `Bearer ${jwt}` } });
    expect(turn).toEqual({
      status: 200,
      policy: '"chat/visitor-burst";q=30;w=60, "chat/visitor-hour";q=100;w=3600',
      limit: '"chat/visitor-burst";r=29;t=60, "chat/visitor-hour";r=99;t=3600',
    });
    expect(BUCKETS['chat/tenant-burst'].per).toBe('workspace');
  });

  it('may be read by the page that asked', async () => {
    const { headers } = await harness.fetch('/boot', { json: {} });
    const exposed = headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Deprecation', 'Sunset', 'Link']),
    );
  });
});

describe('a deprecated route', () => {
  const thing = z
    .strictObject({ word: z.string().max(8).describe('A word of this test.') })
    .meta({ id: 'Thing', description: 'Something for this test.' });
  const old = (path: string, operationId: string) =>
    route({
      method: 'GET',
      path,
      summary: 'Read an old thing',
      description: 'Reads a thing that will be read otherwise one day.',
      pathParams: z.strictObject(
        path.includes(':') ? { id: z.string().max(8).describe('Its id.').meta({ example: '1' }) } : {},
      ),
      answers: { 200: thing },
      errors: ['message/not_found'],
      meta: {
        operationId,
        tag: 'Chat',
        credential: 'none',
        limits: [],
        deprecated: { since: '2026-01-01', sunset: '2026-07-01', link: 'https://docs.example/things' },
      },
    });
  const things = router({ oldThing: old('/old', 'oldThing'), oldThings: old('/old/:id', 'oldThings') });
  const deprecation = {
    deprecation: '@1767225600',
    sunset: 'Wed, 01 Jul 2026 00:00:00 GMT',
    link: '<https://docs.example/things>; rel="deprecation"; type="text/html"',
  };

  it.each([
    ['/old', 200],
    ['/old/1', 200],
    ['/old/1?surprise=1', 400],
  ])('says with each answer since when and until when: GET %s', async (path, status) => {
    const handler = async () => ({ status: 200, body: { word: 'still' } });
    const routeGroups = [{ router: things, handlers: { oldThing: handler, oldThings: handler } }];
    const deps = await needsOfCorridor();
    const app = createApp(routeGroups, deps);
    mountFallbacks(app, deps);
    const takes = shortPath(routeGroups, deps);
    const server = createServer((request, response) => {
      attachContext(request, new HttpRequestContext('req_1', request, response, undefined, undefined));
      if (!takes(request, response)) app(request as never, response as never);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    await response.text();
    server.close();
    expect(response.status).toBe(status);
    for (const [name, value] of Object.entries(deprecation)) expect(response.headers.get(name)).toBe(value);
  });

  /** What the corridor asks of a route that anybody may call. */
  async function needsOfCorridor(): Promise<PipelineDeps> {
    const { store, log } = harness.service;
    const workspaceResolver = createWorkspaceResolver({
      workspaces: store.workspaces,
      rollout: harness.config.rollout,
      clock,
    });
    const limiter = await openLimiter(store.rateWindows, clock, 'a secret of this test');
    const traffic = createMetrics(log);
    return {
      workspaceResolver,
      limiter,
      log,
      traffic,
      isDraining: () => false,
    } as Partial<PipelineDeps> as PipelineDeps;
  }

  it('is marked in the document, with the days and the headers', () => {
    const { get } = openapiDocument({ things }).paths!['/old']!;
    expect(get!.deprecated).toBe(true);
    expect(get!.description).toContain('Deprecated since 2026-01-01; it may be gone from 2026-07-01 on.');
    const { headers } = get!.responses!['200'] as { headers: object };
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
  });
});
