import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ERROR_CODES, errorBody } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import type { Router } from '../../contract/route.ts';
import { makeImmutable } from '../../server/base/cache.ts';
import { newId } from '../../server/base/ids.ts';
import { VERSION } from '../../server/base/version.ts';
import { DEMO_APP_ID } from '../../server/demo/demo.ts';
import { serializeResponse } from '../../server/http/respond.ts';
import { onSqlite } from '../support/cluster/harness-cluster.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../support/harness.ts';
import { dropTables } from '../support/other-program.ts';
import { sendRaw } from '../support/raw-connection.ts';
import { expectError, readResponse } from '../support/response.ts';

const REQUEST_ID = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const METRICS_TOKEN = 'a-token-for-the-metrics';

describe('the pipeline', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ env: { METRICS_TOKEN, TRUSTED_PROXIES: 'loopback' } });
  });
  afterAll(() => harness.close());

  const bootFields = () => ({ app_id: harness.appId, origin: ORIGIN, path: '/' });
  const metrics = (authorization = `Bearer ${METRICS_TOKEN}`) =>
    readResponse(harness.fetch('/metrics', { headers: { authorization } }));

  describe('every response', () => {
    const requests: readonly [string, RequestInit & { json?: unknown }][] = [
      ['/boot', { json: {} }],
      ['/boot', { method: 'PATCH' }],
      ['/boot', { method: 'OPTIONS' }],
      ['/chat', { json: question() }],
      ['/visitor', { method: 'DELETE' }],
      ['/no/such/place', {}],
      ['/conversations/%E0%A4%A', {}],
      ['/healthz', {}],
      ['/readyz', {}],
      ['/metrics', {}],
      ['/openapi.yaml', {}],
      ['/docs', {}],
      ['/.well-known/gpc.json', {}],
    ];

    it('has its own request id, even when the caller sends one', async () => {
      const ids = new Set<string>();
      for (const [path, init] of [...requests, ...requests]) {
        const response = await harness.fetch(path, { ...init, headers: { 'x-request-id': 'req_mine' } });
        await response.text();
        ids.add(response.headers.get('x-request-id') ?? 'none');
      }
      expect(ids.size).toBe(requests.length * 2);
      for (const id of ids) expect(id).toMatch(REQUEST_ID);
    });

    it('is logged once under its request id', async () => {
      const response = await harness.fetch('/boot', { json: bootFields() });
      await response.text();
      const id = response.headers.get('x-request-id');
      await expect
        .poll(() => harness.logged.filter((line) => line.request_id === id))
        .toEqual([expect.objectContaining({ operation: 'bootGuide', method: 'POST', status: 200 })]);
    });

    it('disables caching and declares its content type', async () => {
      const { jwt } = await harness.boot();
      const headers = { authorization: `Bearer ${jwt}` };
      for (const [path, init] of [
        ['/boot', { json: bootFields() }],
        ['/boot', { json: {} }],
        ['/chat', { json: question(), headers }],
        ['/conversations/conv-of-a-test', { headers }],
        ['/conversations/none', { headers }],
        ['/visitor', { method: 'DELETE', headers }],
        ['/no/such/place', {}],
        ['/healthz', {}],
      ] as const) {
        const response = await readResponse(harness.fetch(path, init));
        expect(response.headers.get('cache-control')).toMatch(/^no-store/);
        expect(response.headers.get('content-type')).toMatch(
          /^(application\/json|text\/event-stream); charset=utf-8$/,
        );
        expect(response.headers.get('etag')).toBeNull();
        expect(response.headers.get('x-powered-by')).toBeNull();
      }
    });
  });

  describe('endpoints for operators', () => {
    it('/healthz reports a live process with its version and /readyz a usable one', async () => {
      expect((await readResponse(harness.fetch('/healthz'))).json).toEqual({
        status: 'ok',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        commit: expect.stringMatching(/^([0-9a-f]{12}(-dirty)?|unknown)$/),
      });
      const ready = await readResponse(harness.fetch('/readyz'));
      expect(ready.json).toEqual({
        status: 'ready',
        database: true,
        disk: true,
        draining: false,
        problems: [],
        migration: expect.stringMatching(/^\d{4}_/),
        ...(onSqlite ? {} : { coordination: 'shared', connections: expect.anything() }),
      });
    });

    // A connection of PostgreSQL does not see how many commits others have made.
    it.runIf(onSqlite)('/readyz does not write at each request', async () => {
      const database = new Database(harness.config.database.file, { readonly: true });
      // Increases with the commits of other connections.
      const readVersion = () => database.pragma('data_version', { simple: true });
      const requests = 20;
      let writes = 0;
      for (let sent = 0; sent < requests; sent += 1) {
        const before = readVersion();
        expect((await harness.fetch('/readyz')).status).toBe(200);
        if (readVersion() !== before) writes += 1;
      }
      // Background jobs write between two requests, more often on a busy machine.
      expect(writes).toBeLessThan(requests / 2);
      database.close();
    });

    it('/metrics requires its token and looks like an unknown path without it', async () => {
      const { status, headers, text } = await metrics();
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^text\/plain/);
      expect(text).toMatch(/^guidepost_requests_total\{operation="bootGuide",status="200"\} \d+$/m);
      expect(text).toMatch(/^guidepost_open_streams 0$/m);
      const wrongCredentials = [
        '',
        'Bearer',
        'Bearer ',
        `Bearer ${METRICS_TOKEN}x`,
        `bearer ${METRICS_TOKEN}`,
        METRICS_TOKEN,
      ];
      for (const authorization of wrongCredentials)
        expectError(await metrics(authorization), 'request/not_found');
      const withoutToken = await openHarness();
      for (const authorization of ['Bearer undefined', 'Bearer ', `Bearer ${METRICS_TOKEN}`]) {
        const answer = readResponse(withoutToken.fetch('/metrics', { headers: { authorization } }));
        expectError(await answer, 'request/not_found');
      }
      await withoutToken.close();
    });

    it('/metrics contains no label chosen by a caller', async () => {
      for (let i = 0; i < 30; i++) {
        await harness.fetch(`/stranger-${i}?stranger=${i}`);
        await harness.fetch('/boot', { json: { ...bootFields(), app_id: `gp_stranger${i}` } });
        await harness.fetch('/boot', { json: { [`stranger${i}`]: 1 } });
        await harness.fetch(`/conversations/stranger-${i}`);
        await sendRaw(harness.baseUrl, `REPORT /stranger-${i} HTTP/1.1\r\nhost: stranger\r\n\r\n`, 5);
      }
      const { text } = await metrics();
      expect(text).not.toContain('stranger');
      const labels = (name: string) =>
        new Set([...text.matchAll(new RegExp(`\\b${name}="([^"]*)"`, 'g'))].map((m) => m[1]!));
      const routers: Record<string, Router> = contract;
      const operations = Object.values(routers)
        .flatMap((router) => Object.values(router))
        .map((route) => route.metadata.operationId);
      for (const operation of labels('operation')) expect([...operations, 'other']).toContain(operation);
      for (const code of labels('code')) expect(Object.keys(ERROR_CODES)).toContain(code);
      for (const status of labels('status')) expect(status).toMatch(/^[1-4]\d\d$/);
    });
  });

  it('/ leads to the demo while its workspace exists, else to the dashboard', async () => {
    const enter = async ({ baseUrl }: Harness) => {
      const { status, headers } = await fetch(baseUrl, { redirect: 'manual' });
      expect(status).toBe(302);
      return new URL(headers.get('location')!, `${baseUrl}/`).pathname;
    };
    const withPage = await openHarness({ env: { GUIDEPOST_DEMO: 'on' } });
    const { store } = withPage.service;
    expect(await enter(withPage)).toBe('/dashboard');
    await store.workspaces.create({ ...withPage.workspace, id: newId('ws'), appId: DEMO_APP_ID });
    expect(await enter(withPage)).toBe('/demo');
    expect((await fetch(withPage.baseUrl)).headers.get('content-type')).toMatch(/^text\/html/);
    await withPage.close();
    expect(await enter(harness)).toBe('/dashboard');
  });

  describe('public documents', () => {
    it('declare support for Global Privacy Control', async () => {
      const { headers, json } = await readResponse(harness.fetch('/.well-known/gpc.json'));
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(json).toEqual({ gpc: true, lastUpdate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) });
    });

    it('include the OpenAPI document, as YAML and JSON for any page', async () => {
      const yaml = await readResponse(harness.fetch('/openapi.yaml'));
      const json = await readResponse<{ openapi: string; paths: object }>(harness.fetch('/openapi.json'));
      expect(yaml.text).toBe(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
      expect(parse(yaml.text)).toEqual(json.json);
      for (const { headers } of [yaml, json]) {
        expect(headers.get('access-control-allow-origin')).toBe('*');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    });

    it.each([
      ['/openapi-integration.yaml', '/api/export/events', '3.1.1'],
      ['/openapi-integration.json', '/chat', '3.1.1'],
      ['/openapi-visitor.yaml', '/chat', '3.1.1'],
      ['/openapi-management.yaml', '/api/session', '3.1.1'],
      ['/openapi-export.yaml', '/api/export/events', '3.1.1'],
      ['/openapi-3.0.3.yaml', '/chat', '3.0.3'],
    ])('include %s, which describes %s', async (path, operation, version) => {
      const { text } = await readResponse(harness.fetch(path));
      // test/openapi/openapi.test.ts compares the YAML with the JSON.
      expect(text).toMatch(new RegExp(`^openapi: ${version}$|^\\{"openapi":"${version}"`, 'm'));
      expect(text).toMatch(new RegExp(`^  "?${operation}"?:$|"${operation}":\\{`, 'm'));
    });

    it.each(['guidepost-client', 'guidepost-react'])(
      'include the package %s, which caches revalidate',
      async (name) => {
        const path = `/packages/${name}.tgz`;
        const { headers, status } = await harness.fetch(path, { method: 'HEAD' });
        expect(status).toBe(200);
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-type': 'application/gzip',
          'cache-control': 'no-cache',
          'access-control-allow-origin': '*',
        });
        const packed = await (await harness.fetch(path)).bytes();
        expect(packed.length).toBe(Number(headers.get('content-length')));
        expect(gunzipSync(packed).toString()).toContain(`"version": "${VERSION.version}"`);
        const again = await harness.fetch(path, { headers: { 'if-none-match': headers.get('etag')! } });
        expect(again.status).toBe(304);
      },
    );

    it('have headers against framing, sniffing and execution in every response', async () => {
      const paths = ['/boot', '/nothing', '/healthz', '/openapi.json', '/guide.js', '/docs', '/dashboard/'];
      for (const path of paths) {
        const { headers } = await harness.fetch(path);
        const policy = headers.get('content-security-policy');
        expect(policy, path).toMatch(/(default|object)-src 'none'/);
        for (const directive of ["base-uri 'none'", "frame-ancestors 'none'"])
          expect(policy, path).toContain(directive);
        expect(headers.get('x-content-type-options'), path).toBe('nosniff');
        const isPage = headers.get('content-type')?.startsWith('text/html');
        expect(headers.get('referrer-policy'), path).toBe(isPage ? 'no-referrer' : null);
      }
    });

    it('include the documentation page, and every file it loads from the same origin', async () => {
      const page = await readResponse(harness.fetch('/docs'));
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const files = [...page.text.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map(
        (match) => match[1]!,
      );
      expect(files.length).toBeGreaterThanOrEqual(4);
      for (const path of files) {
        expect(path).toMatch(/^\/docs\//);
        const file = await harness.fetch(path);
        expect(file.status).toBe(200);
        expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(0);
        expect(file.headers.get('x-content-type-options')).toBe('nosniff');
      }
    });
  });
});

