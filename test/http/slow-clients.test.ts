import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { type Harness, ORIGIN, openHarness } from '../harness.ts';
import { connectTo, head, jsonHeaders, type RawConnection } from './raw.ts';

/** Clients that send slowly, or nothing, hold little and not for long. */

const MIB = 1024 * 1024;
const TOKEN = 'a-long-metrics-token';
const BODY_BYTES_MAX = 3 * LIMITS.chatArrivingBytesMax;

let harness: Harness;
let connections: RawConnection[] = [];
afterEach(async () => {
  for (const { socket } of connections) socket.destroy();
  connections = [];
  await harness.close();
});

const open = (env: Record<string, string> = {}) =>
  openHarness({
    env: { METRICS_TOKEN: TOKEN, ...env },
    timeouts: { headMillis: 500, idleMillis: 500, checkMillis: 50 },
  });

function connection(): RawConnection {
  const opened = connectTo(harness.baseUrl);
  connections.push(opened);
  return opened;
}

async function held(resource: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await harness.fetch('/metrics', { headers })).text();
  return Number(new RegExp(`^guidepost_held\\{resource="${resource}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** A message of which all but the last byte arrives. */
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
    harness = await open({ BODY_BYTES_MAX: String(BODY_BYTES_MAX) });
    for (let at = 0; at < 8; at += 1) await stalledMessage(11 * MIB);
    await expect
      .poll(() => connections.filter(({ received }) => received() !== '').length)
      .toBeGreaterThan(5);
    expect(await held('body_bytes')).toBeLessThanOrEqual(BODY_BYTES_MAX / 2 + 64 * 1024);
    const refused = connections.filter(({ received }) => received() !== '');
    for (const { received } of refused) {
      expect(received()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5\r\n.*"server\/overloaded"/is);
    }
    for (const { socket } of connections) socket.destroy();
    await expect.poll(() => held('body_bytes')).toBe(0);
  });

  it('are disconnected after a silence', async () => {
    harness = await open({ BODY_SILENCE_MILLIS: '300' });
    const stalled = await stalledMessage(MIB);
    await expect.poll(() => held('body_bytes')).toBeGreaterThan(0);
    await stalled.closed(10_000);
    expect(stalled.isClosed()).toBe(true);
    await expect.poll(() => held('body_bytes')).toBe(0);
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
    expect(await held('body_bytes')).toBe(0);
  });
});

describe('connections', () => {
  it.each([
    ['without a byte', ''],
    ['with half a head', `POST /boot HTTP/1.1\r\nhost: localhost\r\norigin: ${ORIGIN}\r\nx-`],
  ])('%s are closed after the time for a head', async (_name, bytes) => {
    harness = await open();
    const silent = connection();
    if (bytes) silent.socket.write(bytes);
    await silent.closed(10_000);
    expect(silent.isClosed()).toBe(true);
  });

  it('that are idle after a response are closed', async () => {
    harness = await open();
    harness.service.server.keepAliveTimeout = 300;
    const idle = connection();
    idle.socket.write(head('GET /healthz HTTP/1.1', {}));
    await idle.until(/"ok"/);
    await idle.closed(10_000);
    expect(idle.isClosed()).toBe(true);
  });

  it('of one network are at most half of the maximum', async () => {
    harness = await open({ CONNECTIONS_MAX: '20' });
    for (let at = 0; at < 15; at += 1) connection();
    await expect.poll(() => connections.filter(({ isClosed }) => isClosed()).length).toBe(5);
    for (const { socket } of connections) socket.destroy();
    await expect.poll(async () => (await harness.fetch('/healthz')).status).toBe(200);
  });

  it('through a trusted proxy may use the whole maximum', async () => {
    harness = await open({ CONNECTIONS_MAX: '20', TRUSTED_PROXIES: 'loopback' });
    for (let at = 0; at < 25; at += 1) connection();
    await expect.poll(() => connections.filter(({ isClosed }) => isClosed()).length).toBe(5);
  });
});
