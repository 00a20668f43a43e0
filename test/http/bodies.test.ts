import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { isTooComplex } from '../../server/http/body.ts';
import { measureCpuMillis } from '../support/cpu-time.ts';
import { type Harness, ORIGIN, openHarness, question } from '../support/harness.ts';
import { connectTo, head, jsonHeaders, sendRaw } from '../support/raw-connection.ts';
import { expectError, readResponse } from '../support/response.ts';

const METRICS_TOKEN = 'a-token-for-the-metrics';
describe('request body', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ env: { METRICS_TOKEN, TRUSTED_PROXIES: 'loopback' } });
  });
  afterAll(() => harness.close());

  const bootFields = () => ({ app_id: harness.appId, origin: ORIGIN, path: '/' });
  const isAlive = async () => expect((await harness.fetch('/healthz')).status).toBe(200);

  it('is rejected at the first byte over the limit when it never ends', async () => {
    const connection = connectTo(harness.baseUrl);
    connection.socket.write(head('POST /boot HTTP/1.1', { ...jsonHeaders, 'transfer-encoding': 'chunked' }));
    const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
    let sentBytes = 0;
    while (!connection.isClosed() && sentBytes < 4 * 1024 * 1024) {
      connection.socket.write(chunk);
      sentBytes += 1024;
      await pause(1);
    }
    expect(connection.received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(connection.received()).toContain('"request/too_large"');
    expect(connection.received()).toMatch(/\r\nconnection: close\r\n/i);
    expect(connection.isClosed()).toBe(true);
    expect(sentBytes).toBeLessThan(CHAT_LIMITS.bootBodyBytesMax + 64 * 1024);
    await isAlive();
  });

  it('is rejected by a large Content-Length before it is sent', async () => {
    const length = { 'content-length': String(CHAT_LIMITS.bootBodyBytesMax + 1) };
    const text = await sendRaw(harness.baseUrl, head('POST /boot HTTP/1.1', { ...jsonHeaders, ...length }));
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is not read when the caller has no token', async () => {
    const lengths: Record<string, string>[] = [
      { 'content-length': '3000000' },
      { 'transfer-encoding': 'chunked' },
    ];
    for (const length of lengths) {
      const text = await sendRaw(harness.baseUrl, head('POST /chat HTTP/1.1', { ...jsonHeaders, ...length }));
      expect(text).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('is rejected when it is not valid UTF-8', async () => {
    const body = Buffer.from(JSON.stringify({ ...bootFields(), path: '/caf\u00e9' }), 'latin1');
    const response = await harness.fetch('/boot', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body as Uint8Array<ArrayBuffer>,
    });
    const error = expectError(await readResponse(Promise.resolve(response)), 'request/invalid');
    expect(error.issues).toMatchObject([{ path: 'body', code: 'invalid_json' }]);
  });

  it('may begin with a byte order mark', async () => {
    const response = await harness.fetch('/boot', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `\uFEFF${JSON.stringify(bootFields())}`,
    });
    expect(await response.json()).toHaveProperty('jwt');
  });

  it('is accepted byte by byte, while other requests are served', async () => {
    const body = JSON.stringify(bootFields());
    const connection = connectTo(harness.baseUrl);
    connection.socket.setNoDelay(true);
    connection.socket.write(
      head('POST /boot HTTP/1.1', { ...jsonHeaders, 'content-length': String(Buffer.byteLength(body)) }),
    );
    for (const byte of body) {
      connection.socket.write(byte);
      await pause(1);
      if (byte === ':') await isAlive();
    }
    expect(await connection.until(/"jwt":/)).toMatch(/^HTTP\/1\.1 200 /);
    connection.socket.destroy();
  });

  it('gets no response and stores nothing when the client aborts the upload', async () => {
    const { events } = harness.service.store.in(harness.workspace.id);
    const before = (await events.list(1000)).length;
    const linesBefore = harness.logged.length;
    const lengths: Record<string, string>[] = [
      { 'content-length': '500' },
      { 'transfer-encoding': 'chunked' },
    ];
    for (const length of lengths) {
      const connection = connectTo(harness.baseUrl);
      const arrived = once(harness.service.server, 'request');
      connection.socket.write(head('POST /boot HTTP/1.1', { ...jsonHeaders, ...length }));
      await arrived;
      connection.socket.destroy();
    }
    const lines = () => harness.logged.slice(linesBefore);
    await expect.poll(() => lines().length).toBe(2);
    expect(lines().map(({ status, error }) => [status, error])).toEqual([
      [499, undefined],
      [499, undefined],
    ]);
    expect((await events.list(1000)).length).toBe(before);
    const metrics = await readResponse(
      harness.fetch('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }),
    );
    expect(metrics.text).not.toContain('guidepost_errors_total{code="internal"}');
  });

  it('is rejected when it is nested without end', async () => {
    const { jwt } = await harness.boot();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${jwt}` };
    const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
    for (const body of [
      deep(1_400_000, '[', ']'),
      deep(400_000, '{"a":', '}').replace('}', '1}'),
      '['.repeat(1_000_000),
      JSON.stringify(question()).replace(/}$/, `,"capture_context":${deep(500_000, '[', ']')}}`),
      JSON.stringify(question()).replace(/}$/, `,"action_results":${deep(500_000, '[', ']')}}`),
    ]) {
      const millis = await measureCpuMillis(async () => {
        const response = await readResponse(harness.fetch('/chat', { method: 'POST', body, headers }));
        expectError(response, 'request/invalid');
      });
      expect(millis).toBeLessThan(10_000);
    }
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', ''])(
    'is rejected with the field %j, which is never inherited',
    async (name) => {
      const hostile = { isAdmin: true, jwt: 'x', message: 'polluted' };
      const withField = (fields: object) =>
        `{${JSON.stringify(name)}:${JSON.stringify(hostile)},${JSON.stringify(fields).slice(1)}`;
      const headers = { 'content-type': 'application/json' };
      const booted = await readResponse(
        harness.fetch('/boot', { method: 'POST', body: withField(bootFields()), headers }),
      );
      expectError(booted, 'request/invalid');
      const { jwt } = await harness.boot();
      const nested = JSON.stringify(question()).replace(
        /}$/,
        `,"capture_context":${withField({ selected_text: 'x' })}}`,
      );
      const turn = { method: 'POST', body: nested, headers: { ...headers, authorization: `Bearer ${jwt}` } };
      expectError(await readResponse(harness.fetch('/chat', turn)), 'request/invalid');
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    },
  );

  it.each([
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['Application/JSON', 200],
    ['text/plain', 200],
    ['text/plain;charset=UTF-8', 200],
    ['text/plain; charset=iso-8859-1', 415],
    ['text/plaintext', 415],
    ['application/json; charset=utf-16', 415],
    ['application/jsonp', 415],
    ['application/json, application/json', 415],
    ['application/vnd.api+json', 415],
    ['text/json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['', 415],
  ])('gets, with the encoding %j, the status %i', async (type, status) => {
    const body = JSON.stringify(bootFields());
    const response = await harness.fetch('/boot', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect(response.status).toBe(status);
  });

  it.each(['gzip', 'br', 'identity, gzip'])('is rejected when it is encoded as %s', async (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    const answer = readResponse(
      harness.fetch('/boot', { method: 'POST', body: JSON.stringify(bootFields()), headers }),
    );
    expectError(await answer, 'request/unsupported_media_type');
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a byte order mark', `\ufeff${JSON.stringify({})}`],
    ['two documents', '{}{}'],
    ['a comment', '{} // mine'],
    ['NaN', '{"app_id":NaN}'],
    ['single quotes', "{'app_id':1}"],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '1e400'],
    ['a text', '"app_id"'],
  ])('is rejected with the place of the defect when it is %s', async (_what, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await readResponse(harness.fetch('/boot', { method: 'POST', body, headers }));
    expect(expectError(response, 'request/invalid').issues!.length).toBeGreaterThan(0);
  });

  it('is rejected when a JSON string contains invalid UTF-8', async () => {
    const body = Buffer.concat([
      Buffer.from('{"app_id":"gp_'),
      Buffer.from([0xff, 0xc0, 0xaf]),
      Buffer.from('"}'),
    ]);
    const headers = { 'content-type': 'application/json' };
    expectError(
      await readResponse(harness.fetch('/boot', { method: 'POST', body, headers })),
      'request/invalid',
    );
  });
});

describe('counting a body', () => {
  const isCounted = (value: unknown) => isTooComplex(JSON.stringify(value));

  it('accepts what a schema could accept', () => {
    expect(isCounted({ a: Array.from({ length: 20_000 }, () => 'x'), b: 1 })).toBe(false);
    expect(isCounted({ a: '{"[,'.repeat(50_000), b: '\\",'.repeat(50_000) })).toBe(false);
    expect(isTooComplex('{"a": "unclosed')).toBe(false);
    expect(isTooComplex(']'.repeat(1000))).toBe(false);
  });

  it.each([
    ['levels', JSON.parse('['.repeat(100) + ']'.repeat(100))],
    ['fields', Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, 1]))],
    ['items', Array.from({ length: 30_000 }, () => 1)],
    ['members', Array.from({ length: 10_000 }, () => [1, 2, 3])],
  ])('rejects too many %s', (_what, value) => {
    expect(isCounted(value)).toBe(true);
  });

  it('does not take the content of strings for structure, and finds their end behind escapes', () => {
    const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}\\"`, '\\']));
    expect(isCounted(fields)).toBe(true);
    expect(isCounted({ ['k\\"'.repeat(50_000)]: '{'.repeat(50_000) })).toBe(false);
  });
});