describe('a response that breaks its contract', () => {
  it('is not sent', async () => {
    const harness = await openHarness();
    await harness.service.store.workspaces.create({
      ...harness.workspace,
      id: newId('ws'),
      appId: 'gp_longname',
      name: 'x'.repeat(201),
      createdAt: clock.now(),
    });
    const body = { app_id: 'gp_longname', origin: ORIGIN, path: '/' };
    expectError(await readResponse(harness.fetch('/boot', { json: body })), 'internal');
    await harness.close();
  });
});

const place = z.strictObject({ city: z.string(), zip: z.string().optional() });
const reply = z.strictObject({ name: z.string().max(5), place, other: place.optional(), age: z.int() });

describe('a response with cached parts', () => {
  it('equals the text without cached parts', () => {
    const answer = { name: 'Ada', place: { city: 'Zürich', zip: '8001' }, age: 36 };
    const withConstants = { ...answer, place: makeImmutable({ ...answer.place }) };
    for (let times = 0; times < 3; times += 1) {
      expect(JSON.parse(serializeResponse(reply, withConstants))).toEqual(answer);
    }
    expect(JSON.parse(serializeResponse(reply, { ...withConstants, other: undefined }))).toEqual(answer);
  });

  it.each([
    ['a field that is not declared', { extra: 1 }],
    ['a value that does not fit', { name: 'Augusta Ada' }],
    ['a constant part that does not fit', { place: makeImmutable({ city: 'Zürich', street: 'Rennweg' }) }],
    ['a part that is missing', { age: undefined }],
  ])('is not sent with %s', (_what, change) => {
    const answer = { name: 'Ada', place: makeImmutable({ city: 'Zürich' }), age: 36, ...change };
    expect(() => serializeResponse(reply, answer)).toThrow();
    expect(() => serializeResponse(reply, answer)).toThrow();
  });

  it('validates a cached constant against the schema of each field that has it', () => {
    const narrow = z.strictObject({ place: z.strictObject({ city: z.string().max(3) }) });
    const constant = makeImmutable({ city: 'Zürich' });
    expect(serializeResponse(z.strictObject({ place }), { place: constant })).toBe(
      '{"place":{"city":"Zürich"}}',
    );
    expect(() => serializeResponse(narrow, { place: constant })).toThrow();
  });

  it('cannot be changed afterwards', () => {
    const constant = makeImmutable({ city: 'Zürich', near: { lake: 'Zürichsee' } });
    expect(() => Object.assign(constant.near, { lake: 'Greifensee' })).toThrow();
  });
});

