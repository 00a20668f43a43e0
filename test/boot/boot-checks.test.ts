import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits.ts';
import { answerOf, expectError } from '../fixtures/answer.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../harness.ts';
import { partsOf } from '../tokens/forged-tokens.ts';
import { FOREIGN, type Sent, send, sendPlainly } from './send-boot.ts';

describe('POST /boot checks', () => {
  it('run in their published order', async () => {
    const harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
    const { workspaces, featureFlags } = harness.service.store;
    const off = await harness.addWorkspace({ allowedOrigins: [ORIGIN] });
    await workspaces.change(off.id, { enabled: false }, clock.now());
    await featureFlags.set('kill_switch', true, clock.now());
    clock.advance(1000);

    // Start with everything wrong, then fix one thing at a time.
    const junk: Sent = { body: 'junk' };
    for (let sent = 0; sent < BUCKETS['boot/rate-limited'].points + 10; sent++) {
      expectError(await send(harness, junk), 'boot/unavailable');
    }
    await featureFlags.set('kill_switch', false, clock.now());
    clock.advance(1000);
    // Only boots past the kill switch consume the rate limit.
    for (let sent = 0; sent < BUCKETS['boot/rate-limited'].points; sent++) {
      expectError(await send(harness, junk), 'request/invalid');
    }
    expectError(await send(harness, junk), 'rate_limit/exceeded');
    expectError(await send(harness, { body: { app_id: 'gp_nobody' } }), 'rate_limit/exceeded');
    clock.advance(61_000);
    const wrong = { app_id: 'gp_nobody', origin: 'https://mismatch.example' };
    const stranger = { origin: FOREIGN };
    expectError(
      await send(harness, { body: { ...wrong, surprise: 1 }, headers: stranger }),
      'request/invalid',
    );
    expectError(await send(harness, { body: wrong, headers: stranger }), 'boot/origin_not_allowed');
    const known = { ...wrong, app_id: off.appId };
    expectError(await send(harness, { body: known, headers: stranger }), 'boot/origin_not_allowed');
    expectError(await send(harness, { body: known }), 'boot/origin_mismatch');
    expectError(await send(harness, { body: { ...known, origin: ORIGIN } }), 'boot/workspace_disabled');
    await workspaces.change(off.id, { enabled: true }, clock.now());
    clock.advance(1000);
    expect((await send(harness, { body: { ...known, origin: ORIGIN } })).status).toBe(200);
    await harness.close();
  });

  describe('POST /boot origin checks', () => {
    let harness: Harness;
    let elsewhere: { appId: string };
    beforeAll(async () => {
      harness = await openHarness();
      elsewhere = await harness.addWorkspace({ allowedOrigins: ['https://elsewhere.example'] });
    });
    afterAll(() => harness.close());
    beforeEach(() => clock.advance(61_000));

    it('return the same error for unknown apps and foreign origins', async () => {
      const origins = [FOREIGN, 'https://elsewhere.example', ORIGIN, 'null', 'junk'];
      for (const origin of origins) {
        const headers = { origin };
        const unknown = await send(harness, { body: { app_id: 'gp_nobody', origin }, headers });
        const foreign = await send(harness, {
          body: { app_id: origin === ORIGIN ? elsewhere.appId : harness.appId, origin },
          headers,
        });
        const seen = [unknown, foreign].map(({ status, json, headers }) => {
          // The remaining quota falls with every request.
          const changing = ['x-request-id', 'date', 'ratelimit'];
          const named = [...headers].filter(([name]) => !changing.includes(name));
          return { status, json: { ...json, request_id: '' }, headers: named };
        });
        expect(seen[0]).toEqual(seen[1]);
        expectError(unknown, 'boot/origin_not_allowed');
        expect(unknown.headers.get('access-control-allow-origin')).toBeNull();
      }
    });

    it('reject a boot without an Origin header', async () => {
      const { status, json } = await sendPlainly(harness, {});
      expect([status, json.error]).toEqual([403, 'boot/origin_not_allowed']);
    });

    it.each(['null', '', '*', ORIGIN.replace('https', 'http'), `${ORIGIN}/`, `${ORIGIN}, ${ORIGIN}`])(
      'reject the origin %j',
      async (origin) => {
        expectError(await send(harness, { headers: { origin } }), 'boot/origin_not_allowed');
      },
    );

    it.each(['https://a.shop.example.com', 'https://a.b.shop.example.com'])(
      'accept %s by its pattern and bind the token to it',
      async (origin) => {
        const { jwt } = await harness.boot({ origin }, { origin });
        expect(partsOf(jwt).claims.org).toBe(origin);
      },
    );

    it('compare body and header as serialized origins', async () => {
      const { jwt } = await harness.boot({ origin: 'https://SHOP.example.com:443' });
      expect(partsOf(jwt).claims.org).toBe(ORIGIN);
      const others = ['https://a.shop.example.com', `${ORIGIN}/`, `${ORIGIN}.`, 'null', `${ORIGIN}:8443`];
      for (const origin of others) {
        expectError(await send(harness, { body: { origin } }), 'boot/origin_mismatch');
      }
    });

    it('never return 401 for any credential', async () => {
      const { jwt } = await harness.boot();
      const headers = [
        { authorization: `Bearer ${jwt}` },
        { authorization: `Bearer ${jwt}x` },
        { authorization: 'Bearer ' },
        { authorization: 'Basic dmlzaXRvcjpzZWNyZXQ=' },
        { authorization: 'Negotiate' },
        { 'proxy-authorization': 'Basic eA==' },
        { cookie: 'gp_session=nobody' },
        { 'x-api-key': `pk_live_${'a'.repeat(47)}` },
      ];
      for (const credential of headers) {
        expect((await send(harness, { headers: credential })).status).toBe(200);
        expect((await send(harness, { body: 'junk', headers: credential })).status).toBe(400);
        expect((await send(harness, { headers: { ...credential, origin: FOREIGN } })).status).toBe(403);
      }
    });
  });

  it('serve only workspaces on the rollout list, by id or app id', async () => {
    const harness = await openHarness();
    const { id: byId, appId: appOfId } = harness.workspace;
    const [byApp, neither] = [await harness.addWorkspace(), await harness.addWorkspace()];
    const { jwt } = await harness.boot({ app_id: neither.appId });
    await harness.service.close();
    const listed = await openHarness({
      dataDir: harness.dataDir,
      env: { ROLLOUT: `${byId}, ${byApp.appId},ws_nobody` },
    });
    for (const app_id of [appOfId, byApp.appId]) await listed.boot({ app_id });
    const refused = await send(listed, { body: { app_id: neither.appId } });
    expectError(refused, 'boot/workspace_disabled');
    // Tokens issued before the rollout list are rejected too.
    const turn = { json: question(), headers: { authorization: `Bearer ${jwt}` } };
    expectError(await answerOf(listed.fetch('/chat', turn)), 'chat/unauthorized');
    await listed.close();
  });

  it('reject every boot while the kill switch is set in the environment', async () => {
    const harness = await openHarness({ env: { KILL_SWITCH: 'on' } });
    await harness.service.store.featureFlags.set('kill_switch', false, clock.now());
    const refused = await send(harness);
    expect(expectError(refused, 'boot/unavailable').retryAfterSec).toBe(5);
    expect(refused.headers.get('retry-after')).toBe('5');
    await harness.close();
  });
});
