import { connect } from 'node:net';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../contract/index.ts';
import { BUCKETS, LIMITS } from '../contract/limits.ts';
import { REFUSALS, type RefusalCode, refusalBody } from '../contract/refusals.ts';
import type { Route, Surface } from '../contract/route.ts';
import type { Engine } from '../server/engine/engine.ts';
import { newId } from '../server/ids.ts';
import { type Harness, ORIGIN, openHarness, question, USER_AGENT } from './harness.ts';

/** Walks the contract: what holds for every route is tested on every route, also on those that are still to be written. */

type OperationIdOf<S> = {
  [K in keyof S]: S[K] extends { metadata: { operationId: infer I extends string } } ? I : never;
}[keyof S];
type OperationId = {
  [S in keyof typeof contract]: OperationIdOf<(typeof contract)[S]>;
}[keyof typeof contract];

type Visitor = { readonly jwt: string; readonly visitorId: string };

/** A request that the route accepts, for a visitor who has asked one question before. */
type Sample = { readonly path?: string; readonly body?: Record<string, unknown> };

const samples: Record<
  OperationId,
  (world: { harness: Harness; visitor: Visitor; messageId: string }) => Sample
> = {
  bootGuide: ({ harness }) => ({ body: { app_id: harness.appId, origin: ORIGIN, path: '/' } }),
  sendMessage: () => ({ body: question() }),
  getConversation: () => ({ path: '/conversations/conv-of-a-test' }),
  rateMessage: ({ messageId }) => ({ body: { message_id: messageId, rating: 'up' } }),
  recordConsent: ({ visitor, harness }) => ({
    body: {
      visitor_id: visitor.visitorId,
      url: `${ORIGIN}/`,
      copy_version: '2026-11-01',
      at: harness.clock.now(),
      decision: 'accepted',
    },
  }),
  eraseVisitor: () => ({}),
};

