import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { type Harness, ORIGIN, openHarness } from '../support/harness.ts';
import { connectTo, head, jsonHeaders, type RawConnection, sendRaw } from '../support/raw-connection.ts';
import { expectError, readResponse } from '../support/response.ts';

describe('strange requests', () => {
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
      const expectHeaders = { ...jsonHeaders, expect: '100-continue', 'content-length': String(body.length) };
      const connection = connectTo(harness.baseUrl);
      connection.socket.write(head('POST /boot HTTP/1.1', expectHeaders));
      await connection.until(/^HTTP\/1\.1 100 /);
      connection.socket.write(body);
      await connection.until(/HTTP\/1\.1 200 /);
      connection.socket.destroy();
    });

    it('answers three pipelined requests in order', async () => {
      const toRequest = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
      const connection = connectTo(harness.baseUrl);
      connection.socket.write(toRequest('/healthz') + toRequest('/nowhere') + toRequest('/healthz'));
      await connection.until(/(?:HTTP\/1\.1 .*){3}/s);
      const statuses = connection.received().match(/HTTP\/1\.1 \d+/g);
      expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
      connection.socket.destroy();
    });
  });

  it('names an unknown field without splitting a surrogate pair', async () => {
    const names = [`${'x'.repeat(63)}𝕏`, 'half \ud835', `${'y'.repeat(600)}𝕐`];
    for (const name of names) {
      const response = await readResponse(harness.fetch('/boot', { json: { [name]: 1 } }));
      expect(expectError(response, 'request/invalid').issues).not.toEqual([]);
      expect(response.text).not.toMatch(/\\ud[89ab]/i);
    }
  });

  describe('HEAD', () => {
    it.each(['/healthz', '/readyz', '/openapi.yaml', '/openapi.json', '/.well-known/gpc.json', '/docs'])(
      'HEAD of %s equals GET without its body',
      async (path) => {
        const [getResponse, headResponse] = [
          await harness.fetch(path),
          await harness.fetch(path, { method: 'HEAD' }),
        ];
        expect(headResponse.status).toBe(getResponse.status);
        expect(headResponse.headers.get('content-type')).toBe(getResponse.headers.get('content-type'));
        expect(await headResponse.text()).toBe('');
        expect((await getResponse.text()).length).toBeGreaterThan(0);
      },
    );

    it('HEAD returns 405 for POST-only paths, and the status of GET elsewhere', async () => {
      expect((await harness.fetch('/boot', { method: 'HEAD' })).status).toBe(405);
      const { jwt } = await harness.boot();
      const headers = { authorization: `Bearer ${jwt}` };
      expect((await harness.fetch('/conversations/none', { method: 'HEAD', headers })).status).toBe(404);
      expect((await harness.fetch('/conversations/none', { method: 'HEAD' })).status).toBe(401);
      // A token in a discarded response would consume seconds of the cap.
      const token = await harness.fetch('/transcribe-token', { method: 'HEAD', headers });
      expect([token.status, token.headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
    });
  });
});

/** Clients that send slowly, or nothing, hold few resources for a short time. */

const MIB = 1024 * 1024;
const TOKEN = 'a-long-metrics-token';
const BODY_BYTES_MAX = 3 * CHAT_LIMITS.chatArrivingBytesMax;

const open = (env: Record<string, string> = {}, headMillis = 500) =>
  openHarness({
    env: { METRICS_TOKEN: TOKEN, ...env },
    timeouts: { headMillis, idleMillis: 500, checkMillis: 50 },
  });