describe('POST /chat', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('rejects a body of 240,000 unknown fields before the schema sees them', async () => {
    const { jwt } = await harness.boot();
    const fields = Object.fromEntries(Array.from({ length: 240_000 }, (_, at) => [`k${at}`, 1]));
    const headers = { authorization: `Bearer ${jwt}` };
    const response = await readResponse(
      harness.fetch('/chat', { json: { ...question(), ...fields }, headers }),
    );
    expect(expectError(response, 'request/invalid').issues).toEqual([
      { path: 'body', code: 'too_complex', message: expect.any(String) },
    ]);
  });

  it('names an unknown field of a large body', async () => {
    const { jwt } = await harness.boot();
    const headers = { authorization: `Bearer ${jwt}` };
    const json = { ...question(), dom_digest: 'x,{['.repeat(50_000), surprise: 1 };
    const response = await readResponse(harness.fetch('/chat', { json, headers }));
    expect(expectError(response, 'request/invalid').issues?.[0]?.code).toBe('unrecognized_keys');
  });

  it('accepts the largest page context of the contract', async () => {
    const { jwt } = await harness.boot();
    const targets = Array.from({ length: 1000 }, (_, at) => ({
      gp_id: `t${at}`,
      name: 'A "quoted" name, with commas',
      viewport_bbox: { x: 1, y: 2, width: 3, height: 4 },
      accessibility: { label: 'x', description: 'y', state: 'z' },
    }));
    const events = await harness.ask(jwt, { capture_context: { targets } });
    expect(events.at(-1)?.type).toBe('message_end');
  });
});