const surfaces: Record<string, Surface> = contract;
const routes = Object.values(surfaces).flatMap((surface) => Object.values(surface));
const named = routes.map((route) => [route.metadata.operationId as OperationId, route] as const);

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
    expectRefusal(response, 'request/invalid');
    expect(response.json.issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'query' }),
    );
  });

  const withBody = named.filter(([, route]) => route.body);
  it.each(withBody)('%s refuses unknown fields in its body', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, { extra: { surprise: 1 } });
    expectRefusal(response, 'request/invalid');
    expect(response.json.issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', path: 'body' }),
    );
  });

  it.each(withBody)('%s names every field that is missing', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, { raw: '{}' });
    expectRefusal(response, 'request/invalid');
    const required = Object.keys(
      samples[id]({ harness, visitor: await visitorOf(harness), messageId: 'x' }).body ?? {},
    );
    const reported = (response.json.issues as { path: string }[]).map(({ path }) => path);
    expect(reported).toEqual(expect.arrayContaining(required.map((field) => `body.${field}`)));
  });

  it.each(withBody)('%s refuses what is not JSON', async (id, route) => {
    const response = await send(harness, await worldOf(harness), id, route, { raw: '{"a":' });
    expectRefusal(response, 'request/invalid');
    expect(response.json.issues).toEqual([expect.objectContaining({ code: 'invalid_json', path: 'body' })]);
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

describe('every route that counts requests', () => {
  const limited = named.filter(
    ([, route]) => route.metadata.limits.length + route.metadata.limitsWithoutCredential.length > 0,
  );
  it.each(limited)('%s says which bucket is empty and how long to wait', async (id, route) => {
    const harness = await openHarness();
    try {
      const world = await worldOf(harness);
      const bucket = route.metadata.limits[0]!;
      let response = await send(harness, world, id, route);
      for (let sent = 1; response.status !== 429 && sent <= BUCKETS[bucket].points + 1; sent++) {
        response = await send(harness, world, id, route);
      }
      expectRefusal(response, 'rate_limit/exceeded');
      expect(response.json).toMatchObject({ bucket, retryAfterSec: BUCKETS[bucket].windowSeconds });
      expect(response.headers.get('retry-after')).toBe(String(BUCKETS[bucket].windowSeconds));
    } finally {
      await harness.close();
    }
  });
});

describe('every route in trouble', () => {
  it('answers 503 while another process holds the database, and goes on when it lets go', async () => {
    const harness = await openHarness();
    const worlds = await Promise.all(named.map(() => worldOf(harness)));
    const holder = new Database(harness.config.databaseFile);
    holder.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all(
      named.map(([id, route], index) => send(harness, worlds[index]!, id, route)),
    );
    for (const [index, [, route]] of named.entries()) {
      if (route.method === 'GET') expect(answers[index]!.status).toBe(200);
      else expectRefusal(answers[index]!, 'storage/unavailable');
    }
    holder.exec('ROLLBACK');
    holder.close();
    await harness.boot();
    await harness.close();
  });

  it('answers 503 while the disk is full, and goes on when there is room again', async () => {
    const harness = await openHarness({ env: { DATABASE_BYTES_MAX: String(2 * 1024 * 1024) } });
    await fillStorage(harness);
    const answer = await harness.fetch('/boot', {
      json: { app_id: harness.appId, origin: ORIGIN, path: '/' },
    });
    expect(await answer.json()).toMatchObject({ error: 'storage/unavailable', retryAfterSec: 5 });
    expect((await harness.fetch('/healthz')).status).toBe(200);
    expect((await harness.fetch('/readyz')).status).toBe(503);
    const owner = new Database(harness.config.databaseFile);
    owner.exec("DELETE FROM events WHERE type = 'boot'");
    owner.close();
    await harness.boot();
    expect((await harness.fetch('/readyz')).status).toBe(200);
    await harness.close();
  });

  it('answers 500 with a request id and nothing about the cause', async () => {
    for (const [id, route] of named) {
      const harness = await openHarness();
      const world = await worldOf(harness);
      const database = new Database(harness.config.databaseFile);
      database.pragma('foreign_keys = OFF');
      for (const table of ['events', 'turns', 'feedback', 'consent_records', 'conversations'])
        database.exec(`DROP TABLE ${table}`);
      database.close();
      const response = await send(harness, world, id, route);
      expectRefusal(response, 'internal');
      expect(JSON.stringify(response.json)).not.toMatch(/table|sqlite|\.ts/i);
      await harness.close();
    }
  });

  it('answers 503 to a request that arrives while the server is going down', async () => {
    for (const [id, route] of named) {
      const harness = await openHarness();
      const { path, method, headers, body } = await requestOf(harness, await worldOf(harness), id, route);
      const socket = connect(Number(new URL(harness.baseUrl).port), '127.0.0.1');
      const answered = new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.on('close', () => resolve(text));
      });
      const bytes = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`];
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const closing = harness.close();
      socket.write(`${[...lines, ...bytes].join('\r\n')}\r\n\r\n${body ?? ''}`);
      expect(await answered).toContain('"server/shutting_down"');
      await closing;
    }
  });

  it('tells a visitor with too many open answers, and a server with too many, apart', async () => {
    const harness = await openHarness({ engine: endlessEngine, env: { STREAMS_MAX: '3' } });
    const [a, b] = [await visitorOf(harness), await visitorOf(harness)];
    const hangUp = new AbortController();
    const open = (visitor: Visitor, conversation: string) =>
      harness.fetch('/chat', {
        json: question({ conversation_id: conversation }),
        ...bearer(visitor),
        signal: hangUp.signal,
      });
    for (const turn of ['a1', 'a2']) expect((await open(a, turn)).status).toBe(200);
    expect(await (await open(a, 'a3')).json()).toMatchObject({ error: 'chat/too_many_streams' });
    expect((await open(b, 'b1')).status).toBe(200);
    expect(await (await open(b, 'b2')).json()).toMatchObject({
      error: 'server/overloaded',
      retryAfterSec: 1,
    });
    hangUp.abort();
    await harness.close();
  });
});

const endlessEngine: Engine = {
  name: 'endless',
  async *answer(_question, signal) {
    yield { type: 'text', delta: 'Well, ' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
};

type World = { readonly visitor: Visitor; readonly messageId: string };

async function visitorOf(harness: Harness): Promise<Visitor> {
  // Booting is limited per address, and this file boots more often than a visitor does.
  harness.clock.advance(1000);
  const { jwt, visitor_id } = await harness.boot();
  return { jwt, visitorId: visitor_id };
}

async function worldOf(harness: Harness): Promise<World> {
  const visitor = await visitorOf(harness);
  const events = await harness.ask(visitor.jwt, { conversation_id: `conv-${visitor.visitorId}` });
  await harness.ask(visitor.jwt).catch(() => undefined);
  const start = events[0]!;
  return { visitor, messageId: start.type === 'message_start' ? start.message_id : '' };
}

function bearer({ jwt }: Visitor): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${jwt}` } };
}

type Twist = {
  readonly headers?: Record<string, string>;
  readonly jwt?: string | undefined;
  readonly query?: string;
  readonly raw?: string;
  readonly extra?: Record<string, unknown>;
};

async function requestOf(harness: Harness, world: World, id: OperationId, route: Route, twist: Twist = {}) {
  const sample = samples[id]({ harness, ...world });
  const jwt = 'jwt' in twist ? twist.jwt : world.visitor.jwt;
  const sent = sample.body && { ...sample.body, ...twist.extra };
  return {
    method: route.method,
    path: `${sample.path ?? route.path}${twist.query ?? ''}`.replace(
      'conv-of-a-test',
      `conv-${world.visitor.visitorId}`,
    ),
    headers: {
      origin: ORIGIN,
      'user-agent': USER_AGENT,
      ...(route.body || twist.raw ? { 'content-type': 'application/json' } : {}),
      ...(jwt && route.metadata.credential === 'visitor' ? { authorization: `Bearer ${jwt}` } : {}),
      ...twist.headers,
    } as Record<string, string>,
    body: twist.raw ?? (sent && JSON.stringify(sent)),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape pass here, and each test says what it expects
type Answer = { readonly status: number; readonly headers: Headers; readonly json: any };

async function send(
  harness: Harness,
  world: World,
  id: OperationId,
  route: Route,
  twist?: Twist,
): Promise<Answer> {
  const { path, ...init } = await requestOf(harness, world, id, route, twist);
  const response = await fetch(`${harness.baseUrl}${path}`, { ...init, body: init.body ?? null });
  const isJson = response.headers.get('content-type')?.includes('json');
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text };
}

function expectRefusal(answer: Answer, code: RefusalCode): void {
  expect(answer.json).toMatchObject({ error: code });
  expect(answer.status).toBe(REFUSALS[code].status);
  expect(() => refusalBody.parse(answer.json)).not.toThrow();
  expect(answer.headers.get('x-request-id')).toBe(answer.json.request_id);
}

/** Until not even a short row finds room. */
async function fillStorage(harness: Harness): Promise<void> {
  const { events } = harness.service.store.in(harness.workspace.id);
  for (const chars of [50_000, 2000, 1]) {
    for (let full = false; !full; ) {
      const data = { path: 'x'.repeat(chars) };
      const row = { id: newId('evt'), atMillis: harness.clock.now(), type: 'boot' as const, data };
      full = await events.append([row]).then(
        () => false,
        () => true,
      );
    }
  }
}
