import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, expectError } from '../fixtures/answer.ts';
import { type Harness, ORIGIN, openHarness } from '../harness.ts';
import { connectTo, head, jsonHeaders, sendRaw } from './raw.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
});
afterAll(() => harness.close());

const bootFields = () => ({ app_id: harness.appId, origin: ORIGIN, path: '/' });

const isAlive = async () => expect((await harness.fetch('/healthz')).status).toBe(200);

describe('unusual HTTP requests', () => {
  const get = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n';
  const post = 'POST /boot HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  it.each([
    ['two lengths', `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
    ['two equal lengths', `${post}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`],
    ['a length and chunks', `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a negative length', `${post}content-length: -1\r\n\r\n`],
    ['a length in words', `${post}content-length: two\r\n\r\n{}`],
    ['a length beyond numbers', `${post}content-length: 99999999999999999999\r\n\r\n{}`],
    ['an unknown transfer encoding', `${post}transfer-encoding: gzip\r\n\r\n{}`],
    ['chunks of a broken size', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['chunks of an endless size', `${post}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`],
    ['a header without a colon', `${get}surprise\r\n\r\n`],
    ['a header with a zero byte', `${get}x-surprise: a\0b\r\n\r\n`],
    ['a folded header', `${get}x-surprise: a\r\n b\r\n\r\n`],
    ['a space before a colon', `${get}content-length : 2\r\n\r\n{}`],
    ['endless headers', `${get}x-surprise: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['very many headers', `${get}${'x-a: b\r\n'.repeat(5000)}\r\n`],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['an unknown method', 'BREW /boot HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['a rare method', 'PROPFIND /boot HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['TRACE', 'TRACE /boot HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example\r\n\r\n'],
    ['OPTIONS for the whole server', 'OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['an address of another server', 'GET http://evil.example/no/such HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['an address without a path', 'GET http: HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['two slashes', 'GET //evil.example/%2e%2e HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['a path that climbs', 'GET /docs/../../../../etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    [
      'a path that climbs in disguise',
      'GET /docs/..%2f..%2fpackage.json HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ],
    ['a zero byte in its path', 'GET /conversations/a%00b HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['a path that is no text', 'GET /conversations/%ff%fe HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['an endless path', `GET /${'x'.repeat(50_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`],
    ['bytes in its path', 'GET /\xff\xfe HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an older protocol', 'GET /nowhere\r\n\r\n'],
    ['a newer version', 'GET /healthz HTTP/9.9\r\nhost: localhost\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an expectation that nobody meets', `${post}expect: miracles\r\ncontent-length: 2\r\n\r\n{}`],
    [
      'a wish to upgrade a body',
      `${post}connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 2\r\n\r\n{}`,
    ],
    ['a body on a GET', `GET /conversations/a HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`],
  ])('rejects %s without further effect', async (_what, bytes) => {
    const text = await sendRaw(harness.baseUrl, bytes);
    expect(text).not.toMatch(/^HTTP\/1\.1 (5|200)/);
    expect(text).not.toMatch(/\bat .*\.ts:\d/);
    await isAlive();
  });

  it('answers Expect: 100-continue before the body', async () => {
    const body = JSON.stringify(bootFields());
    const expectant = { ...jsonHeaders, expect: '100-continue', 'content-length': String(body.length) };
    const welcome = connectTo(harness.baseUrl);
    welcome.socket.write(head('POST /boot HTTP/1.1', expectant));
    await welcome.until(/^HTTP\/1\.1 100 /);
    welcome.socket.write(body);
    await welcome.until(/HTTP\/1\.1 200 /);
    welcome.socket.destroy();
  });

  it('answers three pipelined requests in order', async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const connection = connectTo(harness.baseUrl);
    connection.socket.write(one('/healthz') + one('/nowhere') + one('/healthz'));
    await connection.until(/(?:HTTP\/1\.1 .*){3}/s);
    const statuses = connection.received().match(/HTTP\/1\.1 \d+/g);
    expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    connection.socket.destroy();
  });
});

it('names an unknown field without splitting a surrogate pair', async () => {
  const names = [`${'x'.repeat(63)}𝕏`, 'half \ud835', `${'y'.repeat(600)}𝕐`];
  for (const name of names) {
    const answer = await answerOf(harness.fetch('/boot', { json: { [name]: 1 } }));
    expect(expectError(answer, 'request/invalid').issues).not.toEqual([]);
    expect(answer.text).not.toMatch(/\\ud[89ab]/i);
  }
});

describe('HEAD', () => {
  it.each(['/healthz', '/readyz', '/openapi.yaml', '/openapi.json', '/.well-known/gpc.json', '/docs'])(
    'HEAD of %s equals GET without its body',
    async (path) => {
      const [whole, bare] = [await harness.fetch(path), await harness.fetch(path, { method: 'HEAD' })];
      expect(bare.status).toBe(whole.status);
      expect(bare.headers.get('content-type')).toBe(whole.headers.get('content-type'));
      expect(await bare.text()).toBe('');
      expect((await whole.text()).length).toBeGreaterThan(0);
    },
  );

  it('HEAD returns 405 for POST-only paths, and the status of GET elsewhere', async () => {
    expect((await harness.fetch('/boot', { method: 'HEAD' })).status).toBe(405);
    const { jwt } = await harness.boot();
    const headers = { authorization: `Bearer ${jwt}` };
    expect((await harness.fetch('/conversations/none', { method: 'HEAD', headers })).status).toBe(404);
    expect((await harness.fetch('/conversations/none', { method: 'HEAD' })).status).toBe(401);
    // A token in a discarded response would still consume seconds of the cap.
    const token = await harness.fetch('/transcribe-token', { method: 'HEAD', headers });
    expect([token.status, token.headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
  });
});
