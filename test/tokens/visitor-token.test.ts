import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { TypeID } from 'typeid-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitorId as pseudonym } from '../../contract/fields.ts';
import { contract } from '../../contract/index.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import type { Route, Router } from '../../contract/route.ts';
import { newId } from '../../server/base/ids.ts';
import { openKeyRing } from '../../server/tokens/key-ring.ts';
import {
  createVisitorIds,
  createVisitorTokens,
  type VisitorTokens,
} from '../../server/tokens/visitor-token.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../support/harness.ts';
import { expectError, readResponse, type TestResponse } from '../support/response.ts';
import { fc } from '../support/seeded-random.ts';
import { badTokens, forge, getTokenStatus, partsOf, secretsIn } from './forged-tokens.ts';

const OTHER_ORIGIN = 'https://other.example';

const routers: Record<string, Router> = contract;
const guarded = Object.values(routers)
  .flatMap((router) => Object.values(router))
  .filter((route) => route.metadata.credential === 'visitor');

/** Bodies that each route accepts from the token's visitor. */
const bodies: Record<string, (visitorId: string) => unknown> = {
  sendMessage: () => question(),
  rateMessage: () => ({ message_id: 'msg_01kakv2fxse7wtg6x5r0h8rjbm', rating: 'up' }),
  recordConsent: (visitorId) => ({
    visitor_id: visitorId,
    url: `${ORIGIN}/`,
    copy_version: '1',
    at: clock.now(),
    decision: 'denied',
  }),
};

/** Whether a header can carry the token: HTTP headers cannot contain line breaks or zero bytes. */
const fitsHeader = (jwt: string) => !/[\r\n\0]/.test(jwt);

function openTokens(dataDir: string): VisitorTokens {
  const ring = openKeyRing(dataDir, [], clock.now());
  return createVisitorTokens(ring, clock, createVisitorIds(ring.visitorIdKey));
}

let callers = 0;

function call(
  harness: Harness,
  route: Route,
  jwt: string,
  visitorId: string,
  headers = {},
): Promise<TestResponse> {
  callers += 1;
  const body = bodies[route.metadata.operationId]?.(visitorId);
  return readResponse(
    harness.fetch(route.path.replace(':conversation_id', 'conv-of-a-test'), {
      method: route.method,
      json: body,
      headers: {
        authorization: `Bearer ${jwt}`,
        // Each attempt uses another address, so that rate limits do not hide the result of the check.
        'x-forwarded-for': `198.51.${callers >> 8}.${callers & 255}`,
        ...headers,
      },
    }),
  );
}

describe('a forged visitor token', () => {
  let harness: Harness;
  let good: string;
  let bad: Record<string, string>;
  let visitorId: string;

  beforeAll(async () => {
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
    const { appId } = await harness.addWorkspace({ allowedOrigins: [OTHER_ORIGIN] });
    const booted = await harness.boot();
    const other = await harness.boot({ app_id: appId, origin: OTHER_ORIGIN }, { origin: OTHER_ORIGIN });
    good = booted.jwt;
    visitorId = booted.visitor_id;
    const { keys, visitorIdSecret } = secretsIn(harness.dataDir);
    bad = badTokens({
      good,
      other: other.jwt,
      secret: Buffer.from(keys[0]!.secret, 'base64url'),
      encodedSecret: keys[0]!.secret,
      visitorIdSecret: Buffer.from(visitorIdSecret, 'base64url'),
      nowSeconds: Math.floor(clock.now() / 1000),
    });
  });
  afterAll(() => harness.close());

  it('differs from a valid one only by its defect: an exact copy is accepted', async () => {
    const { head, claims } = partsOf(good);
    const copy = forge(head, claims, Buffer.from(secretsIn(harness.dataDir).keys[0]!.secret, 'base64url'));
    expect(copy).toBe(good);
    expect(await getTokenStatus(harness, good)).toBe('accepted');
    expect(Object.keys(bad).length).toBeGreaterThan(100);
    expect(new Set([...Object.values(bad), good]).size).toBe(Object.keys(bad).length + 1);
  });

  it('is rejected by verify() and never reported as expired', async () => {
    const tokens = openTokens(harness.dataDir);
    expect((await tokens.verify(good)).ok).toBe(true);
    const passed: string[] = [];
    for (const [name, jwt] of Object.entries(bad)) {
      const verdict = await tokens.verify(jwt);
      // verify() does not check whether the workspace serves the origin.
      const isForAdmission = /^(org (null|that|as|with))/.test(name);
      if (verdict.ok ? !isForAdmission : verdict.expired) passed.push(name);
    }
    expect(passed).toEqual([]);
  });

  it.each(guarded.map((route) => [route.metadata.operationId, route] as const))(
    'is rejected and never reported as expired by %s',
    async (_id, route) => {
      const { unauthorized } = route.metadata;
      const expectedResponse = unauthorized ? `401 ${unauthorized}` : '200 {"ok":true,"recorded":false}';
      const judged = Object.entries(bad)
        .filter(([, jwt]) => fitsHeader(jwt))
        .map(async ([name, jwt]) => {
          const { status, json, text } = await call(harness, route, jwt, visitorId);
          return [name, `${status} ${unauthorized ? (json as { error: string }).error : text}`] as const;
        });
      expect((await Promise.all(judged)).filter(([, got]) => got !== expectedResponse)).toEqual([]);
    },
  );

  it('gets the same response whichever check it failed', async () => {
    const route = guarded.find(({ metadata }) => metadata.operationId === 'sendMessage')!;
    const texts = new Set<string>();
    for (const jwt of Object.values(bad).filter(fitsHeader)) {
      const { text } = await call(harness, route, jwt, visitorId);
      texts.add(text.replace(/req_[0-9a-z]+/, 'req'));
    }
    expect(texts.size).toBe(1);
  });

  it('is rejected when it is sent together with a valid one', async () => {
    const url = `${harness.baseUrl}/conversations/none`;
    const authorization = [`Bearer ${good}`, `Bearer ${bad['alg HS512']}`];
    for (const values of [
      authorization,
      authorization.toReversed(),
      [authorization[0]!, authorization[0]!],
    ]) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { origin: ORIGIN, authorization: values };
        const sent = request(url, { headers: headers as never }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject).end();
      });
      expect(status).toBe(401);
    }
  });
});

