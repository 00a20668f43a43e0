import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../../contract/limits/chat.ts';
import { BUCKETS } from '../../../contract/limits/rate-limits.ts';
import { openStore } from '../../../server/backup/open-store.ts';
import type { Store } from '../../../server/storage/store.ts';
import { commandLine } from '../../support/command-line.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../../support/harness.ts';
import { expectError, readResponse, type TestResponse } from '../../support/response.ts';
import { FOREIGN, send } from './send-boot.ts';

describe('POST /boot from a browser', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
  });
  afterAll(() => harness.close());

  it('lets pages of the workspace read the response and its errors', async () => {
    const { workspaces, featureFlags } = harness.service.store;
    const paused = await harness.addWorkspace({ allowedOrigins: ['https://paused.example', ORIGIN] });
    await workspaces.change(paused.id, { enabled: false }, clock.now());
    const isShared = ({ headers }: TestResponse, origin = ORIGIN) => {
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('vary')).toBe('Origin');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('access-control-expose-headers')?.toLowerCase().split(', ')).toEqual(
        expect.arrayContaining(['retry-after', 'x-service-tts-provider', 'x-request-id']),
      );
    };
    isShared(await send(harness));
    isShared(await send(harness, { headers: { 'content-type': 'text/plain;charset=UTF-8' } }));
    isShared(
      await send(harness, {
        headers: { origin: 'https://a.shop.example.com' },
        body: { origin: 'https://a.shop.example.com' },
      }),
      'https://a.shop.example.com',
    );
    for (const [body, code] of [
      [{ surprise: 1 }, 'request/invalid'],
      ['x'.repeat(CHAT_LIMITS.bootBodyBytesMax), 'request/too_large'],
      [{ origin: 'https://a.shop.example.com' }, 'boot/origin_mismatch'],
      [{ app_id: paused.appId }, 'boot/workspace_disabled'],
    ] as const) {
      const rejected = await send(harness, { body });
      expectError(rejected, code);
      isShared(rejected);
    }
    const typeless = await send(harness, { headers: { 'content-type': 'text/csv' } });
    expectError(typeless, 'request/unsupported_media_type');
    isShared(typeless);
    const busy = { 'x-forwarded-for': '203.0.113.77' };
    for (let sent = 0; sent < BUCKETS['boot/rate-limited'].points; sent++)
      await send(harness, { body: 'junk', headers: busy });
    const limited = await send(harness, { headers: busy });
    expectError(limited, 'rate_limit/exceeded');
    isShared(limited);
    await featureFlags.set('kill_switch', true, clock.now());
    clock.advance(1000);
    const killed = await send(harness);
    expectError(killed, 'boot/unavailable');
    isShared(killed);
    await featureFlags.set('kill_switch', false, clock.now());
    clock.advance(1000);
  });

  it('lets foreign pages read nothing about a workspace', async () => {
    const headers = { origin: FOREIGN };
    for (const body of [{ origin: FOREIGN }, { app_id: 'gp_nobody', origin: FOREIGN }]) {
      for (const type of ['application/json', 'text/plain']) {
        const response = await send(harness, { body, headers: { ...headers, 'content-type': type } });
        expect(response.status).toBe(403);
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
        // Errors must not be cached across pages.
        expect(response.headers.get('vary')).toBe('Origin');
      }
    }
  });

  it('does not reveal whether any workspace allows an origin', async () => {
    const changing = ['x-request-id', 'date', 'ratelimit', 'access-control-allow-origin', 'content-length'];
    const elsewhere = await harness.addWorkspace({ allowedOrigins: ['https://used.example'] });
    const seenFrom = async (origin: string) => {
      const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } };
      const responses = [
        await readResponse(harness.fetch('/boot', preflight)),
        await readResponse(harness.fetch('/chat', preflight)),
        await send(harness, { body: 'junk', headers: { origin } }),
        await send(harness, { body: { surprise: 1 }, headers: { origin } }),
        await send(harness, { body: { origin }, headers: { origin } }),
        await readResponse(harness.fetch('/chat', { json: question(), headers: { origin } })),
      ];
      return responses.map(({ status, headers }) => {
        const allowed = headers.get('access-control-allow-origin');
        const others = [...headers].filter(([name]) => !changing.includes(name));
        return { status, allowed: allowed === origin ? 'the origin' : allowed, others };
      });
    };
    const used = await seenFrom('https://used.example');
    expect(used).toEqual(await seenFrom('https://nobody.example'));
    expect(used.map(({ status }) => status)).toEqual([204, 204, 400, 400, 403, 401]);
    expect(
      (
        await send(harness, {
          body: { app_id: elsewhere.appId, origin: 'https://used.example' },
          headers: { origin: 'https://used.example' },
        })
      ).status,
    ).toBe(200);
  });
});

describe('a server whose database another process changes', () => {
  let harness: Harness;
  let other: Store;
  beforeEach(async () => {
    harness = await openHarness();
    other = await openStore(harness.config.database, harness.service.log);
    return async () => {
      await other.close();
      await harness.close();
    };
  });
  const chat = (jwt: string, headers: Record<string, string> = {}) =>
    readResponse(
      harness.fetch('/chat', { json: question(), headers: { authorization: `Bearer ${jwt}`, ...headers } }),
    );

  it('applies the kill switch within a second, to existing tokens too', async () => {
    const { jwt } = await harness.boot();
    const cli = commandLine(harness.dataDir, clock.now, harness.env);
    await cli.json(['killswitch', 'on']);
    clock.advance(1000);
    expectError(await send(harness), 'boot/unavailable');
    expectError(await chat(jwt), 'guide/paused');
    await cli.json(['killswitch', 'off']);
    clock.advance(1000);
    await harness.boot();
  });

  it('applies workspace settings within a second to boots and tokens', async () => {
    const { jwt } = await harness.boot();
    const cli = commandLine(harness.dataDir, clock.now, harness.env);
    await cli.json(['workspace', 'disable', harness.appId]);
    clock.advance(1000);
    expectError(await send(harness), 'boot/workspace_disabled');
    expectError(await chat(jwt), 'chat/unauthorized');
    await cli.json(['workspace', 'enable', harness.appId]);
    clock.advance(1000);
    await harness.boot();
    expect((await chat(jwt)).status).toBe(200);
  });

  it('applies allowed domains within a second to boots and tokens', async () => {
    const { jwt } = await harness.boot();
    expect((await chat(jwt)).status).toBe(200);
    const { settings, id } = harness.workspace;
    const moved = { ...settings, allowedOrigins: ['https://moved.example'] };
    await other.workspaces.change(id, { settings: moved }, clock.now());
    clock.advance(1000);
    expectError(await send(harness), 'boot/origin_not_allowed');
    expectError(await chat(jwt), 'chat/unauthorized');
    const there = { origin: 'https://moved.example' };
    expect((await harness.boot(there, there)).jwt).toMatch(/\./);
  });

  it('serves a new workspace within a second, also to earlier visitors', async () => {
    const body = { app_id: 'gp_brand-new' };
    expectError(await send(harness, { body }), 'boot/origin_not_allowed');
    await other.workspaces.create({ ...harness.workspace, id: 'ws_new', appId: 'gp_brand-new' });
    clock.advance(1000);
    expect((await send(harness, { body })).status).toBe(200);
  });
});