describe('slow clients', () => {
  let harness: Harness;
  let connections: RawConnection[] = [];
  afterEach(async () => {
    for (const { socket } of connections) socket.destroy();
    connections = [];
    await harness.close();
  });

  function connection(): RawConnection {
    const opened = connectTo(harness.baseUrl);
    connections.push(opened);
    return opened;
  }

  async function readHeld(resource: string): Promise<number> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const text = await (await harness.fetch('/metrics', { headers })).text();
    return Number(new RegExp(`^guidepost_held\\{resource="${resource}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  }

  /** Opens a connection that has sent a message except its last byte. */
  async function stalledMessage(bytes: number): Promise<RawConnection> {
    const { jwt } = await harness.boot();
    const stalled = connection();
    stalled.socket.write(
      head('POST /chat HTTP/1.1', {
        ...jsonHeaders,
        authorization: `Bearer ${jwt}`,
        'content-length': String(bytes + 1),
      }),
    );
    stalled.socket.write(' '.repeat(bytes));
    return stalled;
  }

  describe('stalled request bodies', () => {
    it('share a byte budget, of which one network holds at most half', async () => {
      // On a busy machine, heads and bodies take longer to arrive than the limits allow.
      const longTimeouts = { BODY_SILENCE_MILLIS: '300000', BODY_MILLIS_MAX: '300000' };
      harness = await open({ BODY_BYTES_MAX: String(BODY_BYTES_MAX), ...longTimeouts }, 300_000);
      for (let at = 0; at < 8; at += 1) await stalledMessage(11 * MIB);
      await expect
        .poll(() => connections.filter(({ received }) => received() !== '').length)
        .toBeGreaterThan(5);
      expect(await readHeld('body_bytes')).toBeLessThanOrEqual(BODY_BYTES_MAX / 2 + 64 * 1024);
      const rejected = connections.filter(({ received }) => received() !== '');
      for (const { received } of rejected) {
        expect(received()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5\r\n.*"server\/overloaded"/is);
      }
      for (const { socket } of connections) socket.destroy();
      await expect.poll(() => readHeld('body_bytes')).toBe(0);
    });

    it('are disconnected after a silence', async () => {
      harness = await open({ BODY_SILENCE_MILLIS: '300' });
      const stalled = await stalledMessage(MIB);
      await expect.poll(() => readHeld('body_bytes')).toBeGreaterThan(0);
      await stalled.closed(10_000);
      expect(stalled.isClosed()).toBe(true);
      await expect.poll(() => readHeld('body_bytes')).toBe(0);
    });

    it('are disconnected after the time for a whole request, however steadily they drip', async () => {
      harness = await open({ BODY_MILLIS_MAX: '1000' });
      const { jwt } = await harness.boot();
      const dripping = connection();
      dripping.socket.write(
        head('POST /chat HTTP/1.1', {
          ...jsonHeaders,
          authorization: `Bearer ${jwt}`,
          'content-length': '1000',
        }),
      );
      for (let sent = 0; sent < 200 && !dripping.isClosed(); sent += 1) {
        dripping.socket.write(' ');
        await pause(50);
      }
      expect(dripping.isClosed()).toBe(true);
      expect(dripping.received()).toMatch(/^HTTP\/1\.1 408 /);
    });

    it('are not read without a valid credential', async () => {
      harness = await open();
      const stranger = connection();
      stranger.socket.write(head('POST /chat HTTP/1.1', { ...jsonHeaders, 'content-length': String(MIB) }));
      stranger.socket.write(' '.repeat(MIB - 1));
      await stranger.until(/^HTTP\/1\.1 401 /);
      expect(await readHeld('body_bytes')).toBe(0);
    });
  });

  describe('connections', () => {
    it.each([
      ['without a byte', ''],
      ['with half a head', `POST /boot HTTP/1.1\r\nhost: localhost\r\norigin: ${ORIGIN}\r\nx-`],
    ])('are closed after the time for a head: %s', async (_name, bytes) => {
      harness = await open();
      const silent = connection();
      if (bytes) silent.socket.write(bytes);
      await silent.closed(10_000);
      expect(silent.isClosed()).toBe(true);
    });

    it('are closed when they are idle after a response', async () => {
      harness = await open();
      harness.service.server.keepAliveTimeout = 300;
      const idle = connection();
      idle.socket.write(head('GET /healthz HTTP/1.1', {}));
      await idle.until(/"ok"/);
      await idle.closed(10_000);
      expect(idle.isClosed()).toBe(true);
    });

    it('are closed when a client takes nothing of its responses', async () => {
      harness = await openHarness({
        env: { METRICS_TOKEN: TOKEN },
        timeouts: { stalledMillis: 500, checkMillis: 50 },
      });
      const { socket } = connection();
      socket.pause();
      const asked = head('GET /docs/swagger-ui-bundle.js HTTP/1.1', {});
      socket.write(asked.repeat(30));
      await expect.poll(() => readHeld('connections')).toBeGreaterThan(1);
      await expect.poll(() => readHeld('connections')).toBe(1);
    });

    it('are limited to half of the maximum for one network', async () => {
      harness = await open({ CONNECTIONS_MAX: '20' });
      for (let at = 0; at < 15; at += 1) connection();
      await expect.poll(() => connections.filter(({ isClosed }) => isClosed()).length).toBe(5);
      for (const { socket } of connections) socket.destroy();
      await expect.poll(async () => (await harness.fetch('/healthz')).status).toBe(200);
    });

    it('may use the whole maximum through a trusted proxy', async () => {
      harness = await open({ CONNECTIONS_MAX: '20', TRUSTED_PROXIES: 'loopback' });
      for (let at = 0; at < 25; at += 1) connection();
      await expect.poll(() => connections.filter(({ isClosed }) => isClosed()).length).toBe(5);
    });
  });
});