describe('a valid visitor token', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
  });
  afterAll(() => harness.close());

  it('is rejected as expired after its lifetime, however long ago', async () => {
    const { jwt, jwt_expires_at } = await harness.boot();
    const untilExpiry = jwt_expires_at * 1000 - clock.now();
    expect(untilExpiry).toBeGreaterThan((CHAT_LIMITS.visitorTokenSeconds - 3) * 1000);
    expect(untilExpiry).toBeLessThanOrEqual(CHAT_LIMITS.visitorTokenSeconds * 1000);
    clock.advance(untilExpiry - 2000);
    expect(await getTokenStatus(harness, jwt)).toBe('accepted');
    // The server tolerates five seconds of clock difference.
    clock.advance(2000 + 6000);
    expect(await getTokenStatus(harness, jwt)).toBe('jwt_expired');
    clock.advance(400_000_000);
    expect(await getTokenStatus(harness, jwt)).toBe('jwt_expired');
  });

  it('is accepted from its own origin and without an Origin header', async () => {
    const { jwt } = await harness.boot();
    const from = async (origin: string | undefined) => {
      const headers: Record<string, string> = { authorization: `Bearer ${jwt}` };
      if (origin !== undefined) headers.origin = origin;
      return readResponse(fetch(`${harness.baseUrl}/conversations/none`, { headers }));
    };
    for (const origin of [ORIGIN, undefined]) expect((await from(origin)).status).toBe(404);
    const foreignOrigins = [
      'https://evil.example',
      // This origin may boot, and gets its own token.
      'https://a.shop.example.com',
      'http://shop.example.com',
      'https://shop.example.com:8443',
      'https://shop.example.com.',
      'null',
      '',
      `${ORIGIN}, https://evil.example`,
    ];
    for (const origin of foreignOrigins) expectError(await from(origin), 'visitor/unauthorized');
  });

  it('is a standard JWS that jose can verify', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'guidepost-ring-'));
    const tokens = openTokens(dataDir);
    const ids = createVisitorIds(openKeyRing(dataDir, [], clock.now()).visitorIdKey);
    const secret = Buffer.from(secretsIn(dataDir).keys[0]!.secret, 'base64url');
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, text, fc.boolean(), async (workspaceId, host, gpc) => {
        const identity = ids.mint(workspaceId);
        const { browserId } = identity;
        const claims = {
          browserId,
          workspaceId,
          origin: `https://${host}`,
          regionCode: 'US-CA',
          regionSource: 'edge_header',
          gpc,
          policyVersion: '1',
          isLibrary: gpc,
        } as const;
        const { jwt, expiresAtSeconds } = tokens.sign(claims);
        const { payload, protectedHeader } = await jwtVerify(jwt, secret, {
          algorithms: ['HS256'],
          audience: 'gp-visitor',
          issuer: 'guidepost',
          typ: 'gp-visitor+jwt',
          currentDate: new Date(clock.now()),
        });
        expect(protectedHeader.kid).toBe(secretsIn(dataDir).keys[0]!.kid);
        expect(payload).toMatchObject({ sub: browserId, wid: workspaceId, org: `https://${host}`, gpc });
        expect(payload.exp! - payload.iat!).toBe(CHAT_LIMITS.visitorTokenSeconds);
        expect(await tokens.verify(jwt)).toEqual({
          ok: true,
          claims: { ...claims, ...identity, expiresAtSeconds },
        });
      }),
    );
    rmSync(dataDir, { recursive: true });
  });

  it('has a unique jti', async () => {
    const { jwt, visitor_id } = await harness.boot();
    const again = await harness.boot({ visitor_id });
    expect(partsOf(again.jwt).claims.sub).toBe(partsOf(jwt).claims.sub);
    expect(partsOf(again.jwt).claims.jti).not.toBe(partsOf(jwt).claims.jti);
    expect(Buffer.from(String(partsOf(jwt).claims.jti), 'base64url')).toHaveLength(16);
  });
});

