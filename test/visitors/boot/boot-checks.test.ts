import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../../contract/limits/rate-limits.ts';
import {
  canonicalizeAllowedOrigin,
  canonicalizeOrigin,
  isAllowedOrigin,
  listAllowingPatterns,
} from '../../../server/visitors/allowed-origin.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../../support/harness.ts';
import { expectError, readResponse } from '../../support/response.ts';
import { fc } from '../../support/seeded-random.ts';
import { partsOf } from '../../tokens/forged-tokens.ts';
import { FOREIGN, type Sent, send, sendPlainly } from './send-boot.ts';

describe('POST /boot checks', () => {
  it('run in their published order', async () => {
    const harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
    const { workspaces } = harness.service.store;
    const off = await harness.addWorkspace({ allowedOrigins: [ORIGIN] });
    await workspaces.change(off.id, { enabled: false }, clock.now());
    await harness.pause();

    // At first every check fails; then each request passes one more.
    const junk: Sent = { body: 'junk' };
    for (let sent = 0; sent < BUCKETS['boot/rate-limited'].points + 10; sent++) {
      expectError(await send(harness, junk), 'boot/unavailable');
    }
    await harness.pause(false);
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
      const headers: Record<string, string>[] = [
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
    const rejected = await send(listed, { body: { app_id: neither.appId } });
    expectError(rejected, 'boot/workspace_disabled');
    // Tokens issued before the rollout list are rejected too.
    const turn = { json: question(), headers: { authorization: `Bearer ${jwt}` } };
    expectError(await readResponse(listed.fetch('/chat', turn)), 'chat/unauthorized');
    await listed.close();
  });

  it('reject every boot while the kill switch is set in the environment', async () => {
    const harness = await openHarness({ env: { KILL_SWITCH: 'on' } });
    await harness.service.store.featureFlags.set('kill_switch', false, clock.now());
    const rejected = await send(harness);
    expect(expectError(rejected, 'boot/unavailable').retryAfterSec).toBe(5);
    expect(rejected.headers.get('retry-after')).toBe('5');
    await harness.close();
  });
});

/** Returns whether this origin may boot with these allowed domains. */
function allows(domains: readonly string[], page: string): boolean {
  const canonical = domains
    .map((domain) => canonicalizeAllowedOrigin(domain))
    .filter((one) => one !== undefined);
  const origin = canonicalizeOrigin(page);
  return origin !== undefined && isAllowedOrigin(origin, canonical);
}

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const hostOf = (labels: { minLength: number; maxLength: number }) =>
  fc.array(label, labels).map((names) => names.join('.'));
const domain = hostOf({ minLength: 2, maxLength: 4 });
const scheme = fc.constantFrom('http', 'https');
const port = fc.constantFrom('', ':81', ':3000', ':8443');

describe('exact allowed domain', () => {
  it.each([
    ['https://shop.example.com', 'https://shop.example.com'],
    ['https://SHOP.Example.com', 'https://shop.example.com'],
    ['https://shop.example.com', 'HTTPS://Shop.EXAMPLE.com'],
    ['https://shop.example.com:443', 'https://shop.example.com'],
    ['https://shop.example.com', 'https://shop.example.com:443'],
    ['http://shop.example.com', 'http://shop.example.com:80'],
    ['https://shop.example.com:8443', 'https://shop.example.com:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example', 'https://BÜCHER.example'],
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'],
    ['https://faß.example', 'https://xn--fa-hia.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
    ['http://[::1]:8787', 'http://[0:0:0:0:0:0:0:1]:8787'],
    ['http://[2001:DB8::1]', 'http://[2001:db8::1]'],
    [' https://shop.example.com ', 'https://shop.example.com'],
  ])('%s allows %s', (domain, page) => {
    expect(allows([domain], page)).toBe(true);
  });

  it.each([
    ['https://shop.example.com', 'http://shop.example.com', 'another scheme'],
    ['https://shop.example.com', 'https://shop.example.com:8443', 'another port'],
    ['https://shop.example.com', 'https://shop.example.com:80', 'the default port of another scheme'],
    ['http://shop.example.com', 'http://shop.example.com:443', 'the default port of another scheme'],
    ['https://shop.example.com', 'https://example.com', 'the parent domain'],
    ['https://shop.example.com', 'https://a.shop.example.com', 'a subdomain'],
    ['https://shop.example.com', 'https://shop.example.com.evil.example', 'the domain as a prefix'],
    ['https://shop.example.com', 'https://evilshop.example.com', 'the domain as a suffix'],
    ['https://shop.example.com', 'https://shop-example.com', 'a look-alike'],
    ['https://shop.example.com', 'https://shopXexample.com', 'a dot that is no wildcard'],
    ['https://shop.example.com', 'https://shop.example.com.', 'a trailing dot, which is another host'],
    ['https://shop.example.com', 'https://evil.example@shop.example.com', 'a user name'],
    ['https://shop.example.com', 'https://shop.example.com@evil.example', 'the domain as a user name'],
    [
      'https://shop.example.com',
      'https://shop.example.com:x@evil.example',
      'the domain as a user name with a password',
    ],
    ['https://shop.example.com', 'https://shop.example.com/', 'a slash'],
    ['https://shop.example.com', 'https://shop.example.com/path', 'a path'],
    ['https://shop.example.com', 'https://shop.example.com?a=1', 'a query'],
    ['https://shop.example.com', 'https://shop.example.com#a', 'a fragment'],
    ['https://shop.example.com', 'https://evil.example\\.shop.example.com', 'a backslash'],
    ['https://shop.example.com', 'https://shop.example.com\\evil.example', 'a backslash'],
    ['https://shop.example.com', 'https:\\\\shop.example.com', 'backslashes for slashes'],
    ['https://shop.example.com', 'https://shop.exa\tmple.com', 'a tab that parsers drop'],
    ['https://shop.example.com', 'https://shop.example.com\n', 'a line end that parsers drop'],
    ['https://shop.example.com', 'ht\ntps://shop.example.com', 'a line end in the scheme'],
    ['https://shop.example.com', ' https://shop.example.com', 'a space in front'],
    ['https://shop.example.com', 'https://shop.example.com, https://evil.example', 'a list'],
    ['https://shop.example.com', 'https://shop.example.com https://evil.example', 'two origins'],
    ['https://shop.example.com', 'https:shop.example.com', 'no slashes'],
    ['https://shop.example.com', 'https:///shop.example.com', 'three slashes'],
    ['https://shop.example.com', '//shop.example.com', 'no scheme'],
    ['https://shop.example.com', 'shop.example.com', 'a bare host'],
    ['https://shop.example.com', 'wss://shop.example.com', 'a websocket'],
    ['https://shop.example.com', 'blob:https://shop.example.com/1', 'a blob'],
    ['https://shop.example.com', 'https://shop.example.com:99999', 'an invalid port'],
    ['https://shop.example.com', 'null', 'an opaque origin'],
    ['https://shop.example.com', 'NULL', 'an opaque origin in capitals'],
    ['https://shop.example.com', '', 'an empty text'],
    ['https://shop.example.com', '*', 'an asterisk'],
    ['https://bücher.example', 'https://bucher.example', 'the letter without its dots'],
    ['https://apple.example', 'https://аpple.example', 'a Cyrillic letter that looks Latin'],
    ['http://127.0.0.1', 'http://127.0.0.1.evil.example', 'an address as a prefix'],
    ['http://127.0.0.1', 'http://127.0.0.2', 'another address'],
    ['http://[::1]', 'http://[::2]', 'another address'],
    ['http://[::1]', 'http://127.0.0.1', 'the same machine under another address'],
    ['file:///index.html', 'file://', 'a file'],
    ['null', 'null', 'null, even as an allowed domain'],
    ['*', 'https://shop.example.com', 'any origin, even with an asterisk as an allowed domain'],
  ])('%s rejects %j: %s', (domain, page) => {
    expect(allows([domain], page)).toBe(false);
  });

  it('is canonicalized idempotently', () => {
    fc.assert(
      fc.property(scheme, fc.oneof(domain, fc.ipV4()), port, (s, host, p) => {
        const origin = canonicalizeOrigin(`${s}://${host}${p}`)!;
        expect(origin).toBe(`${s}://${host}${p}`);
        expect(canonicalizeOrigin(origin.toUpperCase())).toBe(origin);
        expect(canonicalizeAllowedOrigin(origin)).toBe(origin);
      }),
    );
  });

  it("is canonicalized to a browser's serialization or undefined for any input", () => {
    const tricky = fc.array(fc.constantFrom(...'https://:.@\\*[]%?#\t\n ab-1é'), { maxLength: 30 });
    const anything = fc.oneof(
      fc.string(),
      fc.webUrl(),
      tricky.map((pieces) => `https://${pieces.join('')}`),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const origin = canonicalizeOrigin(text);
        if (origin === undefined) return;
        expect(new URL(origin).origin).toBe(origin);
        expect(origin).toMatch(/^https?:\/\/[^/?#@*\\\s]+$/);
        expect(isAllowedOrigin(origin, ['null', '*', ''])).toBe(false);
      }),
    );
  });
});

describe('wildcard allowed domain', () => {
  it.each([
    ['https://*.example.com', 'https://a.example.com'],
    ['https://*.example.com', 'https://a.b.c.example.com'],
    ['https://*.shop.co.uk', 'https://www.shop.co.uk'],
    ['https://shop.github.io', 'https://shop.github.io'],
    ['https://*.Example.com', 'https://A.example.COM'],
    ['https://*.example.com:8443', 'https://a.example.com:8443'],
    ['https://*.example.com:443', 'https://a.example.com'],
    ['http://*.shop.test', 'http://a.shop.test'],
    ['https://*.bücher.example', 'https://neu.xn--bcher-kva.example'],
    ['https://*.bücher.example', 'https://größe.bücher.example'],
  ])('%s allows %s', (domain, page) => {
    expect(allows([domain], page)).toBe(true);
  });

  it.each([
    ['https://*.example.com', 'https://example.com', 'the apex'],
    ['https://*.example.com', 'https://.example.com', 'an empty label'],
    ['https://*.example.com', 'https://evilexample.com', 'a host with the same ending'],
    ['https://*.example.com', 'https://example.com.evil.example', 'a host with the same beginning'],
    ['https://*.example.com', 'https://a.example.com.evil.example', 'a host that contains the domain'],
    ['https://*.example.com', 'https://a.example.com.', 'a trailing dot'],
    ['https://*.example.com', 'http://a.example.com', 'another scheme'],
    ['https://*.example.com', 'https://a.example.com:8443', 'another port'],
    ['https://*.example.com:8443', 'https://a.example.com', 'the default port'],
    ['https://*.example.com', 'https://evil.example#.example.com', 'a fragment'],
    ['https://*.example.com', 'https://evil.example?.example.com', 'a query'],
    ['https://*.example.com', 'https://evil.example/.example.com', 'a path'],
    ['https://*.example.com', 'https://evil.example\\.example.com', 'a backslash'],
    ['https://*.example.com', 'https://*.example.com', 'the pattern itself'],
    ['https://*.example.com', 'https://%2a.example.com', 'the pattern itself, encoded'],
    ['https://*.com', 'https://evil.com', 'a wildcard for a top-level domain'],
    ['https://*.com.', 'https://evil.com.', 'a wildcard for a top-level domain with a trailing dot'],
    ['https://*.co.uk', 'https://a.co.uk', 'a wildcard for a public suffix'],
    ['https://*.CO.uk.', 'https://a.co.uk.', 'a wildcard for a public suffix with a trailing dot'],
    ['https://*.github.io', 'https://evil.github.io', 'a wildcard for a host of strangers’ sites'],
    ['https://*.公司.cn', 'https://a.xn--55qx5d.cn', 'a wildcard for a public suffix of another script'],
    ['https://*.localhost', 'https://a.localhost', 'a single label'],
    ['https://*', 'https://a.example', 'an asterisk without a domain'],
    ['https://*.*.example.com', 'https://a.b.example.com', 'two asterisks'],
    ['https://a.*.example.com', 'https://a.b.example.com', 'an asterisk in the middle'],
    ['https://a*.example.com', 'https://ab.example.com', 'a part of a label'],
    ['*://*.example.com', 'https://a.example.com', 'a wildcard scheme'],
    ['https://*.example.com/', 'https://a.example.com', 'a path in the pattern'],
    ['https://*.example.com@evil.example', 'https://evil.example', 'credentials in the pattern'],
    ['http://*.0.0.1', 'http://127.0.0.1', 'a part of an address'],
    ['http://*.2.3.4', 'http://1.2.3.4', 'a part of an address'],
    ['http://*.[::1]', 'http://[::1]', 'an address'],
  ])('%s rejects %j: %s', (domain, page) => {
    expect(allows([domain], page)).toBe(false);
  });

  it('matches one or more labels of its own domain only', () => {
    fc.assert(
      fc.property(
        domain,
        hostOf({ minLength: 1, maxLength: 3 }),
        domain,
        scheme,
        port,
        (base, below, other, s, p) => {
          const pattern = [`${s}://*.${base}${p}`];
          expect(allows(pattern, `${s}://${below}.${base}${p}`)).toBe(true);
          expect(allows(pattern, `${s}://${base}${p}`)).toBe(false);
          expect(allows(pattern, `${s}://${below}${base}${p}`)).toBe(false);
          expect(allows(pattern, `${s}://${below}.${base}.${other}${p}`)).toBe(
            `${base}.${other}`.endsWith(`.${base}`),
          );
        },
      ),
    );
  });

  it('is one of the patterns that allowingPatterns lists for an origin', () => {
    expect(listAllowingPatterns('https://a.b.example.com:8443')).toEqual([
      'https://a.b.example.com:8443',
      'https://*.b.example.com:8443',
      'https://*.example.com:8443',
    ]);
    expect(listAllowingPatterns('http://localhost:3000')).toEqual(['http://localhost:3000']);
    expect(listAllowingPatterns('http://[::1]:3000')).toEqual(['http://[::1]:3000']);
  });
});