describe('the log', () => {
  it('contains no address, token, message or body, even after an internal error', async () => {
    const harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback', METRICS_TOKEN } });
    const canaries = {
      address: '203.0.113.213',
      agent: 'Mozilla/5.0 (Canary; rv:140.0) Gecko/20100101 Firefox/140.0',
      message: 'How do I reset my canary-of-the-message?',
      digest: 'main > canary-of-the-digest',
      query: 'canary-of-the-query',
      selected: 'canary-of-the-selection',
      comment: 'canary-of-the-comment',
      path: 'canary-of-the-path',
      type: 'text/canary-of-the-type',
      origin: 'canary-of-the-body-origin',
      key: 'canary-of-the-idempotency-key',
    };
    const headers = { 'x-forwarded-for': canaries.address, 'user-agent': canaries.agent };
    const { jwt, visitor_id } = await harness.boot({ path: `/${canaries.path}` }, headers);
    const authorized = { ...headers, authorization: `Bearer ${jwt}`, 'idempotency-key': canaries.key };
    const turn = question({
      message: canaries.message,
      dom_digest: canaries.digest,
      conversation_id: 'canary-of-the-conversation',
      url: `${ORIGIN}/a?${canaries.query}`,
      capture_context: { selected_text: canaries.selected },
    });
    const everything = async () => {
      const sent: [string, unknown, Record<string, string>][] = [
        ['/chat', turn, authorized],
        ['/chat', { ...turn, surprise: canaries.comment }, authorized],
        ['/chat', { ...turn, url: `https://evil.example/${canaries.query}` }, authorized],
        ['/chat', { ...turn, url: canaries.query }, authorized],
        ['/chat', turn, { ...authorized, 'content-type': canaries.type }],
        ['/chat', turn, { ...authorized, authorization: `Bearer ${jwt}x` }],
        ['/feedback', { message_id: canaries.comment, rating: 'up', comment: canaries.comment }, authorized],
        [
          '/boot',
          { app_id: harness.appId, origin: `https://${canaries.origin}@x/`, path: canaries.path },
          headers,
        ],
        [
          '/boot',
          { app_id: harness.appId, origin: ORIGIN, path: '/' },
          { ...headers, origin: `junk ${canaries.origin}` },
        ],
        [
          '/consent',
          {
            visitor_id,
            url: `${ORIGIN}/${canaries.path}`,
            copy_version: '1',
            at: clock.now(),
            decision: 'accepted',
          },
          authorized,
        ],
      ];
      for (const [path, json, more] of sent)
        await (await harness.fetch(path, { json, headers: more })).text();
      await harness.fetch(`/conversations/${canaries.path}`, { headers: authorized });
      await harness.fetch(`/${canaries.path}?${canaries.query}`, { headers });
    };
    await everything();
    // The same with a broken database, because errors tend to quote their cause.
    await dropTables(harness, ['events', 'turns', 'feedback', 'consent_records']);
    await everything();
    await harness.fetch('/visitor', { method: 'DELETE', headers: authorized });
    // A line is logged once its response has been sent.
    await expect.poll(() => harness.logged.at(-1)?.operation).toBe('eraseVisitor');
    const log = JSON.stringify(harness.logged);
    expect(harness.logged.some(({ error }) => error === 'internal')).toBe(true);
    for (const canary of [
      ...Object.values(canaries),
      'canary',
      jwt.split('.')[1]!,
      jwt.split('.')[2]!,
      visitor_id,
      METRICS_TOKEN,
    ]) {
      expect(log).not.toContain(canary);
    }
    for (const line of harness.logged.filter(({ operation }) => operation !== undefined)) {
      expect(errorBody.shape.request_id.safeParse(line.request_id).success).toBe(true);
    }
    await harness.close();
  });
});
