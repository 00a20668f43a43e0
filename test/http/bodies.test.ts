import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { answerOf, expectError } from '../fixtures/answer.ts';
import { measureCpuMillis } from '../fixtures/cpu-time.ts';
import { type Harness, ORIGIN, openHarness, question } from '../harness.ts';
import { connectTo, head, jsonHeaders, sendRaw } from './raw.ts';

const METRICS_TOKEN = 'a-token-for-the-metrics';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ env: { METRICS_TOKEN, TRUSTED_PROXIES: 'loopback' } });
});
afterAll(() => harness.close());

const bootFields = () => ({ app_id: harness.appId, origin: ORIGIN, path: '/' });
const metrics = (authorization = `Bearer ${METRICS_TOKEN}`) =>
  answerOf(harness.fetch('/metrics', { headers: { authorization } }));
const isAlive = async () => expect((await harness.fetch('/healthz')).status).toBe(200);

describe('request body', () => {
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
    expect(sentBytes).toBeLessThan(LIMITS.bootBodyBytesMax + 64 * 1024);
    await isAlive();
  });

  it('rejects a body with a large Content-Length before it is sent', async () => {
    const length = { 'content-length': String(LIMITS.bootBodyBytesMax + 1) };
    const text = await sendRaw(harness.baseUrl, head('POST /boot HTTP/1.1', { ...jsonHeaders, ...length }));
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('rejects a caller without a token before reading the body', async () => {
    for (const length of [{ 'content-length': '3000000' }, { 'transfer-encoding': 'chunked' }]) {
      const text = await sendRaw(harness.baseUrl, head('POST /chat HTTP/1.1', { ...jsonHeaders, ...length }));
      expect(text).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('rejects a body that is not valid UTF-8', async () => {
    const body = Buffer.from(JSON.stringify({ ...bootFields(), path: '/caf\u00e9' }), 'latin1');
    const response = await harness.fetch('/boot', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body as Uint8Array<ArrayBuffer>,
    });
    const refusal = expectError(await answerOf(Promise.resolve(response)), 'request/invalid');
    expect(refusal.issues).toMatchObject([{ path: 'body', code: 'invalid_json' }]);
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

  it('responds with nothing and stores nothing when the client aborts the upload', async () => {
    const { events } = harness.service.store.in(harness.workspace.id);
    const before = (await events.list(1000)).length;
    const linesBefore = harness.logged.length;
    for (const length of [{ 'content-length': '500' }, { 'transfer-encoding': 'chunked' }]) {
      const connection = connectTo(harness.baseUrl);
      connection.socket.write(`${head('POST /boot HTTP/1.1', { ...jsonHeaders, ...length })}`);
      await pause(20);
      connection.socket.destroy();
    }
    const lines = () => harness.logged.slice(linesBefore);
    await expect.poll(() => lines().length).toBe(2);
    expect(lines().map(({ status, error }) => [status, error])).toEqual([
      [499, undefined],
      [499, undefined],
    ]);
    expect((await events.list(1000)).length).toBe(before);
    expect((await metrics()).text).not.toContain('guidepost_errors_total{code="internal"}');
  });

  it('rejects an endlessly nested body', async () => {
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
        const answer = await answerOf(harness.fetch('/chat', { method: 'POST', body, headers }));
        expectError(answer, 'request/invalid');
      });
      expect(millis).toBeLessThan(10_000);
    }
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', ''])(
    'rejects the field %j and never inherits it',
    async (name) => {
      const hostile = { isAdmin: true, jwt: 'x', message: 'polluted' };
      const withField = (fields: object) =>
        `{${JSON.stringify(name)}:${JSON.stringify(hostile)},${JSON.stringify(fields).slice(1)}`;
      const headers = { 'content-type': 'application/json' };
      const booted = await answerOf(
        harness.fetch('/boot', { method: 'POST', body: withField(bootFields()), headers }),
      );
      expectError(booted, 'request/invalid');
      const { jwt } = await harness.boot();
      const nested = JSON.stringify(question()).replace(
        /}$/,
        `,"capture_context":${withField({ selected_text: 'x' })}}`,
      );
      const turn = { method: 'POST', body: nested, headers: { ...headers, authorization: `Bearer ${jwt}` } };
      expectError(await answerOf(harness.fetch('/chat', turn)), 'request/invalid');
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    },
  );

  it.each([
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['Application/JSON', 200],
    ['application/json; charset=utf-16', 415],
    ['application/jsonp', 415],
    ['application/json, application/json', 415],
    ['application/vnd.api+json', 415],
    ['text/json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['', 415],
  ])('that calls itself %j is answered with %i', async (type, status) => {
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
    const answer = answerOf(
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
  ])('rejects a body that is %s and names the place', async (_what, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await answerOf(harness.fetch('/boot', { method: 'POST', body, headers }));
    expect(expectError(answer, 'request/invalid').issues!.length).toBeGreaterThan(0);
  });

  it('replaces invalid UTF-8 in a form, or rejects it', async () => {
    const body = Buffer.concat([
      Buffer.from('{"app_id":"gp_'),
      Buffer.from([0xff, 0xc0, 0xaf]),
      Buffer.from('"}'),
    ]);
    const headers = { 'content-type': 'application/json' };
    expectError(await answerOf(harness.fetch('/boot', { method: 'POST', body, headers })), 'request/invalid');
  });
});