const key = createSecretKey(randomBytes(32));
const ids = createVisitorIds(key);
const mint = (workspaceId: string) => ids.mint(workspaceId).browserId;
const isRecognized = (workspaceId: string, id: string) => ids.recognize(workspaceId, id) !== undefined;

describe('a visitor id', () => {
  it('is a TypeID that every process with the same key recognizes', () => {
    const minted = Array.from({ length: 1000 }, () => mint('ws_1'));
    expect(new Set(minted).size).toBe(1000);
    for (const id of minted) {
      expect(id).toMatch(/^vis_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(createVisitorIds(key).recognize('ws_1', id)?.browserId === id).toBe(true);
    }
  });

  it('is valid only in the workspace that it was created for', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        fc.pre(one !== other);
        const id = mint(one);
        expect(isRecognized(one, id)).toBe(true);
        expect(isRecognized(other, id)).toBe(false);
      }),
    );
  });

  it('is invalid on an installation with another key', () => {
    const elsewhere = createVisitorIds(createSecretKey(randomBytes(32)));
    expect(elsewhere.recognize('ws_1', mint('ws_1'))).toBeUndefined();
  });

  it('is rejected when it was made up', () => {
    for (let tries = 0; tries < 2000; tries++) expect(isRecognized('ws_1', newId('vis'))).toBe(false);
  });

  it('is rejected when any single bit was changed', () => {
    const bytes = TypeID.fromString(mint('ws_1'), 'vis').toUUIDBytes();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const bent = Uint8Array.from(bytes);
      bent[bit >> 3]! ^= 1 << (bit & 7);
      expect(isRecognized('ws_1', TypeID.fromUUIDBytes('vis', bent).toString())).toBe(false);
    }
  });

  it('has only one valid spelling', () => {
    const id = mint('ws_1');
    const suffix = id.slice('vis_'.length);
    const spellings = [
      id.toUpperCase(),
      `VIS_${suffix}`,
      `vis_${suffix.toUpperCase()}`,
      `usr_${suffix}`,
      suffix,
      `_${suffix}`,
      ` ${id}`,
      `${id} `,
      `${id}\n`,
      `${id}\0`,
      id.slice(0, -1),
      `${id}0`,
      id.replace('_', '-'),
      // The first of 26 characters holds three bits; higher values overflow.
      `vis_8${suffix.slice(1)}`,
      `vis_z${suffix.slice(1)}`,
    ];
    for (const spelling of spellings) expect(isRecognized('ws_1', spelling)).toBe(false);
  });

  it('is rejected without an exception for any text', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ minLength: 30, maxLength: 30 }),
      fc.stringMatching(/^vis_[0-9a-z]{26}$/),
      fc.constantFrom('', 'vis_', '__proto__', 'constructor', 'null', 'undefined'),
    );
    fc.assert(
      fc.property(garbage, (text) => !isRecognized('ws_1', text)),
      { numRuns: 500 },
    );
  });
});

describe('a pseudonym', () => {
  it('is the same whenever the visitor is recognized, and no visitor id', () => {
    const pseudonyms = Array.from({ length: 1000 }, () => {
      const identity = ids.mint('ws_1');
      const { browserId, visitorId } = identity;
      expect(pseudonym.parse(visitorId)).toBe(visitorId);
      expect(ids.recognize('ws_1', browserId)).toEqual(identity);
      expect(isRecognized('ws_1', visitorId)).toBe(false);
      expect(isRecognized('ws_1', visitorId.replace('vp_', 'vis_'))).toBe(false);
      return visitorId;
    });
    expect(new Set(pseudonyms).size).toBe(1000);
  });

  it('depends on the key', () => {
    const elsewhere = createVisitorIds(createSecretKey(randomBytes(32)));
    const { browserId, visitorId } = elsewhere.mint('ws_1');
    expect(ids.recognize('ws_1', browserId)?.visitorId).not.toBe(visitorId);
  });
});
